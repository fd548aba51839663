"""campaign_options: what the commands ``pinsetter campaign`` have in common."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

import click

from pinsetter.analyzer.messages.problem import Problem

from ..campaign.campaign_home import Home
from ..campaign.commit_plan import Codemod
from ..campaign.workshop import Workshop, working, workshop_of
from ..console.exit_code import ExitCode
from ..console.terminal import echo_problem
from ..files.replace_file import explained
from ..files.replace_file import replace as write_file
from ..git.git_stand_in import GitSilence
from ..records import campaigns
from ..records.recorded import Repository, ShardRow
from ..records.store import RecordsError, Store
from .named_packs import check_given, check_options, check_rules, hint, load_codemod
from .options import cores


def home_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Where campaigns are, as one argument ``home``."""

    @functools.wraps(command)
    def called(*args: Any, home_folder: Path | None, database: str | None, **given: Any) -> Any:
        home = Home.of(home_folder, database)
        if isinstance(home, Problem):
            fail(home)
        try:
            return command(*args, home=home, **given)
        except RecordsError as error:
            fail(error.problem)
        except GitSilence as error:
            fail(Problem(home.folder, f"git fails: {error}"))
        except OSError as error:
            fail(Problem(Path(error.filename or home.folder), explained(error)))

    for option in (_DATABASE, _FOLDER):
        called = option(called)
    return called


_FOLDER = click.option(
    "--home", "home_folder", envvar="PINSETTER_CAMPAIGNS", metavar="DIR", default=None,
    type=click.Path(file_okay=False, path_type=Path),
    help="Where campaigns have their work trees; else your own state folder. Or set "
         "PINSETTER_CAMPAIGNS.",
)  # fmt: skip
_DATABASE = click.option(
    "--database", envvar="PINSETTER_DATABASE", metavar="URL", default=None,
    help="The database of campaigns: a file, or the URL of another as SQLAlchemy has it; else a "
         "file in the home. Or set PINSETTER_DATABASE.",
)  # fmt: skip
jobs_option = click.option(
    "--jobs", type=click.IntRange(min=1), default=cores, metavar="NUMBER",
    help="Analyse with so many processes; the default is one for each core.",
)  # fmt: skip
shards_option = click.option(
    "--shard", "shards", multiple=True, metavar="NAME", help="Only this shard. May be repeated."
)
owners_option = click.option(
    "--owner", "owners", multiple=True, metavar="NAME",
    help="Only the shards of this owner. May be repeated.",
)  # fmt: skip


def codemod(pack: str, settings: Any, jobs: int, executor: str | None = None) -> Codemod:
    options = tuple(settings["options"])
    loaded = load_codemod(pack, options)
    check_given(pack, options, loaded)
    check_options(pack, options, loaded)
    check_rules(settings["skip"], loaded)
    if any(one.places for one in loaded):
        raise click.UsageError(f"{pack} rewrites what is pointed at, in a run of its own.")
    return Codemod(
        loaded, options, frozenset(settings["skip"]), tuple(settings["exclude"]), jobs, executor
    )  # fmt: skip


@contextmanager
def opened_store(home: Home) -> Iterator[Store]:
    store = home.open()
    if isinstance(store, Problem):
        fail(store)
    try:
        yield store
    finally:
        store.close()


@contextmanager
def looked_at(home: Home, name: str) -> Iterator[Workshop]:
    """A campaign, of which nothing is changed but its decisions."""
    with opened_store(home) as store:
        found = workshop_of(home, store, name)
        if isinstance(found, Problem):
            fail(found)
        yield found


@contextmanager
def alone(workshop: Workshop) -> Iterator[None]:
    """Inside the ``with`` nobody else works on a campaign's trees."""
    with workshop.home.alone(workshop.campaign.name) as problem:
        if problem is not None:
            fail(problem)
        yield


@contextmanager
def worked_on(home: Home, name: str) -> Iterator[Workshop]:
    with opened_store(home) as store, working(home, store, name) as workshop:
        if isinstance(workshop, Problem):
            fail(workshop)
        yield workshop


def write_given(file: Path, data: bytes) -> None:
    """Write a file that a person named, or end with what keeps it from being written."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        write_file(file.resolve(), data)
    except OSError as error:
        fail(Problem(file, f"not written: {explained(error)}"))


def fail(*problems: Problem) -> NoReturn:
    for problem in problems:
        echo_problem(problem)
    sys.exit(ExitCode.FAILED)


def chosen(
    workshop: Workshop, shards: Sequence[str], owners: Sequence[str]
) -> list[tuple[Repository, list[ShardRow]]]:
    """The shards that are asked for, or all, of each repository that has one of them. Raises
    UsageError, RecordsError."""
    found = []
    names: set[str] = set()
    whose: set[str] = set()
    for repository in workshop.repositories:
        with workshop.store.look() as connection:
            rows = campaigns.shards(connection, repository.id)
        names |= {name for row in rows for name in called(repository, row)}
        whose |= {owner for row in rows for owner in row.owners}
        rows = [
            row
            for row in rows
            if (not shards or not called(repository, row).isdisjoint(shards))
            and (not owners or not set(owners).isdisjoint(row.owners))
        ]
        if rows:
            found.append((repository, rows))
    for what, given, known in (("shard", shards, names), ("owner", owners, whose)):
        strange = [one for one in given if one not in known]
        if strange:
            has = hint(strange[0], known) if known else "The campaign has none."
            raise click.UsageError(f"There is no {what} {strange[0]!r}. {has}")
    return found


def called(repository: Repository, shard: ShardRow) -> set[str]:
    """What a shard may be called: its name, and with its repository's."""
    return {shard.name, f"{repository.name}:{shard.name}"}


def in_repository(problem: Problem, repository: Repository, tree: Path) -> Problem:
    """The same, with the path that a person knows instead of that of our copy."""
    for top in (tree, tree.resolve()):
        if problem.path.is_relative_to(top):
            return replace(problem, path=repository.path / problem.path.relative_to(top))
    return problem
