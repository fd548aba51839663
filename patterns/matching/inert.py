"""inert: modules that define functions and classes, and do nothing else when they are imported."""

from __future__ import annotations

import sys

from fissix.pgen2 import token
from fissix.pygram import python_symbols as symbols

from pinsetter.analyzer.facts import Facts
from pinsetter.analyzer.names.module import Module
from pinsetter.analyzer.syntax.tree import LN, Call, ancestors, is_name, walk

# What they may call: it neither makes variables nor prints, and no rule changes it.
_HARMLESS = {
    f"builtins.{name}" for name in ("property", "classmethod", "staticmethod", "super", "object")
}
_DANGEROUS = {"os", "sys", "subprocess", "threading", "multiprocessing", "random", "builtins"}
_INSIDE = {symbols.funcdef, symbols.lambdef}


def is_inert(module: Module, facts: Facts) -> bool:
    """Whether importing a module of the repository has no effect but that its names are there, so
    that it does not matter whether start code has run: all that runs then are definitions, imports,
    of which those of the repository are so, too, and assignments without calls; numbers are given
    to plain names alone."""
    return facts.remembered((is_inert, id(module)), lambda: _find(module, facts))


def _find(module: Module, facts: Facts) -> bool:
    waiting, seen = [module], {id(module)}
    while waiting:
        current = waiting.pop()
        if not _is_plain(current, facts):
            return False
        for _, target in current.imports:
            for other in facts.project.imported(current, target):
                if id(other) not in seen:
                    seen.add(id(other))
                    waiting.append(other)
    return True


def _is_plain(module: Module, facts: Facts) -> bool:
    running = [node for node in _running(module) if not module.is_guarded(node)]
    # Defaults are among them, which are worked out around their function.
    calls = (
        call for call in module.tree.calls
        if module.scope_of(call.trailer).function is None and not module.is_guarded(call.trailer)
    )  # fmt: skip
    return not any(_changes(node) for node in running) and all(
        _is_harmless(call, module, facts) for call in calls
    )


def _running(module: Module) -> list[LN]:
    """What runs when a module is imported: all but functions."""
    return [node for node in walk(module.tree.root, skip=_INSIDE) if node.type not in _INSIDE]


def _changes(node: LN) -> bool:
    """Whether it does something, or is a number that a rule may change."""
    if node.type in (symbols.for_stmt, symbols.while_stmt, symbols.with_stmt, symbols.print_stmt):
        return True
    if node.type == symbols.exec_stmt or node.type == symbols.del_stmt:
        return True
    if node.type == symbols.decorator:
        return any(child.type == token.LPAR for child in node.children)
    return bool(node.type == token.NUMBER) and not _is_kept(node)


def _is_kept(number: LN) -> bool:
    """Whether a number is in the plain value of a name: that is set before the start, so that what
    the workers share is divided where it is used."""
    statement = next(
        (parent for parent in ancestors(number) if parent.type == symbols.expr_stmt), None
    )
    return statement is not None and all(is_name(target) for target in statement.children[:-1:2])


def _is_harmless(call: Call, module: Module, facts: Facts) -> bool:
    names = facts.evaluator.names(call.callee, module)
    return bool(names) and all(
        name in _HARMLESS or (name.partition(".")[0] in sys.stdlib_module_names - _DANGEROUS)
        for name in names
    )
