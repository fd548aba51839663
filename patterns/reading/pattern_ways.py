"""ways: every way in which a lib2to3 pattern fits a node; fissix stops at the first inside it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from fissix.pytree import NodePattern, WildcardPattern

from pinsetter.analyzer.syntax.tree import LN

Captures = dict[str, Any]
_MOST = 10_000


def ways(pattern: object, node: LN) -> Iterator[Captures]:
    """The captures of each, of so many at most; those of which the runs are shorter come first."""
    seen: set[tuple[object, ...]] = set()
    for found in islice(_of_node(pattern, node), _MOST):
        key = tuple((name, _identity(code)) for name, code in sorted(found.items()))
        if key not in seen:
            seen.add(key)
            yield found


def _identity(code: Any) -> object:
    return tuple(map(id, code)) if isinstance(code, list | tuple) else id(code)


def _of_node(pattern: Any, node: LN) -> Iterator[Captures]:
    if isinstance(pattern, WildcardPattern):
        yield from (found for count, found in _beginnings(pattern, [node]) if count == 1)
        return
    if not isinstance(pattern, NodePattern):
        own: Captures = {}
        if pattern.match(node, own):
            yield own
        return
    if pattern.type is not None and pattern.type != node.type:
        return
    children = list(node.children)
    inside: Iterator[Captures] = iter([{}])
    if pattern.content is not None:
        sequences = _sequence(pattern.content, children)
        inside = (found for count, found in sequences if count == len(children))
    for found in inside:
        yield {**found, pattern.name: node} if pattern.name else found


def _sequence(patterns: Sequence[Any], nodes: Sequence[LN]) -> Iterator[tuple[int, Captures]]:
    if not patterns:
        yield 0, {}
        return
    first, *rest = patterns
    for count, found in _beginnings(first, nodes):
        for more, others in _sequence(rest, nodes[count:]):
            yield count + more, {**found, **others}


def _beginnings(pattern: Any, nodes: Sequence[LN]) -> Iterator[tuple[int, Captures]]:
    """How many of the nodes a pattern may stand for, with its captures."""
    if not isinstance(pattern, WildcardPattern):
        if hasattr(pattern, "type"):
            if nodes:
                yield from ((1, found) for found in _of_node(pattern, nodes[0]))
        else:  # one that is negated
            yield from pattern.generate_matches(nodes)
        return
    if pattern.content is None and type(pattern) is WildcardPattern:
        counts = range(pattern.min, 1 + min(len(nodes), pattern.max))
        made: Iterator[tuple[int, Captures]] = ((count, {}) for count in counts)
    elif pattern.name == "bare_name" or type(pattern) is not WildcardPattern:
        made = iter(pattern.generate_matches(nodes))
    else:
        made = _repeated(pattern, nodes, 0)
    for count, found in made:
        yield count, {**found, pattern.name: list(nodes[:count])} if pattern.name else found


def _repeated(
    pattern: WildcardPattern, nodes: Sequence[LN], times: int
) -> Iterator[tuple[int, Captures]]:
    if times >= pattern.min:
        yield 0, {}
    if times >= pattern.max:
        return
    for alternative in pattern.content:
        for count, found in _sequence(alternative, nodes):
            if count == 0 and times >= pattern.min:
                continue  # it would go on for ever
            for more, others in _repeated(pattern, nodes[count:], times + 1):
                yield count + more, {**found, **others}
