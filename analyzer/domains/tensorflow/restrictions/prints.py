"""R04: prints whose arguments do something."""

from __future__ import annotations

from collections.abc import Iterator

from fissix.pgen2 import token
from fissix.pygram import python_symbols as symbols
from fissix.pytree import Leaf

from ....effects.callbacks import effects_of
from ....effects.effect_analysis import Effects
from ....messages.finding import Finding
from ....syntax.tree import LN, Call, calls_in_power, walk
from .checked_code import Code

_PRINTERS = {"builtins.print", "pprint.pprint", "tensorflow.print"}
_LEFT_TO_FIRST_WORKER = {"prints", "writes", "pure"}
_WORDS = {
    "state": "may do more than give its value",
    "collective": "needs all workers",
}


def check(code: Code) -> Iterator[Finding]:
    """Prints that stay on every worker, because all of them must evaluate the arguments."""
    for call in code.module.tree.calls:
        if not code.values(call.callee).names & _PRINTERS:
            continue
        effects = Effects()
        for argument in call.arguments:
            effects |= effects_of(argument.node, code.module, code.facts.effects)
        name = code.text(call.callee)
        bad = sorted(effects.kinds - _LEFT_TO_FIRST_WORKER)
        if bad:
            cause = code.text((_cause(code, call, set(bad)),))
            yield code.finding(
                "R04", call.expression[0],
                f"`{cause}` in {name}() {_WORDS.get(bad[0], 'has a side effect')}, so that "
                "every worker must run it, and each of them prints",
                f"Assign `{cause}` to a name before, and print the name",
            )  # fmt: skip
        elif effects.kinds:
            cause = code.text((_cause(code, call, set(effects.kinds)),))
            yield code.finding("R04", call.expression[0],
                               f"`{cause}` in {name}() has a side effect, but only one that is "
                               "left to worker 0 with the print")  # fmt: skip


def _cause(code: Code, call: Call, kinds: set[str]) -> LN:
    """The smallest part of the arguments that has the effects."""
    found: LN = call.trailer.children[1]
    for argument in call.arguments:
        for node in walk(argument.value, skip={symbols.lambdef}):
            if effects_of(node, code.module, code.facts.effects).kinds & kinds and not _is_part(
                node
            ):
                found = node
    return found


def _is_part(node: LN) -> bool:
    """Whether the node is a piece of a call, which reads better as a whole."""
    inside_call = node.parent is not None and node.parent.type == symbols.power
    no_call = node.type == symbols.power and not any(calls_in_power(node))
    symbol = isinstance(node, Leaf) and node.type != token.STRING
    return inside_call or no_call or symbol or node.type in (symbols.trailer, symbols.arglist)
