"""Wildcards: what stands for any nodes in fissix's patterns, without a search.

``any*`` is compiled to a repetition of a pattern that fits everything. fissix tries that for each
node by a generator in a generator, so that a chain of n calls takes the cube of n steps. It knows a
shorter form, for which it counts, and gives the same matches in the same order. At the end of a
node's children only one of all counts fits.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fissix.pytree import HUGE, Base, BasePattern, NodePattern, WildcardPattern

_optimize = WildcardPattern.optimize


def install() -> None:
    """Let patterns that are compiled from now on have the shorter forms."""
    WildcardPattern.optimize = _shortened
    NodePattern.optimize = _anchored


class _Rest(WildcardPattern):  # type: ignore[misc]
    """``any*`` at the end of all children."""

    def generate_matches(self, nodes: Sequence[Base]) -> Iterator[tuple[int, dict[str, object]]]:
        yield len(nodes), {self.name: nodes} if self.name else {}


def _shortened(pattern: WildcardPattern) -> BasePattern:
    content = pattern.content
    if (
        content is not None
        and len(content) == 1
        and len(content[0]) == 1
        and _is_any(content[0][0])
    ):
        pattern = WildcardPattern(None, pattern.min, pattern.max, pattern.name)
    return _optimize(pattern)


def _is_any(pattern: BasePattern) -> bool:
    plain = type(pattern) is NodePattern and pattern.type is None and pattern.content is None
    return plain and pattern.name is None


def _anchored(pattern: NodePattern) -> BasePattern:
    children = pattern.content[0] if pattern.content and len(pattern.content) == 1 else None
    if not isinstance(children, WildcardPattern) or (children.min, children.max) != (1, 1):
        return pattern
    if children.content is None or len(children.content) != 1:
        return pattern
    *before, last = children.content[0]
    if type(last) is WildcardPattern and (last.content, last.min, last.max) == (None, 0, HUGE):
        children.content = ((*before, _Rest(None, 0, HUGE, last.name)),)
    return pattern
