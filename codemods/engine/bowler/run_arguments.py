"""run_arguments: ``bowler run`` takes a script's options behind its paths, and finds the codemods
that come with Pinsetter from any folder."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from importlib.util import find_spec
from pathlib import Path

import click

from ..commands.named_packs import hint

_CODEMODS = Path(__file__).parents[2]
_END_OF_OPTIONS = "--"


def teach(command: click.Command) -> None:
    """Have Bowler's command leave to a script whatever stands behind the script's name.

    ``--``, which was needed for that, may stand there still.
    """
    run = command.callback
    if run is None:
        return
    command.allow_interspersed_args = False
    command.callback = _taught(run)


def _taught(run: Callable[..., object]) -> Callable[..., object]:
    @wraps(run)
    def taught(codemod: str, argv: Sequence[str]) -> object:
        given = list(argv)
        if _END_OF_OPTIONS in given:
            given.remove(_END_OF_OPTIONS)
        if Path(codemod).suffix in (".yaml", ".yml"):
            return run(codemod=str(_CODEMODS / "_pack.py"), argv=[codemod, *given])
        return run(codemod=found(codemod), argv=given)

    return taught


def found(codemod: str) -> str:
    """The script that a name means: a file, a module, or else one of Pinsetter's codemods, with or
    without its folder and ending. Raises UsageError."""
    path = Path(codemod)
    if path.exists() or path.suffix not in ("", ".py") or path.parent.name not in ("", "codemods"):
        return codemod
    own = _CODEMODS / f"{path.stem.replace('-', '_')}.py"
    if path.stem.startswith("_") or not own.is_file():
        if path.suffix:
            names = sorted(p.stem for p in _CODEMODS.glob("*.py") if not p.stem.startswith("_"))
            raise click.UsageError(f"There is no script {codemod!r}. {hint(path.stem, names)}")
        return codemod
    if not path.suffix and codemod.isidentifier() and find_spec(codemod) is not None:
        return codemod
    return str(own)
