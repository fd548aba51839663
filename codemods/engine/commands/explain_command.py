"""``pinsetter explain``: a rule: what it does and why, where it applies, and its examples."""

from __future__ import annotations

import click

from pinsetter.patterns.packs.pack import Example, Pack, Rule

from ..console.terminal import Styled, echo
from ..review.explain import conditions
from .completing import complete_codemod, complete_rule
from .named_packs import bundled_names, check_rules, load_codemod


@click.command("explain")
@click.option(
    "--in", "codemod", metavar="CODEMOD", shell_complete=complete_codemod,
    help="The codemod, or the path of a pack, that has the rule; the default is any that comes "
         "with Pinsetter.")  # fmt: skip
@click.argument("rule", shell_complete=complete_rule)
def explain_command(rule: str, codemod: str | None) -> None:
    """Show a RULE: what it does and why, the code and the conditions that it is for, which other
    rules it requires, and its examples."""
    names = [codemod] if codemod is not None else bundled_names()
    loaded = [pack for name in names for pack in load_codemod(name)]
    check_rules([rule], loaded)
    found = next(made for pack in loaded if (made := pack.rule(rule)) is not None)
    _show(found, loaded)


def _show(rule: Rule, loaded: list[Pack]) -> None:
    echo(Styled(rule.id, bold=True), f": {rule.title}")
    echo(f"  {rule.path}:{rule.line}", dim=True)
    echo(f"  {' '.join(rule.why.split())}")
    having = dict.fromkeys(pack.name for pack in loaded if pack.rule(rule.id) is not None)
    echo("  codemods: ", ", ".join(having))
    if rule.option is not None:
        echo(f"  only with --option {rule.option}")
    for option in rule.unless:
        echo(f"  not with --option {option}")
    for key, lines in conditions(rule):
        echo(Styled(f"  {key}:", fg="cyan"))
        for line in lines:
            echo(f"    {line}")
    for example in sorted(rule.examples, key=lambda example: example.after is None):
        _show_example(example)


def _show_example(example: Example) -> None:
    for title, code, sign, colour in (
        ("before", example.before, "-", "red"), ("after", example.after, "+", "green")
    ):  # fmt: skip
        if code is None:
            continue
        is_same = example.after is None
        echo(Styled("  unchanged:" if is_same else f"  {title}:", fg="cyan"))
        for line in code.rstrip().splitlines():
            mark = " " if is_same else sign
            echo(Styled(f"    {mark} {line}", fg=None if is_same else colour))
