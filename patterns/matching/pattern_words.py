"""needed_by: what must stand in a file, or in those around it, for rules to fit there.

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
from pinsetter.analyzer.files.word_uses import Assumed, Saying
from pinsetter.analyzer.library import load
from pinsetter.analyzer.library.declared import declared
from pinsetter.analyzer.library.spellings import last_words, second_names, spellings
from pinsetter.analyzer.library.stubs import is_defined

from ..packs.code_in import pattern_in
from ..packs.pack import Pack, Rule
from ..reading.pattern import Pattern

_WORD = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_BUILTINS = "builtins"
_NOTHING = NeededText()
# With more ways in which a rule's conditions may hold it is not asked what each of them needs.
_MOST_WAYS = 16


def needed_in(pack: Pack) -> dict[str, list[NeededText]]:
    """What each rule of a pack needs, one of these, by the ids of the rules."""
    rules = (rule for rule in pack.rules if not rule.is_of_imports)
    return {rule.id: [*needed_by(rule, pack)] for rule in rules}


def needed_by(rule: Rule, pack: Pack) -> Iterator[NeededText]:
    """What a rule of a pack needs: one of these, without any word where nothing is known."""
    pattern = rule.pattern
    words = {*_words_of(pattern), rule.renamed.rpartition(".")[2]}
    words |= {word for one in pattern.then for word in _required(one.compiled)}
    captured = {f"${name}" for name in ("match", *pattern.names)}
    captured |= {f"${c['argument']['as']}" for c in rule.where if "as" in c.get("argument", ())}
    how = Saying.RENAMED if pattern.reference else Saying.HANDED_ON
    names = pattern.means.values()
    own = NeededText(
        _coded(words),
        frozenset(packages_of([name], pack) for name in names),
        frozenset(() if rule.renamed else (_end([name], pack, how) for name in names)),
        frozenset(_owners(pattern)) if pattern.reference else frozenset(),
    )
    if any("strings" in edit for edit in rule.edits):
        own = NeededText(own.own)  # a string is a way to it without an import
    for need in _of_all(rule.where, pack, captured):
        found = own.joined(need)
        yield NeededText(
            found.own,
            found.shared - {frozenset()},
            frozenset(end for end in found.ends if found.own.isdisjoint(end.words)),
            found.owners,
        )


def _of_all(
    conditions: Iterable[Mapping[str, Any]], pack: Pack, captured: Collection[str]
) -> list[NeededText]:
    """What conditions cannot hold without: one of these. ``captured`` is code of the file."""
    found = [_NOTHING]
    for name, argument in (item for condition in conditions for item in condition.items()):
        ways = _of_condition(name, argument, pack, captured)
        if len(found) * len(ways) <= _MOST_WAYS:
            found = [one.joined(other) for one in found for other in ways]
    return found


def _of_condition(
    name: str, argument: Any, pack: Pack, captured: Collection[str]
) -> list[NeededText]:
    if name in ("means", "calls", "made_by"):
        packages = frozenset([packages_of(argument[1:], pack)])
        is_own = name != "made_by" and argument[0] in captured
        ends = frozenset([_end(argument[1:], pack, Saying.HANDED_ON)] if is_own else [])
        return [NeededText(shared=packages, ends=ends)]
    if name == "imports":
        return [NeededText(shared=frozenset([packages_of(argument, pack)]))]
    if name in ("isa", "isa_receiver"):
        methods = [f"{cls}.__init__" for cls in pack.classes_called(argument[1:])]
        return [NeededText(shared=frozenset([packages_of(methods, pack)]))]
    if name == "method" and argument[0] in captured:
        return [NeededText(ends=frozenset([End(_coded(argument[1:]), frozenset())]))]
    if name == "matches":
        codes = [code for capture, code in argument.items() if capture in captured]
        return [NeededText(_coded(w for code in codes for w in _words_of(pattern_in(pack, code))))]
    if name in ("all", "proved"):
        return _of_all(argument if name == "all" else [argument], pack, captured)
    if name == "any" and argument:
        return [need for one in argument for need in _of_all([one], pack, captured)]
    return [_NOTHING]


def words_of(pattern: Pattern) -> frozenset[str]:
    """The words without which a pattern fits nothing in a file."""
    then = (word for one in pattern.then for word in _required(one.compiled))
    return frozenset(filter(_WORD.fullmatch, (*_words_of(pattern), *then)))


def _coded(words: Iterable[str]) -> frozenset[bytes]:
    return frozenset(word.encode() for word in words if _WORD.fullmatch(word))


def _words_of(pattern: Pattern) -> set[str]:
    return {*_required(pattern.compiled), *pattern.words.values()}


def _owners(pattern: Pattern) -> Iterator[Owner]:
    """The package of which a name is, where only what is called so is looked for."""
    for name in pattern.means.values():
        package = name.rpartition(".")[0]
        homes = {spelled.rpartition(".")[0] for spelled in spellings([name], load())}
        if package not in ("", _BUILTINS) and "." not in package and homes == {package}:
            unless = Assumed(name, Saying.IMPORTED), *second_names([name], load(), Saying.RENAMED)
            yield Owner(package, frozenset(unless))


def _end(names: Iterable[str], pack: Pack, how: Saying) -> End:
    """What any of some names, or sets of functions, ends with."""
    meant = [one for name in names for one in pack.functions.get(name, (name,))]
    words = last_words(meant, load())
    return End(frozenset(map(str.encode, words)), frozenset(second_names(meant, load(), how)))


def packages_of(names: Iterable[str], pack: Pack) -> frozenset[bytes]:
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
    # A file has a definition of the pack's by itself.
    here = _BUILTINS in heads or not pack.definitions.keys().isdisjoint(meant)
    if here or any(map(_is_method_of_python, meant)):
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
        return _of_each(pattern.content or ())
    if isinstance(pattern, WildcardPattern) and pattern.min and pattern.content:
        return frozenset.intersection(*map(_of_each, pattern.content))
    return frozenset()


def _of_each(patterns: object) -> frozenset[str]:
    return frozenset(_each(patterns))


def _each(patterns: object) -> Iterator[str]:
    for pattern in patterns:  # type: ignore[attr-defined]
        yield from _required(pattern)
