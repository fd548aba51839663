"""why_not: what keeps the rules of a pack from the code in one line of a file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import yaml

from pinsetter.analyzer.facts import Facts
from pinsetter.analyzer.names.module import Module
from pinsetter.analyzer.syntax.tree import LN
from pinsetter.patterns.applying.application import Application
from pinsetter.patterns.applying.module_rules import ModuleRules
from pinsetter.patterns.matching.match import Match
from pinsetter.patterns.packs.pack import Pack, Rule
from pinsetter.patterns.predicates import resolves, satisfies

_CAPTURE = re.compile(r"\$(?:\.\.\.)?(\w+)")
# What only asks what a name in the code is.
_OF_NAMES = {"calls", "is_class", "means", "method"}


@dataclass(frozen=True)
class Answer:
    """What becomes of code that a rule's pattern fits: it ``applies``, or the ``reason`` why it
    does not, with ``details`` of what is known. It is ``near`` if more than the names in it keep
    the rule from it."""

    rule: Rule
    code: str
    applies: bool
    reason: str
    details: list[str] = field(default_factory=list)
    near: bool = True


def why_not(pack: Pack, rules: Iterable[Rule], module: Module, facts: Facts, line: int
            ) -> list[Answer]:  # fmt: skip
    """An answer for each way in which the pattern of a rule fits code that begins in the line."""
    applied = ModuleRules(pack, module, facts)
    found = []
    nodes = list(_nodes(module, line))
    for rule in rules:
        for node in nodes:
            for number, captures in enumerate(rule.pattern.matches(node)):
                match = Match(pack, rule, module, facts, captures)
                if not rule.renamed or not (applied.is_symbol(rule) or applied.is_module(rule)):
                    found.append(_answer(match, applied, number))
        found += _renames(rule, applied, line)
    return list({(a.rule.id, a.code, a.reason): a for a in found}.values())


def _renames(rule: Rule, rules: ModuleRules, line: int) -> Iterator[Answer]:
    """What a rule that renames in all files at once does in a line."""
    for made in rules.renames(rule):
        if isinstance(made, Application):
            lines = {rules.module.tree.line(edit.start) for edit in made.edits}
            if line in lines:
                yield Answer(rule, rule.renamed, True, "it applies", list(made.warnings))
        elif made.line == line:
            yield Answer(rule, rule.renamed, False, f"it is reported: {made.text}")


def _nodes(module: Module, line: int) -> Iterator[LN]:
    tree = module.tree
    return (node for node in tree.nodes()
            if node.parent is not None and tree.line_of(node) == line)  # fmt: skip


def _answer(match: Match, rules: ModuleRules, number: int) -> Answer:
    rule, code = match.rule, match.source(match.expression)
    resolved = resolves(match, rule.pattern)
    if resolved is None:
        wanted = ", ".join(rule.pattern.means.values())
        names = [_known(capture, match) for capture in rule.pattern.means]
        near = any(name.rpartition(".")[2] in code for name in rule.pattern.means.values())
        return Answer(rule, code, False, f"it does not mean {wanted}", names, near)
    current = resolved
    for condition in rule.where:
        holds = satisfies(current, [condition])
        if holds is None:
            failed = _innermost(condition, current)
            names = _CAPTURE.findall(str(failed))
            details = [_known(name, current) for name in dict.fromkeys(names)]
            near = current is not resolved or not _OF_NAMES & failed.keys()
            reason = f"this does not hold: {_written(failed)}"
            return Answer(rule, code, False, reason, details, near)
        current = holds
    outcome = rules.outcome(current, number)
    if not isinstance(outcome, Application):
        return Answer(rule, code, False, f"it is reported: {outcome.text}")
    return Answer(rule, code, True, "it applies", list(outcome.warnings))


def _innermost(condition: Any, match: Match) -> Any:
    """The part of a condition that does not hold; of alternatives, all of them."""
    for part in condition.get("all", ()):
        if satisfies(match, [part]) is None:
            return _innermost(part, match)
    return condition


def _written(condition: Any) -> str:
    text = yaml.safe_dump(condition, default_flow_style=True, sort_keys=False, width=1_000)
    return " ".join(text.split()).removesuffix(" ...")


def _known(name: str, match: Match) -> str:
    """A capture, its code, and what it may be by what the analyzer knows."""
    code = match.capture(name)
    if not code:
        return match.texts.get(name, f"${name} stands for nothing")
    shown = " ".join(match.source(code).split())
    names = sorted(match.facts.evaluator.names(code, match.module))
    what = shown if name in match.rule.pattern.means else f"${name} is {shown}"
    return (
        f"{what}, which may be {', '.join(names)}"
        if names
        else f"{what}, of which no more is known"
    )
