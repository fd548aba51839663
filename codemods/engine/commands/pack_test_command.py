"""``pinsetter test``: the examples of packs, as the tests that they are."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn

import click

from pinsetter.analyzer.messages.problem import Problem
from pinsetter.patterns.packs.pack import Pack, Rule, load

from ..authoring.examples import Failure, check_example, check_together
from ..authoring.updating import update
from ..console.exit_code import ExitCode
from ..console.terminal import Styled, echo
from .completing import complete_codemod
from .named_packs import hint, load_codemod
from .options import set_option
from .summary import print_problems, print_warnings
from .watching import begun


@click.command("test")
@click.option(
    "-k", "wanted", metavar="PATTERN", help="Only rules whose names the regular expression fits."
)
@click.option("--update", "updating", is_flag=True,
              help="Write what a rule makes of an example into the pack.")  # fmt: skip
@click.option("--watch", is_flag=True,
              help="Run them again whenever a file of PACK changes, until Ctrl-C.")  # fmt: skip
@set_option
@click.argument(
    "codemods", nargs=-1, required=True, metavar="PACK...", shell_complete=complete_codemod
)
def test_command(
    codemods: Sequence[str],
    wanted: str | None,
    updating: bool,
    watch: bool,
    options: tuple[str, ...],
) -> NoReturn:
    """Run the examples of PACK, a name or the path of a pack or part: each rule alone and all of
    them together, twice, for a second run must propose nothing. Of a pack whose rules are all those
    of its parts, the parts' are run.

    Exits with 1 if one fails.
    """
    if watch and updating:
        raise click.UsageError("--watch and --update exclude each other.")
    if watch and not any(Path(name).suffix for name in codemods):
        raise click.UsageError("--watch is for packs that are files.")
    if not watch:
        sys.exit(_tested(codemods, wanted, updating, options))
    while True:
        wait = begun(codemods)
        _again(codemods, wanted, options)
        wait()


def _again(codemods: Sequence[str], wanted: str | None, options: tuple[str, ...]) -> None:
    """The same, whatever is wrong with the pack."""
    try:
        _tested(codemods, wanted, False, options)
    except click.UsageError as error:
        echo(error.format_message(), fg="red", err=True)
    except SystemExit:
        pass  # what is wrong with the pack was said


def _tested(
    codemods: Sequence[str], wanted: str | None, updating: bool, options: tuple[str, ...]
) -> int:
    loaded = [pack for name in codemods for pack in _loaded(name, options)]
    packs = list({pack.path: pack for one in loaded for pack in _with_rules(one)}.values())
    for pack in packs:
        print_warnings(pack.remarks)
    rules = [(pack, rule) for pack in packs for rule in pack.own_rules if _is_wanted(rule, wanted)]
    if not rules:
        known = list(dict.fromkeys(rule.id for pack in packs for rule in pack.own_rules))
        raise click.UsageError(f"No rule is called so. {hint(wanted or '', known)}")
    tally = Tally()
    for pack, rule in rules:
        tally.run(pack, rule)
    for failure in tally.failures:
        _show(failure)
    could_write = _update(tally.failures) if updating else True
    passed = tally.examples - len(tally.failures)
    text = f"{passed} of {tally.examples} examples of {len(rules)} rule(s) pass"
    echo(Styled(text, fg="red" if tally.failures else "green"))
    if tally.failures:
        echo(f"  {tally.noisy} change, or report, what they should not, {tally.missing} leave what "
             f"they should change, {tally.other} differ")  # fmt: skip
    code = ExitCode.PROPOSED if tally.failures else ExitCode.OK
    return code if could_write else ExitCode.FAILED


@dataclass
class Tally:
    """What became of examples. ``noisy`` are rewrites or reports where the example has none,
    ``missing`` none where it has one."""

    failures: list[Failure] = field(default_factory=list)
    examples: int = 0
    noisy: int = 0
    missing: int = 0
    other: int = 0

    def run(self, pack: Pack, rule: Rule) -> None:
        for example in rule.examples:
            self.examples += 1
            failure = check_example(pack, rule, example)
            is_change = example.after is not None
            if failure is None and is_change and not pack.is_part:
                failure = check_together(pack, rule, example)
            if failure is None:
                continue
            self.failures.append(failure)
            if not is_change and not example.reported:
                self.noisy += 1
            elif failure.made == example.before or failure.reason == "nothing is reported":
                self.missing += 1
            else:
                self.other += 1


def _loaded(name: str, options: Sequence[str]) -> Iterator[Pack]:
    path = Path(name)
    if path.suffix in (".yaml", ".yml") and path.is_file():
        pack = load(path)
        if isinstance(pack, Pack) and (pack.is_part or not options):
            yield pack
            return
    yield from load_codemod(name, options)


def _with_rules(pack: Pack) -> Iterator[Pack]:
    """The pack, or its parts if all of its rules are theirs."""
    if pack.own_rules:
        yield pack
        return
    for path in dict.fromkeys(rule.path for rule in pack.rules):
        part = load(path)
        if isinstance(part, Pack):
            yield part


def _is_wanted(rule: Rule, wanted: str | None) -> bool:
    try:
        return wanted is None or re.search(wanted, rule.id) is not None
    except re.error as error:
        raise click.BadParameter(f"{error}", param_hint="-k") from None


def _show(failure: Failure) -> None:
    first, *rest = str(failure).splitlines()
    echo(first, fg="red")
    for line in rest:
        colour = {"+": "green", "-": "red"}.get(line[:1])
        echo(f"    {line}", fg=colour)


def _update(failures: Sequence[Failure]) -> bool:
    """Write what differs; returns whether the files could be written."""
    try:
        changed, problems = update([failure for failure in failures if failure.made is not None])
    except OSError as error:
        path = Path(error.filename or "")
        print_problems([Problem(path, f"cannot be written: {error.strerror or error}")])
        return False
    for path, count in changed.items():
        echo(f"{path}: {count} example(s) written; read what they say now", fg="yellow")
    print_problems([Problem(f.rule.path, reason, f.example.line) for f, reason in problems])
    return True
