"""Setting: what is the same for all that is proposed for files which share programs."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from pinsetter.analyzer.facts import Facts
from pinsetter.analyzer.messages.problem import Problem
from pinsetter.analyzer.names.module import Module
from pinsetter.analyzer.names.project import Project
from pinsetter.analyzer.programs.programs import Program
from pinsetter.patterns.applying.module_rules import ModuleRules
from pinsetter.patterns.packs.pack import Pack

from .left_alone import ALL_BUT_START
from .refusals import not_for
from .rule_query import RuleQuery
from .scope import Scope


@dataclass(frozen=True, eq=False)
class Setting:
    """``done``: what is proposed for these files stays, and for the programs that start there."""

    queries: Sequence[RuleQuery]
    project: Project
    skip: frozenset[str]
    scope: Scope
    done: Collection[Path] = ()

    @cached_property
    def facts(self) -> Facts:
        named = {name for query in self.queries for name in query.pack.classes}
        types = {name: cls for query in self.queries for name, cls in query.pack.types.items()}
        several = {pack.training_apis for pack in self.packs if len(pack.training_apis) > 1}
        return Facts(
            self.project, classes=named, asked=self.scope.asked, types=types, together=several
        )

    @cached_property
    def programs(self) -> list[Program]:
        """Those that are asked about; packs for any code are for files, be they of a program or
        not, unless something of them holds for programs as a whole."""
        return self.scope.asked(self.facts.programs.all) if self.about_programs else []

    @cached_property
    def about_programs(self) -> bool:
        return any(pack.is_about_programs for pack in self.packs)

    @cached_property
    def packs(self) -> list[Pack]:
        return [query.pack for query in self.queries]

    @cached_property
    def given(self) -> list[Module]:
        return [m for m in dict.fromkeys(self.project.own) if self.scope.is_given(m)]

    @cached_property
    def for_no_pack(self) -> Mapping[Program, Problem]:
        """Programs that no pack is for, and why."""
        found = ((p, not_for(self.packs, p, self.facts.kinds.of(p))) for p in self.programs)
        return {
            program: problem
            for program, problem in found
            if problem is not None and program not in self.followers
        }

    @cached_property
    def followers(self) -> frozenset[Program]:
        """Programs that no pack is for since they train in more than one way, and of which a rule
        says that they are left as they are, but for their start."""
        return frozenset(
            program
            for program in self.programs
            if program.mixture is not None
            and not any(pack.is_for(self.facts.kinds.of(program)) for pack in self.packs)
            and any(self._is_left(program, pack) for pack in self.packs)
        )

    def _is_left(self, program: Program, pack: Pack) -> bool:
        rules = [r for r in pack.rules if r.leave == ALL_BUT_START and r.id not in self.skip]
        if not rules:
            return False
        asked = ModuleRules(pack, program.entry, self.facts)
        return any(asked.matches(program.entry.tree.root, rule) for rule in rules)

    @cached_property
    def essential(self) -> Mapping[str, str]:
        """What the packs want of a program, by rule, with what would go wrong without."""
        return {name: why for pack in self.packs for name, why in pack.essential.items()}

    def programs_of(self, module: Module) -> Sequence[Program]:
        """The programs that a module is part of, if what is proposed depends on them."""
        return self.facts.programs.of(module) if self.about_programs else ()

    def chosen(self, pack: Pack) -> list[Program]:
        """The programs that a pack is for."""
        return [p for p in self.programs if pack.is_for(self.facts.kinds.of(p))]
