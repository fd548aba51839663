"""text_needed_by: what must stand in a file, or in those around it, for rules to fit there.

A name, keyword or attribute that a pattern writes out is a leaf of the tree, and so a word of the
file's own text. What a dotted name means comes from an import, perhaps in another file and under
another name; nothing that means it can do without a word for the package.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from fissix.pytree import LeafPattern, NodePattern, WildcardPattern

from pinsetter.analyzer.files.needed_text import NeededText
from pinsetter.analyzer.library.declared import declared

from ..packs.pack import Pack, Rule

_WORD = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_BUILTINS = "builtins"


def text_needed_by(pack: Pack) -> list[NeededText]:
    """What each rule of a pack needs, without any word where nothing is known."""
    return [_of_rule(rule, pack) for rule in pack.rules if not rule.is_of_imports]


def _of_rule(rule: Rule, pack: Pack) -> NeededText:
    pattern = rule.pattern
    words = {*_required(pattern.compiled), *pattern.words.values()}
    if rule.renamed:
        words.add(rule.renamed.rpartition(".")[2])
    meant = [[name] for name in pattern.means.values()]
    meant += [condition["means"][1:] for condition in rule.where if "means" in condition]
    shared = (_packages(names, pack) for names in meant)
    return NeededText(
        frozenset(word.encode() for word in words if _WORD.fullmatch(word)),
        tuple(sorted({one for one in shared if one}, key=sorted)),
    )


def _packages(names: Iterable[str], pack: Pack) -> frozenset[bytes]:
    """The packages by one of which one of the names can be spoken of; none if that needs no import.
    A domain's are spoken of by each other's names."""
    meant = [one for name in names for one in pack.functions.get(name, (name,))]
    alike = [other for name in meant for others in pack.imports.values()
             if f"{name}.".startswith(f"{others[0]}.") for other in others]  # fmt: skip
    heads = {name.partition(".")[0] for name in (*meant, *alike)}
    known = declared().packages | declared().helpers
    if heads & known:
        heads |= known
    return frozenset() if _BUILTINS in heads else frozenset(head.encode() for head in heads)


def _required(pattern: object) -> frozenset[str]:
    """The texts of leaves that every match has."""
    if isinstance(pattern, LeafPattern):
        return frozenset([pattern.content] if pattern.content is not None else [])
    if isinstance(pattern, NodePattern):
        return _of_all(pattern.content or ())
    if isinstance(pattern, WildcardPattern) and pattern.min and pattern.content:
        return frozenset.intersection(*map(_of_all, pattern.content))
    return frozenset()


def _of_all(patterns: object) -> frozenset[str]:
    return frozenset(_each(patterns))


def _each(patterns: object) -> Iterator[str]:
    for pattern in patterns:  # type: ignore[attr-defined]
        yield from _required(pattern)
