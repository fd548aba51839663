"""What a capture is: of a class, a function, a number; proved, or possible with a warning."""

from __future__ import annotations

from typing import Any

from fissix.pygram import python_symbols as symbols

from pinsetter.analyzer.facts import Facts
from pinsetter.analyzer.names.module import Module
from pinsetter.analyzer.syntax.tree import (
    Expression,
    attribute_name,
    outer_call,
    unwrap,
)
from pinsetter.analyzer.values.questions import foreign as is_foreign
from pinsetter.analyzer.values.questions import sources
from pinsetter.analyzer.values.questions import unresolved as is_unresolved
from pinsetter.analyzer.values.value import NUMBER, Certainty

from ..matching.match import Match
from .arguments import (
    CAPTURE,
    CAPTURE_AND_CLASSES,
    CAPTURE_AND_FUNCTIONS,
    CAPTURE_AND_NAMES,
    ROLE,
    by_capture,
    either,
)
from .conditions import comes_from, function_names, may_be_meant, mentions
from .registry import predicate

_NONE = "builtins.None"


@predicate(CAPTURE_AND_CLASSES)
def isa(match: Match, argument: Any) -> Match | None:
    """``[$x, name, …]``: $x is an instance of a class, or of a class of a role, of the names.

    ::

        match: $log.warn($...given)
        where: [{isa: [$log, logging.Logger]}]
        holds:
          - |
            import logging
            log = logging.getLogger('a')
            log.warn('b')
          - |
            import logging
            def f(log: logging.Logger):
                log.warn('b')
        assumed:
          - |
            import logging
            log = logging.getLogger('a') if named else other()
            log.warn('b')
        fails:
          - log.warn('b')
          - |
            import logging
            logging.warn('b')
          - |
            class Log:
                def warn(self, text): pass
            Log().warn('b')
    """
    return _isa(match, argument) if not _may_be_class(match, argument[0]) else None


@predicate(by_capture(ROLE))
def role(match: Match, argument: Any) -> Match | None:
    """``{$x: role}``: by σ, $x holds an instance with the role (optimizer, model, dataset …), by
    its class or, where nothing is known of that, by what it is asked for or given to.

    ::

        match: f($x)
        where: [{role: {$x: optimizer}}]
        assumed:
          - |
            def g(opt):
                f(opt)
                opt.apply_gradients(pairs)
        fails:
          - |
            def g(opt):
                f(opt)
                opt.step()
          - |
            def g(opt):
                f(1)
                opt.apply_gradients(pairs)
    """
    found: Match | None = match
    for capture, name in argument.items():
        if found is None:
            return None
        expression = match.capture(capture)
        verdict = match.facts.roles.of(expression, match.module, match.pack.role_called(name))
        if not verdict.certainty:
            return None
        if verdict.certainty is Certainty.POSSIBLE:
            what = name.rsplit(".", 1)[-1]
            held = f"{match.source(expression)} is {_article(what)}"
            told = f"Assumed: {held}: {verdict.because}."
            found = found.with_captures({}, told)
    return found


@predicate(either(CAPTURE, CAPTURE_AND_CLASSES))
def is_class(match: Match, argument: Any) -> Match | None:
    """``$x`` or ``[$x, name, …]``: $x may be a class, whose methods take the instance first, of the
    repository, of a library of which is known what it has, or one that the pack names; it is one of
    the names, or derives from one.

    ::

        match: $f($...given)
        where: [{is_class: [$f, logging.Handler]}]
        holds:
          - |
            import logging
            logging.Handler()
          - |
            import logging
            class Own(logging.Handler): pass
            Own()
        fails:
          - |
            import logging
            logging.getLogger()
          - |
            class Own: pass
            Own()
          - |
            import logging
            def g(handler: logging.Handler):
                handler(1)
    """
    capture = argument if isinstance(argument, str) else argument[0]
    if not _may_be_class(match, capture):
        return None
    return match if capture == argument else _isa(match, argument)


def _isa(match: Match, argument: Any) -> Match | None:
    capture, *names = argument
    expression = match.capture(capture)
    if not expression:
        return None
    best = Certainty.NO
    for cls in match.pack.classes_called(names):
        certainty = match.facts.evaluator.isa(expression, cls, match.module)
        if certainty is Certainty.PROVED:
            return match
        best = certainty or best
    if not best:
        return None
    what = " or ".join(name.rsplit(".", 1)[-1] for name in names)
    return match.with_captures({}, f"Assumed: {match.source(expression)} is {_article(what)}.")


def _article(what: str) -> str:
    return f"{'an' if what[:1].lower() in 'aeiou' else 'a'} {what}"


def _may_be_class(match: Match, capture: str) -> bool:
    return may_be_class(match.capture(capture), match.module, match.facts)


def may_be_class(expression: Expression, module: Module, facts: Facts) -> bool:
    """Whether code may mean a class of the repository or of a library."""
    own, library = facts.evaluator.definitions, facts.library.classes
    names = facts.evaluator.names(expression, module)
    return any(n in library or (n in own and own[n].scope.kind == "class") for n in names)


@predicate(CAPTURE_AND_CLASSES)
def may_be(match: Match, argument: Any) -> Match | None:
    """``[$x, name, …]``: $x is, or may be, an instance of a class (or role) of the names. What is
    not is told of the repository's own alone: functions, and a class that only looks like one, and
    derives from none.

    ::

        match: f($x)
        where: [{may_be: [$x, logging.Handler]}]
        holds:
          - |
            import logging
            f(logging.Handler())
          - f(x)
        assumed:
          - |
            import other
            class Own(other.Base): pass
            f(Own())
        fails:
          - |
            class Own: pass
            f(Own())
          - |
            def make(): pass
            f(make)
          - |
            class Own:
                def emit(self, record): pass
            f(Own())
    """
    capture, *names = argument
    expression = match.capture(capture)
    classes = match.pack.classes_called(names)
    evaluator = match.facts.evaluator
    if not expression or evaluator.excludes(expression, classes, match.module):
        return None
    own = [v for v in evaluator.evaluate(expression, match.module).items if v.instance]
    if any(evaluator.isa(expression, cls, match.module) for cls in classes) or not any(
        value.name in evaluator.definitions for value in own
    ):
        return match
    what = " or ".join(name.rsplit(".", 1)[-1] for name in names)
    return match.with_captures({}, f"Assumed: {match.source(expression)} is {_article(what)}, "
                                   "by a base that is not known.")  # fmt: skip


@predicate(CAPTURE_AND_FUNCTIONS)
def means(match: Match, argument: Any) -> Match | None:
    """``[$x, name, …]``: $x resolves to one of the qualified names or named sets of functions.

    ::

        match: f($x)
        where: [{means: [$x, json.dumps, json.dump]}]
        holds:
          - |
            import json
            f(json.dumps)
          - |
            from json import dumps as to_text
            write = to_text
            f(write)
        assumed:
          - |
            import json
            f(json.dumps if text else str)
        fails:
          - f(json.dumps)
          - |
            import json
            f(json.loads)
          - |
            import json
            f(json.dumps(a))
    """
    capture, *names = argument
    expression = match.capture(capture)
    if not expression or not match.module.reads(expression):
        return None
    wanted = function_names(match, names)
    if not match.facts.last_words.may_mean(expression, wanted):
        return None
    found = match.facts.names(expression, match.module)
    if not found & wanted:
        return None
    if found <= wanted:
        return match
    return match.with_captures({}, f"Assumed: {match.source(expression)} is {min(found & wanted)}.")


@predicate(CAPTURE_AND_NAMES)
def of_module(match: Match, argument: Any) -> Match | None:
    """``[$x, name, …]``: $x resolves to something that one of the modules has, or a module in
    it.

    ::

        match: f($x)
        where: [{of_module: [$x, os.path]}]
        holds:
          - |
            from os.path import join
            f(join)
          - |
            import os
            f(os.path.sep)
        fails:
          - |
            import os
            f(os.sep)
          - |
            import os
            f(os.path)
          - f(join)
    """
    capture, *names = argument
    found = match.facts.names(match.capture(capture), match.module)
    homes = tuple(f"{name}." for name in names)
    return match if found and all(one.startswith(homes) for one in found) else None


@predicate(CAPTURE_AND_FUNCTIONS)
def calls(match: Match, argument: Any) -> Match | None:
    """``[$x, name, …]``: $x as a whole is a call of one of the functions or sets of functions.

    ::

        match: f($x)
        where: [{calls: [$x, json.dumps]}]
        holds:
          - |
            import json
            f(json.dumps(a))
          - |
            from json import dumps as to_text
            f(to_text(a, indent=2))
        fails:
          - |
            import json
            f(json.dumps)
          - |
            import json
            f(json.dumps(a) + 'b')
          - |
            import json
            text = json.dumps(a)
            f(text)
    """
    capture, *names = argument
    call = outer_call(match.capture(capture))
    if call is None:
        return None
    wanted = function_names(match, names)
    if not match.facts.last_words.may_mean(call.callee, wanted):
        return None
    return match if match.facts.names(call.callee, match.module) & wanted else None


@predicate(CAPTURE_AND_NAMES)
def method(match: Match, argument: Any) -> Match | None:
    """``[$x, name, …]``: $x ends in an attribute of one of these names.

    ::

        match: $f($...given)
        where: [{method: [$f, get, post]}]
        holds: [client.get(url), self.client.post(url)]
        fails: [get(url), client.put(url), client.get.now(url)]
    """
    capture, *names = argument
    expression = match.capture(capture)
    return match if expression and attribute_name(expression) in names else None


@predicate(CAPTURE)
def unresolved(match: Match, capture: Any) -> Match | None:
    """Nothing is known of what $x is, or it may be an instance of a class of the repository's own
    that has a base of which nothing is known, or an attribute of which nothing is known.

    ::

        match: f($x)
        where: [{unresolved: $x}]
        holds:
          - f(x)
          - |
            import other
            class Own(other.Base): pass
            f(Own())
        fails:
          - f(1)
          - |
            class Own: pass
            f(Own())
          - |
            import logging
            f(logging.getLogger())
    """
    found = is_unresolved(match.capture(capture), match.module, match.facts.evaluator)
    return match if found else None


@predicate(CAPTURE)
def foreign(match: Match, capture: Any) -> Match | None:
    """$x is of a package that is neither the repository's nor a library of which is known what it
    has.

    ::

        match: f($x)
        where: [{foreign: $x}]
        holds:
          - |
            import other
            f(other.make)
        fails:
          - f(make)
          - |
            import logging
            f(logging.getLogger)
          - |
            def make():
                return 1
            f(make)
    """
    evaluator = match.facts.evaluator
    values = evaluator.evaluate(match.capture(capture), match.module)
    found = values.items and values.complete and all(is_foreign(v, evaluator) for v in values.items)
    return match if found else None


@predicate(CAPTURE_AND_CLASSES)
def isa_receiver(match: Match, argument: Any) -> Match | None:
    """``[$x.method, name, …]``: the receiver of the method is a known instance.

    ::

        match: $method($...given)
        where: [{isa_receiver: [$method, logging.Logger]}]
        holds:
          - |
            import logging
            log = logging.getLogger()
            log.warn('a')
        fails:
          - log.warn('a')
          - |
            import logging
            warn = logging.getLogger().warn
            warn('a')
    """
    capture, *names = argument
    receiver = match.capture(capture)[:-1]
    classes = match.pack.classes_called(names)
    known = (match.facts.evaluator.isa(receiver, cls, match.module) for cls in classes)
    return match if receiver and any(known) else None


# A lambda; and a list, dictionary, set or tuple, for parentheses alone are none.
_NO_NUMBERS = {symbols.lambdef, symbols.atom}


@predicate(CAPTURE)
def number(match: Match, capture: Any) -> Match | None:
    """$x is a number; what is not known to be anything else counts, with a warning.

    ::

        match: f($x)
        where: [{number: $x}]
        holds:
          - f(1)
          - |
            n = 1
            f(n * 2)
        assumed: [f(n), f(self.n)]
        fails: ["f('a')", f(None), "f([1])", "f(lambda: 1)"]
    """
    expression = match.capture(capture)
    nodes = unwrap(expression)
    if len(nodes) == 1 and nodes[0].type in _NO_NUMBERS:
        return None
    values = match.facts.evaluator.evaluate(expression, match.module)
    if values.complete and all(v.instance and v.name == NUMBER for v in values.items):
        return match
    if any(v.name != NUMBER or not v.instance for v in values.items):
        return None
    found = sources(expression, match.module, match.facts.evaluator)
    if any(_is_of_chosen(nodes, module, match) for nodes, module in found):
        return None
    return match.with_captures({}, f"Assumed: {match.source(expression)} is a number.")


def _is_of_chosen(expression: Expression, module: Module, match: Match) -> bool:
    """Whether a member of a module makes it that is chosen by name, as a class is: that may be
    anything that is in there."""
    made = outer_call(expression)
    chosen = None if made is None else outer_call(made.callee)
    if chosen is None or not chosen.arguments:
        return False
    evaluator = match.facts.evaluator
    if "builtins.getattr" not in evaluator.names(chosen.callee, module):
        return False
    return bool(evaluator.names((chosen.arguments[0].value,), module))


@predicate(CAPTURE)
def string(match: Match, capture: Any) -> Match | None:
    """$x is known to be a string, by the literals that it may be.

    ::

        match: f($x)
        where: [{string: $x}]
        holds:
          - f('a')
          - f(f'{a}')
          - |
            x = 'a'
            f(x)
        fails: [f(x), f(1), "f(b'a')"]
    """
    certainty = match.facts.evaluator.isa(match.capture(capture), "builtins.str", match.module)
    return match if certainty is Certainty.PROVED else None


@predicate(CAPTURE_AND_FUNCTIONS)
def derives_from(match: Match, argument: Any) -> Match | None:
    """``[$x, name, …]``: $x, or what a name, an attribute or a parameter in it was given, mentions
    one of the names.

    ::

        match: f($x)
        where: [{derives_from: [$x, os.getenv]}]
        holds:
          - |
            import os
            f(os.getenv('A') + 'b')
          - |
            import os
            x = os.getenv('A')
            f(g(x))
        fails:
          - |
            import os
            f(os.getcwd())
          - |
            import os
            os.getenv('A')
            f(x)
    """
    capture, *names = argument
    wanted = function_names(match, names)
    if not may_be_meant(names, match):
        return None
    expression = match.capture(capture)
    found = mentions(expression, match.module, match, wanted, 4)
    return match if found or comes_from(expression, match, wanted) else None


@predicate(CAPTURE_AND_CLASSES)
def made(match: Match, argument: Any) -> Match | None:
    """``[$x, name, …]``: all that $x may be is known: instances of classes of the names, of which
    those that are named stand for others and are not made themselves. With ``builtins.None`` among
    the names it may be None, too, as what is not there yet.

    ::

        match: f($x)
        where:
          - any: [{made: [$x, logging.Handler]}, {made: [$x, logging.Formatter, builtins.None]}]
        holds:
          - |
            import logging
            class Own(logging.Handler): pass
            class Other(Own): pass
            f(Own() if a else Other())
          - |
            import logging
            class Own(logging.Formatter): pass
            x = None
            if a:
                x = Own()
            f(x)
        fails:
          - |
            import logging
            f(logging.Handler())
          - |
            import logging
            class Own(logging.Handler): pass
            f(Own() if a else None)
          - |
            import logging
            class Own(logging.Handler): pass
            f(Own() if a else b)
          - |
            import logging
            class Own(logging.Handler): pass
            f(Own)
    """
    capture, *names = argument
    values = match.facts.evaluator.evaluate(match.capture(capture), match.module)
    classes = match.pack.classes_called(names)
    hierarchy = match.facts.evaluator.hierarchy
    there = [value for value in values.items if value.name != _NONE or _NONE not in names]
    known = values.complete and all(
        value.instance
        and value.name not in classes
        and any(hierarchy.proves(value.name, cls) for cls in classes)
        for value in there
    )
    return match if there and known else None
