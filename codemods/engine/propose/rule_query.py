"""RuleQuery: a pack as a Bowler Query, with a selector, filter and modifier for rules alike."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any, TypeVar

from bowler import Query
from bowler.tool import BowlerTool
from fissix.refactor import RefactoringTool

from pinsetter.analyzer.facts import Facts
from pinsetter.analyzer.files.needed_text import NeededText, WordSearch
from pinsetter.analyzer.messages.unforeseen import AnalysisError
from pinsetter.analyzer.names.lone_file import AskedBeyondError
from pinsetter.analyzer.names.module import Module
from pinsetter.analyzer.syntax.tree import LN
from pinsetter.patterns.applying.module_rules import ModuleRules
from pinsetter.patterns.applying.pack_results import Passes
from pinsetter.patterns.matching.match import Match
from pinsetter.patterns.matching.pattern_words import needed_in
from pinsetter.patterns.packs.pack import Pack, Rule

from .faults import Stumble

_T = TypeVar("_T")
# Rules, those together whose patterns fit the same.
Groups = list[list[Rule]]


class RuleTool(BowlerTool):  # type: ignore[misc]
    """Runs fixers over trees that are parsed already; Bowler's own reading and writing of files
    loses line ends, encodings and errors, and is not used."""

    def __init__(self, fixers: Sequence[Any]) -> None:
        # Bowler's tool makes semaphores for processes of its own, which not every system has.
        RefactoringTool.__init__(self, fixers, options={"print_function": True})

    def run_fixers(self, module: Module, shapes: Collection[int]) -> None:
        """Run those of the fixers that have these places among them."""
        fixers = {fixer: index for index, fixer in enumerate(self.bmi_post_order)}
        heads = {
            kind: [fixer for fixer in alike if fixers[fixer] in shapes]
            for kind, alike in self.bmi_post_order_heads.items()
        }
        root, *inside_strings = module.tree.roots
        for fixer in fixers:
            fixer.start_tree(root, str(module.path))
        for tree in (root, *inside_strings):
            self.traverse_by(heads, tree.post_order())
        self.traverse_by(heads, module.tree.decorators)


@dataclass(frozen=True)
class Begun:
    """What the rules that decide about programs found in a module, and which of them failed."""

    rules: ModuleRules
    matches: list[Match]
    stumbles: dict[str, Stumble]


class RuleQuery(Query):  # type: ignore[misc]
    """Any Bowler ``process()`` hook works on it and sees one hunk for each application of a rule;
    a hook that returns False rejects the hunk."""

    passed: Passes | None = None
    """What runs the passes of a pack."""

    def __init__(self, pack: Pack, paths: Sequence[str], options: Collection[str] = ()) -> None:
        """``options`` are those of the pack's that are chosen."""
        super().__init__(list(paths))
        self._made_of = (pack, list(paths), list(options))
        self.every_rule = frozenset(rule.id for rule in pack.rules)
        self.pack = pack = pack.with_options(options)
        self.rules: ModuleRules | None = None
        self.matches: list[Match] = []
        self.stumbles: dict[str, Stumble] = {}
        """The rules that an error kept from the module, by their ids."""
        shapes = by_shape(pack.rules)
        self._shapes = [*shapes.values()]
        for number, shape in enumerate(shapes):
            self.select_pattern(shape)
            self.filter(self._where(number))
            self.modify(_leave_alone)
        self._tool: RuleTool | None = None
        self._alike: list[tuple[Groups, bool]] = []
        """Of each shape the rules whose words the module has, and whether all are for names."""

    @property
    def query(self) -> RuleQuery:
        return self

    def __reduce__(self) -> tuple[object, ...]:
        """A copy, for another process: hooks belong to this one."""
        return type(self), self._made_of

    def in_module(self, module: Module, facts: Facts) -> ModuleRules:
        return ModuleRules(self.pack, module, facts, self.passed)

    def begin(self, rules: ModuleRules) -> Begun:
        """What the rules find in one module that refuse programs, or leave them as they are."""
        self.rules, self.matches, self.stumbles = rules, [], {}
        self._run(rules, self._deciding)
        return Begun(rules, self.matches, self.stumbles)

    def collect(
        self, rules: ModuleRules, begun: Begun | None = None, left: bool = False
    ) -> list[Match]:
        """The matches of all rules in one module, in source order; none of those that ``stumbles``
        names then. What has ``begun`` is not done again, and nothing else is if it is ``left``."""
        if begun is None:
            self.rules, self.matches, self.stumbles = rules, [], {}
            self._run(rules, self.every_rule)
        else:
            self.rules, self.matches, self.stumbles = rules, [*begun.matches], {**begun.stumbles}
            if not left:
                self._run(rules, self.every_rule - self._deciding)
        tree = rules.module.tree
        order = {rule.id: index for index, rule in enumerate(self.pack.rules)}
        found = [match for match in self.matches if match.rule.id not in self.stumbles]
        return sorted(found, key=lambda m: (tree.span(m.expression), order[m.rule.id]))

    @cached_property
    def _deciding(self) -> frozenset[str]:
        rules = self.pack.rules
        return frozenset(rule.id for rule in rules if rule.refuse or rule.leave is not None)

    def _run(self, rules: ModuleRules, wanted: Collection[str]) -> None:
        if self._tool is None:
            self._tool = RuleTool(self.compile())
        self._alike = [*self._rules_in(rules.module, wanted)]
        shapes = {shape for shape, (groups, _) in enumerate(self._alike) if groups}
        self._tool.run_fixers(rules.module, shapes)

    @cached_property
    def needed(self) -> dict[str, list[NeededText]]:
        """What each rule needs, one of these, by the ids of the rules."""
        return needed_in(self.pack)

    @cached_property
    def _words(self) -> WordSearch:
        return WordSearch(chain.from_iterable(self.needed.values()))

    def _rules_in(self, module: Module, wanted: Collection[str]) -> Iterator[tuple[Groups, bool]]:
        found = self._words.found_in(module.source.text.encode("utf-8", "replace"))
        fits = {
            id
            for id, needs in self.needed.items()
            if id in wanted and any(n.may_be_in(found) for n in needs)
        }
        for groups in self._shapes:
            fitting = [[rule for rule in alike if rule.id in fits] for alike in groups]
            groups = [alike for alike in fitting if alike]
            yield groups, all(alike[0].pattern.reference for alike in groups)

    def stumble(self, rule: Rule, node: LN, error: Exception) -> None:
        """Do without a rule in this module. Raises what no rule is to blame for."""
        if isinstance(error, AnalysisError) or self.rules is None:
            raise error
        line = self.rules.module.tree.line_of(node)
        self.stumbles.setdefault(rule.id, Stumble(rule, line, error))

    def _where(self, shape: int) -> Any:
        def where(node: LN, capture: dict[str, Any], filename: str) -> bool:
            rules, are_names = self._alike[shape]
            chosen = self._speaking_of(node, rules) if are_names else rules
            # Bowler hands on the first way in which a pattern fits; `a.take(1).take(2)` has two.
            found = [match for alike in chosen for match in self._matches(node, alike)]
            self.matches.extend(found)
            return bool(found)

        return where

    def _speaking_of(self, node: LN, rules: Groups) -> Sequence[Sequence[Rule]]:
        assert self.rules is not None
        try:
            return self._told(lambda known: known.speaking_of(node, rules))
        except Exception:
            return rules  # each of them stumbles by itself

    def _told(self, ask: Callable[[ModuleRules], _T]) -> _T:
        """What the rules say, with the files that they ask about, one after the other."""
        assert self.rules is not None
        while True:
            try:
                return ask(self.rules)
            except AskedBeyondError as asked:
                if not self.rules.facts.read_near(asked):
                    raise

    def _matches(self, node: LN, alike: Sequence[Rule]) -> list[Match]:
        assert self.rules is not None
        if self.stumbles:
            alike = [rule for rule in alike if rule.id not in self.stumbles]
        try:
            return self._told(lambda known: known.matches(node, *alike)) if alike else []
        except Exception as error:
            if len(alike) == 1:
                self.stumble(alike[0], node, error)
                return []
            return [match for rule in alike for match in self._matches(node, [rule])]


def by_shape(rules: Iterable[Rule]) -> dict[str, Groups]:
    """Rules by the shapes of their patterns, those whose patterns fit the same together: every node
    would be compared with `$f($...arguments)` for each of many rules."""
    found: dict[str, Groups] = {}
    for rule in (rule for rule in rules if not rule.is_of_imports):
        alike = found.setdefault(rule.pattern.shape, [])
        nameless = rule.pattern.nameless
        same = next((group for group in alike if group[0].pattern.nameless == nameless), None)
        if same is None:
            alike.append([rule])
        else:
            same.append(rule)
    return found


def _leave_alone(node: LN, capture: dict[str, Any], filename: str) -> None:
    """The tree stays as it was read: edits are spans of the text."""
