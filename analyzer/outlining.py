"""outline: the Outline of a tree."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from fissix.pgen2 import token
from fissix.pygram import python_symbols as symbols
from fissix.pytree import Leaf, Node

from .definition import class_of_method, decorators, items_of
from .outline import (
    Base,
    Bound,
    CallSite,
    Either,
    Expression,
    Import,
    Kind,
    Made,
    Name,
    Outline,
    OutlineScope,
    Parameter,
    Store,
    When,
)
from .scopes import Binding, Scope, Scopes, imported_from, imported_items
from .tree import (
    LN,
    Argument,
    Call,
    ancestors,
    arguments_of,
    calls_in_power,
    dotted,
    flat,
    leaves,
    main_guards,
    outer_call,
    plain_string,
    unwrap,
    walk,
)

_IMPORTERS = {"import_module", "__import__"}
_KINDS: dict[str, Kind] = {"import": "import", "class": "class", "function": "function",
                           "delete": "delete"}  # fmt: skip
_ASSIGNED = {"assign", "walrus"}
_FUNCTIONS = {symbols.funcdef, symbols.lambdef, symbols.old_lambdef, symbols.classdef}
_DEFINES = {symbols.funcdef, symbols.classdef, symbols.decorated, symbols.async_stmt,
            symbols.async_funcdef}  # fmt: skip
_CONSTANTS = {"None", "True", "False", "__debug__"}
_DEPTH = 20


def outline(root: Node, scopes: Scopes, text: str) -> Outline:
    """The facts of a file with this tree and text."""
    return _Outlining(root, scopes, text).outline()


class _Outlining:
    def __init__(self, root: Node, scopes: Scopes, text: str) -> None:
        self.root = root
        self.scopes = scopes
        self.text = text
        self.guards = main_guards(root)
        kept = [
            s for s in scopes if s.kind in ("module", "class") or s.node.type == symbols.funcdef
        ]
        self.kept = kept
        self.index = {id(scope): number for number, scope in enumerate(kept)}
        self.wanted: dict[tuple[int, str], None] = {}
        """Variables of functions that some expression reads."""
        self.selves: dict[int, Scope | None] = {}

    def outline(self) -> Outline:
        heads = [self._head(scope) for scope in self.kept]
        bindings: list[list[Bound]] = [[] for _ in self.kept]
        for number, scope in enumerate(self.kept):
            if scope.kind != "function":
                for name in scope.bindings:
                    bindings[number].extend(self._bound(scope, name))
        imports = tuple(self._imports())
        calls = tuple(self._calls())
        stores = tuple(self._stores())
        done: set[tuple[int, str]] = set()
        while len(done) < len(self.wanted):
            for number, name in [key for key in self.wanted if key not in done]:
                done.add((number, name))
                bindings[number].extend(self._bound(self.kept[number], name))
        exports, known = self._exports(calls)
        return Outline(
            tuple(
                replace(head, bindings=tuple(sorted(bound, key=_place))) if bound else head
                for head, bound in zip(heads, bindings, strict=True)
            ),
            imports,
            exports,
            known,
            calls,
            stores,
            tuple(_line(guard) for guard in self.guards),
        )

    def _head(self, scope: Scope) -> OutlineScope:
        """The scope without its bindings."""
        node, parent = scope.node, self._kept(scope.parent)
        if scope.kind == "module":
            return OutlineScope("module", "", 1, parent)
        name, line = scope.qualified_name, _line(node)
        decorated = tuple(self._decorator(decorator) for decorator in decorators(node))
        if scope.kind == "class":
            bases = tuple(self._bases(node, scope))
            return OutlineScope("class", name, line, parent, bases=bases, decorators=decorated)
        parameters = tuple(
            Parameter(b.name, b.takes, bool(b.value))
            for bindings in scope.bindings.values()
            for b in bindings
            if b.kind == "parameter"
        )
        return OutlineScope(
            "function", name, line, parent, parameters=parameters, decorators=decorated
        )

    def _kept(self, scope: Scope | None) -> int:
        """The number of the innermost kept scope."""
        while scope is not None and id(scope) not in self.index:
            scope = scope.parent
        return self.index[id(scope)] if scope is not None else 0

    # ------------------------------------------------------------ expressions

    def _name(self, parts: tuple[str, ...], scope: Scope) -> Name | None:
        owner = scope.owner(parts[0])
        if parts[0] in _CONSTANTS:
            return None
        if owner is None:
            return None if _has_star(scope) else Name(".".join(parts))
        number = self.index.get(id(owner))
        if number is None:
            return None
        if owner.kind == "function":
            self.wanted[number, parts[0]] = None
        return Name(".".join(parts), number)

    def _expression(self, node: LN, scope: Scope, depth: int = 0) -> Expression | None:
        nodes = unwrap((node,))
        node = nodes[0]
        if node.type == token.NAME or node.type == symbols.power:
            parts = dotted(nodes)
            return self._name(parts, scope) if parts else None
        if depth < _DEPTH and node.type in (symbols.test, symbols.or_test):
            children = node.children
            options = (children[0], children[4]) if node.type == symbols.test else children[::2]
            return Either(tuple(self._expression(o, scope, depth + 1) for o in options))
        return None

    def _decorator(self, decorator: LN) -> Expression | None:
        node = decorator.children[1]
        scope = self.scopes.of(decorator)
        if node.type == symbols.dotted_name:
            parts = tuple(leaf.value for leaf in leaves(node) if leaf.type == token.NAME)
            named = self._name(parts, scope)
            made = decorator.children[2].type == token.LPAR
        else:
            call = outer_call((node,))
            parts = dotted(call.callee if call is not None else (node,))
            named = self._name(parts, scope) if parts else None
            made = call is not None or decorator.children[2].type == token.LPAR
        return Made(named) if made and named is not None else named

    # ------------------------------------------------------------ bindings

    def _bound(self, scope: Scope, name: str) -> Iterator[Bound]:
        others = False
        for binding in scope.bindings[name]:
            if binding.kind == "assign" and not binding.value:
                continue  # an annotation alone
            value = self._value(binding)
            kind: Kind = "alias" if value is not None else _KINDS.get(binding.kind, "other")
            if kind == "other":
                if others:
                    continue
                others = True
            opens = None
            if kind in ("class", "function"):
                opened = self.scopes.opened_by(binding.node)
                opens = self.index[id(opened)]
            always = scope.kind == "module" and self._is_always(binding)
            line = _line(binding.node)
            yield Bound(name, kind, line, always, value, binding.target, opens)

    def _value(self, binding: Binding) -> Expression | None:
        if binding.kind not in _ASSIGNED:
            return None
        value = binding.value
        for index in binding.element:
            items = items_of(value)
            if not 0 <= index < len(items):
                return None
            value = (items[index],)
        if len(value) != 1 or value[0].type not in _FOLLOWED:
            return None
        return self._expression(value[0], self.scopes.of(binding.node))

    def _is_always(self, binding: Binding) -> bool:
        """Whether the module's own statements bind the name, under no condition."""
        child = binding.node
        while child.parent is not None and child.parent is not self.root:
            if child.type in _DEFINES and child is not binding.node and (
                child.type not in (symbols.decorated, symbols.async_stmt, symbols.async_funcdef)
            ):  # fmt: skip
                return False
            child = child.parent
        if child.type == symbols.simple_stmt:
            return binding.kind in ("import", "assign")
        return binding.kind in ("class", "function") and child.type in _DEFINES

    # ------------------------------------------------------------ classes

    def _bases(self, node: LN, scope: Scope) -> Iterator[Base]:
        opening = 3 if node.children[2].type == symbols.type_params else 2
        if node.children[opening].type != token.LPAR:
            return
        inner = [c for c in node.children[opening + 1 : -2] if c.type != token.RPAR]
        assert scope.parent is not None
        for argument in arguments_of(inner):
            if argument.name is None and argument.star != "**":
                text = on_one_line(argument.node)
                if argument.star:
                    yield Base(text, None, starred=True)
                else:
                    yield Base(text, self._base(argument, scope.parent))

    def _base(self, argument: Argument, scope: Scope) -> Expression | None:
        call = outer_call((argument.value,))
        if call is None:
            return self._generic(argument.value, scope)
        parts = dotted(call.callee)
        callee = self._name(parts, scope) if parts else None
        if callee is None:
            return None
        given = [
            None if a.star or a.name else self._generic(a.value, scope) for a in call.arguments
        ]
        return Made(callee, tuple(given))

    def _generic(self, node: LN, scope: Scope) -> Expression | None:
        """``Base`` of ``Base[T]``."""
        nodes = without_types(node)
        if len(nodes) > 1:
            parts = dotted(nodes)
            return self._name(parts, scope) if parts else None
        return self._expression(nodes[0], scope)

    # ------------------------------------------------------------ imports and calls

    def _imports(self) -> Iterator[Import]:
        stack: list[LN] = [self.root]
        while stack:
            node = stack.pop()
            if node.type == symbols.import_name or node.type == symbols.import_from:
                yield from self._imported(node)
            elif node.type in _HOLD_STATEMENTS:
                stack.extend(reversed(node.children))
        if "import_module" in self.text or "__import__" in self.text:
            yield from self._named()

    def _imported(self, node: LN) -> Iterator[Import]:
        scope = self.scopes.of(node)
        number, line, place = self._kept(scope), _line(node), self._where(node)
        in_function = scope.function is not None
        if node.type == symbols.import_name:
            names = node.children[1]
            for item in names.children if names.type == symbols.dotted_as_names else [names]:
                if item.type == token.COMMA:
                    continue
                has_alias = item.type == symbols.dotted_as_name
                module = "".join(x.value for x in leaves(item.children[0] if has_alias else item))
                alias = item.children[2].value if has_alias else None
                yield Import(module, 0, None, alias, line, number, *place, in_function)
            return
        module, level = imported_from(node)
        for item in imported_items(node):
            if item.type == symbols.import_as_name:
                name, alias = item.children[0].value, item.children[2].value
            else:
                name, alias = item.value, None
            yield Import(module, level, name, alias, line, number, *place, in_function)

    def _named(self) -> Iterator[Import]:
        """Imports by a call that says the name: ``import_module("a.b")``, ``__import__("a")``."""
        for node in walk(self.root):
            for call in calls_in_power(node) if node.type == symbols.power else ():
                names = dotted(call.callee)
                argument = call.argument("name", 0)
                if names and names[-1] in _IMPORTERS and argument is not None:
                    text = plain_string(argument.value)
                    name = text.lstrip(".")
                    if name:
                        scope = self.scopes.of(call.trailer)
                        yield Import(
                            name, len(text) - len(name), None, None, _line(node),
                            self._kept(scope), *self._where(node), scope.function is not None,
                            dynamic=True,
                        )  # fmt: skip

    def _where(self, node: LN) -> tuple[When, bool]:
        """When an import is executed, and whether it stands in a ``try``."""
        when: When = "load"
        in_try = False
        child = node
        for parent in ancestors(node):
            if parent.type == symbols.if_stmt and child is parent.children[3]:
                if any(leaf.value == "TYPE_CHECKING" for leaf in leaves(parent.children[1])):
                    when = "types"
                elif when == "load" and any(parent is guard for guard in self.guards):
                    when = "script"
            in_try = in_try or parent.type == symbols.try_stmt
            child = parent
        return when, in_try

    def _calls(self) -> Iterator[CallSite]:
        for statement in self.root.children:
            guarded = None
            if any(statement is guard for guard in self.guards):
                guarded = statement.children[3]
            stack: list[tuple[LN, bool]] = [(statement, False)]
            while stack:
                node, inside = stack.pop()
                inside = inside or node is guarded
                if node.type == symbols.power:
                    for call in calls_in_power(node):
                        yield from self._call(call, inside)
                if node.type not in _FUNCTIONS and node.children and (
                    node.children[-1].type != symbols.comp_for
                ):  # fmt: skip
                    stack.extend((c, inside) for c in reversed(node.children) if c.children)

    def _call(self, call: Call, guarded: bool) -> Iterator[CallSite]:
        parts = dotted(call.callee)
        name = self._name(parts, self.scopes.module) if parts else None
        if name is not None:
            yield CallSite(name, _line(call.callee[0]), guarded)

    # ------------------------------------------------------------ stores and exports

    def _stores(self) -> Iterator[Store]:
        for binding in self.scopes.attributes:
            parts = dotted((binding.node,))
            if len(parts) < 2:
                continue
            owner = self._class_of_self(parts[0], binding.scope) if len(parts) == 2 else None
            value = self._value(binding)
            line = _line(binding.node)
            if owner is not None:
                yield Store(self.index[id(owner)], parts[-1], line, value)
                continue
            around = binding.scope.owner(parts[0])
            if around is not None and any(
                b.kind in ("import", "class") for b in around.bindings[parts[0]]
            ):
                name = self._name(parts[:-1], binding.scope)
                if name is not None:
                    yield Store(name, parts[-1], line, value)

    def _class_of_self(self, name: str, scope: Scope) -> Scope | None:
        for binding in scope.lookup(name):
            if binding.kind == "parameter" and binding.element == (0,):
                key = id(binding.scope)
                if key not in self.selves:
                    self.selves[key] = class_of_method(binding.scope)
                return self.selves[key]
        return None

    def _exports(self, calls: Iterable[CallSite]) -> tuple[tuple[str, ...] | None, bool]:
        listed = self.scopes.module.bindings.get("__all__")
        if not listed:
            return None, True
        names: list[str] = []
        for binding in listed:
            items = items_of(binding.value) if binding.kind == "assign" and binding.value else []
            if not items or any(item.type != token.STRING for item in items):
                return (), False
            names.extend(str(item.value).strip("\"'") for item in items)
        changed = any(call.callee.path.startswith("__all__.") for call in calls)
        return tuple(dict.fromkeys(names)), not changed


_FOLLOWED = {token.NAME, symbols.power, symbols.atom, symbols.test, symbols.or_test}
_HOLD_STATEMENTS = {
    symbols.file_input, symbols.simple_stmt, symbols.suite, symbols.if_stmt, symbols.while_stmt,
    symbols.for_stmt, symbols.try_stmt, symbols.with_stmt, symbols.funcdef, symbols.classdef,
    symbols.decorated, symbols.async_stmt, symbols.async_funcdef, symbols.match_stmt,
    symbols.case_block, symbols.except_star_block,
}  # fmt: skip


def without_types(base: LN) -> tuple[LN, ...]:
    """``Base`` of ``Base[T]``."""
    nodes = flat((base,))
    while len(nodes) > 1 and nodes[-1].type == symbols.trailer and (
        nodes[-1].children[0].type == token.LSQB
    ):  # fmt: skip
        nodes = nodes[:-1]
    return nodes


def _has_star(scope: Scope | None) -> bool:
    """Whether a star import in a function, as Python 2 has it, may bind any name."""
    while scope is not None and scope.parent is not None:
        if scope.star_imports:
            return True
        scope = scope.parent
    return False


def _place(binding: Bound) -> int:
    return binding.line


def _line(node: LN) -> int:
    while not isinstance(node, Leaf):
        node = node.children[0]
    return int(node.lineno)


def on_one_line(node: LN) -> str:
    """The expression as it is written, on one line and without comments."""
    if any("#" in leaf.prefix for leaf in leaves(node)):
        return "".join(leaf.value for leaf in leaves(node))
    return " ".join(str(node).split())
