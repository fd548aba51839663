"""Where a match stands: in which scope, program, condition, call, beside which code."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fissix.pygram import python_symbols as symbols

from pinsetter.analyzer.module import Module
from pinsetter.analyzer.tree import (
    LN,
    ancestors,
    block_of,
    line_statement,
    outer_call,
    statement_of,
)

from ..match import Match
from ..start import needs_tensorflow
from .common import fit, function_names, mentions, pattern_of, program_modules, whole
from .registry import predicate


@predicate
def runs(match: Match, when: Any) -> Match | None:
    """``eager``, ``traced`` (by tf.function) or ``graph`` (of TensorFlow 1): how the place runs."""
    return match if match.facts.execution.runs(match.node, match.module) == when else None


@predicate
def entry(match: Match, wanted: Any) -> Match | None:
    """Whether the module is the entry script of a program."""
    return match if match.facts.programs.is_entry(match.module) == wanted else None


@predicate
def may_precede_start(match: Match, wanted: Any) -> Match | None:
    """Whether code of the module may run where the start code of an entry script has not: other
    programs, that the pack is not for, use it too; or it needs no TensorFlow, so that it may be
    imported before."""
    programs = match.facts.programs.of(match.module)
    kinds = {match.pack.training_api in (None, p.training_api) for p in programs}
    entry = any(program.entry is match.module for program in programs)
    early = bool(programs) and not entry and not needs_tensorflow(match.module, match.facts)
    return match if (len(kinds) == 2 or early) == wanted else None


@predicate
def program_calls(match: Match, names: Any) -> Match | None:
    """Some module of the match's programs calls one of the functions."""
    wanted = function_names(match, names)
    for module in program_modules(match):
        for call in module.tree.calls:
            if match.facts.evaluator.names(call.callee, module) & wanted:
                return match
    return None


@predicate
def program_makes(match: Match, names: Any) -> Match | None:
    """Some module of the match's programs calls the constructor of one of the classes or roles."""
    classes = [cls for name in names for cls in match.pack.roles.get(name, (name,))]
    hierarchy = match.facts.evaluator.hierarchy
    for module in program_modules(match):
        for call in module.tree.calls:
            for made in match.facts.evaluator.names(call.callee, module):
                if any(hierarchy.isa(made, cls) for cls in classes):
                    return match
    return None


@predicate
def trains_by(match: Match, apis: Any) -> Match | None:
    """A program that the match is part of trains by one of these: estimator, gradient_tape, keras,
    monitored_session, session."""
    used = {api for program in match.facts.programs.of(match.module) for api in program.apis}
    return match if used & set(apis) else None


@predicate
def trains(match: Match, capture: Any) -> Match | None:
    """$x makes training steps, itself or through what it calls."""
    programs = match.facts.programs
    found = any(programs.trains(node, match.module) for node in whole(match.capture(capture)))
    return match if found else None


@predicate
def training_step(match: Match, capture: Any) -> Match | None:
    """$x as a whole is a call that makes a training step, as ``fit`` and ``apply_gradients``."""
    call = outer_call(match.capture(capture))
    steps = match.facts.programs.steps_in(match.module)
    return match if call is not None and any(step is call.trailer for step in steps) else None


@predicate
def leaves_training(match: Match, wanted: Any) -> Match | None:
    """Whether the function, or the module, around the match makes training steps or calls a
    collective."""
    function = match.module.scope_of(match.node).function
    node = function.node if function is not None else match.module.tree.root
    trains = match.facts.programs.trains(node, match.module)
    waits = "collective" in match.facts.effects.of(node, match.module).kinds
    return match if (trains or waits) == wanted else None


@predicate
def guarded(match: Match, names: Any) -> Match | None:
    """The match stands under a condition that calls one of the functions."""
    wanted = function_names(match, names)
    child: LN = match.node
    for parent in ancestors(match.node):
        condition = None
        if parent.type == symbols.if_stmt and child is not parent.children[1]:
            condition = parent.children[1]
        elif parent.type == symbols.test and child is not parent.children[2]:
            condition = parent.children[2]
        elif parent.type == symbols.and_test:
            condition = parent
        elif parent.type == symbols.match_stmt and child.type == symbols.case_block:
            condition = parent.children[1]
        elif parent.type == symbols.case_block and parent.children[2].type == symbols.guard:
            condition = parent.children[2] if child is parent.children[-1] else None
        if condition is not None and mentions((condition,), match.module, match, wanted, 1):
            return match
        child = parent
    return None


@predicate
def present(match: Match, argument: Any) -> Match | None:
    """``{code, in, of?}``: the code pattern, with the rule's captures, fits somewhere in the rest
    of the ``block`` or in what stands ``before`` the match, or $of, in it, in the ``function``,
    ``module`` or ``program`` around the match."""
    pattern = pattern_of(match, argument["code"])
    around = match.capture(argument.get("of", "$match"))
    for module, node in _places(match, argument["in"], statement_of(around[0])):
        for part in module.tree.nodes(node):
            if fit(pattern, part, match, module) is not None:
                return match
    return None


def _places(match: Match, where: str, statement: LN) -> Iterator[tuple[Module, LN]]:
    if where in ("block", "before"):
        block = block_of(statement)
        mine = line_statement(statement)
        at = next((i for i, node in enumerate(block) if node is mine), 0)
        for node in block[at:] if where == "block" else block[:at]:
            yield match.module, node
    elif where == "function":
        function = match.module.scope_of(match.node).function
        yield match.module, function.node if function else match.module.tree.root
    elif where == "module":
        yield match.module, match.module.tree.root
    else:
        for module in program_modules(match):
            yield module, module.tree.root
