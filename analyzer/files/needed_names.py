"""NeededNames: what must be said in files for something to be found there, seen in their bytes."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Collection, Iterable

# What may stand between the tokens of an expression.
_BETWEEN = rb"(?:\s|\\|#[^\r\n]*[\r\n])*"
_FAILURES = (SyntaxError, ValueError, RecursionError, MemoryError)
_DOT = rb"\." + _BETWEEN


class NeededNames:
    """``needed`` are lists of names, with blanks between them, of one of which all must be there;
    ``x|y`` is x or y. ``.x`` is the attribute x, ``x=`` an argument; ``x`` is a name that code may
    mean something of a library by: an attribute, what is imported, a string, or, where names are
    imported without saying them, any. With no ``needed`` at all nothing must be there."""

    def __init__(self, needed: Iterable[str]) -> None:
        self._needed = [[set(each.split("|")) for each in names.split()] for names in needed]
        names = {name for alike in self._needed for each in alike for name in each}
        self._names = [(name, name.strip(".=").encode()) for name in sorted(names)]

    def seen_in(self, data: bytes, imports: bytes) -> frozenset[str]:
        """Those of all names that are in a file; ``imports`` is the text of its imports."""
        return frozenset(
            name
            for name, word in self._names
            if word in data and _is_said(name, word, data, imports)
        )

    def spelled_in(self, data: bytes, imports: bytes, seen: frozenset[str]) -> frozenset[str]:
        """Those of the names ``seen`` in a file that its code says, and not only a comment, or a
        string that is no name; all of them, if it is no Python of this version."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                tree = ast.parse(data)
            except _FAILURES:
                return seen
        starred = b"*" in imports
        loads = b"import_module" in data or b"__import__" in data
        said: set[str] = set()
        # What another function is given is the name of no module.
        given = {
            id(argument)
            for node in ast.walk(tree)
            if loads and isinstance(node, ast.Call) and not _may_import(node.func)
            for argument in node.args
        }
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute):
                said |= {f".{node.attr}", node.attr}
            elif isinstance(node, ast.keyword):
                said.add(f"{node.arg}=")
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                said.add(node.value)
                said |= {*node.value.split(".")} if loads and id(node) not in given else set()
            elif isinstance(node, ast.alias):
                said |= {*node.name.split(".")}
            elif isinstance(node, ast.ImportFrom):
                said |= {*(node.module or "").split(".")}
            elif starred and isinstance(node, ast.Name):
                said.add(node.id)
        return seen & said

    def suffice(self, seen: Collection[str]) -> bool:
        """Whether what files have, together, is what must be there."""
        return not self._needed or any(
            all(not each.isdisjoint(seen) for each in names) for names in self._needed
        )


def _is_said(name: str, word: bytes, data: bytes, imports: bytes) -> bool:
    named = rb"\b%b\b" % re.escape(word)
    if name.startswith("."):
        return re.search(_DOT + named, data) is not None
    if name.endswith("="):
        return re.search(named + _BETWEEN + rb"=", data) is not None
    if re.search(rb"(?:%b|[\"'])%b" % (_DOT, named), data) is not None:
        return True
    return re.search(named, data if b"*" in imports else imports) is not None


def _may_import(function: ast.expr) -> bool:
    name = getattr(function, "attr", "") or getattr(function, "id", "import")
    return any(word in name.lower() for word in ("import", "load", "lazy"))
