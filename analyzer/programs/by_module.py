"""ByModule: the programs that a module is part of, and what runs together with it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import TYPE_CHECKING

from ..names.module import Module

if TYPE_CHECKING:
    from .programs import Program


class ByModule:
    def __init__(self, programs: Iterable[Program]) -> None:
        self._programs: defaultdict[int, list[Program]] = defaultdict(list)
        self._around: dict[tuple[int, ...], tuple[Module, ...]] = {}
        for program in programs:
            for module in program.modules:
                self._programs[id(module)].append(program)

    def of(self, module: Module) -> list[Program]:
        """The programs that a module is part of."""
        return self._programs.get(id(module), [])

    def around(self, module: Module) -> tuple[Module, ...]:
        """The modules of these programs, the module itself where there are none; one list for all
        modules of the same programs, and the same one whenever it is asked for."""
        programs = self.of(module)
        key = tuple(map(id, programs)) or (id(module),)
        if key not in self._around:
            found = dict.fromkeys(m for p in programs for m in p.modules)
            self._around[key] = tuple(found) or (module,)
        return self._around[key]
