"""execute: statements in the order in which they run, with branches joined behind them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from fissix.pgen2 import token
from fissix.pygram import python_symbols as symbols
from fissix.pytree import Leaf

from ..files.import_path import ImportTarget
from ..names.bound_names import captured_names, imported_from, imported_items, loop_parts
from ..names.definition import class_bases, decorators, exports
from ..names.module import Module as SourceModule
from ..syntax.tree import LN, is_name, leaves, walk
from . import calls, expressions, external
from .objects import (
    NOTHING,
    UNKNOWN,
    Builtin,
    Class,
    Constant,
    Container,
    External,
    Function,
    Instance,
    Module,
    Object,
    Objects,
    Result,
    Unknown,
    Unseen,
    Wrapped,
)
from .run import ITEMS, MAX_ROUNDS, RETURNED, Frame, Run
from .state import Place, Written

_LISTS = {symbols.testlist, symbols.exprlist, symbols.testlist_star_expr, symbols.testlist_gexp,
          symbols.listmaker}  # fmt: skip
_BLOCKS = {symbols.suite, symbols.file_input}
_WRAPPERS = {"staticmethod", "classmethod", "property"}


def execute(run: Run, frame: Frame, node: LN) -> bool:
    """Run a statement or block; return False if what follows in its block is not reached."""
    run.steps += 1
    if node.type not in _BLOCKS:
        frame.reads = []
    if run.watched and id(node) in run.watched:
        return _watch(run, frame, node)
    return _execute(run, frame, node)


def _watch(run: Run, frame: Frame, node: LN) -> bool:
    behind = run.watched[id(node)]
    if not behind:
        run.look(frame, node)
    reached = _execute(run, frame, node)
    if behind:
        run.look(frame, node)
    return reached


def _execute(run: Run, frame: Frame, node: LN) -> bool:
    handler = _HANDLERS.get(node.type)
    if handler is not None:
        return handler(run, frame, node) is not False
    if not is_name(node):
        expressions.evaluate(run, frame, node)
    else:
        if node.value in ("break", "continue", "return", "raise"):
            return False
        if node.value != "pass":
            expressions.evaluate(run, frame, node)
    return True


def _block(run: Run, frame: Frame, node: LN) -> bool:
    return all(execute(run, frame, child) for child in node.children)


def _branches(run: Run, frame: Frame, ways: Sequence[Callable[[], object]], or_none: bool) -> bool:
    """Go each way from the same state, then on from those that come to their end, if any do.

    The others are joined where the loop or the function is left.
    """
    through: list[Written] = []
    for way in ways:
        run.state.fork()
        reached = way()
        (frame.left if reached is False else through).append(run.state.end())
    run.state.join(through, or_none)
    return or_none or bool(through)


# ---------------------------------------------------------------- assignments


def assign(run: Run, frame: Frame, target: LN, objects: Objects) -> None:
    """Store ``objects`` in a target: a name, an attribute, an item, or several of these."""
    if is_name(target):
        run.write(frame, target.value, objects, target)
    elif target.type in _LISTS:
        _unpack(run, frame, [c for c in target.children if c.type != token.COMMA], objects, target)
    elif target.type == symbols.atom and target.children[0].type in (token.LPAR, token.LSQB):
        inner = target.children[1]
        if inner.type in _LISTS or target.children[0].type == token.LPAR:
            assign(run, frame, inner, objects)
        else:
            _unpack(run, frame, [inner], objects, target)
    elif target.type == symbols.star_expr:
        assign(run, frame, target.children[1], objects)
    elif target.type == symbols.power:
        last = target.children[-1]
        if last.type != symbols.trailer:
            return
        owner = expressions.evaluate_chain(run, frame, target.children[:-1])
        if last.children[0].type == token.DOT:
            store_attribute(run, frame, owner, last.children[1].value, objects, target)
        elif last.children[0].type == token.LSQB:
            _store_item(run, frame, owner, last, objects)


def _store_item(run: Run, frame: Frame, owners: Objects, last: LN, objects: Objects) -> None:
    index = last.children[1]
    if index.type in (token.COLON, symbols.subscript):
        for owner in run.in_order(owners):
            if isinstance(owner, Container):
                expressions.forget_order(run, owner)
                items = expressions.items_of(run, frame, objects, last)
                run.state.add(owner, ITEMS, items)
                run.fill(frame, owner, items, last.parent or last)
        return
    keys = expressions.evaluate(run, frame, index)
    expressions.store_item(run, frame, owners, keys, objects, last.parent or last)
    instances = frozenset(owner for owner in owners if isinstance(owner, Instance))
    methods = expressions.load_attribute(run, frame, instances, "__setitem__")
    calls.call(run, frame, methods, calls.Arguments([keys, objects]), last)


def store_attribute(
    run: Run, frame: Frame, owners: Objects, name: str, objects: Objects, node: LN
) -> None:
    """Store in ``name`` of each of ``owners``; ``node``: the target, or the call that does it."""
    if not owners:
        run.put(frame, (id(node), name), objects, node, "attribute")
    for owner in run.in_order(owners):
        place: Place = (owner, name)
        if isinstance(owner, Module):
            top = run.modules.get(owner.name)
            if top is not None:
                place = (top.owner, name)
                run.state.add(*place, objects)
        elif isinstance(owner, Container) and owner.kind == "namespace":
            run.state.set(owner, Constant("str", name), objects)
            place = (owner, ITEMS)
        elif len(owners) == 1 and not isinstance(owner, Unknown):
            run.state.set(*place, objects)
        elif not isinstance(owner, Unknown):
            run.state.add(*place, objects)
        run.put(frame, place, objects, node, "attribute")


def _unpack(run: Run, frame: Frame, targets: Sequence[LN], objects: Objects, node: LN) -> None:
    fixed = expressions.fixed_items(run, objects)
    star = next((i for i, t in enumerate(targets) if t.type == symbols.star_expr), None)
    if fixed is None or (len(fixed) != len(targets) and star is None):
        items = expressions.items_of(run, frame, objects, node)
        for target in targets:
            if target.type == symbols.star_expr:
                assign(run, frame, target, _list(run, frame, target, [], items))
            else:
                assign(run, frame, target, items)
        return
    if star is not None:
        after = len(targets) - star - 1
        middle = fixed[star : len(fixed) - after]
        rest = _list(run, frame, targets[star], middle, None)
        fixed = [*fixed[:star], rest, *fixed[len(fixed) - after :]]
    for target, item in zip(targets, fixed, strict=False):
        assign(run, frame, target, item)


def _list(
    run: Run, frame: Frame, node: LN, items: Sequence[Objects], rest: Objects | None
) -> Objects:
    made = Container("list", run.site(frame, node))
    for index, item in enumerate(items):
        run.state.set(made, Constant("int", index), item)
        run.fill(frame, made, item, node)
    if rest is not None:
        run.state.add(made, ITEMS, rest)
        run.fill(frame, made, rest, node)
    return frozenset({made})


def _expression(run: Run, frame: Frame, node: LN) -> None:
    children = node.children
    if children[1].type == symbols.annassign:
        parts = children[1].children
        if len(parts) > 3:
            assign(run, frame, children[0], expressions.evaluate(run, frame, parts[3]))
    elif children[1].type == token.EQUAL:
        objects = expressions.evaluate(run, frame, children[-1])
        for target in children[:-1:2]:
            assign(run, frame, target, objects)
    else:
        added = expressions.evaluate(run, frame, children[2])
        before = expressions.evaluate(run, frame, children[0])
        for owner in run.in_order(before):
            if isinstance(owner, Container):
                items = expressions.items_of(run, frame, added, node)
                run.state.add(owner, ITEMS, items)
                run.fill(frame, owner, items, node)
        if not any(isinstance(owner, Container) for owner in before):
            assign(run, frame, children[0], UNKNOWN)


def _delete(run: Run, frame: Frame, node: LN) -> None:
    targets = node.children[1]
    for target in targets.children if targets.type == symbols.exprlist else [targets]:
        if is_name(target):
            run.write(frame, target.value, NOTHING, None)
        elif target.type == symbols.power:
            for owner in expressions.evaluate_chain(run, frame, target.children[:-1]):
                if isinstance(owner, Container) and owner.kind != "dict":
                    expressions.forget_order(run, owner)


# ---------------------------------------------------------------- compound statements


def _if(run: Run, frame: Frame, node: LN) -> bool:
    ways: list[Callable[[], object]] = []
    children = node.children
    has_else = False
    index = 0
    while index < len(children):
        word = children[index].value
        if word == "else":
            has_else = True
            suite = children[index + 2]
            index += 3
        else:
            expressions.evaluate(run, frame, children[index + 1])
            suite = children[index + 3]
            index += 4
        ways.append(partial(execute, run, frame, suite))
    return _branches(run, frame, ways, or_none=not has_else)


def _loop(run: Run, frame: Frame, once: Callable[[], object], rest: Sequence[LN]) -> None:
    for _ in range(MAX_ROUNDS):
        before = len(frame.left)
        run.state.fork()
        once()
        run.state.join(frame.left[before:], or_none=True)
        del frame.left[before:]
        if not run.state.join([run.state.end()], or_none=True):
            break
    if rest:
        _branches(run, frame, [partial(execute, run, frame, rest[-1])], or_none=True)


def _while(run: Run, frame: Frame, node: LN) -> bool:
    def once() -> None:
        expressions.evaluate(run, frame, node.children[1])
        execute(run, frame, node.children[3])

    _loop(run, frame, once, node.children[4:])
    return not _is_endless(node)


def _is_endless(loop: LN) -> bool:
    """Whether a ``while`` has a test that always holds, and no ``break`` of its own."""
    test = loop.children[1]
    if not isinstance(test, Leaf) or test.value not in ("True", "1"):
        return False
    inside = walk(loop.children[3], skip={symbols.while_stmt, symbols.for_stmt, symbols.funcdef})
    return not any(is_name(leaf) and leaf.value == "break" for leaf in inside)


def _for(run: Run, frame: Frame, node: LN) -> None:
    target, iterable = loop_parts(node)
    objects = expressions.evaluate(run, frame, iterable)

    def once() -> None:
        assign(run, frame, target, expressions.items_of(run, frame, objects, iterable))
        execute(run, frame, node.children[5])

    _loop(run, frame, once, node.children[6:])


def _try(run: Run, frame: Frame, node: LN) -> bool:
    children = node.children
    ends: list[bool] = []

    def handled(way: Callable[[], bool]) -> bool:
        for place, objects in raised.items():
            run.state.add(*place, objects)
        ends.append(way())
        return ends[-1]

    def body() -> bool:
        ends.append(execute(run, frame, children[2]))
        return ends[-1]

    run.state.follow()
    _branches(run, frame, [body], or_none=True)
    # An exception may come between any two statements.
    raised = run.state.followed()
    handlers: list[Callable[[], object]] = []
    last = True
    for index, child in enumerate(children):
        if child.type == symbols.except_clause:
            handler = partial(_handler, run, frame, child.children, children[index + 2])
            handlers.append(partial(handled, handler))
        elif child.type == symbols.except_star_block:
            handler = partial(_handler, run, frame, child.children, child.children[-1])
            handlers.append(partial(handled, handler))
        elif is_name(child) and child.value == "except":
            handler = partial(execute, run, frame, children[index + 2])
            handlers.append(partial(handled, handler))
        elif is_name(child) and child.value == "else":
            ends[0] = execute(run, frame, children[index + 2]) and ends[0]
        elif is_name(child) and child.value == "finally":
            if handlers:
                _branches(run, frame, handlers, or_none=True)
                handlers = []
            last = execute(run, frame, children[index + 2])
    if handlers:
        _branches(run, frame, handlers, or_none=True)
    return last and any(ends)


def _handler(run: Run, frame: Frame, clause: Sequence[LN], body: LN) -> bool:
    for index, child in enumerate(clause):
        # `except A, b:` is Python 2's; with more names it binds none.
        old = child.type == token.COMMA and len(clause) == 4
        if old or (is_name(child) and child.value == "as"):
            assign(run, frame, clause[index + 1], UNKNOWN)
    return execute(run, frame, body)


def _with(run: Run, frame: Frame, node: LN) -> bool:
    leaving: list[Callable[[], object]] = []
    raised = calls.Arguments([UNKNOWN] * 3)  # what __exit__ is given
    for child in node.children[1:-2]:
        if child.type in (token.COMMA, token.LPAR, token.RPAR):
            continue
        manager = child.children[0] if child.type == symbols.with_item else child
        objects = expressions.evaluate(run, frame, manager)
        entered = NOTHING
        for found in run.in_order(objects):
            if isinstance(found, Instance):
                enter = expressions.load_attribute(run, frame, frozenset({found}), "__enter__")
                entered |= calls.call(run, frame, enter, calls.Arguments(), manager)
                leave = expressions.load_attribute(run, frame, frozenset({found}), "__exit__")
                leaving.append(partial(calls.call, run, frame, leave, raised, child))
            elif isinstance(found, Container) and found.kind == "generator":
                # A generator function is one under contextlib.contextmanager.
                only = frozenset({found})
                entered |= expressions.items_of(run, frame, only, manager)
            else:
                entered |= frozenset({found})  # files, tapes and locks enter as themselves
        if child.type == symbols.with_item:
            assign(run, frame, child.children[2], entered)
    reached = execute(run, frame, node.children[-1])
    for leave_one in reversed(leaving):
        leave_one()
    return reached


def _match(run: Run, frame: Frame, node: LN) -> None:
    subject = expressions.evaluate(run, frame, node.children[1])
    ways: list[Callable[[], object]] = []
    for case in node.children:
        if case.type == symbols.case_block:
            ways.append(partial(_case, run, frame, case, subject))
    _branches(run, frame, ways, or_none=True)


def _case(run: Run, frame: Frame, case: LN, subject: Objects) -> bool:
    for name in captured_names(case.children[1]):
        held = subject if name is case.children[1] else UNKNOWN
        run.write(frame, name.value, held, name)
    if case.children[2].type == symbols.guard:
        expressions.evaluate(run, frame, case.children[2].children[1])
    return execute(run, frame, case.children[-1])


# ---------------------------------------------------------------- simple statements


def _return(run: Run, frame: Frame, node: LN) -> bool:
    objects = expressions.evaluate(run, frame, node.children[1])
    run.state.add(frame.number, RETURNED, objects)
    run.put(frame, (frame.number, RETURNED), objects, node, "return")
    return False


def _raise(run: Run, frame: Frame, node: LN) -> bool:
    raised = expressions.evaluate(run, frame, node.children[1])
    classes = frozenset(found for found in raised if isinstance(found, Class))
    calls.call(run, frame, classes, calls.Arguments(), node)
    for child in node.children[2:]:
        if child.type != token.COMMA and not (is_name(child) and child.value == "from"):
            expressions.evaluate(run, frame, child)
    return False


def _several(run: Run, frame: Frame, node: LN) -> None:
    for child in node.children[1:]:
        if child.type not in (token.COMMA, token.RIGHTSHIFT):
            expressions.evaluate(run, frame, child)


def _nothing(run: Run, frame: Frame, node: LN) -> None:
    pass


# ---------------------------------------------------------------- definitions


def _decorated(run: Run, frame: Frame, node: LN) -> None:
    execute(run, frame, node.children[-1])


def _async(run: Run, frame: Frame, node: LN) -> None:
    execute(run, frame, node.children[-1])


def _function(run: Run, frame: Frame, node: LN) -> None:
    made: Objects = frozenset({calls.make_function(run, frame, node)})
    _define(run, frame, node, made)


def _class(run: Run, frame: Frame, node: LN) -> None:
    made = Class(id(node), frame.number)
    bases: list[Object] = []
    for base in class_bases(node):
        bases.extend(run.in_order(expressions.evaluate(run, frame, base)))
    run.bases[made] = [b for b in bases if isinstance(b, Class | External | Result)]
    scope, module = run.scopes[id(node)]
    number = run.context(("class", frame.number, id(node)))
    own = Frame(number, scope, module, frame, frame.caller, made)
    run.frames[number] = own
    execute(run, own, node.children[-1])
    _define(run, frame, node, frozenset({made}))


def _define(run: Run, frame: Frame, node: LN, objects: Objects) -> None:
    for decorator in reversed(decorators(node)):
        children = decorator.children
        if children[1].type == symbols.dotted_name:
            names = [leaf.value for leaf in leaves(children[1]) if is_name(leaf)]
            callee = run.read(frame, names[0])
            for name in names[1:]:
                callee = expressions.load_attribute(run, frame, callee, name)
        else:
            callee = expressions.evaluate(run, frame, children[1])
        if len(children) > 3:
            given = calls.arguments(run, frame, children[3:-2])
            callee = calls.call(run, frame, callee, given, decorator)
        objects = _wrapped(run, frame, objects, callee) or calls.call(
            run, frame, callee, calls.Arguments([objects]), node
        )
    run.write(frame, node.children[1].value, objects, None)


def _wrapped(run: Run, frame: Frame, objects: Objects, decorator: Objects) -> Objects:
    names = {d.name for d in decorator if isinstance(d, Builtin)}
    if len(decorator) == 1 and names <= _WRAPPERS and names:
        (how,) = names
        return frozenset(Wrapped(how, f) for f in objects if isinstance(f, Function))
    if any(not isinstance(d, Function | Class | Instance) for d in decorator):
        # What a decorator from elsewhere makes may be the function itself.
        for found in decorator:
            if isinstance(found, External):
                run.record(frame, found.name)
        if all(external.keeps(run, found) for found in decorator):
            return objects
        return objects | {Unseen(f"{run.names[x.node]}@") for x in objects
                          if isinstance(x, Function | Class)}  # fmt: skip
    return NOTHING


# ---------------------------------------------------------------- imports


def _import_name(run: Run, frame: Frame, node: LN) -> None:
    items = node.children[1]
    for item in items.children if items.type == symbols.dotted_as_names else [items]:
        if item.type == token.COMMA:
            continue
        name = item.children[0] if item.type == symbols.dotted_as_name else item
        parts = [leaf.value for leaf in leaves(name) if is_name(leaf)]
        found = [module_object(run, frame, ".".join(parts[: n + 1]), 0) for n in range(len(parts))]
        if item.type == symbols.dotted_as_name:
            alias = item.children[2]
            run.write(frame, alias.value, frozenset({found[-1]}), alias, "import")
        else:
            run.write(frame, parts[0], frozenset({found[0]}), next(leaves(name)), "import")


def _import_from(run: Run, frame: Frame, node: LN) -> None:
    name, level = imported_from(node)
    for item in imported_items(node):
        words = list(leaves(item))
        names = [leaf.value for leaf in words]
        source = module_object(run, frame, name, level)
        if names == ["*"]:
            if isinstance(source, Module):
                top = run.modules[source.name]
                for key, held in run.state.all(top.owner).items():
                    if isinstance(key, str) and key[:1] != "<" and exports(top.module, key):
                        run.state.set(frame.owner, key, held)
                        run.stores.copy((top.owner, key), (frame.owner, key))
            continue
        target = ImportTarget(f"{name}.{names[0]}" if name else names[0], level)
        objects = NOTHING
        if isinstance(source, Module):  # a variable of a package comes before a module in it
            place = (run.modules[source.name].owner, names[0])
            frame.reads.append(place)
            objects = run.state.get(*place) or NOTHING
        if not objects:
            submodule = run.find(frame.module, target)
            if submodule is not None:
                objects = frozenset({_imported(run, submodule)})
            elif isinstance(source, External):
                objects = frozenset({External(f"{source.name}.{names[0]}")})
        run.write(frame, names[-1], objects, words[-1], "import")


def module_object(run: Run, frame: Frame, name: str, level: int) -> Object:
    found = run.find(frame.module, ImportTarget(name, level))
    return _imported(run, found) if found is not None else External("." * level + name)


def _imported(run: Run, source: SourceModule) -> Object:
    run_module(run, source)
    return Module(source.name)


def member(run: Run, frame: Frame, module: str, name: str) -> Objects:
    """An attribute of a module of the project: a variable of it, or a module below it."""
    top = run.modules[module]
    found = run.state.get(top.owner, name)
    if found:
        frame.reads.append((top.owner, name))
        return found
    below = f"{module}.{name}"
    return frozenset({Module(below)}) if below in run.modules else NOTHING


def run_module(run: Run, source: SourceModule) -> None:
    """Run a module's statements when it is imported first."""
    if source.name in run.modules:
        return
    run.learn(source)
    number = run.context(("module", source.name))
    name = run.module_name(source)
    top = Frame(number, source.scopes.module, source, None, name, number)
    run.frames[number] = run.modules[source.name] = top
    _ = run.calls[name]
    execute(run, top, source.tree.root)


_HANDLERS: dict[int, Callable[[Run, Frame, LN], bool | None]] = {
    symbols.file_input: _block,
    symbols.suite: _block,
    symbols.simple_stmt: _block,
    symbols.expr_stmt: _expression,
    symbols.del_stmt: _delete,
    symbols.if_stmt: _if,
    symbols.while_stmt: _while,
    symbols.for_stmt: _for,
    symbols.try_stmt: _try,
    symbols.with_stmt: _with,
    symbols.match_stmt: _match,
    symbols.return_stmt: _return,
    symbols.raise_stmt: _raise,
    symbols.assert_stmt: _several,
    symbols.print_stmt: _several,
    symbols.exec_stmt: _nothing,
    symbols.global_stmt: _nothing,
    symbols.type_stmt: _nothing,
    symbols.decorated: _decorated,
    symbols.async_stmt: _async,
    symbols.async_funcdef: _async,
    symbols.funcdef: _function,
    symbols.classdef: _class,
    symbols.import_name: _import_name,
    symbols.import_from: _import_from,
    token.NEWLINE: _nothing,
    token.INDENT: _nothing,
    token.DEDENT: _nothing,
    token.SEMI: _nothing,
    token.ENDMARKER: _nothing,
}
