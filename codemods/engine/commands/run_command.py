"""run_with: a run as the command line describes it."""

from __future__ import annotations

import fnmatch
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pinsetter.analyzer.messages.problem import Problem

from ..console.exit_code import ExitCode
from ..console.terminal import echo, echo_problem
from ..propose.plan_options import PlanOptions
from ..running.late_query import LateQuery
from ..running.mode import WRITING, Mode
from .named_packs import check_given, check_options, check_rules, load_codemod
from .options import CLEAN, COMMENTS, SHARD
from .pointed_at import unfit
from .progress import Progress

if TYPE_CHECKING:
    from pinsetter.patterns.applying import application
    from pinsetter.patterns.packs.pack import Pack, Rule

    from ..hunks.hunk import Hunk
    from ..propose.chosen_lines import Places
    from ..report.output import Report
    from ..resume.resumed import Earlier
    from ..review import Manner
    from ..running.run import Outcome
    from ..state.given_folder import Told
    from ..stream.read_ahead import Ahead

Hook = Callable[[str, Any], "bool | None"]


@dataclass(frozen=True)
class RunOptions:
    """What the command line says of a run; ``called`` is its name in the journal, ``flags`` are the
    options that are given or not; without a pack, the file that has the rule is a passing one."""

    codemod: str
    called: str
    paths: Sequence[Path]
    skip: Sequence[str]
    shard: bool
    comments: bool
    options: Sequence[str]
    format: str | None
    output: Path | None
    state: Told | None
    resume: bool
    decisions: Path | None
    baseline: Path | None
    trust_edits: bool
    format_with: str
    by: str | None
    enter: bool
    yes: bool
    only: Sequence[str]
    quiet: bool
    verbose: bool
    plan: PlanOptions
    flags: Mapping[str, bool]
    has_pack: bool = True

    @classmethod
    def of(cls, codemod: str, called: str, given: Mapping[str, Any]) -> RunOptions:
        """From what click gives a command."""

        def taken(by: type[Any]) -> dict[str, Any]:
            return {field.name: given[field.name] for field in fields(by) if field.name in given}

        own, plan = taken(cls), taken(PlanOptions)
        flags = {name: value for name, value in given.items() if name not in (*own, *plan)}
        return cls(codemod, called, **own, plan=PlanOptions(**plan), flags=flags)

    @property
    def chosen(self) -> list[str]:
        """The pack's options that are chosen."""
        own = [name for name in (SHARD, COMMENTS) if getattr(self, name)]
        return list(dict.fromkeys([*self.options, *own]))


def run_with(
    given: RunOptions,
    ahead: Ahead | None = None,
    progress: bool = False,
    hooks: Sequence[Hook] = (),
) -> int:
    """The exit code of a run; ``ahead`` has the files if they are being read already."""
    mode = _mode(given.flags)
    if given.baseline is not None and (mode is not Mode.CHECK or given.decisions is not None):
        raise click.UsageError("--write-baseline needs --check, and no --decisions.")
    loaded = _load(given.codemod, given.chosen, given.has_pack)
    check_rules(given.skip, loaded)
    check_rules(given.only, loaded, patterns=True)
    if given.plan.places is None and any(pack.places for pack in loaded):
        raise click.UsageError(
            f"{given.codemod} rewrites what is pointed at: give PATH:LINE, or --from LOG with what "
            "another tool said of such lines."
        )
    if not given.paths:
        raise click.UsageError("Give at least one file or folder.")
    paths = [str(path) for path in given.paths]
    queries = [LateQuery(pack, paths, given.chosen, hooks) for pack in loaded]
    bar = Progress() if progress and not given.quiet else None
    advance = bar.advance if bar is not None else None
    skipped = _skipped(given, loaded)
    parts = None
    if ahead is not None:
        from ..stream.planning_process import in_background, in_turn

        told = replace(given.plan, writes=mode in WRITING)
        made = in_background if mode is Mode.REVIEW else in_turn
        parts = made(queries, ahead, skipped, advance, told)

    # What follows takes a while to be imported; what tells of the end must be there before
    # memory may be short.
    from ..formatting.formatting import Formatting
    from ..journal.destination import Kept
    from ..running.run import RunRequest, run
    from .delivery import Delivery
    from .summary import Detail

    formatting = Formatting(given.format_with)
    if (unfound := formatting.unfound) is not None:
        raise click.UsageError(f"--format-with {unfound}: there is no such program; install it.")
    delivery = Delivery(_report(given, mode), given.output, Detail.of(given))
    try:
        outcome = run(RunRequest(
            queries, given.paths, mode, skipped, advance,
            planned=bar.stop if bar is not None else None,
            show=delivery.show,
            kept=Kept(given.called, given.state), options=given.plan,
            require_clean=given.flags[CLEAN], earlier=_earlier(given, mode), parts=parts,
            formatting=formatting, manner=_manner(given) if mode is Mode.REVIEW else None,
        ))  # fmt: skip
    finally:
        if bar is not None:
            bar.stop()
    if outcome.anew:
        return run_with(_anew(given, outcome), progress=progress, hooks=hooks)
    code = delivery.of(outcome, loaded)
    if given.plan.places is not None:
        code = _places_told(given.plan.places, outcome, code)
    if given.baseline is None or code not in (ExitCode.OK, ExitCode.PROPOSED):
        return code
    return _write_baseline(given, given.baseline, outcome, loaded)


def _anew(given: RunOptions, outcome: Outcome) -> RunOptions:
    """The same run with an option that a review took."""
    resume = given.resume or bool(outcome.decisions.answers)
    return replace(given, options=(*given.options, outcome.anew), resume=resume)


def _places_told(places: Places, outcome: Outcome, code: int) -> int:
    """The exit code, when it has been said for which places nothing is."""
    from ..propose.chosen_lines import lines_about

    found: list[Hunk | application.Report] = [*outcome.planned.plan.hunks, *outcome.planned.reports]
    fitting = (
        (Path(one.module.real), line) for one in found for line in lines_about(one.line, one.module)
    )
    problems = [*unfit(places, fitting)] if not outcome.planned.problems else []
    for problem in problems:
        echo_problem(problem)
    return ExitCode.FAILED if problems and code in (ExitCode.OK, ExitCode.PROPOSED) else code


def _write_baseline(
    given: RunOptions, file: Path, outcome: Outcome, loaded: Sequence[Pack]
) -> ExitCode:
    from ..resume.baseline import write_baseline
    from ..state.folder import locate

    folder = locate([path for path in given.paths if os.path.exists(path)], given.state)
    options = _earlier(given, Mode.REVIEW).options
    hunks = outcome.planned.plan.hunks
    made = folder if isinstance(folder, Problem) else write_baseline(
        file, folder, given.called, given.paths, loaded, options, hunks
    )  # fmt: skip
    if isinstance(made, Problem):
        echo_problem(made)
        return ExitCode.FAILED
    echo(f"baseline   {made} hunk(s) in {file}", err=True)
    return ExitCode.OK


def _skipped(given: RunOptions, loaded: Sequence[Pack]) -> frozenset[str]:
    """The rules that are left out. What was begun is gone on with, though what is essential may be
    written already."""
    begun = given.resume or given.decisions is not None
    leaving = (rule.id for pack in loaded for rule in pack.rules if rule.leave == "complete")
    skipped = frozenset(given.skip).union(leaving if begun else ())
    if not given.only:
        return skipped
    rules = [rule for pack in loaded for rule in pack.rules]
    return skipped | {rule.id for rule in rules}.difference(_wanted(given.only, rules))


def _wanted(only: Sequence[str], rules: Sequence[Rule]) -> set[str]:
    """The rules that are asked for, and those that they require."""
    waiting = [rule for rule in rules if any(fnmatch.fnmatchcase(rule.id, one) for one in only)]
    found: set[str] = set()
    while waiting:
        rule = waiting.pop()
        if rule.id not in found:
            found.add(rule.id)
            waiting += [r for r in rules if r.id in rule.requires or r.provides in rule.requires]
    return found


# In seconds: what most trees are read in.
_PATIENCE = 1.0


def _report(given: RunOptions, mode: Mode) -> Report | None:
    if given.format is None and given.output is None:
        return None
    from ..report.output import report_of

    return report_of(given.format, given.output, mode)


def _manner(given: RunOptions) -> Manner:
    """How a review asks. Whoever answers through a pipe answers for each hunk."""
    from ..review import Manner, Order

    is_terminal = sys.stdin.isatty()
    order = Order(given.by or ("file" if is_terminal else "hunk"))
    return Manner(order, given.enter, is_terminal and not given.yes, _PATIENCE)


def _earlier(given: RunOptions, mode: Mode) -> Earlier:
    from ..resume.resumed import earlier_of

    reviewing = mode is Mode.REVIEW
    return earlier_of(
        given.resume,
        given.decisions,
        reviewing,
        given.skip,
        given.only,
        given.chosen,
        given.trust_edits,
    )


def _mode(flags: Mapping[str, bool]) -> Mode:
    """The mode that the flags choose."""
    chosen = [name for name, is_given in flags.items() if is_given and name != CLEAN]
    if len(chosen) > 1:
        raise click.UsageError(f"--{' and --'.join(chosen)} exclude each other.")
    mode = Mode(chosen[0]) if chosen else Mode.REVIEW
    if flags[CLEAN] and mode in (Mode.DIFF, Mode.CHECK):
        raise click.UsageError(
            f"--require-clean has no meaning with --{mode.value}: it writes nothing."
        )
    return mode


def _load(codemod: str, options: Sequence[str], has_pack: bool) -> tuple[Pack, ...]:
    loaded = load_codemod(codemod, options)
    check_given(codemod, options, loaded)
    remarks = [remark for pack in loaded for remark in pack.remarks]
    if remarks:
        from .summary import print_remarks

        print_remarks(remarks, has_pack)
    check_options(codemod, options, loaded)
    return loaded
