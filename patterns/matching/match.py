"""Match: one place where a rule's pattern fits, with its captures and the facts around it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from fissix.pgen2 import token
from fissix.pygram import python_symbols as symbols

from pinsetter.analyzer.facts import Facts
from pinsetter.analyzer.names.module import Module
from pinsetter.analyzer.syntax.tree import (
    COMPOUND,
    LN,
    Call,
    Expression,
    ancestors,
    outer_call,
    statement_of,
)

from ..edits.fragment import Fragment, Slot
from ..packs.pack import Pack, Rule


@dataclass(frozen=True)
class Match:
    """``captures["match"]`` is the matched code, ``texts`` what conditions found out besides, for
    templates, with ``slots`` of what of them stands in the file; ``warnings`` says what was
    assumed."""

    pack: Pack
    rule: Rule
    module: Module
    facts: Facts
    captures: Mapping[str, Expression]
    warnings: tuple[str, ...] = ()
    texts: Mapping[str, str] = field(default_factory=dict)
    slots: Mapping[str, tuple[Slot, ...]] = field(default_factory=dict)

    @property
    def expression(self) -> Expression:
        return self.captures["match"]

    @property
    def node(self) -> LN:
        return self.expression[0]

    @property
    def statement(self) -> LN:
        return statement_of(self.node)

    @property
    def call(self) -> Call | None:
        return outer_call(self.expression)

    def capture(self, reference: str) -> Expression:
        """The code that ``$name`` stands for; empty if the rule has no such capture."""
        return self.captures.get(reference.lstrip("$").removeprefix("..."), ())

    def source(self, expression: Expression) -> str:
        return self.module.tree.source(expression) if expression else ""

    def with_captures(self, captures: Mapping[str, Expression], *warnings: str) -> Match:
        more = tuple(w for w in warnings if w not in self.warnings)
        return replace(self, captures={**self.captures, **captures}, warnings=self.warnings + more)

    def with_texts(self, texts: Mapping[str, str | Fragment]) -> Match:
        found = {n: one if isinstance(one, Fragment) else Fragment(one) for n, one in texts.items()}
        return replace(
            self,
            texts={**self.texts, **{name: one.text for name, one in found.items()}},
            slots={**self.slots, **{name: one.slots for name, one in found.items()}},
        )

    @property
    def sources(self) -> dict[str, str]:
        """What each ``$name`` reads in a sentence."""
        return {name: self.source(code) for name, code in self.captures.items()} | dict(self.texts)


def position(expression: Expression) -> str:
    """How an expression stands in its statement: ``expression`` or ``return`` if it is the whole
    of it, ``assignment`` if it is the right side, ``part`` of a simple statement, an ``optional``
    part that need not run when the statement does (right of ``and``), or ``inside`` something that
    runs at another time or is no simple statement (a lambda, the head of a loop)."""
    node = expression[-1]
    parent = node.parent
    if parent is not None and parent.type == symbols.power and node is parent.children[-1]:
        node, parent = parent, parent.parent
    statement = statement_of(node)
    if parent is None or statement.type in COMPOUND:
        return "inside"
    if node is statement:
        return "expression"
    if parent is statement and statement.type == symbols.return_stmt:
        return "return"
    if (
        parent is statement
        and statement.type == symbols.expr_stmt
        and node is statement.children[-1]
        and statement.children[1].type == token.EQUAL
    ):
        return "assignment"
    found = "part"
    child = node
    for outer in ancestors(node):
        if child is statement:
            break
        if outer.type == symbols.lambdef:
            return "inside"
        if _may_skip(outer, child):
            found = "optional"
        child = outer
    return found


def _may_skip(outer: LN, part: LN) -> bool:
    """Whether evaluating ``outer`` need not evaluate ``part``, one of its children."""
    if outer.type in (symbols.and_test, symbols.or_test):
        return part is not outer.children[0]
    if outer.type == symbols.test:
        return part is not outer.children[2]
    if outer.type == symbols.comparison:
        # `a < b < c` is `a < b and b < c`.
        return not any(part is child for child in outer.children[:3])
    if outer.type == symbols.assert_stmt:
        return part is not outer.children[1]
    # A string, which is around what stands in its fields, has no children.
    return any(child.type == symbols.comp_for for child in outer.children[-1:])
