"""Texts: where strings and comments mean a symbol, as in `__all__`, `getattr` and annotations."""

from __future__ import annotations

import re
from collections.abc import Callable

from fissix.pgen2 import token
from fissix.pygram import python_symbols as symbols
from fissix.pytree import Leaf

from ..names.module import Module
from ..syntax.fstring import is_fstring
from ..syntax.tree import LN, ancestors, leaves, plain_string
from ..values.questions import Evaluator
from ..values.value import Value, Values
from .attributes import call_around
from .reference import Reference, References

_GETTERS = frozenset(f"builtins.{name}attr" for name in ("get", "set", "has", "del"))
_TYPE_COMMENT = re.compile(r"#\s*type:\s*(?!ignore\b)([^\r\n]*)")
_OF_TYPES = re.compile(r"[\w.\[\], |\n]+")
_OF_NAMES = {"globals", "locals", "vars", "__dict__"}
_TAKES_TYPE = frozenset({"cast", "TypeVar", "ForwardRef", "NewType"})


class Texts:
    """Of one symbol. ``means`` tells of what has it as an attribute; ``names`` are the modules in
    which it is a global name, by their names."""

    def __init__(
        self,
        name: str,
        found: References,
        evaluator: Evaluator,
        means: Callable[[Values], bool],
        names: dict[str, Module],
        slots: frozenset[int] = frozenset(),
    ) -> None:
        """``slots``: the class scopes whose ``__slots__`` list it, by their id()."""
        self.name = name
        self.found = found
        self.evaluator = evaluator
        self.means = means
        self.names = names
        self.slots = slots
        self._whole = re.compile(rf"(?<![\w.])((?:\w+\.)*){re.escape(name)}(?!\w)")
        self._spoken = re.compile(rf"`[\w.~]*{re.escape(name)}\b|\b\w+\.{re.escape(name)}\b"
                                  rf"|(?<!\w){re.escape(name)}\(")  # fmt: skip

    def add(self, module: Module) -> None:
        spoken: LN | None = None
        for leaf in leaves(module.tree.root):
            if self.name in leaf.prefix:
                self._type_comments(leaf, module)
                if spoken is None and self._is_said(_without_types(leaf.prefix)):
                    spoken = leaf
            if leaf.type == token.STRING and self.name in leaf.value:
                if _is_docstring(leaf):
                    spoken = spoken or (leaf if self._is_said(leaf.value) else None)
                elif leaf.value[:1] in "'\"" and "\\" not in leaf.value:
                    self._string(leaf, module)
        if spoken is not None and self._is_concerned(module):
            self.found.doubt(module, spoken, "a comment or docstring speaks of it")

    def _is_said(self, text: str) -> bool:
        return self._spoken.search(text) is not None

    def _is_concerned(self, module: Module) -> bool:
        return any(one.module is module for one in self.found.found)

    def _string(self, leaf: Leaf, module: Module) -> None:
        text = plain_string(leaf)
        if text == self.name:
            if self._is_listed(leaf, module) or self._is_asked(leaf, module):
                self._put(leaf, module, len(text))
            elif self._is_beside_owner(leaf, module):
                self._put(leaf, module, len(text), by_text=True)
            elif _is_key_of_names(leaf):
                self.found.doubt(module, leaf, "it is asked for by its name")
            elif self._is_type(leaf, module):
                self._types(module, module.tree.start(leaf), leaf.value, leaf)
        elif _OF_TYPES.fullmatch(text) and self._is_type(leaf, module):
            self._types(module, module.tree.start(leaf), leaf.value, leaf)
        elif re.fullmatch(rf"[\w.]+[.:]{re.escape(self.name)}", text) and self._is_path(text):
            self._put(leaf, module, len(self.name), by_text=True)
        else:
            self._entry_point(leaf, module)

    def _put(self, leaf: Leaf, module: Module, length: int, by_text: bool = False) -> None:
        """The last part of a string."""
        quotes = 3 if leaf.value[:3] in ('"""', "'''") else 1
        end = module.tree.start(leaf) + len(leaf.value) - quotes
        self.found.found.append(Reference(module, end - length, end, by_text=by_text))

    def _is_listed(self, leaf: Leaf, module: Module) -> bool:
        """Whether it stands in ``__all__``, or in ``__slots__``."""
        for parent in ancestors(leaf):
            if parent.type in (symbols.expr_stmt, symbols.power):
                first = next(leaves(parent)).value
                scope = module.scope_of(parent)
                if first == "__all__" and scope is module.scopes.module:
                    return module.name in self.names
                if first == "__slots__":
                    return id(scope) in self.slots
            if parent.type == symbols.simple_stmt:
                break
        return False

    def _is_asked(self, leaf: Leaf, module: Module) -> bool:
        """``getattr(owner, "name")``, and those like it."""
        call = call_around(leaf)
        if call is None or not self.evaluator.evaluate(call.callee, module).names & _GETTERS:
            return False
        given = [a.value for a in call.arguments]
        if len(given) < 2 or given[1] is not leaf:
            return False
        values = self.evaluator.evaluate((given[0],), module)
        if not self.means(values) and not values.items:
            self.found.doubt(module, leaf, "what it is asked of is not known")
        return self.means(values)

    def _is_beside_owner(self, leaf: Leaf, module: Module) -> bool:
        """``patch.object(owner, "name")``: behind what has the name."""
        call = call_around(leaf)
        if call is None:
            return False
        given = [a.value for a in call.arguments]
        at = next((n for n, value in enumerate(given) if value is leaf), 0)
        return at > 0 and self.means(self.evaluator.evaluate((given[at - 1],), module))

    def _is_path(self, text: str) -> bool:
        """Whether a dotted text is the way to the name."""
        parts = re.split(r"[.:]", text)[:-1]
        for length in range(len(parts), 0, -1):
            head = ".".join(parts[:length])
            for module in self.evaluator.modules:
                if module.name == head or module.name.endswith(f".{head}"):
                    values = Values(frozenset({Value(module.name)}), complete=True)
                    for part in parts[length:]:
                        values = self.evaluator.attribute(values, part)
                    if self.means(values):
                        return True
        return False

    def _entry_point(self, leaf: Leaf, module: Module) -> None:
        """``command = package.module:name``."""
        inside = re.search(rf"=\s*([\w.]+:{re.escape(self.name)})\s*$", plain_string(leaf))
        if inside is not None and self._is_path(inside[1]):
            self.found.doubt(module, leaf, "an entry point names it")

    def _is_type(self, leaf: Leaf, module: Module) -> bool:
        child: LN = leaf
        for parent in ancestors(leaf):
            if parent.type in (symbols.tname, symbols.vname, symbols.annassign):
                return child is not parent.children[0] and (
                    parent.type != symbols.annassign or child is parent.children[1]
                )
            if parent.type == symbols.funcdef:
                before = child.prev_sibling
                return before is not None and before.type == token.RARROW
            if parent.type in (symbols.simple_stmt, symbols.suite):
                break
            child = parent
        call = call_around(leaf)
        named = "" if call is None else call.method or str(call.callee[-1]).strip()
        return named in _TAKES_TYPE

    def _types(self, module: Module, start: int, text: str, place: LN) -> None:
        """The words of an annotation that is written as text."""
        for word in self._whole.finditer(text):
            before = [part for part in word[1].split(".") if part]
            if before:
                meant = self.means(self.evaluator.meaning(before, place, module))
            else:
                owner = module.scope_of(place).owner(self.name)
                of_module = owner is None or owner is module.scopes.module
                meant = of_module and module.name in self.names
            if meant:
                end = start + word.end()
                self.found.found.append(Reference(module, end - len(self.name), end))

    def _type_comments(self, leaf: Leaf, module: Module) -> None:
        start = module.tree.leaf_start(leaf) - len(leaf.prefix)
        for comment in _TYPE_COMMENT.finditer(leaf.prefix):
            self._types(module, start + comment.start(1), comment[1], leaf)


def _is_key_of_names(leaf: Leaf) -> bool:
    """``globals()["name"]``, ``x.__dict__["name"]``, ``vars(x)["name"]``."""
    trailer = leaf.parent
    if trailer is None or trailer.type != symbols.trailer or trailer.children[0].value != "[":
        return False
    before = trailer.parent.children[: trailer.parent.children.index(trailer)]
    return any(one.value in _OF_NAMES for node in before for one in leaves(node))


def _without_types(prefix: str) -> str:
    return _TYPE_COMMENT.sub("", prefix)


def _is_docstring(leaf: Leaf) -> bool:
    parent = leaf.parent
    is_statement = parent is not None and parent.type == symbols.simple_stmt
    return is_statement and not is_fstring(leaf)
