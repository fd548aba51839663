"""Code: one module under check, with the questions that all restrictions ask of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from fissix.pygram import python_symbols as symbols

from ....facts import Facts
from ....files.import_path import ImportTarget
from ....messages.finding import Finding, Status
from ....names.definition import Definition, items_of
from ....names.module import Module
from ....names.scopes import Binding, Scope
from ....syntax.tree import LN, Expression, ancestors, dotted, flat, is_name, unwrap
from ....values.value import Certainty, Value, Values
from .sites import Sites
from .titles import TITLES

TENSORFLOW = "tensorflow"
NOTHING_TO_DO = "Nothing to do"
_PACKAGES = {"tensorflow", "keras", "tf_keras"}
_WIDTH = 60


@dataclass(frozen=True, eq=False)
class Code:
    """A module with the facts of its project; ``sites`` are the calls that rules only assume."""

    facts: Facts
    module: Module
    sites: Sites

    def finding(self, code: str, node: LN, message: str, hint: str = NOTHING_TO_DO) -> Finding:
        """A finding at ``node``: lifted unless a hint says what to do."""
        status = Status.LIFTED if hint == NOTHING_TO_DO else Status.VIOLATED
        tree = self.module.tree
        start = tree.start(node)
        line, column = tree.line(start), start - tree.line_start(start)
        return Finding(code, TITLES[code], self.module.path, line, column, status, message, hint)

    def values(self, expression: Expression) -> Values:
        return self.facts.evaluator.evaluate(expression, self.module)

    def is_known(self, value: Value) -> bool:
        """Whether it is known what a value is; of an attribute of the library's objects it is not,
        as of ``checkpoint.optimizer``, unless the library's data has it."""
        library, parts = self.facts.library, value.name.split(".")
        inside = any(".".join(parts[:length]) in library.classes for length in range(1, len(parts)))
        return value.instance or not inside or value.name in library.signatures

    def text(self, expression: Expression) -> str:
        """The expression in one line, shortened in the middle."""
        return shortened(self.module.tree.source(expression))

    def line(self, node: LN) -> int:
        return self.module.tree.line_of(node)

    def holds(self, values: Values, role: str) -> Certainty:
        """Whether the values are objects of a role."""
        return self.sites.holds(values, role)

    def held_by(self, binding: Binding) -> Values:
        """What the name or attribute of a binding may hold, from all its bindings."""
        if is_attribute(binding):
            return self.values((binding.node,))
        return self.facts.evaluator.lookup(binding.name, binding.scope, self.module)

    def named(self, binding: Binding) -> str:
        return self.text((binding.node,)) if is_attribute(binding) else binding.name

    @property
    def bindings(self) -> Iterator[Binding]:
        """The bindings of names and of attributes."""
        for scope in self.module.scopes:
            for bindings in scope.bindings.values():
                yield from bindings
        yield from self.module.scopes.attributes

    def function(self, values: Values) -> Definition | None:
        """A function or class of the repository among the values."""
        found = (self.facts.evaluator.definitions.get(name) for name in sorted(values.names))
        return next((definition for definition in found if definition is not None), None)

    def imports_tensorflow(self, target: ImportTarget) -> bool:
        """Whether an import means TensorFlow or Keras, not a module of the repository."""
        outside = not self.facts.project.imported(self.module, target)
        return outside and not target.level and target.module.split(".")[0] in _PACKAGES

    @property
    def uses_tensorflow(self) -> bool:
        named = any(self.imports_tensorflow(target) for _, target in self.module.imports)
        return named or "import_module" in self.module.names or "__import__" in self.module.names


def codes_of(facts: Facts) -> Iterator[Code]:
    """The given modules that matter: those that use TensorFlow, or belong to a training program."""
    sites = Sites(facts)
    for module in dict.fromkeys(facts.project.given):
        code = Code(facts, module, sites)
        if code.uses_tensorflow or any(program.sites for program in facts.programs.of(module)):
            yield code


def is_attribute(binding: Binding) -> bool:
    return bool(binding.node.type == symbols.power)


def same_holder(binding: Binding, expression: Expression, module: Module) -> bool:
    """Whether an expression reads the name or attribute that is bound."""
    nodes = flat(expression)
    if is_attribute(binding):
        names = dotted(nodes)
        return len(names) > 1 and names[-1] == binding.name
    if len(nodes) != 1 or not is_name(nodes[0]) or nodes[0].value != binding.name:
        return False
    return module.scope_of(nodes[0]).owner(binding.name) is binding.scope


def outermost(expression: Expression) -> LN:
    """The node that stands for a whole expression, with the parentheses around it."""
    node = expression[0]
    if len(expression) > 1 or node.parent.type == symbols.power:
        node = node.parent
    while node.parent is not None and unwrap((node.parent,))[0] is unwrap((node,))[0]:
        node = node.parent
    return node


def value_of(binding: Binding) -> Expression:
    """The expression whose value a binding takes; for a tuple that is unpacked, the item of it."""
    value = binding.value
    for index in binding.element:
        items = items_of(value)
        if not 0 <= index < len(items):
            return binding.value
        value = (items[index],)
    return value


def alternatives(value: Expression) -> Iterator[Expression]:
    """The expressions of which ``value`` is one, as ``a`` and ``b`` of ``a if x else b``."""
    nodes = flat(value)
    if len(nodes) == 1 and nodes[0].type == symbols.test:
        yield from alternatives((nodes[0].children[0],))
        yield from alternatives((nodes[0].children[4],))
    elif len(nodes) == 1 and nodes[0].type == symbols.or_test:
        for child in nodes[0].children[::2]:
            yield from alternatives((child,))
    else:
        yield nodes


def exclude_each_other(first: Binding, second: Binding) -> bool:
    """Whether two bindings stand in different branches, so that only one of them is made."""
    branches = {id(parent): child for parent, child in _branches(first)}
    return any(
        id(parent) in branches and branches[id(parent)] is not child
        for parent, child in _branches(second)
    )


def _branches(binding: Binding) -> Iterator[tuple[LN, LN]]:
    child: LN = binding.node
    for parent in ancestors(binding.node):
        if parent.type in (symbols.if_stmt, symbols.match_stmt):
            yield parent, child
        child = parent


def around_in_scope(node: LN, scope: Scope) -> Iterator[tuple[LN, LN]]:
    """The nodes around ``node`` up to the scope's own, each with the child it is reached from."""
    child = node
    for parent in ancestors(node):
        if parent is scope.node:
            return
        yield parent, child
        child = parent


def shortened(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _WIDTH else f"{line[: _WIDTH - 1]}…"
