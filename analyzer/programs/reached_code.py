"""ReachedCode: what of its modules a program may run, by the names that its code says."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Mapping, Sequence

from ..names.module import Module
from ..names.project import Project
from .following import Following, Index, State
from .known_code import KnownCode
from .units import units_of


class ReachedCode:
    """For one program."""

    def __init__(self, state: State, entry: Module, others: frozenset[int]) -> None:
        """``state`` is what it reaches, ``others`` are its modules, by identity."""
        # Hundreds of programs may each reach thousands: a set takes ten times as much.
        self._units = array("Q", sorted(state.units))
        self._runs_files = state.any_file
        self._entry = entry
        self._others = others

    def may_run(self, module: Module, offset: int) -> bool:
        """Whether the program may run what stands at a place of one of its modules."""
        if module is not self._entry and id(module) not in self._others:
            return False
        around = units_of(module).around(offset)
        if around is not None:
            return self._reaches(id(around))
        return module is self._entry or self._runs_files or not _is_guarded(module, offset)

    def _reaches(self, unit: int) -> bool:
        at = bisect_left(self._units, unit)
        return at < len(self._units) and self._units[at] == unit


def _is_guarded(module: Module, offset: int) -> bool:
    """Whether only who runs a module as a script comes to a place of it."""
    if not module.main_guards:
        return False
    spans = module.memo.get(_is_guarded)
    if spans is None:
        spans = [module.tree.span((guard.children[3],)) for guard in module.main_guards]
        module.memo[_is_guarded] = spans
    return any(start <= offset < end for start, end in spans)


# What so many programs load is kept for others that load the same, or almost.
_MOST_LOADED = 16


class _Together:
    """Modules that several programs load, and what is reached by that."""

    def __init__(self, code: KnownCode, indexes: Sequence[Index], state: State) -> None:
        self._code, self._indexes, self._state = code, indexes, state

    def with_more(self, modules: Sequence[Module]) -> _Together:
        """Them, and others."""
        run = self._following()
        run.load(modules)
        run.finish()
        return _Together(self._code, run.indexes, run.state)

    def reached(self, entry: Module, whole: bool) -> State:
        """What is reached where a script is run with them."""
        run = self._following()
        if not any(entry in index.modules for index in self._indexes):
            run.load([entry])
        run.hear(units_of(entry).guarded, entry, None)
        if whole:
            run.define(entry)
        run.finish()
        return run.state

    def _following(self) -> Following:
        return Following(self._code, self._indexes, self._state.copy())


class Reaching:
    """What the programs of a project reach; what is the same for several is worked out once."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._code = KnownCode(project)
        self._loaded: dict[frozenset[int], _Together] = {}

    def of(self, entry: Module, modules: Sequence[Module], whole: bool) -> ReachedCode:
        """What a program of these modules may run, the entry script first. ``whole``: others call
        the functions of the script, by its name or by theirs."""
        # One that the others import is the same for all of them that are scripts, too.
        known = self._project.linked.is_imported
        others = {id(m): m for m in modules if m is not entry or known(m.real)}
        reached = self._together(others).reached(entry, whole)
        return ReachedCode(reached, entry, frozenset(others))

    def _together(self, modules: Mapping[int, Module]) -> _Together:
        key = frozenset(modules)
        # The last is that which was asked for last.
        self._loaded[key] = found = self._loaded.pop(key, None) or self._made(key, modules)
        while len(self._loaded) > _MOST_LOADED:
            del self._loaded[next(iter(self._loaded))]
        return found

    def _made(self, key: frozenset[int], modules: Mapping[int, Module]) -> _Together:
        """Of hundreds of scripts each may load the same hundreds of modules, and some of its own:
        what is common is followed once."""
        if not key:
            return _Together(self._code, (), State())
        within = (known for known in self._loaded if known <= key)
        start = max(within, key=len, default=frozenset[int]())
        common = (known & key for known in self._loaded if not key <= known)
        shared = max(common, key=len, default=frozenset[int]())
        if len(shared) - len(start) > len(key) // 4:
            start = shared
        base = self._together({one: m for one, m in modules.items() if one in start})
        return base.with_more([m for one, m in modules.items() if one not in start])
