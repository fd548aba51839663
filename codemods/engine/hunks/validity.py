"""validity: hunks that are no Python, found before anybody is asked about them.

A hunk is looked at alone, with what it requires in its file, and together with all others that can
be accepted with it. The parser decides, and, for files that this Python compiles, its compiler: a
keyword argument that is repeated, or a ``return`` outside of a function, is no matter of grammar.
"""

from __future__ import annotations

import importlib
import warnings
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from operator import itemgetter
from types import CodeType
from typing import TYPE_CHECKING

from fissix.pygram import python_symbols as symbols

from pinsetter.analyzer import syntax
from pinsetter.analyzer.syntax.tree import COMPOUND, LN
from pinsetter.patterns.edits.edit import Edit, apply

from .compiling import compiled

if TYPE_CHECKING:
    from pinsetter.analyzer.names.module import Module

    from .hunk import Hunk
    from .plan import Plan

_future = importlib.import_module("__future__")
_FEATURES = sum(getattr(_future, name).compiler_flag for name in _future.all_feature_names)


@dataclass(frozen=True)
class Invalid:
    """A hunk with which its file would be no Python, and why; ``clash`` is the hunk with which it
    is none, while it is without."""

    hunk: Hunk
    reason: str
    clash: Hunk | None = None


def invalid_hunks(plan: Plan) -> list[Invalid]:
    """The hunks of a plan that must not be proposed: without them, each is Python alone, and all
    are together. What requires one of them is not named."""
    found: list[Invalid] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the compiler's, about the file's own code
        for module, hunks in plan.by_module().items():
            asked = [hunk for hunk in hunks if not hunk.follows]
            found += _File(module, plan).invalid(asked)
    return found


def why_invalid(module: Module, edits: Iterable[Edit]) -> str:
    """Why a file would be no Python with these edits; "" if it is."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return _language_of(module.source.text).why_not(_made(module, edits))


class _Language:
    """What is Python by the measure of one file: if this Python compiles the file, what it
    compiles, else what the parser takes."""

    def __init__(self, text: str) -> None:
        made = compiled(text)
        self._compiles = isinstance(made, CodeType)
        # What a file imports from __future__ counts for parts of it, too.
        self._flags = made.co_flags & _FEATURES if isinstance(made, CodeType) else 0

    def why_not(self, text: str) -> str:
        """What is against a text; "" if nothing. What compiles is not parsed, which takes longer;
        what does not is, for a parser knows better what it expected."""
        if not self._compiles:
            return _why_unparsed(text)
        made = compiled(text, self._flags)
        return (_why_unparsed(text) or made) if isinstance(made, str) else ""


@lru_cache(maxsize=4)
def _language_of(text: str) -> _Language:
    return _Language(text)


class _File:
    """The hunks of one file."""

    def __init__(self, module: Module, plan: Plan) -> None:
        self._module = module
        self._plan = plan
        self._language = _language_of(module.source.text)
        self._blocks = _Blocks(module)
        self._units: dict[str, dict[str, Hunk]] = {}
        self._groups: dict[frozenset[int], bool] = {}
        self._parts: dict[frozenset[str], bool] = {}

    def invalid(self, asked: Sequence[Hunk]) -> list[Invalid]:
        # What requires hunks of which one excludes the other is never accepted.
        asked = [hunk for hunk in asked if self._is_possible(hunk)]
        together = self._compatible(asked)
        if len(together) == len(asked) == 1:
            reason = self._why_not(asked)
            return [Invalid(asked[0], reason)] if reason else []
        found: dict[str, Invalid] = {}
        for hunk in asked:
            if self._is_part_valid(hunk):
                continue
            reason = self._why_not([hunk])
            if reason:
                found[hunk.id] = Invalid(hunk, reason)
        # What requires an invalid hunk is so for that reason, and goes with it.
        alone = [
            f
            for f in found.values()
            if not (self._unit(f.hunk).keys() - {f.hunk.id}) & found.keys()
        ]
        left = [h for h in together if not self._unit(h).keys() & found.keys()]
        return [*alone, *self._clashing(left)]

    def _is_possible(self, hunk: Hunk) -> bool:
        unit = self._unit(hunk)
        return not any(
            other.id in unit for one in unit.values() for other in self._plan.alternatives_of(one)
        )

    def _compatible(self, hunks: Sequence[Hunk]) -> list[Hunk]:
        """One of each group of alternatives, with all that has none."""
        taken: list[Hunk] = []
        ids: set[str] = set()
        for hunk in hunks:
            others = {
                h.id for one in self._unit(hunk).values() for h in self._plan.alternatives_of(one)
            }
            if not others & ids:
                taken.append(hunk)
                ids |= self._unit(hunk).keys()
        return taken

    def _clashing(self, hunks: Sequence[Hunk]) -> list[Invalid]:
        """The first that is invalid with those before it, the first without that, and so on."""
        found: list[Invalid] = []
        left = list(hunks)
        while (reason := self._why_not(left)) and left:
            good, bad = 0, len(left)  # the numbers of hunks that are, and are not, Python together
            while bad - good > 1:
                middle = (good + bad) // 2
                worse = self._why_not(left[:middle])
                good, bad, reason = (good, middle, worse) if worse else (middle, bad, reason)
            culprit = left[bad - 1]
            found.append(Invalid(culprit, reason, self._clash(left[: bad - 1], culprit)))
            left = [hunk for hunk in left if culprit.id not in self._unit(hunk)]
        return found

    def _clash(self, before: Sequence[Hunk], culprit: Hunk) -> Hunk | None:
        """The hunk that is enough to make another one invalid, the nearest first."""
        near = sorted(before, key=lambda hunk: abs(hunk.line - culprit.line))
        return next((hunk for hunk in near if self._why_not([hunk, culprit])), None)

    def _unit(self, hunk: Hunk) -> dict[str, Hunk]:
        """A hunk, and what it requires in its file."""
        if hunk.id not in self._units:
            required = self._plan.required_by(hunk)
            unit = [hunk, *(other for other in required if other.module is self._module)]
            self._units[hunk.id] = {one.id: one for one in unit}
        return self._units[hunk.id]

    def _edits(self, hunks: Iterable[Hunk]) -> list[Edit]:
        every = {id: one for hunk in hunks for id, one in self._unit(hunk).items()}
        return [edit for hunk in every.values() for edit in hunk.edits]

    def _is_part_valid(self, hunk: Hunk) -> bool:
        """Whether the statements that a hunk touches are Python with it, each without all others.
        If not, they may need the others: names that are `nonlocal`, what a decorator is for."""
        # Many hunks may require each other.
        unit = frozenset(self._unit(hunk))
        if unit not in self._parts:
            groups = self._blocks.groups(self._edits([hunk]))
            self._parts[unit] = all(map(self._is_group_valid, groups))
        return self._parts[unit]

    def _is_group_valid(self, edits: Sequence[Edit]) -> bool:
        # Many hunks may require the same ones.
        key = frozenset(map(id, edits))
        if key not in self._groups:
            try:
                made = _made(self._module, [*edits, *self._blocks.others(edits)])
                self._groups[key] = not self._language.why_not(made)
            except ValueError:
                self._groups[key] = False
        return self._groups[key]

    def _why_not(self, hunks: Sequence[Hunk]) -> str:
        return self._language.why_not(_made(self._module, self._edits(hunks)))


class _Blocks:
    """The statements of a file, block by block."""

    def __init__(self, module: Module) -> None:
        self._tree = module.tree
        self._known: dict[int, tuple[list[LN], list[int], int]] = {}

    def groups(self, edits: Iterable[Edit]) -> Iterator[list[Edit]]:
        """The edits by the innermost statements that all of what they belong to lies within."""
        return self._groups(self._tree.root, [(_extent(edit), edit) for edit in edits])

    def _groups(self, block: LN, edits: list[tuple[tuple[int, int], Edit]]) -> Iterator[list[Edit]]:
        statements, starts, _ = self._block(block)
        found: dict[int, list[tuple[tuple[int, int], Edit]]] = {}
        within: dict[int, int] = {}  # the number of the last statement of each group
        first = -1
        for extent, edit in sorted(edits, key=itemgetter(0)):
            start, end = extent[0], max(extent[0], extent[1] - 1)
            number, last = (bisect_right(starts, at) - 1 for at in (start, end))
            if not found or number > within[first]:
                first = number
                found[first], within[first] = [], last
            found[first].append((extent, edit))
            within[first] = max(within[first], last)
        for number, group in found.items():
            suite = None
            if number == within[number] >= 0:
                suite = self._suite(statements[number], [extent for extent, _ in group])
            if suite is None:
                yield [edit for _, edit in group]
            else:
                yield from self._groups(suite, group)

    def others(self, edits: Sequence[Edit]) -> list[Edit]:
        """The edits that remove all statements which ``edits`` do not touch, and which are not
        around one that they touch."""
        extents = [_extent(edit) for edit in edits]
        return [Edit(start, end, "") for start, end in self._untouched(self._tree.root, extents)]

    def _untouched(self, block: LN, extents: list[tuple[int, int]]) -> list[tuple[int, int]]:
        statements, starts, end = self._block(block)
        touched = sorted({
            number
            for first, last in extents
            for number in range(max(0, bisect_left(starts, first) - 1), bisect_right(starts, last))
        })  # fmt: skip
        found: list[tuple[int, int]] = []
        at = 0
        for number in [*touched, len(statements)]:
            if number > at:
                found.append((starts[at], starts[number] if number < len(starts) else end))
            at = number + 1
        for number in touched:
            following = starts[number + 1] if number + 1 < len(starts) else end
            inside = [(a, b) for a, b in extents if a < following and b > starts[number]]
            suite = self._suite(statements[number], inside)
            if suite is not None:
                found += self._untouched(suite, inside)
        return found

    def _suite(self, statement: LN, extents: list[tuple[int, int]]) -> LN | None:
        """The block of a statement that all of some extents lie within, if there is one."""
        for suite in _suites(statement) if extents else ():
            _, starts, end = self._block(suite)
            if starts and all(starts[0] < first and last < end for first, last in extents):
                return suite
        return None

    def _block(self, block: LN) -> tuple[list[LN], list[int], int]:
        """The statements of a block, where the lines begin that they begin on, and its end."""
        if id(block) not in self._known:
            tree = self._tree
            nodes = [
                n for n in block.children if n.type in COMPOUND or n.type == symbols.simple_stmt
            ]
            starts = [tree.line_start(tree.start(node)) for node in nodes]
            self._known[id(block)] = nodes, starts, tree.end(nodes[-1]) if nodes else 0
        return self._known[id(block)]


def _suites(statement: LN) -> Iterable[LN]:
    for child in statement.children:
        if child.type == symbols.suite:
            yield child
        elif child.type in COMPOUND or child.type == symbols.case_block:
            yield from _suites(child)


def _extent(edit: Edit) -> tuple[int, int]:
    """What an edit belongs to. Whole lines between others have a construct that begins with the
    file, to which they do not belong."""
    start, end = edit.outer
    if start == 0 and end <= edit.start:
        return edit.start, edit.end
    return min(start, edit.start), max(end, edit.end)


def _made(module: Module, edits: Iterable[Edit]) -> str:
    return apply(module.source.text, edits)


def _why_unparsed(text: str) -> str:
    try:
        syntax.parse(text)
    except syntax.SyntaxProblem as problem:
        said = problem.reason.removeprefix("cannot be parsed: ")
        return f"{said} (line {problem.line} of the result)"
    return ""
