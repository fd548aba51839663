"""The function around a match: what leads out of it, and what it is called and decorated by."""

from __future__ import annotations

from typing import Any

from fissix.pygram import python_symbols as symbols

from pinsetter.analyzer.files.linear_regex import regular
from pinsetter.analyzer.flow.rebinding import seen_returning
from pinsetter.analyzer.names.scopes import Scope
from pinsetter.analyzer.syntax.tree import (
    LN,
    Tree,
    ancestors,
)

from ..matching.lifted_calls import LiftedCalls
from ..matching.match import Match
from .arguments import CAPTURE, GIVEN, REGEX, keys
from .conditions import branching_of, function_of
from .registry import predicate

_BRANCHES = {symbols.if_stmt, symbols.try_stmt}


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
    seen = seen_returning(function_of(match, argument["of"]))
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
    return match if calls.hands_on(branching_of(match, capture)) is not None else None


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
