"""Restrictions: what is clean, what is lifted, and what remains, for each of the ten."""

from __future__ import annotations

import textwrap

import pytest
from repository import Repository, Write

from pinsetter.analyzer.domains.tensorflow.restrictions import TITLES, check
from pinsetter.analyzer.domains.tensorflow.restrictions.sites import OPTIMIZER, ROLES, Sites
from pinsetter.analyzer.messages.finding import Finding

STEP = """\
w = tf.Variable(1.0)
def train(x):
    with tf.GradientTape() as tape:
        loss = x * w
    opt.apply_gradients(zip(tape.gradient(loss, [w]), [w]))
train(tf.ones(1))
"""
TF = "import tensorflow as tf\n"
SGD = f"{TF}opt = tf.optimizers.SGD(0.1)\n"
DATA = f"{SGD}ds = tf.data.Dataset.range(99)\n{STEP}"


def findings(repository: Repository) -> list[Finding]:
    return check(repository.facts)


def of(write: Write, code: str, text: str) -> list[str]:
    """The statuses and lines of one restriction's findings in a text."""
    found = findings(write(textwrap.dedent(text)))
    return [f"{f.status.value} {f.line}" for f in found if f.code == code]


CLEAN = {
    "R01": [
        "import os\nimport tensorflow as tf\n",
        '#!/usr/bin/env python\n"""Doc."""\nfrom __future__ import annotations\n' + TF,
        f"import os; import sys\n{TF}x = 1\n",
        f'__author__ = "someone"\n{TF}',
        "try:\n    pass\nexcept ImportError:\n    pass\n",
        "def f():\n    import os\nx = 1\nimport sys\n",  # uses no TensorFlow
        "import os\nos.environ['A'] = '1'\nimport sys\n",
    ],
    "R02": [
        TF,
        "import tensorflow\n",
        "from tensorflow import keras\n",
        "import tensorflow.keras as k\n",
        "tf = object()\ntf2 = tf\n",
        "def f(tf):\n    other = tf\n",
        "import importlib\nplugin = importlib.import_module('plugins.a')\n",
        f"import importlib\n{TF}plugin = importlib.import_module(name)\n",
        f"{TF}def f():\n    tf = 3\n",
    ],
    "R03": [
        "from tensorflow.keras.optimizers import Adam as A\nopt = A(0.1)\n",
        "from tensorflow import keras\nlayers = 3\n",
        f"{TF}opt = tf.optimizers.Adam(0.1)\nsteps = opt.iterations\n",
        f"{TF}x = tf.ones(3)\n",
        f"{TF}isinstance(x, (tf.optimizers.Adam, tf.Tensor))\n",
        f"{TF}class Mine(tf.optimizers.Adam):\n    pass\n",
        f"{TF}model.compile(tf.optimizers.Adam)\n",
        "Adam = optimizers.Adam\n",
        f"{TF}manager = tf.train.CheckpointManager(c, 'x', 3)\npath = manager.latest_checkpoint\n",
    ],
    "R04": [
        f"{TF}print('x', len(x), x.numpy(), x.shape[0])\n",
        TF + """print(f'{float(x):.2f} {{}} {", ".join(names)}')\n""",
        f"{TF}def pure(x):\n    return x + 1\nprint(pure(3))\n",
        f"{TF}print(lambda: items.pop())\n",
        f"{TF}print(max(x, key=lambda a: a[0]), *map(str, x), sum(map(len, x)))\n",
        f"{TF}def print(x):\n    items.pop()\nprint(items.pop())\n",
        f"{TF}print 'a', items.pop()\nprint >>f, next(x)\n",
        "print(items.pop())\n",  # no training, and no TensorFlow
        f"{TF}items.pop()\nlog(items.pop())\n",
    ],
    "R05": [
        f"{TF}opt = tf.optimizers.Adam(0.1)\nother = tf.optimizers.SGD(0.1)\n",
        f"{TF}class A:\n    def __init__(self):\n        self.opt = tf.optimizers.Adam(0.1)\n",
        f"{TF}ds = tf.data.Dataset.range(3).map(f).shuffle(3).batch(2)\nds = ds.prefetch(1)\n",
        f"{TF}opt: object = tf.optimizers.Adam(0.1)\n",
        f"{TF}ds = tf.data.Dataset.range(9)\nval = ds.take(3)\ntrain = ds.skip(3)\n",
        f"{TF}with strategy.scope():\n    opt = tf.optimizers.Adam(0.1)\n",
        f"{TF}def f():\n    opt = tf.optimizers.Adam(0.1)\n    return opt\nopt = f()\n",
        "class Adam: pass\nfirst = Adam()\nsecond = first\nf(Adam())\n",
        f"{TF}rate = tf.Variable(0.1)\nother = rate\n",
        f"{TF}ds = tf.data.Dataset.range(9)\nfor x in ds.take(3):\n    y = x\n",
        f"{TF}opt = tf.optimizers.Adam(0.1)\nmodel.compile(optimizer=opt)\n",
    ],
    "R06": [
        f"{TF}opt = tf.optimizers.Adam(0.1)\nopt = tf.optimizers.SGD(0.1)\n",
        f"{TF}ds = tf.data.Dataset.range(9)\nds = ds.map(f)\nds = ds.shuffle(3).batch(2)\n",
        f"{TF}opt = None\nopt = tf.optimizers.Adam(0.1)\n",
        f"{TF}opt: object\nopt = tf.optimizers.Adam(0.1)\n",
        f"{TF}opt = tf.optimizers.Adam(0.1)\ndef f():\n    opt = None\n",
        f"{TF}if x:\n    opt = tf.optimizers.Adam(0.1)\nelse:\n    opt = None\n",
        f"{TF}opt = tf.optimizers.Adam(0.1)\ndel opt\n",
        f"{TF}class A:\n    def __init__(self):\n        self.opt = None\n"
        "    def build(self):\n        self.opt = tf.optimizers.Adam(0.1)\n",
        "opt = Adam(0.1)\nopt = None\n",
    ],
    "R07": [
        f"{TF}opt = tf.optimizers.Adam(0.1)\nif x:\n    opt.learning_rate = 1\n",
        f"{TF}if __name__ == '__main__':\n    opt = tf.optimizers.Adam(0.1)\n",
        f"{TF}if x:\n    def f():\n        opt = tf.optimizers.Adam(0.1)\n",
        f"{TF}try:\n    opt = tf.optimizers.Adam(0.1)\nfinally:\n    pass\n",
        f"{TF}opt = tf.optimizers.Adam(0.1 if x else 0.2)\n",
        f"{TF}with tf.device('/cpu:0'):\n    ds = tf.data.Dataset.range(3)\n",
        f"{TF}ds = tf.data.Dataset.range(3)\nif x:\n    ds = ds.shuffle(3)\n",
        f"{TF}if x:\n    ckpt = tf.train.Checkpoint()\n",
        "if x:\n    opt = Adam()\n",
    ],
    "R08": [
        f"{SGD}{STEP}",
        f"{SGD}def f(pairs):\n    n = opt.apply_gradients(pairs)\n",
        f"{SGD}def f(pairs):\n    n = m = opt.apply_gradients(pairs)\n",
        f"{SGD}def f(pairs):\n    n: int = opt.apply_gradients(pairs)\n",
        f"{SGD}def f(pairs):\n    if x: opt.apply_gradients(pairs)\n",
        f"{SGD}def f(pairs):\n    a = 1; opt.apply_gradients(pairs); b = 2\n",
        f"{SGD}def f(pairs):\n    n = (opt.apply_gradients(grads_and_vars=pairs))\n",
        f"{SGD}def f(pairs):\n    (opt.apply_gradients(pairs))\n",
        f"{TF}class A:\n    def apply_gradients(self, pairs):\n        pass\n",
        "n = x and opt.apply_gradients(pairs)\n",  # uses no TensorFlow
    ],
    "R09": [
        f"{SGD}{STEP}",
        f"{TF}def f(opt):\n    opt.apply_gradients(p)\nopt = tf.optimizers.SGD(0.1)\nf(opt)\n",
        f"{TF}def f():\n    opt = 1\n    return opt\nopt = tf.optimizers.SGD(0.1)\n",
        f"{TF}def f():\n    return x.opt\nopt = tf.optimizers.SGD(0.1)\n",
        f"{SGD}opt = tf.optimizers.Adam(0.1)\n",  # no function refers to it
        f"{TF}opt = None\nopt = tf.optimizers.SGD(0.1)\n{STEP}",
        f"{TF}if x:\n    opt = tf.optimizers.SGD(0.1)\nelse:\n"
        f"    opt = tf.optimizers.Adam(0.1)\n{STEP}",
        "def f():\n    return opt\nopt = make()\n",
    ],
    "R10": [
        f"{TF}ckpt = tf.train.Checkpoint(m=m)\nckpt.save('x')\n",
        f"{TF}class A:\n    def __init__(self):\n        self.ckpt = tf.train.Checkpoint()\n",
        f"{TF}a = tf.train.Checkpoint()\nb = tf.train.Checkpoint()\n",
        f"{TF}ckpt = tf.train.Checkpoint()\nman = tf.train.CheckpointManager(ckpt, 'x', 3)\n",
        f"{TF}if x:\n    ckpt = tf.train.Checkpoint()\n",
        "ckpt = Checkpoint()\nother = ckpt\n",
    ],
}

LIFTED = {
    "R01": [
        ("import os\nos.environ['A'] = '1'\nimport tensorflow as tf\n", [3]),
        ("def f():\n    import tensorflow as tf\n", [2]),
        (f"{TF}def f():\n    import os\n", [3]),
        ("try:\n    import tensorflow as tf\nexcept ImportError:\n    raise\nimport os\n", [2]),
        (f"import typing\nif typing.TYPE_CHECKING:\n    import a\n{TF}", [3]),
        ("try:\n    from tensorflow import keras\nexcept ImportError:\n    import keras\n", [2, 4]),
        (f"def log():\n    print('x')\n{TF}", [3]),
        (f"{TF}class A:\n    import os\n", [3]),
    ],
    "R02": [
        (f"{TF}tf2 = tf\n", [2]),
        ("import tensorflow\ntf = tensorflow\n", [2]),
        (f"{TF}class A:\n    def __init__(self):\n        self.tf = tf\n", [4]),
        (f"{TF}if (t := tf):\n    pass\n", [2]),
    ],
    "R03": [
        (f"{TF}Adam = tf.optimizers.Adam\nopt = Adam(0.1)\n", [2]),
        (f"{TF}FLAGS = tf.compat.v1.flags.FLAGS\nsize = FLAGS.batch_size\n", [2]),
        (f"{TF}keras = tf.keras\nlayers = keras.layers\n", [2, 3]),
        (f"{TF}relu = tf.nn.relu\nAUTO = tf.data.AUTOTUNE\n", [2, 3]),
        (f"{TF}Adam, SGD = tf.optimizers.Adam, tf.optimizers.SGD\n", [2, 2]),
        (f"{TF}class A:\n    Tape = tf.GradientTape\n", [3]),
        (f"{TF}O = tf.optimizers.SGD if x else tf.optimizers.Adam\nO(learning_rate=1)\n", [2]),
        (f"{TF}O = tf.optimizers.SGD if x else tf.optimizers.Adam\nopt = O(0.1)\n", [2]),
        (f"{TF}O = tf.optimizers.Nadam if x else tf.optimizers.Adam\nopt = O()\n", [2]),
        (f"{TF}act = mine\nif x:\n    act = tf.nn.relu\n", [4]),
    ],
    "R04": [
        (f"{TF}import numpy as np\nprint(np.save('x', x))\n", [3]),
        (f"{TF}print(print(1))\n", [2]),
    ],
    "R05": [
        (f"{SGD}opts = [opt]\nopts[0].minimize(loss, w)\n", [3]),
        (f"{SGD}opts = [opt]\nopts[0].learning_rate = 1\n", [3]),
        (f"{DATA}def f(d):\n    for x in d.take(3): train(x)\nf(ds)\n", [12]),
        (f"{TF}first = tf.optimizers.SGD(0.1)\nopt = first\n{STEP}", [3]),
        ("""\
         import tensorflow as tf
         for fold in range(3):
             opt = tf.optimizers.SGD(0.1)
             @tf.function
             def f(p):
                 opt.apply_gradients(p)
         """, [3]),
        (f"{TF}def make():\n    return tf.optimizers.SGD(0.1)\nopt = make()\n", [3]),
        (f"{SGD}opts = {{'g': opt}}\n", [3]),
        (f"{TF}opts = [tf.optimizers.SGD(0.1)]\n", [2]),
        (f"{TF}opts = [tf.optimizers.SGD(0.1) for _ in range(3)]\n", [2]),
        (f"{TF}for i in range(3):\n    opt = tf.optimizers.SGD(0.1)\n", [3]),
        (f"{TF}model.compile(tf.optimizers.SGD(0.1))\n", [2]),
        (f"{TF}a, b = tf.optimizers.SGD(0.1), tf.optimizers.Adam(0.1)\n", [2, 2]),
        (f"{SGD}def f(o):\n    o.apply_gradients(p)\nf(opt)\n", [5]),
        (f"{TF}a = b = tf.optimizers.SGD(0.1)\n", [2]),
        (f"{SGD}class A:\n    def __init__(self):\n        self.opt = opt\n", [5]),
        (f"{DATA}b = ds\nfor x in b.take(3):\n    train(x)\n", [10]),
        (f"{DATA}for x in tf.data.Dataset.range(9).take(3):\n    train(x)\n", [10]),
        (f"{DATA}def f(d: tf.data.Dataset):\n    for x in d.take(3): train(x)\nf(ds)\n", [12]),
        (f"{TF}it = iter(tf.data.Dataset.range(9))\n", [2]),
    ],
    "R06": [
        (f"{DATA}ds = None\n", [10]),
        (f"{TF}c = tf.train.Checkpoint()\nopt = tf.optimizers.SGD(0.1)\nopt = c.optimizer\n", [4]),
        (f"{SGD}opt = wrap(opt)\n{STEP}", [3]),
        (f"{TF}ds = tf.data.Dataset.range(9)\nds = iter(ds)\n", [3]),
    ],
    "R07": [
        (f"{TF}if x:\n    opt = tf.optimizers.SGD(0.1)\nelse:\n    opt = tf.optimizers.Adam(0.1)\n",
         [3, 5]),
        (f"{TF}if x:\n    opt = tf.optimizers.SGD(0.1)\n", [3]),
        (f"{TF}opt = tf.optimizers.SGD(0.1) if x else tf.optimizers.Adam(0.1)\n", [2, 2]),
        (f"{TF}opt = None\nif x:\n    opt = tf.optimizers.SGD(0.1)\n{STEP}", [4]),
        (f"{TF}def f(opt=None):\n    opt = opt or tf.optimizers.SGD(0.1)\n", [3]),
        (f"{TF}try:\n    opt = tf.optimizers.AdamW(1)\nexcept E:\n    opt = tf.optimizers.SGD(1)\n",
         [5]),
        (f"{TF}match x:\n    case 1:\n        ds = tf.data.Dataset.range(3)\n", [4]),
        (f"{TF}if x:\n    model.compile(tf.optimizers.SGD(0.1))\n", [3]),
    ],
    "R08": [
        (f"{SGD}def f(p):\n    return opt.apply_gradients(p)\n", [4]),
        (f"{SGD}def f(p):\n    print(opt.apply_gradients(p))\n", [4]),
        (f"{SGD}def f(p):\n    n, m = opt.apply_gradients(p), 1\n", [4]),
        (f"{SGD}def f(p):\n    assert opt.apply_gradients(p)\n", [4]),
    ],
    "R09": [
        (f"{TF}def f():\n    opt.apply_gradients(p)\nopt = tf.optimizers.SGD(0.1)\nf()\n", [4]),
        (f"{SGD}{STEP}opt = tf.optimizers.Adam(0.1)\n", [9]),
        (f"{TF}opt = None\ndef build():\n    global opt\n    opt = tf.optimizers.SGD(0.1)\n"
         "def f():\n    opt.apply_gradients(p)\n", [5]),
        (f"{SGD}opt = wrap(opt)\n{STEP}", [3]),
    ],
    "R10": [
        (f"{TF}ckpts = [tf.train.Checkpoint()]\nckpts[0].save('x')\n", [2]),
        (f"{TF}def f(c):\n    c.save('x')\nf(tf.train.Checkpoint())\n", [4]),
        (f"{TF}ckpt = tf.train.Checkpoint()\nother = ckpt\nother.save('x')\n", [3]),
        (f"{TF}tf.train.Checkpoint().save('x')\n", [2]),
        (f"{TF}tf.train.Checkpoint().restore('x')\n", [2]),
        (f"{TF}def make():\n    return tf.train.Checkpoint()\nmake().save('x')\n", [3]),
        (f"{TF}man = tf.train.CheckpointManager(tf.train.Checkpoint(), 'x', 3)\n", [2]),
        (f"{TF}for i in x:\n    ckpt = tf.train.Checkpoint()\n    ckpt.save('x')\n", [3]),
    ],
}  # fmt: skip

VIOLATED = {
    "R01": [
        (f"print('start')\n{TF}", [2]),
        (f"import numpy as np\nnp.save('x', 1)\n{TF}", [3]),
        (f"if x:\n    {TF}else:\n    import tensorflow.compat.v1 as tf\n", [2, 4]),
    ],
    "R02": [
        ("import importlib\ntf = importlib.import_module('tensorflow')\n", [2]),
        ("tf = __import__('tensorflow.keras')\n", [1]),
        ("try:\n    import tensorflow as tf\nexcept ImportError:\n    tf = None\n", [4]),
        (f"{TF}tf2 = tf\nif x:\n    tf2 = None\n", [2]),
        (f"{TF}def f(lib):\n    lib.ones(3)\nf(tf)\n", [4]),
    ],
    "R03": [
        (f"{TF}opts = {{'adam': tf.optimizers.Adam}}\n", [2]),
        (f"{TF}opts = [tf.optimizers.Adam]\n", [2]),
        (f"{TF}opt = getattr(tf.keras.optimizers, name)(0.1)\n", [2]),
        (f"{TF}O = tf.optimizers.SGD if x else tf.optimizers.Adam\nopt = O()\n", [2]),
        (f"{TF}O = tf.optimizers.SGD if x else tf.optimizers.Adam\nopt = O(*a)\n", [2]),
        (f"{TF}Adam = tf.optimizers.Adam\nif x:\n    Adam = mine\n", [2]),
        (f"{TF}def f(cls):\n    return cls(0.1)\nf(tf.optimizers.Adam)\n", [4]),
        (f"{TF}from functools import partial\nA = partial(tf.optimizers.Adam, 0.1)\n", [3]),
        (f"{TF}def f(cls=tf.optimizers.Adam):\n    return cls(0.1)\n", [2]),
    ],
    "R04": [
        (f"{TF}print(*map(next, its))\n", [2]),
        (f"{TF}print(sorted(x, key=lambda a: a.pop()))\n", [2]),
        (f"{TF}def f(x):\n    x.pop()\nprint(sum(map(f, x)), apply(f))\n", [4]),
        (f"{TF}print(items.pop())\n", [2]),
        (f"{TF}print(f'{{next(x)}}')\n", [2]),
        (f"{TF}tf.print(x.assign_add(1))\n", [2]),
        (f"{TF}print(n := 3)\n", [2]),
        (f"{TF}def f():\n    items.append(1)\nprint(f())\n", [4]),
        (f"{TF}def f():\n    print((yield 1))\n", [3]),
        (f"{TF}import horovod.tensorflow as hvd\nprint(hvd.allreduce(x))\n", [3]),
        (f"{TF}y = print(next(x))\n", [2]),
    ],
    "R05": [
        (f"{TF}tf.optimizers.SGD(0.1).apply_gradients(p)\n", [2]),
        (f"{TF}tf.optimizers.SGD(0.1).minimize(loss, w)\n", [2]),
        (f"{TF}make().apply_gradients(p)\n", [2]),
        (f"{TF}opts[next(i)].apply_gradients(p)\n", [2]),
        (f"{TF}opt = tf.optimizers.get('adam')\n", [2]),
        (f"{DATA}take = ds.take\nfor x in take(3):\n    train(x)\n", [10]),
        (f"{SGD}step = opt.minimize\n", [3]),
    ],
    "R06": [
        (f"{SGD}{STEP}opt = None\n", [9]),
        (f"{SGD}opt = 3\n", [3]),
        (f"{DATA}ds = wrap(ds)\nfor x in ds.take(3):\n    train(x)\n", [10]),
        (f"{TF}class A:\n    def __init__(self):\n        self.opt = tf.optimizers.SGD(0.1)\n"
         "    def stop(self):\n        self.opt = None\n", [6]),
    ],
    "R07": [
        (f"{DATA}d = None\nif x:\n    d = tf.data.Dataset.range(9)\n"
         "for x in d.take(3):\n    train(x)\n", [12]),
        (f"{DATA}d = tf.data.Dataset.range(9) if x else mine()\n"
         "for x in d.take(3):\n    train(x)\n", [10]),
        (f"{TF}opt = 1\nif x:\n    opt = tf.optimizers.SGD(0.1)\n", [4]),
    ],
    "R08": [
        (f"{SGD}step = lambda p: opt.apply_gradients(p)\n", [3]),
        (f"{SGD}n = opt.apply_gradients(p) if x else 3\n", [3]),
        (f"{SGD}x and opt.apply_gradients(p)\n", [3]),
        (f"{SGD}all(opt.apply_gradients(p) for p in x)\n", [3]),
        (f"{SGD}if opt.apply_gradients(p):\n    pass\n", [3]),
        (f"{SGD}with tf.control_dependencies([opt.apply_gradients(p)]):\n    pass\n", [3]),
        (f"{SGD}apply = opt.apply_gradients\n", [3]),
        (f"{SGD}getattr(opt, 'apply_gradients')(p)\n", [3]),
        (f"{SGD}tf.optimizers.SGD.apply_gradients(opt, p)\n", [3]),
        (f"{TF}class A(tf.optimizers.Adam):\n    def apply_gradients(self, p):\n"
         "        return super().apply_gradients(p)\n", [4]),
    ],
    "R09": [
        (f"{SGD}{STEP}opt = None\ntrain(1)\nopt = 3\n", [11]),
    ],
    "R10": [
        (f"{TF}ckpt = tf.train.Checkpoint()\nsave = ckpt.save\n", [3]),
    ],
}  # fmt: skip


@pytest.mark.parametrize(("code", "text"), [(c, t) for c, texts in CLEAN.items() for t in texts])
def test_what_keeps_to_the_restriction(write: Write, code: str, text: str) -> None:
    assert of(write, code, text) == []


@pytest.mark.parametrize(
    ("code", "text", "lines"), [(c, t, lines) for c, ts in LIFTED.items() for t, lines in ts]
)
def test_what_the_analysis_lifts(write: Write, code: str, text: str, lines: list[int]) -> None:
    assert of(write, code, text) == [f"lifted {line}" for line in lines]


@pytest.mark.parametrize(
    ("code", "text", "lines"), [(c, t, lines) for c, ts in VIOLATED.items() for t, lines in ts]
)
def test_what_remains(write: Write, code: str, text: str, lines: list[int]) -> None:
    assert of(write, code, text) == [f"violated {line}" for line in lines]


def test_every_restriction_is_tried_in_every_way() -> None:
    assert set(TITLES) == set(CLEAN) == set(LIFTED) == set(VIOLATED)


def test_more_clean_than_violated_examples() -> None:
    assert sum(map(len, CLEAN.values())) > sum(map(len, VIOLATED.values()))


@pytest.mark.parametrize("text", ["", "x = 1\n", "import os\nprint(os.getcwd())\n", f"{SGD}{STEP}"])
def test_nothing_at_all(write: Write, text: str) -> None:
    assert findings(write(text)) == []


def test_a_helper_of_a_training_program_counts(write: Write) -> None:
    files = {
        "main.py": f"from helpers import show\n{SGD}{STEP}show([1])\n",
        "helpers.py": "def show(items):\n    print(items.pop())\n",
        "other.py": "print(items.pop())\n",
    }
    assert [(f.path.name, f.code) for f in findings(write(files))] == [("helpers.py", "R04")]


def test_only_given_files_are_reported(write: Write) -> None:
    files = {"main.py": f"import helpers\n{SGD}{STEP}", "helpers.py": f"{TF}tf2 = tf\n"}
    assert findings(write(files, given=["main.py"])) == []


def test_what_another_program_assumes_does_not_count(write: Write) -> None:
    files = {"main.py": f"{SGD}opts = [opt]\n", "b/other.py": f"{TF}f()[0].minimize(loss)\n"}
    assert [f.status.value for f in findings(write(files))] == ["lifted"]


def test_a_finding_names_the_code_and_says_what_to_do(write: Write) -> None:
    repository = write(f"{TF}\nif x:\n    print(items.pop())\n")
    (found,) = findings(repository)
    assert (found.line, found.column, found.title) == (4, 4, TITLES["R04"])
    assert str(found) == (
        f"{repository.folder / 'main.py'}:4:5: R04 violated: `items.pop()` in print() may do more "
        "than give its value, so that every worker must run it, and each of them prints. Hint: "
        "Assign `items.pop()` to a name before, and print the name."
    )


def test_findings_are_sorted_by_path_and_place(write: Write) -> None:
    text = f"{TF}tf2 = tf\nprint(next(x))\nA = tf.optimizers.Adam; tf3 = tf\n"
    found = findings(write({"b.py": text, "a.py": text}))
    places = [(f.path.name, f.line, f.column) for f in found]
    assert places == sorted(places)
    assert len(places) == 8


@pytest.mark.parametrize(("call", "taker"), [
    ("A().run(opt, 1)", "the parameter one of run()"),
    ("A.run(a, opt, 1)", "the parameter one of run()"),
    ("A().run(two=opt, one=1)", "the parameter two of run()"),
    ("A().run(*x, opt)", "a parameter of run()"),
    ("A().run(1, 2, opt)", "a parameter of run()"),
])  # fmt: skip
def test_another_name_is_that_of_the_parameter_that_takes_it(
    write: Write, call: str, taker: str
) -> None:
    code = f"{SGD}class A:\n    def run(self, one, two, *more):\n        pass\n{call}\n"
    (finding,) = (found for found in findings(write(code)) if found.code == "R05")
    assert finding.message.startswith(f"{taker} is another name of the optimizer `opt`")


@pytest.mark.parametrize("made", [
    "tf.optimizers.SGD(0.1)",
    "tf.optimizers.SGD(0.1) if x else None",
    "Own(0.1)",
    "None",
    "make()",
])  # fmt: skip
def test_rules_and_restrictions_ask_the_same_whether_it_is_an_optimizer(
    write: Write, made: str
) -> None:
    own = "try:\n    class Own(tf.optimizers.SGD): pass\nexcept A:\n    class Own: pass\n"
    repository = write(f"{TF}{own}probe({made})\n")
    facts, module = repository.facts, repository.module()
    verdict = facts.roles.of(repository.probe(), module, ROLES[OPTIMIZER])
    assert Sites(facts).holds(repository.values(), OPTIMIZER) is verdict.certainty
