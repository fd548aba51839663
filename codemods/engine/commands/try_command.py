"""``pinsetter try``: a rule of one line, without a pack."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from typing import Any

import click
import yaml

from pinsetter.patterns.packs.pack_files import bundled
from pinsetter.patterns.reading.pack_head import listed
from pinsetter.patterns.reading.yaml_file import PackFile, read

from ..console.terminal import echo
from .one_rule import run_rule
from .options import run_options

# What everybody calls them; the packs have more.
_USUAL = {"np": "numpy", "pd": "pandas", "plt": "matplotlib.pyplot", "sns": "seaborn"}
_HEAD = re.compile(r"(?<![\w.$\"'])([A-Za-z_]\w*)\.[A-Za-z_]")
_OWN = {"self", "cls"}


@click.command("try")
@click.option("--import", "imports", multiple=True, metavar="NAME=MODULE",
              help="What a name in front of a dot stands for.")  # fmt: skip
@click.option("--where", "conditions", multiple=True, metavar="CONDITION",
              help="A condition of a rule, as 'isa: [$x, list]'; may be given again.")  # fmt: skip
@click.argument("match")
@click.argument("replacement")
@run_options
def try_command(
    match: str, replacement: str, imports: Sequence[str], conditions: Sequence[str], **given: Any
) -> None:
    """Replace what fits MATCH by REPLACEMENT in files and folders: code with $name and $...names.

    Without --write, --diff or --check every hunk is shown and asked about.

    pinsetter try 'np.asfarray($x)' 'np.asarray($x, dtype=float)' src --diff
    """
    rule = {
        "title": f"{match} becomes {replacement}",
        "match": match,
        "where": [_condition(text) for text in conditions],
        "edit": {"replace": "$match", "with": replacement},
    }
    sys.exit(run_rule("try", _imports(imports, match, replacement), rule, given))


def _imports(given: Sequence[str], *codes: str) -> dict[str, str]:
    found = {}
    usual = {**_of_packs(), **_USUAL}
    for text in given:
        name, equals, module = text.partition("=")
        if not equals or not name.isidentifier() or not module:
            raise click.BadParameter(f"{text!r} is not as in np=numpy", param_hint="--import")
        found[name] = module
    for code in codes:
        for name in _HEAD.findall(code):
            if name not in found and name not in _OWN:
                found[name] = usual.get(name, name)
                if found[name] != name:
                    echo(f"{name} is {found[name]}; --import {name}=… says otherwise", err=True,
                         dim=True)  # fmt: skip
    return found


def _of_packs() -> dict[str, str]:
    """The names that the packs which come with Pinsetter give modules."""
    files = (read(path) for path in bundled())
    heads = (file.data.get("imports", {}) for file in files if isinstance(file, PackFile))
    return {alias: listed(names)[0] for head in heads for alias, names in head.items()}


def _condition(text: str) -> Any:
    try:
        found = yaml.safe_load(text)
    except yaml.YAMLError:
        found = None
    if not isinstance(found, dict):
        raise click.BadParameter(f"{text!r} is not as in 'isa: [$x, list]'", param_hint="--where")
    return found
