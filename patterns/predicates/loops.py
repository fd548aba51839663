"""Loops around a match, and what means the same before them."""

from __future__ import annotations

from typing import Any

from fissix.pgen2 import token
from fissix.pygram import python_symbols as symbols

from pinsetter.analyzer.flow import flow_of
from pinsetter.analyzer.names.definition import Definition, class_of_self
from pinsetter.analyzer.names.module import Module
from pinsetter.analyzer.names.scopes import Binding, Scope
from pinsetter.analyzer.syntax.tree import (
    FUNCTIONS,
    LN,
    ancestors,
    dotted,
    is_variable,
    line_statement,
    statement_of,
    unwrap,
)

from ..matching.match import Match
from ..matching.start import start_of
from .arguments import CAPTURE, GIVEN, keys, pair
from .registry import predicate

_LOOPS = {symbols.for_stmt, symbols.while_stmt}


@predicate(keys({"as": GIVEN}))
def in_loop(match: Match, argument: Any) -> Match | None:
    """``{as}``: the match stands in the block of a ``for`` or ``while``; the outermost one of
    its function, or of the module's own statements, is captured as $as.

    ::

        match: f()
        where: [{in_loop: {as: loop}}]
        holds:
          - |
            for x in a:
                while x:
                    f()
        fails:
          - |
            for x in f():
                g(x)
          - |
            for x in a:
                def g():
                    f()
          - x = [f() for y in a]
    """
    loop = outermost_loop(match.node)
    return None if loop is None else match.with_captures({argument["as"]: (loop,)})


def outermost_loop(node: LN) -> LN | None:
    """The outermost ``for`` or ``while`` of a node's function in whose block it stands."""
    loops = loops_around(node)
    found = loops[-1] if loops else None
    if found is not None and found.parent is not None and found.parent.type == symbols.async_stmt:
        return found.parent
    return found


def loops_around(node: LN) -> list[LN]:
    """Every ``for`` and ``while`` of a node's function in whose block it stands, inside out."""
    found: list[LN] = []
    child = node
    for outer in ancestors(node):
        if outer.type in FUNCTIONS or outer.type == symbols.classdef:
            break
        if outer.type in _LOOPS and child is _body(outer):
            found.append(outer)
        child = outer
    return found


def _body(loop: LN) -> LN:
    """What a loop does in each turn, without its head."""
    colon = next(child for child in loop.children if child.type == token.COLON)
    body: LN = colon.next_sibling
    return body


@predicate(pair(CAPTURE, CAPTURE))
def bound_before(match: Match, argument: Any) -> Match | None:
    """``[$x, $place]``: the names and attributes of ``self`` that $x speaks of are bound before the
    statement $place, of the same function or module, with the bodies of classes, whatever happens
    there, and not again in it or behind it.

    ::

        match: |
          $loop = begin()
          $...between
          use($x)
        where: [{bound_before: [$x, $loop]}]
        holds:
          - |
            a = 1
            loop = begin()
            use(a + len(b))
          - |
            def f(a):
                loop = begin()
                use(a)
          - |
            class A:
                def f(self):
                    self.a = 1
                    loop = begin()
                    use(self.a)
        fails:
          - |
            loop = begin()
            a = 1
            use(a)
          - |
            a = 1
            loop = begin()
            a = a + 1
            use(a)
          - |
            if b:
                a = 1
            loop = begin()
            use(a)
          - |
            for a in b:
                print(a)
            loop = begin()
            use(a)
    """
    expression, place = (match.capture(capture) for capture in argument)
    if not expression or not place:
        return None
    parts = [part for node in expression for part in match.module.tree.nodes(node)]
    statement = statement_of(place[0])  # the name of a function is one of the scope around it
    bound = (
        is_bound_once(part, _attribute_of(part), statement, match)
        and _is_surely_bound(part, statement, match)
        for part in parts
        if is_variable(part)
    )
    return match if all(bound) else None


def _is_surely_bound(leaf: LN, place: LN, match: Match) -> bool:
    """Whether no branch may have passed by what binds a variable of the function at ``place``, nor
    a loop without a turn, nor has anything taken its value away."""
    module = match.module
    scope = module.scope_of(place)
    if module.scope_of(leaf).owner(leaf.value) is scope:
        try:
            if flow_of(scope, module).maybe_unbound_at(place, leaf.value):
                return False
        except KeyError:
            return False
    around = {id(outer) for outer in ancestors(place)}
    here = _run_together(scope)
    bindings = module.scope_of(leaf).lookup(leaf.value)
    return all(
        binding.kind == "parameter" or id(line_statement(binding.statement).parent) in around
        for binding in bindings
        if binding.scope in here
    )


def _run_together(scope: Scope) -> list[Scope]:
    """The scopes whose statements run in the order in which they stand, up to one of a scope: what
    is around a class, too."""
    found = [scope]
    while found[-1].kind == "class" and found[-1].parent is not None:
        found.append(found[-1].parent)
    return found


def _attribute_of(leaf: LN) -> str:
    """``name`` of ``leaf.name``."""
    names = dotted((leaf, leaf.next_sibling)) if leaf.next_sibling is not None else ()
    return names[1] if len(names) == 2 else ""


def is_bound_once(leaf: LN, attribute: str, place: LN, match: Match) -> bool:
    """Whether a variable, and the ``attribute`` that is asked of it, is bound before the statement
    at ``place`` once and for all."""
    module = match.module
    here = _run_together(module.scope_of(place))
    bindings = module.scope_of(leaf).lookup(leaf.value)
    return all(
        _is_of_scope_itself(binding, module)
        and (
            binding.scope not in here or module.tree.start(binding.node) < module.tree.start(place)
        )
        for binding in bindings
    ) and (not attribute or _is_kept(leaf, attribute, place, match))


@predicate(keys({"of": CAPTURE, "as": GIVEN}))
def held_list(match: Match, argument: Any) -> Match | None:
    """``{of, as}``: $x is a name to which its function, or module, assigns one list, written out,
    which is used here alone, and once for each time that it is made; elsewhere things are only
    added to it. It is not made before the module's start, where nothing is imported yet. The list
    is captured as $as.

    ::

        match: compile($callbacks)
        where: [{held_list: {of: $callbacks, as: list}}]
        holds:
          - |
            def f():
                callbacks = [1, 2]
                callbacks.append(3)
                compile(callbacks)
        captures: {list: "[1, 2]"}
        fails:
          - |
            def f(callbacks):
                compile(callbacks)
          - |
            def f():
                callbacks = [1, 2]
                print(callbacks)
                compile(callbacks)
          - |
            def f():
                callbacks = [1, 2]
                for x in a:
                    compile(callbacks)
          - |
            def f():
                callbacks = list(a)
                compile(callbacks)
    """
    nodes = unwrap(match.capture(argument["of"]))
    if len(nodes) != 1 or not is_variable(nodes[0]):
        return None
    leaf, module = nodes[0], match.module
    scope = module.scope_of(leaf)
    bindings = scope.lookup(leaf.value)
    if len(bindings) != 1 or bindings[0].scope is not scope or scope.kind == "class":
        return None
    binding = bindings[0]
    alone = binding.kind == "assign" and len(binding.statement.children) == 3
    value = unwrap(binding.value) if alone and not binding.element else ()
    if len(value) != 1 or value[0].type != symbols.atom or value[0].children[0].value != "[":
        return None
    if any(child.type == symbols.comp_for for child in value[0].children[1].children):
        return None
    uses = (
        use
        for use in module.leaves_of(leaf.value)
        if use is not leaf and use is not binding.node and is_variable(use)
    )
    if not all(_is_added_to(use) for use in uses):
        return None
    if scope.kind == "module":
        if module.tree.start(binding.node) < start_of(module, match.facts):
            return None
        others = (other for other in match.facts.evaluator.modules if other is not module)
        if any(leaf.value in other.names for other in others):
            return None
    around = {id(loop) for loop in loops_around(binding.node)}
    again = any(id(loop) not in around for loop in loops_around(leaf))
    return None if again else match.with_captures({argument["as"]: value})


def _is_added_to(leaf: LN) -> bool:
    """Whether a name stands in ``name.append(…)`` or the like."""
    following = leaf.next_sibling
    names = dotted((leaf, following)) if following is not None else ()
    call = following.next_sibling if following is not None else None
    called = call is not None and call.type == symbols.trailer and call.children[0].value == "("
    return called and len(names) == 2 and names[1] in ("append", "extend", "insert")


def _is_of_scope_itself(binding: Binding, module: Module) -> bool:
    """Whether no function inside the scope binds its name, by ``global`` or ``nonlocal``."""
    own = module.scope_of(binding.node).function is binding.scope.function
    return own or binding.kind == "parameter"


def _is_kept(leaf: LN, attribute: str, place: LN, match: Match) -> bool:
    """Whether an attribute of ``self`` is bound by ``__init__`` or before a place, and that of
    another object not assigned in it."""
    module = match.module
    scope = module.scope_of(place)
    owner = class_of_self(leaf.value, scope)
    if owner is None:
        parts = module.tree.nodes(place)
        return not any(part.type == token.NAME and _is_set(part, attribute) for part in parts)
    stored = match.facts.evaluator.members.of_self(Definition(module, owner)).get(attribute, [])
    return bool(stored) and all(
        module.tree.start(binding.node) < module.tree.start(place)
        if module.scope_of(binding.node) is scope
        else module.scope_of(binding.node).name == "__init__"
        for binding in stored
    )


def _is_set(leaf: LN, attribute: str) -> bool:
    """Whether ``….attribute`` at this leaf is assigned."""
    trailer = leaf.parent
    if leaf.value != attribute or trailer is None or trailer.type != symbols.trailer:
        return False
    power = trailer.parent
    statement = power.parent if power is not None and trailer.next_sibling is None else None
    if statement is None or statement.type != symbols.expr_stmt:
        return False
    return power is not statement.children[-1]
