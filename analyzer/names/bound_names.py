"""bound_by: what a statement or an expression binds, in the scope in which it stands."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from fissix.pgen2 import token
from fissix.pygram import python_symbols as symbols
from fissix.pytree import Node

from ..files.import_path import ImportTarget
from ..syntax.tree import (
    LN,
    Expression,
    attribute_name,
    is_name,
    leaves,
)
from .scopes import Binding, Scope


def bound_by(node: Node, scope: Scope) -> Iterable[Binding]:
    """The bindings that a node makes by what it is itself."""
    make = _BINDERS.get(node.type)
    return make(node, scope) if make is not None else ()


def _targets(target: LN, value: Expression, kind: str, scope: Scope,
             path: tuple[int, ...] = ()) -> Iterator[Binding]:  # fmt: skip
    if is_name(target):
        yield Binding(target.value, kind, target, scope, value, path)
    elif target.type == symbols.power:
        name = attribute_name((target,))
        if name is not None:
            yield Binding(name, kind, target, scope, value, path)
    elif target.type in (symbols.testlist, symbols.exprlist, symbols.testlist_star_expr,
                         symbols.testlist_gexp, symbols.listmaker):  # fmt: skip
        items = [child for child in target.children if child.type != token.COMMA]
        starred = any(item.type == symbols.star_expr for item in items)
        for index, item in enumerate(items):
            # After a starred target the positions are not known: -1 stands for "some item".
            yield from _targets(item, value, kind, scope, (*path, -1 if starred else index))
    elif target.type in (symbols.atom, symbols.star_expr):
        for child in target.children:
            if child.type not in (token.LPAR, token.RPAR, token.LSQB, token.RSQB, token.STAR):
                inner = (*path, 0) if child.type not in _LISTS and _is_list(target) else path
                yield from _targets(child, value, kind, scope, inner)


_LISTS = {symbols.testlist_gexp, symbols.listmaker}


def _is_list(atom: LN) -> bool:
    return bool(atom.type == symbols.atom and atom.children[0].type == token.LSQB)


def _assignments(node: Node, scope: Scope) -> Iterator[Binding]:
    children = node.children
    if len(children) > 1 and children[1].type == symbols.annassign:
        parts = children[1].children
        value = (parts[3],) if len(parts) > 3 else ()
        if value or is_name(children[0]):
            yield from _targets(children[0], value, "assign", scope)
    elif len(children) == 3 and children[1].type != token.EQUAL:
        yield from _targets(children[0], (), "augment", scope)
    else:
        value = (children[-1],)
        for index in range(0, len(children) - 1, 2):
            if children[index + 1].type == token.EQUAL:
                yield from _targets(children[index], value, "assign", scope)


def _for(node: Node, scope: Scope) -> Iterator[Binding]:
    target, iterable = loop_parts(node)
    yield from _targets(target, (iterable,), "for", scope)


def loop_parts(node: LN) -> tuple[LN, LN]:
    """Target and iterable of a ``for`` statement or clause; ``async`` may stand before it."""
    at = next(i for i, c in enumerate(node.children) if is_name(c) and c.value == "for")
    return node.children[at + 1], node.children[at + 3]


def _with_item(node: Node, scope: Scope) -> Iterator[Binding]:
    yield from _targets(node.children[2], (node.children[0],), "with", scope)


def _with(node: Node, scope: Scope) -> Iterator[Binding]:
    # `with a as b:` is a with_item in fissix; older trees keep the three children in the statement.
    for index, child in enumerate(node.children):
        if is_name(child) and child.value == "as" and child.parent is node:
            value = (node.children[index - 1],)
            yield from _targets(node.children[index + 1], value, "with", scope)


def _except(node: Node, scope: Scope) -> Iterator[Binding]:
    # `except A, b:` binds in Python 2; with more names, or a comma at the end, it is Python 3.14's.
    if len(node.children) == 4:
        yield from _targets(node.children[3], (), "except", scope)


def _except_star(node: Node, scope: Scope) -> Iterator[Binding]:
    if is_name(node.children[3]):
        yield from _targets(node.children[4], (), "except", scope)


def _case(node: Node, scope: Scope) -> Iterator[Binding]:
    for name in captured_names(node.children[1]):
        yield Binding(name.value, "match", name, scope)


def captured_names(pattern: LN) -> Iterator[LN]:
    """The names that a pattern of a ``case`` binds, in order; the others in it are only read."""
    stack = [pattern]
    while stack:
        node = stack.pop()
        if is_name(node):
            if node.value not in _NO_CAPTURES:
                yield node
        elif node.type == symbols.as_pattern:
            stack += (node.children[2], node.children[0])
        elif node.type in (symbols.keyword_pattern, symbols.key_value_pattern):
            stack.append(node.children[2])
        elif node.type == symbols.class_pattern:
            stack.extend(reversed(node.children[1:]))
        elif node.type != symbols.attr:
            stack.extend(reversed(node.children))


_NO_CAPTURES = {"_", "None", "True", "False"}


def _alias(node: Node, scope: Scope) -> Iterator[Binding]:
    yield Binding(node.children[1].value, "type", node.children[1], scope)


def _type_names(node: Node, scope: Scope) -> Iterator[Binding]:
    for child in node.children[1:-1]:
        if child.type != token.COMMA:
            name = next(leaf for leaf in leaves(child) if is_name(leaf))
            yield Binding(name.value, "type", name, scope)


def _definition(node: Node, scope: Scope) -> Iterator[Binding]:
    kind = "class" if node.type == symbols.classdef else "function"
    yield Binding(node.children[1].value, kind, node, scope)


def parameters_of(node: LN, scope: Scope) -> Iterator[Binding]:
    """The parameters of a function, which are bound in its scope."""
    holder = node.children[1]
    if node.type == symbols.funcdef:
        holder = next(child for child in node.children if child.type == symbols.parameters)
    names = [holder] if is_name(holder) else list(holder.children)
    if node.type == symbols.funcdef:
        names = names[1:-1]
    if len(names) == 1 and names[0].type in (symbols.typedargslist, symbols.varargslist):
        names = list(names[0].children)
    found: list[Binding] = []
    index, after_equal, takes = 0, False, "any"
    for child in names:
        if child.type == token.COMMA:
            after_equal = False
            takes = "keyword" if index < 0 else "any"
        elif child.type in (token.STAR, token.DOUBLESTAR):
            index, takes = -1, "places" if child.type == token.STAR else "names"
        elif child.type == token.SLASH:
            found = [replace(binding, takes="position") for binding in found]
        elif child.type == token.EQUAL:
            after_equal = True
        elif after_equal:
            if found[-1].takes_one:
                found[-1] = replace(found[-1], value=(child,))
        elif is_name(child) or child.type in (symbols.tname, symbols.vname):
            leaf = child if is_name(child) else child.children[0]
            found.append(Binding(leaf.value, "parameter", leaf, scope, (), (index,), takes=takes))
            index += index >= 0
        elif child.type in (symbols.tfpdef, symbols.vfpdef):
            found.extend(
                Binding(leaf.value, "parameter", leaf, scope, (), (-1,), takes="item")
                for leaf in leaves(child)
                if is_name(leaf)
            )
            index += 1
    return iter(found)


def is_walrus(node: LN) -> bool:
    """``x := y``; among arguments fissix keeps it, and ``x := y for z in a``, as an `argument`."""
    return len(node.children) > 2 and node.children[1].type == token.COLONEQUAL


def _outside_comprehensions(scope: Scope) -> Scope:
    while scope.kind == "comprehension" and scope.parent is not None:
        scope = scope.parent
    return scope


def _walrus(node: Node, scope: Scope) -> Iterator[Binding]:
    if is_walrus(node):
        scope = _outside_comprehensions(scope)
        yield from _targets(node.children[0], (node.children[2],), "walrus", scope)


def _delete(node: Node, scope: Scope) -> Iterator[Binding]:
    yield from _targets(node.children[1], (), "delete", scope)


def _import_name(node: Node, scope: Scope) -> Iterator[Binding]:
    names = node.children[1]
    for item in names.children if names.type == symbols.dotted_as_names else [names]:
        if item.type == symbols.dotted_as_name:
            module = "".join(leaf.value for leaf in leaves(item.children[0]))
            target = ImportTarget(module)
            yield Binding(item.children[2].value, "import", item.children[2], scope, target=target)
        elif item.type != token.COMMA:
            # `import a.b` binds `a`; that `a.b` is loaded too is the module graph's business.
            first = next(leaves(item))
            yield Binding(first.value, "import", first, scope, target=ImportTarget(first.value))


def _import_from(node: Node, scope: Scope) -> Iterator[Binding]:
    module, level = imported_from(node)
    for item in imported_items(node):
        if item.type == token.STAR:
            scope.star_imports += (ImportTarget(module, level),)
        elif item.type == symbols.import_as_name:
            name, bound = item.children[0].value, item.children[2]
            yield Binding(bound.value, "import", bound, scope,
                          target=ImportTarget(module, level, name))  # fmt: skip
        else:
            yield Binding(item.value, "import", item, scope,
                          target=ImportTarget(module, level, item.value))  # fmt: skip


def imported_from(node: Node) -> tuple[str, int]:
    """Module name and number of leading dots of a ``from … import`` statement."""
    module, level = "", 0
    for child in node.children[1:]:
        if is_name(child) and child.value == "import":
            break
        text = "".join(leaf.value for leaf in leaves(child))
        if set(text) == {"."}:
            level += len(text)
        else:
            module = text
    return module, level


def imported_items(node: Node) -> list[LN]:
    """The names (leaf, ``import_as_name``, or a star) that a ``from … import`` brings."""
    at = next(i for i, c in enumerate(node.children) if is_name(c) and c.value == "import")
    items: list[LN] = []
    for child in node.children[at + 1 :]:
        inner = child.children if child.type == symbols.import_as_names else [child]
        items.extend(c for c in inner if c.type not in (token.COMMA, token.LPAR, token.RPAR))
    return items


_BINDERS = {
    symbols.expr_stmt: _assignments,
    symbols.for_stmt: _for,
    symbols.comp_for: _for,
    symbols.with_item: _with_item,
    symbols.with_stmt: _with,
    symbols.except_clause: _except,
    symbols.except_star_block: _except_star,
    symbols.case_block: _case,
    symbols.type_stmt: _alias,
    symbols.type_params: _type_names,
    symbols.classdef: _definition,
    symbols.funcdef: _definition,
    symbols.namedexpr_test: _walrus,
    symbols.argument: _walrus,
    symbols.del_stmt: _delete,
    symbols.import_name: _import_name,
    symbols.import_from: _import_from,
}
