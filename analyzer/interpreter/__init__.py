"""interpret: run a project abstractly and see what is called with what, and what holds what."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Hashable, Mapping
from pathlib import Path

from ..library import Library
from ..names.definition import class_of_method, has_decorator
from ..names.module import Module
from ..names.project import Project
from ..syntax.depth import allow_recursion
from . import calls, statements
from .objects import Class, Function, Instance, Method, Object, Partial
from .run import Frame, Run

__all__ = ["Run", "interpret"]

_WORD = re.compile(r"\w+")
# On how many of a class's instances a method is run that the project itself does not call.
_RECEIVERS = 4


def interpret(
    project: Project,
    base: Path | None = None,
    library: Library | None = None,
    watched: Mapping[int, bool] | None = None,
) -> Run:
    """Run the modules of ``project``, those that no other imports first, then what nobody called.

    Functions are named after their modules' places below ``base``. At the statements in
    ``watched``, by identity, it is noted what is visible: before them or, if True, behind them.
    """
    allow_recursion()  # calls inside one another are followed, each through its statements
    run = Run(project, base, library)
    run.watched.update(watched or {})
    for module in _in_order(project):
        statements.run_module(run, module)
    entered: dict[Object, None] = {}
    given = {module.name for module in project.given}
    # As by `app.run(main)`: what it calls nobody else need call.
    _call_back_all(run, entered, _is_plain)
    while ready := _first(run, given):
        for function in ready:
            run.waiting.pop(function, None)
            if function.node not in run.entered:
                entered[function] = None
                _enter(run, function)
    _call_back_all(run, entered)
    if run.unordered:
        # One of them may be called when another has been: what that left is there now.
        for found in entered:
            if isinstance(found, Function):
                _enter(run, found)
            else:
                _call_back(run, found)
    return run


def _call_back_all(
    run: Run, entered: dict[Object, None], wanted: Callable[[Run, Object], bool] | None = None
) -> None:
    """Run what was given to what is not of the project, which may call it."""
    while escaped := [
        found for found in run.escaped
        if found not in entered and (wanted is None or wanted(run, found))
    ]:  # fmt: skip
        for found in escaped:
            entered[found] = None
            _call_back(run, found)


def _is_plain(run: Run, found: Object) -> bool:
    """Whether something is a function that has a name and is in no class."""
    scope = run.scopes[found.node][0] if isinstance(found, Function) else None
    return scope is not None and scope.enclosing_class is None and scope.name != "<lambda>"


def _leave_open(run: Run, function: Function, receiver: Instance | Class | None) -> None:
    """Make a call that may be made at any time, or never: nothing that it stores is certain."""
    scope, _ = run.scopes[function.node]
    run.state.fork()
    calls.enter(run, run.frames[function.frame], function, None, scope.node, receiver)
    written = run.state.end()
    for (owner, name), objects in written.items():
        before = run.state.get(owner, name)
        if before and not objects <= before and _is_shared(run, owner):
            run.unordered = True
    run.state.join([written], or_none=True)


def _is_shared(run: Run, owner: Hashable) -> bool:
    """Whether what is stored under ``owner`` outlives a call."""
    return not isinstance(owner, int) or owner in {top.number for top in run.modules.values()}


def _in_order(project: Project) -> list[Module]:
    graph = project.import_graph
    given = project.given
    return sorted(given, key=lambda m: (graph.in_degree(m.real) > 0, str(m.path)))


def _first(run: Run, given: set[str]) -> list[Function]:
    """The functions to enter next: such as are named nowhere come before those that they call."""
    waiting = [f for f in run.waiting if f.node not in run.entered and _is_used(run, f, given)]
    # Each time all of them are looked at: of very many several are taken at once.
    return [f for f in waiting if not _is_named(run, f)] or waiting[: 1 + len(waiting) // 50]


def _is_used(run: Run, function: Function, given: set[str]) -> bool:
    """Whether a function that nobody calls is one of the given modules, or of an instance."""
    frame = run.frames[function.frame]
    if frame.module.name in given:
        return True
    cls = frame.owner
    return isinstance(cls, Class) and cls in run.bases_used


def _is_named(run: Run, function: Function) -> bool:
    """Whether the name of a function stands anywhere but where one is defined."""
    if run.mentions is None:
        run.mentions = Counter()
        for module in run.project.given:
            run.mentions.update(_WORD.findall(module.tree.text))
        run.mentions.subtract(scope.name for scope, _ in run.scopes.values())
    return run.mentions[run.scopes[function.node][0].name] > 0


def _enter(run: Run, function: Function) -> None:
    """Run a function that nobody calls, a method on the instances that there are."""
    frame = run.frames[function.frame]
    scope, _ = run.scopes[function.node]
    cls = frame.owner
    receivers: list[Instance | Class | None] = [None]
    if isinstance(cls, Class) and class_of_method(scope) is not None:
        if has_decorator(scope.node, "classmethod"):
            receivers = [cls]
        else:
            receivers = _instances(run, frame, cls)
            if scope.name == "__init__":
                return  # it has been run where they were made
    for receiver in receivers[:_RECEIVERS]:
        _leave_open(run, function, receiver)


def _instances(run: Run, frame: Frame, cls: Class) -> list[Instance | Class | None]:
    """The instances of a class and of those that derive from it; one not seen made if none is."""
    found: list[Instance | Class | None] = [
        instance
        for made, instances in run.instances.items()
        if cls in calls.ancestors(run, made)
        for instance in instances
    ]
    return found or [calls.imagined(run, frame, cls)]


def _call_back(run: Run, found: Object) -> None:
    """Run a function that was given to what is not of the project."""
    if isinstance(found, Partial):
        found = found.function
    function = found.function if isinstance(found, Method) else found
    receiver = found.receiver if isinstance(found, Method) else None
    if isinstance(function, Function):
        _leave_open(run, function, receiver)
