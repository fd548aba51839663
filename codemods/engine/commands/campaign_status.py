"""The commands ``pinsetter campaign status`` and ``guard``."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from pinsetter.analyzer.messages.problem import Problem

from ..campaign.burndown import burndown
from ..campaign.campaign_home import Home
from ..campaign.counting import Counted, Forecast, counted, forecast
from ..campaign.guarding import guard
from ..campaign.workshop import Workshop, located
from ..console.exit_code import ExitCode
from ..console.terminal import Styled, echo, echo_json, echo_problem, echo_table
from ..git.git_process import find_git
from ..git.side_repository import SideRepository
from ..records import campaigns, checks, hunks
from ..records.checks import CheckRow
from ..records.recorded import KINDS, Known, Repository, ShardRow
from ..state.decision import day, iso, now
from .campaign_options import (
    chosen,
    codemod,
    fail,
    home_options,
    jobs_option,
    looked_at,
    owners_option,
    shards_option,
    write_given,
)


@click.command("status")
@click.argument("name")
@shards_option
@owners_option
@click.option("--hunks", "with_hunks", is_flag=True, help="Name each hunk, with its id.")
@click.option("--kind", "kinds", multiple=True, type=click.Choice(KINDS),
              help="With --hunks: only these. May be repeated.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
@click.option("--plot", metavar="FILE", type=click.Path(dir_okay=False, path_type=Path),
              help="Draw what is left, scan by scan, as SVG.")  # fmt: skip
@click.option("--exit-code", "exit_code", is_flag=True,
              help="Exit with 1 while something is left to do, 2 if it is not known.")  # fmt: skip
@home_options
def status_command(
    name: str,
    shards: Sequence[str],
    owners: Sequence[str],
    with_hunks: bool,
    kinds: Sequence[str],
    as_json: bool,
    plot: Path | None,
    exit_code: bool,
    home: Home,
) -> None:
    """Say how far NAME is, by what the last scan found in the code."""
    with looked_at(home, name) as workshop:
        wanted = chosen(workshop, shards, owners)
        ids = [row.id for _, rows in wanted for row in rows]
        with workshop.store.look() as connection:
            rows = hunks.counts(connection, workshop.campaign.id)
            last = checks.newest(connection, ids)
            scans = campaigns.scans(connection, workshop.campaign.id)
            known = hunks.known(connection, shards=ids) if with_hunks else []
        found = counted(row for row in rows if row[0] in set(ids))
        known = [one for one in known if not kinds or not _kinds(one).isdisjoint(kinds)]
        guess = forecast(scans, now())
        if plot is not None:
            write_given(plot, burndown(scans).encode())
        if as_json:
            echo_json(_document(workshop, wanted, found, scans, guess, last,
                                known if with_hunks else None))  # fmt: skip
        else:
            _show(wanted, found, scans, guess, last, known)
        unknown = [one for one in workshop.repositories if not one.is_understood]
        for repository in unknown:
            reason = "not all of it was understood, or scanned; there may be more to do"
            hint = f"pinsetter campaign scan {name} tells why"
            echo_problem(Problem(repository.path, reason, hint=hint), fg="yellow")
    if not exit_code:
        sys.exit(ExitCode.OK)
    sys.exit(ExitCode.FAILED if unknown else ExitCode.PROPOSED if found.left else ExitCode.OK)


@click.command("guard")
@click.argument("name")
@click.argument("repository", default=".", type=click.Path(path_type=Path))
@click.option("--since", required=True, metavar="REVISION",
              help="What the change is to go to, as origin/main.")  # fmt: skip
@click.option("--pack", metavar="CODEMOD",
              help="What NAME removes, where its database is not at hand, as in CI.")  # fmt: skip
@jobs_option
@home_options
def guard_command(
    name: str, repository: Path, since: str, pack: str | None, jobs: int, home: Home
) -> None:
    """Fail, with 1, if what REPOSITORY has committed since it left REVISION adds something that
    NAME removes."""
    git = find_git()
    if git is None:
        fail(Problem(Path("git"), "there is none; campaigns work on git repositories"))
    top = located(repository, git)
    if isinstance(top, Problem):
        fail(top)
    if pack is not None:
        wanted = codemod(pack, {"options": (), "skip": (), "exclude": ()}, jobs)
    else:
        with looked_at(home, name) as workshop:
            wanted = codemod(workshop.campaign.pack, workshop.campaign.settings, jobs)
    folder = home.of_guard(top)
    result = guard(SideRepository.beside(git, top, folder / "repository"), wanted, since)
    if isinstance(result, Problem):
        fail(result)
    for problem in result.problems:
        echo_problem(problem)
    for one in result.added:
        place = f"{top / os.fsdecode(one.path)}:{one.line}"
        echo(Styled(place, bold=True), f": {one.rule}: {one.title}: {one.why}")
    if result.problems:
        sys.exit(ExitCode.FAILED)
    if result.added:
        echo(f"{len(result.added)} place(s) are added that {name} removes", fg="red", err=True)
        sys.exit(ExitCode.PROPOSED)


def _show(
    wanted: Sequence[tuple[Repository, list[ShardRow]]],
    found: Counted,
    scans: Sequence[tuple[int, dict[str, int]]],
    guess: Forecast,
    last: dict[int, CheckRow],
    known: Sequence[Known],
) -> None:
    several = len(wanted) > 1
    rows = []
    for repository, shards in wanted:
        for shard in shards:
            numbers = found.shards.get(shard.id, {})
            name = f"{repository.name}:{shard.name}" if several else shard.name
            state = "applied" if shard.applied is not None else ""
            if shard.request is not None:
                state = shard.request
            counts = (str(numbers.get(one, 0) or "") for one in KINDS)
            rows.append((name, ", ".join(shard.owners), *counts, _said(last.get(shard.id)), state))
    totals = (str(found.numbers[one] or "") for one in KINDS)
    echo_table(
        ("shard", "owners", *KINDS, "check", "branch"), [*rows, ("all", "", *totals, "", "")]
    )
    if scans:
        echo(f"Last scanned {day(scans[-1][0])}: {found.left} left to do.")
        if found.left:
            date = day(guess.at).partition(" ")[0] if guess.at is not None else "not known"
            echo(f"Done by: {date} ({guess.assumed}).")
    for one in known:
        place = f"{os.fsdecode(one.found.path)}:{one.found.line}"
        by = f"  by {one.decision.by}" if one.decision is not None else ""
        echo(one.found.key, "  ", Styled(place, bold=True),
             f"  {one.found.rule}  {one.kind}{by}")  # fmt: skip


def _document(
    workshop: Workshop,
    wanted: Sequence[tuple[Repository, list[ShardRow]]],
    found: Counted,
    scans: Sequence[tuple[int, dict[str, int]]],
    guess: Forecast,
    last: dict[int, CheckRow],
    known: Sequence[Known] | None,
) -> dict[str, Any]:
    document: dict[str, Any] = {
        "campaign": workshop.campaign.name,
        "pack": workshop.campaign.pack,
        "counts": found.numbers,
        "left": found.left,
        "scans": [{"at": iso(at), "counts": counts} for at, counts in scans],
        "forecast": {
            "at": iso(guess.at) if guess.at is not None else None, "assumed": guess.assumed
        },
        "repositories": [
            {
                "name": repository.name, "path": str(repository.path),
                "branch": repository.branch, "commit": repository.commit,
                "understood": repository.is_understood,
                "shards": [_shard(shard, found, last.get(shard.id)) for shard in shards],
            }
            for repository, shards in wanted
        ],
    }  # fmt: skip
    if known is not None:
        document["hunks"] = [_hunk(one) for one in known]
    return document


def _shard(shard: ShardRow, found: Counted, check: CheckRow | None) -> dict[str, Any]:
    return {
        "name": shard.name, "owners": list(shard.owners), "branch": shard.branch,
        "applied": shard.applied, "base": shard.base, "request": shard.request,
        "counts": found.shards.get(shard.id, dict.fromkeys(KINDS, 0)),
        "check": None if check is None else {
            "command": list(check.command), "before": check.before, "after": check.after,
            "at": iso(check.at), "by": check.by,
        },
    }  # fmt: skip


def _hunk(one: Known) -> dict[str, Any]:
    found = one.found
    decision = one.decision
    return {
        "id": found.key, "path": os.fsdecode(found.path), "line": found.line, "rule": found.rule,
        "title": found.title, "why": found.why, "warnings": list(found.warnings),
        "kind": one.kind, "regressed": one.regressed,
        "verdict": one.verdict, "by": decision.by if decision is not None else None,
        "comment": decision.comment if decision is not None else "",
    }  # fmt: skip


def _said(check: CheckRow | None) -> str:
    if check is None:
        return ""
    if check.after == 0:
        return "passes"
    return "fails" if check.is_worse else "fails as before"


def _kinds(one: Known) -> set[str]:
    found = {one.kind}
    return found | {"regressed"} if one.regressed else found
