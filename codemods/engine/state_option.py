"""--state: the option of every command that saves something or looks at what was saved."""

from __future__ import annotations

from pathlib import Path

import click

from .state.names import NAME, VARIABLE

state_option = click.option(
    "--state", "state", envvar=VARIABLE, metavar="DIR", default=None,
    type=click.Path(file_okay=False, path_type=Path),
    help=f"Where runs and decisions are kept; else {NAME} in the tree. Or set {VARIABLE}.",
)  # fmt: skip
