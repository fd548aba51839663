"""Passed: a function as other packs make it, one after the other, each of what the one before has
written.

All of them are run over the whole file, so that names mean what they mean there; of the result one
function is taken. The lines that stay stay as they are.
"""

from __future__ import annotations

import ast
import difflib
import re
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from pinsetter.analyzer.files.source import BOM
from pinsetter.analyzer.syntax.tree import LN

from ..edits.edit import Edit
from ..edits.rendering import Misfit
from ..packs.pack import Pack

if TYPE_CHECKING:
    from .module_rules import ModuleRules

Passes = Callable[[str, Pack], str]
# Of Python; a form feed ends no line.
_LINE_ENDS = re.compile(r"(?<=\n)|(?<=\r)(?!\n)")
_DEFS = (ast.FunctionDef, ast.AsyncFunctionDef)
_Range = tuple[int, int]


class PassedFile:
    """What the passes of a pack make of one file, by its functions that stand in no other."""

    def __init__(self, rules: ModuleRules) -> None:
        self._rules = rules
        whole = rules.module.source.text
        self.text = whole.removeprefix(BOM)
        self._begin = len(whole) - len(self.text)

    @cached_property
    def _result(self) -> str:
        """Raises Misfit."""
        run = self._rules.passes
        if run is None:
            raise Misfit("there is nothing that runs the passes of a pack here")
        try:
            return run(self.text, self._rules.pack)
        except ValueError as error:
            raise Misfit(str(error)) from None

    @cached_property
    def _functions(self) -> dict[int, tuple[_Range, _Range]]:
        """The lines, from 0, of each function before and after, by that in which it begins."""
        before, after = (_outermost(text) for text in (self.text, self._result))
        if [name for name, _ in before] != [name for name, _ in after]:
            raise Misfit("a pass has added a function, or taken one away")
        both = zip(before, after, strict=True)
        return {own[0]: (own, made) for (_, own), (_, made) in both}

    @property
    def imports(self) -> list[str]:
        """What the result calls those of the pack's imports that it has, and the file has not."""
        own, made = (_aliases(text) for text in (self.text, self._result))
        return sorted((made - own) & self._rules.pack.imports.keys())

    def edits(self, function: LN, rank: tuple[int, ...]) -> Iterator[Edit]:
        """Raises Misfit."""
        tree = self._rules.module.tree
        found = self._functions.get(tree.line_of(function) - 1)
        if found is None:
            raise Misfit("the function stands in another")
        (first, end), (new_first, new_end) = found
        old, new = _LINE_ENDS.split(self.text), _LINE_ENDS.split(self._result)
        starts = [self._begin]
        for line in old:
            starts.append(starts[-1] + len(line))
        outer = (starts[first], starts[end])
        matcher = difflib.SequenceMatcher(None, old[first:end], new[new_first:new_end], False)
        for tag, a, b, c, d in matcher.get_opcodes():
            if tag != "equal":
                text = "".join(new[new_first + c : new_first + d])
                begin, stop = starts[first + a], starts[first + b]
                yield Edit(begin, stop, text, outer=outer, rank=rank)


def _outermost(text: str) -> list[tuple[str, _Range]]:
    """The names of the functions that stand in no other, and their lines from ``def`` on, from 0.
    Raises Misfit."""
    try:
        waiting: list[ast.AST] = [ast.parse(text)]
    except (SyntaxError, ValueError):
        raise Misfit("the file is no Python of the version that Pinsetter runs with") from None
    found = []
    while waiting:
        node = waiting.pop(0)
        if isinstance(node, _DEFS):
            found.append((node.name, (node.lineno - 1, node.end_lineno or node.lineno)))
        elif not isinstance(node, ast.Lambda):
            waiting.extend(ast.iter_child_nodes(node))
    return sorted(found, key=lambda one: one[1])


def _aliases(text: str) -> set[str]:
    imports = (node for node in ast.parse(text).body if isinstance(node, ast.Import))
    return {one.asname for node in imports for one in node.names if one.asname is not None}
