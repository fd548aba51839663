"""interpret: run a project abstractly and see what is called with what, and what holds what."""

from __future__ import annotations

from pathlib import Path

from ..module import Module
from ..project import Project
from ..syntax.depth import allow_recursion
from . import calls, statements
from .objects import Class, Instance
from .run import Run

__all__ = ["Run", "interpret"]


def interpret(project: Project, base: Path | None = None) -> Run:
    """Run the modules of ``project``, those that no other imports first, then what nobody called.

    Functions are named after their modules' places below ``base``.
    """
    allow_recursion()  # calls inside one another are followed, each through its statements
    run = Run(project, base)
    for module in _in_order(project):
        statements.run_module(run, module)
    while run.waiting:
        function, _ = run.waiting.popitem()
        if function.node in run.entered:
            continue
        frame = run.frames[function.frame]
        scope, _ = run.scopes[function.node]
        receiver = None
        if isinstance(frame.owner, Class):
            receiver = Instance(frame.owner, (0, function.node))
        calls.enter(run, frame, function, None, scope.node, receiver)
    return run


def _in_order(project: Project) -> list[Module]:
    graph = project.import_graph
    given = project.given
    return sorted(given, key=lambda m: graph.in_degree(m.path.resolve()) > 0)
