"""build: the control-flow graph of a module, class, function, lambda or comprehension."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from fissix.pgen2 import token
from fissix.pygram import python_symbols as symbols

from ..names.bound_names import loop_parts
from ..syntax.tree import FUNCTIONS, LN, unwrap
from .cfg import CFG, EdgeKind, NodeKind

# Where control may leave a piece of code, with the kind of the edge to what comes next.
Ends: TypeAlias = "list[tuple[int, EdgeKind]]"
# Whether a `with` item may swallow the exceptions of its body.
Suppresses: TypeAlias = Callable[[LN], bool]

# How many `finally` blocks inside one another are copied for their two kinds of ways.
_COPIED = 2
_BREAKS_OFF = {"return", "raise", "break", "continue"}


@dataclass(frozen=True)
class _Ways:
    """Where jumps go: lists that wait for their target, and a label for exceptions."""

    raises: int
    returns: Ends
    breaks: Ends
    continues: Ends
    copied: int = 0


def build(node: LN, suppresses: Suppresses) -> CFG:
    """Return the graph of what ``node`` opens a scope for; of a node that opens none, of the
    expression that it is."""
    builder = _Builder(suppresses)
    entry = builder.node("entry", None, [])
    outside = builder.label()
    builder.raises[entry] = -1
    ways = _Ways(outside, [], [], [])
    first: Ends = [(entry, "next")]
    if node.type == symbols.file_input:
        ends = builder.block(node, first, ways)
    elif node.type in (symbols.funcdef, symbols.classdef):
        ends = builder.block(node.children[-1], first, ways)
    elif node.type in FUNCTIONS:
        value = builder.node("statement", node.children[-1], first, outside)
        ends = [(value, "return")]
    elif node.type == symbols.type_params:
        ends = first
    elif node.type >= 256 and node.children[-1].type == symbols.comp_for:
        ends = builder.comprehension(node, first, outside)
    else:
        ends = [(builder.node("statement", node, first, outside), "next")]
    # A `break` outside a loop is an error; control has to go on somewhere.
    stray = [*ways.breaks, *ways.continues]
    leave = builder.node("exit", None, [*ends, *ways.returns, *stray])
    builder.place(outside)
    raised = builder.node("raise", None, [])
    builder.raises[leave] = builder.raises[raised] = -1
    places = [*builder.places, -1]
    return CFG(
        builder.kinds,
        builder.trees,
        builder.edges,
        [places[label] for label in builder.raises],
        builder.starts,
        builder.compound,
    )


class _Builder:
    def __init__(self, suppresses: Suppresses) -> None:
        self.suppresses = suppresses
        self.kinds: list[NodeKind] = []
        self.trees: list[LN | None] = []
        self.edges: list[tuple[int, int, EdgeKind]] = []
        self.raises: list[int] = []
        self.starts: list[int] = []
        self.compound: list[tuple[LN, int, int, int]] = []
        self.places: list[int] = []

    def node(self, kind: NodeKind, tree: LN | None, ends: Ends, raises: int = -1) -> int:
        """A new node that ``ends`` lead to; ``raises`` is a label, -1 for nothing raised."""
        index = len(self.kinds)
        if (
            len(ends) != 1
            or ends[0] != (index - 1, "next")
            or self.raises[-1] != raises
            or kind in _BLOCK_STARTS
            # Behind a `finally` that is not copied more than one way goes on.
            or self.kinds[-1] == "end"
        ):
            self.starts.append(index)
        self.kinds.append(kind)
        self.trees.append(tree)
        self.raises.append(raises)
        for source, way in ends:
            self.edges.append((source, index, way))
        return index

    def connect(self, ends: Ends, target: int, kind: EdgeKind) -> None:
        for source, _ in ends:
            self.edges.append((source, target, kind))

    def label(self) -> int:
        self.places.append(-1)
        return len(self.places) - 1

    def place(self, label: int) -> None:
        """Let ``label`` stand for the node that is made next."""
        self.places[label] = len(self.kinds)

    # ------------------------------------------------------------ blocks and statements

    def block(self, block: LN, ends: Ends, ways: _Ways) -> Ends:
        children = [block] if block.type == symbols.simple_stmt else block.children
        for child in children:
            kind = child.type
            if kind == symbols.simple_stmt:
                for statement in child.children[:-1:2]:
                    ends = self.simple(statement, ends, ways)
            elif kind >= 256:
                statement = child
                while kind == symbols.async_stmt:
                    statement = statement.children[1]
                    kind = statement.type
                compound = _COMPOUND.get(kind)
                if compound is None:
                    ends = [(self.node("statement", child, ends, ways.raises), "next")]
                else:
                    start = len(self.kinds)
                    ends = compound(self, statement, ends, ways)
                    self.compound.append((child, start, len(self.kinds), _head_size(statement)))
        return ends

    def simple(self, statement: LN, ends: Ends, ways: _Ways) -> Ends:
        index = self.node("statement", statement, ends, ways.raises)
        kind = statement.type
        if kind == token.NAME:
            jump = statement.value
        elif kind == symbols.return_stmt:
            jump = "return"
        elif kind == symbols.raise_stmt:
            jump = "raise"
        else:
            return [(index, "next")]
        if jump not in _BREAKS_OFF:
            return [(index, "next")]
        if jump == "return":
            ways.returns.append((index, "return"))
        elif jump == "break":
            ways.breaks.append((index, "break"))
        elif jump == "continue":
            ways.continues.append((index, "continue"))
        return []

    def if_(self, node: LN, ends: Ends, ways: _Ways) -> Ends:
        children = node.children
        after: Ends = []
        for at in range(0, len(children), 4):
            if len(children) - at < 4:
                return after + self.block(children[at + 2], ends, ways)
            test = self.node("test", children[at + 1], ends, ways.raises)
            after += self.block(children[at + 3], [(test, "true")], ways)
            ends = [(test, "false")]
        return after + ends

    def while_(self, node: LN, ends: Ends, ways: _Ways) -> Ends:
        children = node.children
        head = self.node("test", children[1], [], ways.raises)
        self.connect_all(ends, head)
        inside = replace(ways, breaks=[], continues=[])
        end = self.block(children[3], [(head, "true")], inside)
        self.connect(end, head, "loop")
        self.connect(inside.continues, head, "continue")
        ends = [] if _always_true(children[1]) else [(head, "false")]
        if len(children) > 4:
            ends = self.block(children[6], ends, ways)
        return ends + inside.breaks

    def for_(self, node: LN, ends: Ends, ways: _Ways) -> Ends:
        children = node.children
        iterable = self.node("iterable", children[3], ends, ways.raises)
        head = self.node("target", children[1], [(iterable, "next")], ways.raises)
        inside = replace(ways, breaks=[], continues=[])
        end = self.block(children[5], [(head, "true")], inside)
        self.connect(end, head, "loop")
        self.connect(inside.continues, head, "continue")
        ends = [(head, "false")]
        if len(children) > 6:
            ends = self.block(children[8], ends, ways)
        return ends + inside.breaks

    def connect_all(self, ends: Ends, target: int) -> None:
        for source, kind in ends:
            self.edges.append((source, target, kind))

    def match(self, node: LN, ends: Ends, ways: _Ways) -> Ends:
        subject = self.node("match", node.children[1], ends, ways.raises)
        ends = [(subject, "next")]
        after: Ends = []
        for block in node.children:
            if block.type != symbols.case_block:
                continue
            start = len(self.kinds)
            case = self.node("case", block, ends, ways.raises)
            matched: Ends = [(case, "true")]
            head = 1
            ends = [] if _irrefutable(block.children[1]) else [(case, "false")]
            if block.children[2].type == symbols.guard:
                guard = self.node("guard", block.children[2].children[1], matched, ways.raises)
                head = 2
                matched = [(guard, "true")]
                ends.append((guard, "false"))
            after += self.block(block.children[-1], matched, ways)
            self.compound.append((block, start, len(self.kinds), head))
        return after + ends

    # ------------------------------------------------------------ with

    def with_(self, node: LN, ends: Ends, ways: _Ways) -> Ends:
        return self._with_items(_items(node), node.children[-1], ends, ways)

    def _with_items(self, items: Sequence[LN], body: LN, ends: Ends, ways: _Ways) -> Ends:
        around: list[tuple[LN, _Ways, _Ways]] = []
        for item in items:
            inside = replace(ways, raises=self.label(), returns=[], breaks=[], continues=[])
            ends = self._enter(item, ends, ways.raises, inside.raises)
            around.append((item, ways, inside))
            ways = inside
        ends = self.block(body, ends, ways)
        # The three ways out, each of which may raise.
        for item, outside, inside in reversed(around):
            after: Ends = []
            if ends:
                after = [(self.node("leave", item, ends, outside.raises), "next")]
            jumps = [*inside.returns, *inside.breaks, *inside.continues]
            if jumps:
                self._part(self.node("leave", item, jumps, outside.raises), inside, outside)
            self.place(inside.raises)
            left = self.node("leave", item, [], outside.raises)
            if self.suppresses(item):
                after.append((left, "exception"))
            ends = after
        return ends

    def _enter(self, item: LN, ends: Ends, raises: int, label: int) -> Ends:
        if not _target_may_raise(item):
            return [(self.node("enter", item, ends, raises), "next")]
        # The context manager has been entered when storing in such a target raises.
        entered = self.node("enter", item.children[0], ends, raises)
        bound = self.node("target", item.children[2], [(entered, "next")], label)
        return [(bound, "true")]

    # ------------------------------------------------------------ try

    def try_(self, node: LN, ends: Ends, ways: _Ways) -> Ends:
        children = node.children
        head = self.node("try", node, ends)
        ends = [(head, "next")]
        last = children[-3] if len(children) > 3 else None
        if last is None or last.type != token.NAME or last.value != "finally":
            return self._clauses(children, ends, ways)
        inside = replace(ways, raises=self.label(), returns=[], breaks=[], continues=[])
        ends = self._clauses(children[:-3], ends, inside)
        return self._finally(last, children[-1], ends, inside, ways)

    def _finally(self, keyword: LN, block: LN, ends: Ends, inside: _Ways, ways: _Ways) -> Ends:
        deeper = replace(ways, copied=ways.copied + 1)
        copy = ways.copied < _COPIED
        after: Ends = []
        if ends and copy:
            head = self.node("finally", keyword, ends)
            after = self.block(block, [(head, "next")], deeper)
        jumps = [*inside.returns, *inside.breaks, *inside.continues]
        self.place(inside.raises)
        head = self.node("finally", keyword, jumps if copy else [*jumps, *ends])
        left = self.block(block, [(head, "next")], deeper)
        if left:
            end = self.node("end", keyword, left, ways.raises)
            self._part(end, inside, ways)
            if ends and not copy:
                after = [(end, "next")]
        return after

    def _part(self, end: int, inside: _Ways, ways: _Ways) -> None:
        """Let jumps that came from ``inside`` go on from ``end``."""
        if inside.returns:
            ways.returns.append((end, "return"))
        if inside.breaks:
            ways.breaks.append((end, "break"))
        if inside.continues:
            ways.continues.append((end, "continue"))

    def _clauses(self, children: Sequence[LN], ends: Ends, ways: _Ways) -> Ends:
        """``try`` with its ``except`` clauses and ``else``; the ``finally`` is cut off."""
        clauses = [
            at
            for at, child in enumerate(children)
            if child.type in (symbols.except_clause, symbols.except_star_block)
            or (child.type == token.NAME and child.value == "except")
        ]
        if not clauses:
            return self.block(children[2], ends, ways)
        caught = self.label()
        ends = self.block(children[2], ends, replace(ways, raises=caught))
        if children[-3].type == token.NAME and children[-3].value == "else":
            ends = self.block(children[-1], ends, ways)
        if children[clauses[0]].type == symbols.except_star_block:
            return self._except_stars([children[at] for at in clauses], ends, caught, ways)
        self.place(caught)
        before: Ends = []
        for at in clauses:
            clause = children[at]
            start = len(self.kinds)
            # A bare `except:` compares nothing.
            raises = -1 if clause.type == token.NAME else ways.raises
            head = self.node("except", clause, before, raises)
            before = [(head, "false")]
            ends = ends + self._handler(clause, children[at + 2], head, ways)
            self.compound.append((clause, start, len(self.kinds), 1))
        return ends

    def _handler(self, clause: LN, block: LN, head: int, ways: _Ways) -> Ends:
        matched: Ends = [(head, "true")]
        name = _except_as(clause)
        if name is None:
            return self.block(block, matched, ways)
        inside = replace(ways, raises=self.label(), returns=[], breaks=[], continues=[])
        ends = self.block(block, matched, inside)
        if ends:
            ends = [(self.node("unbind", name, ends), "next")]
        self.place(inside.raises)
        jumps = [*inside.returns, *inside.breaks, *inside.continues]
        self._part(self.node("unbind", name, jumps, ways.raises), inside, ways)
        return ends

    def _except_stars(self, clauses: Sequence[LN], ends: Ends, caught: int, ways: _Ways) -> Ends:
        # What one clause leaves over, or raises itself, is gone through by the next one.
        before: Ends = []
        for clause in clauses:
            self.place(caught)
            start = len(self.kinds)
            head = self.node("except", clause, before, ways.raises)
            caught = self.label()
            left = self._handler(clause, clause.children[-1], head, replace(ways, raises=caught))
            before = [*left, (head, "false")]
            self.compound.append((clause, start, len(self.kinds), 1))
        self.place(caught)
        end = self.node("end", clauses[-1], before, ways.raises)
        return [*ends, (end, "next")]

    # ------------------------------------------------------------ comprehensions

    def comprehension(self, node: LN, ends: Ends, raises: int) -> Ends:
        """The clauses of a comprehension; its first iterable is evaluated outside."""
        clause: LN | None = node.children[-1]
        first = True
        around = -1
        after: Ends = []
        while clause is not None:
            if clause.type == symbols.comp_for:
                target, iterable = loop_parts(clause)
                if not first:
                    ends = [(self.node("iterable", iterable, ends, raises), "next")]
                head = self.node("target", target, ends, raises)
                ends = [(head, "true")]
                if first:
                    after = [(head, "false")]
                else:
                    self.edges.append((head, around, "loop"))
                around, first = head, False
            else:
                test = self.node("test", clause.children[1], ends, raises)
                self.edges.append((test, around, "false"))
                ends = [(test, "true")]
            last = clause.children[-1]
            clause = last if last.type in (symbols.comp_for, symbols.comp_if) else None
        element = self.node("element", node, ends, raises)
        self.edges.append((element, around, "loop"))
        return after


_BLOCK_STARTS = {"target", "except", "case", "exit", "raise", "finally", "unbind", "leave", "end"}
_COMPOUND: dict[int, Callable[[_Builder, LN, Ends, _Ways], Ends]] = {
    symbols.if_stmt: _Builder.if_,
    symbols.while_stmt: _Builder.while_,
    symbols.for_stmt: _Builder.for_,
    symbols.with_stmt: _Builder.with_,
    symbols.try_stmt: _Builder.try_,
    symbols.match_stmt: _Builder.match,
}


def _head_size(statement: LN) -> int:
    """How many nodes the head of a compound statement has."""
    if statement.type == symbols.for_stmt:
        return 2
    if statement.type == symbols.with_stmt:
        return sum(2 if _target_may_raise(item) else 1 for item in _items(statement))
    return 1


def _target_may_raise(item: LN) -> bool:
    return bool(item.type == symbols.with_item and item.children[2].type != token.NAME)


def _items(statement: LN) -> list[LN]:
    """The items of a ``with`` statement: ``with_item`` nodes, or expressions without a name."""
    found = statement.children[1:-2]
    if len(found) > 2 and found[0].type == token.LPAR and found[-1].type == token.RPAR:
        found = found[1:-1]
    return [child for child in found if child.type != token.COMMA]


def _except_as(clause: LN) -> LN | None:
    """The name that is deleted at the end of the clause; ``except A, e`` of Python 2 keeps it."""
    if clause.type == symbols.except_star_block:
        return clause.children[4] if clause.children[3].value == "as" else None
    if clause.type == symbols.except_clause and len(clause.children) == 4:
        separator, name = clause.children[2], clause.children[3]
        return name if separator.value == "as" and name.type == token.NAME else None
    return None


def _always_true(test: LN) -> bool:
    node = unwrap((test,))[0]
    if node.type == token.NUMBER:
        return str(node.value).isdecimal() and int(node.value) != 0
    return bool(node.type == token.NAME and node.value == "True")


def _irrefutable(pattern: LN) -> bool:
    """Whether a ``case`` takes every subject: a name, ``_``, or one of these in parentheses."""
    while pattern.type in (symbols.as_pattern, symbols.group_pattern, symbols.or_pattern):
        if pattern.type == symbols.as_pattern:
            pattern = pattern.children[0]
        elif pattern.type == symbols.group_pattern:
            pattern = pattern.children[1]
        else:
            pattern = pattern.children[-1]
    return bool(pattern.type == token.NAME and pattern.value not in ("None", "True", "False"))
