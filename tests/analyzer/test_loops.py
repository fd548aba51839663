"""Which loop counts the training steps."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pinsetter.analyzer.domains.tensorflow.step_loops import step_loops
from pinsetter.analyzer.facts import Facts
from pinsetter.analyzer.names.project import Project

HEAD = """\
import tensorflow as tf
optimizer = tf.keras.optimizers.SGD(0.1)
def step(batch):
    optimizer.apply_gradients(batch)
"""
SESSION = """\
import tensorflow.compat.v1 as tf
train = tf.train.AdamOptimizer().minimize(loss)
session = tf.Session()
"""
KERAS = "import tensorflow as tf\nmodel = tf.keras.Sequential()\n"


def counted(path: Path, code: str) -> dict[int, str]:
    """What the calls of ``range`` count, by the line of ``code`` that they stand in."""
    file = path / "main.py"
    file.write_text(code)
    facts = Facts(Project([file]))
    module = facts.project.given[0]
    found = {}
    for call in module.tree.calls:
        kind = facts.of(step_loops).counts(call)
        if kind is not None:
            found[module.tree.line_of(call.trailer)] = kind
    return found


def expected(code: str) -> dict[int, str]:
    """Comments ``#: steps`` and ``#: rounds`` mark the lines."""
    marks = ((n, re.search(r"#: (\w+)", line)) for n, line in enumerate(code.splitlines(), 1))
    return {number: mark[1] for number, mark in marks if mark}


LOADER = """\
class Loader:
    def __init__(self, size):
        self.size = size
        self.at = 0
    def reset(self):
        self.at = 0
    def batch(self):
        self.at += self.size
        return self.data[self.at - self.size:self.at]
    def read(self):
        self.seen += 1
        return self.data[self.random()]
    def drawn(self):
        self.seen += 1
        return self.draw(self.seen)
    def following(self):
        found = self.data[self.place]
        self.place = self.place + 1
        return found
    def other(self):
        self.place = self.size + 1
        return self.data[self.place]
loader = Loader(8)
"""
NOTHING = {
    "no training": "for i in range(100):\n    print(i)\n",
    "training elsewhere": HEAD + "for i in range(100):\n    print(i)\nstep(1)\n",
    "items are picked": HEAD + "for i in range(100):\n    step(data[i])\n",
    "slices are picked": HEAD + "for i in range(100):\n    at = i * 32\n"
                         "    step(data[at:at + 32])\n",
    "strides": HEAD + "for i in range(0, 1000, 32):\n    step(i)\n",
    "take counts": HEAD + "for i in range(100):\n    for b in data.take(1000):\n        step(b)\n",
    "a few steps for each batch": HEAD + "for b in data:\n    for i in range(5):\n"
                                  "        step(b)\n",
    "take counts what a function returns": HEAD + "def make(n):\n    return data.take(n), 3\n"
                                           "batches, size = make(1000)\nfor i in range(epochs):\n"
                                           "    for b in batches:\n        step(b)\n",
    "episodes that may end early": HEAD + """\
while True:
    for i in range(1000):
        done = play()
        step(i)
        if done:
            break
""",
    "while": HEAD + "while going():\n    step(1)\n",
    "a loop that only tests": HEAD + """\
def run(x, train=False):
    if train:
        step(x)
    return x
for i in range(1000):
    run(i)
for i in range(1000):
    run(i, train=False)
for i in range(1000):
    run(i, False)
""",
    "a loop that only tests, told otherwise": HEAD + """\
def run(x, test, deep=None):
    if not x and not test or deep:
        step(x)
    elif test:
        pass
    else:
        step(x)
for i in range(1000):
    run(i, True)
""",
    "a budget of all steps": HEAD + """\
done = 0
while done < total:
    for i in range(steps):
        step(i)
    done = counter.numpy()
""",
    "a budget beside a counter": HEAD + """\
done = turns = 0
while done < total:
    for i in range(steps):
        step(i)
    turns += 1
""",
    "a budget of which the rest is asked for": HEAD + """\
done = 0
while done < total:
    for i in range(steps):
        step(i)
    done = latest(done)
""",
    "a budget that steps use up": HEAD + """\
done = 0
while done < total:
    for i in range(steps):
        step(i)
        done += 1
""",
    "a budget that is asked for": HEAD + """\
while counter.numpy() < total:
    for i in range(steps):
        step(i)
""",
    "evaluation": SESSION + "for i in range(100):\n    session.run(loss)\n",
    "steps are made": SESSION + "opt = tf.train.AdamOptimizer()\nfor i in range(100):\n"
                "    made = opt.apply_gradients(zip(tf.gradients(loss, [w]), [w]))\n",
    "a metric": SESSION + "mean, update_op = tf.metrics.mean(loss)\n"
                "for i in range(100):\n    session.run([mean, update_op])\n",
    "evaluation of what is not known": "import tensorflow as tf\ndef test(session, model):\n"
                                       "    for i in range(100):\n"
                                       "        session.run([model.train_loss, model.train_acc])\n",
    "gradients are only summed up": SESSION + "optimizer = tf.train.AdamOptimizer()\n"
                                    "add = optimizer.compute_gradients(loss)\n"
                                    "while going():\n    for i in range(100):\n"
                                    "        session.run(add)\n    session.run(train)\n",
    "hooks count": SESSION + "for i in range(9):\n    while not session.should_stop():\n"
                   "        session.run(train)\n",
    "fit counts": KERAS + "for i in range(100):\n    model.fit(x, y, epochs=10)\n",
    "a definition": HEAD + "for i in range(100):\n    def f():\n        step(1)\n",
}  # fmt: skip

# Each turn of the outer loop trains something of its own, whose steps alone are shared.
ANEW = {
    "folds": KERAS
    + """\
for fold in range(10):
    net = tf.keras.Sequential()
    net.fit(x[fold], y)
""",
    "folds by a function": """\
import tensorflow as tf
def build():
    net = tf.keras.Sequential()
    return net
for fold in range(10):
    net = build()
    for epoch in range(3):  #: rounds
        net.fit(x, y)
final = build()
final.fit(x, y, epochs=10)
""",
    "a model of a choice": """\
import tensorflow as tf
for fold in range(10):
    if wide:
        net = tf.keras.Sequential([a])
    else:
        net = tf.keras.Sequential([b])
    for e in range(20):  #: rounds
        net.fit(x, y)
""",
    "seeds, with a tape": """\
import tensorflow as tf
class Trainer:
    def __init__(self, seed):
        self.model = tf.keras.Sequential()
        self.optimizer = tf.keras.optimizers.SGD(0.1)
    def step(self, x):
        with tf.GradientTape() as tape:
            loss = self.model(x)
        grads = tape.gradient(loss, self.model.trainable_variables)
        self.optimizer.apply_gradients(zip(grads, self.model.trainable_variables))
    def train(self):
        for i in range(1000):  #: steps
            self.step(i)
def main():
    for seed in range(5):
        Trainer(seed).train()
main()
""",
    "classes, with sessions": """\
import tensorflow.compat.v1 as tf
class Proof:
    def __init__(self, session):
        self.session = session
        self.train = tf.train.AdamOptimizer().minimize(loss)
    def run(self):
        while going():
            self.session.run(self.train)
def main():
    for label in range(start, end):
        with tf.Session() as session:
            Proof(session).run()
main()
""",
    "gradients that Keras 3 applies": """\
import tensorflow as tf
optimizer = tf.keras.optimizers.SGD(0.1)
for trial in range(10):
    net = tf.keras.Sequential()
    for x in data:
        with tf.GradientTape() as tape:
            loss = net(x)
        optimizer.apply(tape.gradient(loss, net.trainable_weights), net.trainable_weights)
""",
    "variables alone": """\
import tensorflow as tf
optimizer = tf.keras.optimizers.SGD(0.1)
for trial in range(10):
    w, b = tf.Variable(1.0), tf.Variable(0.0)
    for i in range(1000):  #: steps
        with tf.GradientTape() as tape:
            loss = w * i + b
        optimizer.apply_gradients(zip(tape.gradient(loss, [w, b]), [w, b]))
""",
}

SHARED = {
    "the same model in each turn": """\
import tensorflow as tf
net = tf.keras.Sequential()
for e in range(10):  #: rounds
    optimizer = tf.keras.optimizers.SGD(0.1 / (e + 1))
    for x in data:
        with tf.GradientTape() as tape:
            loss = net(x)
        grads = tape.gradient(loss, net.trainable_variables)
        optimizer.apply_gradients(zip(grads, net.trainable_variables))
""",
    "a model made in the first turn": """\
import tensorflow as tf
net = None
for e in range(10):  #: rounds
    if net is None:
        net = tf.keras.Sequential()
    net.fit(x, y)
""",
    "a model made in one turn alone": """\
import tensorflow as tf
for e in range(10):  #: rounds
    if e == 0:
        net = tf.keras.Sequential()
    net.fit(x, y)
""",
    "an estimator that goes on from a folder": """\
import tensorflow as tf
for e in range(10):  #: rounds
    estimator = tf.contrib.learn.DNNClassifier([10], model_dir="here")
    estimator.fit(x, y)
""",
    "a model that goes on from a file": """\
import tensorflow as tf
for e in range(10):  #: rounds
    net = tf.keras.models.load_model("last.h5")
    net.fit(x, y)
    net.save("last.h5")
""",
    "weights that go on": """\
import tensorflow as tf
def build(e):
    net = tf.keras.Sequential()
    if e:
        net.load_weights("last.h5")
    return net
for e in range(10):  #: rounds
    net = build(e)
    net.fit(x, y)
    net.save_weights("last.h5")
""",
    "sessions that go on from a folder": """\
import tensorflow.compat.v1 as tf
train = tf.train.AdamOptimizer().minimize(loss)
for i in range(10):  #: rounds
    with tf.train.MonitoredTrainingSession(checkpoint_dir="here") as session:
        while going():
            session.run(train)
""",
    "a model that is made before, too": """\
import tensorflow as tf
def epoch(net):
    net.fit(x, y)
net = tf.keras.Sequential()
for e in range(10):  #: rounds
    epoch(net)
    other = tf.keras.Sequential()
""",
    "one loop": HEAD + "for i in range(1000):  #: steps\n    step(i)\n",
    "a few steps": HEAD + "for i in range(10):  #: steps\n    step(i)\n",
    "through enumerate": HEAD + "for i, n in enumerate(range(1000)):  #: steps\n    step(i)\n",
    "epochs": HEAD + "for e in range(10):  #: rounds\n    for b in data:\n        step(b)\n",
    "epochs in functions": HEAD + """\
def epoch():
    for b in data:
        step(b)
def main(epochs):
    for e in range(epochs):  #: rounds
        epoch()
main(3)
""",
    "a loop that tests, and one that does not": HEAD + """\
def run(x, train=False, more=False):
    if train or more:
        step(x)
for i in range(1000):  #: steps
    run(i, True)
for i in range(1000):
    run(i)
""",
    "a loop that may test": HEAD + """\
def run(x, train=False):
    if x:
        train = True
    if train:
        step(x)
for i in range(1000):  #: steps
    run(i, False)
""",
    "a flag that is not known": HEAD + """\
def run(x, train=False, *more):
    if train:
        step(x)
for i in range(1000):  #: steps
    run(i, *flags)
for i in range(1000):  #: steps
    run(i, flags.train)
""",
    "steps in epochs that are counted": HEAD + """\
epoch = 0
while epoch < total:
    for i in range(steps):  #: steps
        step(i)
    epoch += 1
""",
    "steps in epochs that are counted in full": HEAD + """\
epoch = 0
while epoch < total:
    for i in range(steps):  #: steps
        step(i)
    epoch = epoch + 1
""",
    "steps in a method that a method of its name calls": HEAD + """\
class Trainer:
    def train(self, n):
        for i in range(n):  #: steps
            step(i)
class Other(Trainer):
    def train(self, n=3000):
        super().train(n)
""",
    "updates by hand": "import tensorflow.compat.v1 as tf\n" + """\
update = w.assign(w - 0.1 * tf.gradients(loss, [w])[0])
with tf.Session() as session:
    for i in range(1000):  #: steps
        session.run(update)
""",
    "updates by hand, by a function": "import tensorflow.compat.v1 as tf\n" + """\
update = tf.assign(w, w - 0.1 * tf.gradients(loss, [w])[0])
with tf.Session() as session:
    for i in range(1000):  #: steps
        session.run(update)
""",
    "steps in turns without end": HEAD + """\
while True:
    for i in range(steps):  #: steps
        step(i)
""",
    "steps that a strategy runs": HEAD + """\
strategy = tf.distribute.OneDeviceStrategy("cpu:0")
def main():
    def one(x):
        step(x)
    for i in range(1000):  #: steps
        strategy.run(one, (i,))
main()
""",
    "steps in epochs": HEAD + """\
for e in range(100):
    for i in range(steps):  #: steps
        step(i)
""",
    "updates of an algorithm": HEAD + """\
for e in range(episodes):  #: rounds
    while going():
        for i in range(updates):
            step(i)
""",
    "critic steps": HEAD + """\
for e in range(8):  #: rounds
    for b in data:
        for i in range(5):
            step(b)
""",
    "a step that is not known": "import tensorflow as tf\ndef fit(session, model):\n"
                                "    for i in range(100):  #: steps\n"
                                "        session.run([model.pretrain_op, model.train_loss])\n",
    "two phases": HEAD + """\
for i in range(1000):  #: steps
    step(i)
for i in range(1000):  #: steps
    step(i)
""",
    "a class": """\
import tensorflow as tf
class Trainer:
    def __init__(self):
        self.optimizer = tf.keras.optimizers.SGD(0.1)
    def step(self, b):
        self.optimizer.apply_gradients(b)
    def epoch(self):
        for b in self.data:
            self.step(b)
    def train(self):
        for e in range(self.epochs):  #: rounds
            self.epoch()
Trainer().train()
""",
    "items are stored": HEAD + "for i in range(1000):  #: steps\n    losses[i] = step(i)\n",
    "a data set that may be cut": HEAD + """\
data = load()
if limit:
    data = data.take(limit)
for e in range(100):  #: rounds
    for b in data:
        step(b)
""",
    "a few steps of one part": HEAD + """\
parser.add_argument("--critic-steps", default=5)
def train(steps, critic_steps):
    for i in range(steps):  #: rounds
        for j in range(critic_steps):
            step(1)
train(args.steps, args.critic_steps)
""",
    "few by default": HEAD + """\
def train(steps, critic_steps=5):
    for i in range(steps):  #: rounds
        for j in range(critic_steps):
            step(1)
train(steps)
""",
    "a session": SESSION + "for i in range(1000):  #: steps\n    session.run([train, loss])\n",
    "several things of an own function": SESSION + "def make():\n    return (loss,) + tuple(ops)\n"
                "loss, update_op = make()\n"
                "for i in range(1000):  #: steps\n    session.run([loss, update_op])\n",
    "several things that are not known": SESSION + "loss, update_op = make()\n"
                "for i in range(1000):  #: steps\n    session.run([loss, update_op])\n",
    "step.run": SESSION + "for i in range(1000):  #: steps\n    train.run()\n",
    "an unknown training step": SESSION + "for i in range(1000):  #: steps\n"
                                "    session.run(model.train_op)\n",
    "fit in a loop": KERAS + "for e in range(10):  #: rounds\n    model.fit(x, y)\n",
    "train_on_batch": KERAS + "for i in range(1000):  #: steps\n    model.train_on_batch(x, y)\n",
}  # fmt: skip


@pytest.mark.parametrize("code", NOTHING.values(), ids=NOTHING)
def test_no_loop_is_to_be_shared(tmp_path: Path, code: str) -> None:
    assert counted(tmp_path, code) == {}


@pytest.mark.parametrize("code", ANEW.values(), ids=ANEW)
def test_a_loop_over_trainings_is_none_over_their_rounds(tmp_path: Path, code: str) -> None:
    assert counted(tmp_path, code) == expected(code)


@pytest.mark.parametrize("code", SHARED.values(), ids=SHARED)
def test_one_loop_is_shared(tmp_path: Path, code: str) -> None:
    assert counted(tmp_path, code) == expected(code)


def test_what_tests_give_the_same_code_is_no_matter_of_a_loop(tmp_path: Path) -> None:
    (tmp_path / "proof.py").write_text(
        "import tensorflow.compat.v1 as tf\n"
        "train = tf.train.AdamOptimizer().minimize(loss)\n"
        "def run(session):\n    while going():\n        session.run(train)\n"
    )
    (tmp_path / "test_proof.py").write_text(
        "import tensorflow.compat.v1 as tf\nimport proof\n"
        "def test_it():\n    proof.run(tf.Session())\n"
    )
    main = tmp_path / "main.py"
    main.write_text(
        "import tensorflow.compat.v1 as tf\nimport proof\nfor label in range(10):\n"
        "    with tf.Session() as session:\n        proof.run(session)\n"
    )
    facts = Facts(Project(sorted(tmp_path.glob("*.py"))))
    module = next(module for module in facts.project.given if module.path == main)
    assert not any(facts.of(step_loops).counts(call) for call in module.tree.calls)


@pytest.mark.parametrize("reset", ["loader.at = 0", "loader.reset()", "if epoch: loader.reset()"])
def test_what_begins_anew_in_each_round_is_gone_through_as_a_whole(
    reset: str, tmp_path: Path
) -> None:
    loops = "{}for epoch in range(100): {}\n    {}\n    for i in range(1000): {}\n        {}\n"
    code = HEAD + LOADER + loops
    anew = code.format("", "#: rounds", reset, "", "step(loader.batch())")
    assert counted(tmp_path, anew) == expected(anew)
    anew = code.format("", "#: rounds", "loader.place = 0", "", "step(loader.following())")
    assert counted(tmp_path, anew) == expected(anew)
    for before, inside, batch in (
        ("", "print(loader)", "loader.batch()"),
        (f"{reset}\n".replace("if epoch: ", ""), "print(1)", "loader.batch()"),
        ("", "loader.at += 1", "loader.batch()"),
        ("", reset, "loader.read()"),
        ("", "loader.seen = 0", "loader.drawn()"),
        ("", "loader.place = 0", "loader.other()"),
        ("", "loader.place = 0", "loader.batch()"),
    ):
        goes_on = code.format(before, "", inside, "#: steps", f"step({batch})")
        assert counted(tmp_path, goes_on) == expected(goes_on)


@pytest.mark.parametrize(
    ("reset", "asked", "anew"),
    [
        ("state = env.reset()", "env.step(a)", True),
        ("self.env.reset()", "self.env.step(a)[0]", True),
        ("data.reset_pointer()", "next(data.next_batch())", True),
        ("data.reset()", "data.get_batch(8)", True),
        ("env.reset()", "other.step(a)", False),
        ("env.reset_all", "env.step(a)", False),
        ("self.env.reset()", "env.step(a)", False),
        ("loss.reset_states()", "loss.update_state(a)", False),
        ("model.reset_states()", "model.test_on_batch(a)", False),
        ("print(env)", "env.reset()\n        env.step(a)", False),
    ],
)
def test_what_is_reset_in_each_round(reset: str, asked: str, anew: bool, tmp_path: Path) -> None:
    rounds, steps = ("  #: rounds", "") if anew else ("", "  #: steps")
    code = (
        f"{HEAD}for epoch in range(100):{rounds}\n    {reset}\n"
        f"    for i in range(1000):{steps}\n        {asked}\n        step(a)\n"
    )
    assert counted(tmp_path, code) == expected(code)
