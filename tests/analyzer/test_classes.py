"""The classes of a repository, and what each of their bases may be."""

from __future__ import annotations

import pytest
from repository import MODEL, OPTIMIZER, Repository, Write

from pinsetter.analyzer.library.hierarchy import ClassHierarchy
from pinsetter.analyzer.values.class_bases import declared_classes

TF = "import tensorflow as tf\n"
M = "tensorflow.keras.Model"
Bases = list[tuple[str, tuple[str, ...], bool]]


def bases(repository: Repository, name: str = "main.N") -> Bases:
    evaluator = repository.evaluator
    found = declared_classes(evaluator.modules, evaluator.evaluate)
    return [(b.text, b.names, b.certain) for c in found if c.name == name for b in c.bases]


def hierarchy(repository: Repository) -> ClassHierarchy:
    return repository.evaluator.hierarchy


# ---------------------------------------------------------------- no base, or nothing known of it


@pytest.mark.parametrize(
    ("code", "wanted"),
    [
        ("class N: pass\n", []),
        ("class N(): pass\n", []),
        ("class N[T]: pass\n", []),
        ("class N(metaclass=M): pass\n", []),
        (f"{TF}class N(metaclass=tf.keras.Model): pass\n", []),
        ("class N(**options): pass\n", []),
        ("class N(wrap(A)): pass\n", [("wrap(A)", (), False)]),
        ("class N(*made): pass\n", [("*made", (), False)]),
        ("class N(A,\n        # all\n        B()): pass\n", [("A", (), False), ("B()", (), False)]),
        ("class N(wrap(A,  # one\n    B)): pass\n", [("wrap(A,B)", (), False)]),
        ("class N(type('A', (object,), {})): pass\n",
         [("type('A', (object,), {})", (), False)]),
        ("N = type('N', (object,), {})\n", []),
    ],
)  # fmt: skip
def test_nothing_known(write: Write, code: str, wanted: Bases) -> None:
    assert bases(write(code)) == wanted
    assert not hierarchy(write(code)).isa("main.N", MODEL)


# ---------------------------------------------------------------- bases


@pytest.mark.parametrize(
    ("code", "wanted"),
    [
        ("class N(tf.keras.Model): pass\n", ("tf.keras.Model", (M,), True)),
        ("class N(tf.keras.Model, metaclass=X): pass\n", ("tf.keras.Model", (M,), True)),
        ("B = tf.keras.Model\nclass N(B): pass\n", ("B", (M,), True)),
        ("k = tf.keras\nclass N(k.Model): pass\n", ("k.Model", (M,), True)),
        ("class A(tf.keras.Model): pass\nclass N(A[int]): pass\n", ("A[int]", ("main.A",), True)),
        ("class A[T](tf.keras.Model): pass\nclass N(A[int]): pass\n",
         ("A[int]", ("main.A",), True)),
        ("class O:\n    class I: pass\nclass N(O.I): pass\n", ("O.I", ("main.O.I",), True)),
        ("import six\nclass N(six.with_metaclass(X, tf.keras.Model)): pass\n",
         ("tf.keras.Model", (M,), True)),
        ("from six import with_metaclass as w\nclass N(w(X, tf.keras.Model)): pass\n",
         ("tf.keras.Model", (M,), True)),
        ("from compat import *\nclass N(with_metaclass(X, tf.keras.Model)): pass\n",
         ("tf.keras.Model", (M,), True)),
        ("from collections import namedtuple\nclass N(namedtuple('P', 'a')): pass\n",
         ("namedtuple('P', 'a')", ("builtins.tuple",), True)),
        ("import typing\nclass N(typing.NamedTuple('P', [])): pass\n",
         ("typing.NamedTuple('P', [])", ("builtins.tuple",), True)),
        ("B = tf.keras.Model if x else object\nclass N(B): pass\n",
         ("B", ("builtins.object", M), False)),
        ("class N(tf.keras.Model if x else object): pass\n",
         ("tf.keras.Model if x else object", ("builtins.object", M), False)),
        ("if x:\n    B = tf.keras.Model\nelse:\n    B = unknown()\nclass N(B): pass\n",
         ("B", (M,), False)),
    ],
)  # fmt: skip
def test_bases(write: Write, code: str, wanted: tuple[str, tuple[str, ...], bool]) -> None:
    assert bases(write(TF + code)) == [wanted]


def test_a_base_that_a_star_brings(write: Write) -> None:
    files = {"main.py": "from nets import *\nclass N(Net): pass\n",
             "nets.py": f"{TF}class Net(tf.keras.Model): pass\n"}  # fmt: skip
    assert bases(write(files)) == [("Net", ("nets.Net",), True)]
    code = "from tensorflow.keras import *\nclass N(Model): pass\n"
    assert bases(write(code)) == [("Model", (M,), True)]


def test_a_class_that_replaces_an_imported_one(write: Write) -> None:
    files = {"main.py": "from nets import N\nclass N(N): pass\n",
             "nets.py": f"{TF}class N(tf.keras.Model): pass\n"}  # fmt: skip
    assert bases(write(files)) == [("N", ("nets.N",), True)]
    assert hierarchy(write(files)).proves("main.N", MODEL)


def test_a_class_that_a_function_makes(write: Write) -> None:
    code = f"{TF}def make(B):\n    class N(B): pass\n    return N\nmake(tf.keras.Model)\n"
    repository = write(code)
    assert bases(repository, "main.make.N") == [("B", (M,), True)]
    assert hierarchy(repository).isa("main.make.N", MODEL)
    assert hierarchy(repository).proves("main.make.N", MODEL)


# ---------------------------------------------------------------- the hierarchy of them


@pytest.mark.parametrize(
    ("code", "isa", "proved"),
    [
        ("class N(tf.keras.Model): pass\n", True, True),
        ("class Mix: pass\nclass N(Mix, tf.keras.Model): pass\n", True, True),
        ("class N(tf.keras.Model): pass\nclass N(N): pass\n", True, True),
        ("class N(tf.keras.Model): pass\nclass N(object): pass\n", True, False),
        ("try:\n    class N(tf.keras.Model): pass\nexcept E:\n    class N(object): pass\n",
         True, False),
        ("try:\n    class N(object): pass\nexcept E:\n    class N(tf.keras.Model): pass\n",
         True, False),
        ("try:\n    class N(A, tf.keras.Model): pass\n"
         "except E:\n    class N(tf.keras.Model): pass\n", True, True),
        ("class N(tf.keras.Model if x else object): pass\n", True, False),
        ("import six\nclass N(six.with_metaclass(X, tf.keras.Model)): pass\n", True, True),
        ("class A(tf.keras.Model if x else object): pass\nclass N(A): pass\n", True, False),
        ("class N(object): pass\n", False, False),
    ],
)  # fmt: skip
def test_what_derives(write: Write, code: str, isa: bool, proved: bool) -> None:
    found = hierarchy(write(TF + code))
    assert (found.isa("main.N", MODEL), found.proves("main.N", MODEL)) == (isa, proved)


def test_classes_that_only_tensorflow_1_has(write: Write) -> None:
    first = "tensorflow.compat.v1.train.Optimizer"
    found = hierarchy(write(f"{TF}class N(tf.train.AdamOptimizer): pass\n"))
    assert found.isa("main.N", first)
    assert not found.isa("main.N", OPTIMIZER)
    found = hierarchy(write(f"{TF}class N(tf.contrib.opt.LARSOptimizer): pass\n"))
    assert found.isa("main.N", first)


@pytest.mark.parametrize(
    ("code", "order"),
    [
        ("class A: pass\nclass N(A): pass\n", "N A"),
        ("class A: pass\nclass B(A): pass\nclass C(A): pass\nclass N(B, C): pass\n", "N B C A"),
        ("class R: pass\nclass X(R): pass\nclass B(X): pass\nclass C(R): pass\n"
         "class N(B, C): pass\n", "N B X C R"),
        ("class A(object): pass\nclass B(object): pass\nclass N(A, B): pass\n", "N A B object"),
        ("class A: pass\nclass B(A): pass\nclass N(A, B): pass\n", "N A B"),
        ("class N(A): pass\nclass A(N): pass\n", "N A"),
    ],
)  # fmt: skip
def test_the_order_in_which_attributes_are_looked_up(write: Write, code: str, order: str) -> None:
    found = hierarchy(write(code)).ancestors("main.N")
    assert [name.rpartition(".")[2] for name in found] == order.split()


def test_object_comes_after_the_librarys_classes(write: Write) -> None:
    code = f"{TF}class Mix(object): pass\nclass N(Mix, tf.keras.Model): pass\n"
    found = hierarchy(write(code)).ancestors("main.N")
    assert found[:3] == ["main.N", "main.Mix", M]
    assert found[-1] == "builtins.object"
