"""FirstQuestions: of rules whose patterns fit the same, those whose first question may be answered
with yes.

Every call of a program is compared with dozens of rules for calls. What most of them ask first is
whether the called means one of some functions; the word that it ends with, or what it means, tells
for all of them at once which are worth a try.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from pinsetter.analyzer.facts import Facts
from pinsetter.analyzer.files.word_uses import Saying
from pinsetter.analyzer.names.module import Module
from pinsetter.analyzer.syntax.tree import Expression
from pinsetter.analyzer.values.questions import ends_of

from ..packs.pack import Pack, Rule
from ..predicates.conditions import functions_called
from ..predicates.instances import may_be_class
from ..predicates.registry import OF_PLACES
from .asked_first import asked_first


@dataclass
class _OfCapture:
    """The rules that ask first about one capture, by their numbers; ``means``: the sets of
    functions of each. ``unsettled`` are those of which it is not known yet whether their functions
    get other names; those that do are in ``by_name``, by what they mean, and in
    ``with_definitions``, if that is a definition of the pack's in some module. Those of
    ``of_classes`` may fit any class."""

    means: dict[int, tuple[frozenset[str], ...]] = field(default_factory=dict)
    by_word: defaultdict[str, set[int]] = field(default_factory=lambda: defaultdict(set))
    unsettled: set[int] = field(default_factory=set)
    by_name: defaultdict[str, set[int]] = field(default_factory=lambda: defaultdict(set))
    with_definitions: set[int] = field(default_factory=set)
    of_classes: set[int] = field(default_factory=set)


class FirstQuestions:
    """Of one pack in one project."""

    def __init__(self, rules: Sequence[Rule], pack: Pack, facts: Facts) -> None:
        self._rules, self._pack, self._facts = rules, pack, facts
        self._others: list[int] = []
        self._asked: defaultdict[str, _OfCapture] = defaultdict(_OfCapture)
        for number, rule in enumerate(rules):
            self._add(number, rule)

    def _add(self, number: int, rule: Rule) -> None:
        named = [{"means": [name, meant]} for name, meant in rule.pattern.means.items()]
        later = (one for one in rule.where if not one.keys() <= OF_PLACES)
        # Of a file alone nothing but what one function means is told by a word: each question is
        # about what no other file says.
        alone = self._facts.project.alone is not None
        asked = asked_first([*named, *later], only_means=alone)
        if asked is None:
            self._others.append(number)
            return
        words = self._facts.last_words
        called = dict(zip(rule.pattern.in_order, self._rules[0].pattern.in_order, strict=True))
        known = self._asked[called.get(asked.capture, asked.capture)]
        known.means[number] = tuple(
            functions_called(names, self._pack, self._facts) for names in asked.means
        )
        known.unsettled.add(number)
        if asked.classes:
            known.of_classes.add(number)
        for word in asked.methods.union(*map(words.words_of, known.means[number])):
            known.by_word[word].add(number)

    def worth_a_try(self, captures: Mapping[str, Expression], module: Module) -> Iterable[Rule]:
        """The rules that may fit what the pattern of the first captures, in their order."""
        chosen = {*self._others}
        for capture, known in self._asked.items():
            expression = captures.get(capture, ())
            chosen |= self._told(known, expression, module) if expression else known.means.keys()
        return [self._rules[number] for number in sorted(chosen)]

    def _told(self, known: _OfCapture, expression: Expression, module: Module) -> set[int]:
        chosen: set[int] = set()
        for word in known.by_word.keys() & ends_of(expression):
            chosen |= known.by_word[word]
        if known.of_classes and may_be_class(expression, module, self._facts):
            chosen |= known.of_classes
        if not module.reads(expression):
            return chosen
        for number in sorted(known.unsettled - chosen):
            self._settle(known, number)
        if known.by_name:
            for name in self._facts.names(expression, module) & known.by_name.keys():
                chosen |= known.by_name[name]
        return chosen | known.with_definitions

    def _settle(self, known: _OfCapture, number: int) -> None:
        words = self._facts.last_words
        means = known.means[number]
        if any(words.have_others(names, Saying.HANDED_ON) for names in means):
            for name in frozenset[str]().union(*means):
                known.by_name[name].add(number)
            if any(names & self._pack.definitions.keys() for names in means):
                known.with_definitions.add(number)
        known.unsettled.discard(number)
