"""What the blocks of an ``if``, ``while`` or ``for`` bind, and how they are left."""

from __future__ import annotations

from typing import Any

from fissix.pgen2 import token
from fissix.pygram import python_symbols as symbols

from pinsetter.analyzer.files.linear_regex import regular
from pinsetter.analyzer.flow.block_state import BlockState
from pinsetter.analyzer.flow.rebinding import rebound, returns, seen_returning
from pinsetter.analyzer.flow.suites import (
    BRANCHING,
    EXITS,
    clauses,
    last_break,
    own_nodes,
    suites_of,
)
from pinsetter.analyzer.names.scopes import Scope
from pinsetter.analyzer.syntax.tree import (
    LN,
    Tree,
    ancestors,
    block_of,
    dotted,
    is_name,
    line_statement,
    outer_call,
    statement_of,
    unwrap,
)

from ..matching.lifted_calls import LiftedCalls
from ..matching.match import Match
from .arguments import CAPTURE, FLAG, GIVEN, REGEX, keys, list_of, one_of
from .registry import predicate

_BRANCHES = {symbols.if_stmt, symbols.try_stmt}


@predicate(keys({"of": CAPTURE}, {"as": GIVEN}))
def stays(match: Match, argument: Any) -> Match | None:
    """``{of, as?}``: something in an expression, or in the blocks of the ``if``, ``while`` or
    ``for`` that $of is and in what is asked between them, is for the function that it stands in,
    and would be something else in one of its own: ``yield``, ``await``, ``super()``, ``locals()``,
    a look at the frames of the program …; what it is can be said. Of a function: its variables are
    asked for by their names, so that they cannot be anything else, or it may not return a
    value.

    ::

        query: while_stmt< any* >
        where: [{stays: {of: $match, as: reason}}]
        holds:
          - |
            def f():
                while go():
                    yield 1
        fails:
          - |
            def f():
                while go():
                    return 1
          - |
            def f():
                while go():
                    g()
    """
    found = unwrap(match.capture(argument["of"]))
    suites = suites_of(match.module)
    if len(found) == 1 and found[0].type in BRANCHING:
        reason = suites.stays(found[0])
    elif len(found) == 1 and found[0].type == symbols.funcdef:
        reason = suites.stays_by_name(found[0])
    else:
        reason = next(filter(None, map(suites.stays_in_place, found)), "")
    if not reason:
        return None
    return match.with_texts({argument["as"]: reason}) if "as" in argument else match


@predicate(keys({"of": CAPTURE}, {"by": list_of(one_of("return", "break", "continue"))}))
def exits(match: Match, argument: Any) -> Match | None:
    """``{of, by?}``: the ``if``, ``while`` or ``for`` that $of is, or one of its turns, may be left
    by a ``return``, ``break`` or ``continue`` in its blocks, or by one of those that are named.

    ::

        query: for_stmt< any* >
        where: [{exits: {of: $match, by: [return, break]}}]
        holds:
          - |
            def f():
                for x in a:
                    return x
          - |
            for x in a:
                if x: break
        fails:
          - |
            for x in a:
                if x: continue
                f(x)
          - |
            for x in a:
                while x:
                    break
    """
    statement = _branching(match, argument["of"])
    found = {one.word for one in suites_of(match.module).exits(statement)}
    return match if found.intersection(argument.get("by", found)) else None


@predicate(FLAG)
def before_failure(match: Match, wanted: Any) -> Match | None:
    """Whether the block that the match stands in, of an ``if``, ``else`` or ``except``, ends with a
    ``raise``, or with a call that ends the program by another code than 0: the program gives up
    there.

    ::

        match: print($...given)
        where: [{before_failure: true}]
        holds:
          - |
            if wrong:
                print('no')
                raise ValueError()
          - "if wrong: print('no'); sys.exit('wrong')"
          - |
            try:
                f()
            except OSError as error:
                print(error)
                sys.exit(1)
        fails:
          - |
            if done:
                print('yes')
                sys.exit(0)
          - |
            print('no')
            raise ValueError()
          - |
            for x in a:
                print(x)
                sys.exit(1)
    """
    found = _is_of_branch(match.node) and _fails(_last_in(block_of(statement_of(match.node))[-1]))
    return match if found == wanted else None


def _is_of_branch(node: LN) -> bool:
    line = line_statement(statement_of(node))
    block = line.parent if line.parent is not None and line.parent.type == symbols.suite else line
    if block.parent is None or block.parent.type not in _BRANCHES:
        return False
    before = block.prev_sibling.prev_sibling  # behind the colon
    return block.parent.type == symbols.if_stmt or str(before).split(None, 1)[0] == "except"


def _last_in(line: LN) -> LN:
    """The last statement of a line."""
    if line.type != symbols.simple_stmt:
        return line
    return [one for one in line.children if one.type not in (token.SEMI, token.NEWLINE)][-1]


def _fails(statement: LN) -> bool:
    if statement.type == symbols.raise_stmt or is_name(statement):
        return statement.type == symbols.raise_stmt or bool(statement.value == "raise")
    call = outer_call((statement,))
    if call is None or ".".join(dotted(call.callee)) not in EXITS:
        return False
    return any(str(argument.value).strip() != "0" for argument in call.arguments)


@predicate(keys({"of": CAPTURE, "as": GIVEN}))
def binds(match: Match, argument: Any) -> Match | None:
    """``{of, as}``: the blocks of the ``if``, ``while`` or ``for`` that $of is bind names, or the
    head of the ``for`` does; they are listed with commas, for a template.

    ::

        query: if_stmt< any* >
        where: [{binds: {of: $match, as: names}}]
        holds:
          - |
            if a:
                x = 1
            else:
                y = 2
        captures: {names: "x, y"}
        fails:
          - |
            if a:
                f()
          - |
            if a:
                a.x = 1
          - |
            if a:
                b[0] = 1
    """
    statement = _branching(match, argument["of"])
    tree = match.module.tree
    parts = [part for clause in clauses(statement) for part in (clause.target, clause.suite)]
    spans = [tree.span((part,)) for part in parts if part is not None]
    names = suites_of(match.module).bound(match.module.scope_of(statement), *spans)
    return match.with_texts({argument["as"]: ", ".join(names)}) if names else None


@predicate(
    keys({"of": CAPTURE, "as": GIVEN}, {"in_place": REGEX, "literals": FLAG, "logical": FLAG})
)
def resists(match: Match, argument: Any) -> Match | None:
    """``{of, as, in_place?, literals?, logical?}``: something in the ``if``, ``while`` or ``for``
    that $of is cannot be said by functions that are given values and give some: it leaves a block,
    is there for its effect, changes an attribute or item, gets a value on some ways only …; what it
    is, and where, can be said. ``in_place`` is a regular expression for methods that change what
    they are called on, without ``literals`` no number or text may be among the values, and with
    ``logical`` there are calls for `and`, `or` and `not` in a test.

    ::

        query: if_stmt< any* >
        where: [{resists: {of: $match, as: reason}}]
        holds:
          - |
            def f(x):
                if x:
                    return 1
                g()
          - |
            if x:
                print(x)
          - |
            if x:
                x.size = 1
        captures: {reason: "a `return` leaves a block, in line 3"}
        fails:
          - |
            def f(x):
                if x:
                    return 1
                return 2
          - |
            def f(x, y):
                if x:
                    y = g(x)
                return y
          - |
            def f(x):
                if x:
                    y = 1
                else:
                    y = g(x)
                return y
    """
    state = BlockState(_branching(match, argument["of"]), match.module)
    told = (argument.get("in_place", ""), argument.get("literals", True))
    found = state.resistance(*told, argument.get("logical", False))
    return match.with_texts({argument["as"]: str(found)}) if found is not None else None


@predicate(keys({"of": CAPTURE, "as": GIVEN}))
def updates(match: Match, argument: Any) -> Match | None:
    """``{of, as}``: the blocks of the ``if``, ``while`` or ``for`` that $of is change names by an
    operator like ``+=``; they are listed with commas.

    ::

        query: if_stmt< any* >
        where: [{updates: {of: $match, as: names}}]
        holds:
          - |
            if a:
                x += 1
            else:
                y *= 2
        captures: {names: "x, y"}
        fails:
          - |
            if a:
                x = x + 1
          - |
            if a:
                b.x += 1
          - |
            x += 1
            if a:
                f()
    """
    found = BlockState(_branching(match, argument["of"]), match.module).updated
    return match.with_texts({argument["as"]: ", ".join(found)}) if found else None


@predicate(keys({"of": CAPTURE, "by": one_of("continue", "break", "return")}))
def left_early(match: Match, argument: Any) -> Match | None:
    """``{of, by}``: the loop that $of is has a `continue` or `break`, or the function a `return`,
    of its own, elsewhere than where all ways meet: a `return` as the last statement of a function,
    or at the end of a `for` one `break` that alone stands under a condition, which is a name.

    ::

        query: while_stmt< any* >
        where: [{left_early: {of: $match, by: break}}]
        holds:
          - |
            while a:
                if b:
                    break
                f()
        fails:
          - |
            while a:
                f()
          - |
            while a:
                if b:
                    continue
                f()
          - |
            while a:
                for x in b:
                    break
    """
    (node,) = match.capture(argument["of"])[:1]
    if argument["by"] == "return":
        suite = _function(match, argument["of"]).children[-1]
        found = returns(node)
        last = suite.children[-2] if suite.type == symbols.suite else suite
        at_end = [one for one in found if line_statement(one) is last]
    else:
        exits = suites_of(match.module).exits(_branching(match, argument["of"]))
        found = [e.node for e in exits if e.word == argument["by"] and e.target is node]
        last = last_break(node)
        at_end = [one for one in found if any(around is last for around in ancestors(one))]
    return match if len(found) > len(at_end) or len(at_end) > 1 else None


@predicate(CAPTURE)
def ends_loop(match: Match, capture: Any) -> Match | None:
    """$x is an ``if`` at the end of a ``for`` that a name, and nothing else, makes a `break`.

    ::

        query: if_stmt< any* >
        where: [{ends_loop: $match}]
        holds:
          - |
            for x in a:
                f(x)
                if done:
                    break
        fails:
          - |
            for x in a:
                if done:
                    break
                f(x)
          - |
            for x in a:
                if g(x):
                    break
          - |
            while a:
                f(x)
                if done:
                    break
    """
    statement = _branching(match, capture)
    loop = statement.parent.parent
    return match if loop is not None and last_break(loop) is statement else None


@predicate(CAPTURE)
def connects(match: Match, capture: Any) -> Match | None:
    """A test of the ``if`` or ``while`` that $x is has parts that Python may not evaluate: it
    connects them by `and`, `or`, or as a chain of comparisons.

    ::

        query: if_stmt< any* >
        where: [{connects: $match}]
        holds:
          - |
            if a and b:
                f()
          - |
            if a < b < c:
                f()
          - |
            if a:
                f()
            elif b or c:
                f()
        fails:
          - |
            if not a:
                f()
          - |
            if f(a, b):
                a and b
          - |
            if f(a and b):
                g()
    """
    return match if BlockState(_branching(match, capture), match.module).connects else None


@predicate(CAPTURE)
def branches(match: Match, capture: Any) -> Match | None:
    """The function that $x is has an ``if``, ``while`` or ``for`` of its own.

    ::

        query: funcdef< any* >
        where: [{branches: $match}]
        holds:
          - |
            def f(a):
                if a:
                    return 1
                return 2
        fails:
          - |
            def f(a):
                return 1 if a else 2
          - |
            def f(a):
                try:
                    return a()
                finally:
                    g()
    """
    nodes = own_nodes(_function(match, capture).children[-1])
    return match if any(node.type in BRANCHING for node in nodes) else None


@predicate(keys({"of": CAPTURE, "as": GIVEN}, {"parameters": FLAG}))
def rebinds(match: Match, argument: Any) -> Match | None:
    """``{of, as, parameters?}``: the function that $of is binds variables, or parameters, more than
    once, each time by itself; they are listed with commas, for a template.

    ::

        query: funcdef< any* >
        where: [{rebinds: {of: $match, as: names}}]
        holds:
          - |
            def f(a):
                x = g(a)
                x = h(x)
                a += 1
                return a, x
        captures: {names: "a, x"}
        fails:
          - |
            def f(a):
                x = g(a)
                return x
          - |
            def f(a):
                for x in a:
                    g(x)
                for x in a:
                    h(x)
    """
    function = match.module.scope_of(_function(match, argument["of"]).children[-1])
    found = [
        one.name for one in rebound(function, match.module)
        if one.parameter is not None or not argument.get("parameters")
    ]  # fmt: skip
    return match.with_texts({argument["as"]: ", ".join(found)}) if found else None


@predicate(keys({"of": CAPTURE, "as": GIVEN}))
def returns_through(match: Match, argument: Any) -> Match | None:
    """``{of, as}``: the function that $of is returns from inside a ``with``, or from a ``try`` that
    catches any exception, which would see one by which it returned; in which lines these begin is
    listed with commas.

    ::

        query: funcdef< any* >
        where: [{returns_through: {of: $match, as: lines}}]
        holds:
          - |
            def f(path):
                with open(path) as file:
                    return file.read()
          - |
            def f(a):
                try:
                    return a()
                except BaseException:
                    pass
        captures: {lines: "2"}
        fails:
          - |
            def f(path):
                with open(path) as file:
                    text = file.read()
                return text
          - |
            def f(a):
                try:
                    return a()
                except Exception:
                    pass
    """
    seen = seen_returning(_function(match, argument["of"]))
    lines = sorted({match.module.tree.line_of(one) for one in seen})
    return match.with_texts({argument["as"]: ", ".join(map(str, lines))}) if lines else None


@predicate(CAPTURE)
def hands_on(match: Match, capture: Any) -> Match | None:
    """$x is an ``if`` behind what the pack lifts, which only hands on how a block was left.

    ::

        query: if_stmt< any* >
        lifted:
          if:
            call: ops.branch($test, $...functions)
            functions: {if: then, elif: then, else: other}
          signal: left
          return: ops.Return($it)
          break: ops.BREAK
          continue: ops.CONTINUE
          returned: $signal.value
          unbound: ops.Unbound
        imports: {ops: ops}
        where: [{hands_on: $match}]
        holds:
          - |
            import ops
            def f(x):
                def then():
                    return ops.Return(1)
                left = ops.branch(x, then)
                if left is not None:
                    return left.value
                return 2
        fails:
          - |
            import ops
            def f(x):
                left = g(x)
                if left is not None:
                    return left.value
                return 2
          - |
            import ops
            def f(x):
                def then():
                    return ops.Return(1)
                left = ops.branch(x, then)
                if x:
                    return left.value
    """
    calls = LiftedCalls(match.pack, match.module, match.facts)
    return match if calls.hands_on(_branching(match, capture)) is not None else None


@predicate(CAPTURE)
def in_lifted(match: Match, capture: Any) -> Match | None:
    """$x stands in a function that is a block of something that the pack lifts, or is one.

    ::

        match: return $x
        lifted:
          if:
            call: ops.branch($test, $...functions)
            functions: {if: then, elif: then, else: other}
          signal: left
          return: ops.Return($it)
          break: ops.BREAK
          continue: ops.CONTINUE
          returned: $signal.value
          unbound: ops.Unbound
        imports: {ops: ops}
        where: [{in_lifted: $match}]
        holds:
          - |
            import ops
            def f(x):
                def then():
                    return ops.Return(1)
                ops.branch(x, then)
        fails:
          - |
            import ops
            def f(x):
                def then():
                    ops.Return(1)
                ops.branch(x, then)
                return x
          - |
            def f(x):
                def then():
                    return x
                then()
    """
    calls = LiftedCalls(match.pack, match.module, match.facts)
    node = match.capture(capture)[0]
    return match if calls.of_block(node) or calls.around(node) else None


@predicate(keys({}, {"named": REGEX, "decorated": REGEX}), of_place=True)
def in_function(match: Match, argument: Any) -> Match | None:
    r"""``{named?, decorated?}``: of the functions around, the match itself and the module,
    whose name is empty, included, one has a qualified name, as `Class.method`, that fits the first
    regular expression as a whole, and a decorator that fits the second; what fits
    nothing at all needs no decorator. What decorates a function stands in it.

    ::

        match: f()
        where: [{in_function: {named: "(.*\\.)?test_.*", decorated: "skip(\\(.*\\))?"}}]
        holds:
          - |
            @skip
            def test_a():
                f()
          - |
            class Tests:
                @skip("slow")
                def test_a(self):
                    def inside():
                        f()
        fails:
          - |
            def test_a():
                f()
          - |
            @skip
            def a():
                f()
          - f()
    """
    named, decorated = (regular(argument.get(key, ".*")) for key in ("named", "decorated"))
    function = _decorated_by(match.node)
    scope: Scope | None = match.module.scope_of(
        match.node if function is None else function.children[-1]
    )
    while scope is not None:
        if scope.kind in ("function", "module") and named.fits(scope.qualified_name):
            if any(map(decorated.fits, ["", *_decorators(scope.node, match.module.tree)])):
                return match
        scope = scope.parent
    return None


def _decorated_by(node: LN) -> LN | None:
    """The function that a node is, or decorates."""
    if node.type == symbols.funcdef:
        return node
    around = [node, *ancestors(node)]
    above = next((one for one in around if one.type == symbols.decorated), None)
    if above is None or any(one is above.children[-1] for one in around):
        return None
    definition = above.children[-1]
    while definition.type in (symbols.async_stmt, symbols.async_funcdef):
        definition = definition.children[-1]
    return definition if definition.type == symbols.funcdef else None


def _decorators(definition: LN, tree: Tree) -> list[str]:
    """What stands behind the `@` of each decorator."""
    around = definition.parent
    while around is not None and around.type in (symbols.async_stmt, symbols.async_funcdef):
        around = around.parent
    if definition.type != symbols.funcdef or around is None or around.type != symbols.decorated:
        return []
    above = around.children[0]
    given = above.children if above.type == symbols.decorators else [above]
    return [tree.source((one,)).strip().removeprefix("@").strip() for one in given]


def _branching(match: Match, capture: str) -> LN:
    found = unwrap(match.capture(capture))
    if len(found) != 1 or found[0].type not in BRANCHING:
        raise ValueError(f"{match.rule.id}: {capture} is no `if`, `while` or `for`")
    return found[0]


def _function(match: Match, capture: str) -> LN:
    found = unwrap(match.capture(capture))
    if len(found) != 1 or found[0].type != symbols.funcdef:
        raise ValueError(f"{match.rule.id}: {capture} is no function")
    return found[0]
