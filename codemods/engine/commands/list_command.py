"""``pinsetter list``: the codemods that there are, or the rules of one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import click

from pinsetter.patterns.packs import pack_files
from pinsetter.patterns.packs.pack import Pack

from ..console.terminal import echo_json, echo_table
from .completing import complete_codemod
from .named_packs import bundled_names, load_codemod


@click.command("list")
@click.option("--json", "as_json", is_flag=True, help="For programs.")
@click.argument("codemod", required=False, shell_complete=complete_codemod)
def list_command(codemod: str | None, as_json: bool) -> None:
    """Show the codemods that come with Pinsetter, or the rules of CODEMOD and what each does.

    CODEMOD is a name, or the path of a pack.
    """
    if codemod is None:
        rows = [_described(name) for name in bundled_names()]
        if as_json:
            echo_json(rows)
        else:
            told = ((row["name"], str(row["rules"]), row["summary"]) for row in rows)
            echo_table(("codemod", "rules", "what it does"), told)
        return
    loaded = load_codemod(codemod)
    rules = _rules(loaded)
    if as_json:
        echo_json(rules)
    else:
        echo_table(("rule", "what it does", "option"),
                   ((row["id"], row["title"], row["option"]) for row in rules))  # fmt: skip
        parameters = list(_parameters(loaded))
        if parameters:
            echo_table(("parameter", "what it is for", "default"), parameters)


def _described(name: str) -> dict[str, Any]:
    path = pack_files.find(name)
    assert path is not None
    loaded = load_codemod(name)
    summary = loaded[0].summary
    if path in pack_files.choices():
        summary = f"Whichever fits of: {', '.join(pack.name for pack in loaded)}."
    rules = {rule.id for pack in loaded for rule in pack.rules}
    parameters = {name: one for pack in loaded for name, one in pack.parameters.items()}
    told = [
        {"name": name, "summary": one.summary, "default": one.default, "one_of": [*one.one_of]}
        for name, one in parameters.items()
    ]
    return {"name": name, "rules": len(rules), "summary": " ".join(summary.split()),
            "parameters": told}  # fmt: skip


def _rules(loaded: tuple[Pack, ...]) -> list[dict[str, str]]:
    rules = {rule.id: rule for pack in loaded for rule in pack.rules}
    return [
        {"id": rule.id, "title": rule.title, "option": _option(rule.option, rule.unless)}
        for rule in rules.values()
    ]


def _parameters(loaded: tuple[Pack, ...]) -> Iterator[tuple[str, str, str]]:
    for name, one in {n: p for pack in loaded for n, p in pack.parameters.items()}.items():
        summary = f"{one.summary} ({', '.join(one.one_of)})" if one.one_of else one.summary
        yield f"--set {name}=", summary, one.default if one.default is not None else "must be given"


def _option(only_with: str | None, unless: Sequence[str]) -> str:
    found = [f"--option {only_with}"] if only_with is not None else []
    if unless:
        found.append(f"not with {' or '.join(f'--option {name}' for name in unless)}")
    return ", ".join(found)
