"""What annotations say of variables, attributes, parameters and results."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from pinsetter.analyzer.facts import Facts
from pinsetter.analyzer.library import load
from pinsetter.analyzer.names.project import Project
from pinsetter.analyzer.values.value import Values

CODE = """\
import typing as t
from typing import Optional


class C:
    a: "C"
    none: Optional["C"] = None
    items: list["C"]

    def __init__(self, both: "C | D", unknown: "Nothing", args: "*C"):
        self.stored: C = make()
        self.both = both
        self.unknown = unknown
        self.args = args

    def same(self) -> "C":
        return unknown()

    def maybe(self) -> Optional["C"]: ...

    def union(self) -> t.Union[C, "D"]: ...

    def literal(self) -> t.Literal["C"]: ...

    def cls(self) -> t.Type["C"]: ...

    async def later(self) -> "C": ...

    def each(self) -> "C":
        yield 1

    @property
    def own(self) -> t.Annotated[C, 1]:
        return unknown()

    @odd
    def decorated(self) -> C: ...

    def other(self) -> "C":
        return D()


class D:
    pass


given: t.Final[C] = load()
several: C = load()
several = other()
plain: D = C()


def f() -> C: ...


def g(c: C, *rest: C, key: "Optional[D]" = None):
    result = EXPRESSION
"""


def values(expression: str) -> Values:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "m.py"
        path.write_text(CODE.replace("EXPRESSION", expression))
        facts = Facts(Project([path]))
        module = facts.project.given[0]
        leaf = module.leaves_of("result")[0]
        return facts.evaluator.lookup("result", module.scope_of(leaf), module)


def names(found: Values) -> list[str]:
    assert all(value.instance for value in found.known)
    return sorted(value.name.removeprefix("m.") for value in found.known)


@pytest.mark.parametrize(
    "expression",
    ["c.unknown", "c.args", "c.literal()", "c.cls()", "c.later()", "c.each()", "rest", "c.odd"],
)
def test_what_is_not_known(expression: str) -> None:
    assert not names(values(expression))


@pytest.mark.parametrize(
    ("expression", "classes", "complete"),
    [
        ("c.a", ["C"], True),
        ("c.stored", ["C"], True),
        ("c.both", ["C", "D"], True),
        ("c.same()", ["C"], True),
        ("c.same().same().stored.a", ["C"], True),
        ("c.maybe()", ["C"], False),
        ("c.union()", ["C", "D"], True),
        ("c.own", ["C"], True),
        ("c.decorated()", ["C"], False),
        ("given", ["C"], True),
        ("several", ["C"], True),
        ("f()", ["C"], True),
        ("key", ["D"], False),
        # What the code does is known better than what is said of it.
        ("c.other()", ["D"], True),
        ("plain", ["C"], True),
    ],
)
def test_what_annotations_say(expression: str, classes: list[str], complete: bool) -> None:
    found = values(expression)
    assert names(found) == classes
    assert found.complete == complete


def test_what_packs_say_of_libraries() -> None:
    types = {"lib.make()": "lib.A", "lib.A.copy()": "lib.A", "lib.A.of": "lib.B"}
    library = load().declaring([], types)
    assert library.returns("lib.make") == "lib.A"
    assert library.returns("lib.A.copy") == "lib.A"
    assert library.held == {"lib.A.of": "lib.B"}
    assert {"lib.A", "lib.B"} <= library.declared
    assert load().returns("lib.make") is None
