"""named_packs: the packs that a codemod's name, or path, stands for, and their rules by name."""

from __future__ import annotations

import difflib
import fnmatch
import sys
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pinsetter.patterns.packs import pack as packs
from pinsetter.patterns.packs import pack_files

from ..console.exit_code import ExitCode

if TYPE_CHECKING:
    from pinsetter.patterns.packs.pack import Pack

_MOST = 8


def bundled_names() -> list[str]:
    """The codemods that come with Pinsetter, choices of packs first, and with other packages."""
    from pinsetter.patterns.packs.installed import installed

    found = [*pack_files.choices(), *pack_files.bundled()]
    return list(dict.fromkeys([*(path.stem for path in found), *installed()]))


def load_codemod(codemod: str, options: Sequence[str] = ()) -> tuple[Pack, ...]:
    """Its packs, with the texts that ``options`` give their parameters (``name=text``). Raises
    UsageError if there is none of that name, or what is given is wrong; exits with 2, having said
    why, if one is broken."""
    name = codemod.replace("_", "-")
    path = Path(codemod)
    if path.suffix == ".py":
        name, path = path.stem.replace("_", "-"), Path()
    elif path.suffix in (".yaml", ".yml"):
        name = ""
    found = pack_files.find(name) if name else path
    if found is None:
        near = hint(name, bundled_names(), "`pinsetter list` shows them.")
        raise click.UsageError(f"There is no codemod {codemod!r}. {near}")
    given = _texts(options)
    loaded = packs.load_all(found, given)
    if isinstance(loaded, list) and given:
        usual = packs.load_all(found)
        if not isinstance(usual, list):
            _check_texts(codemod, given, usual)
    if isinstance(loaded, list):
        from .summary import print_problems

        print_problems(loaded)
        sys.exit(ExitCode.FAILED)
    _check_texts(codemod, given, loaded)
    return loaded


def check_options(codemod: str, options: Sequence[str], loaded: Sequence[Pack]) -> None:
    """Raises UsageError if no pack has an option that is turned on."""
    for option in (option for option in options if "=" not in option):
        if not any(option in pack.options for pack in loaded):
            known = sorted({name for pack in loaded for name in pack.options})
            has = hint(option, known) if known else "It has none."
            raise click.UsageError(f"{codemod} has no option {option!r}. {has}")


def check_given(codemod: str, options: Sequence[str], loaded: Sequence[Pack]) -> None:
    """Raises UsageError if a parameter without a default is given no text."""
    given = _texts(options)
    for pack in loaded:
        for name, parameter in pack.parameters.items():
            if parameter.default is None and name not in given:
                raise click.UsageError(
                    f"{codemod} needs --set {name}=TEXT. {name}: {parameter.summary}"
                )


def _texts(options: Sequence[str]) -> dict[str, str]:
    """The texts of ``name=text``. Raises UsageError if a name has two."""
    given: dict[str, str] = {}
    for name, text in (option.split("=", 1) for option in options if "=" in option):
        if given.setdefault(name, text) != text:
            raise click.UsageError(f"--set {name} is given twice: {given[name]!r} and {text!r}.")
    return given


def _check_texts(codemod: str, given: Mapping[str, str], loaded: Sequence[Pack]) -> None:
    known = {name: one for pack in loaded for name, one in pack.parameters.items()}
    for name, text in given.items():
        if name not in known:
            has = hint(name, sorted(known)) if known else "It has none."
            raise click.UsageError(f"{codemod} has no parameter {name!r}. {has}")
        if known[name].one_of and text not in known[name].one_of:
            listed = ", ".join(known[name].one_of)
            raise click.UsageError(f"--set {name}={text}: it is one of {listed}.")


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
