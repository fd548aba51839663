"""Sites: the calls that the rules would rewrite or refuse if they knew what they are made on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from ....facts import Facts
from ....names.definition import owner_of
from ....names.module import Module
from ....roles.role import Role, default_roles
from ....syntax.tree import LN, Call, Expression
from ....values.value import Certainty, Values

OPTIMIZER, DATASET, CHECKPOINT = "optimizer", "dataset", "checkpoint"
_CHECKPOINTS = ("tensorflow.train.Checkpoint", "tensorflow.train.CheckpointManager")
ROLES = {role.name: role for role in default_roles() if role.name in (OPTIMIZER, DATASET)} | {
    # The role has the Savers of sessions, too, of which the restriction does not speak.
    CHECKPOINT: Role(CHECKPOINT, _CHECKPOINTS)
}
# The methods whose calls the rules look for, by what they are called on.
METHODS = {OPTIMIZER: ("minimize",), DATASET: ("take",), CHECKPOINT: ("save",)}


@dataclass(frozen=True, eq=False)
class Site:
    """A call (or an assignment of a rate) on ``owner``, of which too little is known."""

    role: str
    module: Module
    node: LN
    owner: Expression
    known: Certainty

    def __str__(self) -> str:
        return f"line {self.module.tree.line_of(self.node)} of {self.module.path.name}"


class Sites:
    """The calls of a project that are rewritten under an assumption, or missed.

    Every ``apply_gradients()`` is rewritten by its name, and so is ``take()`` on what is not known
    at all; ``save()`` is guarded under an assumption. What is missed on an unknown optimizer are
    ``minimize()`` and rates that are set.
    """

    def __init__(self, facts: Facts) -> None:
        self.facts = facts

    def holds(self, values: Values, role: str) -> Certainty:
        """Whether the values are objects of a role."""
        return self.facts.roles.by_class(values, ROLES[role]).certainty

    def near(self, module: Module, role: str) -> list[Site]:
        """The sites of a role in the programs that a module is part of."""
        around = {id(m) for m in self.facts.programs.around(module)}
        return [s for s in self._all if s.role == role and id(s.module) in around]

    @cached_property
    def _all(self) -> list[Site]:
        return [site for module in self.facts.evaluator.modules for site in self._of(module)]

    def _of(self, module: Module) -> Iterator[Site]:
        evaluate = self.facts.evaluator.evaluate
        for call in module.tree.calls:
            role = next((r for r, names in METHODS.items() if call.method in names), None)
            if role is None:
                continue
            values = evaluate(call.receiver, module)
            known = self.holds(values, role)
            unknown = not values.items and role is not DATASET
            assumed = known is Certainty.POSSIBLE and role is not OPTIMIZER
            if assumed or unknown:
                if role is not DATASET or self._trains(call, module):
                    yield Site(role, module, call.expression[0], call.receiver, known)
        for binding in module.scopes.attributes:
            if binding.name in ("learning_rate", "lr"):
                owner = owner_of(binding.node)
                if not evaluate(owner, module).items:
                    yield Site(OPTIMIZER, module, binding.node, owner, Certainty.NO)

    def _trains(self, call: Call, module: Module) -> bool:
        """Whether a loop over what the call returns trains."""
        return any(
            use.kind == "iterate" and self.facts.programs.trains(use.node, use.module)
            for use in self.facts.uses(call.expression, module, elements=False)
        )
