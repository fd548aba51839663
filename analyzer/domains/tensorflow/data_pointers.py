"""begins_anew: whether each turn of an outer loop goes through the same data from their start."""

from __future__ import annotations

from collections.abc import Iterator, Set
from itertools import pairwise

from fissix.pgen2 import token
from fissix.pygram import python_symbols as symbols

from ...names.module import Module
from ...syntax.tree import LN, ancestors, dotted, is_name, leaves, walk
from ...values.questions import Evaluator, callees

_LOOPS = (symbols.for_stmt, symbols.while_stmt)
_FUNCTIONS = (symbols.funcdef, symbols.lambdef)


def begins_anew(loop: LN, module: Module, evaluator: Evaluator) -> bool:
    """Whether a ``for`` calls what gives a batch after the other by a pointer of its own, as
    ``next_batch()``, and the loop around it sets that back, or resets what goes on from step to
    step, as an environment: with fewer turns of the inner one the last would never be seen."""
    outer = _around(loop)
    if outer is None:
        return False
    if _is_reset(outer, loop):
        return True
    given = callees(loop.children[5], module, evaluator)
    pointers = {name for function in given for name in _moved(function.scope.node)}
    return bool(pointers) and not pointers.isdisjoint(_set_back(outer, loop, module, evaluator))


def adds(statement: LN) -> bool:
    """``x += n``, or ``x = x + n``."""
    target, sign, value = statement.children[0], statement.children[1], statement.children[-1]
    if sign.type != token.EQUAL:
        return bool(sign.type != symbols.annassign)
    return any(
        str(part).strip() == str(target).strip()
        for sum_ in walk(value) if sum_.type == symbols.arith_expr
        for part in sum_.children[::2]
    )  # fmt: skip


def _is_reset(outer: LN, loop: LN) -> bool:
    """Whether the loop goes on with something that the outer one resets outside of it."""
    inner = {id(node) for node in walk(loop)}
    reset = {
        receiver
        for receiver, method, node in _methods(outer)
        if method.startswith("reset") and id(node) not in inner
    }
    return bool(reset) and any(
        receiver in reset and _goes_on(method) for receiver, method, _ in _methods(loop)
    )


def _goes_on(method: str) -> bool:
    batch = "batch" in method and "on_batch" not in method
    return method == "step" or "next" in method or batch


def _methods(node: LN) -> Iterator[tuple[str, str, LN]]:
    """The methods that are called, each with what it is called on."""
    for power in walk(node):
        if power.type != symbols.power:
            continue
        for at, (name, call) in enumerate(pairwise(power.children)):
            if call.type != symbols.trailer or call.children[0].type != token.LPAR:
                continue
            if name.type == symbols.trailer and name.children[0].type == token.DOT:
                receiver = "".join(str(part).strip() for part in power.children[:at])
                yield receiver, name.children[1].value, power


def _around(loop: LN) -> LN | None:
    for parent in ancestors(loop):
        if parent.type in _FUNCTIONS:
            return None
        if parent.type in _LOOPS:
            return parent
    return None


def _moved(function: LN) -> set[str]:
    """The attributes by which a function picks items, and which it adds to."""
    added = {name for name, added in _stored(function) if added}
    picking = {
        leaf.value
        for part in walk(function)
        if part.type == symbols.trailer and part.children[0].type == token.LSQB
        for leaf in leaves(part)
        if is_name(leaf)
    }
    return added & picking


def _set_back(outer: LN, loop: LN, module: Module, evaluator: Evaluator) -> Iterator[str]:
    """The attributes that an outer loop stores outside of the inner one, or calls store."""
    inner = {id(node) for node in walk(loop)}
    for name, added in _stored(outer, inner):
        if not added:
            yield name
    for line in outer.children[5 if outer.type == symbols.for_stmt else 3].children:
        if not any(id(node) in inner for node in walk(line)):
            for function in callees(line, module, evaluator):
                yield from (name for name, added in _stored(function.scope.node) if not added)


def _stored(node: LN, but: Set[int] = frozenset()) -> Iterator[tuple[str, bool]]:
    """The attributes that statements store, and whether they add to them."""
    for statement in walk(node):
        if statement.type == symbols.expr_stmt and id(statement) not in but:
            names = dotted((statement.children[0],))
            if len(names) == 2:
                yield names[1], adds(statement)
