"""ModuleRules: the rules of a pack on one module, as applications (edits, reasons) and reports."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pinsetter.analyzer.facts import Facts
from pinsetter.analyzer.files.word_uses import Saying
from pinsetter.analyzer.names.module import Module
from pinsetter.analyzer.syntax.tree import COMPOUND, LN, Expression, is_name

from ..edits.edit import Edit
from ..edits.indentation import Layout
from ..edits.rendering import Misfit
from ..edits.string_edits import in_string, in_strings
from ..edits.template import sentence
from ..matching.imported_name import import_around, names_meant
from ..matching.match import Match
from ..matching.start import guard_of_start, libraries_of, start_of
from ..packs.pack import Pack, Rule
from ..predicates import resolves, satisfies
from ..predicates.registry import OF_PLACES
from .application import Application, Report
from .application_edits import ApplicationEdits
from .comments import keep_comments
from .evidence import evidence
from .first_questions import FirstQuestions
from .module_names import ModuleNames
from .module_renames import imports_module, module_renames
from .pack_results import PassedFile, Passes
from .renames import has_moved
from .substitutions import Substituted
from .symbol_renames import is_symbol, new_name, symbol_renames


@dataclass(frozen=True)
class _ByMeaning:
    """Groups of rules by the names that they look for; ``followed`` are those of ``names`` that are
    not only looked for where they are called so, but also where that is imported `as`."""

    groups: Mapping[str, Sequence[Sequence[Rule]]]
    names: frozenset[str]
    followed: frozenset[str]


class ModuleRules:
    """Applies rules to one module; keeps what the applications of a module share."""

    def __init__(
        self, pack: Pack, module: Module, facts: Facts, passes: Passes | None = None
    ) -> None:
        """``passes`` is what runs the passes of a pack."""
        self.pack = pack
        self.passes = passes
        self.module = module
        self.facts = facts
        self.layout = Layout(module)
        self._symbols: dict[str, bool] = {}
        self._modules: dict[str, bool] = {}
        self._by_meaning: dict[int, tuple[object, _ByMeaning]] = {}
        """With the groups, so that their identity stays their own."""
        self._of_places: dict[str, list[Mapping[str, Any]]] = {}
        self.lifted: dict[int, Application] = {}
        """What lifts the statements that are lifted, by their id(): outer ones come first."""
        self.runs_early = False
        """Whether what was made of the module so far has to be started when that is imported."""
        self.flags: dict[int, set[str]] = {}
        """The names that flags have, by the id() of the outermost function around."""
        self.substituted: dict[int, Substituted] = {}
        """What of functions is written otherwise, by their id()."""
        self.unlifted: dict[int, dict[str, list[Application]]] = {}
        """What puts back blocks that bind a name, by the id() of the function whose it is."""

    @cached_property
    def passed(self) -> PassedFile:
        """What the passes of the pack make of the file."""
        return PassedFile(self)

    @cached_property
    def start(self) -> int:
        """The offset at which start code is inserted."""
        return start_of(self.module, self.facts, libraries_of(self.pack))

    @cached_property
    def guard(self) -> LN | None:
        """The guard under which the module is started, if that is not at ``start``."""
        return None if self.runs_early else guard_of_start(self.module, self.facts)

    @cached_property
    def names(self) -> ModuleNames:
        """They are not asked of modules in which no rule fits, or none that inserts names."""
        return ModuleNames(self.pack, self.module, self.facts, self.layout, self.start)

    def speaking_of(self, node: LN, groups: Sequence[Sequence[Rule]]) -> Sequence[Sequence[Rule]]:
        """Of rules for names those whose name a node may speak of: there may be a hundred, and what
        a node means is asked once for all."""
        key = id(groups)
        if key not in self._by_meaning:
            self._by_meaning[key] = groups, self._meanings(groups)
        _, known = self._by_meaning[key]
        words = self.facts.last_words
        have_others = words.have_others(known.followed, Saying.RENAMED)
        names: set[str] = set()
        if not have_others and is_name(node) and node.value not in words.words_of(known.names):
            return []
        for captures in groups[0][0].pattern.matches(node):
            found = captures["match"]
            if not have_others and not words.is_called(found, known.names):
                continue
            if not self._is_variable(found) and any(
                self._may_stand(rule, captures) for group in groups for rule in group
            ):
                names |= names_meant(found, self.module, self.facts)
        return [group for name in sorted(names & known.names) for group in known.groups[name]]

    def _may_stand(self, rule: Rule, captures: Mapping[str, Expression]) -> bool:
        """Whether the conditions hold that ask where the match stands, and no more."""
        if rule.id not in self._of_places:
            items = (item for condition in rule.where for item in condition.items())
            self._of_places[rule.id] = [{k: v} for k, v in items if k in OF_PLACES]
        places = self._of_places[rule.id]
        if not places:
            return True
        match = Match(self.pack, rule, self.module, self.facts, captures)
        return satisfies(match, places) is not None

    def _is_variable(self, expression: Expression) -> bool:
        """Whether code is a name alone that something else than an import binds here."""
        first = expression[0]
        if len(expression) > 1 or not is_name(first) or import_around(first) is not None:
            return False
        bound = self.module.scope_of(first).lookup(first.value)
        return any(binding.kind != "import" for binding in bound)

    def _meanings(self, groups: Sequence[Sequence[Rule]]) -> _ByMeaning:
        found: dict[str, list[Sequence[Rule]]] = {}
        for group in groups:
            for name in group[0].pattern.means.values():
                for meant in {name, self.facts.library.canonical(name)}:
                    found.setdefault(meant, []).append(group)
        followed = (
            name for name, alike in found.items()
            if not all(group[0].pattern.imports for group in alike)
        )  # fmt: skip
        return _ByMeaning(found, frozenset(found), frozenset(followed))

    def matches(self, node: LN, *rules: Rule) -> list[Match]:
        """The matches at ``node`` that satisfy the rules' conditions; the patterns of all are
        ``nameless`` the same."""
        pattern = rules[0].pattern
        if pattern.imports:
            rules = tuple(rule for rule in rules if not self.is_symbol(rule))
        of_module = {rule.id for rule in rules if pattern.imports and self.is_module(rule)}
        # What a name means is asked before its rules are.
        questions = None if pattern.reference else self._first_questions(rules)
        found = []
        whole: set[tuple[str, int]] = set()
        for fitting in pattern.matches(node):
            worth = questions.worth_a_try(fitting, self.module) if questions else rules
            for rule in worth:
                captures = rule.pattern.renamed(fitting, pattern)
                key = rule.id, id(captures["match"][-1])
                if key in whole:
                    continue
                if rule.id in of_module and import_around(captures["match"][0]) is None:
                    continue
                if not self._may_stand(rule, captures):
                    continue
                candidate = Match(self.pack, rule, self.module, self.facts, captures)
                resolved = resolves(candidate, rule.pattern)
                match = satisfies(resolved, rule.where) if resolved is not None else None
                if match is not None:
                    found.append(match)
                    if rule.is_of_whole_match:
                        whole.add(key)
        return found

    def _first_questions(self, rules: Sequence[Rule]) -> FirstQuestions:
        """What rules whose patterns fit the same ask first, once for all modules."""
        pack, facts = self.pack, self.facts
        key = FirstQuestions, id(pack), tuple(rule.id for rule in rules)
        return facts.remembered(key, lambda: FirstQuestions(rules, pack, facts))

    def is_symbol(self, rule: Rule) -> bool:
        """Whether the rule renames what is looked for in all files at once."""
        if rule.id not in self._symbols:
            new = new_name(rule, self.pack.imports) if rule.renamed else ""
            self._symbols[rule.id] = is_symbol(rule, self.module, self.facts, new)
        return self._symbols[rule.id]

    def is_module(self, rule: Rule) -> bool:
        """Whether the rule renames a module that the file imports by its name."""
        if rule.id not in self._modules:
            self._modules[rule.id] = imports_module(rule.renamed, self.module)
        return self._modules[rule.id]

    def renames(self, rule: Rule) -> Iterator[Application | Report]:
        """What the rule makes of the module as a whole, if it renames."""
        if not rule.renamed:
            return
        new = new_name(rule, self.pack.imports)
        if self.is_symbol(rule):
            yield from symbol_renames(rule, self.module, self.facts, new)
            return
        rank = (self.pack.rules.index(rule), 0)
        yield from module_renames(rule, self.module, self.facts, self.layout, new, rank)

    def outcome(self, match: Match, number: int) -> Application | Report:
        """What the rule makes of a match; ``number`` orders applications at one place."""
        rule = match.rule
        line = self.module.tree.line_of(match.node)
        if rule.report is not None and not rule.edits:
            text = sentence(rule.report, match.sources)
            return Report(rule, self.module, line, text, rule.refuse)
        start = self.module.tree.start(match.node)
        above = not rule.pattern.is_whole_module and self.runs_at_import(match)
        above = above and start < self.start
        if above and (self.pack.training_apis or self.pack.is_part):
            text = "Left alone: it runs before what the pack is about is imported."
            return Report(rule, self.module, line, text)
        changes = ApplicationEdits(self, match, (self.pack.rules.index(rule), number))
        try:
            edits, dropped = keep_comments(changes.made(), match, self.layout)
        except Misfit as misfit:
            text = f"Not rewritten: {_short(match)} cannot be edited here: {misfit}."
            return Report(rule, self.module, line, text)
        fitting = in_strings(match.node, edits, self.module.tree)
        if fitting is None:
            text = "Not rewritten: inside this string the new code would end it; move it out."
            return Report(rule, self.module, line, text)
        names = self.names if changes.templates.used else None
        missing = {*names.aliases.missing, *names.missing} if names is not None else set()
        needed = frozenset(changes.templates.used & missing)
        if above and needed:
            text = f"Not rewritten: it runs before {', '.join(sorted(needed))} could be imported."
            return Report(rule, self.module, line, text)
        if not rule.pattern.is_whole_module and changes.templates.used:
            self.runs_early |= self.runs_at_import(match) and not self.module.is_guarded(match.node)
        application = Application(
            rule,
            self.module,
            start,
            "" if rule.pattern.is_whole_module else match.source(match.expression),
            tuple(self._styled(edit, match) for edit in fitting),
            (*match.warnings, *self._warnings(match), *dropped),
            needed,
            evidence(match),
            after=tuple(changes.blocks.after),
            of_repository=self._is_moved(rule),
        )
        for lifted in rule.lifts:
            self.lifted[id(match.capture(lifted)[0])] = application
        for one in changes.blocks.unlifted:
            one.noted(application)
        for function, made in changes.blocks.substituted.items():
            self.substituted[function] = made.by(application)
        return application

    def _styled(self, edit: Edit, match: Match) -> Edit:
        """An edit for the file's style; what is lifted stays as it is written, to be put back."""
        if match.rule.lifts or any("unlift" in one for one in match.rule.edits):
            return edit
        return edit.styled(self.layout.style, in_string(match.node))

    def _is_moved(self, rule: Rule) -> bool:
        """Whether the rule renames a module of the repository that has its new place."""
        if not rule.renamed:
            return False
        return has_moved(new_name(rule, self.pack.imports), self.module, self.facts)

    def _warnings(self, match: Match) -> list[str]:
        said = []
        for warning in match.rule.warn:
            holds = satisfies(match, warning.get("if", ()))
            if holds is not None:
                said.append(" ".join(sentence(warning["say"], holds.sources).split()))
        return said

    def runs_at_import(self, match: Match) -> bool:
        """Whether the match runs when the module is imported."""
        return self.module.scope_of(match.node).function is None


def _short(match: Match) -> str:
    """The matched code; of a function, or a statement with blocks, the first line."""
    code = match.source(match.expression)
    return f"{code.splitlines()[0]} …" if match.node.type in COMPOUND and "\n" in code else code
