"""effects_of: the effects of code with those of the functions that it hands on to be called, as
``next`` in ``map(next, readers)``."""

from __future__ import annotations

from collections.abc import Iterator
from weakref import WeakKeyDictionary

from fissix.pgen2 import token
from fissix.pygram import python_symbols as symbols
from fissix.pytree import Leaf, Node

from ..names.module import Module
from ..syntax.tree import LN, Argument, Call, calls_in_power, unwrap, walk
from .effect_analysis import EffectAnalysis, Effects

_CALLING = {"builtins.map", "builtins.filter", "builtins.reduce", "functools.reduce"}
# The evaluator knows nodes by their identity, so that those made here live as long as its answers.
_made: WeakKeyDictionary[EffectAnalysis, dict[int, Node]] = WeakKeyDictionary()


def effects_of(node: LN, module: Module, analysis: EffectAnalysis) -> Effects:
    """What happens when ``node`` is evaluated, and when what it calls calls the functions that it
    gets as arguments."""
    effects = analysis.of(node, module)
    for code in _handed_on(node, module, analysis):
        effects |= analysis.of(code, module)
    return effects


def _handed_on(node: LN, module: Module, analysis: EffectAnalysis) -> Iterator[LN]:
    """For each function that a call in ``node`` gets as an argument and may call, code that has the
    effects of calling it: a lambda's body, else a call without arguments."""
    if node.type == symbols.lambdef:
        return
    for part in walk(node, skip={symbols.lambdef}):
        if part.type != symbols.power:
            continue
        for call in calls_in_power(part):
            for index, argument in enumerate(call.arguments):
                (value,) = unwrap((argument.value,))
                if value.type == symbols.lambdef:
                    body = value.children[-1]
                    yield body
                    yield from _handed_on(body, module, analysis)
                elif _is_called(argument, index, call, module, analysis):
                    yield _call_of(value, analysis)


def _is_called(
    argument: Argument, index: int, call: Call, module: Module, analysis: EffectAnalysis
) -> bool:
    """Whether the callee calls the argument, as far as that can be seen from both."""
    if argument.star:
        return False
    if argument.name == "key" or (index == 0 and _calls_first(call, module, analysis)):
        return True
    own = analysis.evaluator.definitions
    return any(
        name.startswith("builtins.") or (name in own and own[name].scope.kind == "function")
        for name in analysis.evaluator.names((argument.value,), module)
    )


def _calls_first(call: Call, module: Module, analysis: EffectAnalysis) -> bool:
    return bool(analysis.evaluator.names(call.callee, module) & _CALLING)


def _call_of(function: LN, analysis: EffectAnalysis) -> Node:
    """``function()``, resolved where ``function`` stands without being part of the tree."""
    made = _made.setdefault(analysis, {})
    if id(function) not in made:
        parts = function.children if function.type == symbols.power else [function]
        empty = Node(symbols.trailer, [Leaf(token.LPAR, "("), Leaf(token.RPAR, ")")])
        made[id(function)] = Node(symbols.power, [*(part.clone() for part in parts), empty])
        made[id(function)].parent = function.parent
    return made[id(function)]
