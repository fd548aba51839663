"""What a run says at its end: problems, refusals, notes, and counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import click

from pinsetter.analyzer.problem import Problem

from .run import Mode, Outcome


def print_problems(problems: Sequence[Problem]) -> None:
    for problem in problems:
        click.secho(str(problem), fg="red", err=True)


def print_summary(outcome: Outcome) -> None:
    """Notes and problems first, then one line for each count; all on standard error."""
    planned = outcome.planned
    for report in planned.reports:
        place = f"{report.module.path}:{report.line}"
        click.secho(f"{place}: note: {report.rule.id}: {report.text}", fg="yellow", err=True)
    print_problems([*planned.problems, *planned.refused, *outcome.failures])
    for name, value in counts(outcome):
        click.echo(f"{name:<10} {value}", err=True)


def counts(outcome: Outcome) -> list[tuple[str, str]]:
    """The lines of the closing summary."""
    planned = outcome.planned
    hunks = [hunk for hunk in planned.plan.hunks if not hunk.follows]
    accepted = [hunk for hunk in outcome.decisions.accepted if not hunk.follows]
    rejected = len(outcome.decisions.rejected)
    undecided = len(hunks) - len(accepted) - rejected
    apis = Counter(_described(program.apis) for program in planned.programs)
    programs = ", ".join(f"{count} {api}" for api, count in sorted(apis.items())) or "none"
    lines = [
        ("files", f"{len(planned.project.files)} seen, {len(planned.project.given)} parsed, "
                  f"{planned.matched} matched"),
        ("programs", programs),
        ("hunks", f"{len(hunks)} proposed"),
    ]  # fmt: skip
    if outcome.mode in (Mode.REVIEW, Mode.WRITE) and not outcome.interrupted:
        undecided_text = f", {undecided} not decided" if undecided else ""
        lines[-1] = ("hunks", f"{len(hunks)} proposed, {len(accepted)} accepted, "
                              f"{rejected} rejected{undecided_text}")  # fmt: skip
        lines.append(("written", f"{len(outcome.written)} file(s)"))
    if outcome.interrupted:
        lines.append(("written", "nothing: interrupted"))
    if planned.refused:
        lines.append(("refused", f"{len(planned.refused)} (see above)"))
    failed = len(planned.problems) + len(outcome.failures)
    if failed:
        lines.append(("failed", f"{failed} (see above)"))
    return lines


def _described(apis: frozenset[str]) -> str:
    return " + ".join(sorted(apis)) if apis else "without training"
