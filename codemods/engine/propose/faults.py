"""Fault: a rule that cannot be used somewhere, by a mistake of its own or of this program's."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from pinsetter.analyzer.messages.problem import Problem
from pinsetter.analyzer.messages.unforeseen import HINT, said
from pinsetter.analyzer.names.module import Module
from pinsetter.patterns.applying.application import Report
from pinsetter.patterns.packs.own_python import PackCodeError
from pinsetter.patterns.packs.pack import Pack, Rule

from ..hunks.validity import Invalid


@dataclass(frozen=True)
class Fault:
    """``problem`` is what a person is told. ``reports`` stand for what the rules might have found,
    for the rules that need it, and the programs for which it is essential."""

    problem: Problem
    reports: tuple[Report, ...]

    def concerns(self, skip: Collection[str]) -> bool:
        """Whether rules are at fault that are not left out."""
        return any(report.rule.id not in skip for report in self.reports) or not self.reports


@dataclass(frozen=True)
class Stumble:
    """An error that nobody foresaw, of a rule at a line of a file."""

    rule: Rule
    line: int
    error: Exception


def faults_of(module: Module, stumbles: Iterable[Stumble]) -> list[Fault]:
    """What is to be said of rules that stumbled in a module; of all that did so alike at once."""
    alike: dict[str, list[Stumble]] = defaultdict(list)
    for stumble in stumbles:
        alike[said(stumble.error)].append(stumble)
    found = []
    for what, same in alike.items():
        first = same[0]
        more = f" and {len(same) - 1} more rules" if len(same) > 1 else ""
        own = isinstance(first.error, PackCodeError)
        kind = f"the pack's Python failed, {first.error}" if own else f"internal error, {what}"
        reason = f"not rewritten by {place_of(first.rule)}{more}: {kind}"
        hint = f"--skip {first.rule.id} does without the rule"
        hint = hint if own else f"{HINT}; {hint}"
        problem = Problem(module.path, reason, first.line, hint=hint)
        reports = (_lacking(one.rule, module, one.line, _STUMBLED) for one in same)
        found.append(Fault(problem, tuple(reports)))
    return found


def fault_of_pack(module: Module, pack: Pack, error: Exception) -> Fault:
    """All rules of a pack that could not be used in a module."""
    problem = Problem(module.path, f"not rewritten: internal error, {said(error)}", hint=HINT)
    rules = sorted(pack.rules, key=lambda rule: not _is_essential(rule, pack.essential))
    # One is enough to refuse a program.
    some = [
        rule for n, rule in enumerate(rules) if n == 0 or not _is_essential(rule, pack.essential)
    ]
    return Fault(problem, tuple(_lacking(rule, module, 1, _STUMBLED) for rule in some))


def fault_of_hunk(invalid: Invalid) -> Fault:
    """A hunk that is no Python."""
    hunk, clash = invalid.hunk, invalid.clash
    assert hunk.application is not None
    rule = hunk.application.rule
    other = ""
    if clash is not None:
        made_by = clash.application.rule if clash.application is not None else None
        other = f" together with {clash.rule} on line {clash.line}"
        other += f" ({made_by.path}:{made_by.line})" if made_by is not None else ""
    reason = (
        f"not proposed: what {place_of(rule)} makes of this{other} is no Python: {invalid.reason}"
    )
    hint = f"this is a mistake of the rule; --skip {rule.id} does without it"
    report = _lacking(rule, hunk.module, hunk.line, "what it makes of this place is no Python.")
    return Fault(Problem(hunk.module.path, reason, hunk.line, hint=hint), (report,))


def place_of(rule: Rule) -> str:
    """A rule with its place, for its author."""
    return f"{rule.id} ({rule.path}:{rule.line})"


def reports_of(faults: Sequence[Fault], packs: Sequence[Pack]) -> list[Report]:
    """The reports of all of them, and those of essential rules that need one of the rules."""
    found: list[Report] = []
    for report in (report for fault in faults for report in fault.reports):
        found.append(report)
        for pack in packs:
            if any(rule is report.rule for rule in pack.rules):
                text = f"it requires {report.rule.id}, which cannot be used here."
                found += (
                    _lacking(rule, report.module, report.line, text)
                    for rule in _needing(report.rule, pack)
                    if _is_essential(rule, pack.essential)
                )
    return found


def _needing(rule: Rule, pack: Pack) -> list[Rule]:
    """The rules of a pack that require a rule, or one that does, and so on."""
    found: list[Rule] = []
    names = {rule.id, rule.provides}
    while more := [r for r in pack.rules if r not in found and names.intersection(r.requires)]:
        found += more
        names.update(name for one in more for name in (one.id, one.provides))
    return [one for one in found if one is not rule]


_STUMBLED = "an internal error kept the rule from this file."


def _lacking(rule: Rule, module: Module, line: int, text: str) -> Report:
    return Report(rule, module, line, f"{rule.id}: {text}" if rule.refuse else text, rule.refuse)


def _is_essential(rule: Rule, essential: Mapping[str, str]) -> bool:
    needed = rule.id in essential or rule.provides in essential
    return rule.refuse or (bool(rule.edits) and needed)
