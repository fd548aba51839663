"""What one file imports, and when."""

from __future__ import annotations

import subprocess
import sys

import pytest

from pinsetter.analyzer import syntax
from pinsetter.analyzer.names.imports import Import, imports_of


def imports(text: str) -> tuple[Import, ...]:
    return imports_of(syntax.parse(text), text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x = 1\n",
        "x = 'import a'\n",
        "importlib.import_module(name)\n",
        "import_module('')\n",
        "__import__('...')\n",
        "x.import_module\n",
    ],
)
def test_nothing(text: str) -> None:
    assert imports(text) == ()


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("import a\n", Import("a")),
        ("import a.b as c\n", Import("a.b")),
        ("from a import b as c\n", Import("a", 0, "b")),
        ("from . import b\n", Import("", 1, "b")),
        ("from ..a import *\n", Import("a", 2, "*")),
        ("try:\n    import a\nexcept E: pass\n", Import("a")),
        ("def f():\n    import a\n", Import("a")),
        ("class A:\n    import a\n", Import("a")),
        ("match x:\n    case 1:\n        import a\n", Import("a")),
        ("if TYPE_CHECKING:\n    import a\n", Import("a", when="types")),
        ("if TYPE_CHECKING:\n    pass\nelse:\n    import a\n", Import("a")),
        ("if __name__ == '__main__':\n    import a\n", Import("a", when="script")),
        ("import_module('.a')\n", Import("a", 1)),
        ("x = [importlib.import_module(name='a.b')]\n", Import("a.b")),
        ("def f():\n    return __import__('a')\n", Import("a")),
    ],
)
def test_an_import(text: str, wanted: Import) -> None:
    assert imports(text) == (wanted,)


def test_several() -> None:
    text = "x = __import__('e')\nimport a, b.c as d; from f import (g, h as i,)\n"
    assert [(found.module, found.name) for found in imports(text)] == [
        ("a", None), ("b.c", None), ("f", "g"), ("f", "h"), ("e", None),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "module",
    ["names.scopes", "syntax.tree", "names.imports", "files.import_path", "values.sources", "flow"],
)
def test_each_module_can_be_imported_first(module: str) -> None:
    command = [sys.executable, "-c", f"import pinsetter.analyzer.{module}"]
    assert subprocess.run(command, check=False).returncode == 0
