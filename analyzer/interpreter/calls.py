"""call: what calling an object does: functions are entered, classes make instances."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from fissix.pygram import python_symbols as symbols

from ..library.linearization import linearized
from ..names.definition import is_async
from ..names.passing import Passed, passed
from ..names.scopes import Binding
from ..syntax.tree import LN, arguments_of
from . import builtin, expressions, external, statements
from .objects import (
    NONE,
    NOTHING,
    UNKNOWN,
    Builtin,
    BuiltinMethod,
    Class,
    Constant,
    Container,
    External,
    Function,
    Instance,
    Method,
    Object,
    Objects,
    Partial,
    Result,
    Unseen,
    Wrapped,
)
from .run import (
    ITEMS,
    MAX_DEPTH,
    MAX_ENTRIES,
    MAX_REPEATS,
    RETURNED,
    YIELDED,
    Frame,
    Run,
)


@dataclass
class Arguments:
    """The arguments of one call; ``rest``: those of ``*x`` and ``**x`` whose place is unknown."""

    positional: list[Objects] = field(default_factory=list)
    keywords: dict[str, Objects] = field(default_factory=dict)
    rest: Objects | None = None

    @property
    def all(self) -> list[Objects]:
        rest = [self.rest] if self.rest is not None else []
        return [*self.positional, *self.keywords.values(), *rest]


def arguments(run: Run, frame: Frame, inner: Sequence[LN]) -> Arguments:
    """Evaluate the arguments that stand between a call's parentheses."""
    found = Arguments()
    for argument in arguments_of(inner):
        node = argument.node
        if argument.name is None and node.type == symbols.argument and (
            node.children[-1].type == symbols.comp_for
        ):  # fmt: skip
            found.positional.append(expressions.comprehension(run, frame, node, "generator"))
            continue
        objects = expressions.evaluate(run, frame, argument.value)
        if argument.name is not None:
            found.keywords[argument.name] = objects
        elif argument.star == "*":
            fixed = expressions.fixed_items(run, objects)
            if fixed is not None and found.rest is None:
                found.positional += fixed
            else:
                items = expressions.items_of(run, frame, objects, node)
                found.rest = (found.rest or NOTHING) | items
        elif argument.star == "**":
            for owner in run.in_order(objects):
                stored = run.state.all(owner) if isinstance(owner, Container) else {ITEMS: UNKNOWN}
                for key, value in stored.items():
                    if isinstance(key, Constant) and isinstance(key.value, str):
                        found.keywords[key.value] = found.keywords.get(key.value, NOTHING) | value
                    else:
                        found.rest = (found.rest or NOTHING) | value
        else:
            found.positional.append(objects)
    return found


def call(
    run: Run, frame: Frame, callees: Objects, given: Arguments, node: LN, recorded: bool = True
) -> Objects:
    """What calling ``callees`` returns; ``recorded``: the call is one of the source."""
    found = NOTHING
    for callee in run.in_order(callees):
        found |= _call(run, frame, callee, given, node, recorded)
    return found


def _call(
    run: Run, frame: Frame, callee: Object, given: Arguments, node: LN, recorded: bool
) -> Objects:
    if isinstance(callee, Function):
        if recorded:
            run.record(frame, run.names[callee.node])
        return enter(run, frame, callee, given, node, None)
    if isinstance(callee, Method):
        if recorded:
            run.record(frame, run.names[callee.function.node])
        bound = Arguments(
            [frozenset({callee.receiver}), *given.positional], given.keywords, given.rest
        )
        return enter(run, frame, callee.function, bound, node, callee.receiver)
    if isinstance(callee, Class):
        return _instantiate(run, frame, callee, given, node)
    if isinstance(callee, External):
        run.record(frame, callee.name)
        return external.call(run, frame, callee, given, node)
    if isinstance(callee, Result):
        run.record(frame, callee.callee)
        return external.call(run, frame, callee, given, node)
    if isinstance(callee, Unseen):
        return external.call(run, frame, callee, given, node)
    if isinstance(callee, Partial):
        return external.call_partial(run, frame, callee, given, node)
    if isinstance(callee, Builtin):
        run.record(frame, f"<builtin>.{callee.name}")
        return builtin.call(run, frame, callee.name, given, node)
    if isinstance(callee, BuiltinMethod):
        return builtin.method(run, frame, callee, given, node)
    if isinstance(callee, Instance):
        methods = expressions.load_attribute(run, frame, frozenset({callee}), "__call__")
        # `A.__call__ = A()` would go on for ever.
        methods = frozenset(m for m in methods if not isinstance(m, Instance))
        return call(run, frame, methods, given, node)
    if isinstance(callee, Wrapped):
        return _call(run, frame, callee.function, given, node, recorded)
    return UNKNOWN


def _instantiate(run: Run, frame: Frame, cls: Class, given: Arguments, node: LN) -> Objects:
    made = Instance(cls, run.site(frame, node))
    run.instances[cls][made] = None
    run.bases_used.update(dict.fromkeys(ancestors(run, cls)))
    start = expressions.load_attribute(run, frame, frozenset({made}), "__init__")
    call(run, frame, start, given, node)
    if not any(isinstance(found, Method) for found in start):
        external.construct(run, frame, made, given, node)
    return frozenset({made})


def imagined(run: Run, frame: Frame, cls: Class) -> Instance:
    """An instance that is not seen made: its ``__init__`` is run with arguments not seen either."""
    made = Instance(cls, (0, 0))
    if made not in run.instances[cls]:
        run.instances[cls][made] = None
        starts = expressions.load_attribute(run, frame, frozenset({made}), "__init__")
        for start in run.in_order(starts):
            if isinstance(start, Method):
                node = run.scopes[start.function.node][0].node
                enter(run, frame, start.function, None, node, made)
    return made


def ancestors(run: Run, cls: Class) -> list[Object]:
    """A class and those it derives from, in the order in which attributes are looked up in them.
    One that is made again in a loop may seem to be its own base."""

    def bases(of: Object) -> list[Object]:
        return run.bases.get(of, []) if isinstance(of, Class) else []

    found: Object = cls
    return linearized(found, bases)[0]


def make_function(run: Run, frame: Frame, node: LN) -> Function:
    """The function that a ``def`` or ``lambda`` makes; its defaults are evaluated now."""
    made = Function(id(node), frame.number)
    for binding in run.scopes[made.node][0].parameters:
        if binding.value:
            objects = expressions.evaluate(run, frame, binding.value[0])
            run.state.set(made, f"={binding.name}", objects)
            run.put(frame, (made, f"={binding.name}"), objects, binding.value[0], "item")
    run.waiting[made] = None
    return made


def enter(
    run: Run,
    frame: Frame,
    function: Function,
    given: Arguments | None,
    node: LN,
    receiver: Object | None,
) -> Objects:
    """Run a function's body for one call; None for ``given``: called by nobody knows whom.

    The first calls of a function are followed one by one, further ones together.
    """
    if function in run.active:
        # What it has returned so far; it is run again with the arguments that this call adds.
        active = run.frames[run.last[function]]
        if given is not None:
            _bind(run, frame, active, function, given, weakly=True)
        run.again.add(function)
        return run.state.get(active.number, RETURNED) or NOTHING
    if len(run.active) >= MAX_DEPTH or (run.active and run.steps > run.most_steps):
        run.cut += 1
        run.not_followed.add(function.node)
        return UNKNOWN
    run.entries[function.node] += 1
    together = run.entries[function.node] > MAX_ENTRIES
    key = (function.node,) if together else (function, frame.number, id(node))
    number = run.context(("call", key))
    again = together and number in run.frames
    scope, module = run.scopes[function.node]
    own = Frame(number, scope, module, run.frames[function.frame], run.names[function.node],
                number, receiver)  # fmt: skip
    run.frames[number] = own
    if not together:
        run.state.set(number, RETURNED, NOTHING)
        run.state.set(number, YIELDED, NOTHING)
    if _bind(run, frame, own, function, given, weakly=together) or not again:
        _run_body(run, own, function)
    if scope.is_generator:
        made = Container("generator", (number, 0))
        run.state.set(made, ITEMS, run.state.get(number, YIELDED) or NOTHING)
        run.stores.copy((number, YIELDED), (made, ITEMS))
        return frozenset({made})
    if is_async(scope.node):
        made = Container("coroutine", (number, 0))
        run.state.set(made, ITEMS, run.state.get(number, RETURNED) or NONE)
        run.stores.copy((number, RETURNED), (made, ITEMS))
        return frozenset({made})
    frame.reads.append((number, RETURNED))
    return run.state.get(number, RETURNED) or NONE


def _run_body(run: Run, own: Frame, function: Function) -> None:
    body = own.scope.node.children[-1]
    run.entered.add(function.node)
    run.active.append(function)
    before, run.last[function] = run.last.get(function, own.number), own.number
    for _ in range(MAX_REPEATS):
        run.again.discard(function)
        if own.scope.name == "<lambda>":
            objects = expressions.evaluate(run, own, body)
            run.state.add(own.number, RETURNED, objects)
            run.put(own, (own.number, RETURNED), objects, body, "return")
        elif statements.execute(run, own, body):
            run.state.add(own.number, RETURNED, NONE)
        run.state.join(own.left, or_none=True)
        own.left.clear()
        if function not in run.again:
            break
    run.active.pop()
    run.last[function] = before


def _bind(
    run: Run, frame: Frame, own: Frame, function: Function, given: Arguments | None, weakly: bool
) -> bool:
    """Store the arguments in the parameters; return whether the body may do anything new."""
    changed = False
    known = passed(own.scope, given.positional, given.keywords) if given is not None else None
    for binding in own.scope.parameters:
        if not binding.takes_one:
            _bind_rest(run, frame, own, binding, known, given)
            continue
        default = f"={binding.name}"
        objects = run.state.get(function, default)
        if given is None or known is None:
            unseen = frozenset({Unseen(f"{own.caller}({binding.name})")})
            objects = (objects or NOTHING) | unseen
            if own.receiver is not None and binding.element == (0,):
                objects = frozenset({own.receiver})
        elif binding in known.given:
            objects = known.given[binding]
        elif given.rest is not None:
            objects = (objects or NOTHING) | given.rest
        held = objects if objects is not None else UNKNOWN
        held = external.annotated(run, own, binding, held)
        if weakly:
            before = run.state.get(own.number, binding.name) or NOTHING
            run.state.add(own.number, binding.name, held)
            changed = changed or not {_shape(x) for x in held} <= {_shape(x) for x in before}
        else:
            run.state.set(own.number, binding.name, held)
        reads = [*frame.reads, (function, default)] if given is not None else [(function, default)]
        run.stores.put((own.number, binding.name), held, binding.node, "parameter", own.scope,
                       own.module, reads)  # fmt: skip
    return changed


def _shape(found: Object) -> object:
    """The same for objects with which a function does the same."""
    if isinstance(found, Result):
        return Result, found.callee
    if isinstance(found, Instance):
        return Instance, found.cls
    if isinstance(found, Container):
        return Container, found.kind
    return Unseen if isinstance(found, Unseen) else found


def _bind_rest(
    run: Run,
    frame: Frame,
    own: Frame,
    binding: Binding,
    known: Passed[Objects] | None,
    given: Arguments | None,
) -> None:
    before = binding.node.prev_sibling or binding.node.parent.prev_sibling
    names = binding.takes == "names"
    made = Container("dict" if names else "tuple", run.site(own, binding.node))
    if given is None or known is None:
        run.state.set(made, ITEMS, UNKNOWN)
    elif names:
        for name, objects in known.names.items():
            run.state.set(made, Constant("str", name), objects)
    else:
        for index, objects in enumerate(known.places):
            run.state.set(made, Constant("int", index), objects)
    if given is not None and given.rest is not None:
        run.state.add(made, ITEMS, given.rest)
    items = NOTHING.union(*run.state.all(made).values())
    run.fill(frame, made, items, before or binding.node.parent)
    run.state.set(own.number, binding.name, frozenset({made}))
