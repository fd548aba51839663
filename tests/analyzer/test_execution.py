"""How the code at a place runs: eagerly, traced, or building a graph."""

from __future__ import annotations

import pytest
from repository import Write

HEAD = "import tensorflow as tf\n"
EAGER = [
    "probe(1)",
    "def f():\n    probe(1)\nf()",
    "class M(tf.keras.Model):\n    def call(self, x):\n        probe(x)\nM()(1)",
    "class M(tf.keras.Model):\n    def train_step(self, x):\n        probe(x)\nM().train_step(1)",
    "class M:\n    def train_step(self, x):\n        probe(x)",
    "sess = tf.compat.v1.Session()\ntf.compat.v1.keras.backend.set_session(sess)\nprobe(1)",
    "def model_fn(): probe(1)\nmodel_fn()",
    "with tf.GradientTape() as tape:\n    probe(1)",
    "with open(x).as_default():\n    probe(1)",
    "g = tf.Graph()\nprobe(g)",
    "tf.compat.v1.enable_eager_execution()\nx = tf.compat.v1.placeholder\nprobe(1)",
    "@tf.autograph.experimental.do_not_convert\ndef f():\n    probe(1)",
    "tf.py_function(lambda: probe(1), [], tf.int32)",
    "f = tf.functional(g)\ndef g(): probe(1)",
]
TRACED = [
    "@tf.function\ndef f():\n    probe(1)",
    "@tf.function(input_signature=[])\ndef f():\n    probe(1)",
    "def f():\n    probe(1)\ng = tf.function(f)",
    "class A:\n    def f(self):\n        probe(1)\na = A()\na.f = tf.function(a.f)",
    "class A:\n    def __init__(self):\n        self.f = tf.function(self.f)\n"
    "    def f(self):\n        probe(1)\nA()",
    "class A:\n    def __init__(self):\n        self.g = tf.function(self.f, jit_compile=True)\n"
    "    def f(self):\n        self.h()\n    def h(self):\n        probe(1)\nA()",
    "def f():\n    probe(1)\n@tf.function\ndef g():\n    f()",
    "tf.data.Dataset.range(3).map(lambda x: probe(x))",
    "class M(tf.keras.Model):\n    def train_step(self, x):\n        probe(x)\nM().fit(1)",
    "class M(tf.keras.Model):\n    def train_step(self, x):\n        self.inner(x)\n"
    "    def inner(self, x):\n        probe(x)\nm = M()\nm.compile()\nm.fit(x)",
    "import functools\n@functools.partial(tf.function, autograph=False)\ndef f():\n    probe(1)",
]
GRAPH = [
    "with tf.Graph().as_default():\n    probe(1)",
    "g = tf.Graph()\nwith g.as_default(), x:\n    probe(1)",
    "def f():\n    probe(1)\nwith tf.Graph().as_default():\n    f()",
    "x = tf.placeholder(tf.float32)\nprobe(x)",
    "import tensorflow.compat.v1 as v1\nv1.disable_v2_behavior()\nprobe(1)",
    "tf.compat.v1.disable_eager_execution()\nprobe(1)",
    "def model_fn(features, labels, mode):\n    probe(1)\n"
    "e = tf.estimator.Estimator(model_fn=model_fn)\ne.train(input_fn=x)",
    "def data():\n    probe(1)\ntf.estimator.TrainSpec(input_fn=data)",
    "step = tf.train.GradientDescentOptimizer(0.1).minimize(x)\n"
    "with tf.Session() as sess:\n    sess.run(step)\n    probe(1)",
    "with tf.train.MonitoredTrainingSession() as sess:\n    probe(1)",
]


@pytest.mark.parametrize(
    ("code", "runs"),
    [
        *((code, "eager") for code in EAGER),
        *((code, "traced") for code in TRACED),
        *((code, "graph") for code in GRAPH),
    ],
)
def test_how_a_place_runs(write: Write, code: str, runs: str) -> None:
    repository = write(f"{HEAD}{code}\n")
    module = repository.module()
    assert repository.facts.runs(repository.probe()[0], module) == runs


def test_a_module_of_graph_programs_alone_builds_graphs(write: Write) -> None:
    files = {
        "main.py": f"{HEAD}import net\ntf.compat.v1.disable_v2_behavior()\nnet.build()\n",
        "net.py": f"{HEAD}def build():\n    probe(1)\n",
    }
    repository = write(files)
    module = repository.module("net.py")
    assert repository.facts.runs(repository.probe("net.py")[0], module) == "graph"


def test_a_module_that_an_eager_program_shares_does_not(write: Write) -> None:
    files = {
        "main.py": f"{HEAD}import net\ntf.compat.v1.disable_v2_behavior()\nnet.build()\n",
        "other.py": f"{HEAD}import net\nnet.build()\n",
        "net.py": f"{HEAD}def build():\n    probe(1)\n",
    }
    repository = write(files)
    module = repository.module("net.py")
    assert repository.facts.runs(repository.probe("net.py")[0], module) == "eager"
