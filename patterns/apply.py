"""ModuleRules: the rules of a pack on one module, as applications (edits, reasons) and reports."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from fissix.pgen2 import token
from fissix.pygram import python_symbols as symbols

from pinsetter.analyzer.facts import Facts
from pinsetter.analyzer.module import Module
from pinsetter.analyzer.tree import (
    LN,
    Call,
    Expression,
    statement_of,
    unwrap,
)

from .aliases import Aliases
from .edit import Edit
from .evidence import Evidence, evidence
from .layout import Layout
from .match import Match, position
from .pack import Pack, Rule
from .predicates import resolves, satisfies
from .start import after_imports, start_of
from .strings import fits_strings
from .template import (
    aliases_in,
    around,
    breaks_off,
    calls_in,
    captures_in,
    needs_parentheses,
    render,
    result_needs_parentheses,
)

_T = TypeVar("_T")


@dataclass(frozen=True)
class Application:
    """One application of one rule. ``imports`` are the aliases that the file does not bind yet, and
    the pack's definitions that it does not have; ``evidence`` is what it was made for."""

    rule: Rule
    module: Module
    start: int
    code: str
    edits: tuple[Edit, ...]
    warnings: tuple[str, ...] = ()
    imports: frozenset[str] = frozenset()
    evidence: Evidence | None = None

    @property
    def line(self) -> int:
        """Where a reader looks for it: a rule for the whole module shows where it inserts."""
        return self.module.tree.line(self.start if self.code else self.edits[0].start)


@dataclass(frozen=True)
class Report:
    """Something that a person must know or do; ``refuse`` stops the whole program."""

    rule: Rule
    module: Module
    line: int
    text: str
    refuse: bool = False


@dataclass(frozen=True)
class _Parameter:
    """A parameter's position and default; None for what is not known."""

    position: int | None
    default: str | None


class ModuleRules:
    """Applies rules to one module; keeps what the applications of a module share."""

    def __init__(self, pack: Pack, module: Module, facts: Facts) -> None:
        self.pack = pack
        self.module = module
        self.facts = facts
        self.layout = Layout(module)
        self.start = start_of(module, facts)
        self.missing_definitions: dict[str, str] = {}
        self._taken: set[str] = set()
        self.aliases = Aliases(pack, module, facts, self.start, self._fresh)
        self._definitions = {name: self._local_definition(name) for name in pack.definitions}

    def matches(self, node: LN, *rules: Rule) -> list[Match]:
        """The matches at ``node`` that satisfy the rules' conditions; all have the same pattern."""
        pattern = rules[0].pattern
        found = []
        for captures in pattern.matches(node):
            for rule in rules:
                candidate = Match(self.pack, rule, self.module, self.facts, captures)
                resolved = resolves(candidate, pattern)
                match = satisfies(resolved, rule.where) if resolved is not None else None
                if match is not None:
                    found.append(match)
        return found

    def outcome(self, match: Match, number: int) -> Application | Report:
        """What the rule makes of a match; ``number`` orders applications at one place."""
        rule = match.rule
        line = self.module.tree.line_of(match.node)
        if rule.report is not None and not rule.edits:
            text = render(rule.report, match.sources, {})
            return Report(rule, self.module, line, text, rule.refuse)
        start = self.module.tree.start(match.node)
        if start < self.start and self._runs_at_import(match) and not rule.pattern.is_whole_module:
            text = "Left alone: it runs before TensorFlow is imported, so on every worker."
            return Report(rule, self.module, line, text)
        rank = (self.pack.rules.index(rule), number)
        used: set[str] = set()
        names = {name: self._fresh(wanted) for name, wanted in rule.fresh.items()}
        for name, cases in rule.let.items():
            names[name] = self._choose(match, cases, names, used)
        edits: list[Edit] = []
        after: dict[str, list[str]] = {}
        for edit in rule.edits:
            chosen = satisfies(match, edit.get("if", ()))
            if chosen is None:
                continue
            if edit.get("place") == "after":
                lines = self._lines(chosen, edit["insert"], names, used)
                after.setdefault(edit.get("at", "$match"), []).extend(lines)
                continue
            made = self._edit(chosen, edit, names, rank, used)
            if made is None:
                text = f"Not rewritten: {match.source(match.expression)} cannot be edited here."
                return Report(rule, self.module, line, text)
            edits.extend(made)
        if not fits_strings(match.node, edits, self.module.tree):
            text = "Not rewritten: inside this string the new code would end it; move it out."
            return Report(rule, self.module, line, text)
        for place, lines in after.items():
            statement = statement_of(match.capture(place)[0])
            edits.extend(self._after(match, statement, lines, rank))
        return Application(
            rule,
            self.module,
            start,
            "" if rule.pattern.is_whole_module else match.source(match.expression),
            tuple(edits),
            (*match.warnings, *self._warnings(match)),
            frozenset(used & {*self.aliases.missing, *self.missing_definitions}),
            evidence(match),
        )

    def import_edit(self, alias: str) -> Edit:
        """The import that binds ``alias`` in this module."""
        module, local = self.aliases.imported_for(alias), self.aliases.missing[alias]
        bound = module if local == module else f"{module} as {local}"
        return self.layout.at(self.start, [f"import {bound}"], (-1, len(alias)))

    def definition_edit(self, name: str) -> Edit:
        """One of the pack's definitions, after the module's imports."""
        place = after_imports(self.module, self.start)
        lines = self._definition(name, self.missing_definitions[name], set()).splitlines()
        rest = self.module.source.text[place:]
        apart = [] if rest.startswith(("\n", "\r")) or not rest else ["", ""]
        return self.layout.at(place, ["", "", *lines, *apart], (len(self.pack.rules),))

    def definition_imports(self, name: str) -> frozenset[str]:
        """The aliases that one of the pack's definitions needs and the file does not bind yet."""
        used: set[str] = set()
        self._definition(name, name, used)
        return frozenset(used & set(self.aliases.missing))

    def _definition(self, name: str, local: str, used: set[str]) -> str:
        code = self.pack.definitions[name]
        aliases = {a: self.aliases.local(a, used) for a in aliases_in(code, self.pack.imports)}
        return re.sub(rf"\b{name}\b", local, render(code, {}, aliases))

    def _local_definition(self, name: str) -> str:
        """What the module calls one of the pack's definitions; a fresh name if it has none."""
        code = self._definition(name, name, set())
        lines = self.layout.lines(code.splitlines(), "")
        for statement in self.module.tree.root.children:
            if statement.type in (symbols.classdef, symbols.funcdef):
                start, end = self.module.tree.span((statement,))
                if self.module.source.text[start:end].split() == " ".join(lines).split():
                    return name
        local = self._fresh(name)
        self.missing_definitions[name] = local
        return local

    def _warnings(self, match: Match) -> list[str]:
        said = []
        for warning in match.rule.warn:
            holds = satisfies(match, warning.get("if", ()))
            if holds is not None:
                said.append(" ".join(render(warning["say"], holds.sources, {}).split()))
        return said

    def _choose(
        self,
        match: Match,
        cases: Sequence[Mapping[str, Any]],
        names: Mapping[str, str],
        used: set[str],
    ) -> str:
        for case in cases:
            chosen = satisfies(match, case.get("if", ()))
            if chosen is not None:
                return self._render(chosen, case["is"], names, used)
        raise ValueError(f"{match.rule.id}: no case of a let holds; end it with one without if")

    def _render(self, match: Match, template: str, names: Mapping[str, str], used: set[str]) -> str:
        at_start = any(edit.get("place") == "start" for edit in match.rule.edits)
        place = self.module.tree.start(match.node)
        if not self._runs_at_import(match):
            place = len(self.module.source.text)
        used_here = aliases_in(template, self.pack.imports)
        aliases = {
            a: self.aliases.local(a, used, self.start if at_start else place) for a in used_here
        }
        captured = {name: self._movable(match.capture(name)) for name in captures_in(template)}
        for name in calls_in(template, self.pack.definitions):
            used.add(name)
            local = self._definitions[name]
            template = re.sub(rf"\b{name}\b", local, template)
        template = template.replace("\n", self.layout.newline)
        return render(template, {**captured, **match.texts, **names, "it": "$it"}, aliases)

    def _movable(self, expression: Expression) -> str:
        """An expression's text, in parentheses if it would break off at the end of a line."""
        if not expression:
            return ""
        start, end = self.module.tree.span(expression)
        text = self.module.source.text[start:end]
        return f"({text})" if breaks_off(expression) else text

    def _edit(
        self,
        match: Match,
        edit: Mapping[str, Any],
        names: Mapping[str, str],
        rank: tuple[int, ...],
        used: set[str],
    ) -> list[Edit] | None:
        if "insert" in edit:
            lines = self._lines(match, edit["insert"], names, used)
            if edit["place"] == "start":
                return [self.layout.at(self.start, lines, rank)]
            statement = _first_statement(match.capture(edit.get("at", "$match"))[0])
            return self.layout.before(statement, lines, rank)
        template = next(edit[key] for key in ("with", "guard", "append", "items") if key in edit)
        template = self._render(match, template, names, used)
        if "guard" in edit:
            return self._guard(match, template, rank)
        if "append" in edit:
            return self._append(match.call, template, rank) if match.call else None
        if "argument" in edit:
            return self._argument(match, edit, template, rank)
        if "extend" in edit:
            return self._extend(match.capture(edit["extend"]), template, rank)
        expression = match.capture(edit.get("wrap", edit.get("replace", "")))
        start, end = self.module.tree.span(expression)
        if "replace" in edit:
            return [Edit(start, end, template, outer=(start, end), rank=rank)]
        before, after = around(template)
        if needs_parentheses(template, expression):
            before, after = before + "(", ")" + after
        if result_needs_parentheses(template, expression):
            before, after = "(" + before, after + ")"
        return self.layout.wrap(start, end, before, after, rank)

    def _lines(
        self, match: Match, template: str, names: Mapping[str, str], used: set[str]
    ) -> list[str]:
        # Line by line: what a capture brings along, such as a string of several lines, is not the
        # template's to indent.
        return [self._render(match, line, names, used) for line in template.splitlines()]

    def _after(
        self, match: Match, statement: LN, lines: list[str], rank: tuple[int, ...]
    ) -> list[Edit]:
        """Insert after a statement; a value that the match's own returns is kept and returned
        later."""
        if statement is not match.statement or position(match.expression) != "return":
            return self.layout.after(statement, lines, rank)
        name = self._fresh("result")
        kept = self.layout.keep_returned(statement, name, rank)
        return [*kept, *self.layout.after(statement, [*lines, f"return {name}"], rank)]

    def _guard(self, match: Match, condition: str, rank: tuple[int, ...]) -> list[Edit] | None:
        statement = match.statement
        kind = position(match.expression)
        if statement is match.node:
            return self.layout.guard(statement, condition, rank)
        if kind == "expression" and self.layout.owns_its_lines(statement):
            return self.layout.guard(statement, condition, rank)
        expression = match.expression
        if kind in ("expression", "assignment", "return"):
            start, end = self.module.tree.span(expression)
            return self.layout.wrap(start, end, "", f" if {condition} else None", rank)
        return None

    def _argument(
        self, match: Match, edit: Mapping[str, Any], template: str, rank: tuple[int, ...]
    ) -> list[Edit] | None:
        call = match.call
        if call is None:
            return None
        name = str(edit["argument"])
        aliases: list[str] = edit.get("aliases", [])
        signature = self._signature(call, name)
        found = call.argument(name, signature.position)
        for alias in aliases:
            found = found or call.argument(alias)
        if found is not None:
            before, after = around(template)
            value = (found.value,)
            if needs_parentheses(template, value):
                before, after = before + "(", ")" + after
            start, end = self.module.tree.span(value)
            return self.layout.wrap(start, end, before, after, rank)
        if signature.default is None or any(a.star for a in call.arguments):
            return None
        if signature.position is None and any(a.name is None for a in call.arguments):
            return None  # one of them may be the argument
        text = f"{name}={render(template, {'it': signature.default}, {})}"
        return self._append(call, text, rank)

    def _extend(
        self, expression: Expression, items: str, rank: tuple[int, ...]
    ) -> list[Edit] | None:
        """Put items in front of those of a list display."""
        nodes = unwrap(expression)
        if len(nodes) != 1 or nodes[0].type != symbols.atom or nodes[0].children[0].value != "[":
            return None
        start = self.module.tree.start(nodes[0].children[0]) + 1
        if len(nodes[0].children) > 2:
            ends_line = self.module.source.text[start:].lstrip(" \t").startswith(("\n", "\r"))
            items = f"{items}," if ends_line else f"{items}, "
        return [Edit(start, start, items, rank=rank)]

    def _append(self, call: Call, text: str, rank: tuple[int, ...]) -> list[Edit]:
        """Add an argument at the end of a call."""
        closing = call.trailer.children[-1]
        if call.arguments:
            last = closing.prev_sibling
            end = self.module.tree.end(last)
            comma = str(last).rstrip().endswith(",")
            if comma:
                return [Edit(end, end, f" {text}", rank=rank, between=",")]
            return [Edit(end, end, f", {text}", rank=rank)]
        start = self.module.tree.start(closing)
        return [Edit(start, start, text, rank=rank, between=", ")]

    def _signature(self, call: Call, name: str) -> _Parameter:
        """A parameter: what all classes, functions and methods that may be called agree on."""
        library = self.facts.library
        called = self.facts.evaluator.names(call.callee, self.module)
        defaults = {
            next((p.default for p in library.parameters(c) if p.name == name), None) for c in called
        }
        return _Parameter(library.position(called, name), _only(defaults))

    def _fresh(self, wanted: str) -> str:
        name = self.module.fresh(wanted, frozenset(self._taken))
        self._taken.add(name)
        return name

    def _runs_at_import(self, match: Match) -> bool:
        return self.module.scope_of(match.node).function is None


def _first_statement(node: LN) -> LN:
    """The statement around a node; of a block the first."""
    if node.type == symbols.suite:
        node = next(child for child in node.children if child.type not in _INVISIBLE)
    return statement_of(node.children[0] if node.type == symbols.simple_stmt else node)


def _only(found: set[_T]) -> _T | None:
    """The one item of a set; None if it has more or none."""
    return next(iter(found)) if len(found) == 1 else None


_INVISIBLE = {token.NEWLINE, token.INDENT, token.DEDENT}
