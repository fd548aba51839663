"""removed_items, renamed_arguments: one of several things, as an argument, a base, an item of a
list, a decorator, or what an import brings, goes with its comma; arguments get other names."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import replace

from fissix.pgen2 import token
from fissix.pygram import python_symbols as symbols

from pinsetter.analyzer.names.module import Module
from pinsetter.analyzer.syntax.tree import LN, Expression, ancestors, between_commas, leaves

from ..edits.deletions import Removed
from ..edits.edit import OPEN, Edit
from ..edits.fragment import Span
from ..edits.indentation import Layout
from ..edits.rendering import Misfit

Rank = tuple[int, ...]
_LISTS = {
    symbols.arglist, symbols.listmaker, symbols.testlist_gexp, symbols.dictsetmaker,
    symbols.import_as_names, symbols.subscriptlist, symbols.dotted_as_names,
}  # fmt: skip


def removed_items(
    given: Sequence[Expression], layout: Layout, rank: Rank, silent: bool = False
) -> list[Edit]:
    """The edits that remove what expressions are, or are the values of, if ``silent`` with their
    comments. Raises Misfit if one is none of several things, or cannot be missing."""
    if not all(given):
        raise Misfit("there is nothing to remove")
    gone = {id(item): item for item in map(_item, given)}
    edits = (edit for item in gone.values() for edit in _removed(item, layout, rank, silent))
    return [replace(edit, silent=silent) for edit in edits]


def _removed(item: LN, layout: Layout, rank: Rank, silent: bool) -> list[Edit]:
    tree, parent = layout.tree, item.parent
    if parent is None or parent.type not in _LISTS:
        return [_alone(item, layout, rank)]
    several = _separated(parent)
    mine = next(one for one in several if any(part is item for part in one))
    is_tuple = parent.type == symbols.testlist_gexp
    whole = _alone(parent, layout, rank)
    spans = tuple(map(tree.span, several))
    lines = [_own_line(span, layout) for span in spans]
    ended = parent.children[-1].type == token.COMMA
    if len(spans) > 1 and not ended and "#" not in layout.text[spans[-2][1] : spans[-1][0]]:
        lines[-1] = None  # the comma before it would be left
    # What shares its line with other statements leaves one: two of them may go by other rules.
    text = whole.text if whole.removed is None else "pass"
    removed = Removed(spans, ((whole.start, whole.end), text), tuple(lines), is_tuple and not ended,
                      _ends(spans, layout.text, silent))  # fmt: skip
    return [replace(_put(tree.span(mine), rank), removed=removed)]


def _ends(
    spans: Sequence[Span], text: str, silent: bool
) -> tuple[tuple[int | None, int | None], ...]:
    """For each item where the comma before it ends, if that is on its line, and where the comma
    behind it does, or if ``silent`` the comment behind that, if a line ends there."""
    between = [_COMMA.fullmatch(text[a[1] : b[0]]) for a, b in itertools.pairwise(spans)]
    ends = [
        (None, None) if found is None else (
            None if found["line"] else end + found.end("comma"),
            end + found.end("comment" if silent else "comma") if found["line"] else None,
        )
        for found, (_, end) in zip(between, spans, strict=False)
    ]  # fmt: skip
    before, behind = [None, *(b for b, _ in ends)], [*(a for _, a in ends), None]
    return tuple(zip(before, behind, strict=True))


def _separated(parent: LN) -> list[Expression]:
    """What stands between the commas; of a dictionary a key with its value. Raises Misfit."""
    found = between_commas(parent.children)
    if any(len(one) > 1 and one[-1].type == symbols.comp_for for one in found):
        raise Misfit("it is a part of a comprehension")
    return found


# What stands between two items, where nothing but a comment does.
_COMMA = re.compile(
    r"(?P<comma>[ \t]*,)(?P<comment>[ \t]*(?:#[^\r\n]*)?)(?P<line>(?:\r\n|\r|\n)(?s:.*))?"
)
# What may stand behind an item that has a line of its own.
_BEHIND = re.compile(r"[ \t]*,?[ \t]*(?:#[^\r\n]*)?(?:\r\n|\r|\n)")


def _own_line(span: Span, layout: Layout) -> Span | None:
    """The lines of an item, with its comma and comment, if nothing else stands there."""
    start, end = span
    first = layout.line_start(start)
    behind = _BEHIND.match(layout.text, end)
    if layout.text[first:start].strip() or behind is None:
        return None
    return first, behind.end()


def _alone(item: LN, layout: Layout, rank: Rank) -> Edit:
    """All that stands between brackets goes, or a decorator's line, or an import."""
    tree, parent = layout.tree, item.parent
    if item.type == symbols.decorator:
        return _put((layout.line_start(tree.start(item)), tree.end(item)), rank)
    if parent is not None and parent.type in (symbols.import_from, symbols.import_name):
        (edit,) = layout.delete(parent, rank)
        if edit.deleted is None or len(edit.deleted.block) > 1:
            return edit
        return replace(edit, text=edit.deleted.filler)
    before, behind = item.prev_sibling, item.next_sibling
    closed = before is not None and behind is not None
    if parent is None or not closed or (before.type, behind.type) not in _BRACKETS:
        raise Misfit("it is none of several things")
    if parent.type == symbols.classdef:
        return _put((tree.start(before), tree.end(behind)), rank)
    if parent.type == symbols.atom and before.type == token.LPAR and (
        item.type != symbols.testlist_gexp
    ):  # fmt: skip
        raise Misfit("parentheses would be left")
    if parent.type == symbols.trailer and before.type == token.LSQB:
        raise Misfit("it is all of a subscript")
    return _put((tree.end(before), tree.start(behind)), rank)


def renamed_arguments(
    given: Sequence[tuple[Expression, str]], module: Module, rank: Rank, any_arguments: bool
) -> list[Edit]:
    """The edits that give arguments, by their values, other names, all at once: those that follow
    one by position may get names, too. With ``any_arguments`` the rule says itself that no `**` has
    one of them. Raises Misfit."""
    if not all(value for value, _ in given):
        raise Misfit("there is no such argument")
    named = [(_item(value), name) for value, name in given]
    gone = {id(argument) for argument, _ in named}
    edits: list[Edit] = []
    for argument, name in named:
        if _name(argument) == name:
            continue
        around = argument.parent
        others = around.children if around is not None and around.type == symbols.arglist else ()
        if any(_name(other) == name for other in others if id(other) not in gone):
            raise Misfit(f"the call has an argument {name}")
        if not any_arguments and any(map(_is_mapping, others)):
            raise Misfit(f"one of its arguments may be {name}")
        if _is_named(argument):
            span = module.tree.span((argument.children[0],))
            edits.append(Edit(*span, name, outer=span, rank=rank))
            continue
        behind = [o for o in others if module.tree.start(o) > module.tree.start(argument)]
        if any(o.type != token.COMMA and not (_is_named(o) or _is_mapping(o) or id(o) in gone)
               for o in behind):  # fmt: skip
            raise Misfit("arguments by position follow")
        edits.append(_named(argument, name, bool(others), module, rank))
    return edits


def _named(argument: LN, name: str, several: bool, module: Module, rank: Rank) -> Edit:
    """The edit that gives an argument by position its name. Raises Misfit where no name can be."""
    trailer = argument.parent.parent if several else argument.parent
    if trailer is None or trailer.type not in (symbols.trailer, symbols.decorator):
        raise Misfit("it is no argument of a call")
    if argument.type in (symbols.argument, symbols.star_expr):
        raise Misfit("it is no single argument")
    start = module.tree.start(argument)
    return Edit(start, start, f"{name}=", OPEN, module.tree.span((argument,)), rank)


_BRACKETS = {(token.LPAR, token.RPAR), (token.LSQB, token.RSQB), (token.LBRACE, token.RBRACE)}


def _name(argument: LN) -> str:
    return str(argument.children[0].value) if _is_named(argument) else ""


def _is_mapping(node: LN) -> bool:
    return bool(node.type == symbols.argument and node.children[0].type == token.DOUBLESTAR)


def _is_named(node: LN) -> bool:
    return bool(node.type == symbols.argument and node.children[1].type == token.EQUAL)


def _item(expression: Expression) -> LN:
    """What stands between commas: with the name of an argument, and parentheses around it; or a
    decorator. Raises Misfit for a part of something."""
    first, last = expression[0], list(leaves(expression[-1]))[-1]
    decorator = next((n for n in ancestors(first) if n.type == symbols.decorator), None)
    if decorator is not None:
        own = [leaf for leaf in leaves(decorator) if leaf.type != token.NEWLINE]
        if last is own[-1] and next(leaves(first)) is own[1]:
            return decorator
    node = first
    if node.parent is not None and node.parent.type == symbols.power:
        node = node.parent
        if len(node.children) != len(expression):
            raise Misfit("it is only a part of something")
    while node.parent is not None and (
        (node.parent.type == symbols.atom and node.parent.children[0].type == token.LPAR
         and len(node.parent.children) == 3 and node is node.parent.children[1]
         and node.type not in _LISTS)
        or (_is_named(node.parent) and node is node.parent.children[2])
    ):  # fmt: skip
        node = node.parent
    return node


def _put(span: tuple[int, int], rank: Rank) -> Edit:
    return Edit(*span, "", outer=span, rank=rank)
