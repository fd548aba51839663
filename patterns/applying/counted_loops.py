"""Counted: a ``for`` whose items are told by a number, which the call counts, or its functions."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Collection, Mapping
from functools import cached_property
from typing import Any

from fissix.pgen2 import token

from pinsetter.analyzer.flow.block_state import BlockState
from pinsetter.analyzer.flow.suites import Clause
from pinsetter.analyzer.syntax.tree import Tree

from ..edits.fragment import Fragment
from ..edits.precedence import Code
from ..edits.rendering import Filling, Rendered, plain
from ..edits.template import Kind, captures_in

Render = Callable[[str, Mapping[str, Filling], Kind], Rendered]
Fresh = Callable[[str], str]


class Counted:
    """By the templates under ``counted``. With ``from``, ``while`` and ``next`` the number is the
    first of the values that functions are given, and give; else the call gives it alone."""

    def __init__(
        self, state: BlockState, templates: Mapping[str, str], render: Render, fresh: Fresh
    ) -> None:
        self.state = state
        self.templates = templates
        self.render = render
        self.clause: Clause = state.clauses[0]
        self.is_carried = "from" in templates
        self.is_the_item = templates["item"].strip() == "$index" and self._is_kept_name()
        self.name = self._target() if self.is_the_item else fresh("index")

    def _target(self) -> str:
        assert self.clause.target is not None
        return self._tree.source((self.clause.target,)).strip()

    @property
    def _tree(self) -> Tree:
        return self.state.module.tree

    def _is_kept_name(self) -> bool:
        """Whether the loop's own name can be that of the number: the block does not bind it. A name
        of nothing but ``_`` says that it is not read."""
        assert self.clause.target is not None
        name = self._target()
        if self.clause.target.type != token.NAME or name in self.state.bound(self.clause):
            return False
        return bool(name.strip("_")) or (not self.is_carried) or self._is_read()

    def _is_read(self) -> bool:
        """Whether the block says the one name that the loop has for an item."""
        code = self._tree.source((self.clause.suite,))
        return re.search(rf"\b{re.escape(self._target())}\b", code) is not None

    @property
    def opening_lines(self) -> list[Fragment]:
        """What the body begins with: the item, where it is not the number itself."""
        assert self.clause.target is not None
        if self.is_the_item or (self.clause.target.type == token.NAME and not self._is_read()):
            return []
        return [self._target() + " = " + self._made("item", Kind.ITEMS)]

    @property
    def first(self) -> Fragment:
        """What the number is in the first turn."""
        return self._made("from")

    @property
    def following(self) -> str:
        """What the number is in the next turn."""
        return self._made("next").text

    @property
    def test(self) -> Fragment:
        """What is asked before each turn."""
        return self._made("while")

    def _made(self, key: str, kind: Kind = Kind.EXPRESSION) -> Fragment:
        return _on_one_line(self.render(self.templates[key], {"index": plain(self.name)}, kind))

    @property
    def in_front(self) -> str:
        """What stands in front of the names that get the result: one for the number."""
        return "_, " if self._is_free else ""

    @property
    def behind_the_call(self) -> str:
        """What takes the number off the result, where no name is there for it."""
        if self._is_free or not self.is_carried:
            return ""
        return "[1]" if len(self.state.names) == 1 else "[1:]"

    @cached_property
    def _is_free(self) -> bool:
        """Whether the number is carried, and ``_`` a name that nothing in the module reads."""
        module = self.state.module
        bound = {id(one.node) for scope in module.scopes for one in scope.bindings.get("_", ())}
        return self.is_carried and all(id(leaf) in bound for leaf in module.leaves_of("_"))


def values(
    edit: Mapping[str, Any], bound: Collection[str], render: Render, fresh: Fresh
) -> tuple[dict[str, Filling], list[Fragment]]:
    """What the captures under ``values`` are that other templates say, and the lines that compute
    them, in their order: code of one line that calls nothing, and says no name that the blocks
    bind, needs none, but for an attribute or item in front of code that may change it."""
    templates = _said(edit)
    own = {
        name: _read(render(template, {}, Kind.EXPRESSION))
        for name, template in templates.items() if captures_in(template).isdisjoint(templates)
    }  # fmt: skip
    walked = (node for code in own.values() for node in ast.walk(code))
    bound = {*bound, *(node.target.id for node in walked if isinstance(node, ast.NamedExpr))}
    called = [name for name, code in own.items() if not _is_the_same_later(code, bound, _PLAIN)]
    fillings: dict[str, Filling] = {}
    lines: list[Fragment] = []
    for name, template in templates.items():
        made = render(template, fillings, Kind.EXPRESSION)
        kinds = _NAMES if called and name != called[-1] else _PLAIN
        called = called[1:] if called[:1] == [name] else called
        is_short = not made.breaks and "\n" not in made.text.text
        if is_short and _is_the_same_later(_read(made), bound, kinds):
            fillings[name] = Filling(made.text, made.code or Code())
        else:
            chosen = fresh(name)
            lines.append(f"{chosen} = " + _on_one_line(made))
            fillings[name] = plain(chosen)
    return fillings, lines


def _said(edit: Mapping[str, Any]) -> dict[str, str]:
    """The templates under ``values`` that others need."""
    templates = edit.get("values", {})
    said = captures_in(" ".join([edit["call"], *edit.get("counted", {}).values()]))
    for name in reversed(templates):
        if name in said:
            said = said | captures_in(templates[name])
    return {name: template for name, template in templates.items() if name in said}


def _on_one_line(made: Rendered) -> Fragment:
    """In brackets, where its lines, or a ``:=``, need them."""
    return "(" + made.text + ")" if made.breaks or ":=" in made.text.text else made.text


def _read(made: Rendered) -> ast.expr:
    return ast.parse(f"({made.text.text}\n)", mode="eval").body


def _is_the_same_later(
    code: ast.expr, bound: Collection[str], kinds: tuple[type[ast.AST], ...]
) -> bool:
    return all(
        isinstance(node, kinds) and getattr(node, "id", None) not in bound
        for node in ast.walk(code)
    )


_NAMES = (
    ast.Name, ast.Constant, ast.BinOp, ast.UnaryOp, ast.expr_context, ast.operator, ast.unaryop,
)  # fmt: skip
_PLAIN = (*_NAMES, ast.Attribute, ast.Subscript)
