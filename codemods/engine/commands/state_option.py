"""--state and --trust-state: options of every command that saves something or looks at what was
saved; --trust-edits: of those that read a file of decisions."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from ..state.given_folder import Told
from ..state.old_names import VARIABLE

# What a database has as the number of a run, or of a review.
NUMBER = click.IntRange(0, 2**63 - 1)


def state_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command both, as one argument ``state``: ``Told``, or None if neither is given."""

    @functools.wraps(command)
    def called(*args: Any, state: Path | None, trust_state: bool, **given: Any) -> Any:
        if trust_state and state is None:
            raise click.UsageError("--trust-state needs --state DIR.")
        told = Told(state, trust_state) if state is not None else None
        return command(*args, state=told, **given)

    for option in (_TRUST, _STATE):
        called = option(called)
    return called


_STATE = click.option(
    "--state", "state", envvar=VARIABLE, metavar="DIR", default=None,
    type=click.Path(file_okay=False, path_type=Path),
    help="Where runs and decisions are kept; else your own state folder. "
         f"Or set {VARIABLE}.",
)  # fmt: skip
_TRUST = click.option(
    "--trust-state", is_flag=True,
    help="With --state: check what is in DIR and use it, although it may be another's.",
)  # fmt: skip
trust_edits_option = click.option(
    "--trust-edits", is_flag=True,
    help="Take over from the file of decisions text, too, that was changed by hand: it may be any "
         "code.",
)  # fmt: skip
