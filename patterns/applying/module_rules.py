"""ModuleRules: the rules of a pack on one module, as applications (edits, reasons) and reports."""

from __future__ import annotations

from dataclasses import dataclass

from fissix.pygram import python_symbols as symbols

from pinsetter.analyzer.facts import Facts
from pinsetter.analyzer.names.module import Module
from pinsetter.analyzer.syntax.tree import LN

from ..edits.edit import Edit
from ..edits.indentation import Layout
from ..edits.rendering import Filling, Misfit, render
from ..edits.string_edits import in_strings
from ..edits.template import Kind, read_template, sentence
from ..matching.aliases import Aliases
from ..matching.match import Match
from ..matching.start import after_imports, libraries_of, start_of
from ..packs.pack import Pack, Rule
from ..predicates import resolves, satisfies
from .application_edits import ApplicationEdits
from .comments import keep_comments
from .evidence import Evidence, evidence


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


class ModuleRules:
    """Applies rules to one module; keeps what the applications of a module share."""

    def __init__(self, pack: Pack, module: Module, facts: Facts) -> None:
        self.pack = pack
        self.module = module
        self.facts = facts
        self.layout = Layout(module)
        self.start = start_of(module, facts, libraries_of(pack))
        self.missing_definitions: dict[str, str] = {}
        self._taken: set[str] = set()
        self.aliases = Aliases(pack, module, facts, self.start, self.fresh)
        self.definitions = {name: self._local_definition(name) for name in pack.definitions}

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
            text = sentence(rule.report, match.sources)
            return Report(rule, self.module, line, text, rule.refuse)
        start = self.module.tree.start(match.node)
        above = start < self.start and not rule.pattern.is_whole_module
        above = above and self.runs_at_import(match)
        if above and (self.pack.training_api or self.pack.is_part):
            text = "Left alone: it runs before what the pack is about is imported."
            return Report(rule, self.module, line, text)
        changes = ApplicationEdits(self, match, (self.pack.rules.index(rule), number))
        try:
            edits, dropped = keep_comments(changes.made(), match, self.layout)
        except Misfit as misfit:
            text = (
                f"Not rewritten: {match.source(match.expression)} cannot be edited here: {misfit}."
            )
            return Report(rule, self.module, line, text)
        fitting = in_strings(match.node, edits, self.module.tree)
        if fitting is None:
            text = "Not rewritten: inside this string the new code would end it; move it out."
            return Report(rule, self.module, line, text)
        needed = frozenset(changes.used & {*self.aliases.missing, *self.missing_definitions})
        if above and needed:
            text = f"Not rewritten: it runs before {', '.join(sorted(needed))} could be imported."
            return Report(rule, self.module, line, text)
        return Application(
            rule,
            self.module,
            start,
            "" if rule.pattern.is_whole_module else match.source(match.expression),
            tuple(fitting),
            (*match.warnings, *self._warnings(match), *dropped),
            needed,
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
        template = read_template(self.pack.definitions[name], Kind.CODE)
        names = {
            alias: self.aliases.local(alias, used) for alias in template.names(self.pack.imports)
        }
        return render(template, _nothing, {**names, name: local}).text.text

    def _local_definition(self, name: str) -> str:
        """What the module calls one of the pack's definitions; a fresh name if it has none."""
        code = self._definition(name, name, set())
        lines = self.layout.lines(code.splitlines(), "")
        for statement in self.module.tree.root.children:
            if statement.type in (symbols.classdef, symbols.funcdef):
                start, end = self.module.tree.span((statement,))
                if (
                    self.module.source.text[start:end].split()
                    == " ".join(line.text for line in lines).split()
                ):
                    return name
        local = self.fresh(name)
        self.missing_definitions[name] = local
        return local

    def _warnings(self, match: Match) -> list[str]:
        said = []
        for warning in match.rule.warn:
            holds = satisfies(match, warning.get("if", ()))
            if holds is not None:
                said.append(" ".join(sentence(warning["say"], holds.sources).split()))
        return said

    def fresh(self, wanted: str) -> str:
        """A name that the file does not have, and no other application has taken."""
        name = self.module.fresh(wanted, frozenset(self._taken))
        self._taken.add(name)
        return name

    def runs_at_import(self, match: Match) -> bool:
        """Whether the match runs when the module is imported."""
        return self.module.scope_of(match.node).function is None


def _nothing(name: str) -> Filling:
    raise ValueError(f"a definition has no metavariables, and ${name} is one")
