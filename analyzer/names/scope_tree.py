"""Scopes: all scopes of one tree, and what is bound in each."""

from __future__ import annotations

from collections.abc import Iterator

from fissix.pgen2 import token
from fissix.pygram import python_symbols as symbols
from fissix.pytree import Node

from ..syntax.tree import FUNCTIONS, LN, ancestors, is_name
from .bound_names import bound_by, loop_parts, parameters_of
from .scopes import Binding, Scope


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
                    found.extend(parameters_of(node, self._by_node[id(node)]))
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
                    names = frozenset(child.value for child in children[1:] if is_name(child))
                    if children[0].value == "global":
                        scope.global_names |= names
                    else:
                        scope.nonlocal_names |= names
                parts = []
                stack.extend([(child, scope) for child in reversed(children) if child.children])
            found.extend(bound_by(node, scope))
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
