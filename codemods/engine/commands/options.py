"""options: what the command line of a run takes.

What the options mean is imported later: files are read meanwhile.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

import click

from ..report.format import Format
from .bounds_options import bounds_options
from .completing import complete_rule
from .revision_option import revision_option
from .state_option import state_option, trust_edits_option

SHARD, COMMENTS, CLEAN = "shard", "comments", "require_clean"


def cores() -> int:
    """How many of them this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _scheduler(_: click.Context, __: click.Parameter, given: str | None) -> str | None:
    """HOST:PORT of an address. Raises BadParameter."""
    if given is None:
        return None
    found = _ADDRESS.fullmatch(given)
    if found is None:
        raise click.BadParameter(f"{given!r} is not of the form dask://HOST:PORT.")
    return found[1]


def _with_text(_: click.Context, __: click.Parameter, given: tuple[str, ...]) -> tuple[str, ...]:
    """What a pack's parameters are given. Raises BadParameter."""
    for one in given:
        if "=" not in one:
            raise click.BadParameter(f"{one!r} is not of the form NAME=TEXT.")
    return given


set_option = click.option(
    "--set", "options", multiple=True, callback=_with_text, metavar="NAME=TEXT",
    help="Give a parameter of the pack a text. May be repeated.")  # fmt: skip

executor_option = click.option(
    "--executor", callback=_scheduler, metavar="dask://HOST:PORT",
    help="Analyse on the Dask cluster whose scheduler is there; its workers get the text of "
         "the files, and need the same Pinsetter.")  # fmt: skip

_ADDRESS = re.compile(r"dask://((?:[^\s/:\[\]]+|\[[0-9A-Fa-f:.]+\]):[0-9]+)/?")

_OPTIONS: list[Callable[[Any], Any]] = [
    click.option(
        "-q", "--quiet", is_flag=True,
        help="Tell what failed or was refused, and nothing else; a patch or report is printed."),
    click.option(
        "-v", "--verbose", is_flag=True,
        help="Name every file that is left alone, and where configuration is from."),
    click.option("--write", is_flag=True, help="Accept every hunk and write."),
    click.option("--diff", is_flag=True, help="Print a patch with its reasons."),
    click.option("--check", is_flag=True, help="Write nothing; exit 1 if there is a hunk."),
    click.option(
        "--skip", multiple=True, metavar="RULE", shell_complete=complete_rule,
        help="Propose no hunk of this rule, nor what requires it. May be repeated."),
    click.option(
        "--exclude", multiple=True, metavar="PATTERN",
        help="Leave out files and folders that this pattern of .gitignore's fits, relative to each "
             "given folder. May be repeated."),
    click.option(
        "--since", metavar="REVISION",
        help="Propose only what is about files, and programs with files, that changed since the "
             "branch left this revision of git's."),
    click.option(
        "--staged", is_flag=True,
        help="The same of files that are staged in git for the next commit."),
    revision_option,
    click.option(
        "--strict", is_flag=True,
        help="Fail, with 2, where no Python file is found."),
    click.option(
        "--only", multiple=True, metavar="RULE", shell_complete=complete_rule,
        help="Propose hunks of this rule, and what they require, and no others; * stands for any "
             "letters. May be repeated."),
    click.option(
        "--by", type=click.Choice(["hunk", "file", "rule"]),
        help="In a review: ask about every hunk, about equal hunks of a file at once, or rule by "
             "rule, about equal hunks of all files at once. The default is file on a terminal, "
             "else hunk."),
    click.option(
        "--enter", is_flag=True,
        help="In a review: an answer is a line, ended by Enter, not one key."),
    click.option(
        "--yes", is_flag=True,
        help="Write what was accepted at the end of a review without asking once more."),
    click.option(
        f"--{SHARD}", is_flag=True,
        help="Give each worker its own part of the training data, where the pack knows how to; the "
             f"same as --option {SHARD}."),
    click.option(
        f"--{COMMENTS}", is_flag=True,
        help="Say in a comment at the changed lines what they are for, where the pack knows how "
             f"to; the same as --option {COMMENTS}."),
    click.option(
        "--option", "--set", "options", multiple=True, metavar="NAME[=TEXT]",
        help="Turn on an option of the pack's own, or give a parameter of it a text. May be "
             "repeated."),
    click.option(
        "--format-with", "format_with", default="auto",
        type=click.Choice(["auto", "black", "ruff", "yapf", "none"]),
        help="Format accepted lines with this tool; the default is the one that the repository's "
             "configuration names, if it is installed."),
    click.option(
        "--include-generated", is_flag=True,
        help="Rewrite files, too, that say that they are generated."),
    click.option(
        "--whole-program", "whole_programs", is_flag=True,
        help="Rewrite the programs of the given files as a whole: modules of the same repository, "
             "too, that were not given."),
    click.option(
        "--require-clean", is_flag=True,
        help="Write nothing, and exit 2, if a file to be written has uncommitted changes in git."),
    click.option(
        "--cache/--no-cache", "cached", default=True,
        help="Whether what earlier runs found is taken where no file that counts is different; it "
             "lies in your cache folder."),
    click.option(
        "--jobs", type=click.IntRange(min=1), default=cores, metavar="NUMBER",
        help="Analyse with so many processes of this machine; what is proposed does not depend on "
             "it. The default is one for each core."),
    executor_option,
    click.option(
        "--format", "format", type=click.Choice([format.value for format in Format]),
        help="With --check, --diff or --write: print a report in this form."),
    click.option(
        "--output", type=click.Path(path_type=Path), metavar="FILE",
        help="Put the report, or the patch, into a file instead."),
    click.option(
        "--resume", is_flag=True,
        help="Go on with the last review of this; with --write, --diff or --check: use what was "
             "accepted in it, and nothing else."),
    click.option(
        "--decisions", "decisions", metavar="FILE",
        type=click.Path(exists=True, dir_okay=False, path_type=Path),
        help="With --write, --diff or --check: use what was accepted in FILE, and nothing else."),
    click.option(
        "--no-config", is_flag=True,
        help="Heed no [tool.pinsetter] of a pyproject.toml, and no [pinsetter] of a setup.cfg."),
    click.option(
        "--write-baseline", "baseline", metavar="FILE",
        type=click.Path(dir_okay=False, path_type=Path),
        help="With --check: make FILE, which says not to take what is proposed today. --check "
             "--decisions FILE then fails for what is more."),
    click.option(
        "--from", "evidence", multiple=True, metavar="LOG", type=click.Path(path_type=Path),
        help="Propose only what is about lines that LOG names: a traceback, or what TORCH_LOGS "
             "or a linter said (- is standard input). May be repeated."),
    trust_edits_option,
    state_option,
    click.argument(
        "paths", nargs=-1, type=click.Path(path_type=Path), metavar="[PATH[:LINE]]..."),
]  # fmt: skip


def _configured(command: Callable[..., Any]) -> Callable[..., Any]:
    """Have what a repository's own files say take the place of defaults."""

    @wraps(command)
    def with_file(no_config: bool, **given: Any) -> Any:
        if not no_config:
            from .configuration import take_over

            take_over(click.get_current_context(), given)
        return command(**given)

    return with_file


def run_options(command: Any) -> Any:
    """Give a command all of them."""
    command = _configured(bounds_options(command, proposes=True))
    for option in reversed(_OPTIONS):
        command = option(command)
    return command
