"""R09: optimizers of a module that are defined after the functions that use them, or changed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fissix.pgen2 import token
from fissix.pygram import python_symbols as symbols

from ....messages.finding import Finding
from ....names.scopes import Binding, Scope
from ....syntax.tree import LN, is_name, leaves
from ....values.value import NONE, Certainty, Values
from .checked_code import Code, exclude_each_other
from .sites import OPTIMIZER

_KINDS = ("assign", "walrus", "for", "with", "augment", "delete")


def check(code: Code) -> Iterator[Finding]:
    """Module-level names of optimizers that functions refer to."""
    for name, bindings in code.module.scopes.module.bindings.items():
        values = [code.facts.evaluator.binding(b, code.module) for b in bindings]
        if any(code.holds(value, OPTIMIZER) for value in values):
            yield from _of_name(code, name, bindings, values)


def _of_name(
    code: Code, name: str, bindings: Sequence[Binding], values: Sequence[Values]
) -> Iterator[Finding]:
    user = _user(code, name)
    if user is None:
        return
    start = code.module.tree.start
    made = [
        (binding, value)
        for binding, value in sorted(
            zip(bindings, values, strict=True), key=lambda p: start(p[0].node)
        )
        if value.names != {NONE} and binding.kind in _KINDS
    ]
    if not made:
        return
    known = all(_may_be(code, value) for _, value in made)
    first = made[0][0]
    setter = code.module.scope_of(first.node).function
    used = f"{user.name}() on line {code.line(user.node)}"
    if setter is not None:
        yield _finding(code, first, known, f"{name} is defined in {setter.name}() only, and "
                                           f"{used} refers to it")  # fmt: skip
    elif start(first.node) > start(user.node):
        yield _finding(code, first, known, f"{name} is defined after {used}, which refers to it")
    for binding, value in made[1:]:
        if not exclude_each_other(first, binding):
            changed = (
                f"{name} is changed after line {code.line(first.node)}, and {used} refers to it"
            )
            yield _finding(code, binding, _may_be(code, value), changed)


def _may_be(code: Code, values: Values) -> bool:
    """Whether nothing speaks against an optimizer: what is not known is stepped by a method's
    name."""
    return not values.items or code.holds(values, OPTIMIZER) is Certainty.PROVED


def _finding(code: Code, binding: Binding, known: bool, message: str) -> Finding:
    if known:
        return code.finding("R09", binding.node, f"{message}; the rules go by what it holds, not "
                                                 "by the order")  # fmt: skip
    return code.finding(
        "R09", binding.node, f"{message}; it does not always hold an optimizer",
        f"Define {binding.name} once, before the function, or give it to the function",
    )  # fmt: skip


def _user(code: Code, name: str) -> Scope | None:
    """The first function that reads the module's name."""
    module = code.module.scopes.module
    for leaf in leaves(code.module.tree.root):
        if is_name(leaf) and leaf.value == name and not _is_not_read(leaf):
            scope = code.module.scope_of(leaf)
            if scope.function is not None and scope.owner(name) is module:
                if not any(b.node is leaf for b in module.bindings[name]):
                    return scope.function
    return None


def _is_not_read(leaf: LN) -> bool:
    """Whether a name is not read: after a dot, or in a ``global`` statement."""
    before = leaf.prev_sibling
    after_dot = before is not None and before.type == token.DOT
    return after_dot or (leaf.parent is not None and leaf.parent.type == symbols.global_stmt)
