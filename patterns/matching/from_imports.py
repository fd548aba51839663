"""from_import_edit: `from a import b`, as another item of an import that a module has, or alone."""

from __future__ import annotations

from collections.abc import Collection

from fissix.pgen2 import token
from fissix.pygram import python_symbols as symbols

from pinsetter.analyzer.names.bound_names import imported_from, imported_items
from pinsetter.analyzer.names.module import Module
from pinsetter.analyzer.syntax.tree import LN, leaves

from ..edits.blocks import by_kind
from ..edits.edit import AFTER, Edit
from ..edits.indentation import Layout
from .import_place import from_import_place

Rank = tuple[int, ...]


def from_import_edit(
    layout: Layout, name: str, local: str, libraries: Collection[str], start: int, rank: Rank
) -> list[Edit]:
    """The edits by which a module binds the qualified ``name`` as ``local`` before ``start``."""
    module = layout.module
    home, _, last = name.rpartition(".")
    item = last if local == last else f"{last} as {local}"
    statement = _statement(module, home, start)
    if statement is not None:
        added = _added(layout, statement, item, rank)
        if added is not None:
            return [added]
    place, apart = from_import_place(module, home, libraries, start)
    edits = [layout.at(place, [f"from {home} import {item}"], rank)]
    return [*edits, layout.empty_line(place)] if apart else edits


def _statement(module: Module, home: str, start: int) -> LN | None:
    """The last import of ``home`` before a place, which names can be added to."""
    found = None
    for line in module.tree.root.children:
        if module.tree.end(line) > start and module.tree.start(line) >= start:
            break
        statement = line.children[0] if line.type == symbols.simple_stmt else line
        if statement.type == symbols.import_from and imported_from(statement) == (home, 0):
            if not any(item.type == token.STAR for item in imported_items(statement)):
                found = statement
    return found


def _added(layout: Layout, statement: LN, item: str, rank: Rank) -> Edit | None:
    """One more name in an import; None where that would make its line too long."""
    tree = layout.tree
    items = imported_items(statement)
    bracketed = any(leaf.type == token.LPAR for leaf in leaves(statement))
    broken = bracketed and tree.line_of(items[0]) != tree.line_of(statement)
    names = [by_kind(_name(one)) for one in items]
    following = next((one for one in items if by_kind(_name(one)) > by_kind(item)), None)
    in_order = names == sorted(names)
    before = following if in_order else None
    if not broken:
        line = tree.text_of_line(tree.line_of(items[-1]))
        if len(line) + len(item) + 2 > layout.style.limit:
            return None
    if before is not None:
        at = tree.start(before)
        between = layout.newline + " " * tree.column_of(before) if broken else " "
        return _edit(at, f"{item},{between}", rank)
    last = items[-1]
    comma = last.next_sibling
    end = tree.end(last)
    between = layout.newline + " " * tree.column_of(items[0]) if broken else " "
    if comma is not None and comma.type == token.COMMA:
        return _edit(tree.end(comma), f"{between}{item},", rank)
    return _edit(end, f",{between}{item}", rank)


def _edit(at: int, text: str, rank: Rank) -> Edit:
    return Edit(at, at, text, AFTER, (at, at), rank)


def _name(item: LN) -> str:
    return str(next(leaves(item)).value)
