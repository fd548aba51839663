"""matching: the hunks of a scan, known again among those of earlier ones."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from dataclasses import dataclass, field

from ..records.recorded import Found, HunkState, Known

_Key = Callable[[Found], Hashable]
# What a hunk is known by, the surest first. A file that got another name keeps its hunks.
_WAYS: tuple[_Key, ...] = (
    lambda one: (one.path, one.rule, _kind(one), one.surroundings),
    lambda one: (one.path, one.rule, _kind(one), one.key),
    lambda one: (one.path, one.rule, _kind(one), one.code),
)
_MOVED: _Key = lambda one: (one.rule, _kind(one), one.surroundings)  # noqa: E731
_REWRITING = frozenset((HunkState.PROPOSED, HunkState.MERGED, HunkState.GONE))


@dataclass
class Matched:
    """``same`` are hunks that are found again, ``new`` those that are not known, ``left`` the known
    ones that are not found."""

    same: list[tuple[Known, Found]] = field(default_factory=list)
    new: list[Found] = field(default_factory=list)
    left: list[Known] = field(default_factory=list)


def matched(
    known: Iterable[Known],
    found: Iterable[Found],
    unread: Collection[bytes],
    is_there: Callable[[bytes], bool],
) -> Matched:
    """What became of hunks. Those of files that could not be read are as they were: they are in
    no list. ``is_there`` tells of a file whether it still is."""
    result = Matched()
    # Those that were there last time come first, and equal places in their order.
    old = sorted(known, key=lambda one: (not _is_open(one), one.found.line))
    new = sorted(found, key=lambda one: one.line)
    for way in _WAYS:
        old, new = _paired(old, new, way, result)
    old = [one for one in old if one.found.path not in unread]
    staying = [one for one in old if is_there(one.found.path)]
    old, new = _paired([one for one in old if not is_there(one.found.path)], new, _MOVED, result)
    old += staying
    # Where a comment leaves a hunk out, or does no more, its place is all that is known.
    hidden = [one for one in old if one.state is HunkState.SUPPRESSED]
    shown = [one for one in old if one.state is HunkState.PROPOSED]
    hiding = [one for one in new if one.state is HunkState.SUPPRESSED]
    showing = [one for one in new if one.state is HunkState.PROPOSED]
    for some, others in ((shown, hiding), (hidden, showing)):
        before = len(result.same)
        _paired(some, others, lambda one: (one.path, one.rule), result)
        taken = {id(one) for pair in result.same[before:] for one in pair}
        old = [one for one in old if id(one) not in taken]
        new = [one for one in new if id(one) not in taken]
    result.new = sorted(new, key=lambda one: (one.path, one.line))
    result.left = old
    return result


def _paired(
    old: Sequence[Known], new: Sequence[Found], way: _Key, result: Matched
) -> tuple[list[Known], list[Found]]:
    """Take out what is known by one way; what is left of both."""
    waiting: dict[Hashable, list[Known]] = defaultdict(list)
    for known in reversed(old):
        waiting[way(known.found)].append(known)
    rest: list[Found] = []
    taken: set[int] = set()
    for one in new:
        candidates = waiting.get(way(one))
        if candidates:
            was = candidates.pop()
            taken.add(was.id)
            result.same.append((was, one))
        else:
            rest.append(one)
    return [known for known in old if known.id not in taken], rest


def _is_open(one: Known) -> bool:
    return one.state in (HunkState.PROPOSED, HunkState.SUPPRESSED, HunkState.REPORTED)


def _kind(one: Found) -> HunkState:
    return HunkState.PROPOSED if one.state in _REWRITING else one.state
