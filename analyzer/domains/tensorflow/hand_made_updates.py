"""HandMadeUpdates: variables that a program gives what is made of gradients itself."""

from __future__ import annotations

from fissix.pgen2 import token
from fissix.pygram import python_symbols as symbols

from ...library.declared import first_name
from ...names.module import Module
from ...syntax.tree import Call, calls_in_power, leaves, same_code, unwrap
from ...values.questions import Evaluator, derivation, origins

# What something made of a graph's gradients is assigned to, and what something made of a tape's is
# taken from.
ASSIGN = "assign"
TAPE_UPDATE = "tape update"
_TAPE_CLASS = "tensorflow.GradientTape"
_OF_GRAPH = "tensorflow.gradients"


class HandMadeUpdates:
    """Answers for one project."""

    def __init__(self, evaluator: Evaluator) -> None:
        self.evaluator = evaluator
        self._found: dict[int, str | None] = {}

    def kind_of(self, call: Call, module: Module) -> str | None:
        """How a variable gets what is made of gradients that a graph, or a tape, computes."""
        is_called = self.evaluator.callers.is_called
        if not is_called("gradients") and not (_takes_away(call) and is_called("gradient")):
            return None
        key = id(call.trailer)
        if key not in self._found:
            self._found[key] = self._gets_gradients(call, module)
        return self._found[key]

    def _is_of_tape(self, call: Call, module: Module) -> bool:
        if self.evaluator.isa(call.receiver, _TAPE_CLASS, module):
            return True
        found = origins(call.receiver, module, self.evaluator)
        return any(
            name.endswith("GradientTape")  # a distributed one, too
            for made, where in found for name in self.evaluator.names(made.callee, where)
        )  # fmt: skip

    def _gets_gradients(self, call: Call, module: Module) -> str | None:
        for argument in call.arguments[:2]:
            for node, where in derivation((argument.value,), module, self.evaluator):
                for made in calls_in_power(node) if node.type == symbols.power else ():
                    if made.method == "gradient" and self._is_of_tape(made, where):
                        return TAPE_UPDATE if _takes_away(call) else None
                    names = self.evaluator.names(made.callee, where)
                    if any(first_name(name) == _OF_GRAPH for name in names):
                        return ASSIGN
        return None


def _takes_away(call: Call) -> bool:
    """Whether an update goes down: ``v.assign_sub(x)``, ``v.assign(v - x)``, ``v.assign_add(-x)``.
    What goes up is no training, as a change that deceives a model."""
    if call.method == "assign_sub" or not call.arguments:
        return call.method == "assign_sub"
    value = unwrap((call.arguments[0].value,))
    if call.method == "assign_add":
        return bool(next(leaves(value[0])).type == token.MINUS)
    return (
        len(value) == 1
        and value[0].type == symbols.arith_expr
        and value[0].children[1].type == token.MINUS
        and same_code((value[0].children[0],), call.receiver)
    )
