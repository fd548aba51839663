"""rewritten: the text of one function with all that a pack proposes for it, and where its lines
come from; for a decorator, which rewrites a function when it is defined."""

from __future__ import annotations

import tempfile
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from pinsetter.patterns.edits.edit import Edit, apply
from pinsetter.patterns.edits.origins import origins
from pinsetter.patterns.packs.pack import Pack, load
from pinsetter.patterns.packs.pack_files import find

from ..decide.decisions import Decisions
from ..hunks.hunk import Hunk
from ..propose.planning import make_plan
from ..propose.rule_query import RuleQuery


@dataclass(frozen=True)
class Rewritten:
    """``lines`` are, for each line of ``text``, the line of the given text that it is made of,
    from 1; ``left`` says what was left as it was, with its line."""

    text: str
    lines: tuple[int, ...]
    left: tuple[tuple[int, str], ...]


def rewritten(
    text: str, pack: Pack, options: Sequence[str] = (), in_functions: bool = False
) -> Rewritten:
    """What a pack makes of a text, or of its functions alone. Raises ValueError for what is not
    understood."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder).resolve() / "function.py"
        path.write_bytes(text.encode("utf-8", "surrogatepass"))
        planned = make_plan([RuleQuery(pack, [], options)], [path])
    troubles = [*planned.problems, *planned.faults]
    if troubles:
        raise ValueError(str(troubles[0]))
    decisions = Decisions(planned.plan)
    for hunk in planned.plan.hunks:
        if decisions.verdict(hunk) is None and not (in_functions and not _is_in_function(hunk)):
            decisions.accept(hunk)
    edits: list[Edit] = [edit for hunk in decisions.accepted for edit in hunk.edits]
    left = tuple((report.line, report.text) for report in planned.reports)
    return Rewritten(apply(text, edits), origins(text, edits), left)


def _is_in_function(hunk: Hunk) -> bool:
    """Whether a hunk is for code of a function; imports come along with others."""
    made, tree = hunk.application, hunk.module.tree
    functions = (one.node for one in hunk.module.scopes if one.kind == "function")
    spans = (tree.span((one,)) for one in functions)
    return made is not None and any(start <= made.start < end for start, end in spans)


def in_passes(text: str, pack: Pack, options: Collection[str] = ()) -> Rewritten:
    """What the passes of a pack make of the functions of a text one after the other, each of what
    the one before has made; what the last one leaves is told. Raises ValueError."""
    lines = tuple(range(1, text.count("\n") + 2))
    left: tuple[tuple[int, str], ...] = ()
    for one in pack.passes:
        if one.is_chosen({*options, *pack.chosen}):
            try:
                changed = one.path.stat().st_mtime_ns
            except OSError as error:
                raise ValueError(f"{one.path}: {error.strerror}") from None
            made = rewritten(text, _loaded(one.path, changed), one.options, in_functions=True)
            left = tuple((lines[min(line, len(lines)) - 1], reason) for line, reason in made.left)
            lines = tuple(lines[min(line, len(lines)) - 1] for line in made.lines)
            text = made.text
    return Rewritten(text, lines, left)


def passed(text: str, pack: Pack) -> str:
    """The text alone."""
    return in_passes(text, pack).text


def virtualized(text: str, style: str) -> Rewritten:
    """What ``virtualize`` makes of a function, with all that it can do. Raises ValueError."""
    return rewritten(text, _own("virtualize", (("style", style),)), ("builtins", "expressions"))


def converted(text: str, options: Sequence[str] = ()) -> Rewritten:
    """What ``autograph`` makes of a function. Raises ValueError."""
    return in_passes(text, _own("autograph"), options)


def _own(name: str, given: tuple[tuple[str, str], ...] = ()) -> Pack:
    path = find(name)
    assert path is not None
    return _loaded(path, 0, given)


@lru_cache
def _loaded(path: Path, _changed: int, given: tuple[tuple[str, str], ...] = ()) -> Pack:
    """A pack, once; again if its file was changed."""
    pack = load(path, dict(given))
    if not isinstance(pack, Pack):
        raise ValueError(str(pack[0]))
    return pack
