"""The commands ``pinsetter campaign review``, ``decide``, ``check`` and ``apply``."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import click

from pinsetter.analyzer.messages.problem import Problem
from pinsetter.patterns.packs.packs_digest import packs_digest

from ..campaign.applying import Applied, ShardBranch
from ..campaign.campaign_home import Home
from ..campaign.checking import Ran, check_shard
from ..campaign.commit_plan import Codemod, Proposed
from ..campaign.deciding import Answer, answered, keep_answer
from ..campaign.publishing import Asked, published
from ..campaign.shard_work import ShardWork
from ..campaign.workshop import Workshop
from ..console.exit_code import ExitCode
from ..console.terminal import Styled, echo, echo_problem
from ..git.git_stand_in import GitSilence
from ..git.side_repository import Identity
from ..records import campaigns, checks, hunks
from ..records.recorded import HunkState, Known, Repository, ShardRow
from .campaign_options import (
    alone,
    chosen,
    codemod,
    fail,
    home_options,
    in_repository,
    jobs_option,
    looked_at,
    owners_option,
    shards_option,
    worked_on,
    write_given,
)
from .named_packs import check_rules
from .shard_hunks import hunks_of, ready_of


@click.command("review")
@click.argument("name")
@shards_option
@owners_option
@click.option("--by", type=click.Choice(["hunk", "file", "rule"]), default=None,
              help="Ask about each hunk, equal hunks of a file, or rule by rule.")  # fmt: skip
@click.option("--enter", is_flag=True, help="An answer is a line, ended by Enter, not one key.")
@jobs_option
@home_options
def review_command(
    name: str,
    shards: Sequence[str],
    owners: Sequence[str],
    by: str | None,
    enter: bool,
    jobs: int,
    home: Home,
) -> None:
    """Ask about the hunks of NAME that nobody decided; what is decided is kept at once. `campaign
    apply` makes branches of it."""
    from ..review import End, Manner, Order, prepare, review

    is_terminal = sys.stdin.isatty()
    manner = Manner(Order(by or ("file" if is_terminal else "hunk")), enter)
    code = ExitCode.OK
    with looked_at(home, name) as workshop:
        wanted = codemod(workshop.campaign.pack, workshop.campaign.settings, jobs)
        prepare()
        for repository, rows in chosen(workshop, shards, owners):
            # Others scan, apply and review while somebody thinks.
            with alone(workshop):
                ready = ready_of(workshop, repository, wanted)
            if ready is None:
                code = ExitCode.FAILED
                continue
            work, _ = hunks_of(workshop, repository, rows, wanted, ready, reviewing=True)
            ended = review(
                work.planned.plan, work.decisions, keep=partial(_kept, work), manner=manner
            )
            problem = work.session.problem
            if problem is not None:
                fail(problem)
            if ended is End.ABANDONED:
                sys.exit(ExitCode.INTERRUPTED)
            if ended is End.UNANSWERED:
                sys.exit(ExitCode.PROPOSED)
            if ended is End.QUIT:
                break
        echo(f"What is accepted becomes branches by: pinsetter campaign apply {name}", err=True)
    sys.exit(code)


def _kept(work: ShardWork) -> str:
    return work.session.keep().partition(";")[0]


@click.command("decide")
@click.argument("name")
@click.argument("verdict", type=click.Choice([answer.value for answer in Answer]))
@shards_option
@owners_option
@click.option("--rule", "rules", multiple=True, metavar="RULE",
              help="Only hunks of this rule. May be repeated.")  # fmt: skip
@click.option("--hunk", "ids", multiple=True, metavar="ID",
              help="Only this hunk, as status --hunks names it. May be repeated.")  # fmt: skip
@click.option("--comment", default="", help="What is to be kept with the decisions.")
@home_options
def decide_command(
    name: str,
    verdict: str,
    shards: Sequence[str],
    owners: Sequence[str],
    rules: Sequence[str],
    ids: Sequence[str],
    comment: str,
    home: Home,
) -> None:
    """Decide many hunks at once: accept or reject those of NAME that nobody decided, or reopen
    what was decided. What a hunk requires is accepted with it, what requires it rejected."""
    if not (shards or owners or rules or ids):
        raise click.UsageError("Say which: --shard, --owner, --rule or --hunk.")
    answer = Answer(verdict)
    with looked_at(home, name) as workshop:
        wanted = codemod(workshop.campaign.pack, workshop.campaign.settings, 1)
        check_rules(rules, wanted.packs)
        digest = packs_digest(wanted.packs)
        total = 0
        for repository, rows in chosen(workshop, shards, owners):
            by = workshop.by(repository)
            with workshop.store.change() as connection:
                campaigns.alone(connection, workshop.campaign.id)
                known = hunks.known(
                    connection, shards=[row.id for row in rows], states=[HunkState.PROPOSED]
                )
                picked = [
                    one
                    for one in known
                    if (not rules or one.found.rule in rules)
                    and (not ids or one.found.key in ids)
                    and (one.verdict is not None) == (answer is Answer.REOPEN)
                ]
                result = answered(picked, known, answer)
                keep_answer(
                    connection, workshop.campaign.id, result.changed, answer, digest, by, comment
                )
            for one, reason in result.left:
                path = repository.path / os.fsdecode(one.found.path)
                echo_problem(Problem(path, f"not accepted: {reason}", one.found.line), fg="yellow")
            total += len(result.changed)
    done = {Answer.ACCEPT: "accepted", Answer.REJECT: "rejected", Answer.REOPEN: "open again"}
    echo(f"{total} hunk(s) {done[answer]}", err=True)


@click.command("apply")
@click.argument("name")
@shards_option
@owners_option
@click.option("--patch", "folder", metavar="DIR",
              type=click.Path(file_okay=False, path_type=Path),
              help="Also write each shard's commit as a patch, as `git am` takes it.")  # fmt: skip
@click.option("--checked", is_flag=True,
              help="Only shards that were checked as they are now, and did not fail.")  # fmt: skip
@click.option("--push", is_flag=True, help="Push the branches that changed to --remote.")
@click.option("--remote", default="origin", metavar="NAME",
              help="Where to; the default is origin.")  # fmt: skip
@click.option("--request", is_flag=True,
              help="Also ask for a pushed branch to be taken over, by gh or glab.")  # fmt: skip
@click.option("--draft", is_flag=True, help="Ask for it as a draft.")
@click.option("--label", "labels", multiple=True, metavar="NAME", help="Label what is asked for.")
@jobs_option
@home_options
def apply_command(
    name: str,
    shards: Sequence[str],
    owners: Sequence[str],
    folder: Path | None,
    checked: bool,
    push: bool,
    remote: str,
    request: bool,
    draft: bool,
    labels: Sequence[str],
    jobs: int,
    home: Home,
) -> None:
    """Make, or bring up to date, a branch of each shard of NAME of which something is accepted.
    Your own work tree is not touched, and nothing is pushed without --push."""
    if request and not push:
        raise click.UsageError("--request needs --push.")
    asked = Asked(push, remote, request, draft, tuple(labels))
    with worked_on(home, name) as workshop:
        wanted = codemod(workshop.campaign.pack, workshop.campaign.settings, jobs)
        sys.exit(
            _for_each(workshop, wanted, shards, owners, partial(_applied, checked, folder, asked))
        )


def _for_each(
    workshop: Workshop,
    wanted: Codemod,
    shards: Sequence[str],
    owners: Sequence[str],
    do: Callable[[_Made], ExitCode],
) -> ExitCode:
    """Do something with what is accepted of each shard, and go on with the others where that
    cannot be done."""
    codes = [ExitCode.OK]
    for repository, rows in chosen(workshop, shards, owners):
        ready = ready_of(workshop, repository, wanted, formatting=True)
        identity = _identity(workshop, repository)
        if ready is None or identity is None:
            codes.append(ExitCode.FAILED)
            continue
        for row in rows:
            try:
                made = _made(workshop, repository, row, wanted, ready, identity)
                if made.result.problems:
                    codes.append(ExitCode.FAILED)
                elif made.result.own is not None:
                    codes.append(do(made))
            except (GitSilence, OSError) as error:
                echo_problem(Problem(repository.path, f"{row.name} is left: {error}"))
                codes.append(ExitCode.FAILED)
    return max(codes)


@dataclass(frozen=True)
class _Made:
    """What is accepted of a shard, as a commit."""

    workshop: Workshop
    repository: Repository
    branch: ShardBranch
    work: ShardWork
    known: list[Known]
    result: Applied

    def tell(self) -> None:
        """Say what became of it, and what is wrong with it."""
        copies = self.workshop.settings(self.repository)
        for warning in self.result.warnings:
            echo_problem(in_repository(warning, self.repository, copies), fg="yellow")
        for problem in self.result.problems:
            echo_problem(in_repository(problem, self.repository, copies))
        self.result.warnings.clear()


def _made(
    workshop: Workshop,
    repository: Repository,
    row: ShardRow,
    wanted: Codemod,
    ready: Proposed,
    identity: Identity,
) -> _Made:
    """Says why there is none."""
    work, known = hunks_of(workshop, repository, [row], wanted, ready, reviewing=False)
    assert repository.commit is not None
    branch = ShardBranch(
        workshop.store, workshop.campaign, row, repository.commit, workshop.side(repository),
        workshop.tree(repository, "shard"), identity,
    )  # fmt: skip
    made = _Made(workshop, repository, branch, work, known, branch.make(ready, work, known))
    made.tell()
    if made.result.own is None and made.result.open:
        waits = f"nothing is accepted; {made.result.open} hunk(s) are open"
        echo(Styled(row.name, bold=True), f"  {waits}")
    return made


def _applied(checked: bool, folder: Path | None, asked: Asked, made: _Made) -> ExitCode:
    """Set a shard's branch, and pass it on as it is asked for."""
    shard, result, side = made.branch.shard, made.result, made.branch.side
    if checked:
        with made.workshop.store.look() as connection:
            last = checks.newest(connection, [shard.id]).get(shard.id)
        if not made.branch.is_as_checked(result, last):
            bad = last is not None and last.is_worse
            how = "its last check fails" if bad else "it was not checked as it is now"
            echo(Styled(shard.name, bold=True), f"  not applied: {how}")
            return ExitCode.FAILED
    made.branch.set(result, made.work, made.known)
    made.tell()
    if result.problems:
        return ExitCode.FAILED
    assert result.own is not None
    assert result.commit is not None
    echo(Styled(shard.name, bold=True), f"  {_branch_said(shard, result)}")
    if folder is not None:
        write_given(folder / f"{made.repository.name}-{shard.name}.patch", side.patch(result.own))
    if asked.push:
        problem = published(made.workshop, made.repository, shard, side, result.commit, asked)
        if problem is not None:
            echo_problem(problem)
            return ExitCode.FAILED
    return ExitCode.OK


def _identity(workshop: Workshop, repository: Repository) -> Identity | None:
    """Who commits; says it if git does not know."""
    found = workshop.side(repository).identity()
    if found is None:
        hint = "git config user.name and user.email"
        echo_problem(Problem(repository.path, "git does not know who commits", hint=hint))
    return found


def _branch_said(row: ShardRow, result: Applied) -> str:
    assert result.commit is not None
    told = f"{row.branch} {'is at' if result.changed else 'is already at'} {result.commit[:12]}"
    told += f", {result.hunks} hunk(s)"
    if result.open:
        told += f", {result.open} open"
    if result.kept:
        told += f", {result.kept} commit(s) of others kept"
    return told


@click.command("check", context_settings={"ignore_unknown_options": True})
@click.argument("name")
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED)
@shards_option
@owners_option
@click.option("--timeout", type=click.FloatRange(min=0, min_open=True), default=3600.0,
              metavar="SECONDS", help="How long it may take; the default is an hour.")  # fmt: skip
@jobs_option
@home_options
def check_command(
    name: str,
    command: Sequence[str],
    shards: Sequence[str],
    owners: Sequence[str],
    timeout: float,
    jobs: int,
    home: Home,
) -> None:
    """Run COMMAND (behind --) in a clean work tree for each shard of NAME, without and with what is
    accepted of it. What failed before is told apart; exits with 1 if something fails with it."""
    before: dict[str, Ran] = {}
    with worked_on(home, name) as workshop:
        wanted = codemod(workshop.campaign.pack, workshop.campaign.settings, jobs)
        do = partial(_checked, command, timeout, before)
        sys.exit(_for_each(workshop, wanted, shards, owners, do))


def _checked(
    command: Sequence[str], timeout: float, before: dict[str, Ran], made: _Made
) -> ExitCode:
    """Run a command for a shard, and say what came of it."""
    shard, own = made.branch.shard, made.result.own
    assert own is not None
    done = check_shard(made.workshop, made.repository, shard, own, command, timeout, before)
    echo(Styled(shard.name, bold=True), f"  {done.said}, {done.seconds:.1f} s")
    if not done.after.code:
        return ExitCode.OK
    for line in done.after.output.splitlines()[-_SHOWN:]:
        echo(f"    {line}", dim=True)
    return ExitCode.PROPOSED


_SHOWN = 20
