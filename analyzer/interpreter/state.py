"""State: what all variables, attributes and items may hold at one point of a run."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence

from .objects import NOTHING, UNKNOWN, Objects

# What may be more objects than these is not known.
_MOST = 32

# By owner and name: a frame's variables, an object's attributes, a container's items.
Place = tuple[Hashable, Hashable]
Written = dict[Place, Objects]


class State:
    """One store, with a log for each branch of what was there before."""

    def __init__(self) -> None:
        self._held: defaultdict[Hashable, dict[Hashable, Objects]] = defaultdict(dict)
        self._logs: list[dict[Place, Objects | None]] = []
        self._trails: list[Written] = []

    def get(self, owner: Hashable, name: Hashable) -> Objects | None:
        """What may be stored there; None if nothing ever was."""
        held = self._held.get(owner)
        return held.get(name) if held is not None else None

    def all(self, owner: Hashable) -> dict[Hashable, Objects]:
        """Everything that is stored under ``owner``."""
        return dict(self._held.get(owner, ()))

    def set(self, owner: Hashable, name: Hashable, objects: Objects) -> bool:
        """Store in a place that stands for one real variable: what it held is gone."""
        held = self._held[owner]
        if self._logs:
            self._logs[-1].setdefault((owner, name), held.get(name))
        held[name] = objects if len(objects) <= _MOST else UNKNOWN
        for trail in self._trails:
            trail[owner, name] = trail.get((owner, name), NOTHING) | objects
        return True

    def add(self, owner: Hashable, name: Hashable, objects: Objects) -> bool:
        """Store in a place that may stand for several; return whether it may hold more now."""
        before = self.get(owner, name)
        if before == UNKNOWN:
            return False
        after = (before or NOTHING) | objects
        return after != before and self.set(owner, name, after)

    def follow(self) -> None:
        """Begin to note everything that is stored, also what is overwritten."""
        self._trails.append({})

    def followed(self) -> Written:
        """End what was begun last and return all that was stored since."""
        return self._trails.pop()

    def fork(self) -> None:
        """Begin a branch."""
        self._logs.append({})

    def end(self) -> Written:
        """End the branch that was begun last; its writes are undone and returned."""
        written: Written = {}
        for (owner, name), before in self._logs.pop().items():
            held = self._held[owner]
            written[owner, name] = held[name]
            if before is None:
                del held[name]
            else:
                held[name] = before
        return written

    def join(self, branches: Sequence[Written], or_none: bool) -> bool:
        """Go on after one of ``branches``, or after none; return whether that changed anything."""
        changed = False
        for owner, name in {place: None for branch in branches for place in branch}:
            before = self.get(owner, name)
            after = before or NOTHING if or_none else NOTHING
            for branch in branches:
                after |= branch.get((owner, name), before) or NOTHING
            if after != before:
                changed = self.set(owner, name, after)
        return changed
