"""Automaton: what to do with the next token, worked out once and then looked up.

LL(1), with a difference that makes most of the speed: fissix's trees have no node with a single
child, and Python's grammar puts fifteen rules around every name. So rules that have begun but hold
only one child are kept as a *chain* of (symbol, state) pairs and get neither a frame nor a node. A
Table stands for one chain: the bottom pair is the rule whose children are being collected, the
pairs above it all share its last child. Popping the fifteen rules costs nothing, for the answer is
in the table. Tables are made when they are first needed and then kept.
"""

from __future__ import annotations

from typing import Any

from .grammar import START, Grammar

Pair = tuple[str, int]
Chain = tuple[Pair, ...]

# What a token does to a chain: one of
#   (SHIFT, None, next)            it becomes the next child; go on with the table ``next``
#   (symbol's number, below, next) a rule of the chain gets a second child, the token, and becomes
#                                  a node; what is under it goes on with ``below`` afterwards
#   (REDUCE, None, None)           the rule at the bottom is complete: make its node, ask below it
#   (ASK, soft, plain)             which of two labels it has is for lookahead to say
# Plain tuples, because they are unpacked for every token.
Action = tuple[int, Any, Any]
SHIFT = 0
REDUCE = -1
ASK = -2


class Table(dict[str, "Action | None"]):
    """The actions of one chain by the token's label; None: the token cannot stand here."""

    __slots__ = ("automaton", "chain")

    def __init__(self, automaton: Automaton, chain: Chain) -> None:
        self.automaton = automaton
        self.chain = chain

    def __missing__(self, label: str) -> Action | None:
        action = self[label] = self.automaton.action(self.chain, label)
        return action

    def expected(self) -> tuple[set[str], bool]:
        """The labels that this chain can take, and whether its rule may also end here."""
        grammar = self.automaton.grammar
        found: set[str] = set()
        for symbol, number in reversed(self.chain):
            state = grammar.states[symbol][number]
            for arc in state.arcs:
                found |= grammar.first.get(arc, {arc})
            if not state.final:
                return found, False
        return found, True


# Labels of tokens that may be more than they seem: what they are otherwise, and what they may be.
SOFT = {
    "(?": ("(", ("with(", "group(")),
    "@?": ("@", ("decorator@",)),
    "except?": ("except", ("except*",)),
    "match?": ("NAME", ("match",)),
    "case?": ("NAME", ("case",)),
    "type?": ("NAME", ("type",)),
    "nonlocal?": ("NAME", ("nonlocal",)),
    "async?": ("NAME", ("ASYNC",)),
    "await?": ("NAME", ("AWAIT",)),
}


class Automaton:
    """The tables of one grammar."""

    def __init__(self, grammar: Grammar) -> None:
        self.grammar = grammar
        self._tables: dict[Chain, Table] = {}
        self.start = self.table(((START, 0),))

    def table(self, chain: Chain) -> Table:
        found = self._tables.get(chain)
        if found is None:
            found = self._tables[chain] = Table(self, chain)
        return found

    def action(self, chain: Chain, label: str) -> Action | None:
        plain, softer = SOFT.get(label, (label, ()))
        for soft in softer:
            action = self._action(chain, soft)
            if action is not None and action[0] != REDUCE:
                return (ASK, soft, plain)
        return self._action(chain, plain)

    def _action(self, chain: Chain, label: str) -> Action | None:
        for at in range(len(chain) - 1, -1, -1):
            symbol, number = chain[at]
            pushed = self._push(symbol, number, label)
            if pushed and at:
                kind = self.grammar.numbers[symbol]
                return (kind, self.table(chain[:at]), self.table(pushed))
            if pushed:
                return (SHIFT, None, self.table(pushed))
            if not self.grammar.states[symbol][number].final:
                return None
        return (REDUCE, None, None)

    def _push(self, symbol: str, number: int, label: str) -> Chain:
        """The rule's pair after ``label`` and the pairs of the rules that it begins; or ()."""
        first = self.grammar.first
        for arc, target in self.grammar.states[symbol][number].arcs.items():
            if arc == label:
                return ((symbol, target),)
            if arc in first and label in first[arc]:
                return ((symbol, target), *self._push(arc, 0, label))
        return ()
