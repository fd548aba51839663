"""Builtins: what calling the functions, classes and methods that Python comes with gives."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..syntax.tree import LN
from . import calls, expressions, statements
from .objects import (
    NONE,
    NOTHING,
    UNKNOWN,
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
    Opaque,
    Result,
    Super,
    Wrapped,
)
from .run import ITEMS, Frame, Run

if TYPE_CHECKING:
    from .calls import Arguments

# They call the functions that they are given.
_HIGHER_ORDER = {"map", "filter", "sorted", "min", "max", "reduce"}
_SEQUENCES = {"list", "tuple", "set", "frozenset", "sorted", "iter", "reversed", "filter"}
_SCALARS = {"str": "str", "repr": "str", "len": "int", "int": "int", "float": "float",
            "bool": "bool", "isinstance": "bool", "callable": "bool", "hasattr": "bool",
            "input": "str", "format": "str", "chr": "str", "ord": "int", "hash": "int",
            "id": "int"}  # fmt: skip
_REORDERING = {"insert", "pop", "reverse", "sort", "remove"}
_LABELS = {"str": "<**PyStr**>", "dict": "<**PyDict**>", "list": "<**PyList**>",
           "tuple": "<**PyTuple**>", "set": "<**PySet**>", "int": "<**PyNum**>",
           "float": "<**PyNum**>"}  # fmt: skip


def call(run: Run, frame: Frame, name: str, given: Arguments, node: LN) -> Objects:
    first = given.positional[0] if given.positional else NOTHING
    if name == "super":
        return _super(run, frame, given)
    if name in _HIGHER_ORDER:
        return _higher_order(run, frame, name, given, node)
    if name in _SEQUENCES:
        kind = {"tuple": "tuple", "set": "set", "frozenset": "set"}.get(name, "list")
        return _copied(run, frame, kind, first, node)
    if name == "dict":
        made = Container("dict", run.site(frame, node))
        if any(isinstance(found, Container) and found.kind == "dict" for found in first):
            expressions.update(run, frame, made, first, node)
        else:
            for pair in run.in_order(expressions.items_of(run, frame, first, node)):
                both = expressions.fixed_items(run, frozenset({pair})) or []
                if len(both) == 2:
                    expressions.store_item(run, frame, frozenset({made}), both[0], both[1], node)
        for key, objects in given.keywords.items():
            run.state.set(made, Constant("str", key), objects)
            run.fill(frame, made, objects, node)
        return frozenset({made})
    if name == "setattr" and len(given.positional) == 3:
        for wanted in run.in_order(given.positional[1]):
            if isinstance(wanted, Constant) and isinstance(wanted.value, str):
                statements.store_attribute(
                    run, frame, first, wanted.value, given.positional[2], node
                )
        return NONE
    if name == "next":
        return expressions.items_of(run, frame, first, node)
    if name in ("enumerate", "zip"):
        return _paired(run, frame, name, given, node)
    if name == "getattr" and len(given.positional) > 1:
        names = given.positional[1]
        found = given.positional[2] if len(given.positional) > 2 else NOTHING
        for wanted in run.in_order(names):
            if isinstance(wanted, Constant) and isinstance(wanted.value, str):
                found |= expressions.load_attribute(run, frame, first, wanted.value)
            else:
                modules = [x for x in first if isinstance(x, External) and x.owner is None]
                found |= frozenset(External(f"{x.name}.*") for x in modules) or UNKNOWN
        return found
    if name in ("staticmethod", "classmethod", "property"):
        return frozenset(Wrapped(name, f) for f in first if isinstance(f, Function))
    if name == "type" and len(given.positional) == 1:
        return NOTHING.union(*(_type(found) for found in first)) if first else UNKNOWN
    if name == "range":
        made = Container("list", run.site(frame, node))
        run.state.set(made, ITEMS, frozenset({Opaque("int")}))
        return frozenset({made})
    if name == "print":
        return NONE
    if name in _SCALARS:
        return frozenset({Opaque(_SCALARS[name])})
    return frozenset({Result(name, run.site(frame, node))}) if name[:1].isupper() else UNKNOWN


def _type(found: Object) -> Objects:
    return frozenset({found.cls}) if isinstance(found, Instance) else UNKNOWN


def _copied(run: Run, frame: Frame, kind: str, source: Objects, node: LN) -> Objects:
    made = Container(kind, run.site(frame, node))
    fixed = expressions.fixed_items(run, source) if kind in ("list", "tuple") else None
    if fixed is not None:
        for index, objects in enumerate(fixed):
            run.state.set(made, Constant("int", index), objects)
        frame.reads += [(found, ITEMS) for found in source]
        run.fill(frame, made, NOTHING.union(*fixed), node)
    elif source:
        items = expressions.items_of(run, frame, source, node)
        run.state.add(made, ITEMS, items)
        run.fill(frame, made, items, node)
    return frozenset({made})


def _paired(run: Run, frame: Frame, name: str, given: Arguments, node: LN) -> Objects:
    items = [expressions.items_of(run, frame, objects, node) for objects in given.positional]
    if name == "enumerate":
        items = [frozenset({Opaque("int")}), *items[:1]]
    pair = Container("tuple", run.site(frame, node))
    for index, objects in enumerate(items):
        run.state.add(pair, Constant("int", index), objects)
        run.fill(frame, pair, objects, node)
    made = Container("list", run.site(frame, node))
    run.state.add(made, ITEMS, frozenset({pair}))
    return frozenset({made})


def _higher_order(run: Run, frame: Frame, name: str, given: Arguments, node: LN) -> Objects:
    functions: Objects = frozenset(
        found for objects in given.all for found in objects
        if isinstance(found, Function | Method | Class | External)
    )  # fmt: skip
    items = NOTHING
    for objects in given.positional:
        if not objects & functions:
            items |= expressions.items_of(run, frame, objects, node)
    returned = calls.call(run, frame, functions, calls.Arguments([items]), node)
    if name in ("min", "max", "reduce"):
        return items
    made = Container("list", run.site(frame, node))
    given_back = returned if name == "map" else items
    run.state.add(made, ITEMS, given_back)
    run.fill(frame, made, given_back, node)
    return frozenset({made})


def _super(run: Run, frame: Frame, given: Arguments) -> Objects:
    function = frame
    while function.receiver is None and function.outer is not None:
        function = function.outer
    receiver = function.receiver
    if given.positional and len(given.positional) > 1:
        classes, receivers = given.positional[0], given.positional[1]
        return frozenset(
            Super(c, r) for c in classes if isinstance(c, Class)
            for r in receivers if isinstance(r, Instance | Class)
        )  # fmt: skip
    cls = function.outer.owner if function.outer is not None else None
    if isinstance(cls, Class) and isinstance(receiver, Instance | Class):
        return frozenset({Super(cls, receiver)})
    return UNKNOWN


def method(run: Run, frame: Frame, callee: BuiltinMethod, given: Arguments, node: LN) -> Objects:
    if callee.kind in _LABELS:
        run.record(frame, f"{_LABELS[callee.kind]}.{callee.name}")
    owner, name = callee.owner, callee.name
    first = given.positional[0] if given.positional else NOTHING
    frame.reads.append((owner, ITEMS))
    if not isinstance(owner, Container):
        return frozenset({Opaque("str")}) if callee.kind == "str" else UNKNOWN
    stored = run.state.all(owner)
    if name in ("append", "add", "appendleft"):
        known = sum(isinstance(key, Constant) for key in stored)
        if owner.kind == "list" and ITEMS not in stored and not run.active:
            run.state.set(owner, Constant("int", known), first)
        else:
            run.state.add(owner, ITEMS, first)
        run.fill(frame, owner, first, node)
        return NONE
    if owner.kind == "list" and name in _REORDERING:
        items = expressions.forget_order(run, owner)
        if name == "insert" and len(given.positional) > 1:
            run.state.add(owner, ITEMS, given.positional[1])
            run.fill(frame, owner, given.positional[1], node)
        return items if name == "pop" else NONE
    if name in ("extend", "update"):
        if owner.kind == "dict":
            expressions.update(run, frame, owner, first, node)
            for keyword, objects in given.keywords.items():
                run.state.set(owner, Constant("str", keyword), objects)
                run.fill(frame, owner, objects, node)
        else:
            items = expressions.items_of(run, frame, first, node)
            run.state.add(owner, ITEMS, items)
            run.fill(frame, owner, items, node)
        return NONE
    values = NOTHING.union(*stored.values())
    if name in ("get", "pop", "setdefault", "popitem", "popleft"):
        found = stored.get(ITEMS, NOTHING)
        for item in first:
            found |= stored.get(item, NOTHING) if isinstance(item, Constant) else values
        if owner.kind != "dict" or not first:
            found |= values
        if len(given.positional) > 1:
            found |= given.positional[1]
            if name == "setdefault":
                expressions.store_item(run, frame, frozenset({owner}), first, found, node)
        return found
    if name == "copy":
        made = Container(owner.kind, run.site(frame, node))
        for place, objects in stored.items():
            run.state.set(made, place, objects)
        run.stores.copy((owner, ITEMS), (made, ITEMS))
        return frozenset({made})
    if name in ("values", "keys", "items"):
        made = Container("list", run.site(frame, node))
        keys: Objects = frozenset(key for key in stored if isinstance(key, Constant))
        if name == "items":
            pair = Container("tuple", run.site(frame, node, 1))
            run.state.add(pair, Constant("int", 0), keys)
            run.state.add(pair, Constant("int", 1), values)
            run.stores.copy((owner, ITEMS), (pair, ITEMS))
            values = frozenset({pair})
        run.state.add(made, ITEMS, keys if name == "keys" else values)
        run.stores.copy((owner, ITEMS), (made, ITEMS))
        return frozenset({made})
    return UNKNOWN
