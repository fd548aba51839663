"""Which call made a value, and what a call makes of what it is given."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from fissix.pgen2 import token
from fissix.pygram import python_symbols as symbols

from pinsetter.analyzer.facts import Facts
from pinsetter.analyzer.names.definition import Definition, class_of_method
from pinsetter.analyzer.names.module import Module
from pinsetter.analyzer.names.scopes import Scope
from pinsetter.analyzer.syntax.tree import Call, Expression, leaves, outer_call, unwrap, walk
from pinsetter.analyzer.values.questions import origins, possible_calls, sources

from ..matching.match import Match
from .arguments import (
    CAPTURE,
    CAPTURE_AND_FUNCTIONS,
    CAPTURE_AND_MAKERS,
    CAPTURE_AND_NAMES,
    INDEX,
    INTEGER,
    MAKERS,
    NAMES,
    pair,
)
from .conditions import function_names, program_modules
from .registry import predicate


@predicate(MAKERS)
def built_on(match: Match, names: Any) -> Match | None:
    """The matched call is given an instance of one of the classes or roles, or what one of the
    functions gives, or the class of the repository that it makes an instance of makes such an
    instance itself.

    ::

        match: $make($...given)
        where: [{built_on: [logging.Handler, builtins.open]}]
        holds:
          - |
            import logging
            x = make(logging.Handler())
          - |
            def f(path):
                file = open(path)
                make(file)
          - |
            import logging
            class Made:
                def __init__(self):
                    self.handler = logging.Handler()
            Made()
        fails:
          - make(1)
          - |
            import logging
            make(logging.getLogger())
          - |
            import logging
            make(logging.Handler)
    """
    call = match.call
    if call is None:
        return None
    classes, functions = _classes(match, names), function_names(match, names)
    evaluator = match.facts.evaluator
    for argument in call.arguments:
        given = (argument.value,)
        for value in evaluator.evaluate(given, match.module).items:
            if value.instance and any(evaluator.hierarchy.isa(value.name, c) for c in classes):
                return match
        if _made_by(given, match, functions):
            return match
    for name in evaluator.names(call.callee, match.module):
        definition = evaluator.definitions.get(name)
        if definition is not None and definition.scope.kind == "class":
            inside = {id(node) for node in walk(definition.scope.node)}
            for made in definition.module.tree.calls:
                if id(made.trailer) in inside and _makes(made, definition.module, classes, match):
                    return match
    return None


@predicate(CAPTURE_AND_NAMES)
def defines(match: Match, argument: Any) -> Match | None:
    """``[$x, name, …]``: a class of the repository, $x, that of $x, or one that it derives from,
    defines one of the methods.

    ::

        match: f($x)
        where: [{defines: [$x, save, store]}]
        holds:
          - |
            class A:
                def save(self): pass
            class B(A): pass
            f(B())
          - |
            class A:
                def save(self): pass
            f(A)
        fails:
          - |
            class A:
                def load(self): pass
            f(A())
          - f(x)
    """
    capture, *names = argument
    evaluator = match.facts.evaluator
    for found in evaluator.evaluate(match.capture(capture), match.module).items:
        for ancestor in evaluator.hierarchy.ancestors(found.name):
            definition = evaluator.definitions.get(ancestor)
            if definition is not None and any(n in definition.scope.bindings for n in names):
                return match
    return None


@predicate(CAPTURE_AND_FUNCTIONS)
def made_by(match: Match, argument: Any) -> Match | None:
    """``[$x, name, …]``: $x may be what a call of one of the functions gives, followed back through
    names, attributes of ``self`` and what functions of the repository return, but not through `or`
    and `if … else`; or is so wherever a parameter gets it, or by default.

    ::

        match: f($x)
        where: [{made_by: [$x, json.loads]}]
        holds:
          - |
            import json
            data = json.loads(text)
            f(data)
          - |
            import json
            def load(text):
                return json.loads(text)
            f(load(a))
          - |
            import json
            def g(data):
                f(data)
            g(json.loads(a))
        fails:
          - |
            import json
            f(json.loads(text)['a'])
          - |
            import json
            def g(data):
                f(data)
            g(json.loads(a))
            g(b)
          - |
            import json
            f(json.loads(text) or {})
    """
    capture, *names = argument
    wanted = function_names(match, names)
    made = match.capture(capture)
    return match if _made_by(made, match, wanted) or _always_made_by(made, match, wanted) else None


@predicate(pair(CAPTURE, INDEX))
def passes_on(match: Match, argument: Any) -> Match | None:
    """``[$x, n]``: $x is a function of the repository, and each value that it returns is made of
    its parameter at position n.

    ::

        match: apply($f)
        where: [{passes_on: [$f, 0]}]
        holds:
          - "apply(lambda x: x + 1)"
          - |
            def double(x, n=2):
                return x * n
            apply(double)
        fails:
          - "apply(lambda x: 1)"
          - apply(unknown)
          - |
            def first(x):
                if x:
                    return x
                return 0
            apply(first)
    """
    capture, position = argument
    functions = list(_functions(match, capture))
    return match if functions and all(_passes(f, position) for f in functions) else None


def _passes(function: Scope, position: int) -> bool:
    at = (position + (class_of_method(function) is not None),)
    names = {parameter.name for parameter in function.parameters if parameter.element == at}
    given = [tuple(node.children[1:2]) for node in function.returns]
    if function.node.type == symbols.lambdef:
        given = [(function.node.children[-1],)]
    return bool(given) and all(
        any(leaf.value in names for node in value for leaf in leaves(node)) for value in given
    )


@predicate(NAMES)
def called_on(match: Match, methods: Any) -> Match | None:
    """The matched call makes what a method of these names is called on, followed back from there
    through names, attributes of ``self`` and what functions of the repository return.

    ::

        match: $make($...given)
        where: [{called_on: [write, writelines]}]
        holds:
          - |
            file = open(path)
            file.write(text)
          - |
            def opened():
                return open(path)
            opened().write(text)
        fails:
          - |
            file = open(path)
            file.read()
          - |
            file = open(path)
            f(file.write)
    """
    call = match.call
    if call is None:
        return None
    made = (_receivers_of(tuple(methods), module, match.facts) for module in program_modules(match))
    return match if any(id(call.trailer) in trailers for trailers in made) else None


def _receivers_of(methods: tuple[str, ...], module: Module, facts: Facts) -> frozenset[int]:
    """The calls, by their trailers' ids, that make what a module calls one of the methods on."""

    def find() -> frozenset[int]:
        return frozenset(
            id(origin.trailer)
            for call in module.tree.calls_of(*methods)
            for origin, _ in origins(call.receiver, module, facts.evaluator)
        )

    return facts.remembered((_receivers_of, methods, id(module)), find)


@predicate(CAPTURE_AND_MAKERS)
def reached_by(match: Match, argument: Any) -> Match | None:
    """``[$x, name, …]``: an instance of one of the classes or roles, or what one of the functions
    gives, is followed to $x, a receiver or an argument.

    ::

        match: $x.send($...given)
        where: [{reached_by: [$x, socket.socket, multiprocessing.Pipe]}]
        holds:
          - |
            import socket
            connection = socket.socket()
            connection.send(b'a')
        fails:
          - x.send(b'a')
          - |
            import socket
            socket.socket()
            x.send(b'a')
    """
    capture, *names = argument
    expression = match.capture(capture)
    classes, functions = _classes(match, names), function_names(match, names)
    for module in program_modules(match):
        wanted = functions.union(classes)
        for made in possible_calls(module, wanted, match.facts.evaluator, below=True):
            given = match.facts.evaluator.names(made.callee, module) & functions
            if given or _makes(made, module, classes, match):
                if _arrives(made, module, expression, match):
                    return match
    return None


def _arrives(made: Call, module: Module, expression: Expression, match: Match) -> bool:
    first, last = expression[0], expression[-1]
    for use in match.facts.uses(made.expression, module):
        if use.call is None:
            continue
        receiver = use.call.receiver
        if use.kind == "receiver" and receiver and receiver[0] is first and receiver[-1] is last:
            return True
        if use.kind == "argument" and use.node is first:
            return True
    return False


def _made_by(expression: Expression, match: Match, functions: frozenset[str]) -> bool:
    evaluator = match.facts.evaluator
    return any(
        evaluator.names(call.callee, module) & functions
        for call, module in origins(expression, match.module, evaluator)
    )


def _always_made_by(expression: Expression, match: Match, functions: frozenset[str]) -> bool:
    evaluator = match.facts.evaluator
    found = False
    for source, module in sources(expression, match.module, evaluator) if expression else ():
        call = outer_call(source)
        names = evaluator.names(call.callee, module) if call is not None else frozenset[str]()
        if names & functions:
            found = True
        elif not any(_is_function(evaluator.definitions.get(name)) for name in names):
            return False
    return found


def _is_function(definition: Definition | None) -> bool:
    return definition is not None and definition.scope.kind == "function"


def _classes(match: Match, names: Iterable[str]) -> list[str]:
    return match.pack.classes_called(names)


def _makes(call: Call, module: Module, classes: list[str], match: Match) -> bool:
    hierarchy = match.facts.evaluator.hierarchy
    made: Iterator[str] = iter(match.facts.evaluator.names(call.callee, module))
    return any(hierarchy.isa(name, cls) for name in made for cls in classes)


@predicate(NAMES)
def in_class(match: Match, methods: Any) -> Match | None:
    """The match stands in a class of the repository that defines one of the methods, or derives
    from one that does.

    ::

        match: save($...given)
        where: [{in_class: [step]}]
        holds:
          - |
            class A:
                def step(self): pass
                def f(self):
                    return lambda: save(self)
          - |
            class A:
                def step(self): pass
            class B(A):
                def f(self):
                    save(self)
        fails:
          - |
            class A:
                def f(self):
                    save(self.step)
          - |
            def step():
                save(1)
    """
    owner = _class_around(match)
    if owner is None:
        return None
    evaluator = match.facts.evaluator
    for name in evaluator.hierarchy.ancestors(owner):
        definition = evaluator.definitions.get(name)
        if definition is not None and any(m in definition.scope.bindings for m in methods):
            return match
    return None


@predicate(NAMES)
def in_subclass(match: Match, names: Any) -> Match | None:
    """The match stands in a class of the repository that derives from one of the classes or
    roles.

    ::

        match: save($...given)
        where: [{in_subclass: [logging.Handler]}]
        holds:
          - |
            import logging
            class Own(logging.Handler):
                def emit(self, record):
                    save(record)
        fails:
          - |
            import logging
            save(logging.Handler())
          - |
            class Own:
                def emit(self, record):
                    save(record)
    """
    owner = _class_around(match)
    if owner is None:
        return None
    hierarchy = match.facts.evaluator.hierarchy
    return match if any(hierarchy.isa(owner, cls) for cls in _classes(match, names)) else None


def _class_around(match: Match) -> str | None:
    """The name of the innermost class that a match stands in."""
    scope: Scope | None = match.module.scope_of(match.node)
    while scope is not None and scope.kind != "class":
        scope = scope.parent
    return None if scope is None else f"{match.module.name}.{scope.qualified_name}"


@predicate(pair(CAPTURE, INTEGER))
def takes(match: Match, argument: Any) -> Match | None:
    """``[$f, n]``: $f is a lambda or a function of the repository with n parameters; `self` is
    none.

    ::

        match: apply($f)
        where: [{takes: [$f, 1]}]
        holds:
          - "apply(lambda x: x)"
          - |
            def f(x): pass
            apply(f)
          - |
            def f(x=None): pass
            apply(f)
          - |
            class A:
                def f(self, x): pass
            apply(A().f)
        fails:
          - "apply(lambda: 1)"
          - "apply(lambda x, y: x)"
          - apply(unknown)
          - |
            class A:
                def f(self, x, y): pass
            apply(A().f)
    """
    capture, count = argument
    functions = list(_functions(match, capture))
    # A method is given its object already.
    taken = [len(one.parameters) - (class_of_method(one) is not None) for one in functions]
    return match if taken and all(found == count for found in taken) else None


@predicate(CAPTURE_AND_NAMES)
def speaks_of(match: Match, argument: Any) -> Match | None:
    """``[$f, name, …]``: in the code of $f, a lambda or a function of the repository, one of the
    names occurs.

    ::

        match: apply($f)
        where: [{speaks_of: [$f, training, mode]}]
        holds:
          - "apply(lambda x: x.training)"
          - |
            def f(x):
                return g(x, mode=1)
            apply(f)
        fails:
          - "apply(lambda x: 'training')"
          - |
            def f(x):
                return x
            apply(f)
          - apply(training)
    """
    capture, *names = argument
    for scope in _functions(match, capture):
        if any(leaf.type == token.NAME and leaf.value in names for leaf in leaves(scope.node)):
            return match
    return None


def _functions(match: Match, capture: str) -> Iterator[Scope]:
    """The scopes of the functions that a capture may be."""
    nodes = unwrap(match.capture(capture))
    if len(nodes) == 1 and nodes[0].type == symbols.lambdef:
        scope = match.module.scopes.opened_by(nodes[0])
        if scope is not None:
            yield scope
        return
    definitions = match.facts.evaluator.definitions
    for name in match.facts.evaluator.names(nodes, match.module):
        if name in definitions and definitions[name].scope.kind == "function":
            yield definitions[name].scope
