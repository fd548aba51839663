"""Generalised: code as a pattern, with metavariables for what another place may have instead."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from fissix.pgen2 import token
from fissix.pygram import python_symbols as symbols

from pinsetter.analyzer.names.module import Module
from pinsetter.analyzer.names.scopes import BUILTINS
from pinsetter.analyzer.syntax.tree import LN, Expression, is_name, is_variable, leaves, walk

# What may stand for one expression in a pattern.
_EXPRESSIONS = {
    symbols.power, symbols.atom, symbols.arith_expr, symbols.term, symbols.comparison,
    symbols.and_test, symbols.or_test, symbols.not_test, symbols.test, symbols.lambdef,
    symbols.factor, symbols.expr, symbols.xor_expr, symbols.and_expr, symbols.shift_expr,
    token.NAME, token.NUMBER, token.STRING,
}  # fmt: skip
_NAMES = ("x", "y", "z", "a", "b", "c", "d", "e")


@dataclass
class Naming:
    """Names for the code that metavariables stand for, by its text; what reads as one name is
    called by it."""

    of: dict[str, str] = field(default_factory=dict)

    def name(self, text: str) -> str:
        if text not in self.of:
            taken = set(self.of.values())
            wanted = [text] if text.isidentifier() and text.islower() else []
            numbered = (f"x{number}" for number in range(1, 1_000))
            names = (*wanted, *_NAMES, *numbered)
            self.of[text] = next(name for name in names if name not in taken and name != "it")
        return self.of[text]


def expressions(code: Expression) -> Iterator[LN]:
    """The expressions in code that another place may have others for, the larger first: the name of
    an attribute, argument or import is none, nor is what is called by one."""
    for node in code:
        for below in walk(node):
            if (below is node and len(code) == 1) or below.type not in _EXPRESSIONS:
                continue
            if not is_name(below) or (is_variable(below) and not _is_called(below)):
                yield below


def _is_called(name: LN) -> bool:
    """Whether a name stands in front of the arguments of a call."""
    following = name.next_sibling
    return (
        following is not None
        and following.type == symbols.trailer
        and following.children[0].type == token.LPAR
    )


def text_of(*code: LN) -> str:
    """Code without what stands around it, on one line."""
    return "".join(
        (" " if number and leaf.prefix else "") + leaf.value
        for number, leaf in enumerate(leaf for node in code for leaf in leaves(node))
    )


def is_imported(node: LN, module: Module) -> bool:
    """Whether code is, or begins with, a name that an import binds, or Python itself."""
    first = next(leaves(node))
    if not is_name(first) or not is_variable(first):
        return False
    bindings = module.scope_of(first).lookup(first.value)
    if not bindings:
        return first.value in BUILTINS
    return any(binding.kind == "import" for binding in bindings)


def replaced(code: Expression, module: Module, parts: Sequence[tuple[LN, str]]) -> str:
    """The text of code with others for some of its nodes."""
    start, end = module.tree.span(code)
    text, at = "", start
    for part, new in sorted(parts, key=lambda one: module.tree.start(one[0])):
        begin, stop = module.tree.span((part,))
        text += module.tree.text[at:begin] + new
        at = stop
    return text + module.tree.text[at:end]


def imports_said(codes: Expression, module: Module) -> dict[str, str]:
    """What names in code are bound to by imports of the file, as a pack's head has that."""
    found: dict[str, str] = {}
    for code in codes:
        for leaf in leaves(code):
            if not is_name(leaf) or not is_variable(leaf):
                continue
            for binding in module.scope_of(leaf).lookup(leaf.value):
                target = binding.target
                if binding.kind == "import" and target is not None and not target.level:
                    member = f"from {target.module} import {target.name}"
                    found[leaf.value] = member if target.name else target.module
    return found
