"""Domain: by what the programs of one library are recognised; each has a folder in ``domains``."""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol

from ..messages.finding import Finding
from ..names.module import Module
from ..syntax.tree import LN, Call
from ..values.questions import Evaluator

if TYPE_CHECKING:
    from .programs import Programs

_FOLDER = "pinsetter.analyzer.domains"


@dataclass(frozen=True, eq=False)
class TrainingSite:
    """A place that shows which training API a module uses."""

    api: str
    module: Module
    node: LN

    @property
    def line(self) -> int:
        return self.module.tree.line_of(self.node)

    def __str__(self) -> str:
        return f"{self.module.path}:{self.line} ({self.api})"


class Sites(Protocol):
    """The training sites of a project's modules, and of modules together as a program."""

    def of_program(self, modules: Iterable[Module]) -> tuple[TrainingSite, ...]:
        """The sites that train where ``modules`` are one program, the entry script first."""

    def run_by_program(
        self, modules: Iterable[Module], may_run: Callable[[Module, int], bool]
    ) -> tuple[TrainingSite, ...]:
        """The sites that train in such a program, where it may run no more than some places."""

    def run_by_unknown(
        self, modules: Iterable[Module], may_run: Callable[[Module, int], bool]
    ) -> tuple[TrainingSite, ...]:
        """Where such a program, of which nothing is known that trains, has something that is not
        known run a training step."""

    def steps_in(self, module: Module) -> list[LN]:
        """The calls of a module that make training steps when they run."""

    def updates_in(self, module: Module) -> list[LN]:
        """The calls of a module that update variables when they run."""

    def may_train(self, call: Call, module: Module) -> bool:
        """Whether a call runs something in a session that trains, for all that is known."""


@dataclass(frozen=True)
class Domain:
    """``sites`` finds where a project trains; ``execution`` says how a node of a module runs:
    ``eager``, unless the library does something else with it. ``first_release`` says whether
    modules are written for a release of which later ones have moved names; ``restrictions`` finds
    where the files of a project, of which it gets the Facts, go beyond those of its rules."""

    name: str
    sites: Callable[[Evaluator], Sites]
    execution: Callable[[Programs], Callable[[LN, Module], str]]
    first_release: Callable[[Evaluator], Callable[[Iterable[Module]], bool]]
    restrictions: Callable[[Any], Sequence[Finding]]


@cache
def domains() -> tuple[Domain, ...]:
    """Those that have a folder, by its name; each folder's package has one as ``DOMAIN``."""
    above = import_module(_FOLDER)
    names = sorted(found.name for found in pkgutil.iter_modules(above.__path__))
    return tuple(import_module(f"{_FOLDER}.{name}").DOMAIN for name in names)
