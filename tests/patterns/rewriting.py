"""One file and what rules make of it: applications, reports, and the text of any choice of them."""

from __future__ import annotations

import tempfile
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from fissix.pytree import Leaf, Node

from pinsetter.analyzer.facts import Facts
from pinsetter.analyzer.names.project import Project
from pinsetter.patterns.applying.application import Application, Report
from pinsetter.patterns.applying.module_rules import ModuleRules
from pinsetter.patterns.edits.edit import apply
from pinsetter.patterns.matching.match import Match
from pinsetter.patterns.packs.pack import Pack, Rule


@dataclass(frozen=True)
class Applied:
    """An application with where its match stands; ``against`` are the numbers of those before it
    that it contradicts."""

    application: Application
    span: tuple[int, int]
    against: frozenset[int]


class File:
    """One file alone in a folder, parsed once for all the rules that are tried on it."""

    def __init__(self, pack: Pack, code: str | bytes) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "main.py"
            path.write_bytes(code.encode("utf-8") if isinstance(code, str) else code)
            project = Project([path])
            if project.problems:
                raise ValueError(project.problems[0].reason)
            self.module = project.given[0]
            self.nodes: dict[int | None, list[Leaf | Node]] = defaultdict(list)
            decorators = getattr(self.module.tree, "decorators", ())
            for node in [*self.module.tree.nodes(), *decorators]:
                self.nodes[None].append(node)
                self.nodes[node.type].append(node)
            self.pack = pack
            self.facts = Facts(project)
            self.rules = ModuleRules(pack, self.module, self.facts)

    @property
    def text(self) -> str:
        return self.module.source.text

    def matches(self, rule: Rule) -> list[Match]:
        kind = getattr(rule.pattern.compiled, "type", None)
        return [match for node in self.nodes[kind] for match in self.rules.matches(node, rule)]

    def span(self, match: Match) -> tuple[int, int]:
        return self.module.tree.span(match.expression)

    def outcomes(self, rule: Rule) -> Outcomes:
        """What the rule makes of the file."""
        applied: list[Applied] = []
        reports: list[tuple[Report, tuple[int, int]]] = []
        for number, match in enumerate(self.matches(rule)):
            outcome = self.rules.outcome(match, number)
            if isinstance(outcome, Report):
                reports.append((outcome, self.span(match)))
                continue
            against = {
                at
                for at, earlier in enumerate(applied)
                if any(e.contradicts(f) for e in earlier.application.edits for f in outcome.edits)
            }
            applied.append(Applied(outcome, self.span(match), frozenset(against)))
        return Outcomes(self, tuple(applied), tuple(reports))


@dataclass(frozen=True)
class Outcomes:
    """All that one rule makes of one file."""

    file: File
    applied: tuple[Applied, ...]
    reports: tuple[tuple[Report, tuple[int, int]], ...]

    def together(self, wanted: Iterable[int] | None = None) -> list[int]:
        """The numbers of applications that can be made together, of those wanted; the first of
        two that contradict each other."""
        kept: list[int] = []
        for number in range(len(self.applied)) if wanted is None else sorted(wanted):
            if not self.applied[number].against & set(kept):
                kept.append(number)
        return kept

    def text(self, numbers: Sequence[int]) -> str:
        """The file with these applications, and with what they need."""
        rules, applications = self.file.rules, [self.applied[n].application for n in numbers]
        edits = [edit for application in applications for edit in application.edits]
        needed = {name for application in applications for name in application.imports}
        defined = sorted(needed & set(self.file.pack.definitions))
        edits += [edit for name in defined for edit in rules.names.definition_edits(name)]
        aliases = needed.union(*(rules.names.definition_imports(name) for name in defined))
        edits += [
            edit
            for alias in sorted(aliases - set(defined))
            for edit in rules.names.import_edits(alias)
        ]
        return apply(self.file.text, edits)

    def warnings(self, numbers: Iterable[int]) -> list[str]:
        return [said for n in numbers for said in self.applied[n].application.warnings]
