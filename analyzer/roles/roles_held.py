"""RolesHeld: which roles an expression has by what it may hold, and what that is asked for.

The evaluator says what it may be. Of what it does not know is asked, as σ does of a whole program,
what becomes of it: all that is done with the name, the attribute or the parameter that has it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from fissix.pgen2 import token
from fissix.pygram import python_symbols as symbols

from ..names.definition import items_of
from ..names.module import Module
from ..syntax.tree import LN, Expression, attribute_name, dotted, is_name, unwrap
from ..values.questions import Evaluator, Use, bindings_at, own_attribute_uses, reads_of, unresolved
from ..values.value import Certainty, Values
from .role import NO, PROVED, Role, Verdict

_Place = tuple[Expression, Module]


class RolesHeld:
    """Answers for one project."""

    def __init__(
        self,
        evaluator: Evaluator,
        roles: dict[str, Role],
        uses: Callable[[Expression, Module], list[Use]],
    ) -> None:
        """``uses`` says where the value of an expression goes."""
        self.evaluator = evaluator
        self.roles = roles
        self._uses = uses
        self._known: dict[tuple[int, int, str], Verdict] = {}

    def of(self, expression: Expression, module: Module, role: Role) -> Verdict:
        """Whether what the expression holds has the role; a class has none."""
        nodes = unwrap(expression)
        if not nodes:
            return NO
        key = (id(nodes[0]), id(nodes[-1]), role.name)
        if key not in self._known:
            self._known[key] = self._of(nodes, module, role)
        return self._known[key]

    def _of(self, nodes: Expression, module: Module, role: Role) -> Verdict:
        if self.evaluator.names(nodes, module) & frozenset(role.module):
            return PROVED
        if role.items is not None and (items := items_of(nodes)):
            return self._all((((item,), module) for item in items), self.roles[role.items])
        verdict = self.by_class(self.evaluator.evaluate(nodes, module), role)
        if verdict.certainty or not unresolved(nodes, module, self.evaluator):
            return verdict
        return self._asked(nodes, module, role)

    def by_class(self, values: Values, role: Role) -> Verdict:
        """Whether values are instances of the classes of the role."""
        hierarchy = self.evaluator.hierarchy
        having = [
            value for value in values.items if value.instance
            and any(hierarchy.isa(value.name, wanted) for wanted in role.isa)
        ]  # fmt: skip
        if not having:
            return NO
        sure = all(any(hierarchy.proves(v.name, c) for c in role.isa) for v in having)
        if sure and len(having) == len(values.items) and values.complete:
            return PROVED
        return Verdict(Certainty.POSSIBLE, "it may be something else, too")

    def _all(self, places: Iterator[_Place], role: Role) -> Verdict:
        verdicts = [self.of(expression, module, role) for expression, module in places]
        if not all(verdict.certainty for verdict in verdicts):
            return NO
        return next((v for v in verdicts if v.certainty is Certainty.POSSIBLE), PROVED)

    def _asked(self, nodes: Expression, module: Module, role: Role) -> Verdict:
        for reads, where in self._reads(nodes, module):
            for name, line in self._asked_for(reads, where, role):
                return Verdict(Certainty.POSSIBLE, f"it is {name} in line {line}")
        return NO

    def _asked_for(
        self, nodes: Expression, module: Module, role: Role
    ) -> Iterator[tuple[str, int]]:
        trailer = nodes[-1].next_sibling
        if trailer is not None and trailer.type == symbols.trailer:
            name = attribute_name((nodes[-1], trailer)) or ""
            called = _opens_call(trailer.next_sibling)
            asked = f"{name}()" if called else name
            if asked in role.asked:
                yield f"asked for .{asked}", module.tree.line_of(trailer)
        for use in self._uses(nodes, module):
            call = use.call
            method = call.method if call is not None else None
            line = use.module.tree.line_of(use.node)
            if use.kind == "receiver" and f"{method}()" in role.asked:
                yield f"asked for .{method}()", line
            elif use.kind == "argument" and call is not None and use.argument is not None:
                # Equal code may be given twice; which of the two it is counts.
                at = next(n for n, a in enumerate(call.arguments) if a.node is use.argument.node)
                place = use.argument.name or str(at)
                callee = attribute_name(call.callee) or str(call.callee[-1]).strip()
                if (callee, place) in role.given:
                    yield f"given to {callee}", line

    def _reads(self, nodes: Expression, module: Module) -> Iterator[_Place]:
        """The expression, and every other place that reads what has its value there."""
        yield nodes, module
        if len(nodes) == 1 and is_name(nodes[0]):
            for binding in bindings_at(nodes[0], module) or ():
                reads = reads_of(binding.name, binding.scope, module)
                for leaf in reads.of(binding.node):
                    yield (leaf,), module
        else:
            names = dotted(nodes)
            if len(names) == 2:
                yield from own_attribute_uses(names, nodes[0], module, self.evaluator)


def _opens_call(node: LN | None) -> bool:
    return bool(
        node is not None and node.type == symbols.trailer and node.children[0].type == token.LPAR
    )
