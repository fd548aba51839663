"""lacking: programs of which hunks are accepted, and something essential is not."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from pinsetter.analyzer.messages.problem import Problem

if TYPE_CHECKING:
    from pinsetter.analyzer.names.module import Module

    from ..hunks.hunk import Hunk
    from ..hunks.proposed import FoundProgram
    from .decisions import Decisions

_HINT = "accept it, too, or reject the other hunks of the program"


@dataclass(frozen=True)
class Lacking:
    """A program that would be written without ``missing``: essential hunks, each with what would go
    wrong."""

    program: FoundProgram
    missing: tuple[tuple[Hunk, str], ...]

    @property
    def entry(self) -> Path:
        return self.program.entry.path

    @property
    def reasons(self) -> list[str]:
        """What is missing, and what would go wrong; one sentence for each kind."""
        said: dict[str, list[Hunk]] = {}
        for hunk, why in self.missing:
            said.setdefault(why, []).append(hunk)
        return [
            f"{', '.join(f'{hunk.rule} ({hunk.place})' for hunk in hunks)} is not accepted. {why}"
            for why, hunks in said.items()
        ]


class Account(Protocol):
    """What a run has decided. ``allowed`` and ``declined`` are the entry scripts of programs that a
    person wants written all the same, or not."""

    decisions: Decisions
    failures: list[Problem]
    warnings: list[Problem]
    allowed: set[Path]
    declined: set[Path]

    @property
    def programs(self) -> Sequence[FoundProgram]: ...


def lacking(
    programs: Sequence[FoundProgram], decisions: Decisions, allowed: Collection[Path] = ()
) -> list[Lacking]:
    """The programs that would not be written whole, as it is decided now."""
    hunks: dict[Module, list[Hunk]] = defaultdict(list)
    for hunk in decisions.plan.hunks:
        if hunk.application is not None and not hunk.follows:
            hunks[hunk.module].append(hunk)
    found = []
    for program in programs:
        mine = [hunk for module in program.modules for hunk in hunks.get(module, ())]
        if program.entry.path in allowed or not any(map(decisions.verdict, mine)):
            continue
        missing = [
            (hunk, why)
            for hunk in mine
            if not decisions.verdict(hunk)
            and (why := _why(hunk, program))
            and not any(map(decisions.verdict, decisions.plan.alternatives_of(hunk)))
        ]
        if missing:
            found.append(Lacking(program, tuple(missing)))
    return found


def hold_back(account: Account) -> None:
    """Reject all hunks of programs that lack something essential, and say so. What one of them has
    in common with others may be essential for these."""
    while found := lacking(account.programs, account.decisions, account.allowed):
        # It is no answer of the person's, and not to be saved as one.
        account.decisions.changed = None
        for one in found:
            reason = f"not written: {' '.join(one.reasons)}"
            said = account.warnings if one.entry in account.declined else account.failures
            said.append(Problem(one.entry, reason, hint=_HINT))
        modules = {module for one in found for module in one.program.modules}
        for hunk in account.decisions.accepted:
            if hunk.module in modules and hunk.application is not None:
                account.decisions.reject(hunk)


def leave_out(account: Account, module: Module, problem: Problem | None) -> None:
    """Reject a module's hunks, and say which hunks of others are rejected for that."""
    if problem is not None:
        account.failures.append(problem)
    before = {hunk.id for hunk in account.decisions.accepted}
    lost: Counter[Module] = Counter()
    for hunk in account.decisions.plan.by_module()[module]:
        for other in account.decisions.reject(hunk):
            if other.module is not module and other.id in before and not other.follows:
                lost[other.module] += 1
    for other_module, count in lost.items():
        reason = f"{count} hunk(s) not written: they require hunks of {module.path}"
        account.failures.append(Problem(other_module.path, reason))


def held_back(account: Account) -> Decisions:
    """What ``hold_back`` would leave of what is decided, which stays as it is."""
    trial = _Trial(account.decisions.copy(), account.programs, account.allowed)
    hold_back(trial)
    return trial.decisions


@dataclass
class _Trial:
    decisions: Decisions
    programs: Sequence[FoundProgram]
    allowed: set[Path]
    declined: set[Path] = field(default_factory=set)
    failures: list[Problem] = field(default_factory=list)
    warnings: list[Problem] = field(default_factory=list)


def is_essential(hunk: Hunk, program: FoundProgram) -> bool:
    """Whether a program would be wrong without a hunk."""
    return bool(_why(hunk, program))


def _why(hunk: Hunk, program: FoundProgram) -> str | None:
    if hunk.application is None:
        return None
    rule = hunk.application.rule
    return program.essential.get(rule.id) or program.essential.get(rule.provides)
