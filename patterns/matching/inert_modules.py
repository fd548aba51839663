"""inert: modules that define functions and classes, and do nothing else when they are imported."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from fissix.pgen2 import token
from fissix.pygram import python_symbols as symbols

from pinsetter.analyzer.facts import Facts
from pinsetter.analyzer.library.declared import declared
from pinsetter.analyzer.names.definition import Definition
from pinsetter.analyzer.names.module import Module
from pinsetter.analyzer.syntax.tree import (
    LN,
    Call,
    calls_in_power,
    is_name,
    leaves,
    only_for_type_checkers,
    walk,
)

from .harmless_calls import Harmless, changes

_INSIDE = {symbols.funcdef, symbols.lambdef}
_PRINTS = "prints"


def is_inert(module: Module, facts: Facts) -> bool:
    """Whether importing a module of the repository has no effect but that its names are there, so
    that it does not matter whether start code has run: all that runs then are definitions, imports,
    of which those of the repository are so, too, and assignments, with calls that only compute or
    read files, or print, which is left to all workers (``runs_early``)."""
    return facts.remembered((is_inert, id(module)), lambda: _find(module, facts))


def runs_early(node: LN, module: Module, facts: Facts) -> bool:
    """Whether a statement runs when its module is imported, which may be before the start."""
    return (
        module.scope_of(node).function is None
        and not module.is_guarded(node)
        and not facts.programs.is_entry(module)
        and is_inert(module, facts)
    )


def _find(module: Module, facts: Facts) -> bool:
    waiting, seen = [module], {id(module)}
    while waiting:
        current = waiting.pop()
        if not facts.remembered((_is_plain, id(current)), partial(_is_plain, current, facts)):
            return False
        for other in facts.remembered((_loaded, id(current)), partial(_loaded, current, facts)):
            if id(other) not in seen:
                seen.add(id(other))
                waiting.append(other)
    return True


def _loaded(module: Module, facts: Facts) -> list[Module]:
    """The modules of the repository whose import a module begins with, not one of its functions."""
    targets = {
        target
        for node, target in module.imports
        if _runs(node, module) and not only_for_type_checkers(node)
    }
    found = {id(o): o for target in targets for o in facts.project.imported(module, target)}
    return list(found.values())


def _is_plain(module: Module, facts: Facts) -> bool:
    may_print = not facts.programs.is_entry(module)
    for node in walk(module.tree.root, skip=_INSIDE):
        if node.type in _INSIDE or module.is_guarded(node):
            continue
        if changes(node, module, facts) and not (may_print and node.type == symbols.print_stmt):
            return False
    harmless = facts.of(Harmless)
    for call, decorates in _calls(module):
        if not (may_print and _is_print(call, module, facts)):
            if not harmless.call(call, module, decorates):
                return False
    return all(map(harmless.decorator, _plain_decorators(module, facts)))


def _plain_decorators(module: Module, facts: Facts) -> Iterator[Definition]:
    """The repository's functions that decorate something by their names alone."""
    for node in module.tree.nodes():
        if node.type != symbols.decorator or not _runs(node, module):
            continue
        expression = node.children[1]
        if expression.type in (token.NAME, symbols.dotted_name) and len(node.children) == 3:
            parts = [leaf.value for leaf in leaves(expression) if is_name(leaf)]
            for name in facts.evaluator.meaning(parts, expression, module).names:
                definition = facts.evaluator.definitions.get(name)
                if definition is not None and definition.scope.kind == "function":
                    yield definition


def _calls(module: Module) -> list[tuple[Call, bool]]:
    """The calls that run when a module is imported, and whether they decorate something."""
    # Defaults are among them, which are worked out around their function.
    calls = [(call, False) for call in module.tree.calls]
    calls += [(call, True) for chain in module.tree.decorators for call in calls_in_power(chain)]
    return [(call, decorates) for call, decorates in calls if _runs(call.trailer, module)]


def _runs(node: LN, module: Module) -> bool:
    return module.scope_of(node).function is None and not module.is_guarded(node)


def _is_print(call: Call, module: Module, facts: Facts) -> bool:
    """Whether it is a library's function that prints, which rules leave to all workers here; what
    the repository's own functions print may be left to one worker."""
    names = facts.evaluator.names(call.callee, module)
    own = names & facts.evaluator.definitions.keys()
    domain_s = any(name.partition(".")[0] in declared().packages for name in names)
    if not names or own or domain_s:
        return False
    return _PRINTS in facts.effects.of_call(call, module).kinds
