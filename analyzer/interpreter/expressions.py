"""evaluate: what an expression may be, and what evaluating it does to the state."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from functools import cache

from fissix.pgen2 import token
from fissix.pygram import python_symbols as symbols
from fissix.pytree import Leaf

from ..names.bound_names import loop_parts
from ..syntax.fstring import is_fstring, prefix_of
from ..syntax.tree import LN
from . import calls, statements
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
    Module,
    Object,
    Objects,
    Opaque,
    Result,
    Super,
    Unknown,
    Unseen,
    Wrapped,
)
from .run import ITEMS, YIELDED, Frame, Run

_LONGEST = 6  # dots in the name of something external
_CONSTANT_NAMES = {"None": None, "True": True, "False": False}
_DISPLAYS = {token.LPAR: "tuple", token.LSQB: "list", token.LBRACE: "set"}
_TUPLES = {symbols.testlist, symbols.testlist_star_expr, symbols.exprlist, symbols.testlist_gexp,
           symbols.subscriptlist, symbols.testlist_safe, symbols.testlist1,
           symbols.subject_expr}  # fmt: skip
_BOOLEAN = frozenset({Opaque("bool")})
_STRING = frozenset({Opaque("str")})
_TEMPLATE = frozenset({Opaque("Template")})  # PEP 750
_ADDITION = {symbols.arith_expr, symbols.term, symbols.factor, symbols.expr, symbols.xor_expr,
             symbols.and_expr, symbols.shift_expr}  # fmt: skip


def evaluate(run: Run, frame: Frame, node: LN) -> Objects:
    if isinstance(node, Leaf):
        return _leaf(run, frame, node)
    kind = node.type
    if kind == symbols.power:
        return evaluate_chain(run, frame, node.children)
    if kind == symbols.atom:
        return _atom(run, frame, node)
    if kind in _TUPLES:
        if any(child.type == symbols.comp_for for child in node.children):
            return comprehension(run, frame, node, "generator")
        return _display(run, frame, node, "tuple", node.children)
    if kind == symbols.test:
        first, condition, last = node.children[0], node.children[2], node.children[4]
        evaluate(run, frame, condition)
        return evaluate(run, frame, first) | evaluate(run, frame, last)
    if kind in (symbols.or_test, symbols.and_test):
        found = NOTHING
        for child in node.children[::2]:
            found |= evaluate(run, frame, child)
        return found
    if kind == symbols.namedexpr_test:
        objects = evaluate(run, frame, node.children[2])
        statements.assign(run, frame, node.children[0], objects)
        return objects
    if kind in (symbols.lambdef, symbols.old_lambdef):
        return frozenset({calls.make_function(run, frame, node)})
    if kind in (symbols.yield_expr, symbols.yield_stmt):
        return _yield(run, frame, node.children)
    if kind == symbols.star_expr:
        return items_of(run, frame, evaluate(run, frame, node.children[1]), node)
    parts = [evaluate(run, frame, c) for c in node.children if not _is_operator(c)]
    if kind in (symbols.comparison, symbols.not_test):
        return _BOOLEAN
    if kind == symbols.factor and node.children[0].type == token.MINUS and len(parts[0]) == 1:
        (operand,) = parts[0]
        if isinstance(operand, Constant) and isinstance(operand.value, int | float):
            return frozenset({Constant(operand.kind, -operand.value)})
    if kind in _ADDITION:
        return _operated(run, frame, node, parts)
    return UNKNOWN


def _is_operator(node: LN) -> bool:
    return node.type == symbols.comp_op or (
        isinstance(node, Leaf)
        and (node.type not in (token.NAME, token.NUMBER, token.STRING) or node.value in _WORDS)
    )


_WORDS = {"not", "in", "is", "and", "or", "if", "else", "from", "await", "print"}


def _leaf(run: Run, frame: Frame, leaf: Leaf) -> Objects:
    if leaf.type == token.NAME:
        if leaf.value == "yield":
            run.state.add(frame.number, YIELDED, NONE)
            return UNKNOWN
        if leaf.value in _CONSTANT_NAMES:
            value = _CONSTANT_NAMES[leaf.value]
            return frozenset({Constant(type(value).__name__, value)})
        return run.read(frame, leaf.value)
    if is_fstring(leaf):
        for node in frame.module.tree.fields(leaf) or ():
            evaluate(run, frame, node)
        return _TEMPLATE if "t" in prefix_of(leaf) else _STRING
    if leaf.type in (token.NUMBER, token.STRING):
        return frozenset({constant(leaf.value)})
    return UNKNOWN


@cache
def constant(text: str) -> Object:
    """The object that a literal means."""
    if "\\" in text:  # escapes that Python does not know are warned about
        return Opaque("bytes" if "b" in text[:2].lower() else "str")
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return Opaque("str" if text[-1:] in "\"'" else "int")
    if isinstance(value, str | bytes | int | float | complex):
        return Constant(type(value).__name__, value)
    return Opaque("str")


def _atom(run: Run, frame: Frame, node: LN) -> Objects:
    opening, closing = node.children[0], node.children[-1]
    if opening.type == token.STRING:
        return _STRING
    if opening.type == token.BACKQUOTE:
        evaluate(run, frame, node.children[1])
        return _STRING
    if opening.type not in _DISPLAYS:
        return UNKNOWN
    inner = node.children[1]
    if opening.type == token.LBRACE and (inner is closing or _is_dict(inner)):
        return _dict(run, frame, node, inner if inner is not closing else None)
    kind = _DISPLAYS[opening.type]
    if inner is closing:
        return frozenset({_container(run, frame, node, kind)})
    if any(child.type == symbols.comp_for for child in inner.children):
        return comprehension(run, frame, inner, "generator" if kind == "tuple" else kind)
    if inner.type in (symbols.testlist_gexp, symbols.listmaker, symbols.dictsetmaker):
        return _display(run, frame, inner, kind, inner.children)
    if kind == "tuple":
        return evaluate(run, frame, inner)
    return _display(run, frame, node, kind, [inner])


def _is_dict(inner: LN) -> bool:
    return inner.type == symbols.dictsetmaker and any(
        child.type in (token.COLON, token.DOUBLESTAR) for child in inner.children
    )


def _container(run: Run, frame: Frame, node: LN, kind: str) -> Container:
    made = Container(kind, run.site(frame, node))
    for name in run.state.all(made):  # the one of an earlier round of a loop
        run.state.set(made, name, NOTHING)
    return made


def _display(run: Run, frame: Frame, node: LN, kind: str, children: Sequence[LN]) -> Objects:
    values: list[Objects] = []
    certain = True
    for child in children:
        if child.type == token.COMMA:
            continue
        if child.type == symbols.star_expr:
            objects = evaluate(run, frame, child.children[1])
            fixed = fixed_items(run, objects)
            certain = certain and fixed is not None
            values += fixed if fixed is not None else [items_of(run, frame, objects, child)]
        else:
            values.append(evaluate(run, frame, child))
    made = _container(run, frame, node, kind)
    for index, objects in enumerate(values):
        if kind == "set" or not certain:
            run.state.add(made, ITEMS, objects)
        else:
            run.state.set(made, Constant("int", index), objects)
    run.fill(frame, made, NOTHING.union(*values), node)
    return frozenset({made})


def fixed_items(run: Run, objects: Objects) -> list[Objects] | None:
    """The items in order, if every one of ``objects`` is a sequence of the same known length."""
    sequences = []
    for found in objects:
        if not isinstance(found, Container) or found.kind not in ("tuple", "list"):
            return None
        stored = {k: v for k, v in run.state.all(found).items() if v or k != ITEMS}
        if ITEMS in stored:
            return None
        sequences.append([stored.get(Constant("int", i)) for i in range(len(stored))])
    if not sequences or len({len(s) for s in sequences}) != 1:
        return None
    merged: list[Objects] = []
    for column in zip(*sequences, strict=True):
        if None in column:
            return None
        merged.append(frozenset().union(*(c for c in column if c is not None)))
    return merged


def _dict(run: Run, frame: Frame, node: LN, inner: LN | None) -> Objects:
    if inner is not None and any(c.type == symbols.comp_for for c in inner.children):
        return comprehension(run, frame, inner, "dict")
    pairs: list[tuple[Objects, Objects]] = []
    children = iter(inner.children if inner is not None else ())
    for first in children:
        if first.type == token.COMMA:
            continue
        if first.type == token.DOUBLESTAR:
            for key, value in _pairs(run, evaluate(run, frame, next(children))):
                pairs.append((key, value))
            continue
        key = evaluate(run, frame, first)
        next(children)
        pairs.append((key, evaluate(run, frame, next(children))))
    made = _container(run, frame, node, "dict")
    run.fill(frame, made, NOTHING.union(*(value for _, value in pairs)), node)
    for key, value in pairs:
        _set_item(run, made, key, value)
    return frozenset({made})


def _pairs(run: Run, objects: Objects) -> Iterator[tuple[Objects, Objects]]:
    for found in run.in_order(objects):
        if isinstance(found, Container):
            for key, value in run.state.all(found).items():
                yield (frozenset({key}) if isinstance(key, Constant) else UNKNOWN), value


def update(run: Run, frame: Frame, target: Container, source: Objects, node: LN) -> None:
    frame.reads += [(found, ITEMS) for found in source if isinstance(found, Container)]
    for key, value in _pairs(run, source):
        store_item(run, frame, frozenset({target}), key, value, node)


def store_item(
    run: Run, frame: Frame, owners: Objects, keys: Objects, value: Objects, node: LN
) -> None:
    for owner in run.in_order(owners):
        if not isinstance(owner, Container):
            run.put(frame, (owner, ITEMS), value, node, "item")
            continue
        run.fill(frame, owner, value, node)
        _set_item(run, owner, keys, value, only=len(owners) == 1)


def _set_item(run: Run, owner: Container, keys: Objects, value: Objects, only: bool = True) -> None:
    """``only``: it is this container whose item is set, not one of several."""
    constants = [key for key in run.in_order(keys) if isinstance(key, Constant)]
    if len(keys) == len(constants) == 1 and only:
        run.state.set(owner, _index(run, owner, constants[0]), value)
        return
    for key in constants:
        run.state.add(owner, _index(run, owner, key), value)
    if len(constants) < len(keys) or not keys:
        run.state.add(owner, ITEMS, value)


def _index(run: Run, owner: Container, key: Constant) -> Constant:
    """The key under which an item is stored: negative indices count from the end."""
    if owner.kind != "dict" and key.kind == "int" and isinstance(key.value, int) and key.value < 0:
        length = sum(isinstance(k, Constant) for k in run.state.all(owner))
        return Constant("int", length + key.value)
    return key


def forget_order(run: Run, owner: Container) -> Objects:
    """From now on any item of ``owner`` may be at any place; return them all."""
    items = NOTHING.union(*run.state.all(owner).values())
    for key in run.state.all(owner):
        run.state.set(owner, key, NOTHING)
    run.state.set(owner, ITEMS, items)
    return items


def load_item(run: Run, frame: Frame, owners: Objects, index: LN, node: LN) -> Objects:
    if index.type in (token.COLON, symbols.subscript):
        return _slice(run, frame, owners, index, node)
    keys = evaluate(run, frame, index)
    found = NOTHING
    for owner in run.in_order(owners):
        if isinstance(owner, Container):
            stored = run.state.all(owner)
            frame.reads.append((owner, ITEMS))
            rest = stored.get(ITEMS, NOTHING)
            if keys and all(isinstance(key, Constant) for key in keys):
                for key in keys:
                    assert isinstance(key, Constant)
                    found |= stored.get(_index(run, owner, key), NOTHING)
            else:
                found |= NOTHING.union(*stored.values()) if stored else NOTHING
            found |= rest
        elif isinstance(owner, Instance):
            methods = load_attribute(run, frame, frozenset({owner}), "__getitem__")
            found |= calls.call(run, frame, methods, calls.Arguments([keys]), node)
        elif isinstance(owner, Result | Unseen | External):
            found |= item_of(owner)
        elif isinstance(owner, Class | Builtin):
            found |= frozenset({owner})  # list[int], Generic[T]
        else:
            found |= UNKNOWN
    return found


def _slice(run: Run, frame: Frame, owners: Objects, index: LN, node: LN) -> Objects:
    bounds: list[int | None] = []
    known = True
    children = list(index.children) if index.children else [index]
    if any(child.type == symbols.sliceop for child in children):
        known = False
    colon = next(i for i, c in enumerate(children) if c.type == token.COLON)
    for part in (children[:colon], children[colon + 1 : colon + 2]):
        part = [c for c in part if c.type != symbols.sliceop]
        objects = evaluate(run, frame, part[0]) if part else NONE
        (only,) = objects if len(objects) == 1 else (Unknown(),)
        known = known and isinstance(only, Constant) and isinstance(only.value, int | None)
        bounds.append(only.value if isinstance(only, Constant) else None)  # type: ignore[arg-type]
    made = _container(run, frame, node, "list")
    fixed = fixed_items(run, owners)
    if known and fixed is not None:
        frame.reads += [(found, ITEMS) for found in owners]
        for number, objects in enumerate(fixed[bounds[0] : bounds[1]]):
            run.state.set(made, Constant("int", number), objects)
            run.fill(frame, made, objects, node)
    else:
        items = items_of(run, frame, owners, node)
        run.state.add(made, ITEMS, items)
        run.fill(frame, made, items, node)
    return frozenset({made})


def comprehension(run: Run, frame: Frame, inner: LN, kind: str) -> Objects:
    scope = frame.module.scopes.opened_by(inner)
    assert scope is not None
    number = run.context(("comprehension", frame.number, id(inner)))
    own = Frame(number, scope, frame.module, frame, frame.caller, number, frame.receiver,
                reads=frame.reads)  # fmt: skip
    run.frames[number] = own
    made = _container(run, frame, inner, kind)
    clause = next(child for child in inner.children if child.type == symbols.comp_for)
    outside = frame
    while True:
        if clause.type == symbols.comp_for:
            target, iterable = loop_parts(clause)
            objects = evaluate(run, outside, iterable)
            statements.assign(run, own, target, items_of(run, outside, objects, iterable))
            outside = own
        elif clause.type == symbols.comp_if:
            evaluate(run, own, clause.children[1])
        last = clause.children[-1]
        if last.type not in (symbols.comp_for, symbols.comp_if, symbols.comp_iter):
            break
        clause = last
    element = inner.children[2 if kind == "dict" and len(inner.children) > 3 else 0]
    if kind == "dict" and len(inner.children) > 3:
        evaluate(run, own, inner.children[0])
    objects = evaluate(run, own, element)
    run.state.add(made, ITEMS, objects)
    run.fill(own, made, objects, inner)
    return frozenset({made})


def _yield(run: Run, frame: Frame, children: Sequence[LN]) -> Objects:
    argument = children[1]
    if argument.type == symbols.yield_arg and argument.children[0].type == token.NAME:
        objects = items_of(run, frame, evaluate(run, frame, argument.children[1]), argument)
    else:
        objects = evaluate(run, frame, argument)
    run.state.add(frame.number, YIELDED, objects)
    run.put(frame, (frame.number, YIELDED), objects, argument, "return")
    return UNKNOWN


def _operated(run: Run, frame: Frame, node: LN, parts: Sequence[Objects]) -> Objects:
    containers = [x for p in parts for x in run.in_order(p) if isinstance(x, Container)]
    if containers:
        made = _container(run, frame, node, containers[0].kind)
        for found in containers:
            if found.kind == "dict":
                update(run, frame, made, frozenset({found}), node)
            else:
                items = items_of(run, frame, frozenset({found}), node)
                run.state.add(made, ITEMS, items)
                run.fill(frame, made, items, node)
        return frozenset({made})
    if all(len(p) == 1 and isinstance(next(iter(p)), Constant | Opaque) for p in parts):
        kinds = {getattr(x, "kind", "") for p in parts for x in p}
        if kinds <= {"int", "float", "bool"}:
            return frozenset({Opaque("float" if "float" in kinds else "int")})
        if "str" in kinds:
            return _STRING
    return UNKNOWN


def evaluate_chain(run: Run, frame: Frame, children: Sequence[LN]) -> Objects:
    """An atom with the trailers behind it, ``await`` before and ``**`` after it."""
    nodes = list(children)
    if nodes[0].type == token.AWAIT:
        awaited = evaluate_chain(run, frame, nodes[1:])
        return items_of(run, frame, awaited, nodes[0]) if awaited else NOTHING
    exponent = next((i for i, n in enumerate(nodes) if n.type == token.DOUBLESTAR), None)
    if exponent is not None:
        evaluate(run, frame, nodes[exponent + 1])
        base = evaluate_chain(run, frame, nodes[:exponent])
        return _operated(run, frame, nodes[0], [base])
    objects = evaluate(run, frame, nodes[0])
    for trailer in nodes[1:]:
        opening = trailer.children[0].type
        if opening == token.DOT:
            name = trailer.children[1].value
            following = trailer.next_sibling
            called = following is not None and following.type == symbols.trailer and (
                following.children[0].type == token.LPAR)  # fmt: skip
            for owner in objects:
                if isinstance(owner, Result | Unseen | External):
                    place = frame.module, trailer
                    run.uses[owner].setdefault(f"{name}()" if called else name, place)
            objects = load_attribute(run, frame, objects, name)
        elif opening == token.LPAR:
            arguments = calls.arguments(run, frame, trailer.children[1:-1])
            objects = calls.call(run, frame, objects, arguments, trailer)
        else:
            objects = load_item(run, frame, objects, trailer.children[1], trailer)
    return objects


# ---------------------------------------------------------------- attributes


def load_attribute(run: Run, frame: Frame, owners: Objects, name: str) -> Objects:
    found = NOTHING
    for owner in run.in_order(owners):
        found |= _attribute(run, frame, owner, name)
    return found


def _attribute(run: Run, frame: Frame, owner: Object, name: str) -> Objects:
    if isinstance(owner, Module):
        return statements.member(run, frame, owner.name, name)
    if isinstance(owner, Instance | Result | Unseen | External | Class | Function):
        stored = run.state.get(owner, name)
        if stored:
            frame.reads.append((owner, name))
            return stored if not isinstance(owner, Class) else NOTHING.union(
                *(_bound(run, frame, x, owner) for x in run.in_order(stored))
            )  # fmt: skip
    if isinstance(owner, External | Result):
        base = owner.name if isinstance(owner, External) else run.type_of(owner) or owner.callee
        # `node = node.parent` in a loop would make longer and longer names.
        if base.count(".") > _LONGEST:
            return UNKNOWN
        return frozenset({External(f"{base}.{name}", owner if isinstance(owner, Result) else None)})
    if isinstance(owner, Unseen):
        return longer(owner, f".{name}")
    if isinstance(owner, Instance):
        return _of_class(run, frame, calls.ancestors(run, owner.cls), name, owner)
    if isinstance(owner, Class):
        return _of_class(run, frame, calls.ancestors(run, owner), name, owner)
    if isinstance(owner, Super):
        cls = owner.receiver.cls if isinstance(owner.receiver, Instance) else owner.receiver
        order = calls.ancestors(run, cls)
        behind = order[order.index(owner.cls) + 1 :] if owner.cls in order else []
        return _of_class(run, frame, behind, name, owner.receiver)
    if isinstance(owner, Container):
        if owner.kind == "namespace":
            frame.reads.append((owner, ITEMS))
            return run.state.get(owner, Constant("str", name)) or UNKNOWN
        return frozenset({BuiltinMethod(owner.kind, name, owner)})
    if owner in NONE:
        return NOTHING
    if isinstance(owner, Constant | Opaque):
        return frozenset({BuiltinMethod(owner.kind, name, owner)})
    if isinstance(owner, Method) and name == "__self__":
        return frozenset({owner.receiver})
    return UNKNOWN


def _of_class(
    run: Run, frame: Frame, order: Sequence[Object], name: str, receiver: Instance | Class
) -> Objects:
    for cls in order:
        if isinstance(cls, Class):
            stored = run.state.get(cls, name)
            if stored:
                frame.reads.append((cls, name))
                return NOTHING.union(
                    *(_bound(run, frame, x, receiver) for x in run.in_order(stored))
                )
        elif isinstance(cls, External):
            owner = receiver if isinstance(receiver, Instance) else None
            return frozenset({External(f"{cls.name}.{name}", owner)})
    return NOTHING


def _bound(run: Run, frame: Frame, found: Object, receiver: Instance | Class) -> Objects:
    """What an attribute of a class is when it is asked of ``receiver``."""
    if isinstance(found, Wrapped):
        if found.how == "staticmethod":
            return frozenset({found.function})
        if found.how == "classmethod":
            cls = receiver.cls if isinstance(receiver, Instance) else receiver
            return frozenset({Method(found.function, cls)})
        if isinstance(receiver, Instance):
            method: Objects = frozenset({Method(found.function, receiver)})
            node = run.scopes[found.function.node][0].node
            return calls.call(run, frame, method, calls.Arguments(), node, recorded=False)
        return UNKNOWN
    if isinstance(found, Function) and isinstance(receiver, Instance):
        return frozenset({Method(found, receiver)})
    return frozenset({found})


# ---------------------------------------------------------------- iteration


def items_of(run: Run, frame: Frame, objects: Objects, node: LN) -> Objects:
    """What iterating over ``objects`` may give."""
    found = NOTHING
    for iterated in run.in_order(objects):
        if isinstance(iterated, Container):
            stored = run.state.all(iterated)
            frame.reads.append((iterated, ITEMS))
            if iterated.kind == "dict":
                found |= frozenset(key for key in stored if isinstance(key, Constant))
                found |= UNKNOWN if ITEMS in stored else NOTHING
            else:
                found = found.union(*stored.values())
        elif isinstance(iterated, Instance):
            found |= _iterated(run, frame, iterated, node)
        elif isinstance(iterated, Result | Unseen | External):
            found |= item_of(iterated)
        elif isinstance(iterated, Constant | Opaque):
            found |= _STRING if iterated.kind == "str" else UNKNOWN
        else:
            found |= UNKNOWN
    return found


def item_of(owner: Result | Unseen | External) -> Objects:
    """An item of something that is not of the project."""
    if isinstance(owner, Unseen):
        return longer(owner, "[]")
    name = owner.callee if isinstance(owner, Result) else owner.name
    if name.count("[]") > _LONGEST:
        return UNKNOWN
    site = owner.site if isinstance(owner, Result) else (0, 0)
    return frozenset({Result(f"{name}[]", site)})


def longer(found: Unseen, step: str) -> Objects:
    """What is one step away from something unseen; unknown if that is many steps from its root."""
    steps = found.path.count(".") + found.path.count("[]") + found.path.count("()")
    return frozenset({Unseen(found.path + step)}) if steps < 2 * _LONGEST else UNKNOWN


def _iterated(run: Run, frame: Frame, instance: Instance, node: LN) -> Objects:
    start = load_attribute(run, frame, frozenset({instance}), "__iter__")
    if not start:
        return UNKNOWN
    iterators = calls.call(run, frame, start, calls.Arguments(), node)
    found = NOTHING
    for iterator in run.in_order(iterators):
        if isinstance(iterator, Instance):
            step = load_attribute(run, frame, frozenset({iterator}), "__next__") or (
                load_attribute(run, frame, frozenset({iterator}), "next")
            )
            found |= calls.call(run, frame, step, calls.Arguments(), node)
        else:
            found |= items_of(run, frame, frozenset({iterator}), node)
    return found
