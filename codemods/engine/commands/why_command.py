"""``pinsetter why``: what keeps the rules of a pack from a line."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NoReturn

import click

from pinsetter.analyzer.facts import Facts
from pinsetter.analyzer.files.bounds import Bounds
from pinsetter.analyzer.messages.problem import Problem
from pinsetter.analyzer.names.project import Project
from pinsetter.patterns.packs.pack import Pack

from ..authoring.why import Answer, why_not
from ..console.exit_code import ExitCode
from ..console.terminal import Styled, echo
from ..watchdog.attempt import attempt
from .bounds_options import bounds_options
from .completing import complete_codemod, complete_rule
from .named_packs import check_rules, load_codemod
from .options import set_option
from .places import place_in, read_place
from .summary import print_problems


@click.command("why")
@click.option("--rule", "wanted", multiple=True, metavar="RULE", shell_complete=complete_rule,
              help="Only this rule; may be given again.")  # fmt: skip
@click.option("--all", "every", is_flag=True,
              help="Also rules that only the names in the code keep from it.")  # fmt: skip
@set_option
@bounds_options
@click.argument("codemod", metavar="PACK", shell_complete=complete_codemod)
@click.argument("place", metavar="FILE:LINE")
def why_command(
    codemod: str,
    place: str,
    wanted: tuple[str, ...],
    every: bool,
    options: tuple[str, ...],
    bounds: Bounds,
) -> NoReturn:
    """Show for each rule of PACK whose pattern fits code in that line whether it applies, and the
    first condition that does not hold, with what is known of the code in it."""
    path, line = read_place(place)
    packs = load_codemod(codemod, options)
    check_rules(wanted, packs)

    def show(broken: Mapping[Path, Problem]) -> int:
        project = Project([path], broken=broken, bounds=bounds)
        if project.problems or not project.given:
            print_problems(project.problems)
            return ExitCode.FAILED
        module = place_in(project, path, line)
        for pack in packs:
            rules = [rule for rule in pack.rules if not wanted or rule.id in wanted]
            facts = Facts(project, classes=pack.classes, types=pack.types)
            answers = why_not(pack, rules, module, facts, line)
            near = [one for one in answers if one.near or every or wanted]
            _show(pack, near, {one.rule.id for one in answers} - {one.rule.id for one in near})
        return ExitCode.OK

    code = attempt(show, path, bounds)
    if isinstance(code, Problem):
        print_problems([code])
        code = ExitCode.FAILED
    sys.exit(code)


def _show(pack: Pack, answers: list[Answer], others: set[str]) -> None:
    if pack.training_apis:
        kinds = " and ".join(sorted(pack.training_apis))
        echo(f"{pack.name} is for programs that train by {kinds} alone.", dim=True)
    for answer in answers:
        code, reason = (" ".join(text.split()) for text in (answer.code, answer.reason))
        echo(Styled(answer.rule.id, bold=True), f"  {code:.100}")
        echo(f"    {reason:.400}", fg="green" if answer.applies else "yellow")
        for detail in answer.details:
            echo(f"      {detail}", dim=True)
    if not answers:
        echo(f"No rule of {pack.name} fits code that begins in this line.")
    if others:
        echo(f"{len(others)} rule(s) are for such code with other names; --all shows them.",
             dim=True)  # fmt: skip
