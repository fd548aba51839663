"""Tree: a fissix tree with places, calls, arguments and statements to look up."""

from __future__ import annotations

import keyword
import re
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby
from typing import TypeAlias

from fissix.pgen2 import token
from fissix.pygram import python_symbols as symbols
from fissix.pytree import Leaf, Node, type_repr

from .. import syntax  # noqa: F401 -- makes fissix's tables know the newer grammar
from ..files.source import BOM, LINE_END
from .fstring import fields_of, is_fstring
from .own_reading import literal_value

LN: TypeAlias = "Leaf | Node"
# An expression is a run of siblings: in `a.b(c).d` fissix keeps one flat `power` node, so that
# `a.b` and `a.b(c)` are its first two and three children and have no node of their own.
Expression: TypeAlias = tuple[LN, ...]

COMPOUND = {
    symbols.if_stmt, symbols.while_stmt, symbols.for_stmt, symbols.try_stmt, symbols.with_stmt,
    symbols.funcdef, symbols.classdef, symbols.decorated, symbols.async_stmt, symbols.async_funcdef,
    symbols.match_stmt,
}  # fmt: skip
# What stands before the keyword of a compound statement is part of it.
_BEFORE_STATEMENTS = {symbols.decorated, symbols.async_stmt, symbols.async_funcdef}
FUNCTIONS = {symbols.funcdef, symbols.lambdef, symbols.old_lambdef}
ARITHMETIC = {symbols.arith_expr, symbols.term, symbols.factor}
_IMPORTS = {symbols.import_name, symbols.import_from}
# What may be the beginning of an f- or t-string.
_FSTRING = re.compile(r"[fFtT][rR]?[\"']")
_INVISIBLE = {token.INDENT, token.DEDENT, token.ENDMARKER}


@dataclass(frozen=True, eq=False, slots=True)
class Argument:
    """One argument of a call: ``name`` for a keyword, ``star`` is "", "*" or "**"."""

    name: str | None
    star: str
    value: LN
    node: LN


# Offsets in an array take a tenth of what they take in a list.
_PLACE = "I"
# Nodes of a call that are kept.
_SHORT = 8
# No method is called so.
_NOT_ASKED = ""


class Call:
    """A call: ``power`` is the whole chain it stands in, ``size`` how many nodes of that are the
    call. What a long one consists of is put together when it is asked for: a chain of hundreds has
    as many calls, each of which has all before it."""

    __slots__ = ("_arguments", "_method", "_short", "power", "size")

    def __init__(self, power: Node, size: int) -> None:
        self.power = power
        self.size = size
        self._short: Expression = ()
        self._method: str | None = _NOT_ASKED
        self._arguments: tuple[Argument, ...] | None = None

    @property
    def expression(self) -> Expression:
        """Callee and trailer."""
        if self.size > _SHORT:
            return self._nodes
        if not self._short:
            self._short = self._nodes
        return self._short

    @property
    def callee(self) -> Expression:
        return self.expression[:-1]

    @property
    def _nodes(self) -> Expression:
        first = _first(self.power)
        return tuple(self.power.children[first : first + self.size])

    @property
    def trailer(self) -> Node:
        return self.power.children[_first(self.power) + self.size - 1]

    @property
    def method(self) -> str | None:
        """The attribute's name in ``receiver.method(...)``."""
        if self._method == _NOT_ASKED:
            self._method = attribute_name(self.callee)
        return self._method

    @property
    def receiver(self) -> Expression:
        return self.callee[:-1] if self.method else ()

    @property
    def arguments(self) -> tuple[Argument, ...]:
        if self._arguments is None:
            self._arguments = tuple(arguments_of(self.trailer.children[1:-1]))
        return self._arguments

    def argument(self, name: str, position: int | None = None) -> Argument | None:
        """The argument bound to parameter ``name`` (at ``position``), if that is certain."""
        for index, argument in enumerate(self.arguments):
            if argument.star:
                position = None if argument.star == "*" else position
            elif argument.name == name or (argument.name is None and index == position):
                return argument
        return None


@dataclass(eq=False)
class Tree:
    """Places in a parsed file. Offsets count characters from 0; lines count from 1."""

    root: Node
    text: str
    _fields: dict[int, tuple[LN, ...] | None] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._fields = {}

    def _offset(self, leaf: Leaf) -> int:
        offset: int = self._starts[leaf.lineno - 1] + leaf.column
        return offset

    @cached_property
    def _starts(self) -> array[int]:
        """Where the lines begin that leaves are in: a byte-order mark is in none, and behind a last
        line without an end is another."""
        first = len(BOM) if self.text.startswith(BOM) else 0
        return array(_PLACE, [first, *self._lines[1:], len(self.text)])

    def _place(self, node: LN, offset: int) -> None:
        """Have the leaves of a node that begins at an offset stand in the lines of the file."""
        for leaf in leaves(node):
            offset += len(leaf.prefix)
            self._put(leaf, offset)
            offset += len(leaf.value)

    def _put(self, leaf: Leaf, offset: int) -> None:
        leaf.lineno = self.line(offset)
        leaf.column = offset - self._starts[leaf.lineno - 1]

    def fields(self, string: Leaf) -> tuple[LN, ...] | None:
        """The expressions inside an f- or t-string of the tree, each in parentheses that the file
        does not have; None if one of them cannot be understood."""
        if id(string) not in self._fields:
            found = fields_of(string)
            self._fields[id(string)] = None if found is None else tuple(e for _, _, e in found)
            start = self._offset(string)
            for begin, end, expression in found or ():
                self._place(expression, start + begin - 1)
                self._put(expression.children[-1], start + end)
        return self._fields[id(string)]

    @cached_property
    def roots(self) -> tuple[LN, ...]:
        """The tree's root, and behind it every expression inside an f- or t-string."""
        found: list[LN] = [self.root]
        if _FSTRING.search(self.text) is None:
            return (self.root,)
        for root in found:  # grows by the strings inside its strings
            for leaf in leaves(root):
                if is_fstring(leaf):
                    found.extend(self.fields(leaf) or ())
        return tuple(found)

    def nodes(self, below: LN | None = None) -> Iterator[LN]:
        """The nodes below and including ``below``, which is the root if it is not given; those
        inside f- and t-strings come last."""
        waiting: list[LN] = [below or self.root]
        for root in waiting:  # grows
            for node in walk(root):
                yield node
                if node.type == token.STRING and is_fstring(node):
                    waiting.extend(self.fields(node) or ())

    def nodes_of(self, kinds: frozenset[int] | None, below: LN) -> Iterable[LN]:
        """Those of some types, all if none are given, of ``nodes``."""
        if kinds is None:
            return self.nodes(below)
        if below is not self.root:
            return (node for node in self.nodes(below) if node.type in kinds)
        if kinds not in self._of_kinds:
            self._of_kinds[kinds] = tuple(node for node in self.nodes() if node.type in kinds)
        return self._of_kinds[kinds]

    @cached_property
    def _of_kinds(self) -> dict[frozenset[int], tuple[LN, ...]]:
        """Rules ask for the same again and again."""
        return {}

    @cached_property
    def _lines(self) -> array[int]:
        return array(_PLACE, [0, *(end.end() for end in LINE_END.finditer(self.text))])

    def start(self, node: LN) -> int:
        """Where the node's first visible character stands, its prefix left out."""
        for leaf in leaves(node):
            if leaf.type not in _INVISIBLE:
                return self._offset(leaf)
        return self._offset(next(iter(leaves(node))))

    def leaf_start(self, leaf: Leaf) -> int:
        """Where a leaf begins, white space and ends of blocks included."""
        return self._offset(leaf)

    def __contains__(self, node: LN) -> bool:
        first = next(iter(leaves(node)), None)
        return first is not None and any(one is self.root for one in ancestors(first))

    def end(self, node: LN) -> int:
        """Where the node's last visible character ends; a statement includes its newline."""
        for leaf in reversed_leaves(node):
            if leaf.type not in _INVISIBLE:
                return min(self._offset(leaf) + len(leaf.value), len(self.text))
        return self.start(node)

    def span(self, expression: Expression) -> tuple[int, int]:
        return self.start(expression[0]), self.end(expression[-1])

    def source(self, expression: Expression) -> str:
        """The expression's text as it stands in the file."""
        start, end = self.span(expression)
        return self.text[start:end]

    def line(self, offset: int) -> int:
        return bisect_right(self._lines, offset)

    def line_of(self, node: LN) -> int:
        return self.line(self.start(node))

    def line_start(self, offset: int) -> int:
        return self._lines[self.line(offset) - 1]

    def line_end(self, offset: int) -> int:
        """Where the next line begins, or the text ends."""
        return self.end_of_line(self.line(offset))

    def end_of_line(self, number: int) -> int:
        """The same of a line, from 1."""
        return self._lines[number] if number < len(self._lines) else len(self.text)

    def column_of(self, node: LN) -> int:
        """The characters before the node in its line; a byte-order mark is none."""
        start = self.start(node)
        before = self.text[self.line_start(start) : start]
        return len(before.removeprefix(BOM))

    def text_of_line(self, number: int) -> str:
        """The text of a line, from 1, its end and a byte-order mark left out."""
        start, end = self._lines[number - 1], self.end_of_line(number)
        return self.text[start:end].rstrip("\r\n").removeprefix(BOM)

    def lines_in(self, start: int, end: int) -> list[int]:
        """Where the lines begin that begin after ``start`` and before ``end``."""
        return [*self._lines[bisect_right(self._lines, start) : bisect_left(self._lines, end)]]

    @cached_property
    def decorators(self) -> tuple[Node, ...]:
        """What stands behind each ``@``, as the expression that it is: up to Python 3.8's grammar,
        fissix has the names and the call as parts of the statement. The parts stay those of the
        tree, with the parents that they have there."""
        found = (node for node in self.nodes() if node.type == symbols.decorator)
        return tuple(made for node in found if (made := _decorator(node)) is not None)

    @cached_property
    def calls(self) -> tuple[Call, ...]:
        """Every call in the file, outer before inner, in source order."""
        powers = (node for node in self.nodes() if node.type == symbols.power)
        found = [call for power in powers for call in calls_in_power(power)]
        if len(self.roots) > 1:
            found.sort(key=lambda call: self.start(call.callee[0]))
        return tuple(found)

    @cached_property
    def _calls_of(self) -> dict[str, list[Call]]:
        found: dict[str, list[Call]] = {}
        for call in self.calls:
            if (method := call.method) is not None:
                found.setdefault(method, []).append(call)
        return found

    def calls_of(self, *methods: str) -> list[Call]:
        """The calls of methods of these names, name by name."""
        return [call for method in methods for call in self._calls_of.get(method, ())]


def _decorator(node: LN) -> Node | None:
    head, *call = node.children[1:]
    names = head.children if head.type == symbols.dotted_name else [head]
    pairs = zip(names[1::2], names[2::2], strict=True)
    parts = [names[0]]
    parts += [_borrowed(symbols.trailer, [dot, name]) for dot, name in pairs]
    if call and call[0].type == token.LPAR:
        closing = next(n for n, child in enumerate(call) if child.type == token.RPAR)
        parts.append(_borrowed(symbols.trailer, call[: closing + 1]))
    if len(parts) == 1:
        return None
    chain = _borrowed(symbols.power, parts)
    for part in parts[1:]:
        part.parent = chain
    chain.parent = node
    return chain


def _borrowed(kind: int, children: list[LN]) -> Node:
    """A node over nodes that keep their parents."""
    node = Node(kind, [])
    node.children = children
    return node


def leaves(node: LN) -> Iterator[Leaf]:
    """The leaves below ``node``, left to right, without recursion."""
    stack = [node]
    while stack:
        current = stack.pop()
        if isinstance(current, Leaf):
            yield current
        else:
            stack.extend(reversed(current.children))


def reversed_leaves(node: LN) -> Iterator[Leaf]:
    stack = [node]
    while stack:
        current = stack.pop()
        if isinstance(current, Leaf):
            yield current
        else:
            stack.extend(current.children)


def walk(node: LN, skip: set[int] | None = None) -> Iterator[LN]:
    """The nodes below and including ``node`` in source order; types in ``skip`` are not entered."""
    stack = [node]
    while stack:
        current = stack.pop()
        yield current
        if current is node or skip is None or current.type not in skip:
            stack.extend(reversed(current.children))


def ancestors(node: LN) -> Iterator[Node]:
    parent = node.parent
    while parent is not None:
        yield parent
        parent = parent.parent


def only_for_type_checkers(node: LN) -> bool:
    """Whether ``node`` stands under ``if TYPE_CHECKING:``, where nothing runs."""
    child = node
    for parent in ancestors(node):
        if parent.type == symbols.if_stmt and child is parent.children[3]:
            if any(leaf.value == "TYPE_CHECKING" for leaf in leaves(parent.children[1])):
                return True
        child = parent
    return False


def main_guards(root: Node) -> tuple[LN, ...]:
    """The statements ``if __name__ == "__main__":`` of a module."""
    found = []
    for node in root.children:
        if node.type == symbols.if_stmt:
            words = [leaf.value for leaf in leaves(node.children[1])]
            if (
                "__name__" in words
                and "!=" not in words
                and any(w.strip("\"'") == "__main__" for w in words)
            ):
                found.append(node)
    return tuple(found)


def in_case_pattern(node: LN) -> bool:
    """Whether ``node`` is (part of) what a ``case`` compares with, where names and numbers are
    patterns, not expressions."""
    child = node
    for parent in ancestors(node):
        if parent.type == symbols.case_block:
            return child is parent.children[1]
        if parent.type == symbols.simple_stmt or parent.type == symbols.suite:
            return False
        child = parent
    return False


def plain_string(node: LN) -> str:
    """The text of a string literal, or of several side by side; nothing for all else."""
    if node.type == symbols.atom and all(child.type == token.STRING for child in node.children):
        parts = [plain_string(child) for child in node.children]
        return "".join(parts) if all(parts) else ""
    if node.type != token.STRING:
        return ""
    try:
        value = literal_value(node.value)
    except ValueError:
        return ""
    return value if isinstance(value, str) else ""


def literals_of(expression: Expression) -> list[LN]:
    """The literals that an expression is: one, or strings side by side; none if it is more."""
    nodes = unwrap(expression)
    if len(nodes) != 1:
        return []
    parts = nodes[0].children if nodes[0].type == symbols.atom else nodes
    if len(parts) > 1 and any(part.type != token.STRING for part in parts):
        return []
    return [part for part in parts if part.type in (token.STRING, token.NUMBER)]


def is_name(node: LN) -> bool:
    return bool(node.type == token.NAME)


def is_variable(leaf: LN) -> bool:
    """Whether a name is one that scopes know: no attribute's or argument's name, no part of an
    import, no keyword."""
    if not is_name(leaf) or keyword.iskeyword(leaf.value) or leaf.parent is None:
        return False
    return not is_member(leaf) and not any(p.type in _IMPORTS for p in ancestors(leaf))


def is_member(leaf: LN) -> bool:
    """Whether a name is an attribute's or an argument's."""
    parent, before = leaf.parent, leaf.prev_sibling
    if before is not None and before.type == token.DOT:
        return True
    if parent is None or parent.type not in _NAMING or leaf is not parent.children[0]:
        return False
    return bool(parent.children[1].type == token.EQUAL)


_NAMING = {symbols.argument, symbols.keyword_pattern}


def calls_in_power(power: LN) -> Iterator[Call]:
    """The calls of one chain, longest first; `await` and `** x` are not part of a callee."""
    first = _first(power)
    for index in range(len(power.children) - 1, first, -1):
        node = power.children[index]
        if node.type == symbols.trailer and node.children[0].type == token.LPAR:
            yield Call(power, index + 1 - first)


def _first(power: LN) -> int:
    """The index of what a chain begins with."""
    return 1 if power.children[0].type == token.AWAIT else 0


def outer_call(expression: Expression) -> Call | None:
    """The call that ``expression`` as a whole is, if it is one."""
    nodes = unwrap(expression)
    if len(nodes) == 1 and nodes[0].type == symbols.power:
        nodes = tuple(nodes[0].children)
    if nodes and nodes[0].type == token.AWAIT:
        nodes = nodes[1:]
    last = nodes[-1] if len(nodes) > 1 else None
    if last is None or last.type != symbols.trailer or last.children[0].type != token.LPAR:
        return None
    return Call(last.parent, len(nodes))


def unwrap(expression: Expression) -> Expression:
    """The expression inside redundant parentheses."""
    while len(expression) == 1 and _in_parentheses(expression[0]):
        expression = (expression[0].children[1],)
    return expression


def _in_parentheses(node: LN) -> bool:
    if node.type != symbols.atom or len(node.children) != 3:
        return False
    opening, inner, _ = node.children
    if opening.type != token.LPAR or (is_name(inner) and inner.value == "yield"):
        return False
    return inner.type not in (symbols.testlist_gexp, symbols.yield_expr)


def attribute_name(expression: Expression) -> str | None:
    """``c`` of ``a.b.c``; None if the expression does not end in an attribute access."""
    last = expression[-1]
    if len(expression) == 1:
        if last.type != symbols.power:
            return None
        last = last.children[-1]
    if last.type == symbols.trailer and last.children[0].type == token.DOT:
        return str(last.children[1].value)
    return None


def dotted(expression: Expression) -> tuple[str, ...]:
    """``("a", "b")`` of ``a.b``; empty if the expression is anything but dotted names."""
    nodes = flat(expression)
    if not nodes or not is_name(nodes[0]):
        return ()
    names = [nodes[0].value]
    for node in nodes[1:]:
        if node.type != symbols.trailer or node.children[0].type != token.DOT:
            return ()
        names.append(node.children[1].value)
    return tuple(names)


def flat(expression: Expression) -> Expression:
    """The expression as the parts of a chain: a lone ``power`` is opened."""
    nodes = unwrap(expression)
    if len(nodes) == 1 and nodes[0].type == symbols.power:
        nodes = tuple(nodes[0].children)
    return nodes


def same_code(left: Expression, right: Expression) -> bool:
    """Whether two expressions are the same tokens, white space and comments aside."""
    mine = [leaf.value for node in flat(left) for leaf in leaves(node)]
    theirs = [leaf.value for node in flat(right) for leaf in leaves(node)]
    return mine == theirs


def statement_of(node: LN) -> LN:
    """The smallest statement that contains ``node``, without its newline where it is simple."""
    current = node
    while current.parent is not None:
        parent = current.parent
        if parent.type == symbols.simple_stmt or parent.type == symbols.file_input:
            return current
        if current.type in COMPOUND and parent.type not in _BEFORE_STATEMENTS:
            return current
        current = parent
    return current


def is_statement(expression: Expression) -> bool:
    """Whether code is a statement that is no expression."""
    return len(expression) == 1 and (
        expression[0].type in COMPOUND | _IMPORTS
        or str(type_repr(expression[0].type)).endswith("_stmt")
    )


def line_statement(statement: LN) -> LN:
    """The node in a block's list of statements: for a simple statement, with its newline."""
    if statement.parent is not None and statement.parent.type == symbols.simple_stmt:
        return statement.parent
    return statement


def block_of(statement: LN) -> list[LN]:
    """The statements of the block that ``statement`` stands in, in order."""
    parent = line_statement(statement).parent
    if parent is None:
        return [statement]
    if parent.type == symbols.file_input or parent.type == symbols.suite:
        return lines_of(parent)
    return [line_statement(statement)]


def lines_of(block: LN) -> list[LN]:
    """The statements of a block, with their newlines; of one behind a colon that is itself."""
    if block.type not in (symbols.file_input, symbols.suite):
        return [block]
    return [c for c in block.children if c.type not in _INVISIBLE and c.type != token.NEWLINE]


def first_in(line: LN) -> LN:
    """The first statement of a line."""
    return line.children[0] if line.type == symbols.simple_stmt else line


def between_commas(nodes: Iterable[LN]) -> list[Expression]:
    """What stands between the commas of a list: of a dictionary a key with its value, of parameters
    a name with its default."""
    runs = groupby(nodes, lambda node: node.type == token.COMMA)
    return [tuple(run) for is_comma, run in runs if not is_comma]


def arguments_of(inner: Sequence[LN]) -> Iterator[Argument]:
    """The arguments in what stands between the parentheses of a call."""
    if len(inner) == 1 and inner[0].type == symbols.arglist:
        inner = [child for child in inner[0].children if child.type != token.COMMA]
    for node in inner:
        if node.type == symbols.argument:
            first = node.children[0]
            if first.type in (token.STAR, token.DOUBLESTAR):
                yield Argument(None, first.value, node.children[1], node)
                continue
            if len(node.children) == 3 and node.children[1].type == token.EQUAL:
                name = first.value if first.type == token.NAME else None  # `f(a.b=c)`, no Python
                yield Argument(name, "", node.children[2], node)
                continue
        elif node.type == symbols.star_expr:
            yield Argument(None, "*", node.children[1], node)
            continue
        yield Argument(None, "", node, node)
