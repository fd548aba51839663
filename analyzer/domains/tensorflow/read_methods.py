"""read_methods: methods that train, where they are read and not called, as in ``fit = model.fit``.

Who calls them, and with what, is not seen where they are called by another name: rules look for
``model.fit(…)``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator

from fissix.pgen2 import token
from fissix.pygram import python_symbols as symbols

from ...names.module import Module
from ...syntax.tree import (
    LN,
    Call,
    Expression,
    dotted,
    is_name,
    leaves,
    outer_call,
    plain_string,
    statement_of,
)
from ...values.questions import Evaluator

_METHODS = ("fit", "fit_generator", "train_on_batch", "apply_gradients", "minimize")
_READ = re.compile(rf"\.\s*(?:{'|'.join(_METHODS)})\b(?!\s*\()")
_ASKED = re.compile(rf"\bgetattr\b[^\n]*['\"](?:{'|'.join(_METHODS)})['\"]")
# What is given a method looks at it, or puts another in its place.
_LOOKING = ("inspect.", "unittest.mock.", "mock.", "typing.", "functools.wraps")
_BUILTINS = {
    f"builtins.{name}" for name in ("callable", "help", "id", "isinstance", "repr", "type")
}

Trains = Callable[[str, Expression, Collection[str], Module], str | None]


def read_methods(module: Module, evaluator: Evaluator, trains: Trains) -> Iterator[tuple[str, LN]]:
    """How a method that a module reads trains, as ``trains`` tells by the method's name, what has
    it, and the keywords that it seems to be given, and the node that reads it: a trailer, or that
    of a call of ``getattr``. Methods of the repository are none, whose code is seen; what is only
    looked at, or assigned, is none."""
    text = module.tree.text
    found: list[tuple[str, Expression, LN]] = []
    if _READ.search(text):
        found += _attributes(module)
    if _ASKED.search(text):
        found += _asked(module, evaluator)
    for method, receiver, node in found:
        names = evaluator.names(_up_to(node), module)
        is_own = bool(names) and names <= evaluator.definitions.keys()
        if not is_own and not _is_looked_at(node, module, evaluator):
            kind = trains(method, receiver, _keywords(node, module), module)
            if kind is not None:
                yield kind, node


def _attributes(module: Module) -> Iterator[tuple[str, Expression, LN]]:
    for leaf in leaves(module.tree.root):
        if leaf.type != token.NAME or leaf.value not in _METHODS:
            continue
        trailer = leaf.parent
        if trailer.type != symbols.trailer or trailer.children[0].type != token.DOT:
            continue
        power = trailer.parent
        if trailer is power.children[-1] and not _is_target(power) and not _is_called(power):
            yield leaf.value, _up_to(trailer)[:-1], trailer


def _asked(module: Module, evaluator: Evaluator) -> Iterator[tuple[str, Expression, LN]]:
    for call in module.tree.calls:
        if len(call.arguments) < 2 or not is_name(call.callee[-1]):
            continue
        method = plain_string(call.arguments[1].value)
        if method in _METHODS and "builtins.getattr" in evaluator.names(call.callee, module):
            yield method, (call.arguments[0].value,), call.trailer


def _is_called(power: LN) -> bool:
    """Whether it is called in parentheses."""
    around = power.parent
    while around.type == symbols.atom and len(around.children) == 3:
        following = around.next_sibling
        if following is not None and following.type == symbols.trailer:
            return bool(following.children[0].type == token.LPAR)
        around = around.parent
    return False


def _is_target(power: LN) -> bool:
    """Whether something is assigned to it, or it is deleted."""
    parent = power.parent
    if parent.type == symbols.del_stmt:
        return True
    if parent.type != symbols.expr_stmt:
        return False
    following = power.next_sibling
    return following is not None and (
        following.type == token.EQUAL or following.type == symbols.annassign
    )


def _keywords(node: LN, module: Module) -> set[str]:
    """Those of the calls of the name that it is given, and of the call that it is given to."""
    around = _given_to(node, module)
    calls = [] if around is None else [around]
    statement = statement_of(node)
    if statement.type == symbols.expr_stmt and is_name(statement.children[0]):
        name = statement.children[0].value
        calls += [call for call in module.tree.calls if dotted(call.callee) == (name,)]
    return {argument.name for call in calls for argument in call.arguments if argument.name}


def _given_to(node: LN, module: Module) -> Call | None:
    """The call of which what is read is an argument, a decorator's too."""
    place = node.parent.parent
    if place.type == symbols.arglist:
        place = place.parent
    if place.type == symbols.decorator:
        chain = next((one for one in module.tree.decorators if one.parent is place), None)
        return outer_call((chain,)) if chain is not None else None
    return outer_call(_up_to(place)) if place.type == symbols.trailer else None


def _is_looked_at(node: LN, module: Module, evaluator: Evaluator) -> bool:
    if node.parent.parent.type == symbols.comparison:
        return True
    call = _given_to(node, module)
    if call is None:
        return False
    names = evaluator.names(call.callee, module)
    return any(name in _BUILTINS or name.startswith(_LOOKING) for name in names)


def _up_to(trailer: LN) -> Expression:
    siblings = trailer.parent.children
    first = 1 if siblings[0].type == token.AWAIT else 0
    return tuple(siblings[first : siblings.index(trailer) + 1])
