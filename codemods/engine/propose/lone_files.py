"""Alone: what is proposed for files by themselves, as far as no other contradicts it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path

from pinsetter.analyzer.files.assumptions import Assumptions
from pinsetter.analyzer.files.import_groups import Components, Part
from pinsetter.analyzer.files.word_uses import ENOUGH_TO_KNOW

from ..hunks.proposed import Planned
from .batches import Taken, batches

Made = Callable[[Iterable[Sequence[Part]]], Iterator[tuple[Part, Planned | None]]]
# After so many it is asked whether so large a share of them asked about others.
_TRIED = 40
_MOST_BEYOND = 0.1
# How many times as many files are looked up together each time.
_GROWTH = 4


class Alone:
    """Files that others decide about are told to ``beyond``, once the others have been told."""

    def __init__(self, made: Made, components: Components) -> None:
        self._made, self._components = made, components
        self._assumptions = Assumptions(components)
        self._waiting: list[tuple[Part, Planned]] = []
        self._again: list[Part] = []
        self._most = 1
        self.beyond: list[str] = []

    def planned(self, files: Sequence[str]) -> Iterator[tuple[Planned, bool]]:
        """What is proposed for each of some files, and whether that is all: in their order, but
        for those that are done again with files that contradicted what was assumed of them."""
        parts = self._components.alone(files)
        first = list(islice(parts, _TRIED))
        yield from self._round(first)
        # Where many are read, and many of these ask about others, all are read anyway.
        many = bool(first) and not first[0].most_near
        if many and len(self.beyond) > len(first) * _MOST_BEYOND:
            self.beyond += (path for part in parts for path in part.group)
        else:
            yield from self._round(parts)
        while self._again:
            again, self._again = self._again, []
            yield from self._round(again)

    def _round(self, parts: Iterable[Part]) -> Iterator[tuple[Planned, bool]]:
        taken = Taken(parts)
        for number, (part, planned) in enumerate(self._made(batches(iter(taken))), 1):
            if planned is None:
                self.beyond += part.group
            else:
                self._waiting.append((part, planned))
            sure = all(not planned.assumed for _, planned in self._waiting)
            found = any(planned.plan.hunks for _, planned in self._waiting)
            if sure or (found and len(self._waiting) >= self._most):
                self._most *= 1 if sure else _GROWTH  # all files are read for it
                yield from self._settled(taken.are(number))
        yield from self._settled(True)

    def _settled(self, last: bool) -> Iterator[tuple[Planned, bool]]:
        """What nobody contradicts, of what is waiting."""
        waiting, self._waiting = self._waiting, []
        self._assumptions.look_up(one for _, planned in waiting for one in planned.assumed)
        told = [planned for part, planned in waiting if self._holds(part, planned)]
        more = self._again or self.beyond or self._components.has_more
        for count, planned in enumerate(told, 1):
            yield planned, last and count == len(told) and not more

    def _holds(self, part: Part, planned: Planned) -> bool:
        (path,) = part.group
        near = [*map(str, planned.near)]
        against = self._assumptions.contradicted_by(path, planned.assumed, near)
        said = {one for one in against if one.how in ENOUGH_TO_KNOW}
        asked = {other for one in against.keys() - said for other in against[one]}
        near += sorted(asked.difference(near))
        if against and len(near) <= part.most_near:
            known = part.said | said
            self._again.append(replace(part, near=tuple(map(Path, near)), said=known))
        elif against:
            self.beyond.append(path)
        return not against
