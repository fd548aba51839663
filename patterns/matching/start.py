"""Where a module's own start is: the first place for code that needs a pack's libraries.

That is after the module's imports of them, and other packages' that follow (what a program sets
before them, such as ``TF_CPP_MIN_LOG_LEVEL``, still comes first), but before an import of a module
of the repository, unless that only defines and computes: importing one that uses a domain's may
already create variables. Such imports that stand line by line together with it stay with it. A
module without such imports starts behind those that it has.
"""

from __future__ import annotations

import sys
from pathlib import Path

import networkx as nx
from fissix.pgen2 import token
from fissix.pygram import python_symbols as symbols

from pinsetter.analyzer.facts import Facts
from pinsetter.analyzer.library.declared import declared
from pinsetter.analyzer.names.module import Module
from pinsetter.analyzer.syntax.tree import (
    LN,
    leaves,
    only_for_type_checkers,
    outer_call,
    walk,
)

from ..packs.pack import Pack
from .harmless_calls import Harmless
from .inert_modules import is_inert

_ENVIRONMENT = "os.environ"
_MOST_CALLS = 8
_DEFINITIONS = {symbols.funcdef, symbols.classdef, symbols.lambdef}


def libraries_of(pack: Pack) -> frozenset[str]:
    """The packages that a pack is about: those of its imports, roles and functions, and what a
    domain has together with them; with a domain none of Python's own, of which it makes use."""
    named = (*pack.imports.values(), *pack.roles.values(), *pack.functions.values())
    packages = {name.partition(".")[0] for names in named for name in names}
    together = declared().packages
    if not packages & together:
        return frozenset(packages)
    return frozenset(packages | together) - sys.stdlib_module_names


def start_of(module: Module, facts: Facts, libraries: frozenset[str] | None = None) -> int:
    """The offset at which start code is inserted: always the beginning of a line, or the end."""
    statements = [
        node
        for node in module.tree.root.children
        if node.type not in (token.NEWLINE, token.ENDMARKER)
    ]
    libraries = declared().packages if libraries is None else libraries
    after: LN | None = None
    last: LN | None = None
    passed: LN | None = None  # a module of the repository, behind ``after``
    within: LN | None = None  # the first of an inert one that imports a library
    group: list[LN] = []  # imports of inert ones, right above
    for statement in statements:
        imported = _imports(statement, module, facts, libraries)
        group = group if _is_right_below(statement) else []
        if "library" in imported:
            after = last = statement
            passed = None
        elif "repository" in imported:
            if after is None:
                return _before((group or [statement])[0], module)
            if passed is None and group:
                last = _above(group[0])
            break
        elif after is not None and not _is_import(statement):
            if not _is_setting(statement, module, facts):
                break
        elif passed is None and "own" in imported:
            passed = (group or [statement])[0]
            within = None if any(one is within for one in group) else within
            last = _above(group[0]) if group and after is not None else last
        elif after is not None and passed is None:
            last = statement
        if within is None and "within" in imported:
            within = statement
        group = [*group, statement] if imported and imported <= {"inert", "within"} else []
    found = last or within or _prologue(statements)
    if found is not None:
        start = module.tree.end(found)
    else:
        start = _before(statements[0], module) if statements else len(module.source.text)
    return start if after else after_imports(module, start, passed)


def guard_of_start(module: Module, facts: Facts) -> LN | None:
    """The ``__main__`` guard under which an entry script is started that others load, which have a
    start of their own, and whose own statements only define."""
    guard = facts.programs.only_guard(module)
    if guard is None or not is_inert(module, facts):
        return None
    kinds = {facts.kinds.of(program) for program in facts.programs.of(module) if program.sites}
    is_block = len(guard.children) == 4 and guard.children[3].type == symbols.suite
    return guard if is_block and len(kinds) < 2 else None


def _is_setting(statement: LN, module: Module, facts: Facts) -> bool:
    """Whether a statement between imports only sets what they need, as ``sys.path``: an item of a
    library's, or a call of one that is harmless."""
    if statement.type != symbols.simple_stmt:
        return False
    node = statement.children[0]
    if node.type == symbols.expr_stmt and len(node.children) == 3:
        target, value = node.children[0], node.children[2]
        is_item = target.type == symbols.power and target.children[-1].children[0].value == "["
        owner = facts.evaluator.names(tuple(target.children[:-1]), module) if is_item else ()
        return _ENVIRONMENT in owner and not any(n.type == symbols.power for n in walk(value))
    if outer_call((node,)) is None:
        return False
    inside = {id(part) for part in walk(node)}
    calls = [call for call in module.tree.calls if id(call.power) in inside]
    harmless = facts.of(Harmless)
    return len(calls) <= _MOST_CALLS and all(harmless.of_library(call, module) for call in calls)


def after_imports(module: Module, start: int, until: LN | None = None) -> int:
    """The offset behind the imports that follow each other from ``start``, before ``until``."""
    place = start
    for statement in module.tree.root.children:
        if statement.type == token.ENDMARKER or module.tree.end(statement) <= start:
            continue
        if not _is_import(statement) or statement is until:
            break
        place = module.tree.end(statement)
    return place


def needs_library(module: Module, facts: Facts) -> bool:
    """Whether importing ``module`` imports a domain's library, directly or through the repository.

    Its helpers do not count, as what only asks for the number of the worker.
    """
    return _needs(module, facts, declared().packages)


def _needs(module: Module, facts: Facts, libraries: frozenset[str]) -> bool:
    """Whether importing a module imports one of the libraries."""
    wanted = libraries - declared().helpers

    def find() -> set[Path]:
        graph = facts.project.import_graph
        own = {
            other.real for other in facts.project.modules
            if other.packages & wanted
        }  # fmt: skip
        known = own.intersection(graph)
        reached = nx.multi_source_dijkstra_path_length(graph.reverse(), known) if known else ()
        return own.union(reached)

    return module.real in facts.remembered((_needs, wanted), find)


def _imports(statement: LN, module: Module, facts: Facts, libraries: frozenset[str]) -> set[str]:
    inside = {id(node) for node in walk(statement, skip=_DEFINITIONS)}
    found: set[str] = set()
    for node, target in module.imports:
        if id(node) not in inside or only_for_type_checkers(node):
            continue
        is_library = not target.level and target.module.split(".")[0] in libraries
        if not is_library and not libraries & declared().packages:
            continue
        repository = facts.project.imported(module, target)
        if repository and all(is_inert(other, facts) for other in repository):
            found.add("inert")
            if any(_needs(other, facts, libraries) for other in repository):
                found.add("within")
        elif any(_needs(other, facts, libraries) for other in repository):
            found.add("repository")
        elif repository:
            found.add("own")
        elif is_library:
            found.add("library")
    if statement.type in _DEFINITIONS or statement.type == symbols.decorated:
        return set()
    return found


def _is_right_below(statement: LN) -> bool:
    """Whether neither an empty line nor a comment is between a statement and the one above."""
    return not statement.prefix.strip(" \t")


def _above(statement: LN) -> LN:
    return statement.prev_sibling


def _is_import(statement: LN) -> bool:
    return statement.type == symbols.simple_stmt and statement.children[0].type in (
        symbols.import_name,
        symbols.import_from,
    )


def _prologue(statements: list[LN]) -> LN | None:
    """The last of docstring and ``from __future__`` imports, which must come first."""
    last: LN | None = None
    for index, statement in enumerate(statements):
        words = [leaf.value for leaf in leaves(statement)]
        if statement.type != symbols.simple_stmt:
            break
        is_docstring = index == 0 and statement.children[0].type == token.STRING
        is_future = words[:2] == ["from", "__future__"]
        if not is_docstring and not is_future:
            break
        last = statement
    return last


def _before(statement: LN, module: Module) -> int:
    """The line of a statement; shebang, cookie and the comments in front of it stay above."""
    return max(module.tree.line_start(module.tree.start(statement)), int(module.source.bom))
