"""text_needed_by: what must stand in a file, or in those around it, for rules to fit there.

A name, keyword or attribute that a pattern writes out is a leaf of the tree, and so a word of the
file's own text. What a dotted name means comes from an import, perhaps in another file and under
another name; nothing that means it can do without a word for the package.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from fissix.pytree import LeafPattern, NodePattern, WildcardPattern

from pinsetter.analyzer.files.needed_text import End, NeededText, Owner
from pinsetter.analyzer.files.sayings import Assumed, Saying
from pinsetter.analyzer.library import load
from pinsetter.analyzer.library.declared import declared
from pinsetter.analyzer.library.stubs import is_defined
from pinsetter.analyzer.values.last_words import last_words, second_names, spellings

from ..packs.code_in import pattern_in
from ..packs.pack import Pack, Rule
from ..reading.pattern import Pattern

_WORD = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_BUILTINS = "builtins"


def text_needed_by(pack: Pack) -> list[NeededText]:
    """What each rule of a pack needs, without any word where nothing is known."""
    return [_of_rule(rule, pack) for rule in pack.rules if not rule.is_of_imports]


def _of_rule(rule: Rule, pack: Pack) -> NeededText:
    pattern = rule.pattern
    words = _words_of(pattern)
    words |= {word for one in pattern.then for word in _required(one.compiled)}
    captured = {f"${name}" for name in ("match", *pattern.names)}
    captured |= {f"${c['argument']['as']}" for c in rule.where if "as" in c.get("argument", ())}
    words |= {word for one in rule.where for word in _in_condition(one, pack, captured)}
    if rule.renamed:
        words.add(rule.renamed.rpartition(".")[2])
    shared = {_packages([name], pack) for name in pattern.means.values()}
    shared |= {one for condition in rule.where for one in _of_condition(condition, pack)}
    how = Saying.RENAMED if pattern.reference else Saying.HANDED_ON
    ends = set() if rule.renamed else {_end([name], pack, how) for name in pattern.means.values()}
    ends |= {end for where in rule.where for end in _ends_of(where, pack, captured)}
    own = frozenset(word.encode() for word in words if _WORD.fullmatch(word))
    return NeededText(
        own,
        tuple(sorted(shared - {frozenset()}, key=sorted)),
        tuple(sorted((end for end in ends if own.isdisjoint(end.words)), key=_by_words)),
        tuple(_owners(pattern)) if pattern.reference else (),
    )


def _in_condition(condition: Mapping[str, Any], pack: Pack, captured: Collection[str]) -> set[str]:
    """The words without which code that is ``captured`` where a rule matches does not fit."""
    found: set[str] = set()
    for name, argument in condition.items():
        if name == "matches":
            for code in (code for capture, code in argument.items() if capture in captured):
                found |= _words_of(pattern_in(pack, code))
        elif name == "all":
            found |= {word for one in argument for word in _in_condition(one, pack, captured)}
        elif name == "any" and argument:
            found |= set.intersection(*(_in_condition(one, pack, captured) for one in argument))
    return found


def _words_of(pattern: Pattern) -> set[str]:
    return {*_required(pattern.compiled), *pattern.words.values()}


def _of_condition(condition: Mapping[str, Any], pack: Pack) -> set[frozenset[bytes]]:
    """The packages that a condition cannot hold without: one of each of the sets."""
    found: set[frozenset[bytes]] = set()
    for name, argument in condition.items():
        if name in ("means", "made_by"):
            found.add(_packages(argument[1:], pack))
        elif name == "imports":
            found.add(_packages(argument, pack))
        elif name in ("isa", "isa_receiver"):
            methods = [f"{cls}.__init__" for cls in pack.classes_called(argument[1:])]
            found.add(_packages(methods, pack))
        elif name in ("all", "proved"):
            for one in argument if name == "all" else [argument]:
                found |= _of_condition(one, pack)
        elif name == "any":
            each = [_of_condition(one, pack) - {frozenset()} for one in argument]
            if all(each):
                found.add(frozenset[bytes]().union(*(min(sets, key=sorted) for sets in each)))
    return found


def _owners(pattern: Pattern) -> Iterator[Owner]:
    """The package of which a name is, where only what is called so is looked for."""
    for name in pattern.means.values():
        package = name.rpartition(".")[0]
        homes = {spelled.rpartition(".")[0] for spelled in spellings([name], load())}
        if package not in ("", _BUILTINS) and "." not in package and homes == {package}:
            unless = Assumed(name, Saying.IMPORTED), *second_names([name], load(), Saying.RENAMED)
            yield Owner(package, frozenset(unless))


def _by_words(end: End) -> list[bytes]:
    return sorted(end.words)


def _ends_of(condition: Mapping[str, Any], pack: Pack, captured: Collection[str]) -> set[End]:
    """What code that is ``captured`` ends with, if it means what it has to."""
    found: set[End] = set()
    for name, argument in condition.items():
        if name in ("means", "calls") and argument[0] in captured:
            found.add(_end(argument[1:], pack, Saying.HANDED_ON))
        elif name == "all":
            found |= {end for one in argument for end in _ends_of(one, pack, captured)}
    return found


def _end(names: Iterable[str], pack: Pack, how: Saying) -> End:
    """What any of some names, or sets of functions, ends with."""
    meant = [one for name in names for one in pack.functions.get(name, (name,))]
    words = last_words(meant, load())
    return End(frozenset(map(str.encode, words)), frozenset(second_names(meant, load(), how)))


def _packages(names: Iterable[str], pack: Pack) -> frozenset[bytes]:
    """The packages by one of which one of the names can be spoken of; none if that needs no import.
    A domain's are spoken of by each other's names; methods, by what gives their instances."""
    meant = [one for name in names for one in pack.functions.get(name, (name,))]
    givers = [call for call, cls in pack.types.items()
              if any(name.startswith(f"{cls}.") for name in meant)]  # fmt: skip
    alike = [other for name in meant for others in pack.imports.values()
             if f"{name}.".startswith(f"{others[0]}.") for other in others]  # fmt: skip
    heads = {name.partition(".")[0] for name in (*meant, *givers, *alike)}
    known = declared().packages | declared().helpers
    if heads & known:
        heads |= known
    if _BUILTINS in heads or any(map(_is_method_of_python, meant)):
        return frozenset()
    return frozenset(head.encode() for head in heads)


def _is_method_of_python(name: str) -> bool:
    """Whether many a function of Python's own library may give what has this method."""
    return is_defined(name.rpartition(".")[0])


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
