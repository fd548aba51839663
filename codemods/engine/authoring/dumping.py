"""dumped: the tree of the code in a line, and patterns that fit it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from fissix.pgen2.token import COMMENT, NEWLINE, SEMI, tok_name
from fissix.pygram import python_symbols as symbols
from fissix.pytree import type_repr

from pinsetter.analyzer.facts import Facts
from pinsetter.analyzer.names.module import Module
from pinsetter.analyzer.syntax.tree import (
    COMPOUND,
    LN,
    Call,
    calls_in_power,
    dotted,
    statement_of,
    walk,
)

from .generalising import Naming, imports_said, is_imported, replaced

_LONGEST = 60
_LAYOUT = {COMMENT, NEWLINE, SEMI}


@dataclass(frozen=True)
class Dump:
    """``tree`` are the lines of what begins in a line of a file; ``patterns`` fit the calls in it,
    ``imports`` say what the names in these stand for, and ``known`` what its names may be."""

    tree: list[str]
    patterns: list[str]
    imports: dict[str, str]
    known: list[str]


def dumped(module: Module, facts: Facts, line: int) -> Dump:
    tree = module.tree
    found = [node for node in _statements(module) if tree.line_of(node) == line]
    shown = (node for node in found if node.type not in _LAYOUT)
    lines = [text for node in shown for text in _tree(node, 0)]
    calls = [
        call for node in found for below in _own(node) if below.type == symbols.power
        for call in calls_in_power(below)
    ]  # fmt: skip
    patterns = [text for call in calls for text in _patterns(call, module)]
    names = [
        below for node in found for below in _own(node)
        if below.type == symbols.power and dotted((below,)) and is_imported(below, module)
    ]  # fmt: skip
    patterns += [".".join(dotted((name,))) for name in names]
    codes = [*names, *(node for call in calls for node in call.callee)]
    return Dump(
        lines,
        list(dict.fromkeys(patterns)),
        imports_said(tuple(codes), module),
        _known(calls, facts, module),
    )


def _statements(module: Module) -> Iterator[LN]:
    """The statements of a file, each once, as the grammar has them."""
    seen: set[int] = set()
    for node in module.tree.nodes():
        if node.parent is not None and not node.children:
            statement = statement_of(node)
            if id(statement) not in seen:
                seen.add(id(statement))
                yield statement


def _own(statement: LN) -> Iterator[LN]:
    """The nodes of a statement, without its blocks."""
    return walk(statement, skip={symbols.suite})


def _tree(node: LN, depth: int) -> Iterator[str]:
    indent = "  " * depth
    if not node.children:
        yield f"{indent}{tok_name[node.type]} {node.value!r}"
        return
    yield f"{indent}{type_repr(node.type)}"
    for child in node.children:
        if node.type in COMPOUND and child.type == symbols.suite:
            yield f"{indent}  suite …"
        else:
            yield from _tree(child, depth + 1)


def _patterns(call: Call, module: Module) -> Iterator[str]:
    """A pattern with all arguments as they are given, and one for any."""
    naming = Naming()
    parts: list[tuple[LN, str]] = []
    first = call.callee[0]
    if not is_imported(first, module) and len(call.callee) > 1:
        parts.append((first, f"${naming.name(_short(first, module))}"))
    callee = replaced(call.callee, module, parts)
    if not any(argument.star for argument in call.arguments):
        given = []
        for argument in call.arguments:
            name = f"${naming.name(_short(argument.value, module))}"
            given.append(f"{argument.name}={name}" if argument.name else name)
        yield f"{callee}({', '.join(given)})"
    if call.arguments:
        yield f"{callee}($...args)"


def _short(node: LN, module: Module) -> str:
    text = module.tree.source((node,))
    return text if len(text) < _LONGEST else text[:_LONGEST]


def _known(calls: list[Call], facts: Facts, module: Module) -> list[str]:
    found: dict[str, None] = {}
    for call in calls:
        for nodes in (call.callee, call.receiver):
            values = facts.evaluator.evaluate(nodes, module) if nodes else None
            for value in sorted(values.known, key=lambda v: v.name) if values else ():
                what = "an instance of " if value.instance else ""
                code = " ".join(module.tree.source(nodes).split())
                found[f"{code} is {what}{value.name}"] = None
    return list(found)
