"""σ, the bindings: which expressions of a scope hold an optimizer, a dataset, a model …

A role holds a *set* of expressions, names and ``self.`` attributes alike.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources

import yaml

from .evaluator import Evaluator
from .module import Module
from .scopes import Binding, Scope
from .value import Certainty


@dataclass(frozen=True)
class RoleBinding:
    """``expression`` holds something of ``role``; ``lines`` are those it is bound on."""

    role: str
    expression: str
    certainty: Certainty
    lines: tuple[int, ...]


def default_roles() -> dict[str, list[str]]:
    """The roles of training code, as roles.yaml has them."""
    text = resources.files(__package__).joinpath("roles.yaml").read_text("utf-8")
    roles: dict[str, list[str]] = yaml.safe_load(text)
    return roles


class Roles:
    """σ for one project. ``roles`` maps a role's name to the classes or modules that have it."""

    def __init__(self, evaluator: Evaluator, roles: Mapping[str, Sequence[str]]) -> None:
        self.evaluator = evaluator
        self.roles = roles

    def in_scope(self, scope: Scope, module: Module) -> frozenset[RoleBinding]:
        """What the scope's own names hold; for a class, the attributes of ``self``."""
        found: set[RoleBinding] = set()
        named = dict(scope.bindings)
        if scope.kind == "class":
            definition = self.evaluator.definitions.get(f"{module.name}.{scope.qualified_name}")
            if definition is not None:
                for name, bindings in self.evaluator.attributes(definition).items():
                    named[f"self.{name}"] = bindings
        for name, bindings in named.items():
            lines = tuple(sorted({module.tree.line_of(b.node) for b in bindings}))
            for role, classes in self.roles.items():
                certainty = self._hold(bindings, classes, module)
                if certainty:
                    found.add(RoleBinding(role, name, certainty, lines))
        return frozenset(found)

    def _hold(
        self, bindings: Sequence[Binding], classes: Sequence[str], module: Module
    ) -> Certainty:
        verdicts = []
        for binding in bindings:
            values = self.evaluator.binding(binding, module)
            holds = [
                any(self.evaluator.hierarchy.isa(value.name, name) for name in classes)
                and (value.instance or value.name not in self.evaluator.hierarchy)
                for value in values.items
            ]
            verdicts.append((any(holds), bool(holds) and all(holds) and values.complete))
        if not any(possible for possible, _ in verdicts):
            return Certainty.NO
        return Certainty.PROVED if all(proved for _, proved in verdicts) else Certainty.POSSIBLE
