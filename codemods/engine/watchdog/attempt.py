"""attempt: an analysis that goes on without the files over which it stumbles."""

from __future__ import annotations

import gc
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeVar

import click

from pinsetter.analyzer.files.bounds import USUAL, Bounds
from pinsetter.analyzer.messages.problem import Problem
from pinsetter.analyzer.messages.spare_memory import keep_reserve, use_reserve
from pinsetter.analyzer.messages.unforeseen import HINT, cause_of, said
from pinsetter.analyzer.names.failing_module import blamed

from ..console.streams import OutputError
from .watch import ExceededError, watched

_T = TypeVar("_T")
# Each costs as much as the whole, and what is wrong with so many is not wrong with the files.
_MOST = 8


def attempt(
    make: Callable[[Mapping[Path, Problem]], _T],
    place: Path,
    bounds: Bounds = USUAL,
    known: Mapping[Path, Problem] | None = None,
) -> _T | Problem:
    """What ``make`` makes. It is told of the files, by their resolved paths, that it is to take as
    not understood: those that are ``known``, that it stumbled over before, or that took more than
    ``bounds``. The Problem, at ``place`` if at no file, is that this does not help."""
    broken = dict(known or {})
    most = len(broken) + _MOST
    while True:
        try:
            keep_reserve()
            with watched(bounds):
                try:
                    return make(broken)
                except MemoryError as error:
                    use_reserve(error)  # before anything is left behind
                    raise
        except (click.ClickException, click.Abort, OutputError):
            raise
        except ExceededError as exceeded:
            module = exceeded.module
            path = module.path if module is not None else place
            problem = Problem(path, f"not understood: {exceeded.reason}", hint=exceeded.hint)
            final = False
        except Exception as error:
            use_reserve(error)
            module = blamed(error)
            path = module.path if module is not None else place
            problem = Problem(path, f"not understood: internal error, {said(error)}", hint=HINT)
            final = isinstance(cause_of(error), MemoryError)
        if module is None or final or module.real in broken or len(broken) == most:
            return problem
        broken[module.real] = problem
        gc.collect()  # what was worked out refers to itself, and takes as much as what comes now
