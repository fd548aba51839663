"""What a run says at its end: problems, refusals, notes, and counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from ..console.terminal import echo, echo_problem
from ..running.mode import Mode

if TYPE_CHECKING:
    from pinsetter.analyzer.messages.problem import Problem

    from ..hunks.hunk import Hunk
    from ..hunks.proposed import Planned
    from ..resume.live_session import LiveSession
    from ..running.run import Outcome


def print_problems(problems: Sequence[Problem]) -> None:
    for problem in problems:
        echo_problem(problem)


def print_warnings(warnings: Iterable[Problem]) -> None:
    for warning in warnings:
        echo_problem(warning, fg="yellow")


def print_remarks(remarks: Iterable[Problem], placed: bool = True) -> None:
    """What is worth telling the author of a pack; each once, on standard error."""
    for remark in dict.fromkeys(remarks):
        hint = f" ({remark.hint})" if remark.hint else ""
        place = f"{remark.path}:{remark.line}:{remark.column + 1}: " if placed else ""
        echo(f"{place}note: {remark.reason}{hint}", fg="yellow", err=True)


class Detail(Enum):
    """How much a run tells."""

    QUIET = "quiet"
    USUAL = ""
    VERBOSE = "verbose"

    @classmethod
    def of(cls, given: Told) -> Detail:
        return cls.QUIET if given.quiet else cls.VERBOSE if given.verbose else cls.USUAL


class Told(Protocol):
    """What the command line says of it."""

    @property
    def quiet(self) -> bool: ...

    @property
    def verbose(self) -> bool: ...


def print_summary(outcome: Outcome, detail: Detail = Detail.USUAL) -> None:
    """Notes and problems first, then one line for each count; all on standard error."""
    planned = outcome.planned
    if detail is Detail.QUIET:
        outcome.remarks.tell_problems(planned)
        print_problems(outcome.failures)
        return
    outcome.remarks.tell_notes(planned)
    if outcome.mode is not Mode.REVIEW and outcome.session is None:
        for hunk, chosen in outcome.decisions.displaced:
            what = f"Not applied: it contradicts {chosen.rule} on {chosen.where}"
            text = f"{hunk.place}: note: {hunk.rule}: {what}; a review lets you choose."
            echo(text, fg="yellow", err=True)
    print_warnings(outcome.warnings)
    if outcome.session is not None and outcome.mode is not Mode.REVIEW:
        for left in outcome.decisions.undecided:
            echo(f"{left.place}: not decided: {left.rule}: {left.title}", err=True)
    outcome.remarks.tell_problems(planned)
    print_problems(outcome.failures)
    for name, value in counts(outcome, detail is Detail.VERBOSE):
        echo(f"{name:<10} {value}", err=True)


def _proposed(hunks: Sequence[Hunk]) -> list[Hunk]:
    """Those that a rule proposed and a person decides."""
    return [hunk for hunk in hunks if not hunk.follows and not hunk.is_comment]


_SHOWN = 3
_UNREAD = "; the review ended before the rest was read"


def counts(outcome: Outcome, verbose: bool = False) -> list[tuple[str, str]]:
    """The lines of the closing summary."""
    planned = outcome.planned
    failed = len(planned.problems) + len(planned.faults) + len(outcome.failures)
    if not outcome.begun:
        return [("failed", f"{failed} (see above)")]
    hunks = _proposed(planned.plan.hunks)
    accepted = _proposed(outcome.decisions.accepted)
    rejected = len(_proposed(outcome.decisions.rejected))
    undecided = len(hunks) - len(accepted) - rejected
    apis = Counter(_described(program.apis) for program in planned.programs)
    programs = ", ".join(f"{count} {api}" for api, count in sorted(apis.items())) or "none"
    lines = [
        ("files", f"{len(planned.files)} seen, {len(planned.parsed)} parsed, "
                  f"{planned.matched} matched{_UNREAD if outcome.stopped else ''}"),
        *([("programs", programs)] if outcome.about_programs else []),
        ("hunks", f"{len(hunks)} proposed"),
    ]  # fmt: skip
    apart = _not_looked_at(planned, verbose)
    given = outcome.session is not None and outcome.mode in (Mode.CHECK, Mode.DIFF)
    if given or (outcome.mode in (Mode.REVIEW, Mode.WRITE) and not outcome.interrupted):
        undecided_text = f", {undecided} not decided" if undecided else ""
        lines[-1] = ("hunks", f"{len(hunks)} proposed, {len(accepted)} accepted, "
                              f"{rejected} rejected{undecided_text}")  # fmt: skip
        if not given:
            lines.append(("written", f"{len(outcome.written)} file(s)"))
    if outcome.session is not None and (said := _decisions(outcome, outcome.session, undecided)):
        lines.append(("decisions", said))
    if outcome.interrupted:
        begun = outcome.journalled is not None
        number = f"{len(outcome.written)} file(s)" if begun else "nothing"
        lines.append(("written", f"{number}: interrupted"))
    lines[1:1] = apart
    if planned.suppressed:
        lines.append(("suppressed", f"{len(planned.suppressed)} by comments"))
    if planned.refused:
        lines.append(("refused", f"{len(planned.refused)} (see above)"))
    if failed:
        lines.append(("failed", f"{failed} (see above)"))
    return lines


def _not_looked_at(planned: Planned, verbose: bool) -> list[tuple[str, str]]:
    """Which files no rule was tried on, and why."""
    lines = []
    if planned.unreached:
        what = f"{len(planned.unreached)} file(s) of no program that this codemod is for"
        lines.append(("left alone", f"{what}: {_named(planned.unreached, verbose)}"))
    if planned.ignored:
        what = f"{len(planned.ignored)} files and folders"
        lines.append(("ignored", f"{what}: {_named(planned.ignored, verbose)}"))
    return lines


def _named(paths: Sequence[Path], verbose: bool) -> str:
    if verbose:
        return ", ".join(map(str, sorted(paths)))
    more = f" and {len(paths) - _SHOWN} more" if len(paths) > _SHOWN else ""
    return ", ".join(map(str, sorted(paths)[:_SHOWN])) + more


def _described(apis: frozenset[str]) -> str:
    return " + ".join(sorted(apis)) if apis else "without training"


def _decisions(outcome: Outcome, session: LiveSession, undecided: int) -> str:
    """What became of earlier decisions, and whether there is something to go on with."""
    found = session.restoring
    parts = [f"{len(found.fitted)} from before"] if found.fitted else []
    parts += [f"{len(found.again)} to be decided again"] if found.again else []
    parts += [f"{len(found.gone)} proposed no more"] if found.gone else []
    if outcome.mode is Mode.REVIEW and session.count and (undecided or outcome.interrupted):
        parts.append(f"{session.count} saved; --resume goes on with them")
    return ", ".join(parts)
