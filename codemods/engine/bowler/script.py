"""script: the Bowler script that runs: what it is called, where it failed, and how it ends."""

from __future__ import annotations

import logging
import sys
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Any

import click

from ..console.exit_code import ExitCode
from ..console.last_resort import ended_by
from ..console.signals import code_of, listen
from ..console.streams import OutputError, prepare_streams
from ..console.terminal import echo

_MACHINERY = ("bowler", "fissix", "pinsetter", "click")
_CODE = "pinsetter.exit_code"


@dataclass(frozen=True)
class Origin:
    """Where hunks come from: the script's path, its name, and what its modifiers are called."""

    script: str
    name: str
    title: str


def origin_of(fixers: Sequence[Any]) -> Origin:
    """Where a tool with these fixers is being made."""
    frame = sys._getframe(1)
    while frame.f_back is not None and _is_machinery(frame.f_globals.get("__name__")):
        frame = frame.f_back
    file = frame.f_code.co_filename
    names = [name for fixer in fixers for name in getattr(fixer, "modifiers", ())]
    title = ", ".join(dict.fromkeys(names)) or "no modifier"
    return Origin(file, Path(file).stem.strip("<>") or "script", title)


def remember_names(create_fixer: Callable[..., Any]) -> Callable[..., Any]:
    """``Query.create_fixer`` whose fixers know their modifiers' names."""

    @wraps(create_fixer)
    def create(self: Any, transform: Any) -> Any:
        fixer = create_fixer(self, transform)
        named = [transform.fixer] if transform.fixer else []
        fixer.modifiers = tuple(
            getattr(one, "__name__", type(one).__name__).removesuffix("_transform")
            for one in (*named, *transform.callbacks)
        )
        return fixer

    return create


def place_of(error: BaseException) -> str:
    """Where in the script an exception was raised, in brackets; "" if it was not there."""
    frames = [(frame, line) for frame, line in traceback.walk_tb(error.__traceback__)
              if not _is_machinery(frame.f_globals.get("__name__"))]  # fmt: skip
    if not frames:
        return ""
    frame, line = frames[-1]
    return f" ({frame.f_code.co_filename}:{line} in {frame.f_code.co_name})"


def guard(command: click.Command) -> None:
    """Let Bowler's own command end with our code, not with a traceback and 1, when a script fails
    outside of the files that it rewrites."""
    prepare_streams()
    run = command.main

    @wraps(run)
    def main(*args: Any, **options: Any) -> Any:
        try:
            listen()
            return run(*args, **options)
        except SystemExit:
            if code_of(ExitCode.OK) is ExitCode.OK:
                raise
            code = ExitCode.INTERRUPTED
        except KeyboardInterrupt:  # before click, which knows it, begins
            code = ExitCode.INTERRUPTED
        except OutputError as error:
            code = ended_by(error)
        except Exception as error:
            logging.getLogger(__name__).debug("The script failed:", exc_info=error)
            said = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
            hint = "bowler --debug shows more"
            echo(f"error: the script failed: {said}{place_of(error)} ({hint})", err=True)
            code = ExitCode.FAILED
        sys.exit(int(code_of(code)))

    command.main = main  # type: ignore[method-assign]


def leave_with(code: ExitCode) -> None:
    """Make ``bowler run`` exit with ``code`` when the script ends, unless it says otherwise itself.

    Bowler ignores what a script's ``main()`` returns, and scripts ignore ``Query.retcode``.
    """
    context = click.get_current_context(silent=True)
    main = sys.modules.get("bowler.main")
    if code is ExitCode.OK or context is None or main is None or context.command is not main.run:
        return
    if _CODE not in context.meta:
        context.call_on_close(lambda: _exit(context))
    context.meta[_CODE] = max(code, context.meta.get(_CODE, code))


def _exit(context: click.Context) -> None:
    if sys.exc_info()[0] is None:
        sys.exit(context.meta[_CODE])


def _is_machinery(module: str | None) -> bool:
    return (module or "").split(".")[0] in _MACHINERY
