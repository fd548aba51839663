"""variable_starts: the calls after which TensorFlow 1's variables have values, and where."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from fissix.pgen2 import token
from fissix.pygram import python_symbols as symbols

from pinsetter.analyzer.flow.suites import try_parts
from pinsetter.analyzer.names.definition import items_of
from pinsetter.analyzer.names.module import Module
from pinsetter.analyzer.syntax.tree import (
    LN,
    Call,
    Expression,
    ancestors,
    block_of,
    dotted,
    is_name,
    line_statement,
    outer_call,
    same_code,
    statement_of,
    unwrap,
    walk,
)
from pinsetter.analyzer.values.questions import contents, sources

from ...matching.match import Match, position
from ...predicates.conditions import program_modules
from ...predicates.context import BRANCHING
from ...predicates.form import is_repeatable

_ALL = {
    "tensorflow.compat.v1.global_variables_initializer",
    "tensorflow.compat.v1.initialize_all_variables",
    "tensorflow.compat.v1.initializers.global_variables",
}
_SOME = {
    "tensorflow.compat.v1.variables_initializer",
    "tensorflow.compat.v1.initialize_variables",
    "tensorflow.compat.v1.initializers.variables",
}
_GROUPS = {"tensorflow.group", "tensorflow.compat.v1.group", "tensorflow.tuple"}
_LOADERS = {"tensorflow.compat.v1.saved_model.load", "tensorflow.compat.v1.saved_model.loader.load"}
_SAVER = "tensorflow.compat.v1.train.Saver"
_STARTING = ("run", "restore", "load")
_SESSION = "tensorflow.compat.v1.Session"
_SESSIONS = (_SESSION, "tensorflow.compat.v1.InteractiveSession")
_CURRENT_SESSIONS = {
    "tensorflow.compat.v1.get_default_session",
    "tensorflow.compat.v1.keras.backend.get_session",
}
_SUPERVISED = {"tensorflow.compat.v1.train.Supervisor.managed_session"}
_LEAVES = {
    symbols.return_stmt, symbols.raise_stmt, symbols.yield_expr, symbols.break_stmt,
    symbols.continue_stmt,
}  # fmt: skip
_LEAVING_WORDS = {"break", "continue", "return", "raise", "yield"}
_FUNCTIONS = {symbols.funcdef, symbols.lambdef, symbols.classdef}
# What gives the value that a variable has.
_ASKING = {"run", "eval", "global_step"}
_LONG = {symbols.for_stmt, symbols.while_stmt}


@dataclass(frozen=True, eq=False)
class Start:
    """A call after which variables have values: all that a program made (``whole``) or some."""

    call: Call
    module: Module
    session: Expression
    whole: bool


def start_of(call: Call, module: Module, match: Match) -> Start | None:
    """The start that a call is, if it is one."""
    evaluator = match.facts.evaluator
    if call.method == "run":
        kinds = _initialised(call.receiver, module, match)
        if kinds:
            given = call.argument("session", 1)
            return Start(call, module, (given.value,) if given else (), "all" in kinds)
        fetches = call.argument("fetches", 0)
        if fetches is not None:
            kinds = _initialised((fetches.value,), module, match)
            if kinds:
                return Start(call, module, call.receiver, "all" in kinds)
    elif call.method == "restore" and evaluator.isa(call.receiver, _SAVER, module):
        given = call.argument("sess", 0)
        if given is not None:
            return Start(call, module, (given.value,), True)
    elif call.method == "restore" and not evaluator.evaluate(call.receiver, module).items:
        # Of a Saver that comes from elsewhere, as its two arguments tell.
        given, path = call.argument("sess", 0), call.argument("save_path", 1)
        if given is not None and path is not None and is_session((given.value,), module, match):
            return Start(call, module, (given.value,), True)
    elif evaluator.names(call.callee, module) & _LOADERS:
        given = call.argument("sess", 0)
        if given is not None:
            return Start(call, module, (given.value,), True)
    return None


def is_session(expression: Expression, module: Module, match: Match) -> bool:
    """Whether an expression is a session, or is called like one and nothing else is known."""
    evaluator = match.facts.evaluator
    values = evaluator.evaluate(expression, module)
    named = "sess" in "".join(dotted(expression)).lower()
    return any(evaluator.isa(expression, name, module) for name in _SESSIONS) or (
        not values.items and named
    )


def _initialised(expression: Expression, module: Module, match: Match) -> set[str]:
    """``all`` or ``some``: which variables running the expression in a session initialises."""
    evaluator = match.facts.evaluator
    found: set[str] = set()
    # A group may be made of itself and more: ``op = tf.group(op, other)``.
    seen: set[tuple[int, int]] = set()
    waiting = [(expression, module)] if expression else []
    while waiting:
        held = contents(*waiting.pop(), evaluator)
        for source, where in (place for content in held for place in content.sources):
            call = outer_call(source)
            if call is None or (id(call.power), call.size) in seen:
                continue
            seen.add((id(call.power), call.size))
            names = evaluator.names(call.callee, where)
            if names & _ALL:
                found.add("all")
            elif names & _SOME:
                found |= _listed(call, where, match)
            elif names & _GROUPS:
                waiting += [((argument.value,), where) for argument in call.arguments]
    return found


def _listed(call: Call, module: Module, match: Match) -> set[str]:
    """Which variables an initialiser of some is for; nothing for those of metrics and counters."""
    words = {
        leaf.value
        for argument in call.arguments
        for source, _ in sources((argument.value,), module, match.facts.evaluator)
        for node in source
        for leaf in node.leaves()
    }
    if words & {"LOCAL_VARIABLES", "local_variables", "METRIC_VARIABLES"}:
        return set()
    return {"all"} if words & {"global_variables", "all_variables"} else {"some"}


def place_of(start: Start, match: Match) -> LN | None:
    """The statement after which the variables have their values, whichever way was taken there;
    None if nothing can stand after the call."""
    if position(start.call.expression) not in ("expression", "assignment", "return", "part"):
        return None
    if start.session and not _is_named(start, match):
        return None
    place = statement_of(start.call.trailer)
    if place.type == symbols.return_stmt:
        return place
    while True:
        branch = line_statement(place)
        owner = branch.parent
        if owner is not None and owner.type == symbols.suite:
            owner = owner.parent
        if owner is None or owner.type not in BRANCHING or place is owner:
            return place
        rest = following(place)
        if any(_trains_or_leaves(node, start.module, match) for node in rest):
            return place
        if not _started_otherwise(start, owner, branch, match):
            return place
        place = owner


def is_told_before(start: Start, place: LN) -> bool:
    """Whether it shows, up to a place around a start, whether that has been done."""
    inner = statement_of(start.call.trailer)
    while inner is not place:
        if any(leaf.value in _ASKING for node in following(inner) for leaf in node.leaves()):
            return True
        block = line_statement(inner).parent
        if block is None:
            return False
        outer = block.parent if block.type == symbols.suite else block
        if outer is None or (outer.type == symbols.try_stmt and _is_tried(block, outer)):
            return outer is not None
        inner = outer
    return False


def _is_tried(block: LN, statement: LN) -> bool:
    """Whether others handle what fails in a block of a ``try``."""
    parts = try_parts(statement)
    return any(w == "except" for w, _ in parts) and any(w == "try" and b is block for w, b in parts)


def _started_otherwise(start: Start, owner: LN, branch: LN, match: Match) -> bool:
    """Whether the variables have values after ``owner``, too, if it takes another branch."""
    mine = branch.parent if branch.parent is not owner else branch
    for child in owner.children:
        if child is not mine and any(s.whole for s in _starts_in(child, start, match)):
            return True
    return started_before(start, owner, match)


def started_before(start: Start, node: LN, match: Match) -> bool:
    """Whether the function gives the session's variables values further up than ``node``."""
    module = start.module
    if is_supervised(start.session, start.call.trailer, module, match):
        return True
    function = module.scope_of(node).function
    around = function.node if function is not None else module.tree.root
    before, inside = module.tree.start(node), _entering(start.session, node)
    return any(
        other.whole
        and module.tree.start(other.call.trailer) < before
        and _entering(start.session, other.call.trailer) is inside
        for other in _starts_in(around, start, match)
    )


def is_supervised(session: Expression, node: LN, module: Module, match: Match) -> bool:
    """Whether the session at a place is one that a Supervisor manages."""
    if not session:
        return False
    statement = _entering(session, node)
    if statement is None:
        return _made_by(session, module, match, _SUPERVISED)
    return any(
        _made_by((manager,), module, match, _SUPERVISED)
        for manager, target in entered(statement)
        if target is not None and same_code((target,), session)
    )


def _made_by(expression: Expression, module: Module, match: Match, functions: set[str]) -> bool:
    evaluator = match.facts.evaluator
    return any(
        evaluator.names(call.callee, where) & functions
        for source, where in sources(expression, module, evaluator)
        if (call := outer_call(source)) is not None
    )


def _is_named(start: Start, match: Match) -> bool:
    """Whether the session can be named again after the call."""
    call = outer_call(start.session)
    if call is not None:
        return bool(match.facts.evaluator.names(call.callee, start.module) & _CURRENT_SESSIONS)
    return is_repeatable(start.session, start.module, match)


def following(statement: LN) -> list[LN]:
    """The statements of the same block after this one."""
    block = block_of(statement)
    mine = line_statement(statement)
    at = next((i for i, node in enumerate(block) if node is mine), len(block))
    same_line = []
    if mine is not statement:
        children = [c for c in mine.children if c.type not in (token.SEMI, token.NEWLINE)]
        index = next(i for i, child in enumerate(children) if child is statement)
        same_line = children[index + 1 :]
    return [*same_line, *block[at + 1 :]]


def _trains_or_leaves(node: LN, module: Module, match: Match) -> bool:
    for part in walk(node, skip=_FUNCTIONS):
        if part.type in _LEAVES:
            return True
        if part.type == token.NAME and part.value in _LEAVING_WORDS:
            return True
    return match.facts.programs.trains(node, module)


def last_place(start: Start, match: Match) -> LN | None:
    """The place after a start, and after the starts of some variables that follow it; None if
    another start has that place."""
    place = place_of(start, match)
    if place is None:
        return None
    here = [s for s in _starts_in(place, start, match) if s.whole and place_of(s, match) is place]
    if here and here[-1].call.trailer is not start.call.trailer:
        return None
    for statement in following(place):
        for other in _starts_in(statement, start, match):
            there = place_of(other, match)
            if there is not None and line_statement(there) is line_statement(statement):
                if other.whole:
                    return None
                place = there
        if statement.type in _LONG or _trains_or_leaves(statement, start.module, match):
            return place
    return None if _starts_below(place, start, match) else place


def _starts_below(place: LN, start: Start, match: Match) -> bool:
    """Whether all variables get their values once more behind the ``if`` that a place is in, before
    something trains."""
    while True:
        branch = line_statement(place)
        block = branch.parent
        owner = block.parent if block is not None and block.type == symbols.suite else None
        if owner is None or owner.type != symbols.if_stmt:
            return False
        for statement in following(owner):
            for other in _starts_in(statement, start, match):
                there = place_of(other, match) if other.whole else None
                if there is not None and line_statement(there) is line_statement(statement):
                    return True
            if statement.type in _LONG or _trains_or_leaves(statement, start.module, match):
                return False
        place = owner


def program_starts(match: Match) -> list[Start]:
    """The calls in the match's programs that give all variables of a session their values."""

    def of(module: Module) -> list[Start]:
        starts = (start_of(call, module, match) for call in module.tree.calls_of(*_STARTING))
        return [start for start in starts if start is not None and start.whole]

    return [
        start
        for module in program_modules(match)
        for start in match.facts.remembered((program_starts, id(module)), partial(of, module))
    ]


def _starts_in(node: LN, like: Start, match: Match) -> list[Start]:
    """The calls below a statement that start variables of the same session."""
    inside = {id(part) for part in walk(node, skip=_FUNCTIONS)}
    found: list[Start] = []
    for call in like.module.tree.calls_of(*_STARTING):
        if id(call.trailer) in inside:
            start = start_of(call, like.module, match)
            if start is not None and (
                not start.session or not like.session or same_code(start.session, like.session)
            ):
                found.append(start)
    return sorted(found, key=lambda start: start.module.tree.start(start.call.trailer))


def only_evaluates(start: Start, match: Match) -> bool:
    """Whether the session is made for one function, in which nothing trains and which does not
    hand it on."""
    module = start.module
    function = module.scope_of(start.call.trailer).function
    nodes = unwrap(start.session)
    if function is None or len(nodes) != 1 or not is_name(nodes[0]):
        return False
    if match.facts.programs.trains(function.node, module):
        return False
    bindings = module.scope_of(nodes[0]).lookup(nodes[0].value)
    if not bindings or any(b.scope.function is not function for b in bindings):
        return False
    if any(b.kind not in ("with", "assign") for b in bindings):
        return False
    made = all(
        any(match.facts.evaluator.isa(b.value, name, module) for name in _SESSIONS)
        for b in bindings
        if b.value
    )
    return made and not _escapes(nodes[0].value, function.node)


def _escapes(name: str, function: LN) -> bool:
    """Whether a function returns or stores the value of a local name."""
    for node in walk(function):
        if node.type == symbols.return_stmt or (
            node.type == symbols.expr_stmt and node.children[1].type == token.EQUAL
        ):
            value = unwrap((node.children[-1],))
            items = [value, *((item,) for item in items_of(value))]
            if any(len(i) == 1 and is_name(i[0]) and i[0].value == name for i in items):
                return True
    return False


def is_entered(session: Expression, node: LN) -> bool:
    """Whether the place is inside ``with … as session:``, or ``with session:``."""
    return _entering(session, node) is not None


def _entering(session: Expression, node: LN) -> LN | None:
    """The ``with`` around a place that enters a session, in the same function."""
    for parent in ancestors(node):
        if parent.type == symbols.with_stmt and session:
            for manager, target in entered(parent):
                if same_code((manager,), session):
                    return parent
                if target is not None and same_code((target,), session):
                    return parent
        if parent.type in _FUNCTIONS:
            break
    return None


def entered(statement: LN) -> Iterator[tuple[LN, LN | None]]:
    """What a ``with`` enters, and what each of it is called there, if it has a name."""
    for child in statement.children[1:-2]:
        if child.type == symbols.with_item:
            yield child.children[0], child.children[2]
        elif child.type not in (token.COMMA, token.LPAR, token.RPAR):
            yield child, None
