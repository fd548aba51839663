"""ModuleRules: the rules of a pack on one module, as applications (edits, reasons) and reports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from fissix.pygram import python_symbols as symbols

from pinsetter.analyzer.facts import Facts
from pinsetter.analyzer.module import Module
from pinsetter.analyzer.scopes import Binding
from pinsetter.analyzer.tree import LN, Call, Expression, dotted, only_for_type_checkers, walk

from .edit import Edit
from .layout import Layout
from .match import Match, position
from .pack import Pack, Rule
from .predicates import resolves, satisfies
from .start import start_of
from .template import (
    aliases_in,
    around,
    breaks_off,
    captures_in,
    needs_parentheses,
    render,
    result_needs_parentheses,
)

_T = TypeVar("_T")


@dataclass(frozen=True)
class Application:
    """One application of one rule. ``imports`` are the aliases that the file does not bind yet."""

    rule: Rule
    module: Module
    start: int
    code: str
    edits: tuple[Edit, ...]
    warnings: tuple[str, ...] = ()
    imports: frozenset[str] = frozenset()

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
        self.missing_imports: dict[str, str] = {}
        self._taken: set[str] = set()
        # Aliases of one module are one name in a file.
        self._same = {a: _first_alias(names, pack) for a, names in pack.imports.items()}
        self._aliases = {
            alias: self._local_alias(alias, pack.imports[alias])
            for alias in dict.fromkeys(self._same.values())
        }

    def matches(self, rule: Rule, node: LN) -> list[Match]:
        """The matches of ``rule`` at ``node`` that satisfy its conditions."""
        found = []
        for captures in rule.pattern.matches(node):
            candidate = Match(self.pack, rule, self.module, self.facts, captures)
            resolved = resolves(candidate, rule.pattern)
            match = satisfies(resolved, rule.where) if resolved is not None else None
            if match is not None:
                found.append(match)
        return found

    def outcome(self, match: Match, number: int) -> Application | Report:
        """What the rule makes of a match; ``number`` orders applications at one place."""
        rule = match.rule
        line = self.module.tree.line_of(match.node)
        if rule.report is not None and not rule.edits:
            captured = {name: match.source(code) for name, code in match.captures.items()}
            text = render(rule.report, captured, {})
            return Report(rule, self.module, line, text, rule.refuse)
        start = self.module.tree.start(match.node)
        if start < self.start and self._runs_at_import(match) and rule.pattern.text != _ROOT:
            text = "Left alone: it runs before TensorFlow is imported, so on every worker."
            return Report(rule, self.module, line, text)
        rank = (self.pack.rules.index(rule), number)
        used: set[str] = set()
        names = {name: self._fresh(wanted) for name, wanted in rule.fresh.items()}
        for name, cases in rule.let.items():
            names[name] = self._choose(match, cases, names, used)
        edits: list[Edit] = []
        after: list[str] = []
        for edit in rule.edits:
            chosen = satisfies(match, edit.get("if", ()))
            if chosen is None:
                continue
            if edit.get("place") == "after":
                after.extend(self._lines(chosen, edit["insert"], names, used))
                continue
            made = self._edit(chosen, edit, names, rank, used)
            if made is None:
                text = f"Not rewritten: {match.source(match.expression)} cannot be edited here."
                return Report(rule, self.module, line, text)
            edits.extend(made)
        if after:
            edits.extend(self._after(match, after, rank))
        return Application(
            rule,
            self.module,
            start,
            match.source(match.expression) if rule.pattern.text != _ROOT else "",
            tuple(edits),
            (*match.warnings, *self._warnings(match)),
            frozenset(used & set(self.missing_imports)),
        )

    def import_edit(self, alias: str) -> Edit:
        """The import that binds ``alias`` in this module."""
        module, local = self.pack.imports[alias][0], self.missing_imports[alias]
        bound = module if local == module else f"{module} as {local}"
        return self.layout.at(self.start, [f"import {bound}"], (-1, len(alias)))

    def _warnings(self, match: Match) -> list[str]:
        said = []
        for warning in match.rule.warn:
            holds = satisfies(match, warning.get("if", ()))
            if holds is not None:
                captured = {name: match.source(code) for name, code in holds.captures.items()}
                said.append(" ".join(render(warning["say"], captured, {}).split()))
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
        aliases = {a: self._alias(a, used) for a in aliases_in(template, self.pack.imports)}
        captured = {name: self._movable(match.capture(name)) for name in captures_in(template)}
        template = template.replace("\n", self.layout.newline)
        return render(template, {**captured, **names, "it": "$it"}, aliases)

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
            return self.layout.before(match.statement, lines, rank)
        template = next(edit[key] for key in ("with", "guard", "append") if key in edit)
        template = self._render(match, template, names, used)
        if "guard" in edit:
            return self._guard(match, template, rank)
        if "append" in edit:
            return self._append(match.call, template, rank) if match.call else None
        if "argument" in edit:
            return self._argument(match, edit, template, rank)
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

    def _after(self, match: Match, lines: list[str], rank: tuple[int, ...]) -> list[Edit]:
        """Insert after the match's statement; a returned value is kept and returned later."""
        statement = match.statement
        if position(match.expression) != "return":
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

    def _append(self, call: Call, text: str, rank: tuple[int, ...]) -> list[Edit]:
        """Add an argument at the end of a call."""
        closing = call.trailer.children[-1]
        if call.arguments:
            last = closing.prev_sibling
            end = self.module.tree.end(last)
            comma = str(last).rstrip().endswith(",")
            return [Edit(end, end, f" {text}" if comma else f", {text}", rank=rank)]
        start = self.module.tree.start(closing)
        return [Edit(start, start, text, rank=rank)]

    def _signature(self, call: Call, name: str) -> _Parameter:
        """A constructor's parameter: what all classes that may be called agree on."""
        positions: set[int | None] = set()
        defaults: set[str | None] = set()
        for class_name in self.facts.evaluator.names(call.callee, self.module):
            known = self.facts.library.classes.get(class_name)
            parameters = known.parameters if known is not None else ()
            positional = [p.name for p in parameters if p.kind == "positional"]
            positions.add(positional.index(name) if name in positional else None)
            defaults.add(next((p.default for p in parameters if p.name == name), None))
        return _Parameter(_only(positions), _only(defaults))

    def _alias(self, alias: str, used: set[str]) -> str:
        used.add(self._same[alias])
        return self._aliases[self._same[alias]]

    def _local_alias(self, alias: str, names: Sequence[str]) -> str:
        """What the module calls the first of the library modules that it uses; a fresh alias, to be
        imported, where it uses none."""
        found = next((local for name in names if (local := self._spelled(name))), None)
        if found is not None:
            return found
        local = alias if alias not in self.module.names else self._fresh(alias)
        self.missing_imports[alias] = local
        return local

    def _spelled(self, name: str) -> str | None:
        """How the module's own code speaks of the library module ``name``."""
        wanted = self.facts.library.canonical(name)
        chains = []
        for bound, bindings in self.module.scopes.module.bindings.items():
            if any(self._too_late(binding) for binding in bindings):
                continue
            values = [self.facts.evaluator.binding(b, self.module) for b in bindings]
            if all(v.names == {wanted} for v in values):
                return bound
            parent = _only(set().union(*(v.names for v in values)))
            if parent is not None and wanted.startswith(f"{parent}."):
                chains.append(f"{bound}{wanted.removeprefix(parent)}")
        parts = name.split(".")
        if len(parts) > 1 and self.module.binding(parts[0]):
            for node, target in self.module.imports:
                if target.module == name and target.name is None and self._is_plain(node, parts[0]):
                    return name
        return next((chain for chain in chains if self._uses(chain)), None)

    def _uses(self, chain: str) -> bool:
        """Whether a dotted name stands in the module's code."""
        parts = tuple(chain.split("."))
        return any(
            node.type == symbols.power and dotted(tuple(node.children[: len(parts)])) == parts
            for node in walk(self.module.tree.root)
        )

    def _too_late(self, binding: Binding) -> bool:
        """Whether start code cannot use the name that is bound here."""
        late = self.module.tree.start(binding.node) > self.start
        return late or only_for_type_checkers(binding.node)

    def _is_plain(self, node: LN, bound: str) -> bool:
        return any(
            b.kind == "import" and b.target is not None and b.target.module == bound
            and any(part is b.node for part in walk(node))
            for b in self.module.binding(bound)
        )  # fmt: skip

    def _fresh(self, wanted: str) -> str:
        name = self.module.fresh(wanted, frozenset(self._taken))
        self._taken.add(name)
        return name

    def _runs_at_import(self, match: Match) -> bool:
        return self.module.scope_of(match.node).function is None


def _first_alias(names: Sequence[str], pack: Pack) -> str:
    return next(alias for alias, others in pack.imports.items() if others == names)


def _only(found: set[_T]) -> _T | None:
    """The one item of a set; None if it has more or none."""
    return next(iter(found)) if len(found) == 1 else None


_ROOT = "file_input< any* >"
