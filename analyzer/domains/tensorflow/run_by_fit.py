"""RunByFit: what is no loop of the program's, because ``fit`` runs it."""

from __future__ import annotations

from ...names.definition import Definition
from ...names.module import Module
from ...names.scopes import Scope
from ...syntax.tree import LN, Call
from ...values.questions import Evaluator, is_super
from .fitted_models import MODEL

_CALLERS = 32


class RunByFit:
    """Answers for one project."""

    def __init__(self, evaluator: Evaluator) -> None:
        self.evaluator = evaluator
        self._by_method: dict[str, list[tuple[Call, Module]]] = {}

    def runs(self, call: Call, module: Module) -> bool:
        """An overridden ``train_step``, and what only such a method calls, is run by ``fit``: it is
        Keras, not a loop of the program's."""
        waiting: list[tuple[LN, Module]] = [(call.trailer, module)]
        seen: set[int] = set()
        reached = False
        while waiting:
            node, where = waiting.pop()
            function = where.scope_of(node).function
            if function is None or len(seen) > _CALLERS:
                return False
            if self._overrides_train_step(function, where):
                reached = True
                continue
            if id(function) in seen:
                continue
            seen.add(id(function))
            calls = list(self.evaluator.callers.sites(Definition(where, function)))
            if not calls:
                return False
            waiting += [(site.trailer, there) for site, there in calls]
        return reached

    def _overrides_train_step(self, function: Scope, module: Module) -> bool:
        owner = function.enclosing_class
        if function.name != "train_step" or owner is None:
            return False
        name = f"{module.name}.{owner.qualified_name}"
        if not self.evaluator.hierarchy.isa(name, MODEL):
            return False
        return not self._is_called(name, module, "train_step")

    def _is_called(self, owner: str, home: Module, method: str) -> bool:
        """Whether the repository itself may call the method of a class of the module ``home``;
        ``super()`` aside."""
        hierarchy, linked = self.evaluator.hierarchy, self.evaluator.project.linked
        for call, module in self._called(method):
            if is_super(call.receiver, module, self.evaluator):
                continue
            values = self.evaluator.evaluate(call.receiver, module)
            names = {value.name for value in values.items}
            related = any(hierarchy.isa(n, owner) or hierarchy.isa(owner, n) for n in names)
            unknown = not values.complete
            if related or (unknown and linked.may_run_together(home.real, module.real)):
                return True
        return False

    def _called(self, method: str) -> list[tuple[Call, Module]]:
        """The calls of a method of that name, whatever it is called on."""
        if method not in self._by_method:
            self._by_method[method] = [
                (call, module)
                for module in self.evaluator.modules
                for call in module.tree.calls_of(method)
            ]
        return self._by_method[method]
