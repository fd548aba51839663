"""``pinsetter rename``: a name gets another, without a pack."""

from __future__ import annotations

import re
import sys
from keyword import iskeyword
from pathlib import Path
from typing import Any

import click

from pinsetter.analyzer.files.import_path import root_of

from ..console.terminal import echo
from .one_rule import run_rule
from .options import run_options

_DOTTED = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*")


@click.command("rename")
@click.option("--strings", is_flag=True,
              help="Also where a string is the way to it, as for mock.patch.")  # fmt: skip
@click.argument("old")
@click.argument("new")
@run_options
def rename_command(old: str, new: str, strings: bool, **given: Any) -> None:
    """Rename OLD, a qualified name, to NEW wherever it is meant: a function, class or variable of a
    module, a method or attribute of a class, a parameter of a function, or a module, whose file has
    its new place already.

    Without --write, --diff or --check every hunk is shown and asked about.

    pinsetter rename mylib.client.Client.fetch get src --diff
    """
    if _DOTTED.fullmatch(old) is None:
        raise click.BadParameter(f"{old!r} is not as in mylib.client.Client.fetch",
                                 param_hint="OLD")  # fmt: skip
    if _DOTTED.fullmatch(new) is None or any(map(iskeyword, new.split("."))):
        raise click.BadParameter(f"{new!r} is no name", param_hint="NEW")
    to = new if "." in new or "." not in old else f"{old.rpartition('.')[0]}.{new}"
    if "." not in old:
        echo(f"{old} is taken for a module; a name of one is written as in module.{old}", err=True)
    heads = {name.partition(".")[0] for name in (old, to)}
    rule = {
        "title": f"{old} is {to}",
        "match": old,
        "edit": {"rename": "$match", "to": to, "strings": strings},
    }
    # What the repository has need not be installed here.
    own = {head for head in heads if any(_has(path, head) for path in given["paths"])}
    sys.exit(run_rule("rename", {head: head for head in heads}, rule, given, own))


def _has(path: Path, module: str) -> bool:
    """Whether a module or package of that name is in a folder, or at the root around it."""
    root = root_of(path)
    folders = (path if path.is_dir() else path.parent, root, root / "src")
    return any((f / module).is_dir() or (f / f"{module}.py").is_file() for f in folders)
