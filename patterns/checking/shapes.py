"""impossible: why no tree has what a compiled lib2to3 pattern asks for."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache, reduce
from typing import Any

from fissix.pygram import python_symbols as symbols
from fissix.pytree import LeafPattern, NegatedPattern, NodePattern, WildcardPattern, type_repr

from pinsetter.analyzer.syntax.grammar import Grammar, load

# The grammar's own words for tokens that are told apart by what follows.
_SPECIAL = {"(": {"with(", "group("}, "@": {"decorator@"}, "except": {"except*"}}
_TEXTS = {"NAME", "NUMBER", "STRING"}


def impossible(pattern: Any) -> str:
    """The reason, or "" if some tree may have it."""
    if isinstance(pattern, LeafPattern):
        text = pattern.content
        if isinstance(text, str) and re.search(r"\w\s+\w", text) and text[0] not in "'\"":
            return f"{text!r} is several words, and each is a leaf of its own"
    elif isinstance(pattern, NodePattern) and pattern.content is not None:
        inside = next(filter(None, map(impossible, pattern.content)), "")
        return inside or _unlike_any(pattern)
    elif isinstance(pattern, WildcardPattern) and pattern.content is not None and pattern.min:
        whys = [next(filter(None, map(impossible, one)), "") for one in pattern.content]
        return whys[0] if whys and all(whys) else ""
    return ""


def _unlike_any(pattern: NodePattern) -> str:
    """Why no node of this kind has these children."""
    if pattern.type is None or pattern.type == symbols.file_input:
        return ""
    name = type_repr(pattern.type)
    if not pattern.wildcards and len(pattern.content) == 1:
        return f"a {name} with one child is not kept, only the child"
    grammar = _grammar()
    states = grammar.states.get(str(name))
    if states is None:
        return ""
    ends = reduce(lambda at, one: _after(at, one, str(name)), pattern.content, frozenset({0}))
    return "" if any(states[end].final for end in ends) else f"no {name} has such children"


def _after(at: frozenset[int], pattern: Any, symbol: str) -> frozenset[int]:
    """The states of a symbol's automaton after children that a pattern fits."""
    grammar = _grammar()
    states = grammar.states[symbol]
    if isinstance(pattern, NegatedPattern):
        return at  # it is no child, and only looks ahead
    if isinstance(pattern, WildcardPattern):
        if pattern.content is None or pattern.max > 1:
            return _reached(at, symbol)
        parts = (reduce(lambda s, p: _after(s, p, symbol), one, at) for one in pattern.content)
        return frozenset[int]().union(*parts, at if not pattern.min else ())
    return frozenset(
        end for one in at for label, end in states[one].arcs.items()
        if _takes(label, pattern, grammar)
    )  # fmt: skip


def _reached(at: Iterable[int], symbol: str) -> frozenset[int]:
    found, waiting = set(at), list(at)
    while waiting:
        more = set(_grammar().states[symbol][waiting.pop()].arcs.values()) - found
        found |= more
        waiting += more
    return frozenset(found)


def _takes(label: str, pattern: Any, grammar: Grammar) -> bool:
    """Whether a child of a rule may be what a pattern of one node fits; rather yes than no."""
    if isinstance(pattern, NodePattern):
        return pattern.type is None or label in grammar.states
    text = pattern.content
    if text is None or label == text or label.isupper() or label in _SPECIAL.get(text, ()):
        return True
    first = grammar.first.get(label, frozenset())
    # What a rule has one child of is that child.
    return text in first or (bool(first & _TEXTS) and (text[0].isalnum() or text[0] in "_'\""))


@cache
def _grammar() -> Grammar:
    return load()
