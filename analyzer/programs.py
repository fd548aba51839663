"""Programs: entry scripts with the modules they reach, and the training API each uses."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import networkx as nx

from .evaluator import Evaluator
from .module import Module
from .tracing import callees
from .tree import LN, Call, Expression, outer_call

GRADIENT_TAPE = "gradient_tape"
# A tape whose gradients the program applies to its variables itself, without an optimizer.
VARIABLE_UPDATES = "variable_updates"
# Keras optimizers whose minimize() computes the gradients with a tape of its own.
MINIMIZE = "minimize"
_OPTIMIZERS = (
    "tensorflow.keras.optimizers.Optimizer",
    "tensorflow.keras.optimizers.legacy.Optimizer",
)
_TAPE = "tensorflow.GradientTape"
_MODEL = "tensorflow.keras.Model"
_FITS = {"fit", "fit_generator", "train_on_batch"}
_CALLS = {
    "session": (
        "tensorflow.Session", "tensorflow.InteractiveSession", "tensorflow.compat.v1.Session",
        "tensorflow.compat.v1.InteractiveSession"),
    "monitored_session": (
        "tensorflow.train.MonitoredTrainingSession", "tensorflow.train.MonitoredSession",
        "tensorflow.compat.v1.train.MonitoredTrainingSession",
        "tensorflow.compat.v1.train.MonitoredSession"),
    "estimator": (
        "tensorflow.estimator.train_and_evaluate", "tensorflow.estimator.Estimator",
        "tensorflow.compat.v1.estimator.Estimator",
        "tensorflow.compat.v1.estimator.train_and_evaluate"),
}  # fmt: skip


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


@dataclass(frozen=True, eq=False)
class Program:
    """An entry script and the repository's modules that it reaches, itself first."""

    entry: Module
    modules: tuple[Module, ...]
    sites: tuple[TrainingSite, ...]

    @property
    def apis(self) -> frozenset[str]:
        return frozenset(site.api for site in self.sites)

    @property
    def training_api(self) -> str | None:
        """The one training API in use; None if there is none or more than one."""
        return next(iter(self.apis)) if len(self.apis) == 1 else None


class Programs:
    """The programs of a project."""

    def __init__(self, evaluator: Evaluator) -> None:
        self.evaluator = evaluator
        self.project = evaluator.project

    @cached_property
    def all(self) -> list[Program]:
        graph = self.project.import_graph
        by_path = {module.path.resolve(): module for module in self.evaluator.modules}
        programs = []
        for module in self.project.given:
            key = module.path.resolve()
            if not module.has_main_guard and not self._starts(module, by_path):
                continue
            reached = [module, *(by_path[p] for p in sorted(nx.descendants(graph, key))
                                 if p in by_path)]  # fmt: skip
            programs.append(Program(module, tuple(reached), self._sites(reached)))
        # A module that other scripts import, with a `__main__` guard only to try it out, is no
        # program of its own unless it trains.
        return [p for p in programs if p.sites or not self._is_imported(p.entry)]

    def of(self, module: Module) -> list[Program]:
        """The programs that ``module`` is part of."""
        return self._by_module.get(id(module), [])

    def is_entry(self, module: Module) -> bool:
        return any(program.entry is module for program in self.of(module))

    @cached_property
    def _by_module(self) -> dict[int, list[Program]]:
        found: dict[int, list[Program]] = {}
        for program in self.all:
            for module in program.modules:
                found.setdefault(id(module), []).append(program)
        return found

    def _starts(self, module: Module, by_path: dict[Path, Module]) -> bool:
        """Whether nothing imports the module; in a circle of imports, whether it has to be run."""
        graph = self.project.import_graph
        key = module.path.resolve()
        circle = self._circles[key]
        if any(importer not in circle for p in circle for importer in graph.predecessors(p)):
            return False
        if len(circle) == 1:
            return True
        guarded = any(by_path[p].has_main_guard for p in circle if p in by_path)
        return not guarded and bool(self._module_sites(module))

    @cached_property
    def _circles(self) -> dict[Path, set[Path]]:
        """For each file, the files that import each other with it, itself included."""
        components = nx.strongly_connected_components(self.project.import_graph)
        return {path: circle for circle in components for path in circle}

    def _is_imported(self, module: Module) -> bool:
        graph = self.project.import_graph
        key = module.path.resolve()
        return any(importer != key for importer in graph.predecessors(key))

    def _sites(self, modules: list[Module]) -> tuple[TrainingSite, ...]:
        sites = [site for module in modules for site in self._module_sites(module)]
        apis = {site.api for site in sites}
        dropped = {"tape"}
        if "tape" not in apis:
            dropped |= {GRADIENT_TAPE, VARIABLE_UPDATES}
        elif GRADIENT_TAPE in apis:
            dropped.add(VARIABLE_UPDATES)  # a moving average beside the optimizer
        if apis - dropped - {MINIMIZE}:
            dropped.add(MINIMIZE)  # a matter for the rules of the API that is in use
        return tuple(site for site in sites if site.api not in dropped)

    def _module_sites(self, module: Module) -> list[TrainingSite]:
        found = self._site_memo.get(id(module))
        if found is None:
            found = [s for call in module.tree.calls if (s := self._site(call, module)) is not None]
            self._site_memo[id(module)] = found
        return found

    @cached_property
    def _site_memo(self) -> dict[int, list[TrainingSite]]:
        return {}

    def _site(self, call: Call, module: Module) -> TrainingSite | None:
        if call.method == "apply_gradients" and not self._is_train_step(call, module):
            return TrainingSite(GRADIENT_TAPE, module, call.trailer)
        if call.method == "assign_sub":
            return TrainingSite(VARIABLE_UPDATES, module, call.trailer)
        if call.method == "minimize" and any(
            self.evaluator.isa(call.receiver, name, module) for name in _OPTIMIZERS
        ):
            return TrainingSite(MINIMIZE, module, call.trailer)
        if call.method in _FITS and self.evaluator.isa(call.receiver, _MODEL, module):
            return TrainingSite("keras", module, call.trailer)
        names = self.evaluator.names(call.callee, module)
        if _TAPE in names:
            return TrainingSite("tape", module, call.trailer)
        for api, functions in _CALLS.items():
            if any(self.evaluator.library.canonical(name) in names for name in functions):
                return TrainingSite(api, module, call.trailer)
        return None

    def _is_train_step(self, call: Call, module: Module) -> bool:
        """An overridden ``train_step`` is run by ``fit``: Keras, not a loop of the program's."""
        function = module.scope_of(call.trailer).function
        if function is None or function.name != "train_step":
            return False
        owner = function.enclosing_class
        if owner is None:
            return False
        name = f"{module.name}.{owner.qualified_name}"
        return self.evaluator.hierarchy.isa(name, _MODEL) and not self._is_called(
            name, "train_step"
        )

    def _is_called(self, owner: str, method: str) -> bool:
        """Whether the repository itself may call the method of a class; ``super()`` aside."""
        hierarchy = self.evaluator.hierarchy
        for module in self.evaluator.modules:
            for call in module.tree.calls:
                if call.method != method or self._is_super(call.receiver, module):
                    continue
                values = self.evaluator.evaluate(call.receiver, module)
                names = {value.name for value in values.items}
                related = any(hierarchy.isa(n, owner) or hierarchy.isa(owner, n) for n in names)
                if related or not values.complete:
                    return True
        return False

    def _is_super(self, receiver: Expression, module: Module) -> bool:
        call = outer_call(receiver)
        return call is not None and "builtins.super" in self.evaluator.names(call.callee, module)

    def trains(self, node: LN, module: Module) -> bool:
        """Whether code below ``node`` applies gradients, itself or through what it calls."""
        seen: set[int] = set()
        waiting = [(node, module)]
        while waiting:
            current, where = waiting.pop()
            if id(current) in seen:
                continue
            seen.add(id(current))
            start, end = where.tree.span((current,))
            for site in self._module_sites(where):
                inside = start <= where.tree.start(site.node) < end
                if site.api == GRADIENT_TAPE and inside:
                    return True
            for definition in callees(current, where, self.evaluator):
                waiting.append((definition.scope.node, definition.module))
        return False
