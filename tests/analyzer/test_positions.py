"""Where calls take parameters, by the signatures of what they may call."""

from __future__ import annotations

import pytest
from repository import Write

from pinsetter.analyzer.library.stubs import position

F = "def f(a, b, c=1, *d, k=2): pass\n"
C = "class C:\n    def __init__(self, a, b): pass\n    def m(self, x, y): pass\n"
STATIC = "class C:\n    @staticmethod\n    def m(x, y): pass\n"
CLASS = "class C:\n    @classmethod\n    def m(cls, x, y): pass\n"


def place(write: Write, code: str, parameter: str, method: str = "f") -> int | None:
    repository = write(code)
    return repository.facts.position(parameter, repository.call(method), repository.module())


@pytest.mark.parametrize(("code", "parameter"), [
    ("f(1)", "a"),
    (F + "f(1)", "d"),
    (F + "f(1)", "k"),
    (F + "f(1)", "z"),
    ("def f(a, /): pass\nf(1)", "a"),
    ("def f(**a): pass\nf(1)", "a"),
    ("@wrapped\n" + F + "f(1)", "a"),
    ("f = g(h)\nf(1)", "a"),
    ("def f(a, b): pass\nif x:\n    def f(b, a): pass\nf(1)", "a"),
    ("def f(a): pass\nif x:\n    f = g()\nf(1)", "a"),
    ("class C:\n    def __init__(self, a): pass\n@dataclass\nclass f(C): b: int = 1\nf(1)", "a"),
    ("class f:\n    def __new__(cls, b, a): pass\n    def __init__(self, a, b): pass\nf(1)", "a"),
    ("class f: pass\nf(1)", "a"),
    ("from elsewhere import f\nf(1)", "a"),
    ("def f((a, b), c): pass\nf(1)", "a"),
    (C + "(C if x else C(1, 2)).f(3)", "x"),
])  # fmt: skip
def test_what_has_no_known_place(write: Write, code: str, parameter: str) -> None:
    assert place(write, code, parameter) is None


@pytest.mark.parametrize(("code", "method", "parameter", "index"), [
    (F + "f(1)", "f", "a", 0),
    (F + "f(1)", "f", "c", 2),
    (F + "g = f\ng(1)", "g", "b", 1),
    ("async " + F + "f(1)", "f", "b", 1),
    ("def f(a, b): pass\nif x:\n    def f(z, b): pass\nf(1)", "f", "b", 1),
    (C + "C(1)", "C", "b", 1),
    (C + "class D(C): pass\nD(1)", "D", "b", 1),
    (C + "C(1, 2).m(3)", "m", "y", 1),
    (C + "C.m(c, 3)", "m", "y", 2),
    (C + "C.m(c, 3)", "m", "self", 0),
    (C + "class D(C):\n    def n(self): self.m(3)", "m", "x", 0),
    (STATIC + "C.m(3)", "m", "y", 1),
    (STATIC + "C().m(3)", "m", "y", 1),
    (CLASS + "C.m(3)", "m", "y", 1),
    (CLASS + "C().m(3)", "m", "y", 1),
    ("open(f)", "open", "encoding", 3),
    ("import logging\nlogging.log(1, 2)", "log", "msg", 1),
    ("import subprocess\nsubprocess.run(a)", "run", "args", 0),
    ("import logging\nlogging.getLogger().log(1, 2)", "log", "msg", 1),
    ("import tensorflow as tf\ntf.keras.optimizers.Adam(1)", "Adam", "learning_rate", 0),
])  # fmt: skip
def test_places(write: Write, code: str, method: str, parameter: str, index: int) -> None:
    assert place(write, code, parameter, method) == index


@pytest.mark.parametrize(("name", "parameter", "index"), [
    ("nothing.here", "a", None), ("logging", "a", None), ("logging.nothing", "a", None),
    ("logging.Logger.nothing", "a", None), ("logging.Logger.name", "a", None),
    ("logging.info", "stacklevel", None),  # by name only
    ("logging.Logger", "level", 1), ("logging.FileHandler", "mode", 1),
    ("collections.OrderedDict.popitem", "last", 0), ("unittest.TestCase.assertEqual", "msg", 2),
    ("os.path.join", "a", None), ("json.dumps", "obj", 0), ("datetime.datetime.now", "tz", 0),
    ("pathlib.Path.open", "encoding", 2), ("re.sub", "count", 3), ("re.sub", "flags", 4),
    ("threading.Thread", "target", 1), ("dict.fromkeys", "a", None), ("shutil.copyfile", "dst", 1),
])  # fmt: skip
def test_places_of_the_standard_library(name: str, parameter: str, index: int | None) -> None:
    assert position(name, parameter) == index
