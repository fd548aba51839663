"""joined: what else a session runs when it runs an operation of a graph."""

from __future__ import annotations

from collections.abc import Iterator

from fissix.pgen2 import token
from fissix.pygram import python_symbols as symbols

from ...library.declared import first_name
from ...names.module import Module
from ...syntax.tree import LN, Call, Expression, ancestors, outer_call
from ...values.questions import Evaluator

# What they are given is run with what they give.
_JOINING = {"tensorflow.group", "tensorflow.tuple", "tensorflow.identity"}
_DEPENDING = "tensorflow.control_dependencies"
_FUNCTIONS = {symbols.funcdef, symbols.lambdef, symbols.classdef}


def joined(call: Call, module: Module, evaluator: Evaluator) -> Iterator[Expression]:
    """What is run with the operation that a call of TensorFlow makes: what it joins, and what the
    ``with tf.control_dependencies([…])`` around it names."""
    names = {first_name(name) for name in evaluator.names(call.callee, module)}
    if not names or not all(name.startswith("tensorflow.") for name in names):
        return
    if names & _JOINING:
        yield from ((argument.value,) for argument in call.arguments)
    for around in ancestors(call.trailer):
        if around.type in _FUNCTIONS:
            return
        if around.type == symbols.with_stmt:
            for entered in _entered(around):
                made = outer_call((entered,))
                called = evaluator.names(made.callee, module) if made is not None else ()
                if made is not None and _DEPENDING in map(first_name, called):
                    yield from ((argument.value,) for argument in made.arguments)


def _entered(statement: LN) -> Iterator[LN]:
    """What a ``with`` enters."""
    for child in statement.children[1:-2]:
        if child.type == symbols.with_item:
            yield child.children[0]
        elif child.type not in (token.COMMA, token.LPAR, token.RPAR):
            yield child
