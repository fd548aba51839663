"""R07: datasets and optimizers that are made only under some condition."""

from __future__ import annotations

from collections.abc import Iterator

from fissix.pygram import python_symbols as symbols

from ....messages.finding import Finding
from ....names.scopes import Binding
from ....syntax.tree import LN, only_for_type_checkers, statement_of
from ....values.value import NONE, Certainty
from .checked_code import Code, around_in_scope, outermost
from .holders import article, creations, in_holder
from .sites import DATASET, OPTIMIZER

_BLOCKS = (symbols.suite, symbols.simple_stmt)


def check(code: Code) -> Iterator[Finding]:
    """Creations in branches, in conditional expressions, and in handlers of exceptions."""
    for role in (DATASET, OPTIMIZER):
        for call, chain in creations(code, role):
            condition = _condition(code, chain[0])
            if condition is not None:
                yield _finding(code, role, chain[0], code.text(call.expression), condition)


def _condition(code: Code, node: LN) -> str | None:
    scope = code.module.scope_of(node)
    for parent, child in around_in_scope(node, scope):
        if parent.type == symbols.if_stmt and child.type in _BLOCKS:
            if not any(parent is g for g in code.module.main_guards) and not only_for_type_checkers(
                node
            ):
                return f"in a branch of the if on line {code.line(parent)}"
        elif parent.type == symbols.test and child is not parent.children[2]:
            return "in a conditional expression"
        elif parent.type in (symbols.or_test, symbols.and_test) and child is not parent.children[0]:
            return f"after `{'or' if parent.type == symbols.or_test else 'and'}`"
        elif parent.type == symbols.case_block:
            return f"in the case on line {code.line(parent)}"
        elif parent.type == symbols.try_stmt and child.type in _BLOCKS:
            before = child.prev_sibling.prev_sibling
            if before.type == symbols.except_clause or str(before).strip() == "except":
                return f"in a handler of the try on line {code.line(parent)}"
    return None


def _finding(code: Code, role: str, node: LN, what: str, condition: str) -> Finding:
    made = f"`{what}` makes {article(role)} {condition}"
    bindings = list(_holders(code, node))
    if not bindings:
        return code.finding("R07", node, f"{made}; it is used right there, as one that is always "
                                         "made would be")  # fmt: skip
    for binding in bindings:
        name, held = code.named(binding), code.held_by(binding)
        if code.holds(held, role) is Certainty.PROVED:
            continue
        others = sorted(
            v.name for v in held.items
            if v.name != NONE and code.is_known(v)
            and not code.holds(type(held)(frozenset({v})), role)
        )  # fmt: skip
        if others:
            return code.finding(
                "R07", node, f"{made}, but {name} may hold {others[0]} as well, which the rules "
                "take for it", f"Give what is no {role} another name",
            )  # fmt: skip
        why, site = in_holder(code, binding, held, role)
        if site is not None:
            return code.finding(
                "R07", node, f"{made}, and {name} may hold something else; {why}",
                f"Let {name} hold {article(role)} in every case, or use it there under the same "
                "condition by another name",
            )  # fmt: skip
        return code.finding("R07", node, f"{made}; {why}")
    name = code.named(bindings[0])
    return code.finding("R07", node, f"{made}; whatever is chosen, {name} holds {article(role)}")


def _holders(code: Code, node: LN) -> Iterator[Binding]:
    """The names and attributes that the statement of a creation assigns it to."""
    statement = statement_of(outermost((node,)))
    if statement.type != symbols.expr_stmt:
        return
    for binding in code.bindings:
        if binding.kind == "assign" and binding.statement is statement:
            yield binding
