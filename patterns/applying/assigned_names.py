"""assigned_names: who reads what a statement gives a name, which may go without a value then."""

from __future__ import annotations

from fissix.pgen2 import token
from fissix.pygram import python_symbols as symbols

from pinsetter.analyzer.facts import Facts
from pinsetter.analyzer.names.module import Module
from pinsetter.analyzer.syntax.tree import LN
from pinsetter.analyzer.values.questions import reads_of

# What binds a name, and fails where it has no value.
_ASKING = ("augment", "delete")


def readers_of(statement: LN, module: Module, facts: Facts) -> tuple[int, ...] | None:
    """Where the name is read that ``statement`` gives a value to, as offsets. None if it is no such
    statement, or something else may ask for the name: another module, what changes its value, or
    who looks at a class."""
    if statement.type != symbols.expr_stmt or len(statement.children) != 3:
        return None
    target, sign, _ = statement.children
    if target.type != token.NAME or sign.type != token.EQUAL:
        return None
    scope = module.scope_of(target)
    bindings = scope.lookup(target.value)
    own = all(binding.scope is scope and binding.kind not in _ASKING for binding in bindings)
    of_module = scope.node is module.tree.root and facts.project.linked.is_imported(module.real)
    if not own or of_module or scope.kind == "class":
        return None
    reads = reads_of(target.value, scope, module).of(target)
    return tuple(module.tree.start(leaf) for leaf in reads)
