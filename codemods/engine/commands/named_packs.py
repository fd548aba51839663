"""named_packs: the packs that a codemod's name, or path, stands for, and their rules by name."""

from __future__ import annotations

import difflib
import fnmatch
import sys
from collections.abc import Collection, Sequence
from pathlib import Path

import click

from pinsetter.patterns.packs import pack as packs
from pinsetter.patterns.packs.installed import installed
from pinsetter.patterns.packs.pack import Pack

from ..console.exit_code import ExitCode

_MOST = 8


def bundled_names() -> list[str]:
    """The codemods that come with Pinsetter, choices of packs first, and with other packages."""
    found = [*packs.choices(), *packs.bundled()]
    return list(dict.fromkeys([*(path.stem for path in found), *installed()]))


def load_codemod(codemod: str) -> tuple[Pack, ...]:
    """Its packs. Raises UsageError if there is none of that name; exits with 2, having said why, if
    one is broken."""
    name = codemod.replace("_", "-")
    path = Path(codemod)
    if path.suffix == ".py":
        name, path = path.stem.replace("_", "-"), Path()
    elif path.suffix in (".yaml", ".yml"):
        name = ""
    found = packs.find(name) if name else path
    if found is None:
        near = hint(name, bundled_names(), "`pinsetter list` shows them.")
        raise click.UsageError(f"There is no codemod {codemod!r}. {near}")
    loaded = packs.load_all(found)
    if isinstance(loaded, list):
        from .summary import print_problems

        print_problems(loaded)
        sys.exit(ExitCode.FAILED)
    return loaded


def check_rules(given: Sequence[str], chosen: Sequence[Pack], patterns: bool = False) -> None:
    """Raises UsageError for what is no rule of the packs, or, with ``patterns``, fits none."""
    known = list(dict.fromkeys(rule.id for pack in chosen for rule in pack.rules))
    for rule in given:
        if not (fnmatch.filter(known, rule) if patterns else rule in known):
            raise click.UsageError(f"There is no rule {rule!r}. {hint(rule, known)}")


def hint(
    name: str, known: Collection[str], shown: str = "`pinsetter list CODEMOD` shows its rules."
) -> str:
    """What may be meant by a name that is not known; all that are known if there are few, else what
    shows them."""
    close = difflib.get_close_matches(name, known, 1)
    if close:
        return f"Did you mean {close[0]}?"
    if len(known) <= _MOST:
        return f"Known are: {', '.join(known)}."
    return shown
