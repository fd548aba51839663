"""read: which names and attribute paths the code of one node of a CFG reads and binds.

A nested scope is not walked here: what it takes from around is asked for. Where the value of a
name is needed only later, when a function or a generator runs, the name is ``captured``.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from fissix.pgen2 import token
from fissix.pygram import python_symbols as symbols
from fissix.pytree import Leaf, Node

from ..names.bound_names import captured_names, imported_items, is_walrus, loop_parts
from ..syntax.fstring import fields_of, is_fstring
from ..syntax.strings import fields
from ..syntax.tree import FUNCTIONS, LN, Expression, leaves, unwrap
from .cfg import NodeKind

Written = tuple[str, LN]


class Accesses:
    """What the code of one node does with names; ``a.b`` is a path, ``a['k']`` as well.

    ``inner`` are names that comprehensions and class bodies read at once, ``captured`` those that
    are read later, ``module_reads`` those that nested scopes read from the module in any case.
    ``maybe_written`` are bindings that need not be made whenever the node is gone through.
    ``unbound`` are names that Python 3, not Python 2, deletes at the end of an ``except`` clause.
    ``early``: the node may raise after it has bound something.
    """

    inner: Sequence[str] = ()
    captured: Sequence[str] = ()
    module_reads: Sequence[str] = ()
    maybe_written: Sequence[Written] = ()
    modified: Sequence[str] = ()
    stored: Sequence[str] = ()
    filled: Sequence[str] = ()
    deleted: Sequence[str] = ()
    deleted_paths: Sequence[str] = ()
    unbound: Sequence[str] = ()
    early: bool = False
    anything: bool = False
    """Whether any name may be bound: ``from a import *``, ``exec``."""

    def __init__(self) -> None:
        self.reads: list[str] = []
        self.written: list[Written] = []


NOTHING = Accesses()


@dataclass(frozen=True)
class Free:
    """What a nested scope takes from the one around it; see Accesses."""

    reads: Iterable[str] = ()
    captured: Iterable[str] = ()
    module_reads: Iterable[str] = ()
    walrus: Sequence[Written] = ()

    def without(self, names: set[str]) -> Free:
        """The same without type parameters, which stand between the two scopes."""
        return Free(_without(self.reads, names), _without(self.captured, names), self.module_reads)


def _without(paths: Iterable[str], names: set[str]) -> list[str]:
    return [path for path in paths if root_of(path) not in names]


def root_of(path: str) -> str:
    return path.partition(".")[0].partition("[")[0]


def step_of(trailer: LN) -> str:
    """What a trailer adds to a path: ``.y`` for an attribute, ``['k']`` for an item by a number or
    text; empty for all else."""
    if trailer.type != symbols.trailer:
        return ""
    if trailer.children[0].type == token.DOT:
        return f".{trailer.children[1].value}"
    key = trailer.children[1]
    if trailer.children[0].type != token.LSQB or key.type not in (token.NUMBER, token.STRING):
        return ""
    return _item(key.value)


@lru_cache(maxsize=4096)
def _item(key: str) -> str:
    try:
        return f"[{ast.literal_eval(key)!r}]"
    except (SyntaxError, ValueError):
        return ""  # an f-string, or a number of another Python


class Reader:
    """``nested`` gives what the scope that a node opens takes from around."""

    def __init__(self, nested: Callable[[LN], Free]) -> None:
        self.nested = nested

    def read(self, kind: NodeKind, tree: LN) -> Accesses:
        """What the node of this kind with this tree does."""
        if kind == "statement":
            how = _STATEMENTS.get(tree.type)
            if how is None and tree.type == token.NAME and tree.value in _WORDS:
                return NOTHING
        else:
            how = _PARTS[kind]
            if how is _nothing:
                return NOTHING
        accesses = Accesses()
        if how is None:
            self.expression(tree, accesses)
        else:
            how(self, tree, accesses)
        return accesses

    # ------------------------------------------------------------ expressions

    def evaluated(self, expression: Expression) -> Accesses:
        """What an expression does, which may be the beginning of a longer chain."""
        accesses = Accesses()
        if len(expression) > 1 and expression[0].parent.type == _POWER:
            chain = Node(_POWER, [])
            chain.children = [*expression]  # which keep their parents
            expression = (chain,)
        for node in expression:
            self.expression(node, accesses)
        return accesses

    def expression(self, node: LN, accesses: Accesses) -> None:
        reads = accesses.reads
        stack = [node]
        while stack:
            node = stack.pop()
            kind = node.type
            if kind == _NAME:
                if node.value not in _WORDS:
                    reads.append(node.value)
            elif kind == _POWER:
                children = _chain(node)
                first = children[0]
                at = 1
                if first.type == _AWAIT:
                    first = children[1]
                    at = 2
                if first.type == _NAME and first.value not in _WORDS:
                    path = first.value
                    reads.append(path)
                    for child in children[at:]:
                        step = step_of(child)
                        if not step:
                            break
                        path += step
                        reads.append(path)
                        at += 1
                else:
                    stack.append(first)
                for child in children[at:]:
                    if child.type != _TRAILER:
                        stack.append(child)
                    elif child.children[0].type != _DOT:
                        stack.append(child.children[1])
            elif kind < 256:
                if kind == _STRING and node.value[0] not in "\"'" and is_fstring(node):
                    self._fstring(node, accesses)
            else:
                special = _EXPRESSIONS.get(kind)
                if special is None:
                    stack.extend(node.children)
                else:
                    special(self, node, accesses, stack)

    def argument(self, node: LN, accesses: Accesses, stack: list[LN]) -> None:
        children = node.children
        if children[-1].type == symbols.comp_for:
            self.comprehension(node, accesses, stack)
        elif children[1].type == token.COLONEQUAL:
            self.walrus(node, accesses, stack)
        else:
            stack.append(children[-1])

    def display(self, node: LN, accesses: Accesses, stack: list[LN]) -> None:
        if node.children[-1].type == symbols.comp_for:
            self.comprehension(node, accesses, stack)
        else:
            stack.extend(node.children)

    def comprehension(self, node: LN, accesses: Accesses, stack: list[LN]) -> None:
        stack.append(loop_parts(node.children[-1])[1])
        self.take(self.nested(node), accesses)

    def walrus(self, node: LN, accesses: Accesses, stack: list[LN]) -> None:
        target = node.children[0]
        stack.append(node.children[2])
        accesses.early = True
        if target.type != token.NAME:
            stack.append(target)
        elif _always_evaluated(node):
            accesses.written.append((target.value, target))
        else:
            accesses.maybe_written = [*accesses.maybe_written, (target.value, target)]

    def dotted_name(self, node: LN, accesses: Accesses, stack: list[LN]) -> None:
        names = [child.value for child in node.children[::2]]
        accesses.reads.extend(".".join(names[: end + 1]) for end in range(len(names)))

    def lambda_(self, node: LN, accesses: Accesses, stack: list[LN]) -> None:
        if node.children[1].type == symbols.varargslist:
            self.parameters(node.children[1], accesses)
        self.take(self.nested(node), accesses)

    def _fstring(self, leaf: Leaf, accesses: Accesses) -> None:
        texts = [leaf.value[start:end] for start, end in fields(leaf.value)]
        plain = [_PATH.fullmatch(text) for text in texts]
        if not all(plain):
            found = fields_of(leaf)
            if found is not None:
                for _, _, expression in found:
                    self.expression(expression, accesses)
                return
            plain = [match for text in texts for match in _ANY_PATH.finditer(text)]
        for match in plain:
            if match is not None:
                names = re.split(r"\s*\.\s*", match[1])
                if names[0] not in _WORDS:
                    accesses.reads.extend(".".join(names[: end + 1]) for end in range(len(names)))

    def take(self, free: Free, accesses: Accesses) -> None:
        if free.reads:
            accesses.inner = [*accesses.inner, *free.reads]
        if free.captured:
            accesses.captured = [*accesses.captured, *free.captured]
        if free.module_reads:
            accesses.module_reads = [*accesses.module_reads, *free.module_reads]
        if free.walrus:
            accesses.early = True
            accesses.maybe_written = [*accesses.maybe_written, *free.walrus]

    # ------------------------------------------------------------ targets

    def assign(self, target: LN, accesses: Accesses) -> None:
        stack = [target]
        while stack:
            target = stack.pop()
            if target.type == token.NAME:
                accesses.written.append((target.value, target))
            elif target.type == symbols.power:
                accesses.early = True
                path, kind = self._place(target, accesses)
                if kind == "attribute":
                    accesses.stored = [*accesses.stored, path]
                elif kind == "items":
                    accesses.filled = [*accesses.filled, path]
            elif target.type >= 256:
                # What is left is unpacked before what is right of it is stored.
                stack.extend(reversed(target.children))

    def delete(self, target: LN, accesses: Accesses) -> None:
        stack = [target]
        while stack:
            target = stack.pop()
            if target.type == token.NAME:
                accesses.deleted = [*accesses.deleted, target.value]
            elif target.type == symbols.power:
                accesses.early = True
                path, kind = self._place(target, accesses)
                if kind == "attribute":
                    accesses.deleted_paths = [*accesses.deleted_paths, path]
            elif target.type >= 256:
                stack.extend(target.children)

    def _place(self, target: LN, accesses: Accesses) -> tuple[str, str]:
        """Read the owner of an attribute or item, which is modified. Returns the path and
        "attribute" for an attribute of a path, the owner's and "items" for an item by what is no
        constant, two empty strings for all else."""
        children = _chain(target)
        path, at = "", 0
        if children[0].type == token.NAME and children[0].value not in _WORDS:
            path, at = children[0].value, 1
            accesses.reads.append(path)
        else:
            self.expression(children[0], accesses)
            at = 1
        last = len(children) - 1
        dotted = bool(path)
        direct = dotted
        for child in children[at:last]:
            opening = child.children[0].type if child.type == symbols.trailer else token.LPAR
            step = step_of(child)
            if step and (dotted or opening == token.DOT):
                if dotted:
                    path += step
                    accesses.reads.append(path)
                continue
            dotted = False
            if opening == token.LPAR:
                # A call gives something else than what it is called on.
                direct = False
            self.expression(child, accesses)
        if direct:
            accesses.modified = [*accesses.modified, path]
        trailer = children[last]
        step = step_of(trailer)
        if step and dotted:
            return path + step, "attribute"
        if not step.startswith("."):
            self.expression(trailer, accesses)
            if dotted:
                return path, "items"
        return "", ""

    # ------------------------------------------------------------ statements

    def expr_stmt(self, node: LN, accesses: Accesses) -> None:
        children = node.children
        operator = children[1]
        if operator.type == token.EQUAL:
            self.expression(children[-1], accesses)
            for target in children[:-1:2]:
                if target.type == token.NAME:
                    accesses.written.append((target.value, target))
                else:
                    self.assign(target, accesses)
        elif operator.type == symbols.annassign:
            self._annotated(children[0], operator, accesses)
        else:
            self.expression(children[0], accesses)
            self.expression(children[2], accesses)
            read = Accesses()
            self.assign(children[0], read)
            accesses.written += read.written
            accesses.stored, accesses.filled = read.stored, read.filled
            changed = [*(name for name, _ in read.written), *read.stored, *read.modified]
            accesses.modified = [*accesses.modified, *changed]
            accesses.early = accesses.early or read.early

    def _annotated(self, target: LN, annotation: LN, accesses: Accesses) -> None:
        self.expression(annotation.children[1], accesses)
        if len(annotation.children) > 3:
            self.expression(annotation.children[3], accesses)
            self.assign(target, accesses)
            return
        target = unwrap((target,))[0]
        if target.type == symbols.power:
            # All of it but the last step is evaluated, though nothing is stored.
            self._place(target, accesses)
            accesses.modified = []

    def del_stmt(self, node: LN, accesses: Accesses) -> None:
        self.delete(node.children[1], accesses)

    def import_name(self, node: LN, accesses: Accesses) -> None:
        names = node.children[1]
        for item in names.children if names.type == symbols.dotted_as_names else [names]:
            if item.type == symbols.dotted_as_name:
                accesses.written.append((item.children[2].value, item.children[2]))
            elif item.type != token.COMMA:
                first = next(leaves(item))
                accesses.written.append((first.value, first))

    def import_from(self, node: LN, accesses: Accesses) -> None:
        for item in imported_items(node):
            if item.type == token.STAR:
                accesses.anything = True
            else:
                leaf = item.children[2] if item.type == symbols.import_as_name else item
                accesses.written.append((leaf.value, leaf))

    def print_stmt(self, node: LN, accesses: Accesses) -> None:
        for child in node.children[1:]:
            self.expression(child, accesses)

    def exec_stmt(self, node: LN, accesses: Accesses) -> None:
        self.print_stmt(node, accesses)
        accesses.anything = True

    def type_stmt(self, node: LN, accesses: Accesses) -> None:
        value = Accesses()
        self.expression(node.children[-1], value)
        hidden = self._type_parameters(node, value)
        # The value is evaluated when it is asked for.
        accesses.captured = _without(value.reads, hidden)
        self._take_inner(value, hidden, accesses)
        accesses.reads += accesses.captured
        accesses.written.append((node.children[1].value, node.children[1]))

    def decorated(self, node: LN, accesses: Accesses) -> None:
        first = node.children[0]
        for decorator in first.children if first.type == symbols.decorators else [first]:
            for child in decorator.children[1:]:
                self.expression(child, accesses)
        self.definition(node.children[1], accesses)

    def definition(self, node: LN, accesses: Accesses) -> None:
        while node.type in (symbols.async_stmt, symbols.async_funcdef):
            node = node.children[1]
        inside = Accesses()
        hidden = self._type_parameters(node, inside)
        if node.type == symbols.funcdef:
            for child in node.children[2:-2]:
                if child.type == symbols.parameters:
                    self.parameters(child, inside)
                elif child.type != symbols.type_params:
                    self.expression(child, inside)
        else:
            for child in node.children[2:-2]:
                if child.type != symbols.type_params:
                    self.expression(child, inside)
        free = self.nested(node)
        if hidden:
            accesses.reads += _without(inside.reads, hidden)
            free = free.without(hidden)
        else:
            accesses.reads += inside.reads
        self._take_inner(inside, hidden, accesses)
        self.take(free, accesses)
        name = node.children[1].value
        accesses.written.append((name, node))
        accesses.maybe_written = [*accesses.maybe_written, *inside.written, *inside.maybe_written]
        accesses.early = bool(accesses.maybe_written)

    def _take_inner(self, inside: Accesses, hidden: set[str], accesses: Accesses) -> None:
        free = Free(inside.inner, inside.captured, inside.module_reads)
        self.take(free.without(hidden) if hidden else free, accesses)

    def _type_parameters(self, node: LN, accesses: Accesses) -> set[str]:
        """The names of type parameters; their bounds and defaults are read."""
        parameters = node.children[2]
        if parameters.type != symbols.type_params:
            return set()
        names: set[str] = set()
        for child in parameters.children[1:-1]:
            found = [leaf for leaf in leaves(child) if leaf.type == token.NAME]
            names.update(leaf.value for leaf in found[:1])
            if child.type == symbols.type_param:
                start = 2 if child.children[0].type != token.NAME else 1
                for part in child.children[start:]:
                    self.expression(part, accesses)
        return names

    def parameters(self, node: LN, accesses: Accesses) -> None:
        """Defaults and annotations; the names are bound inside."""
        default = False
        stack = list(reversed(node.children))
        while stack:
            child = stack.pop()
            if child.type == symbols.typedargslist:
                stack.extend(reversed(child.children))
            elif child.type == token.EQUAL:
                default = True
            elif child.type == symbols.tname and not default:
                self.expression(child.children[2], accesses)
            elif default:
                self.expression(child, accesses)
                default = False

    # ------------------------------------------------------------ heads

    def enter(self, item: LN, accesses: Accesses) -> None:
        if item.type == symbols.with_item:
            self.expression(item.children[0], accesses)
            self.assign(item.children[2], accesses)
        else:
            self.expression(item, accesses)

    def except_(self, clause: LN, accesses: Accesses) -> None:
        if clause.type == symbols.except_star_block:
            children, named = clause.children[2:-2], clause.children[3].value == "as"
        elif clause.type == symbols.except_clause:
            children, named = clause.children[1:], len(clause.children) == 4
        else:
            return
        for child in children[:1] if named else children:
            self.expression(child, accesses)
        if named:
            self.assign(children[2], accesses)

    def case(self, block: LN, accesses: Accesses) -> None:
        pattern = block.children[1]
        accesses.written.extend((leaf.value, leaf) for leaf in captured_names(pattern))
        accesses.early = len(accesses.written) > 1
        stack = [pattern]
        while stack:
            node = stack.pop()
            if node.type == symbols.attr:
                self.dotted_name(node, accesses, stack)
            elif node.type == symbols.class_pattern:
                if node.children[0].type == token.NAME:
                    accesses.reads.append(node.children[0].value)
                stack.extend(node.children)
            elif node.type == token.STRING:
                self.expression(node, accesses)
            elif node.type >= 256:
                stack.extend(node.children)

    def unbind(self, name: LN, accesses: Accesses) -> None:
        accesses.unbound = [name.value]

    def element(self, node: LN, accesses: Accesses) -> None:
        if is_walrus(node):
            self.walrus(node, accesses, [])
            self.expression(node.children[2], accesses)
        else:
            for child in node.children[:-1]:
                self.expression(child, accesses)


def _nothing(reader: Reader, node: LN, accesses: Accesses) -> None:
    pass


def _chain(power: LN) -> list[LN]:
    """The parts of ``a.b[c]``, which are those of ``(a.b)[c]``, too."""
    parts: list[LN] = power.children
    while parts[0].type == symbols.atom:
        (inner,) = unwrap((parts[0],))
        if inner is parts[0]:
            break
        opened = inner.children if inner.type == _POWER else ()
        is_chain = opened and opened[0].type != _AWAIT and opened[-1].type == _TRAILER
        parts = [*(opened if is_chain else (inner,)), *parts[1:]]
    return parts


def _always_evaluated(node: LN) -> bool:
    """Whether an expression is evaluated whenever its statement, or head, is gone through."""
    child, parent = node, node.parent
    while parent is not None and parent.type not in _AROUND_EXPRESSIONS:
        kind, children = parent.type, parent.children
        if kind in (symbols.and_test, symbols.or_test) and child is not children[0]:
            return False
        if kind == symbols.test and child is not children[2]:
            return False
        if kind == symbols.comparison and not any(child is first for first in children[:3]):
            return False
        if kind == symbols.assert_stmt:
            return bool(child is children[1])
        if kind in FUNCTIONS or children[-1].type == symbols.comp_for:
            return False
        child, parent = parent, parent.parent
    return True


_AROUND_EXPRESSIONS = {
    symbols.simple_stmt, symbols.suite, symbols.file_input, symbols.if_stmt, symbols.while_stmt,
    symbols.for_stmt, symbols.with_stmt, symbols.match_stmt, symbols.funcdef, symbols.classdef,
    symbols.comp_if,
}  # fmt: skip
_NAME, _STRING, _AWAIT, _DOT = token.NAME, token.STRING, token.AWAIT, token.DOT
_POWER, _TRAILER = symbols.power, symbols.trailer
_PATH = re.compile(r"\s*([^\W\d]\w*(?:\s*\.\s*[^\W\d]\w*)*)\s*=?\s*")
_ANY_PATH = re.compile(r"([^\W\d]\w*(?:\s*\.\s*[^\W\d]\w*)*)")
# Leaves of type NAME that are no names.
_WORDS = frozenset({
    "and", "as", "assert", "break", "class", "continue", "def", "del", "elif", "else", "except",
    "finally", "for", "from", "if", "in", "is", "lambda", "not", "or", "pass", "raise", "return",
    "while", "with", "yield", "None", "True", "False",
})  # fmt: skip
_EXPRESSIONS: dict[int, Callable[[Reader, LN, Accesses, list[LN]], None]] = {
    symbols.argument: Reader.argument,
    symbols.namedexpr_test: Reader.walrus,
    symbols.listmaker: Reader.display,
    symbols.testlist_gexp: Reader.display,
    symbols.dictsetmaker: Reader.display,
    symbols.dotted_name: Reader.dotted_name,
    symbols.lambdef: Reader.lambda_,
    symbols.old_lambdef: Reader.lambda_,
}
_How = Callable[[Reader, LN, Accesses], None]
_STATEMENTS: dict[int, _How] = {
    symbols.expr_stmt: Reader.expr_stmt,
    symbols.del_stmt: Reader.del_stmt,
    symbols.import_name: Reader.import_name,
    symbols.import_from: Reader.import_from,
    symbols.global_stmt: _nothing,
    symbols.print_stmt: Reader.print_stmt,
    symbols.exec_stmt: Reader.exec_stmt,
    symbols.type_stmt: Reader.type_stmt,
    symbols.decorated: Reader.decorated,
    symbols.funcdef: Reader.definition,
    symbols.classdef: Reader.definition,
    symbols.async_stmt: Reader.definition,
    symbols.async_funcdef: Reader.definition,
}
_PARTS: dict[NodeKind, _How] = {
    "entry": _nothing,
    "exit": _nothing,
    "raise": _nothing,
    "try": _nothing,
    "leave": _nothing,
    "finally": _nothing,
    "end": _nothing,
    "test": Reader.expression,
    "iterable": Reader.expression,
    "match": Reader.expression,
    "guard": Reader.expression,
    "target": Reader.assign,
    "enter": Reader.enter,
    "except": Reader.except_,
    "case": Reader.case,
    "element": Reader.element,
    "unbind": Reader.unbind,
}
