"""Scopes and bindings: which names a module, class, function or comprehension binds, and to what.

Lookup follows Python's rules: class scopes are invisible to the functions inside them, ``global``
and ``nonlocal`` redirect, a comprehension's targets stay inside it, type parameters are seen by the
definition that has them.
"""

from __future__ import annotations

import builtins
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property

from fissix.pgen2 import token
from fissix.pygram import python_symbols as symbols
from fissix.pytree import Node

from ..files.import_path import ImportTarget
from ..syntax.tree import (
    FUNCTIONS,
    LN,
    Expression,
    ancestors,
    attribute_name,
    is_name,
    leaves,
    statement_of,
    walk,
)

# The names that are bound everywhere, in Python 2 or 3, and on Windows.
BUILTINS = frozenset({*dir(builtins), "WindowsError", "basestring", "file", "long", "raw_input",
                      "reduce", "unicode", "xrange"})  # fmt: skip


@dataclass(frozen=True, eq=False)
class Binding:
    """One place where a name is bound.

    ``kind`` is import, assign, augment, for, with, parameter, function, class, except, delete,
    walrus, match (a name in the pattern of a ``case``) or type (an alias or a type parameter).
    ``value`` is the expression on the right; ``element`` says which item of it is meant, where a
    tuple is unpacked, and is empty where the whole value is meant. For a parameter it is the
    position, -1 for those that have none: ``*args`` and what follows. ``takes`` says which
    arguments a parameter takes: any, position (before ``/``), keyword (after ``*``), places
    (``*args``), names (``**kwargs``), or item (a name of Python 2's tuples): no argument has the
    value of these three.
    """

    name: str
    kind: str
    node: LN
    scope: Scope
    value: Expression = ()
    element: tuple[int, ...] = ()
    target: ImportTarget | None = None
    takes: str = "any"

    @property
    def statement(self) -> LN:
        return statement_of(self.node)

    @property
    def takes_one(self) -> bool:
        """Whether a parameter has the value of one argument."""
        return self.takes in ("any", "position", "keyword")


@dataclass(eq=False)
class Scope:
    """A region of names. ``kind`` is module, class, function, comprehension or type: the type
    parameters of a function, class or alias, around it."""

    kind: str
    node: LN
    name: str
    parent: Scope | None
    bindings: dict[str, list[Binding]] = field(default_factory=dict)
    global_names: set[str] = field(default_factory=set)
    nonlocal_names: set[str] = field(default_factory=set)
    star_imports: list[ImportTarget] = field(default_factory=list)

    def __repr__(self) -> str:
        return f"<Scope {self.kind} {self.qualified_name or '<module>'}>"

    @property
    def qualified_name(self) -> str:
        """Dotted path inside the module, as ``__qualname__`` but without ``<locals>``."""
        if self.parent is None:
            return ""
        outer = self.parent.qualified_name
        if self.kind == "type":
            return outer
        return f"{outer}.{self.name}" if outer else self.name

    @property
    def module(self) -> Scope:
        scope = self
        while scope.parent is not None:
            scope = scope.parent
        return scope

    @property
    def function(self) -> Scope | None:
        """The innermost function around this scope (or itself)."""
        scope: Scope | None = self
        while scope is not None and scope.kind != "function":
            scope = scope.parent
        return scope

    @cached_property
    def parameters(self) -> tuple[Binding, ...]:
        """The parameters of a function, those that have a position first."""
        found = [b for held in self.bindings.values() for b in held if b.kind == "parameter"]
        return tuple(sorted(found, key=lambda b: (b.element < (0,), b.element)))

    @cached_property
    def returns(self) -> tuple[LN, ...]:
        """The return statements of a function, those of nested functions left out."""
        return tuple(node for node in self._own_nodes() if node.type == symbols.return_stmt)

    @cached_property
    def is_generator(self) -> bool:
        own = self._own_nodes()
        return any(node.type == token.NAME and node.value == "yield" for node in own)

    def _own_nodes(self) -> Iterator[LN]:
        """What belongs to a function, and to none inside it."""
        skip = {symbols.funcdef, symbols.lambdef, symbols.classdef}
        return (n for n in walk(self.node, skip) if n is self.node or n.type not in skip)

    @property
    def enclosing_class(self) -> Scope | None:
        """The class that this function is a method of."""
        function = self.function
        around = function.parent if function is not None else None
        if around is not None and around.kind == "type":
            around = around.parent
        return around if around is not None and around.kind == "class" else None

    def lookup(self, name: str) -> list[Binding]:
        """The bindings that ``name`` may mean here; empty for builtins and unknown names."""
        owner = self.owner(name)
        return owner.bindings[name] if owner is not None else []

    def owner(self, name: str) -> Scope | None:
        """The scope whose variable ``name`` is here; None for builtins and unknown names."""
        for scope in self._visible(name):
            if name in scope.bindings:
                return scope
        return None

    def _visible(self, name: str) -> Iterator[Scope]:
        scope: Scope | None = self
        # A class's names are seen in its own scope and by type parameters right inside it.
        in_class = True
        while scope is not None:
            if name in scope.global_names:
                yield scope.module
                return
            if (in_class or scope.kind != "class") and name not in scope.nonlocal_names:
                yield scope
            in_class = in_class and scope.kind == "type"
            scope = scope.parent

    def bind(self, binding: Binding) -> None:
        """Add a binding that stands here; ``global`` and ``nonlocal`` say where it belongs."""
        name, scope = binding.name, self
        if name in self.global_names:
            scope = self.module
        elif name in self.nonlocal_names:
            around = [s for s in self._visible(name) if s.kind == "function"]
            scope = next((s for s in around if name in s.bindings), self)
        if binding.scope is not scope:
            binding = replace(binding, scope=scope)
        scope.bindings.setdefault(name, []).append(binding)


class Scopes:
    """All scopes of one tree, found by the node that opens them."""

    def __init__(self, root: Node) -> None:
        self.module = Scope("module", root, "", None)
        self.attributes: list[Binding] = []
        """Assignments to ``owner.name``, named after the attribute; ``node`` is the target."""
        self._by_node: dict[int, Scope] = {id(root): self.module}
        self._strings: dict[int, LN] = {}
        """The expressions inside f-strings whose scopes are opened: when one is asked for. They are
        kept, for nodes are known by their identity."""
        self._build(root, self.module)

    def __iter__(self) -> Iterator[Scope]:
        """Those that are open now: who goes through them may ask what opens more."""
        return iter([*self._by_node.values()])

    def opened_by(self, node: LN) -> Scope | None:
        found = self._by_node.get(id(node))
        if found is None:
            self.of(node)  # inside an f-string they are opened now
            found = self._by_node.get(id(node))
        return found

    def of(self, node: LN) -> Scope:
        """The scope in which ``node`` is evaluated."""
        child: LN = node
        outside: LN | None = None
        default = False
        for parent in ancestors(node):
            if parent.type == token.STRING and id(child) not in self._strings:
                self._strings[id(child)] = child
                self._build(child, self.of(parent))
                return self.of(node)
            scope = self._by_node.get(id(parent))
            if scope is not None and parent is not outside and _is_inside(parent, child):
                return scope
            types = _type_parameters(parent)
            if types is not None and child is not parent.children[1] and not default:
                return self._by_node[id(types)]
            if parent.type == symbols.typedargslist:
                before = child.prev_sibling
                default = before is not None and before.type == token.EQUAL
            if parent.type == symbols.comp_for and child is loop_parts(parent)[1]:
                # The first iterable is evaluated around the comprehension.
                outside = parent.parent
            child = parent
        return self.module

    def _build(self, root: LN, scope: Scope) -> None:
        found = self._walk(root, scope)
        # `nonlocal` needs to know which functions bind the name, also those further down.
        found.sort(key=lambda binding: binding.name in binding.scope.nonlocal_names)
        for binding in found:
            if binding.node.type == symbols.power:
                self.attributes.append(binding)
            else:
                binding.scope.bind(binding)

    def _walk(self, root: LN, around: Scope) -> list[Binding]:
        """Open the scopes, note ``global`` and ``nonlocal``; the bindings in source order.

        Each node is met with the scope in which it is evaluated, as ``of`` gives it.
        """
        found: list[Binding] = []
        stack: list[tuple[LN, Scope]] = [(root, around)]
        while stack:
            node, scope = stack.pop()
            kind, children = node.type, node.children
            if kind in _TAKE_TYPES or kind in FUNCTIONS:
                parts = self._open(node, scope)
                if kind in FUNCTIONS:
                    found.extend(_parameters(node, self._by_node[id(node)]))
            elif kind == symbols.comp_for:
                first = loop_parts(node)[1]
                is_outer = scope.node is node.parent and scope.parent is not None
                outside = scope.parent if is_outer and scope.parent is not None else scope
                parts = [(child, outside if child is first else scope) for child in children]
            elif children[-1].type == symbols.comp_for and kind not in _CLAUSES:
                inner = Scope("comprehension", node, "<comprehension>", scope)
                self._by_node[id(node)] = inner
                parts = [(child, inner) for child in children]
            else:
                if kind == symbols.global_stmt:
                    kept = scope.global_names if children[0].value == "global" else (
                        scope.nonlocal_names)  # fmt: skip
                    kept.update(child.value for child in children[1:] if is_name(child))
                parts = []
                stack.extend([(child, scope) for child in reversed(children) if child.children])
            make = _BINDERS.get(kind)
            if make is _walrus:
                if is_walrus(node):
                    found.extend(_walrus(node, _outside_comprehensions(scope)))
            elif make is not None:
                found.extend(make(node, scope))
            if parts:
                stack.extend([part for part in reversed(parts) if part[0].children])
        return found

    def _open(self, node: LN, scope: Scope) -> list[tuple[LN, Scope]]:
        """Open the scopes of a definition, ``lambda`` or ``type``; its children, each with its
        scope."""
        children, around = node.children, scope
        types = _type_parameters(node)
        if types is not None:
            around = self._by_node[id(types)] = Scope("type", types, "", scope)
        if node.type == symbols.type_stmt:
            return [(child, around) for child in children]
        if node.type == symbols.classdef:
            kind, name = "class", children[1].value
        else:
            kind, name = (
                "function",
                children[1].value if node.type == symbols.funcdef else "<lambda>",
            )
        inner = self._by_node[id(node)] = Scope(kind, node, name, around)
        parts: list[tuple[LN, Scope]] = []
        for child in children[:-1]:
            if types is not None and child.type == symbols.parameters:
                # Defaults are evaluated where the type parameters are not yet known.
                items = [item for part in child.children for item in (
                    part.children if part.type == symbols.typedargslist else (part,))]  # fmt: skip
                before: LN | None = None
                for item in items:
                    is_default = before is not None and before.type == token.EQUAL
                    parts.append((item, scope if is_default else around))
                    before = item
            else:
                parts.append((child, around))
        parts.append((children[-1], inner))
        return parts


def _outside_comprehensions(scope: Scope) -> Scope:
    while scope.kind == "comprehension" and scope.parent is not None:
        scope = scope.parent
    return scope


_CLAUSES = {symbols.comp_for, symbols.comp_if, symbols.comp_iter}


def _type_parameters(node: LN) -> Node | None:
    """The ``type_params`` of a function, class or type alias."""
    if node.type in _TAKE_TYPES and node.children[2].type == symbols.type_params:
        return node.children[2]
    return None


_TAKE_TYPES = {symbols.funcdef, symbols.classdef, symbols.type_stmt}


def _is_inside(parent: Node, child: LN) -> bool:
    """Whether ``child`` of a scope's node is evaluated in that scope, not around it."""
    if parent.type == symbols.funcdef or parent.type == symbols.classdef:
        return child is parent.children[-1]
    if parent.type in FUNCTIONS:
        return child is parent.children[-1]
    return True


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


def _parameters(node: LN, scope: Scope) -> Iterator[Binding]:
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


def _walrus(node: Node, scope: Scope) -> Iterator[Binding]:
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
            scope.star_imports.append(ImportTarget(module, level))
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
