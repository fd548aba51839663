"""Refusals: programs of which nothing is rewritten, because something essential could not be."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from pinsetter.analyzer.messages.problem import Problem
from pinsetter.analyzer.names.module import Module
from pinsetter.analyzer.programs.programs import Program
from pinsetter.patterns.applying.application import Report
from pinsetter.patterns.packs.pack import Pack, load
from pinsetter.patterns.packs.pack_files import bundled

from ..hunks.hunk import Hunk
from ..hunks.suppression import Suppressed
from .proposals import Proposal, left_alone


def not_for(packs: Sequence[Pack], program: Program, kinds: frozenset[str]) -> Problem | None:
    """Why a program that one of the packs is meant for cannot be rewritten; ``kinds``: the training
    APIs for which it would be."""
    for pack in packs:
        for site in program.sites:
            why = pack.refuses.get(site.api)
            if why is not None:
                return Problem(site.module.path, f"refused: {why}", site.line)
    if program.mixture is None or any(pack.is_for(kinds) for pack in packs):
        return None
    if all(pack.training_apis.isdisjoint(program.apis) for pack in packs):
        return None
    other = pack_for(program.apis)
    hint = "split it into one program for each training API"
    if other is not None:
        hint = f"{other} is for such programs, and distribute has that for them"
    return Problem(program.entry.path, f"refused: {program.mixture}", hint=hint)


def pack_for(apis: frozenset[str]) -> str | None:
    """The name of the pack that comes with the package for programs that train by just these."""
    packs = map(load, bundled())
    found = (p.name for p in packs if isinstance(p, Pack) and p.training_apis and p.is_for(apis))
    return next(found, None)


def with_essential(reports: list[Report], essential: Mapping[str, str]) -> list[Report]:
    """The reports, of which those are refusals that say that something essential is left out."""
    found = []
    for report in reports:
        rule = report.rule
        why = essential.get(rule.id) or essential.get(rule.provides)
        if why is not None and rule.edits and not report.refuse:
            report = replace(report, text=f"{rule.id}: {report.text} {why}", refuse=True)
        found.append(report)
    return found


def without_essential(
    suppressed: Iterable[Suppressed], essential: Mapping[str, str], modules: Collection[Module]
) -> list[Problem]:
    """What comments in ``modules`` take away that is essential: a person's own decision, which may
    have a reason that cannot be seen."""
    return [
        Problem(
            one.module.path,
            f"{one.rule.id}: It is essential for the program, and suppressed: {why}",
            one.line,
            hint="suppress the program's other rules, too, unless its own code sees to that",
        )
        for one in suppressed
        if one.start is not None and one.module in modules
        and (why := essential.get(one.rule.id) or essential.get(one.rule.provides))
    ]  # fmt: skip


def skipped_essential(
    hunks: Iterable[Hunk], skip: Collection[str], essential: Mapping[str, str]
) -> list[Problem]:
    """What is essential and left out by ``--skip``, of ``hunks`` of programs that are rewritten."""
    return [
        Problem(
            hunk.module.path,
            f"{hunk.rule}: It is essential for the program, and left out by --skip, --only or the "
            f"configuration: {why}",
            hunk.line,
        )
        for hunk in hunks
        if hunk.rule in skip and hunk.application is not None
        and (why := essential.get(hunk.rule) or essential.get(hunk.application.rule.provides))
    ]  # fmt: skip


def left_by(
    halted: list[Program], outcomes: list[Proposal], programs: list[Program]
) -> list[Report]:
    """Notes for the modules that programs share with those that are refused."""
    found = []
    for outcome in outcomes:
        around = [p for p in programs if outcome.rules.module in p.modules]
        entries = [p.entry for p in around if p in halted]
        if entries and len(entries) < len(around):
            found += left_alone(outcome.applications, entries)
    return found


def refusal(report: Report, hint: str = "") -> Problem:
    return Problem(report.module.path, f"refused: {report.text}", report.line, hint=hint)
