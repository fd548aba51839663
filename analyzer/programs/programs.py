"""Programs: entry scripts with the modules they reach, and the training API each uses."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

from fissix.pygram import python_symbols as symbols

from ..messages.problem import Problem
from ..names.module import Module
from ..syntax.tree import LN, Call
from ..values.questions import Evaluator, callees
from .by_module import ByModule
from .domain import Domain, TrainingSite, domains
from .entry import Entries
from .reached_code import ReachedCode, Reaching
from .units import hands_on
from .version_only import asks_only_version

_INSTALLERS = {"setuptools", "distutils", "skbuild"}
_DEFINITIONS = {symbols.funcdef, symbols.classdef, symbols.decorated, symbols.async_funcdef,
                symbols.async_stmt}  # fmt: skip


@dataclass(frozen=True, eq=False)
class Program:
    """An entry script and the repository's modules that it reaches, itself first.

    ``because`` says why the entry script is one. ``sites`` are empty where it is shown that it runs
    none of them: then it does not train, and ``idle`` are those that its modules have. ``unclear``
    are where something that is not known runs a training step in a program that has no ``sites``.
    """

    entry: Module
    modules: tuple[Module, ...]
    sites: tuple[TrainingSite, ...]
    because: str
    reach: Callable[[], ReachedCode]
    idle: tuple[TrainingSite, ...] = ()
    unclear: tuple[TrainingSite, ...] = ()

    def may_run(self, module: Module, offset: int) -> bool:
        """Whether it may run what stands at a place of one of its modules."""
        return self._reached.may_run(module, offset)

    @cached_property
    def _reached(self) -> ReachedCode:
        return self.reach()

    @cached_property
    def apis(self) -> frozenset[str]:
        return frozenset(site.api for site in self.sites)

    @property
    def training_api(self) -> str | None:
        """The one training API in use; None if there is none or more than one."""
        return next(iter(self.apis)) if len(self.apis) == 1 else None

    @property
    def mixture(self) -> str | None:
        """Why a program that uses several training APIs is refused: the first place of each."""
        if len(self.apis) < 2:
            return None
        first = [next(s for s in self.sites if s.api == api) for api in sorted(self.apis)]
        return f"the program trains in more than one way: {', '.join(map(str, first))}"


class Programs:
    """The programs of a project."""

    def __init__(self, evaluator: Evaluator, known: Sequence[Domain] | None = None) -> None:
        """``known``: the domains whose programs are recognised; all, if they are not given."""
        self.evaluator = evaluator
        self.project = evaluator.project
        self.domains = domains() if known is None else known
        self._sites = [domain.sites(evaluator) for domain in self.domains]
        self._entries = Entries(evaluator)
        self._training: dict[int, tuple[LN, bool]] = {}

    @cached_property
    def all(self) -> list[Program]:
        programs = []
        for module in dict.fromkeys(self.project.given):
            because, always = self._entry(module)
            if because is None or self.project.layout.library_source(module.real) is not None:
                continue  # of a library itself no file is a program that uses it
            if module.path.name == "setup.py" and module.packages & _INSTALLERS:
                continue  # it installs the repository, and must not need what that needs
            reached = self._reached(module)
            found = sites = self._sites_of(reached)
            if sites and not always and self._only_loads(reached, sites):
                found = sites = ()
            reach = self._reach_of(module, reached)
            if sites:
                ran = self._sites_run(reached, reach().may_run)
                # What it only imports makes no mixture.
                sites = ran if not ran or len({site.api for site in sites}) > 1 else sites
            # A module that other scripts import, with a `__main__` guard only to try it out, is no
            # program of its own unless it, or what it imports, trains.
            if always or found or not self._is_imported(module):
                idle = () if sites else found
                unclear = () if found else self._unclear(reached, reach)
                known = tuple(reached)
                programs.append(Program(module, known, sites, because, reach, idle, unclear))
        return programs

    def _reach_of(self, entry: Module, modules: Sequence[Module]) -> Callable[[], ReachedCode]:
        """What a program may run. Of a script that others import, with a ``__main__`` guard, that
        is what the guard calls, as anywhere; else also what others call in it, as a test runner."""
        known = entry.main_guards and self._is_imported(entry)
        whole = not known or hands_on(entry) or self._entries.declared(entry) is not None

        @cache
        def reach() -> ReachedCode:
            return self._reaching.of(entry, modules, whole)

        return reach

    @cached_property
    def _reaching(self) -> Reaching:
        return Reaching(self.project)

    def _sites_run(
        self, modules: Sequence[Module], may_run: Callable[[Module, int], bool]
    ) -> tuple[TrainingSite, ...]:
        return tuple(s for sites in self._sites for s in sites.run_by_program(modules, may_run))

    def _unclear(
        self, modules: Sequence[Module], reach: Callable[[], ReachedCode]
    ) -> tuple[TrainingSite, ...]:
        def may_run(module: Module, offset: int) -> bool:
            return reach().may_run(module, offset)

        return tuple(s for sites in self._sites for s in sites.run_by_unknown(modules, may_run))

    @property
    def problems(self) -> list[Problem]:
        """Files that declare entry scripts, but could not be read."""
        return self._entries.problems

    def of(self, module: Module) -> list[Program]:
        """The programs that ``module`` is part of."""
        return self._by_module.of(module)

    def around(self, module: Module) -> tuple[Module, ...]:
        """The modules of the programs that ``module`` is part of; itself, where it is in none."""
        return self._by_module.around(module)

    def tried_out(self, module: Module) -> Callable[[int], bool]:
        """Whether a place of a module, which is no entry script, is only for who runs it to try it
        out: under a ``__main__`` guard, or in a function that this one calls, and no program."""
        if self.is_entry(module):
            return lambda offset: False
        by_itself, around = self.run_by_itself(module), self.of(module)
        return lambda offset: (
            by_itself(offset) and not any(p.may_run(module, offset) for p in around)
        )

    def run_by_itself(self, module: Module) -> Callable[[int], bool]:
        """Whether a place of a module is run when that is run as a script: under a ``__main__``
        guard, or in a function that this one calls."""
        if not module.main_guards:
            return lambda offset: False
        reach = self._reaching.of(module, self._reached(module), whole=False)
        return lambda offset: reach.may_run(module, offset)

    def only_guard(self, module: Module) -> LN | None:
        """The ``__main__`` guard of an entry script that others load, and that is one by this guard
        alone: what is only for the script belongs there."""
        guards = module.main_guards
        if len(guards) != 1 or not self.is_entry(module) or not self._is_imported(module):
            return None
        return guards[0] if self._entries.declared(module) is None else None

    def is_entry(self, module: Module) -> bool:
        return id(module) in self._entry_ids

    @cached_property
    def _entry_ids(self) -> frozenset[int]:
        """Hundreds of programs may share a module, and each match of a rule may ask for it."""
        return frozenset(id(program.entry) for program in self.all)

    def sharing(self, module: Module, program: Program) -> list[Program]:
        """The other programs that use a module of ``program``."""
        return [other for other in self.of(module) if other is not program]

    @cached_property
    def _by_module(self) -> ByModule:
        return ByModule(self.all)

    def _entry(self, module: Module) -> tuple[str | None, bool]:
        """Why a module is an entry script, if it is one, and whether it is one in any case."""
        declared = self._entries.declared(module)
        if declared is not None:
            return declared, True
        if module.main_guards:
            return f"__main__ guard, line {module.tree.line_of(module.main_guards[0])}", False
        started = self._entries.started(module)
        if started is not None:
            return started, True
        parses = self._entries.parses(module)
        alone = self._starts(module)
        if parses is not None and (alone or self._trains_when_imported(module)):
            return parses, False
        return alone, False

    def _starts(self, module: Module) -> str | None:
        """That nothing imports the module; or, in a circle of imports, that it has to be run."""
        path, linked = module.real, self.project.linked
        if module.is_package or not linked.heads(path):
            return None  # Python runs no package's __init__ as a script.
        circle = linked.circles[path]
        if len(circle) == 1:
            return "no module imports it"
        guarded = any(linked.files[p].guards for p in circle)
        if guarded or not self._sites_of([module]):
            return None
        return "only modules that it imports import it"

    @cached_property
    def _by_path(self) -> dict[Path, Module]:
        return {module.real: module for module in self.evaluator.modules}

    def _reached(self, entry: Module) -> list[Module]:
        """The entry, and the modules that are imported where it is run, in the order of paths."""
        _, *rest = self.project.linked.reached(entry.real)
        return [entry, *(self._by_path[path] for path in rest)]

    def _is_imported(self, module: Module) -> bool:
        return self.project.linked.is_imported(module.real)

    def _only_loads(self, modules: Sequence[Module], sites: Sequence[TrainingSite]) -> bool:
        """Whether a script has modules loaded, and runs nothing of them that trains."""
        if not asks_only_version(modules[0], self.project):
            return False
        return not self._train_when_imported(modules, sites, modules)

    def _trains_when_imported(self, module: Module) -> bool:
        """Whether the module's own statements, and what they call in it, train."""
        return self._train_when_imported([module], self._sites_of([module]), [module])

    def _train_when_imported(
        self, modules: Sequence[Module], sites: Sequence[TrainingSite], among: Sequence[Module]
    ) -> bool:
        """Whether the statements of modules, and what they call in others ``among``, train."""
        waiting = [
            (node, module)
            for module in modules for node in module.tree.root.children
            if node.type not in _DEFINITIONS and not any(node is g for g in module.main_guards)
        ]  # fmt: skip
        seen: set[int] = set()
        while waiting:
            node, module = waiting.pop()
            if id(node) in seen:
                continue
            seen.add(id(node))
            start, end = module.tree.span((node,))
            if any(s.module is module and start <= module.tree.start(s.node) < end for s in sites):
                return True
            called = callees(node, module, self.evaluator)
            waiting.extend((d.scope.node, d.module) for d in called if d.module in among)
        return False

    def _sites_of(self, modules: Sequence[Module]) -> tuple[TrainingSite, ...]:
        """The places that train where ``modules`` are one program."""
        return tuple(site for sites in self._sites for site in sites.of_program(modules))

    def steps_in(self, module: Module) -> list[LN]:
        """The calls of a module that make training steps when they run."""
        return [step for sites in self._sites for step in sites.steps_in(module)]

    def updates_in(self, module: Module) -> list[LN]:
        """The calls of a module that update variables when they run."""
        return [update for sites in self._sites for update in sites.updates_in(module)]

    def may_train(self, call: Call, module: Module) -> bool:
        """Whether a call runs something in a session that trains, for all that is known."""
        return any(sites.may_train(call, module) for sites in self._sites)

    def trains(self, node: LN, module: Module) -> bool:
        """Whether code below ``node`` makes training steps, itself or through what it calls."""
        if id(node) not in self._training:
            # With the node, so that its identity stays its own.
            self._training[id(node)] = node, self._trains(node, module)
        return self._training[id(node)][1]

    def _trains(self, node: LN, module: Module) -> bool:
        seen: set[int] = set()
        waiting = [(node, module)]
        while waiting:
            current, where = waiting.pop()
            if id(current) in seen:
                continue
            seen.add(id(current))
            start, end = where.tree.span((current,))
            if any(start <= where.tree.start(step) < end for step in self.steps_in(where)):
                return True
            for definition in callees(current, where, self.evaluator):
                waiting.append((definition.scope.node, definition.module))
        return False
