"""Substitution: the variables of a function written as something else, and how it returns.

Each edit is small and in its place, so that what other rules do around, and in code that they move,
is done as well: a read becomes other code, of an assignment what stands in front of the value and
behind it, of a ``return`` its keyword. Lines of the function's own stand behind its docstring.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from fissix.pgen2 import token
from fissix.pygram import python_symbols as symbols

from pinsetter.analyzer.flow.rebinding import Rebound, rebound, returns
from pinsetter.analyzer.names.scopes import Binding
from pinsetter.analyzer.syntax.tree import LN, lines_of

from ..edits.edit import BEFORE, CLOSE, Edit
from ..edits.fragment import Fragment, joined
from ..edits.rebuilding import enclosed
from ..edits.rendering import KEPT, Filling, Misfit, Rendered, around, plain

if TYPE_CHECKING:
    from .application import Application
    from .module_rules import ModuleRules

Rank = tuple[int, ...]
Render = Callable[[str, Mapping[str, Filling]], Rendered]


@dataclass(frozen=True)
class Substituted:
    """What of a function is written otherwise, by which application: its ``variables``, and
    whether its ``returns`` are."""

    variables: frozenset[str]
    returns: bool
    application: Application


class Substitution:
    """One function's. ``render`` fills in a template, with what it calls some of its captures."""

    def __init__(self, function: LN, rules: ModuleRules, render: Render, rank: Rank) -> None:
        if function.type != symbols.funcdef:
            raise Misfit("it is no function")
        self.function = function
        self.rules = rules
        self.render = render
        self.rank = rank
        self.variables: frozenset[str] = frozenset()
        self.returns = False
        self.tree = rules.module.tree
        self.layout = rules.layout

    def by(self, application: Application) -> Substituted:
        return Substituted(self.variables, self.returns, application)

    @cached_property
    def _body(self) -> list[LN]:
        """Its statements behind the docstring. Raises Misfit if there are none of their own."""
        suite = self.function.children[-1]
        if suite.type != symbols.suite:
            raise Misfit("its statements have no lines of their own")
        return own_statements(suite)

    def of_variables(self, templates: Mapping[str, str]) -> list[Edit]:
        """The variables that it binds more than once, each time by itself, by templates to
        ``declare``, ``read``, ``write`` and ``update`` one. Raises Misfit."""
        scope = self.rules.module.scope_of(self.function.children[-1])
        found = rebound(scope, self.rules.module)
        self.variables = frozenset(one.name for one in found)
        lines: list[Fragment] = []
        edits: list[Edit] = []
        for one in found:
            lines.append(self._said(templates["declare"], one.name).text)
            for binding in one.bindings:
                if binding.kind == "parameter":
                    edits.append(self._parameter(binding, templates["write"], lines))
                else:
                    edits += self._written(binding, templates)
            edits += self._read(one, templates["read"])
        return [*self._first(lines), *edits]

    def _said(self, template: str, name: str, **more: Filling) -> Rendered:
        return self.render(template, {"it": plain(name), **more})

    def _parameter(self, binding: Binding, template: str, lines: list[Fragment]) -> Edit:
        """A parameter gets another name, and the variable its value."""
        # It is read in one line, so that functions inside may have one that is called so, too.
        given = self.rules.names.fresh(f"{binding.name}_1", _EVERYWHERE)
        lines.append(self._said(template, binding.name, value=plain(given)).text)
        start, end = self.tree.span((binding.node,))
        return Edit(start, end, given, outer=(start, end), rank=self.rank)

    def _written(self, binding: Binding, templates: Mapping[str, str]) -> list[Edit]:
        statement = binding.node.parent
        _, sign, value = statement.children
        more = {"value": around((value,))}
        if binding.kind == "augment":
            more["operator"] = plain(f'"{sign.value}"')
        template = templates["update" if binding.kind == "augment" else "write"]
        return self._around(statement, value, self._said(template, binding.name, **more).text)

    def _around(self, statement: LN, value: LN, text: Fragment) -> list[Edit]:
        """A statement whose value stays where it is, in other code."""
        before, after = (part.text for part in text.split(KEPT))
        start, span = self.tree.start(statement), self.tree.span((value,))
        return [
            Edit(start, span[0], before, outer=self.tree.span((statement,)), rank=self.rank),
            Edit(span[1], span[1], after, CLOSE, span, self.rank),
        ]

    def _read(self, one: Rebound, template: str) -> Iterator[Edit]:
        made = self._said(template, one.name)
        for leaf in one.reads:
            span = self.tree.span((leaf,))
            yield Edit(*span, made.text.text, outer=span, rank=self.rank, code=made.code)

    def _first(self, lines: Sequence[Fragment]) -> Iterator[Edit]:
        """Lines in front of its first statement."""
        if lines:
            start = self.tree.start(self._body[0])
            indentation = self.layout.indentation(self._body[0])
            text = joined(line + self.layout.newline + indentation for line in lines)
            outer = (start, self.tree.end(self.function))
            yield Edit(start, start, text.text, BEFORE, outer, self.rank)

    def of_returns(self, template: str) -> list[Edit]:
        """Each of its ``return``s as an expression with the value, if there is one."""
        self.returns = True
        edits: list[Edit] = []
        for one in returns(self.function):
            if one.type == token.NAME:
                text = self.render(template, {"it": plain("None")}).text
                span = self.tree.span((one,))
                edits.append(Edit(*span, text.text, outer=span, rank=self.rank))
            else:
                value = one.children[1]
                text = self.render(template, {"it": around((value,))}).text
                edits += self._around(one, value, text)
        return edits

    def enclosed(self, lines: Sequence[Fragment]) -> list[Edit]:
        """All of its statements behind the docstring inside of others. Raises Misfit."""
        if len(self._body) == 1 and _is_text(self._body[0]):
            raise Misfit("it has nothing but its docstring")
        return enclosed(self.function, tuple(self._body), lines, self.layout, self.rank)


def own_statements(suite: LN) -> list[LN]:
    """The statements of a function's block without its docstring, if there are others."""
    found = lines_of(suite)
    return found[1:] if len(found) > 1 and _is_text(found[0]) else found


def _is_text(line: LN) -> bool:
    """Whether a line is a string, or several side by side, and nothing else."""
    if line.type != symbols.simple_stmt or len(line.children) != 2:
        return False
    one = line.children[0]
    parts = one.children if one.type == symbols.atom else [one]
    return all(part.type == token.STRING for part in parts)


_EVERYWHERE = 0
