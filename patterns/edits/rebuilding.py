"""rebuilt: a statement whose blocks stay where they are, in other code around them.

What stands around the blocks is replaced, and their lines are moved to the left or right: so their
comments stay, and what other rules change inside them is changed there.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from fissix.pgen2 import token
from fissix.pygram import python_symbols as symbols

from pinsetter.analyzer.syntax.tree import LN, Expression, lines_of, walk

from .edit import BEFORE, OPEN, Edit
from .fragment import Fragment, Slot, Span, joined
from .indentation import Layout, last_of
from .rendering import BLOCK, Misfit

Rank = tuple[int, ...]


@dataclass(frozen=True)
class Block:
    """Statements on lines of their own, all of these lines, or, ``inline``, behind a colon."""

    span: Span
    indentation: str
    strings: tuple[Span, ...]
    inline: bool = False


def read_blocks(lines: Sequence[Fragment]) -> Iterator[tuple[str, int, int]]:
    """The blocks in lines of a template: the name of each, its depth, and the line."""
    for number, line in enumerate(lines):
        before, mark, name = line.text.partition(BLOCK)
        if mark:
            yield name, (len(before) - len(before.lstrip(" "))) // 4, number


def without_blocks(lines: Sequence[Fragment], names: Collection[str]) -> list[Fragment]:
    """The lines without those of blocks that have no statements; `pass` where a block would have
    none of its own."""
    gone = {number for name, _, number in read_blocks(lines) if name in names}
    found: list[Fragment] = []
    for number, line in enumerate(lines):
        if number not in gone:
            found.append(line)
            continue
        indent = _depth(line)
        behind = next(
            (after for n, after in enumerate(lines) if n > number and n not in gone), None
        )
        begins = bool(found) and _depth(found[-1]) < indent
        if begins and (behind is None or _depth(behind) < indent):
            found.append(Fragment(" " * indent + "pass"))
    return found


def _depth(line: Fragment) -> int:
    return len(line.text) - len(line.text.lstrip(" "))


def block_at(capture: Expression, layout: Layout) -> Block:
    """The block that a capture is."""
    tree, text = layout.tree, layout.text
    nodes = [node for part in capture for node in lines_of(part)]
    first, last = nodes[0], nodes[-1]
    start = tree.start(first)
    strings = tuple(
        tree.span((node,)) for part in nodes for node in walk(part) if node.type == token.STRING
    )
    if text[layout.line_start(start) : start].strip():
        end = tree.end(last_of(last))
        return Block((start, end), "", strings, inline=True)
    indentation = text[layout.line_start(start) : start]
    return Block(
        (_first_line(capture, start, layout), _behind(last, indentation, layout)),
        indentation, strings,
    )  # fmt: skip


def rebuilt(
    statement: LN,
    lines: Sequence[Fragment],
    blocks: Mapping[str, Block],
    layout: Layout,
    rank: Rank,
) -> list[Edit]:
    """The edits that put lines, in which blocks of a statement may stand, in its place. Raises
    Misfit if its blocks would change their order."""
    tree, base = layout.tree, layout.indentation(statement)
    places = {number: (blocks[name], depth) for name, depth, number in read_blocks(lines)}
    start, end = tree.start(statement), tree.end(last_of(statement))
    at, floor = start, start
    edits: list[Edit] = []
    waiting: list[Fragment] = []
    for number, line in enumerate(lines):
        if number not in places:
            waiting.append(line)
            continue
        block, depth = places[number]
        if not floor <= block.span[0] < end:
            raise Misfit("its blocks would change their order")
        floor = block.span[1]
        if block.inline:
            code = layout.text[slice(*block.span)]
            whole = Fragment(code, (Slot(0, len(code), block.span),))
            waiting.append(" " * 4 * depth + whole)
            continue
        edits.append(_between((at, block.span[0]), waiting, statement, layout, rank))
        edits += _moved(block, base + layout.unit_below(base) * depth, layout, rank)
        at, waiting = block.span[1], []
    if at == start:
        text = joined(layout.lines(waiting, base), layout.newline)[len(base) :]
        return [Edit(start, end, text.text, outer=(start, end), rank=rank, slots=text.slots)]
    stop = max(at, tree.line_end(end))
    if waiting or stop > at:
        edits.append(_between((at, stop), waiting, statement, layout, rank))
    return edits


def enclosed(
    around: LN, body: Expression, lines: Sequence[Fragment], layout: Layout, rank: Rank
) -> list[Edit]:
    """The edits that put the last statements of a block inside of others: ``lines`` with a place
    for them. ``around`` is what they are the block of. Raises Misfit."""
    places = list(read_blocks(lines))
    if len(places) != 1 or not places[0][2] or places[0][1] < 1:
        raise Misfit("there is no one place for the statements, in a block")
    _, depth, at = places[0]
    block = block_at(body, layout)
    if block.inline:
        raise Misfit("its statements have no lines of their own")
    base, (start, end) = block.indentation, block.span
    while not layout.text[start : layout.tree.line_end(start)].strip():
        start = layout.tree.line_end(start)  # empty lines stand in front
    block = replace(block, span=(start, end))
    opening = joined(line + layout.newline for line in layout.lines(lines[:at], base))
    whole = (layout.tree.start(around), end)
    return [
        Edit(start, start, opening.text, BEFORE, (start, end), rank, slots=opening.slots),
        *_moved(block, base + layout.unit_below(base) * depth, layout, rank),
        layout.behind(end, lines[at + 1 :], base, whole, rank),
    ]


def _between(
    span: Span, lines: Sequence[Fragment], statement: LN, layout: Layout, rank: Rank
) -> Edit:
    """Lines in the place of a part of a statement."""
    tree, base = layout.tree, layout.indentation(statement)
    first = tree.start(statement)
    start, end = span
    text = joined(line + layout.newline for line in layout.lines(lines, base))
    if start == first:
        start = start if lines else layout.line_start(start)
        text = text[len(base) :] if lines else text
    elif not layout.text[:start].endswith(("\n", "\r")):
        text = layout.newline + text
    # No part of the blocks, which are moved.
    outer = first, max(end, tree.end(last_of(statement)) + 1)
    return Edit(start, end, text.text, outer=outer, rank=rank, slots=text.slots)


def _moved(block: Block, indentation: str, layout: Layout, rank: Rank) -> Iterator[Edit]:
    """The lines of a block with another indentation."""
    old = block.indentation
    if indentation == old:
        return
    start, end = block.span
    if not (indentation.startswith(old) or old.startswith(indentation)):
        raise Misfit("its lines begin with other white space than those around")
    more = indentation.removeprefix(old) if indentation.startswith(old) else ""
    less = 0 if more else len(old) - len(indentation)
    change = more or "\b" * less
    yield Edit(start, start, "", OPEN, block.span, rank, indent=change)
    for at in [start, *layout.tree.lines_in(start, end)]:
        line = layout.text[at : min(end, layout.tree.line_end(at))]
        if not line.strip() or any(a < at < b for a, b in block.strings):
            continue
        if more:
            yield Edit(at, at, more, OPEN, (at, end), rank, loose=True)
        else:
            cut = min(less, len(line) - len(line.lstrip(" \t")))
            yield Edit(at, at + cut, "", OPEN, (at, at + cut), rank, loose=True)


def _first_line(capture: Expression, start: int, layout: Layout) -> int:
    """Where the lines of a block begin, with the comments in front of its first statement."""
    first, tree = capture[0], layout.tree
    if first.type == symbols.suite:
        return tree.end(first.children[0])
    before = first.prev_sibling
    if before is None or first.parent is None or first.parent.type != symbols.suite:
        return layout.line_start(start)
    if before.type == token.INDENT:
        return tree.end(first.parent.children[0])
    # Comments that stand deeper belong to what stands before.
    indentation = layout.text[layout.line_start(start) : start]
    return max(tree.line_end(tree.end(last_of(before))), layout.behind_block(before, indentation))


def _behind(last: LN, indentation: str, layout: Layout) -> int:
    """Where the lines of a block end, with the comments behind it that are indented as it is."""
    tree, text = layout.tree, layout.text
    end = at = tree.line_end(tree.end(last_of(last)))
    while at < len(text):
        stop = tree.line_end(at)
        line = text[at:stop]
        if line.strip() and not (line.startswith(indentation) and line.lstrip().startswith("#")):
            break
        at = stop
        if line.strip():
            end = at
    return end
