"""The facts of one file that linking needs."""

from __future__ import annotations

import subprocess
import sys

import pytest

from pinsetter.analyzer import syntax
from pinsetter.analyzer.outline import FORMAT, Import, Made, Name, Outline
from pinsetter.analyzer.outlining import outline
from pinsetter.analyzer.scopes import Scopes


def outlined(text: str) -> Outline:
    tree = syntax.parse(text)
    found = outline(tree, Scopes(tree), text)
    assert Outline.from_json(found.to_json()) == found
    return found


# ---------------------------------------------------------------- nothing to say


@pytest.mark.parametrize("text", ["", "\n", "# a\n", "'a'\n", "print 'a'\n", "1 + 2\n", "pass\n"])
def test_nothing(text: str) -> None:
    found = outlined(text)
    assert found == Outline(found.scopes)
    assert [(s.kind, s.bindings) for s in found.scopes] == [("module", ())]


@pytest.mark.parametrize("text", ["x: int\n", "x.y = 1\n", "f(x)[0] = 1\n", "[x for x in y]\n"])
def test_what_binds_nothing(text: str) -> None:
    assert outlined(text).scopes[0].bindings == ()


def test_locals_that_nothing_reads_are_left_out() -> None:
    assert outlined("def f(a):\n    b = a\n    return b\n").scopes[1].bindings == ()


def test_another_format() -> None:
    text = outlined("x = 1\n").to_json()
    with pytest.raises(ValueError, match="format"):
        Outline.from_json(text.replace(f"[{FORMAT},", f"[{FORMAT + 1},", 1))


# ---------------------------------------------------------------- imports


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("import a\n", Import("a", 0, None, None, 1, 0)),
        ("import a.b as c\n", Import("a.b", 0, None, "c", 1, 0)),
        ("from a import b as c\n", Import("a", 0, "b", "c", 1, 0)),
        ("from . import b\n", Import("", 1, "b", None, 1, 0)),
        ("from ..a import *\n", Import("a", 2, "*", None, 1, 0)),
        ("try:\n    import a\nexcept E: pass\n", Import("a", 0, None, None, 2, 0, in_try=True)),
        ("def f():\n    import a\n", Import("a", 0, None, None, 2, 1, in_function=True)),
        ("class A:\n    import a\n", Import("a", 0, None, None, 2, 1)),
        ("if TYPE_CHECKING:\n    import a\n", Import("a", 0, None, None, 2, 0, "types")),
        ("if __name__ == '__main__':\n    import a\n", Import("a", 0, None, None, 2, 0, "script")),
        ("import_module('.a')\n", Import("a", 1, None, None, 1, 0, dynamic=True)),
    ],
)
def test_an_import(text: str, wanted: Import) -> None:
    assert outlined(text).imports == (wanted,)


# ---------------------------------------------------------------- bindings and exports


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("import a.b\n", [("a", "import", True)]),
        ("x = a.b\n", [("x", "alias", True)]),
        ("x = a()\n", [("x", "other", True)]),
        ("x = None\n", [("x", "other", True)]),
        ("x, y = a, 1\n", [("x", "alias", True), ("y", "other", True)]),
        ("x = 1; x = 2\n", [("x", "other", True)]),
        ("if c:\n    x = a\nelse:\n    x = 1\n", [("x", "alias", False), ("x", "other", False)]),
        ("for x in a: pass\n", [("x", "other", False)]),
        ("def f():\n    global x\n    x = a\n", [("f", "function", True), ("x", "alias", False)]),
        ("@d\nclass A: pass\n", [("A", "class", True)]),
        ("async def f(): pass\n", [("f", "function", True)]),
        ("del x\n", [("x", "delete", False)]),
    ],
)
def test_bindings(text: str, wanted: list[tuple[str, str, bool]]) -> None:
    found = outlined(text).scopes[0].bindings
    assert sorted((b.name, b.kind, b.always) for b in found) == sorted(wanted)


@pytest.mark.parametrize(
    ("text", "exports", "known"),
    [
        ("x = 1\n", None, True),
        ("__all__ = ['a', 'b']\n", ("a", "b"), True),
        ("__all__ = ['a'] + x\n", (), False),
        ("__all__ = ['a']\n__all__ += ['b']\n", (), False),
        ("__all__ = ['a']\n__all__.append('b')\n", ("a",), False),
    ],
)
def test_exports(text: str, exports: tuple[str, ...] | None, known: bool) -> None:
    found = outlined(text)
    assert (found.exports, found.exports_known) == (exports, known)


# ---------------------------------------------------------------- classes, functions, calls


def test_classes() -> None:
    text = "def f(b):\n    @d\n    class A(b, six.with_metaclass(M, c.D), metaclass=X): pass\n"
    function, found = outlined(text).scopes[1:]
    assert (found.name, found.line, found.parent) == ("f.A", 3, 1)
    assert [(base.text, base.value) for base in found.bases] == [
        ("b", Name("b", 1)),
        ("six.with_metaclass(M, c.D)", Made(Name("six.with_metaclass"), (Name("M"), Name("c.D")))),
    ]
    assert found.decorators == (Name("d"),)
    assert [(p.name, p.takes, p.default) for p in function.parameters] == [("b", "any", False)]
    assert [b.name for b in function.bindings] == ["b"]


def test_calls_and_guards() -> None:
    text = "a.run()\ndef f(): b()\nif __name__ == '__main__':\n    f(g())\n"
    found = outlined(text)
    assert [(c.callee.path, c.line, c.guarded) for c in found.calls] == [
        ("a.run", 1, False), ("f", 4, True), ("g", 4, True),
    ]  # fmt: skip
    assert found.guards == (3,)


def test_stored_attributes() -> None:
    text = (
        "import m\nclass A:\n    def f(self):\n        self.x = m.B\n        other.y = 1\nm.z = A\n"
    )
    found = outlined(text)
    assert [(s.owner, s.attribute, s.line, s.value) for s in found.stores] == [
        (1, "x", 4, Name("m.B")), (Name("m"), "z", 6, Name("A")),
    ]  # fmt: skip


# ---------------------------------------------------------------- any file


def test_long_and_deep_files() -> None:
    lines = "".join(f"x{n} = a.b{n}\n" for n in range(10_000))
    assert len(outlined(lines).scopes[0].bindings) == 10_000
    assert outlined(f"x = [{'a.b, ' * 5_000}]\n").scopes[0].bindings[0].kind == "other"
    assert outlined("x = " + "a or (" * 80 + "b" + ")" * 80 + "\n").scopes[0].bindings


@pytest.mark.parametrize("module", ["scopes", "tree", "outline", "link", "naming", "flow"])
def test_each_module_can_be_imported_first(module: str) -> None:
    command = [sys.executable, "-c", f"import pinsetter.analyzer.{module}"]
    assert subprocess.run(command, check=False).returncode == 0
