"""inert: modules that define functions and classes, and do nothing else when they are imported."""

from __future__ import annotations

import sys

from fissix.pgen2 import token
from fissix.pygram import python_symbols as symbols

from pinsetter.analyzer.effects.effect_analysis import Effects
from pinsetter.analyzer.facts import Facts
from pinsetter.analyzer.library.declared import declared
from pinsetter.analyzer.names.definition import Definition
from pinsetter.analyzer.names.module import Module
from pinsetter.analyzer.programs.entry import COMMANDS
from pinsetter.analyzer.syntax.tree import (
    LN,
    Call,
    ancestors,
    calls_in_power,
    is_name,
    leaves,
    outer_call,
    plain_string,
    walk,
)

# What they may call: it neither makes variables nor prints, and no rule changes it.
_HARMLESS = {
    f"builtins.{name}" for name in ("property", "classmethod", "staticmethod", "super", "object")
} | {
    "sys.path.append", "sys.path.insert", "os.listdir", "os.walk", "os.scandir",
    "click.option", "click.argument", "pytest.fixture", "pytest.importorskip",
} | COMMANDS  # fmt: skip
# They run other code, or write what rules let one worker write.
_DANGEROUS = {
    "os", "sys", "subprocess", "threading", "multiprocessing", "random", "builtins", "importlib",
    "runpy", "asyncio", "concurrent", "shutil", "tempfile", "socket", "urllib", "http", "sqlite3",
    "atexit", "signal", "ctypes",
}  # fmt: skip
# Methods of lists, dictionaries, sets, texts and files, of which nothing else is known.
_PLAIN_METHODS = {
    "append", "extend", "insert", "update", "add", "setdefault",
    "read", "readline", "readlines", "splitlines", "rsplit", "partition", "rpartition", "title",
    "setLevel", "setFormatter", "addHandler", "addFilter", "digest", "hexdigest",
}  # fmt: skip
_WHOLE = {symbols.expr_stmt, symbols.decorator}
_INSIDE = {symbols.funcdef, symbols.lambdef}
_WRITES = "writes"
# Through so many functions of the repository a call is followed.
_FAR = 40


def is_inert(module: Module, facts: Facts) -> bool:
    """Whether importing a module of the repository has no effect but that its names are there, so
    that it does not matter whether start code has run: all that runs then are definitions, imports,
    of which those of the repository are so, too, and assignments, with calls that only compute or
    read files; numbers are given to plain names alone."""
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
    decorating = (call for chain in module.tree.decorators for call in calls_in_power(chain))
    calls = (
        call for call in (*module.tree.calls, *decorating)
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
    # What a `for` runs are calls, which are looked at with the others.
    if node.type in (symbols.while_stmt, symbols.print_stmt):
        return True
    if node.type == symbols.with_stmt:
        return not all(_is_call(item) for item in node.children[1:-2:2])
    if node.type == symbols.exec_stmt or node.type == symbols.del_stmt:
        return True
    return bool(node.type == token.NUMBER) and not _is_kept(node)


def _is_kept(number: LN) -> bool:
    """Whether a number is an index, or of a decorator, or in the plain value of a name: that is set
    before the start, so that what the workers share is divided where it is used."""
    if number.parent.type == symbols.trailer and number.parent.children[0].type == token.LSQB:
        return True
    statement = next((parent for parent in ancestors(number) if parent.type in _WHOLE), None)
    if statement is not None and statement.type == symbols.decorator:
        return True
    return statement is not None and all(map(_are_names, statement.children[:-1:2]))


def _are_names(target: LN) -> bool:
    several = target.type in (symbols.testlist_star_expr, symbols.exprlist, symbols.testlist)
    return all(map(is_name, target.children[::2])) if several else is_name(target)


def _is_call(item: LN) -> bool:
    """Whether what a ``with`` enters is a call, which is looked at with the others."""
    entered = item.children[0] if item.type == symbols.with_item else item
    return outer_call((entered,)) is not None


def _is_harmless(call: Call, module: Module, facts: Facts) -> bool:
    """Whether it neither makes variables nor prints, and no rule changes it: it only computes, or
    reads a file, and that without the domain's library; so do the repository's functions that it
    calls."""
    waiting, seen = [(call, module)], set[str]()
    while waiting:
        call, module = waiting.pop()
        names = facts.evaluator.names(call.callee, module)
        # What the repository's own functions do is looked at below.
        is_own = bool(names) and names <= facts.evaluator.definitions.keys()
        effects = Effects() if is_own else facts.effects.of_call(call, module)
        if not names and effects != Effects() and call.method not in _PLAIN_METHODS:
            return False
        for name in names - seen:
            definition = facts.evaluator.definitions.get(name)
            if definition is None and not _is_harmless_name(name, call, effects):
                return False
            if definition is not None:
                seen.add(name)
                if len(seen) > _FAR or definition.scope.kind != "function":
                    return False
                if _is_replaced(definition, facts) or _has_changes(definition):
                    return False
                waiting += _calls_in(definition)
    return True


def _is_harmless_name(name: str, call: Call, effects: Effects) -> bool:
    package = name.partition(".")[0]
    if package in declared().packages:
        return ".__version__." in name or name in declared().inert
    if name in _HARMLESS or package in sys.stdlib_module_names - _DANGEROUS:
        return _WRITES not in effects.kinds
    return _reads(call) if name == "builtins.open" else effects == Effects()


def _is_replaced(function: Definition, facts: Facts) -> bool:
    """Whether a decorator of the repository, or an unknown one, may put another in its place."""
    around = facts.evaluator.decorated_with(function.scope.node, function.module)
    own = facts.evaluator.definitions.keys()
    return any(not values.names or values.names & own for values, _ in around)


def _has_changes(function: Definition) -> bool:
    return any(_changes(node) for node in _run_by(function))


def _calls_in(function: Definition) -> list[tuple[Call, Module]]:
    inside = {id(node) for node in _run_by(function)}
    calls = function.module.tree.calls
    return [(call, function.module) for call in calls if id(call.trailer) in inside]


def _run_by(function: Definition) -> list[LN]:
    """What may run when a function is called, and what it gives decorates something: not what
    stands instead of that then, a function that a function in it does nothing with but return."""
    later: set[int] = set()
    for made in walk(function.scope.node):
        if made.type == symbols.funcdef and made is not function.scope.node:
            for inner in walk(made):
                if inner.type == symbols.funcdef and inner is not made and _is_given(inner, made):
                    later.update(map(id, walk(inner)))
    return [node for node in walk(function.scope.node) if id(node) not in later]


def _is_given(inner: LN, outer: LN) -> bool:
    """Whether all that a function does with one in it is to return it."""
    name = inner.children[1]
    named = [leaf for leaf in leaves(outer) if leaf.value == name.value and leaf is not name]
    return all(leaf.parent.type == symbols.return_stmt for leaf in named)


def _reads(call: Call) -> bool:
    """Whether it opens a file for reading."""
    mode = call.argument("mode", 1)
    if mode is None:
        return len(call.arguments) == 1 and not call.arguments[0].star
    return plain_string(mode.value) in ("r", "rb", "rt")
