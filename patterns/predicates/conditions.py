"""What several predicates need: names, other modules of the program, patterns in conditions."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator

from fissix.pygram import python_symbols as symbols

from pinsetter.analyzer.facts import Facts
from pinsetter.analyzer.files.word_uses import Saying
from pinsetter.analyzer.flow.suites import BRANCHING
from pinsetter.analyzer.library.declared import declared
from pinsetter.analyzer.names.module import Module
from pinsetter.analyzer.syntax.tree import (
    LN,
    Expression,
    attribute_name,
    calls_in_power,
    is_name,
    same_code,
    unwrap,
)
from pinsetter.analyzer.values.questions import sources

from ..matching.imported_name import import_around, is_import_of
from ..matching.match import Match
from ..matching.pattern_words import packages_of
from ..packs.pack import Pack
from ..reading.pattern import Pattern
from .registry import satisfies

_BUILTIN, _IN_SIX = "builtins.", "six.moves."
# No capture of a pattern has such a name.
_OWNER = "owner__0"


def function_names(match: Match, names: Iterable[str]) -> frozenset[str]:
    """The functions that names of sets and functions mean, as the evaluator has them; a builtin
    also as six has it for Python 2, one of the pack's definitions as modules of the program do."""
    found = functions_called(names, match.pack, match.facts)
    own = match.pack.definitions.keys() & found
    if not own:
        return found
    return found | {f"{m.name}.{name}" for m in program_modules(match) for name in own}


def functions_called(names: Iterable[str], pack: Pack, facts: Facts) -> frozenset[str]:
    """The same for the names of a pack, without what modules of a program have."""
    names = tuple(names)

    def find() -> tuple[Pack, frozenset[str]]:
        expanded = [f for name in names for f in pack.functions.get(name, (name,))]
        expanded += [_IN_SIX + f.removeprefix(_BUILTIN) for f in expanded if f.startswith(_BUILTIN)]
        # With the pack, so that its identity stays its own.
        return pack, frozenset(facts.library.canonical(name) for name in expanded)

    return facts.remembered((functions_called, id(pack), names), find)[1]


def may_be_meant(names: Iterable[str], match: Match) -> bool:
    """Whether a file of the project has a word for a package that has what some names of a pack
    mean: without one no code means it, however it is called there."""
    facts, pack = match.facts, match.pack
    if facts.project.alone is not None:
        return True  # which files there are is not known
    names = tuple(names)

    def find() -> tuple[Pack, bool]:
        heads = {name.partition(".")[0] for name in functions_called(names, pack, facts)}
        # What helps a domain has no other names, as what the domain is about has.
        packages = heads
        if not heads <= declared().helpers:
            packages = {package.decode() for package in packages_of(names, pack)}
        own = {part for module in facts.evaluator.read for part in module.name.split(".")}
        said = any(map(facts.evaluator.callers.has_word, packages))
        # With the pack, so that its identity stays its own.
        return pack, not packages or said or not packages.isdisjoint(own)

    return facts.remembered((may_be_meant, id(pack), names), find)[1]


def whole(expression: Expression) -> Expression:
    """The expression as one node, where it is all of a chain."""
    # Of a decorator's chain the first node has another parent than the others.
    parent = expression[-1].parent if expression else None
    return (parent,) if parent is not None and expression == tuple(parent.children) else expression


def program_modules(match: Match) -> tuple[Module, ...]:
    """The modules of the programs of a match; its own where it is in none."""
    return match.facts.programs.around(match.module)


def of_some_module(match: Match, asked: Hashable, holds: Callable[[Module], bool]) -> bool:
    """Whether something holds of one of the modules of the programs of a match. ``asked`` is what
    that is called: of hundreds of modules it is asked once, not for each match."""
    modules = program_modules(match)

    def find() -> tuple[tuple[Module, ...], bool]:
        # With the modules, so that their identity stays their own.
        return modules, any(map(holds, modules))

    return match.facts.remembered((of_some_module, asked, id(modules)), find)[1]


def mentions(
    expression: Expression, module: Module, match: Match, wanted: frozenset[str], depth: int
) -> bool:
    for node in expression:
        for part in module.tree.nodes(node):
            if part.type == symbols.power:
                for call in calls_in_power(part):
                    if match.facts.evaluator.names(call.callee, module) & wanted:
                        return True
            elif is_name(part) and depth:
                for binding in module.scope_of(part).lookup(part.value):
                    if (
                        binding.kind in ("assign", "with", "walrus")
                        and binding.value
                        and mentions(binding.value, module, match, wanted, depth - 1)
                    ):
                        return True
    return False


def comes_from(expression: Expression, match: Match, wanted: frozenset[str]) -> bool:
    """Whether one of the functions is called where what an expression mentions takes its value
    from: in other functions, for attributes or arguments, in place."""
    evaluator = match.facts.evaluator
    waiting = [(expression, match.module)]
    seen: set[int] = set()
    while waiting and len(seen) < _FURTHEST:
        current, module = waiting.pop()
        for part in (part for node in current for part in module.tree.nodes(node)):
            if id(part) in seen or not (part.type == symbols.power or is_name(part)):
                continue
            seen.add(id(part))
            for source, where in sources((part,), module, evaluator):
                if id(source[0]) not in seen:
                    if mentions(source, where, match, wanted, 1):
                        return True
                    waiting.append((source, where))
    return False


_FURTHEST = 200


def fits(
    pattern: Pattern,
    node: LN,
    match: Match,
    module: Module | None = None,
    whole: bool = False,
    exactly: Expression = (),
) -> Iterator[dict[str, Expression]]:
    """The captures of each way in which a pattern fits a node and the match's own captures, with
    what it fits, as ``match``; ``whole``: not only the beginning of a chain; ``exactly``: these
    nodes of one."""
    where = module or match.module
    if not pattern.may_fit(node):
        return
    if pattern.reference and node.type == symbols.import_from:
        return  # what an import binds is not read there
    for captures in pattern.matches(node):
        if whole and captures["match"][-1] not in (node, *node.children[-1:]):
            continue
        if exactly and not _same_nodes(captures["match"], exactly):
            continue
        own = {"match", *pattern.means}  # each pattern has its own, under the same names
        known = {n: code for n, code in captures.items() if n in match.captures and n not in own}
        if not all(same_code(code, match.captures[name]) for name, code in known.items()):
            continue
        if all(
            match.facts.names(captures[capture], where) & function_names(match, [name])
            for capture, name in pattern.means.items()
        ):
            new = {n: code for n, code in captures.items() if n not in own and n not in known}
            yield {**new, "match": captures["match"]}


def captures_of(ways: Iterator[dict[str, Expression]]) -> dict[str, Expression] | None:
    """The captures of the first way in which a pattern fits, if there is one."""
    found = next(ways, None)
    return None if found is None else {n: code for n, code in found.items() if n != "match"}


def _same_nodes(one: Expression, other: Expression) -> bool:
    return one[0] is other[0] and one[-1] is other[-1]


def resolves(match: Match, pattern: Pattern) -> Match | None:
    """The match, if the dotted names of its pattern mean what the pack's imports say; a name alone,
    or an attribute that is called otherwise, only where an import binds it, not the variables that
    hold the same.

    Where imports fit as well, the names that they bind are theirs to rename, and an attribute has
    to be one of the library's own module."""
    if pattern.imports:
        (name,) = pattern.means.values()
        if import_around(match.node) is not None:
            return match if is_import_of(match, name) else None
        *owner, _ = match.expression
        if not owner or attribute_name(match.expression) != name.rpartition(".")[2]:
            return None
        home = match.with_captures({_OWNER: tuple(owner)})
        if satisfies(home, [{"means": [f"${_OWNER}", name.rpartition(".")[0]]}]) is None:
            return None
    if pattern.reference and len(match.expression) > 1 and not _is_called_so(match, pattern):
        return None
    if pattern.reference and is_name(match.node) and len(match.expression) == 1:
        found = match.module.scope_of(match.node).lookup(match.node.value)
        if not found and all(name.startswith("builtins.") for name in pattern.means.values()):
            return _all_mean(match, pattern)
        if not found or any(binding.kind != "import" for binding in found):
            return None
        line = match.module.tree.line_of(found[0].node)
        match = match.with_captures({}, f"The import of {match.node.value} on line {line} stays.")
    return _all_mean(match, pattern)


def _is_called_so(match: Match, pattern: Pattern) -> bool:
    """Whether an attribute is called as what it is to mean is, or an import of its module calls
    that so."""
    names = frozenset(pattern.means.values())
    if match.facts.last_words.is_called(match.expression, names):
        return True
    if not match.facts.last_words.have_others(names, Saying.RENAMED):
        return False
    *owner, last = match.expression
    homes = match.facts.names(tuple(owner), match.module)
    modules = (module for module in match.facts.evaluator.read if module.name in homes)
    bound = [one for module in modules for one in module.binding(last.children[1].value)]
    return bool(bound) and all(binding.kind == "import" for binding in bound)


def _all_mean(match: Match, pattern: Pattern) -> Match | None:
    return satisfies(match, [{"means": [capture, name]} for capture, name in pattern.means.items()])


def branching_of(match: Match, capture: str) -> LN:
    """The ``if``, ``while`` or ``for`` that a capture is. Raises ValueError if it is none."""
    found = unwrap(match.capture(capture))
    if len(found) != 1 or found[0].type not in BRANCHING:
        raise ValueError(f"{match.rule.id}: {capture} is no `if`, `while` or `for`")
    return found[0]


def function_of(match: Match, capture: str) -> LN:
    """The function that a capture is. Raises ValueError if it is none."""
    found = unwrap(match.capture(capture))
    if len(found) != 1 or found[0].type != symbols.funcdef:
        raise ValueError(f"{match.rule.id}: {capture} is no function")
    return found[0]
