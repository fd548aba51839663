"""Lift: an ``if``, ``while`` or ``for`` as a call, its blocks as functions where they stand.

Each edit is a small one: the head of a clause becomes that of a function, what was its condition
goes to the call behind the last block, and an exit becomes a signal that the block returns. So no
line is moved, and comments, strings and blank lines stay. What leaves a block leaves, one after the
other, the functions around it: each call hands the signal on, by a statement of Python where what
is left is no function.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from fissix.pgen2 import token
from fissix.pygram import python_symbols as symbols

from pinsetter.analyzer.flow.block_state import state_of
from pinsetter.analyzer.flow.suites import Clause, Exit, clauses, last_break, suites_of
from pinsetter.analyzer.syntax.tree import LN, ancestors, first_in, lines_of, outer_call

from ..edits.edit import BEFORE, CLOSE, OPEN, Edit
from ..edits.fragment import NOTHING, Fragment, Span, joined, taken
from ..edits.precedence import ITEM, Code
from ..edits.rendering import KEPT, Filling, Misfit
from ..packs.lifted import Form, Forms
from .moved_code import as_argument, as_returned, as_value, spaced
from .substitutions import own_statements

if TYPE_CHECKING:
    from .application import Application
    from .module_rules import ModuleRules

Fill = dict[str, Filling]
Render = Callable[[str, Fill], Fragment]


class Lift:
    """One statement's. ``render`` fills in a template, with what it calls some of its captures."""

    def __init__(
        self, statement: LN, rules: ModuleRules, render: Render, rank: tuple[int, ...]
    ) -> None:
        assert rules.pack.lifted is not None
        self.statement = statement
        self.rules = rules
        self.render = render
        self.rank = rank
        self.forms: Forms = rules.pack.lifted
        self.tree = rules.module.tree
        self.text = rules.module.source.text
        self.layout = rules.layout
        self.newline = rules.layout.newline
        self.scope = rules.module.scope_of(statement)
        self.suites = suites_of(rules.module)
        function = self.scope.function
        self.substituted = rules.substituted.get(id(function.node)) if function else None
        self.around = [node for node in self._own_ancestors() if id(node) in rules.lifted]
        self.functions: list[str] = []
        self.span = self.tree.span((statement,))
        asked = "$...until" in self._form.call if self._form is not None else False
        self.last_break = last_break(statement) if asked else None
        """The ``if`` at the end of a ``for`` that the call asks instead."""

    @property
    def _form(self) -> Form | None:
        return self.forms.statements.get(self.statement.children[0].value)

    @property
    def after(self) -> Sequence[Application]:
        """What this is written for: that the next statement around is lifted, if one is, and that
        the function's variables are written otherwise, if they are."""
        found = [self.rules.lifted[id(node)] for node in self.around[:1]]
        return [*found, self.substituted.application] if self.substituted is not None else found

    def edits(self) -> list[Edit]:
        """Raises Misfit."""
        word = self.statement.children[0].value
        form = self._form
        if form is None:
            raise Misfit(f"the pack has no form for `{word}`")
        parts = clauses(self.statement)
        names = [self._function(form.functions[clause.word]) for clause in parts]
        item = self._fresh(form.item) if word == "for" else ""
        edits: list[Edit] = []
        for clause, name in zip(parts, names, strict=True):
            edits.append(self._head(clause, name, item))
            edits += self._opening(clause, item)
        edits += self._declared(parts)
        exits = self._exits()
        edits += [edit for one in exits if not self._relays(one) for edit in self._left(one)]
        if self.last_break is not None:
            edits.append(self._without(self.last_break))
        edits.append(self._call(form, parts, names, exits))
        return edits

    def _exits(self) -> list[Exit]:
        """What leaves it, without what is another rule's to write."""
        found = self.suites.exits(self.statement)
        if self.last_break is not None:
            begin, end = self.tree.span((self.last_break,))
            found = [one for one in found if not begin <= self.tree.start(one.node) < end]
        others = self.substituted is not None and self.substituted.returns
        return [one for one in found if one.word != "return" or not others]

    def _bound(self, *spans: Span) -> list[str]:
        """The names that are bound there, without those that are another rule's to write."""
        others = self.substituted.variables if self.substituted is not None else frozenset()
        return [name for name in self.suites.bound(self.scope, *spans) if name not in others]

    # ------------------------------------------------------------ the blocks

    def _head(self, clause: Clause, name: str, item: str) -> Edit:
        """`def name():` instead of what a clause begins with; white space as it was."""
        start, end = self.tree.start(clause.keyword), self.tree.end(clause.colon)
        at = start + len(clause.word)
        first = clause.target or clause.test or clause.colon
        before = self.text[at : self.tree.start(first)]
        inside = ""
        if clause.target is not None and clause.test is not None:
            word = clause.target.next_sibling
            left = self.text[self.tree.end(clause.target) : self.tree.start(word)]
            right = self.text[self.tree.end(word) : self.tree.start(clause.test)]
            inside = f"{spaced(left)}{item}{spaced(right)}"
        if clause.test is None:
            head = f"def {name}(){before}:"
        else:
            behind = self.text[self.tree.end(clause.test) : self.tree.start(clause.colon)]
            gap = "" if before else " "
            head = f"def{before or ' '}{name}{gap}({inside}){behind}:"
        return Edit(start, end, head, outer=(start, end), rank=self.rank)

    def _opening(self, clause: Clause, item: str) -> Iterator[Edit]:
        """The statements that a function begins with: whose its names are, what it goes on with."""
        spans = [self.tree.span((clause.suite,))]
        lines: list[Fragment] = []
        if clause.target is not None:
            spans.insert(0, self.tree.span((clause.target,)))
            lines.append(self._code(clause.target) + f" = {item}")
        declared = self._declarations(spans)
        lines = [*map(Fragment, declared), *lines]
        if not lines:
            return
        yield self.layout.in_front(clause.suite, lines, self.rank, self.span[1])

    def _declarations(self, spans: Sequence[Span]) -> list[str]:
        found: dict[str, list[str]] = {}
        for name in self._bound(*spans):
            found.setdefault(self._whose(name), []).append(name)
        return [f"{word} {', '.join(found[word])}" for word in ("global", "nonlocal")
                if word in found]  # fmt: skip

    def _whose(self, name: str) -> str:
        is_global = self.scope.kind == "module" or name in self.scope.global_names
        return "global" if is_global else "nonlocal"

    def _declared(self, parts: Sequence[Clause]) -> Iterator[Edit]:
        """What makes names the function's that only its blocks bind."""
        function = self.scope.function
        if function is None:
            return
        spans = [self.tree.span((clause.suite,)) for clause in parts]
        spans += [self.tree.span((c.target,)) for c in parts if c.target is not None]
        spans += [self.tree.span((c.test,)) for c in parts if c.test is not None and c.is_late]
        first = own_statements(function.node.children[-1])[0]
        start = self.tree.start(first)
        indentation = self.text[self.tree.line_start(start) : start]
        for name in self._bound(*sorted(spans)):
            if name in function.global_names or name in function.nonlocal_names:
                continue
            if not self.suites.is_bound_outside(function, name):
                unbound = self.render(self.forms.unbound, {}).text
                text = f"{name}: {unbound}{self.newline}{indentation}"
                outer = (start, self.tree.end(function.node))
                yield Edit(start, start, text, BEFORE, outer, self.rank, once=True)

    # ------------------------------------------------------------ leaving them

    def _relays(self, one: Exit) -> bool:
        """Whether what leaves the statement leaves another one around it that is lifted, too."""
        return any(map(one.leaves, self.around))

    def _left(self, one: Exit) -> list[Edit]:
        """A signal is returned instead of what leaves a block."""
        start, end = self.tree.span((one.node,))
        if one.word != "return":
            text = "return " + self.render(self.forms.exits[one.word], {})
            return [Edit(start, end, text.text, outer=(start, end), rank=self.rank)]
        kept = Filling(Fragment(KEPT), Code())
        template = self.render(self.forms.exits["return"], {"it": kept})
        before, after = (part.text for part in template.split(KEPT))
        if one.node.type == token.NAME:
            return [Edit(end, end, f" {before}{after}", CLOSE, (start, end), self.rank)]
        value = one.node.children[1]
        span = self.tree.span((value,))
        opening, closing = as_returned(value)
        if span[0] == start + len("return"):
            # The space before the parenthesis says that there was none behind the keyword.
            before = f" {before[:-1]} {before[-1:]}"
        return [
            Edit(span[0], span[0], before + opening, OPEN, span, self.rank),
            Edit(span[1], span[1], closing + after, CLOSE, span, self.rank),
        ]

    def _call(
        self, form: Form, parts: Sequence[Clause], names: Sequence[str], exits: Sequence[Exit]
    ) -> Edit:
        """The call behind the blocks, what comes before it, and what hands its signal on."""
        lines: list[Fragment] = []
        functions: list[Fragment] = []
        for clause, name in zip(parts, names, strict=True):
            if clause is not parts[0] and clause.test is not None:
                functions.append(self._later(clause, lines))
            functions.append(Fragment(name))
        test = parts[0].test
        assert test is not None
        fill = {"functions": Filling(joined(functions, ", "), Code(), keywords=("",), own=True)}
        if "$later" in form.call:
            fill["later"] = Filling(self._later(parts[0], lines), Code())
        opening, closing = as_argument(test)
        fill["test"] = Filling(opening + self._code(test) + closing, Code())
        fill |= self._told(form)
        call = self.render(form.call, fill)
        leaving = [one for one in exits if one.target is not self.statement]
        signal = self._fresh(self.forms.signal) if leaving else ""
        lines.append(f"{signal} = " + call if signal else call)
        if self._is_global:
            lines.append(Fragment(f"del {', '.join(self.functions)}"))
        lines += self._handed_on(signal, leaving)
        indentation = self.layout.indentation(self.statement)
        at = self.layout.behind_block(self.statement, indentation)
        return self.layout.behind(at, lines, indentation, (self.span[0], at), self.rank)

    def _told(self, form: Form) -> Fill:
        """What else the call of a loop, or an ``if``, can be given, by keywords."""
        found = {"state": NOTHING_GIVEN, "until": NOTHING_GIVEN, "options": NOTHING_GIVEN}
        if "$...state" in form.call:
            names = state_of(self.statement, self.rules.module)
            if names:
                found["state"] = _keyword("state", Fragment(repr(", ".join(names))))
        if self.last_break is not None:
            asked = self._code(self.last_break.children[1])
            found["until"] = _keyword("until", "lambda: " + asked)
        directive = self._directive(form)
        if directive is not None:
            span = (self.tree.end(directive.children[0]), self.tree.start(directive.children[-1]))
            found["options"] = _keyword("options", "dict(" + taken(self.text, span) + ")")
        return found

    def _directive(self, form: Form) -> LN | None:
        """The parentheses of a directive's call at the beginning of a loop."""
        first = first_in(lines_of(clauses(self.statement)[0].suite)[0])
        call = outer_call((first,)) if first.type == symbols.power else None
        if call is None:
            return None
        names = self.rules.facts.evaluator.names(call.callee, self.rules.module)
        return call.trailer if names & {*form.directives} and call.arguments else None

    def _without(self, statement: LN) -> Edit:
        """The edit by which a statement goes, with its lines."""
        start, end = self.tree.span((statement,))
        begin = self.tree.line_start(start)
        if len(lines_of(statement.parent)) == 1:
            end -= len(self.text[start:end]) - len(self.text[start:end].rstrip())
            return Edit(start, end, "pass", outer=(start, end), rank=self.rank)
        return Edit(begin, end, "", outer=(begin, end), rank=self.rank)

    def _later(self, clause: Clause, lines: list[Fragment]) -> Fragment:
        """A test as a function: one with a name, in lines of its own, if it binds any."""
        test = clause.test
        assert test is not None
        declared = self._declarations([self.tree.span((test,))])
        if not declared:
            return "lambda: " + self._code(test)
        name = self._function("test")
        opening, closing = as_value(test)
        lines.append(Fragment(f"def {name}():"))
        lines += [Fragment(f"    {line}") for line in declared]
        lines.append("    return " + opening + self._code(test) + closing)
        return Fragment(name)

    def _handed_on(self, signal: str, exits: Sequence[Exit]) -> list[Fragment]:
        ways: dict[str, str] = {}
        for word in ("break", "continue", "return"):
            one = next((one for one in exits if one.word == word), None)
            if one is not None:
                ways[word] = self._way(one, signal)
        lines: list[Fragment] = []
        alike = len(set(ways.values())) == 1
        for number, (word, way) in enumerate(ways.items()):
            last = alike or number == len(ways) - 1
            test = Fragment("not None") if last else self.render(self.forms.exits[word], {})
            lines += [f"if {signal} is " + test + ":", Fragment(f"    {way}")]
            if last:
                break
        return lines

    def _way(self, one: Exit, signal: str) -> str:
        if self._relays(one):
            return f"return {signal}"
        if one.word != "return":
            return one.word
        given = Filling(Fragment(signal), Code(), word=True)
        return f"return {self.render(self.forms.returned, {'signal': given}).text}"

    # ------------------------------------------------------------ places and names

    @property
    def _is_global(self) -> bool:
        return self.scope.kind == "module" and not self.around

    def _fresh(self, name: str) -> str:
        return self.rules.names.fresh(f"_{name}" if self._is_global else name)

    def _function(self, name: str) -> str:
        """The name of a function that is made."""
        self.functions.append(self._fresh(name))
        return self.functions[-1]

    def _own_ancestors(self) -> Iterator[LN]:
        """What is around the statement in its function."""
        for node in ancestors(self.statement):
            if node.type in (symbols.funcdef, symbols.classdef):
                return
            yield node

    def _code(self, node: LN) -> Fragment:
        return taken(self.text, self.tree.span((node,)))


def _keyword(name: str, value: Fragment) -> Filling:
    """One argument by keyword, in the place of a run."""
    return Filling(f"{name}=" + value, Code(kind=ITEM), word=True, keywords=(name,), own=True)


NOTHING_GIVEN = Filling(NOTHING, keywords=())
