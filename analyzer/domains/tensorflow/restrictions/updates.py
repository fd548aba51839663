"""R08: apply_gradients() elsewhere than as a statement or on the right of an assignment."""

from __future__ import annotations

from collections.abc import Iterator

from fissix.pgen2 import token
from fissix.pygram import python_symbols as symbols

from ....messages.finding import Finding
from ....syntax.tree import (
    COMPOUND,
    LN,
    Call,
    ancestors,
    attribute_name,
    outer_call,
    statement_of,
    walk,
)
from .checked_code import Code, outermost

_NAME = "apply_gradients"
_SIMPLE = {symbols.expr_stmt, symbols.annassign, symbols.simple_stmt, symbols.file_input}
_BLOCKS = {symbols.suite}
_HINT = "Make it a statement of its own, on a named optimizer"


def check(code: Code) -> Iterator[Finding]:
    """Calls after which the rules cannot insert the broadcast, and those after which they can."""
    for call in code.module.tree.calls:
        if call.method == _NAME:
            yield from _call(code, call)
        elif "builtins.getattr" in code.values(call.callee).names and len(call.arguments) > 1:
            second = call.arguments[1].value
            if second.type == token.STRING and second.value.strip("\"'") == _NAME:
                yield _taken(code, call.expression[0], code.text(call.expression))
    for node in walk(code.module.tree.root):
        if node.type == symbols.power and attribute_name((node,)) == _NAME:
            if not _is_target(node):
                yield _taken(code, node, code.text((node,)))


def _taken(code: Code, node: LN, text: str) -> Finding:
    return code.finding(
        "R08", node,
        f"`{text}` is taken without being called; where it is called, the rules do not see that "
        "it makes a step",
        f"Call {_NAME}() itself",
    )  # fmt: skip


def _is_target(power: LN) -> bool:
    parent = power.parent
    return parent is not None and parent.type == symbols.expr_stmt and (
        power is not parent.children[-1])  # fmt: skip


def _call(code: Code, call: Call) -> Iterator[Finding]:
    start, text = call.expression[0], f"`{code.text(call.callee)}()`"
    values = code.values(call.receiver)
    classes = [n for n in values.names if n in code.facts.evaluator.hierarchy]
    if classes:
        yield code.finding(
            "R08", start,
            f"{text} is called on the class {code.text(call.receiver)}, where the rules do not "
            "know which argument is the optimizer",
            "Call it on the optimizer itself",
        )  # fmt: skip
        return
    where = _position(call)
    if where is None:
        return
    how, sometimes = where
    if sometimes:
        yield code.finding("R08", start, f"{text} stands {how}, where nothing can follow it that "
                                         "runs just when it does", _HINT)  # fmt: skip
    elif outer_call(call.receiver) is not None or not call.argument("grads_and_vars", 0):
        yield code.finding("R08", start, f"{text} stands {how}, and its optimizer or its pairs "
                                         "cannot be named a second time", _HINT)  # fmt: skip
    else:
        yield code.finding("R08", start, f"{text} stands {how}; the broadcast can follow the "
                                         "statement all the same")  # fmt: skip


def _position(call: Call) -> tuple[str, bool] | None:
    """How a call stands in its statement, and whether it may run at another time than the
    statement, or not at all; None where the restriction is met."""
    node = outermost(call.expression) if call.trailer is call.power.children[-1] else call.power
    whole = call.trailer is call.power.children[-1]
    parent = node.parent
    if whole and parent is not None and parent.type in (*_SIMPLE, *_BLOCKS):
        return None
    statement = statement_of(node)
    child: LN = call.power
    for outer in ancestors(call.power):
        if outer.type == symbols.lambdef:
            return "in a lambda", True
        if outer.type in (symbols.and_test, symbols.or_test) and child is not outer.children[0]:
            return f"after `{outer.children[1].value}`", True
        if outer.type == symbols.test and child is not outer.children[2]:
            return "in a conditional expression", True
        if outer.type == symbols.comparison and not any(child is c for c in outer.children[:3]):
            return "in a chain of comparisons", True
        if outer.type == symbols.assert_stmt and child is not outer.children[1]:
            return "in the message of an assert", True
        if any(c.type == symbols.comp_for for c in outer.children):
            return "in a comprehension", True
        if outer is statement or outer.type in COMPOUND:
            break
        child = outer
    if statement.type in COMPOUND:
        return f"in the head of `{_keyword(statement)}`", True
    if statement.type == symbols.return_stmt and whole:
        return "in a return", False
    return f"inside `{_keyword(statement)}`", False


def _keyword(statement: LN) -> str:
    text = str(statement).strip().splitlines()[0]
    return text.split()[0] if statement.type in COMPOUND else text[:60]
