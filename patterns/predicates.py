"""The closed registry of predicates that a rule's ``where`` may use.

Each takes the match so far and its argument from the pack, and returns the match, possibly with
more captures or warnings, or None. What is only possible, not proved, holds with a warning.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import cache
from typing import Any

from fissix.pgen2 import token
from fissix.pygram import python_symbols as symbols

from pinsetter.analyzer.module import Module
from pinsetter.analyzer.tree import (
    LN,
    Expression,
    ancestors,
    attribute_name,
    block_of,
    calls_in_power,
    is_name,
    line_statement,
    outer_call,
    same_code,
    unwrap,
    walk,
)
from pinsetter.analyzer.values import NUMBER, Certainty

from .code import Pattern, compile_code
from .match import Match, position

Predicate = Callable[[Match, Any], "Match | None"]
PREDICATES: dict[str, Predicate] = {}


def satisfies(match: Match, conditions: Iterable[Any]) -> Match | None:
    """The match with what the conditions add to it, if all of them hold."""
    current: Match | None = match
    for condition in conditions:
        for name, argument in condition.items():
            current = PREDICATES[name](current, argument) if current is not None else None
    return current


def _predicate(function: Predicate) -> Predicate:
    PREDICATES[function.__name__.strip("_")] = function
    return function


@_predicate
def not_(match: Match, condition: Any) -> Match | None:
    """The condition does not hold."""
    return match if satisfies(match, [condition]) is None else None


@_predicate
def any_(match: Match, conditions: Any) -> Match | None:
    """One of the conditions holds; the first that does gives the captures."""
    found = (satisfies(match, [condition]) for condition in conditions)
    return next((result for result in found if result is not None), None)


@_predicate
def all_(match: Match, conditions: Any) -> Match | None:
    """All of the conditions hold."""
    return satisfies(match, conditions)


@_predicate
def isa(match: Match, argument: Any) -> Match | None:
    """``[$x, name, …]``: $x is an instance of a class (or role) of the names, or such a class."""
    capture, *names = argument
    expression = match.capture(capture)
    if not expression:
        return None
    best = Certainty.NO
    classes = [cls for name in names for cls in match.pack.roles.get(name, (name,))]
    for cls in classes:
        certainty = match.facts.evaluator.isa(expression, cls, match.module)
        if certainty is Certainty.PROVED:
            return match
        best = certainty or best
    if not best:
        return None
    what = " or ".join(name.rsplit(".", 1)[-1] for name in names)
    return match.with_captures({}, f"Assumed: {match.source(expression)} is a {what}.")


@_predicate
def means(match: Match, argument: Any) -> Match | None:
    """``[$x, name, …]``: $x resolves to one of the qualified names or named sets of functions."""
    capture, *names = argument
    expression = match.capture(capture)
    if not expression:
        return None
    wanted = _function_names(match, names)
    found = match.facts.evaluator.names(expression, match.module)
    if not found & wanted:
        return None
    if found <= wanted:
        return match
    return match.with_captures({}, f"Assumed: {match.source(expression)} is {min(found & wanted)}.")


@_predicate
def calls(match: Match, argument: Any) -> Match | None:
    """``[$x, name, …]``: $x as a whole is a call of one of the functions or sets of functions."""
    capture, *names = argument
    call = outer_call(match.capture(capture))
    if call is None:
        return None
    found = match.facts.evaluator.names(call.callee, match.module)
    return match if found & _function_names(match, names) else None


@_predicate
def method(match: Match, argument: Any) -> Match | None:
    """``[$x, name, …]``: $x ends in an attribute of one of these names."""
    capture, *names = argument
    expression = match.capture(capture)
    return match if expression and attribute_name(expression) in names else None


@_predicate
def unresolved(match: Match, capture: Any) -> Match | None:
    """Nothing is known of what $x is."""
    values = match.facts.evaluator.evaluate(match.capture(capture), match.module)
    return match if not values.items else None


@_predicate
def isa_receiver(match: Match, argument: Any) -> Match | None:
    """``[$x.method, name, …]``: the receiver of the method is a known instance."""
    capture, *names = argument
    receiver = match.capture(capture)[:-1]
    classes = [cls for name in names for cls in match.pack.roles.get(name, (name,))]
    known = (match.facts.evaluator.isa(receiver, cls, match.module) for cls in classes)
    return match if receiver and any(known) else None


@_predicate
def isa_library(match: Match, argument: Any) -> Match | None:
    """``[$x, name, …]``: $x is proved to be of one of the names, and of a class of the library."""
    capture = argument[0]
    values = match.facts.evaluator.evaluate(match.capture(capture), match.module)
    own = match.facts.evaluator.definitions
    if not values.complete or any(value.name in own for value in values.items):
        return None
    result = isa(match, argument)
    return match if result is not None and result.warnings == match.warnings else None


@_predicate
def parameter(match: Match, argument: Any) -> Match | None:
    """``[$class, name]``: the constructor of the class has the parameter."""
    capture, name = argument
    for found in match.facts.evaluator.names(match.capture(capture), match.module):
        for ancestor in match.facts.evaluator.hierarchy.ancestors(found):
            known = match.facts.library.classes.get(ancestor)
            if known is not None and any(p.name == name for p in known.parameters):
                return match
    return None


@_predicate
def one_object(match: Match, capture: Any) -> Match | None:
    """$x is a name of the module that is bound once, so that it always is the same object."""
    nodes = unwrap(match.capture(capture))
    if len(nodes) != 1 or not is_name(nodes[0]):
        return None
    bindings = match.module.scope_of(nodes[0]).lookup(nodes[0].value)
    return match if len(bindings) == 1 and bindings[0].scope.kind == "module" else None


@_predicate
def number(match: Match, capture: Any) -> Match | None:
    """$x is a number; what is not known to be anything else counts, with a warning."""
    expression = match.capture(capture)
    values = match.facts.evaluator.evaluate(expression, match.module)
    if values.complete and all(v.instance and v.name == NUMBER for v in values.items):
        return match
    if any(v.name != NUMBER or not v.instance for v in values.items):
        return None
    return match.with_captures({}, f"Assumed: {match.source(expression)} is a number.")


@_predicate
def constant(match: Match, capture: Any) -> Match | None:
    """$x is a literal number or string."""
    nodes = unwrap(match.capture(capture))
    literal = len(nodes) == 1 and nodes[0].type in (token.NUMBER, token.STRING)
    return match if literal else None


@_predicate
def text(match: Match, argument: Any) -> Match | None:
    """``[$x, text, …]``: $x is a literal string with one of the texts."""
    capture, *texts = argument
    nodes = unwrap(match.capture(capture))
    if len(nodes) != 1 or nodes[0].type != token.STRING:
        return None
    return match if nodes[0].value.lstrip("rRuUbB").strip("\"'") in texts else None


@_predicate
def self_contained(match: Match, capture: Any) -> Match | None:
    """$x binds no name but those of its own loops, and control does not leave it."""
    for node in match.capture(capture):
        for part in walk(node):
            if part.type in _BINDS_OR_LEAVES:
                return None
            if is_name(part) and part.value in ("break", "continue"):
                return None
    return match


@_predicate
def trains(match: Match, capture: Any) -> Match | None:
    """$x applies gradients, itself or through what it calls."""
    programs = match.facts.programs
    found = any(programs.trains(node, match.module) for node in match.capture(capture))
    return match if found else None


@_predicate
def below(match: Match, argument: Any) -> Match | None:
    """``[$x, n]``: $x is a literal number below n."""
    capture, limit = argument
    nodes = unwrap(match.capture(capture))
    if len(nodes) != 1 or nodes[0].type != token.NUMBER:
        return None
    try:
        return match if float(nodes[0].value.replace("_", "")) < limit else None
    except ValueError:
        return None


@_predicate
def argument(match: Match, argument: Any) -> Match | None:
    """``{name, position?, aliases?, of?, as?}``: the call ($match, or $of) has the argument,
    captured as $as."""
    call = outer_call(match.capture(argument["of"])) if "of" in argument else match.call
    if call is None:
        return None
    for name in (argument["name"], *argument.get("aliases", [])):
        found = call.argument(name, argument.get("position") if name == argument["name"] else None)
        if found is not None:
            captured = {argument["as"]: (found.value,)} if "as" in argument else {}
            return match.with_captures(captured)
    return None


@_predicate
def plain_arguments(match: Match, wanted: Any) -> Match | None:
    """Whether the matched call passes no ``*args`` or ``**kwargs``."""
    call = match.call
    plain = call is not None and not any(a.star for a in call.arguments)
    return match if plain == wanted else None


@_predicate
def matches(match: Match, patterns: Any) -> Match | None:
    """``{$x: code}``: $x as a whole fits the code pattern, whose captures are added."""
    current = match
    for capture, code in patterns.items():
        nodes = unwrap(match.capture(capture))
        if len(nodes) != 1:
            return None
        found = _fit(_pattern(match, code), nodes[0], current)
        if found is None:
            return None
        current = current.with_captures(found)
    return current


@_predicate
def stands_as(match: Match, kinds: Any) -> Match | None:
    """How the match stands in its statement: expression, assignment, return, part or inside."""
    return match if position(match.expression) in kinds else None


@_predicate
def scope(match: Match, kinds: Any) -> Match | None:
    """``[module]``, ``[function]`` or ``[class]``: the kind of scope the match stands in."""
    return match if match.module.scope_of(match.node).kind in kinds else None


@_predicate
def runs(match: Match, when: Any) -> Match | None:
    """``eager`` or ``traced``: whether Python runs the place while a graph is traced."""
    traced = match.facts.tracing.is_traced(match.node, match.module)
    return match if traced == (when == "traced") else None


@_predicate
def entry(match: Match, wanted: Any) -> Match | None:
    """Whether the module is the entry script of a program."""
    return match if match.facts.programs.is_entry(match.module) == wanted else None


@_predicate
def shared(match: Match, wanted: Any) -> Match | None:
    """Whether programs of the pack's kind and others both use the module."""
    programs = match.facts.programs.of(match.module)
    meant = [match.pack.training_api in (None, p.training_api) for p in programs]
    return match if (len(set(meant)) == 2) == wanted else None


@_predicate
def program_calls(match: Match, names: Any) -> Match | None:
    """Some module of the match's programs calls one of the functions."""
    wanted = _function_names(match, names)
    for module in _program_modules(match):
        for call in module.tree.calls:
            if match.facts.evaluator.names(call.callee, module) & wanted:
                return match
    return None


@_predicate
def flows(match: Match, argument: Any) -> Match | None:
    """``{value, through?, into}``: the value, or what its methods named in ``through`` return,
    reaches an argument of a method named in ``into``."""
    results = [_reaches(match, value, where, argument["into"])
               for value, where in _method_calls(match, argument)]  # fmt: skip
    if Certainty.PROVED in results:
        return match
    if Certainty.POSSIBLE in results:
        return match.with_captures({}, "Assumed: the gradients reach the optimizer; "
                                       "they are handed to code that was not seen.")  # fmt: skip
    return None


@_predicate
def flows_elsewhere(match: Match, argument: Any) -> Match | None:
    """As ``flows``, but for a value one of whose calls does not get there."""
    results = [_reaches(match, value, where, argument["into"])
               for value, where in _method_calls(match, argument)]  # fmt: skip
    return match if Certainty.NO in results else None


@_predicate
def rewrapped(match: Match, names: Any) -> Match | None:
    """The value is handed to one of the functions later on."""
    wanted = _function_names(match, names)
    for use in match.facts.uses(match.expression, match.module):
        if use.kind == "argument" and use.call is not None:
            if match.facts.evaluator.names(use.call.callee, use.module) & wanted:
                return match
    return None


@_predicate
def receives_gradients(match: Match, wanted: Any) -> Match | None:
    """Whether a gradient that some tape computed is followed to the matched call."""
    tape = match.facts.library.canonical("tensorflow.GradientTape")
    argument = {"value": "$match", "through": ["gradient"], "into": ["apply_gradients"]}
    call = match.call
    found = False
    for module in _program_modules(match):
        for made in module.tree.calls:
            if tape in match.facts.evaluator.names(made.callee, module):
                origin = replace(match, module=module, captures={"match": made.expression})
                for gradient, where in _method_calls(origin, argument):
                    for use in match.facts.uses(gradient, where):
                        hit = use.call is not None and call is not None and (
                            use.call.trailer is call.trailer)  # fmt: skip
                        found = found or hit or use.kind == "lost"
    return match if found == wanted else None


@_predicate
def drives_training(match: Match, capture: Any) -> Match | None:
    """The value is iterated by a ``for`` whose body applies gradients."""
    for use in match.facts.uses(match.capture(capture), match.module, elements=False):
        if use.kind == "iterate" and match.facts.programs.trains(use.node, use.module):
            return match
    return None


@_predicate
def then_calls(match: Match, argument: Any) -> Match | None:
    """``[$x, name, …]``: a method of these names is called on the value of $x, or on what follows
    from it."""
    capture, *names = argument
    for use in match.facts.uses(match.capture(capture), match.module, elements=False):
        if use.kind == "receiver" and use.call is not None and use.call.method in names:
            return match
    return None


@_predicate
def effects(match: Match, argument: Any) -> Match | None:
    """``{of, allow}``: evaluating the code has no effects but the allowed ones."""
    kinds: set[str] = set()
    unknown: set[str] = set()
    for node in match.capture(argument["of"]):
        found = match.facts.effects.of(node, match.module)
        kinds |= found.kinds
        unknown |= found.unknown
    if kinds - set(argument.get("allow", [])):
        return None
    return match.with_captures({}, *(
        f"Assumed: {name}() has no effect that other workers need." for name in sorted(unknown)
    ))  # fmt: skip


@_predicate
def derives_from(match: Match, argument: Any) -> Match | None:
    """``[$x, name, …]``: $x, or what a name in it was assigned, mentions one of the names."""
    capture, *names = argument
    wanted = _function_names(match, names)
    return match if _mentions(match.capture(capture), match.module, match, wanted, 4) else None


@_predicate
def repeatable(match: Match, capture: Any) -> Match | None:
    """$x may be evaluated again with the same result: names, attributes, constant subscripts."""
    expression = match.capture(capture)
    for node in expression:
        for part in walk(node):
            if part.type == symbols.trailer and part.children[0].type == token.LPAR:
                return None
            if part.type in _NOT_REPEATABLE:
                return None
    values = match.facts.evaluator.evaluate(expression, match.module)
    iterators = {"builtins.zip", "builtins.map", "builtins.filter", "builtins.iter"}
    return match if expression and not values.names & iterators else None


@_predicate
def sequence(match: Match, capture: Any) -> Match | None:
    """$x is a list or tuple, so that it can be iterated twice."""
    return match if _is_sequence(match.capture(capture), match.module, match, 3) else None


@_predicate
def guarded(match: Match, names: Any) -> Match | None:
    """The match stands under a condition that calls one of the functions."""
    wanted = _function_names(match, names)
    child: LN = match.node
    for parent in ancestors(match.node):
        condition = None
        if parent.type == symbols.if_stmt and child is not parent.children[1]:
            condition = parent.children[1]
        elif parent.type == symbols.test and child is not parent.children[2]:
            condition = parent.children[2]
        elif parent.type == symbols.and_test:
            condition = parent
        if condition is not None and _mentions((condition,), match.module, match, wanted, 1):
            return match
        child = parent
    return None


@_predicate
def inside_call(match: Match, names: Any) -> Match | None:
    """The match is an argument of a call of one of the functions."""
    wanted = _function_names(match, names)
    for parent in ancestors(match.node):
        if parent.type == symbols.trailer and parent.parent is not None:
            for call in calls_in_power(parent.parent):
                if call.trailer is parent:
                    if match.facts.evaluator.names(call.callee, match.module) & wanted:
                        return match
        if parent.type == symbols.simple_stmt:
            break
    return None


@_predicate
def present(match: Match, argument: Any) -> Match | None:
    """``{code, in}``: the code pattern, with the rule's captures, fits somewhere in the rest of the
    ``block``, in the ``function``, ``module`` or ``program`` around the match."""
    pattern = _pattern(match, argument["code"])
    for module, node in _places(match, argument["in"]):
        for part in walk(node):
            if _fit(pattern, part, match, module) is not None:
                return match
    return None


def resolves(match: Match, pattern: Pattern) -> Match | None:
    """The match, if the dotted names of its pattern mean what the pack's imports say."""
    return satisfies(match, [{"means": [capture, name]} for capture, name in pattern.means.items()])


def _fit(
    pattern: Pattern, node: LN, match: Match, module: Module | None = None
) -> dict[str, Expression] | None:
    where = module or match.module
    for captures in pattern.matches(node):
        known = {name: code for name, code in captures.items() if name in match.captures}
        known.pop("match", None)
        if not all(same_code(code, match.captures[name]) for name, code in known.items()):
            continue
        evaluator = match.facts.evaluator
        if all(
            match.facts.library.canonical(name) in evaluator.names(captures[capture], where)
            for capture, name in pattern.means.items()
        ):
            names = set(pattern.means) | {"match"} | set(known)
            return {name: code for name, code in captures.items() if name not in names}
    return None


def _pattern(match: Match, code: str) -> Pattern:
    return _compiled(code, tuple(sorted(match.pack.imports.items())))


@cache
def _compiled(code: str, imports: tuple[tuple[str, str], ...]) -> Pattern:
    return compile_code(code, dict(imports))


def _method_calls(match: Match, argument: Any) -> Iterator[tuple[Expression, Module]]:
    if "through" not in argument:
        yield match.capture(argument["value"]), match.module
        return
    for use in match.facts.uses(match.capture(argument["value"]), match.module):
        if use.kind == "receiver" and use.call is not None:
            if use.call.method in argument["through"]:
                yield use.call.expression, use.module


def _reaches(match: Match, value: Expression, module: Module, methods: list[str]) -> Certainty:
    lost = False
    for use in match.facts.uses(value, module):
        if use.kind == "argument" and use.call is not None and use.call.method in methods:
            return Certainty.PROVED
        lost = lost or use.kind == "lost"
    return Certainty.POSSIBLE if lost else Certainty.NO


def _places(match: Match, where: str) -> Iterator[tuple[Module, LN]]:
    if where == "block":
        block = block_of(match.statement)
        mine = line_statement(match.statement)
        at = next((i for i, node in enumerate(block) if node is mine), 0)
        for node in block[at:]:
            yield match.module, node
    elif where == "function":
        function = match.module.scope_of(match.node).function
        yield match.module, function.node if function else match.module.tree.root
    elif where == "module":
        yield match.module, match.module.tree.root
    else:
        for module in _program_modules(match):
            yield module, module.tree.root


def _program_modules(match: Match) -> list[Module]:
    programs = match.facts.programs.of(match.module)
    found = {id(m): m for program in programs for m in program.modules}
    return list(found.values()) or [match.module]


def _function_names(match: Match, names: Iterable[str]) -> frozenset[str]:
    expanded = [f for name in names for f in match.pack.functions.get(name, (name,))]
    return frozenset(match.facts.library.canonical(name) for name in expanded)


def _mentions(
    expression: Expression, module: Module, match: Match, wanted: frozenset[str], depth: int
) -> bool:
    for node in expression:
        for part in walk(node):
            if part.type == symbols.power:
                for call in calls_in_power(part):
                    if match.facts.evaluator.names(call.callee, module) & wanted:
                        return True
            elif is_name(part) and depth:
                for binding in module.scope_of(part).lookup(part.value):
                    if (
                        binding.kind == "assign"
                        and binding.value
                        and _mentions(binding.value, module, match, wanted, depth - 1)
                    ):
                        return True
    return False


def _is_sequence(expression: Expression, module: Module, match: Match, depth: int) -> bool:
    nodes = unwrap(expression)
    if len(nodes) == 1 and nodes[0].type == symbols.atom:
        inner = nodes[0].children[1]
        is_list = nodes[0].children[0].type == token.LSQB
        return bool(is_list or inner.type == symbols.testlist_gexp) and not (
            not is_list and any(c.type == symbols.comp_for for c in inner.children)
        )
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


_BINDS_OR_LEAVES = {
    symbols.expr_stmt, symbols.namedexpr_test, token.COLONEQUAL, symbols.return_stmt,
    symbols.yield_expr, symbols.raise_stmt, symbols.import_name, symbols.import_from,
    symbols.funcdef, symbols.classdef, symbols.del_stmt, symbols.global_stmt, symbols.with_item,
}  # fmt: skip
_NOT_REPEATABLE = {
    symbols.lambdef, symbols.namedexpr_test, symbols.yield_expr, symbols.comp_for, token.AWAIT,
}  # fmt: skip
