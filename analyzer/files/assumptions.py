"""Assumptions: whether what files alone took for granted of all others is so, by their bytes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from .import_groups import Components
from .word_uses import Assumed, SayingSearch


class Assumptions:
    """Of the files of one run. What was looked up once is known."""

    def __init__(self, components: Components) -> None:
        self._components = components
        self._looked_up = set(components.looked_up)
        self._saying: defaultdict[Assumed, list[str]] = defaultdict(list)

    def look_up(self, assumed: Iterable[Assumed]) -> None:
        """Read which files say what was assumed to be said nowhere: all files, once for all."""
        new = {*assumed} - self._looked_up
        if not new:
            return
        search = SayingSearch(new)
        for path, found in self._components.contradicting(search):
            for one in found:
                self._saying[one].append(path)
        self._looked_up |= new

    def contradicted_by(
        self, path: str, assumed: Mapping[Assumed, int], near: Sequence[str]
    ) -> dict[Assumed, set[str]]:
        """The files that are joined to one and say what was assumed, which was looked up before;
        without itself and so many of those ``near``."""
        found: dict[Assumed, set[str]] = {}
        for one, known in assumed.items():
            saying = set(self._saying.get(one, ())).difference([path], near[:known])
            saying = saying and saying & self._components.group_of(path)
            if saying:
                found[one] = saying
        return found
