"""``pinsetter learn``: rules from what was changed by hand."""

from __future__ import annotations

import re
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

import click
import yaml

from pinsetter.analyzer.files.bounds import Bounds
from pinsetter.analyzer.messages.problem import Problem
from pinsetter.analyzer.names.module import Module, load
from pinsetter.patterns.packs.pack import Pack
from pinsetter.patterns.packs.pack import load as load_pack

from ..authoring.examples import check_example
from ..authoring.learning import Draft, Learned, learned
from ..console.exit_code import ExitCode
from ..console.terminal import echo
from ..watchdog.attempt import attempt
from .bounds_options import bounds_options
from .new_command import PACK_NAME
from .summary import print_problems

_DOTTED = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)+")
_WORD = re.compile(r"[A-Za-z_]\w*")


class _Dumper(yaml.SafeDumper):
    """Code of several lines as a block."""


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:str", text,
                                   style="|" if "\n" in text else None)  # fmt: skip


_Dumper.add_representer(str, _text)


@click.command("learn")
@click.option("--pack", "name", default="learned", metavar="NAME", help="The name of the pack.")
@bounds_options
@click.argument("before", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.argument("after", type=click.Path(exists=True, dir_okay=False, path_type=Path))
def learn_command(before: Path, after: Path, name: str, bounds: Bounds) -> NoReturn:
    """Draft the rules that make AFTER of BEFORE, two states of one file, as a pack on stdout; what
    was generalised, and what makes no rule, is said on stderr.

    pinsetter learn old/train.py train.py > mine.yaml
    """

    if PACK_NAME.fullmatch(name) is None:
        raise click.BadParameter(f"{name!r} is not as in my-pack", param_hint="--pack")

    def run(broken: Mapping[Path, Problem]) -> int:
        modules: list[Module] = []
        for path in (before, after):
            module = broken.get(path) or load(path, path.stem, bounds)
            if isinstance(module, Problem):
                print_problems([module])
                return ExitCode.FAILED
            modules.append(module)
        found = learned(*modules)
        _tell(found, before)
        if not found.drafts:
            echo("no rule can be drafted of what differs", err=True)
            return ExitCode.PROPOSED
        pack = {"pack": name, "summary": "Drafted from a change; say what it is for.",
                "imports": _imports(found.drafts), "rules": _rules(found.drafts)}  # fmt: skip
        text = yaml.dump(pack, Dumper=_Dumper, sort_keys=False, width=100, allow_unicode=True)
        for line in text.splitlines():
            echo(line)
        return _checked(pack)

    code = attempt(run, before, bounds)
    if isinstance(code, Problem):
        print_problems([code])
        code = ExitCode.FAILED
    sys.exit(code)


def _imports(drafts: Sequence[Draft]) -> dict[str, str]:
    return {name: full for draft in drafts for name, full in draft.imports.items()}


def _rules(drafts: Sequence[Draft]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    ids: dict[str, int] = {}
    for draft in drafts:
        words = [word for word in _WORD.findall(draft.match) if f"${word}" not in draft.match]
        id = "-".join(words[-2:]).lower().replace("_", "-").strip("-") or "rule"
        ids[id] = ids.get(id, 0) + 1
        before, after = draft.examples[0]
        edit = {"replace": "$match", "with": draft.replacement}
        if _is_renamed(draft):
            edit = {"rename": "$match", "to": draft.replacement}
        found.append(
            {
                "id": id if ids[id] == 1 else f"{id}-{ids[id]}",
                "title": f"{draft.match} becomes {draft.replacement}",
                "why": "Say why.",
                "match": draft.match,
                "edit": edit,
                "examples": [{"unchanged": after}, {"before": before, "after": after}],
            }
        )
    return found


def _is_renamed(draft: Draft) -> bool:
    """Whether a name of a module gets another."""
    names = (draft.match, draft.replacement)
    return all(_DOTTED.fullmatch(n) and n.partition(".")[0] in draft.imports for n in names)


def _tell(found: Learned, path: Path) -> None:
    for draft in found.drafts:
        places = ", ".join(map(str, draft.lines))
        echo(f"{path}:{places}: {draft.match} becomes {draft.replacement}", err=True)
        for name, code in draft.metavariables.items():
            echo(f"    {name} was {code}", err=True, dim=True)
    for module, line, why in found.left:
        echo(f"{module.path}:{line}: no rule: {why}", err=True, fg="yellow")


def _checked(pack: Mapping[str, Any]) -> int:
    """Whether the drafts do to their examples what was done by hand."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "learned.yaml"
        path.write_text(yaml.dump(pack, Dumper=_Dumper, sort_keys=False), "utf-8")
        loaded = load_pack(path)
    if not isinstance(loaded, Pack):
        for problem in loaded:
            echo(f"this has to be corrected: {problem.reason}", err=True, fg="yellow")
        return ExitCode.PROPOSED
    failures = [
        failure for rule in loaded.rules for example in rule.examples
        if (failure := check_example(loaded, rule, example)) is not None
    ]  # fmt: skip
    for failure in failures:
        first, *rest = f"{failure.rule.id}: this has to be corrected: {failure.reason}".splitlines()
        echo(first, err=True, fg="yellow")
        for line in rest:
            echo(f"    {line}", err=True)
    return ExitCode.PROPOSED if failures else ExitCode.OK
