"""What several predicates need: names, other modules of the program, patterns in conditions."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from fissix.pygram import python_symbols as symbols

from pinsetter.analyzer.module import Module
from pinsetter.analyzer.tree import (
    LN,
    Expression,
    calls_in_power,
    is_name,
    same_code,
    walk,
)

from ..code import Pattern, compile_code
from ..match import Match
from .registry import satisfies


def function_names(match: Match, names: Iterable[str]) -> frozenset[str]:
    expanded = [f for name in names for f in match.pack.functions.get(name, (name,))]
    return frozenset(match.facts.library.canonical(name) for name in expanded)


def whole(expression: Expression) -> Expression:
    """The expression as one node, where it is all of a chain."""
    parent = expression[0].parent if expression else None
    return (parent,) if parent is not None and expression == tuple(parent.children) else expression


def program_modules(match: Match) -> list[Module]:
    programs = match.facts.programs.of(match.module)
    found = {id(m): m for program in programs for m in program.modules}
    return list(found.values()) or [match.module]


def mentions(
    expression: Expression, module: Module, match: Match, wanted: frozenset[str], depth: int
) -> bool:
    for node in expression:
        for part in walk(node):
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


def fit(
    pattern: Pattern, node: LN, match: Match, module: Module | None = None
) -> dict[str, Expression] | None:
    where = module or match.module
    for captures in pattern.matches(node):
        known = {name: code for name, code in captures.items() if name in match.captures}
        known.pop("match", None)
        if not all(same_code(code, match.captures[name]) for name, code in known.items()):
            continue
        evaluator = match.facts.evaluator
        if all(
            match.facts.library.canonical(name) in evaluator.names(captures[capture], where)
            for capture, name in pattern.means.items()
        ):
            names = set(pattern.means) | {"match"} | set(known)
            return {name: code for name, code in captures.items() if name not in names}
    return None


def pattern_of(match: Match, code: str) -> Pattern:
    meanings = ((alias, names[0]) for alias, names in match.pack.imports.items())
    return _compiled(code, tuple(sorted(meanings)))


@cache
def _compiled(code: str, imports: tuple[tuple[str, str], ...]) -> Pattern:
    return compile_code(code, dict(imports))


def resolves(match: Match, pattern: Pattern) -> Match | None:
    """The match, if the dotted names of its pattern mean what the pack's imports say."""
    return satisfies(match, [{"means": [capture, name]} for capture, name in pattern.means.items()])
