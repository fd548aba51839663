"""What a capture looks like: arguments, code patterns, how it stands, who reads it."""

from __future__ import annotations

from typing import Any

from fissix.pgen2 import token
from fissix.pygram import python_symbols as symbols

from pinsetter.analyzer.names.bound_names import captured_names
from pinsetter.analyzer.names.module import Module
from pinsetter.analyzer.syntax.fstring import is_fstring
from pinsetter.analyzer.syntax.tree import (
    LN,
    Call,
    Expression,
    dotted,
    is_name,
    outer_call,
    unwrap,
    walk,
)
from pinsetter.analyzer.values.questions import sources

from ..edits.precedence import is_target
from ..matching.match import Match, position
from ..packs.code_in import pattern_in
from .arguments import (
    CAPTURE,
    CODE,
    FLAG,
    GIVEN,
    INDEX,
    NAMES,
    TEXT,
    by_capture,
    keys,
    list_of,
    one_of,
)
from .conditions import captures_of, fits, of_some_module, whole
from .registry import predicate


@predicate(FLAG)
def python_2(match: Match, wanted: Any) -> Match | None:
    """Whether a module of the program is written so that Python 2 alone reads it: it has `print` or
    `exec` as statements, `<>` or backquotes.

    ::

        match: f($x)
        where: [{python_2: true}]
        holds:
          - |
            print "a"
            f(1)
          - |
            # file: main.py
            import other
            f(1)
            # file: other.py
            exec code
        fails:
          - |
            print("a")
            f(1)
          - f('print "a"')
    """

    def is_old(module: Module) -> bool:
        return match.facts.remembered((python_2, id(module)), lambda: _is_of_python_2(module))

    return match if of_some_module(match, (python_2,), is_old) == wanted else None


def _is_of_python_2(module: Module) -> bool:
    return any(
        node.type in _OF_PYTHON_2 or (node.type == token.NOTEQUAL and node.value == "<>")
        for node in walk(module.tree.root)
    )


_OF_PYTHON_2 = {symbols.print_stmt, symbols.exec_stmt, token.BACKQUOTE}


@predicate(keys({"name": TEXT}, {"position": INDEX, "aliases": NAMES, "as": GIVEN, "of": CAPTURE}))
def argument(match: Match, argument: Any) -> Match | None:
    """``{name, position?, aliases?, of?, as?}``: the call ($match, or $of) has the argument,
    captured as $as. Without a position, it is where all that may be called take it: the libraries
    that are known, the repository's own functions, Python's library.

    ::

        match: open($...given)
        where: [{argument: {name: mode, as: mode}}]
        holds:
          - open(path, 'rb')
          - open(path, mode='rb')
        captures: {mode: "'rb'"}
        fails:
          - open(path)
          - open(path, encoding='utf-8')
    """
    call = outer_call(match.capture(argument["of"])) if "of" in argument else match.call
    if call is None:
        return None
    position = argument.get("position")
    if position is None and call.argument(argument["name"]) is None and _takes_places(call):
        position = match.facts.position(argument["name"], call, match.module)
    for name in (argument["name"], *argument.get("aliases", [])):
        found = call.argument(name, position if name == argument["name"] else None)
        if found is not None:
            captured = {argument["as"]: (found.value,)} if "as" in argument else {}
            return match.with_captures(captured)
    return None


def _takes_places(call: Call) -> bool:
    """Whether a call has arguments without a name."""
    return any(argument.name is None and argument.star != "**" for argument in call.arguments)


@predicate(FLAG)
def plain_arguments(match: Match, wanted: Any) -> Match | None:
    """Whether the matched call passes no ``*args`` or ``**kwargs``.

    ::

        match: f($...given)
        where: [{plain_arguments: true}]
        holds: ["f()", "f(1, n=2)"]
        fails: [f(*args), "f(1, **named)"]
    """
    call = match.call
    plain = call is not None and not any(a.star for a in call.arguments)
    return match if plain == wanted else None


@predicate(by_capture(CODE))
def matches(match: Match, patterns: Any) -> Match | None:
    """``{$x: code}``: $x as a whole fits the code pattern, whose captures are added.

    ::

        match: f($x)
        where: [{matches: {$x: len($of)}}]
        holds: [f(len(a))]
        captures: {of: a}
        fails: [f(a), f(len(a) + 1), f(g(len(a)))]
    """
    current = match
    for capture, code in patterns.items():
        nodes = whole(unwrap(match.capture(capture)))
        if not nodes:
            return None
        pattern = pattern_in(match.pack, code)
        if len(nodes) == 1:
            ways = fits(pattern, nodes[0], current, whole=True)
        else:  # the beginning of a chain
            ways = fits(pattern, nodes[0].parent, current, exactly=nodes)
        found = captures_of(ways)
        if found is None:
            return None
        current = current.with_captures(found)
    return current


@predicate(
    list_of(one_of("expression", "assignment", "return", "part", "optional", "inside")),
    of_place=True,
)
def stands_as(match: Match, kinds: Any) -> Match | None:
    """How the match stands in its statement: expression, assignment (all behind a `=`, of a target
    without annotation), return, part, optional (a part that need not run) or inside.

    ::

        match: f()
        where: [{stands_as: [expression, assignment]}]
        holds: [f(), x = f()]
        fails: [return f(), x = f() + 1, a and f(), "while f(): g()"]
    """
    return match if position(match.expression) in kinds else None


@predicate(keys({"as": GIVEN}))
def assigned_to(match: Match, argument: Any) -> Match | None:
    """``{as}``: the match is all that one assignment, without annotation, gives a name, or an
    attribute of one, which is captured as $as.

    ::

        match: f()
        where: [{assigned_to: {as: target}}]
        holds:
          - self.size = f()
          - size = f()
        captures: {target: self.size}
        fails: [a = b = f(), "a, b = f()", "sizes[0] = f()", size = f() + 1]
    """
    statement = match.statement
    if position(match.expression) != "assignment" or len(statement.children) != 3:
        return None
    target = (statement.children[0],)
    return match.with_captures({argument["as"]: target}) if dotted(target) else None


@predicate(CAPTURE)
def self_contained(match: Match, capture: Any) -> Match | None:
    """$x binds nothing but names by assignments and loops, and control does not leave it; whether
    the names are ``read_later`` is another question.

    ::

        match: |
          while go():
              $...body
        where: [{self_contained: $...body}]
        holds:
          - |
            while go():
                f()
          - |
            while go():
                for x in a:
                    f(x)
          - |
            while go():
                x = y = f()
                x += 1
        fails:
          - |
            while go():
                x = y.z = f()
          - |
            while go():
                x, y[0] = f()
          - |
            def g():
                while go():
                    f()
                    return
          - |
            while go():
                for x in a:
                    if x: break
          - |
            while go():
                try: f()
                except OSError as error: pass
    """
    for node in match.capture(capture):
        for part in walk(node):
            if part.type in _BINDS_OR_LEAVES:
                return None
            if part.type == symbols.expr_stmt and not _binds_names(part):
                return None
            if part.type == symbols.case_block and any(captured_names(part.children[1])):
                return None
            if part.type == token.NAME and part.value in _LEAVING:
                return None
            if part.type == symbols.except_clause and len(part.children) > 2:
                return None
    return match


def _binds_names(statement: LN) -> bool:
    """Whether all that an assignment binds are names."""
    named = [*statement.children[:-1:2]] if statement.children[1].type == token.EQUAL else [
        statement.children[0]
    ]  # fmt: skip
    return all(
        part.type not in (symbols.power, symbols.trailer)
        for target in named
        for part in walk(target)
    )


@predicate(CAPTURE)
def read_later(match: Match, capture: Any) -> Match | None:
    """A name that $x is, or binds, may be read after the match's statement before it is bound
    again, in the next turn of a loop as well, in a function or in another module; so may be an
    attribute or item that it binds.

    ::

        match: $x = f()
        where: [{read_later: $x}]
        holds:
          - |
            x = f()
            g(x)
          - |
            while go():
                if n: g(x)
                x = f()
          - self.x = f()
          - x['a'] = f()
        fails:
          - |
            def h():
                x = f()
                g()
          - |
            def h():
                x = f()
                x = 1
                g(x)
          - |
            def h():
                for y in a:
                    x = f()
                    g(y)
          - |
            def h():
                x = f()
                def x(): pass
    """
    inside = [part for node in match.capture(capture) for part in walk(node)]
    within = {id(part) for part in inside}
    module, statement = match.module, match.statement
    if any(id(binding.node) in within for binding in module.scopes.attributes):
        return match
    if any(part.type == symbols.power and is_target(part, part) for part in inside):
        return match
    scope = module.scope_of(statement)
    outside = scope.global_names | scope.nonlocal_names
    names = {part.value for part in inside if is_name(part) and part.value in outside}
    for name, bindings in scope.bindings.items():
        if any(id(binding.node) in within for binding in bindings):
            names.add(name)
    live = match.facts.later_reads.of(frozenset(names), statement, module)
    return match if live else None


@predicate(CAPTURE)
def repeatable(match: Match, capture: Any) -> Match | None:
    """$x may be evaluated again with the same result: names, attributes, subscripts, operators;
    but not an iterator, of which nothing is left then.

    ::

        match: f($x)
        where: [{repeatable: $x}]
        holds: [f(a.b), "f(a[0])", f(a + 1)]
        fails:
          - f(g())
          - f([i for i in a])
          - f(await a)
          - |
            x = zip(a, b)
            f(x)
    """
    return match if is_repeatable(match.capture(capture), match.module, match) else None


def is_repeatable(expression: Expression, module: Module, match: Match) -> bool:
    for node in expression:
        for part in walk(node):
            if part.type == symbols.trailer and part.children[0].type == token.LPAR:
                return False
            if part.type in _NOT_REPEATABLE or is_fstring(part):
                return False
            if part.type == token.NAME and part.value == "yield":
                return False
    found = sources(expression, module, match.facts.evaluator) if expression else ()
    return bool(expression) and not any(_runs_out(*place, match) for place in found)


def _runs_out(source: Expression, module: Module, match: Match) -> bool:
    """Whether code makes an iterator, which has nothing left the second time."""
    nodes = unwrap(source)
    if len(nodes) == 1 and nodes[0].type == symbols.atom and nodes[0].children[0].value == "(":
        return any(part.type == symbols.comp_for for part in nodes[0].children[1].children)
    call = outer_call(nodes)
    if call is None:
        return False
    return not _ITERATORS.isdisjoint(match.facts.evaluator.names(call.callee, module))


@predicate(CAPTURE)
def atomic(match: Match, capture: Any) -> Match | None:
    """$x is a name, an attribute or a literal without a sign, which needs parentheses nowhere.

    ::

        match: f($x)
        where: [{atomic: $x}]
        holds: [f(a), f(a.b), f(1), "f('a')"]
        fails: [f(a + b), "f(g())", f(-1), "f('a' 'b')"]
    """
    nodes = match.capture(capture)
    literal = len(nodes) == 1 and nodes[0].type in (token.NUMBER, token.STRING)
    return match if literal or dotted(nodes) else None


@predicate(CAPTURE)
def list_display(match: Match, capture: Any) -> Match | None:
    """$x is written as a list, item by item.

    ::

        match: f($x)
        where: [{list_display: $x}]
        holds: ["f([])", "f([a, *b])"]
        fails: ["f((a, b))", "f(list(a))", "f([i for i in a])"]
    """
    nodes = unwrap(match.capture(capture))
    if len(nodes) != 1 or nodes[0].type != symbols.atom or nodes[0].children[0].type != token.LSQB:
        return None
    computed = any(part.type == symbols.comp_for for part in nodes[0].children[1].children)
    return None if computed else match


@predicate(CAPTURE)
def sequence(match: Match, capture: Any) -> Match | None:
    """$x is a list or tuple, so that it can be iterated twice.

    ::

        match: f($x)
        where: [{sequence: $x}]
        holds:
          - f((1, 2))
          - f(())
          - f(sorted(a))
          - |
            x = [i for i in a]
            f(x)
        fails:
          - f(a)
          - f(i for i in a)
          - f(map(g, a))
          - "f({1, 2})"
    """
    return match if _is_sequence(match.capture(capture), match.module, match, 3) else None


def _is_sequence(expression: Expression, module: Module, match: Match, depth: int) -> bool:
    nodes = unwrap(expression)
    if len(nodes) == 1 and nodes[0].type == symbols.atom:
        inner = nodes[0].children[1]
        is_list = nodes[0].children[0].type == token.LSQB
        if is_list or inner.type == token.RPAR:
            return True
        is_tuple = inner.type == symbols.testlist_gexp
        return is_tuple and all(child.type != symbols.comp_for for child in inner.children)
    if len(nodes) == 1 and is_name(nodes[0]) and depth:
        bindings = module.scope_of(nodes[0]).lookup(nodes[0].value)
        return bool(bindings) and all(
            b.kind == "assign" and not b.element
            and _is_sequence(b.value, module, match, depth - 1)
            for b in bindings
        )  # fmt: skip
    call = outer_call(expression)
    makers = {"builtins.list", "builtins.tuple", "builtins.sorted"}
    return call is not None and bool(match.facts.evaluator.names(call.callee, module) & makers)


# Alone they are no statements in a tree.
_LEAVING = {"break", "continue", "return", "raise", "yield"}
_BINDS_OR_LEAVES = {
    symbols.namedexpr_test, token.COLONEQUAL, symbols.return_stmt,
    symbols.yield_expr, symbols.raise_stmt, symbols.import_name, symbols.import_from,
    symbols.funcdef, symbols.classdef, symbols.del_stmt, symbols.global_stmt, symbols.with_item,
    symbols.type_stmt,
}  # fmt: skip


_ITERATORS = {"builtins.zip", "builtins.map", "builtins.filter", "builtins.iter"}
_NOT_REPEATABLE = {
    symbols.lambdef, symbols.namedexpr_test, symbols.yield_expr, symbols.comp_for, token.AWAIT,
}  # fmt: skip
