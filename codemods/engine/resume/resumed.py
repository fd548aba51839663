"""Earlier: what a run is told about decisions that were taken before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import click


@dataclass(frozen=True)
class Earlier:
    """``resume``: go on with the last session; ``file``: what is decided stands there, and with
    ``trust_edits`` text that no rule proposed; ``options`` are those of the run that change what is
    proposed."""

    resume: bool = False
    file: Path | None = None
    options: tuple[str, ...] = ()
    trust_edits: bool = False

    def __bool__(self) -> bool:
        return self.resume or self.file is not None


NOTHING = Earlier()
LOOK = "pinsetter decisions import {}, and then --resume"


def earlier_of(
    resume: bool,
    file: Path | None,
    reviewing: bool,
    skip: Sequence[str],
    only: Sequence[str],
    options: Sequence[str],
    trust_edits: bool = False,
) -> Earlier:
    """What the command line says. Raises click.UsageError."""
    if trust_edits and file is None:
        raise click.UsageError("--trust-edits needs --decisions FILE.")
    if resume and file is not None:
        raise click.UsageError("--resume and --decisions exclude each other.")
    if file is not None and reviewing:
        raise click.UsageError(
            "--decisions needs --write, --diff or --check. To go on with the decisions of a file "
            f"in a review: {LOOK.format(file)}."
        )
    rules = (*(f"--skip {rule}" for rule in skip), *(f"--only {rule}" for rule in only))
    told = (*sorted(f"--option {o}" for o in options), *sorted(set(rules)))
    return Earlier(resume, file, told, trust_edits)
