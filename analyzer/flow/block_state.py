"""BlockState: the blocks of an ``if``, ``while`` or ``for`` as functions from values to values:
which they are given, which they give, and what in them is none."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from fissix.pgen2 import token
from fissix.pygram import python_symbols as symbols

from ..names.bound_names import is_walrus
from ..names.definition import items_of
from ..names.module import Module
from ..names.scopes import Binding
from ..syntax.tree import (
    LN,
    Call,
    block_of,
    first_in,
    is_name,
    is_variable,
    leaves,
    line_statement,
    lines_of,
    outer_call,
    unwrap,
)
from . import Flow, flow_of
from .suites import Clause, clauses, own_nodes, suites_of


@dataclass(frozen=True)
class Resistance:
    """What of a statement's blocks is no function of values, and in which line."""

    line: int
    what: str

    def __str__(self) -> str:
        return f"{self.what}, in line {self.line}"


class BlockState:
    """Of one statement, which has to stand in a function or at a module's level."""

    def __init__(self, statement: LN, module: Module) -> None:
        self.statement = statement
        self.module = module
        self.clauses = clauses(statement)
        self.is_loop = self.clauses[0].word != "if"
        self.scope = module.scope_of(statement)
        self._suites = suites_of(module)

    @property
    def flow(self) -> Flow:
        return flow_of(self.scope, self.module)

    def bound(self, clause: Clause) -> list[str]:
        """The names that a block binds, in order."""
        return self._suites.bound(self.scope, self.module.tree.span((clause.suite,)))

    @cached_property
    def target(self) -> list[str]:
        """The names that the head of a ``for`` binds."""
        found = self.clauses[0].target
        return self._suites.bound(self.scope, self.module.tree.span((found,))) if found else []

    @cached_property
    def names(self) -> tuple[str, ...]:
        """What the blocks bind that is read behind the statement or, of a loop, in a later turn."""
        live = set(self.flow.live_after(self.statement))
        if self.is_loop:
            live |= self.flow.live_before(self.statement)
        bound = dict.fromkeys(name for one in self.clauses for name in self.bound(one))
        return tuple(name for name in bound if name in live and name not in self.target)

    @cached_property
    def inputs(self) -> tuple[str, ...]:
        """Which of the names that its blocks bind may be read in them, or behind them, with the
        value from before; of a loop all that are carried."""
        if self.is_loop:
            return self.names
        live: set[str] = set() if self.clauses[-1].word == "else" else {*self.names}
        if self.rest:
            live |= self.flow.live_before(first_in(self.rest[0]))
        for one in self.clauses:
            live |= self.flow.live_before(_first(one.suite))
            if one.is_late and one.test is not None:
                live |= {leaf.value for leaf in leaves(one.test) if is_name(leaf)}
        bound = dict.fromkeys(name for one in self.clauses for name in self.bound(one))
        bound |= dict.fromkeys(self.bound_by_rest)
        return tuple(name for name in bound if name in live)

    @cached_property
    def returns(self) -> bool:
        """Whether each branch ends by the return of a value, and is left by nothing else: if one of
        them is not there, what stands behind the statement does."""
        return self._branches_return and bool(self.clauses[-1].word == "else" or self.rest)

    @cached_property
    def rest(self) -> tuple[LN, ...]:
        """What stands behind an ``if`` all of whose branches return, up to the end of the block,
        where that returns as well; it is the branch that is not there."""
        lines = block_of(self.statement)
        at = next(n for n, one in enumerate(lines) if one is line_statement(self.statement))
        found = tuple(lines[at + 1 :])
        if not self._branches_return or self.clauses[-1].word == "else" or not found:
            return ()
        leaves_loop = any(
            node.type == token.NAME and node.value in ("break", "continue")
            for line in found for node in own_nodes(line)
        )  # fmt: skip
        return () if leaves_loop or _last(found[-1]).type != symbols.return_stmt else found

    @cached_property
    def bound_by_rest(self) -> list[str]:
        spans = [self.module.tree.span((line,)) for line in self.rest]
        return self._suites.bound(self.scope, *spans)

    @cached_property
    def _branches_return(self) -> bool:
        exits = self._suites.exits(self.statement)
        ends = [_last(one.suite) for one in self.clauses]
        are_ends = all(one.type == symbols.return_stmt for one in ends)
        return not self.is_loop and are_ends and all(
            any(one.node is end for end in ends) for one in exits
        )  # fmt: skip

    def handed_on(self, clause: Clause) -> set[str]:
        """The names to which a block may give what a name, an item or an attribute holds, and not
        what is computed."""
        held = {name: self._held(clause, name) for name in self.bound(clause)}
        return {
            name for name, nodes in held.items()
            if any(
                node.type != token.NAME or node.value in self.names or held.get(node.value, [node])
                for node in nodes
            )
        }  # fmt: skip

    def _held(self, clause: Clause, name: str) -> list[LN]:
        """The names, items and attributes that a block gives a name as they are."""
        start, end = self.module.tree.span((clause.suite,))
        return [
            node
            for binding in self.scope.bindings.get(name, ())
            if binding.kind == "assign" and start <= self.module.tree.start(binding.node) < end
            for node in _as_it_is(binding)
        ]

    @property
    def updated(self) -> list[str]:
        """The names that its blocks change by an operator like ``+=``, which may change the value
        itself."""
        parts = [clause.suite for clause in self.clauses]
        found = (
            node.children[0]
            for part in (*parts, *self.rest) for node in own_nodes(part)
            if node.type == symbols.expr_stmt and len(node.children) == 3
            and node.children[1].type != token.EQUAL
            and node.children[1].type != symbols.annassign
        )  # fmt: skip
        return list(dict.fromkeys(str(one.value) for one in found if is_name(one)))

    @property
    def connects(self) -> bool:
        """Whether a test has parts that Python may not evaluate."""
        tests = [one.test for one in self.clauses if one.word != "for" and one.test is not None]
        return any(
            connective(part) not in ("", "not") for test in tests for part in connectives(test)
        )

    def definitions(self, name: str) -> Iterator[Binding]:
        """What may have given a name the value that blocks get, and what they give it."""
        yield from self.flow.definitions_at(self.statement, name)
        start, end = self.module.tree.span((self.statement,))
        for binding in self.scope.bindings.get(name, ()):
            if binding.kind != "parameter" and start <= self.module.tree.start(binding.node) < end:
                yield binding

    # ------------------------------------------------------------ what resists

    def resistance(
        self, in_place: str = "", literals: bool = True, logical: bool = False
    ) -> Resistance | None:
        """What of the statement cannot be said by functions of values, the first in the text.
        ``in_place`` is a regular expression for methods that change what they are called on;
        without ``literals`` no number or text may be among the values; ``logical``: there are calls
        for ``and``, ``or`` and ``not`` in a test."""
        found = [*self._of_heads(logical), *self._of_blocks(in_place), *self._of_names(literals)]
        if not found and not self.names and not self.returns:
            return self._resists(self.statement, "nothing that it computes is read behind it")
        return min(found, key=lambda one: one.line, default=None)

    def _resists(self, node: LN, what: str) -> Resistance:
        return Resistance(self.module.tree.line_of(node), what)

    def _of_heads(self, logical: bool) -> Iterator[Resistance]:
        reason = self._suites.stays(self.statement)
        if reason:
            yield self._resists(self.statement, reason)
        if self.is_loop and len(self.clauses) > 1:
            yield self._resists(self.clauses[-1].keyword, "a loop has an `else`")
        for one in self.clauses:
            changed = _changed(one.target) if one.target is not None else None
            if changed is not None:
                yield self._resists(changed, f"`{_short(changed)}` is changed in its place")
        tests = [one.test for one in self.clauses if one.word != "for" and one.test is not None]
        for test in tests:
            connected = {id(one) for one in connectives(test)} if logical else set[int]()
            if not self.is_loop and connective(test) == "not":
                connected.add(id(test))  # it changes the places of the branches
            for node in own_nodes(test):
                word = connective(node)
                if word and id(node) not in connected:
                    yield self._resists(node, f"`{word}` asks for the truth of a part of the test")
                if node.type == symbols.comparison and _is_of_objects(node.children[1]):
                    yield self._resists(node, "the test is about Python's own objects")
                if is_walrus(node):
                    yield self._resists(node, "`:=` binds a name")

    def _of_blocks(self, in_place: str) -> Iterator[Resistance]:
        for one in self._suites.exits(self.statement):
            if not self.returns:
                yield self._resists(one.node, f"a `{one.word}` leaves a block")
        reason = next(filter(None, map(self._suites.bound_to_function, self.rest)), "")
        if reason:
            yield self._resists(self.rest[0], reason)
        for part in (*(clause.suite for clause in self.clauses), *self.rest):
            for node in own_nodes(part):
                what = self._what(node, in_place)
                if what:
                    yield self._resists(node, what)

    def _what(self, node: LN, in_place: str) -> str:
        if node.type in _STATEMENTS:
            return f"`{_STATEMENTS[node.type]}` does more than give a value"
        if node.type == token.NAME and node.value == "raise":
            return "`raise` does more than give a value"
        if is_walrus(node):
            return "`:=` binds a name"
        if node.type == symbols.simple_stmt:
            for part in node.children:
                if _is_effect(part):
                    return f"`{_short(part)}` is there for its effect"
        if node.type == symbols.expr_stmt:
            sign = node.children[1]
            targets = node.children[:1] if sign.type != token.EQUAL else node.children[:-1:2]
            for target in targets:
                changed = _changed(target)
                if changed is not None:
                    return f"`{_short(changed)}` is changed in its place"
        call = outer_call((node,)) if node.type == symbols.power else None
        if call is not None and re.fullmatch(f"{_CHANGING}|{in_place}", call.method or " "):
            return f"`.{call.method}()` changes what it is called on"
        if call is not None and self.module.builtin(call.callee).rpartition(".")[2] in _EFFECTS:
            return f"`{_short(node)}` is there for its effect"
        return ""

    def _seen_by_others(self, name: str) -> Iterator[LN]:
        """Where functions outside of the statement say the name of the scope, which they would not
        see changed."""
        start, end = self.module.tree.span((self.statement,))
        for leaf in self.module.leaves_of(name):
            scope = self.module.scope_of(leaf)
            if scope is not self.scope and scope.kind == "function":
                is_outside = not start <= self.module.tree.start(leaf) < end
                if is_outside and is_variable(leaf) and scope.owner(name) is self.scope:
                    yield leaf

    def _of_names(self, literals: bool) -> Iterator[Resistance]:
        outer = {*self.scope.global_names, *self.scope.nonlocal_names}
        for name in dict.fromkeys([*self.names, *self.inputs]):
            if name in outer:
                yield self._resists(self.statement, f"`{name}` is another scope's")
            seen = next(self._seen_by_others(name), None)
            if seen is not None:
                yield self._resists(seen, f"`{name}` is seen by a function inside")
            elif name in self.inputs and self.flow.maybe_unbound_at(self.statement, name):
                yield self._resists(self.statement, f"`{name}` may have no value before it")
            for binding in self.definitions(name):
                if binding.kind in ("function", "class", "import"):
                    yield self._resists(self.statement, f"`{name}` is no value of the program")
                if not literals and binding.kind in ("assign", "parameter") and binding.value:
                    value = binding.value[0]
                    if not binding.element and _is_literal(value):
                        yield self._resists(binding.node, f"`{name}` is {_short(value)}, no tensor")
        for name in self.target:
            seen = next(self._seen_by_others(name), None)
            if name in outer:
                yield self._resists(self.statement, f"`{name}` is another scope's")
            elif seen is not None:
                yield self._resists(seen, f"`{name}` is seen by a function inside")
            elif name in self.flow.live_after(self.statement):
                yield self._resists(self.statement, f"`{name}` is read behind the loop")


def state_of(statement: LN, module: Module) -> list[str]:
    """What the blocks of an ``if``, ``while`` or ``for`` give other values, and may be read behind
    it or, of a loop, in a later turn: names, in the order in which they are bound, and then what is
    set of others, `self.n`, `d['k']`, and what is changed in its place: lists, and what gets items
    that are found out when it runs."""
    state = BlockState(statement, module)
    scope, suites = state.scope, suites_of(module)
    spans = [module.tree.span((one.suite,)) for one in state.clauses]
    for one in state.clauses:
        if one.target is not None:
            spans.append(module.tree.span((one.target,)))
        if one.test is not None and one.is_late:
            spans.append(module.tree.span((one.test,)))
    bound = suites.bound(scope, *sorted(spans))
    live = state.flow.live_after(statement) | scope.global_names | scope.nonlocal_names
    if state.is_loop:
        live |= state.flow.live_before(statement)
    paths: dict[str, None] = {}
    for one in state.clauses:
        for node in own_nodes(one.suite):
            try:
                written = state.flow.activity(node).written
            except KeyError:
                continue  # no statement
            paths |= dict.fromkeys(sorted(name for name in written if not name.isidentifier()))
    for one in state.clauses:
        paths |= dict.fromkeys(_changed_in_place(one.suite, state.flow))
    names = [name for name in bound if name in live]
    # An item by a text is told by itself, which a dictionary may get by it.
    kept = [path for path in paths if path not in names and _is_kept(path, bound, live)]
    owners = {path.rpartition("[")[0] for path in kept}
    return [*names, *(path for path in kept if path not in owners)]


def _is_kept(path: str, bound: Sequence[str], live: Collection[str]) -> bool:
    """Whether what is changed of a value is seen by others; a name alone has to be read later."""
    root = _ROOT.match(path)
    assert root is not None
    return root.group() not in bound and (root.group() != path or path in live)


def _changed_in_place(suite: LN, flow: Flow) -> Iterator[str]:
    """What a method that changes a list is called on, a name or an attribute, and whose items are
    set, `d[k]`."""
    for node in own_nodes(suite):
        call = outer_call((node,)) if node.type == symbols.power else None
        if call is not None and call.method in _OF_LISTS:
            text = "".join(str(one).strip() for one in call.callee[:-1])
            if _ATTRIBUTES.fullmatch(text):
                yield text
        try:
            yield from sorted(flow.activity(node).filled)
        except KeyError:
            continue  # no statement


def connective(node: LN) -> str:
    """The word by which code asks for the truth of its parts: ``and``, ``or``, ``not``; a chain of
    comparisons, ``<``, does as well if all between is said twice without harm; empty for none."""
    if node.type != symbols.comparison or len(node.children) < 5:
        return _TRUTHS.get(node.type, "")
    return "<"


def connectives(test: LN) -> Iterator[LN]:
    """The parts of a test, itself included, that connect others, and that such alone connect."""
    if test.type == symbols.atom and len(test.children) == 3 and test.children[0].value == "(":
        yield from connectives(test.children[1])
    elif connective(test) == "<":
        if all(_is_plain(one) for one in test.children[2:-2:2]):
            yield test
    elif connective(test):
        yield test
        for one in test.children:
            yield from connectives(one)


def _is_plain(node: LN) -> bool:
    """Whether code is a name, a number, or an attribute of a name."""
    if node.type in (token.NAME, token.NUMBER):
        return True
    return node.type == symbols.power and all(
        one.type == token.NAME or (one.type == symbols.trailer and one.children[0].value == ".")
        for one in node.children
    )


def is_truth(test: LN) -> bool:
    """Whether what a test is says yes or no, and is no number, as far as its form tells."""
    if test.type == symbols.atom and len(test.children) == 3:
        return is_truth(test.children[1])
    call: Call | None = outer_call((test,))
    if call is not None:
        name = call.method or (call.callee[-1].value if is_name(call.callee[-1]) else "")
        return bool(_TRUE_OR_FALSE.fullmatch(name))
    return test.type == symbols.comparison or (is_name(test) and test.value in ("True", "False"))


_ROOT = re.compile(r"\w*")
_ATTRIBUTES = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*")
_OF_LISTS = {"append", "extend", "insert", "pop", "remove", "reverse", "sort", "clear"}
_TRUE_OR_FALSE = re.compile(
    r"is_\w+|is(nan|inf|finite|in|close|neginf|posinf)|(\w+_)?(all|any)|all(close|equal)"
    r"|(not_)?equal|greater|less|logical_\w+|eq|ne|[gl][te]"
)


def _changed(target: LN) -> LN | None:
    """The attribute or item that a target stores."""
    return next((one for one in own_nodes(target) if one.type == symbols.power), None)


def _as_it_is(binding: Binding) -> Sequence[LN]:
    """The name, item or attribute that a binding gives a name, or takes apart; empty for what is
    computed, or called."""
    value = unwrap(binding.value)
    for at in binding.element:
        items = items_of(value)
        if not 0 <= at < len(items):
            break
        value = unwrap((items[at],))
    node = value[0]
    parts = node.children[1:] if node.type == symbols.power else []
    is_path = bool(parts) and all(
        one.type == symbols.trailer and one.children[0].value in ".["
        and str(one.children[1]).strip() not in _NUMBERS
        for one in parts
    )  # fmt: skip
    return [node] if len(value) == 1 and (is_path or node.type == token.NAME) else []


def _first(suite: LN) -> LN:
    return first_in(lines_of(suite)[0])


def _last(suite: LN) -> LN:
    last = lines_of(suite)[-1]
    if last.type != symbols.simple_stmt:
        return last
    return [one for one in last.children if one.type not in (token.NEWLINE, token.SEMI)][-1]


def _is_effect(part: LN) -> bool:
    """Whether a part of a line is an expression of which nothing is kept, and no text or name."""
    if part.type in (token.NEWLINE, token.SEMI, token.STRING, token.NUMBER, token.NAME):
        return False
    return part.type == symbols.power or part.type in _EXPRESSIONS


def _is_of_objects(sign: LN) -> bool:
    words = {leaf.value for leaf in leaves(sign)}
    return bool(words & {"is", "in"})


def _is_literal(node: LN) -> bool:
    if node.type == symbols.factor:
        return _is_literal(node.children[-1])
    return node.type in (token.NUMBER, token.STRING) or (
        is_name(node) and node.value in ("None", "True", "False")
    )


def _short(node: LN) -> str:
    text = " ".join(str(node).split())
    return text if len(text) <= _MOST else text[: _MOST - 1] + "…"


# Of Python's own containers, files and generators; no tensor has one that is called so.
_CHANGING = "append|appendleft|extend|insert|pop|popitem|popleft|setdefault|write|writelines|send"
# Attributes that are, or hold, numbers.
_NUMBERS = {"shape", "ndim", "size", "dtype"}
_EFFECTS = {"input", "next", "open", "print", "setattr"}
_MOST = 40
_TRUTHS = {symbols.and_test: "and", symbols.or_test: "or", symbols.not_test: "not"}
_STATEMENTS = {
    symbols.assert_stmt: "assert", symbols.raise_stmt: "raise", symbols.try_stmt: "try",
    symbols.with_stmt: "with", symbols.del_stmt: "del", symbols.global_stmt: "global",
    symbols.import_name: "import", symbols.import_from: "import", symbols.classdef: "class",
}  # fmt: skip
_EXPRESSIONS = {
    symbols.atom, symbols.comparison, symbols.arith_expr, symbols.term, symbols.test,
    symbols.and_test, symbols.or_test, symbols.not_test,
}  # fmt: skip
