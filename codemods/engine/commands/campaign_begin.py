"""The commands ``pinsetter campaign start``, ``list``, ``scan`` and ``forget``."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from pinsetter.analyzer.messages.problem import Problem

from ..campaign.campaign_home import Home
from ..campaign.commit_plan import Codemod
from ..campaign.scanning import Scanned
from ..campaign.workshop import NAME, Workshop, begun, followed, listed, located
from ..console.exit_code import ExitCode
from ..console.terminal import Styled, echo, echo_problem
from ..git.git_process import find_git
from ..records import campaigns
from ..records.recorded import Campaign
from ..resume.live_session import person
from ..shards.sharding import By
from ..state.decision import day, now
from .campaign_options import (
    codemod,
    fail,
    home_options,
    jobs_option,
    opened_store,
    worked_on,
)
from .completing import complete_codemod
from .options import executor_option
from .summary import print_problems


@click.command("start")
@click.argument("name")
@click.argument("repositories", nargs=-1, metavar="REPO...", type=click.Path(path_type=Path))
@click.option("--pack", required=True, shell_complete=complete_codemod, metavar="CODEMOD",
              help="What is to be done: a codemod's name, or the path of a pack.")  # fmt: skip
@click.option("--repositories", "file", type=click.Path(path_type=Path), metavar="FILE",
              help="A file that lists repositories, one on each line.")  # fmt: skip
@click.option("--branch", metavar="NAME",
              help="The branch that is followed; else the one that it is on.")  # fmt: skip
@click.option("--by", type=click.Choice([by.value for by in By]), default=By.OWNER.value,
              help="What makes a shard: the owners of CODEOWNERS, top folders, programs, or size "
                   "alone.")  # fmt: skip
@click.option("--size", type=click.IntRange(min=1), metavar="FILES",
              help="How many files a shard has at most, if it is not one program.")  # fmt: skip
@click.option("--skip", multiple=True, metavar="RULE", help="Propose no hunk of this rule.")
@click.option("--exclude", multiple=True, metavar="PATTERN",
              help="Leave out what this pattern of .gitignore's fits.")  # fmt: skip
@click.option("--option", "--set", "options", multiple=True, metavar="NAME[=TEXT]",
              help="Turn on an option of the pack, or give a parameter of it a text.")  # fmt: skip
@click.option("--format-with", "format_with", default="auto",
              type=click.Choice(["auto", "black", "ruff", "yapf", "none"]),
              help="Format accepted lines with this tool.")  # fmt: skip
@jobs_option
@executor_option
@home_options
def start_command(
    name: str,
    repositories: Sequence[Path],
    pack: str,
    file: Path | None,
    branch: str | None,
    jobs: int,
    executor: str | None,
    home: Home,
    **settings: Any,
) -> None:
    """Begin the campaign NAME over git repositories, and scan them."""
    if NAME.fullmatch(name) is None:
        raise click.UsageError(f"{name!r} is no name: letters, digits, '.', '_' and '-', up to 60.")
    given = list(repositories)
    if file is not None:
        found = listed(file)
        if isinstance(found, Problem):
            fail(found)
        given += found
    if not given:
        raise click.UsageError("Give at least one repository.")
    if (Path(pack).suffix in (".yaml", ".yml", ".py")) and Path(pack).exists():
        pack = os.path.abspath(pack)
    found_codemod = codemod(pack, settings, jobs, executor)
    git = find_git()
    if git is None:
        fail(Problem(Path("git"), "there is none; campaigns work on git repositories"))
    places: dict[Path, str] = {}
    problems: list[Problem] = []
    for path in given:
        top = located(path, git)
        name_or_problem = top if isinstance(top, Problem) else followed(top, branch, git)
        if isinstance(name_or_problem, Problem):
            problems.append(name_or_problem)
        elif isinstance(top, Path):
            places[top] = name_or_problem
            if top != path.resolve():
                reason = f"is a folder of the repository {top}, which is taken as a whole"
                echo_problem(Problem(path, reason, hint="--exclude leaves out others"), fg="yellow")
    if problems:
        fail(*problems)
    kept = {key: list(v) if isinstance(v, tuple) else v for key, v in settings.items()}
    by = person(next(iter(places)))
    with opened_store(home) as store:
        made = begun(home, store, Campaign(0, name, pack, kept, now(), by), list(places.items()))
        if isinstance(made, Problem):
            fail(made)
    with worked_on(home, name) as workshop:
        sys.exit(_scan(workshop, found_codemod, again=False))


@click.command("list")
@home_options
def list_command(home: Home) -> None:
    """Name the campaigns."""
    with opened_store(home) as store, store.look() as connection:
        for one in campaigns.all_campaigns(connection):
            count = len(campaigns.repositories(connection, one.id))
            where = "1 repository" if count == 1 else f"{count} repositories"
            since = f"since {day(one.started)}, by {one.started_by}"
            echo(Styled(one.name, bold=True), f"  {one.pack}  {where}  {since}")


@click.command("scan")
@click.argument("name")
@click.option("--again", is_flag=True, help="Also what did not change since the last scan.")
@jobs_option
@executor_option
@home_options
def scan_command(name: str, again: bool, jobs: int, executor: str | None, home: Home) -> None:
    """Look at the newest commits of the campaign's repositories."""
    with worked_on(home, name) as workshop:
        found_codemod = codemod(workshop.campaign.pack, workshop.campaign.settings, jobs, executor)
        sys.exit(_scan(workshop, found_codemod, again))


@click.command("forget")
@click.argument("name")
@click.confirmation_option("--yes", prompt="Forget its decisions, checks and events?")
@home_options
def forget_command(name: str, home: Home) -> None:
    """Forget a campaign. Branches that it made stay."""
    with worked_on(home, name) as workshop:
        with workshop.store.change() as connection:
            campaigns.remove(connection, workshop.campaign.id)
        workshop.remove_trees()
    echo(f"{name} is forgotten; its branches are as they were.", err=True)


def _scan(workshop: Workshop, wanted: Codemod, again: bool) -> ExitCode:
    code = ExitCode.OK
    for repository, result in workshop.scan(wanted, again):
        if isinstance(result, Problem):
            echo_problem(result)
            code = ExitCode.FAILED
            continue
        for note in result.notes:
            echo_problem(note, fg="yellow")
        print_problems(result.problems)
        if result.problems:
            code = ExitCode.FAILED
        echo(Styled(repository.name, bold=True), f"  {result.commit[:12]}  {_said(result)}")
    return code


def _said(result: Scanned) -> str:
    if result.unchanged:
        return "as it was scanned last"
    told = {
        "new": result.new, "merged": result.merged, "gone": result.gone,
        "came back": result.regressed, "to be decided again": result.reopened,
        "in another shard": result.moved,
    }  # fmt: skip
    return ", ".join(f"{count} {what}" for what, count in told.items() if count) or "nothing new"
