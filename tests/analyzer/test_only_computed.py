"""Sessions in which a program runs nothing that trains, though its modules make a step."""

from __future__ import annotations

import pytest
from repository import Write

MODEL = """\
import tensorflow.compat.v1 as tf
class Model:
    def __init__(self):
        self.x = tf.placeholder(tf.float32, [None, 4])
        self.out = tf.layers.dense(self.x, 1)
        self.step = tf.train.AdamOptimizer().minimize(tf.reduce_mean(self.out))
def fetches(): return made()
"""
SAMPLE = """\
import tensorflow.compat.v1 as tf
from model import Model, fetches
model = Model()
with tf.Session() as sess:
    tf.train.Saver().restore(sess, "model")
    {}
"""


def trains(write: Write, body: str) -> bool:
    programs = write({"model.py": MODEL, "sample.py": SAMPLE.format(body)}).facts.programs.all
    return {program.entry.name: bool(program.sites) for program in programs}["sample"]


@pytest.mark.parametrize("body", [
    "sess.run(model.step)",
    "sess.run([model.out, model.step])",
    "sess.run(fetches())",
    "sess.run(given)",
    "sess.run(model.out); sess.run(model.step)",
    "run = sess.run; run(model.step)",
    "run = sess.run; run(model.out)",
    "model.step.run()",
    "print(model)",
    "sess.run(model.out); train(sess)",
    "import helper; sess.run(model.out); helper.train(sess, model)",
    "sess.run(model.x.assign(2))",
    "s = sess; sess.run(model.out); train(s)",
    "sess.run(model.out); model.step.eval(session=sess)",
])  # fmt: skip
def test_what_may_train(body: str, write: Write) -> None:
    assert trains(write, body)


@pytest.mark.parametrize("body", [
    "print(sess.run(model.out, {model.x: [[1, 2, 3, 4]]}))",
    "sess.run([model.out, tf.reduce_max(model.out)])",
    "for i in range(3): sess.run(model.out); print(model.out.eval(session=sess))",
    "tf.train.start_queue_runners(sess=sess); sess.run(model.out)",
])  # fmt: skip
def test_what_only_computes(body: str, write: Write) -> None:
    assert not trains(write, body)
