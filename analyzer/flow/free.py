"""free: the names that a scope takes from the ones around it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from fissix.pygram import python_symbols as symbols

from ..names.scopes import Scope
from .accesses import Accesses, Free, root_of


def is_deferred(scope: Scope) -> bool:
    """Whether a scope's code runs later than the place where it stands: functions, generators."""
    if scope.kind == "comprehension":
        return scope.node.type in (symbols.testlist_gexp, symbols.argument)
    return scope.kind == "function"


def free(
    scope: Scope, parts: Sequence[Accesses], may_be_unbound: Callable[[int, str], bool]
) -> Free:
    """What ``scope`` takes from around, by what its nodes read. ``may_be_unbound`` says whether a
    name of a class is unbound at a node: it is then looked for in the module."""
    is_class = scope.kind == "class"
    reads: set[str] = set()
    inner: set[str] = set()
    captured: set[str] = set()
    module_reads: set[str] = set()
    for part in parts:
        reads.update(part.reads)
        inner.update(part.inner)
        captured.update(part.captured)
        module_reads.update(part.module_reads)
    if is_class:
        module_reads.update(_unbound(scope, parts, may_be_unbound))
        outer = _outside(reads, scope, module_reads) | _declared(inner, scope, module_reads)
        captured = _declared(captured, scope, module_reads)
    else:
        outer = _outside(reads | inner, scope, module_reads)
        captured = _outside(captured, scope, module_reads)
    if is_deferred(scope):
        captured |= outer
        outer = set()
    walrus = [
        (name, node)
        for part in parts
        for name, node in (*part.written, *part.maybe_written)
        if scope.kind == "comprehension" and name not in scope.bindings
    ]
    return Free(outer, captured, module_reads, walrus)


def _outside(paths: Iterable[str], scope: Scope, module_reads: set[str]) -> set[str]:
    bound = scope.bindings
    return _declared((path for path in paths if root_of(path) not in bound), scope, module_reads)


def _declared(paths: Iterable[str], scope: Scope, module_reads: set[str]) -> set[str]:
    """The paths whose name is not ``global`` here; the others are added to ``module_reads``."""
    declared = scope.global_names
    if not declared:
        return set(paths)
    found: set[str] = set()
    for path in paths:
        (module_reads if root_of(path) in declared else found).add(path)
    return found


def _unbound(
    scope: Scope, parts: Sequence[Accesses], may_be_unbound: Callable[[int, str], bool]
) -> set[str]:
    return {
        name
        for index, part in enumerate(parts)
        for name in part.reads
        if name in scope.bindings and may_be_unbound(index, name)
    }
