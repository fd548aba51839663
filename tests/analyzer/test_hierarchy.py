"""ClassHierarchy: subclasses over the repository and the library."""

from __future__ import annotations

import random

import pytest
from repository import ADAM, MODEL, OPTIMIZER, SGD, Write

from pinsetter.analyzer.library import load
from pinsetter.analyzer.library.hierarchy import ClassHierarchy
from pinsetter.analyzer.library.linearization import linearized
from pinsetter.analyzer.values.value import Certainty


@pytest.fixture
def hierarchy() -> ClassHierarchy:
    return ClassHierarchy(load())


# ---------------------------------------------------------------- what is not a subclass


@pytest.mark.parametrize(
    ("name", "ancestor"),
    [
        (OPTIMIZER, ADAM),
        (SGD, ADAM),
        ("unknown.Adam", OPTIMIZER),
        ("unknown.Adam", "unknown.Optimizer"),
        ("Adam", OPTIMIZER),
        ("", OPTIMIZER),
        (MODEL, OPTIMIZER),
        ("tensorflow.keras.optimizers", OPTIMIZER),
        (f"{ADAM}.minimize", OPTIMIZER),
    ],
)
def test_what_does_not_derive(hierarchy: ClassHierarchy, name: str, ancestor: str) -> None:
    assert not hierarchy.isa(name, ancestor)


def test_an_unknown_class_is_only_itself(hierarchy: ClassHierarchy) -> None:
    assert "unknown.Adam" not in hierarchy
    assert hierarchy.ancestors("unknown.Adam") == ["unknown.Adam"]
    assert hierarchy.descendants("unknown.Adam") == []


def test_a_circle_of_bases_ends(hierarchy: ClassHierarchy) -> None:
    hierarchy.add("m.A", ["m.B"])
    hierarchy.add("m.B", ["m.A", ADAM])
    assert set(hierarchy.ancestors("m.A")) >= {"m.A", "m.B", ADAM, OPTIMIZER}
    assert hierarchy.descendants("m.A") == ["m.B"]


# ---------------------------------------------------------------- what is one


@pytest.mark.parametrize(
    ("name", "ancestor"),
    [
        (ADAM, ADAM),
        (ADAM, OPTIMIZER),
        ("keras.optimizers.Adam", "tensorflow.optimizers.Optimizer"),
        ("tensorflow.keras.Sequential", "keras.Model"),
        ("unknown.Adam", "unknown.Adam"),
    ],
)
def test_what_derives(hierarchy: ClassHierarchy, name: str, ancestor: str) -> None:
    assert hierarchy.isa(name, ancestor)


def test_classes_added_later_count_for_what_was_asked_before(hierarchy: ClassHierarchy) -> None:
    hierarchy.add("m.Mine", ["m.Base"])
    assert not hierarchy.isa("m.Mine", OPTIMIZER)
    hierarchy.add("m.Base", ["keras.optimizers.Adam"])
    assert hierarchy.isa("m.Mine", OPTIMIZER)
    assert hierarchy.ancestors("m.Mine")[:3] == ["m.Mine", "m.Base", ADAM]
    assert "m.Mine" in hierarchy.descendants(OPTIMIZER)


def test_a_class_of_a_folder_called_keras_is_the_repositorys(hierarchy: ClassHierarchy) -> None:
    hierarchy.add("keras.train.Base", [])
    hierarchy.add("keras.train.Net", ["keras.train.Base", "keras.Model"])
    assert hierarchy.isa("keras.train.Net", MODEL)
    assert hierarchy.isa("keras.train.Net", "keras.train.Base")
    assert not hierarchy.isa("keras.train.Base", MODEL)


# ---------------------------------------------------------------- over files


NET = "import tensorflow as tf\nclass Net(tf.keras.Model):\n    pass\n"


@pytest.mark.parametrize(
    "files",
    [
        {"main.py": "from nets import Net\nprobe(Net())", "nets.py": "class Net: pass"},
        {"main.py": "from nets import Net\nprobe(Net)", "nets.py": "Net = 1"},
        {"main.py": "from nets import Net\nprobe(Net())", "nets.py": "from other import Net"},
        {"main.py": "from nets import Net\nprobe(Net())", "nets.py": "def Net(): pass"},
        {"main.py": "class Model: pass\nclass Net(Model): pass\nprobe(Net())"},
        {"main.py": "class Net(Model): pass\nprobe(Net())"},
        {"main.py": "import tensorflow as tf\nclass Net(metaclass=tf.keras.Model): pass\n"
         "probe(Net())"},
        {"main.py": "import tensorflow as tf\nclass Net(tf.keras.Model()): pass\nprobe(Net())"},
        {"a/main.py": "from nets import Net\nprobe(Net())", "a/nets.py": "class Net: pass",
         "b/nets.py": NET, "main.py": ""},
    ],
)  # fmt: skip
def test_classes_that_are_no_model(write: Write, files: dict[str, str]) -> None:
    file = next(name for name, text in files.items() if "probe" in text)
    assert write(files).isa(MODEL, file) is Certainty.NO


@pytest.mark.parametrize(
    "files",
    [
        {"main.py": f"{NET}probe(Net())"},
        {"main.py": f"{NET}class Sub(Net): pass\nprobe(Sub())"},
        {"main.py": f"class Sub(Base): pass\n{NET}Base = Net\nprobe(Sub())"},
        {"main.py": "from nets import Net\nprobe(Net())", "nets.py": NET},
        {"main.py": "import nets\nclass Sub(nets.Net): pass\nprobe(Sub())", "nets.py": NET},
        {"main.py": "from nets import *\nprobe(Net())", "nets.py": NET},
        {"main.py": "from nets import Net\nprobe(Net())", "nets/net.py": NET,
         "nets/__init__.py": "from .net import Net"},
        {"main.py": "import nets.net as n\nprobe(n.Net())", "nets/__init__.py": "",
         "nets/net.py": "from .base import Net\nclass Net(Net): pass", "nets/base.py": NET},
        {"main.py": "import nets.net\nprobe(nets.net.Net())", "nets/net.py": NET},
        {"main.py": "from src.nets import Net\nprobe(Net())", "src/nets.py": NET},
        {"main.py": "from nets import Net\nprobe(Net())", "src/nets.py": NET},
        {"a/main.py": "from nets import Net\nprobe(Net())", "a/nets.py": NET,
         "b/nets.py": "class Net: pass"},
        {"b/main.py": "from nets import Net\nprobe(Net())", "a/nets.py": "class Net: pass",
         "b/nets.py": NET},
        {"keras/main.py": f"{NET}probe(Net())"},
        {"tensorflow/main.py": f"{NET}class Sub(Net): pass\nprobe(Sub())"},
        {"main.py": "def make():\n    import tensorflow as tf\n"
         "    class Net(tf.keras.Model): pass\n    return Net()\nprobe(make())"},
    ],
)  # fmt: skip
def test_classes_that_are_models(write: Write, files: dict[str, str]) -> None:
    file = next(name for name, text in files.items() if "probe" in text)
    assert write(files).isa(MODEL, file) is Certainty.PROVED


@pytest.mark.parametrize("file", ["a/main.py", "b/main.py"])
def test_modules_of_one_name_in_two_roots_are_two(write: Write, file: str) -> None:
    files = {
        "a/main.py": "from nets import Net\nprobe(Net())\n",
        "a/nets.py": NET,
        "b/main.py": "from nets import Net\nprobe(Net())\n",
        "b/nets.py": "class Net: pass\n",
    }
    repository = write(files, given=("a", "b"))
    wanted = Certainty.PROVED if file.startswith("a") else Certainty.NO
    assert repository.isa(MODEL, file) is wanted


def test_a_base_that_may_be_two_classes_is_possible_at_most(write: Write) -> None:
    code = (
        f"{NET}if a:\n    Base = Net\nelse:\n    Base = wrap()\nclass Sub(Base): pass\nprobe(Sub())"
    )
    assert write(code).isa(MODEL) is not Certainty.NO


# ---------------------------------------------------------------- what is excluded


@pytest.mark.parametrize(
    "code",
    [
        "from keras.optimizers import Adam\nprobe(Adam())",
        "from keras.optimizers import Adam\nclass Mine(Adam): pass\nprobe(Mine())",
        "from somewhere import Base\nclass Adam(Base): pass\nprobe(Adam())",
        "from somewhere import Base\nclass Own(Base): pass\nclass Adam(Own): pass\nprobe(Adam())",
        "class Adam(make()): pass\nprobe(Adam())",
        "class Adam(*bases): pass\nprobe(Adam())",
        "try:\n    from keras.optimizers import Adam\nexcept ImportError:\n    class Adam: pass\n"
        "probe(Adam())",
        "class Adam: pass\nprobe(Adam() if x else y)",
        "probe(make())",
        "def run(optimizer):\n    probe(optimizer)",
        "probe(1)",
    ],
)
def test_what_may_be_an_optimizer(write: Write, code: str) -> None:
    repository = write(code + "\n")
    expression, module = repository.probe(), repository.module()
    assert not repository.evaluator.excludes(expression, [OPTIMIZER], module)


@pytest.mark.parametrize(
    "code",
    [
        "class Adam: pass\nprobe(Adam())",
        "class Adam(object): pass\nprobe(Adam)",
        "import abc\nclass Base(abc.ABC): pass\nclass Adam(Base): pass\nprobe(Adam())",
        "import keras\nclass Adam(keras.layers.Layer): pass\nprobe(Adam())",
        "class Adam: pass\noptimizer = None\ndef run():\n    probe(optimizer)\noptimizer = Adam()",
        "class Adam: pass\ndef run(optimizer):\n    probe(optimizer)\nrun(Adam())",
        "class Adam: pass\nclass Run:\n    def __init__(self):\n        self.optimizer = Adam()\n"
        "    def run(self):\n        probe(self.optimizer)",
    ],
)
def test_what_only_looks_like_an_optimizer(write: Write, code: str) -> None:
    repository = write(code + "\n")
    expression, module = repository.probe(), repository.module()
    assert repository.evaluator.excludes(expression, [OPTIMIZER], module)


# ---------------------------------------------------------------- the order


def test_the_order_is_python_s_for_classes_by_chance() -> None:
    chance = random.Random(5)
    contradicting = 0
    for _ in range(300):
        classes: list[type] = []
        bases: dict[str, list[str]] = {}
        for number in range(8):
            above = chance.sample(classes, chance.randint(0, min(3, len(classes))))
            name = f"C{number}"
            bases[name] = [cls.__name__ for cls in above]
            order, consistent = linearized(name, bases.__getitem__)
            try:
                made = type(name, tuple(above), {})
            except TypeError:
                contradicting += 1
                assert not consistent
                assert set(order) >= {name, *bases[name]}
                break
            classes.append(made)
            assert consistent
            assert order == [cls.__name__ for cls in made.__mro__[:-1]]
    assert 20 < contradicting < 280


def test_a_class_that_seems_to_derive_from_itself_has_an_order() -> None:
    bases = {"a": ["b", "c"], "b": ["d"], "c": ["a"], "d": ["b"]}
    assert linearized("a", bases.__getitem__) == (["a", "b", "d", "c"], False)


def test_a_long_line_of_classes_has_an_order() -> None:
    order, consistent = linearized(0, lambda number: [number + 1] if number < 2000 else [])
    assert (order, consistent) == (list(range(2001)), True)
