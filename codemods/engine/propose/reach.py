"""Reach: where what a rule requires is looked for when its own file does not have it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import networkx as nx

from pinsetter.analyzer.names.module import Module
from pinsetter.analyzer.names.project import Project
from pinsetter.analyzer.programs.by_module import ByModule
from pinsetter.analyzer.programs.programs import Program


class Reach:
    """The modules that run together with a module, for all that is known.

    Those are the modules of its programs. Rules for any code hold in libraries, too, of which
    nobody says what they run with: there it is what imports and what is imported, directly or not.
    What no import joins cannot depend on each other.
    """

    def __init__(self, programs: Sequence[Program], joined: Project | None = None) -> None:
        """``joined``: the project, if imports are to be followed."""
        self._programs = ByModule(programs)
        self._joined = joined

    def of(self, module: Module) -> list[tuple[Module, ...]]:
        """The module itself, and then what is farther away: what is found in one of these is not
        looked for in the next."""
        return [(module,), self._programs.around(module), self._groups.get(id(module), ())]

    @cached_property
    def _groups(self) -> dict[int, tuple[Module, ...]]:
        if self._joined is None:
            return {}
        modules = {module.real: module for module in self._joined.modules}
        found: dict[int, tuple[Module, ...]] = {}
        for paths in nx.weakly_connected_components(self._joined.linked.run_graph):
            group = tuple(modules[path] for path in sorted(paths) if path in modules)
            found.update(dict.fromkeys(map(id, group), group))
        return found
