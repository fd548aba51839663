"""call_graph: which function calls which, named as in PyCG's benchmark."""

from __future__ import annotations

from pathlib import Path

from ..interpreter import Run, interpret
from ..names.project import Project


def call_graph(project: Project, base: Path | None = None) -> dict[str, list[str]]:
    """Callees by caller, both sorted: ``a.Class.method``, ``a.<lambda1>``, ``<builtin>.len``.

    A module is the caller of what its own statements call; its name is its path below ``base``, or
    in its repository. What is not of the project calls nothing.
    """
    return calls_of(interpret(project, base))


def calls_of(run: Run) -> dict[str, list[str]]:
    return {caller: sorted(callees) for caller, callees in sorted(run.calls.items())}
