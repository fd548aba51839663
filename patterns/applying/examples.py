"""check_example: a rule's own examples are its tests; each is run twice."""

from __future__ import annotations

import difflib
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pinsetter.analyzer.facts import Facts
from pinsetter.analyzer.names.project import Project

from ..edits.edit import apply
from ..packs.pack import Example, Pack, Rule
from .done import is_done
from .module_rules import Application, ModuleRules, Report


def check_example(pack: Pack, rule: Rule, example: Example) -> list[str]:
    """What is wrong with the rule on this example, in words; empty if nothing is.

    The rule alone is applied, without asking whether the example is a program of the pack's kind,
    and then once more to the result, where it must propose nothing.
    """
    place = f"{rule.path}:{example.line}: {rule.id}"
    result, reports, warnings = outcome_of(pack, rule, example.before)
    if example.reported and not reports:
        return [f"{place}: nothing is reported"]
    if not example.reported and reports:
        return [f"{place}: reported: {reports[0].text}"]
    said = [*warnings, *(report.text for report in reports)]
    if not any(example.warns in text for text in said or [""]):
        return [f"{place}: said is {said}"]
    wanted = example.before if example.after is None else example.after
    if result != wanted:
        difference = difflib.unified_diff(
            wanted.splitlines(), result.splitlines(), "example", "result", lineterm=""
        )
        return [f"{place}: differs\n" + "\n".join(difference)]
    again, _ = transform(pack, rule, result)
    if again != result:
        return [f"{place}: a second run changes it again:\n{again}"]
    if rule.done is not None and example.after is not None and not _is_done(pack, rule, result):
        return [f"{place}: `done` does not hold for the result"]
    return []


def transform(pack: Pack, rule: Rule, code: str) -> tuple[str, list[Report]]:
    """The code with every application of the one rule accepted, and what the rule reports."""
    result, reports, _ = outcome_of(pack, rule, code)
    return result, reports


def _is_done(pack: Pack, rule: Rule, code: str) -> bool:
    with _project(rule, code) as project:
        return is_done(pack, rule.id, project.given[0], Facts(project, classes=pack.classes))


@contextmanager
def _project(rule: Rule, code: str) -> Iterator[Project]:
    """A project with one file, the example."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "main.py"
        path.write_bytes(code.encode("utf-8"))
        project = Project([path])
        if project.problems:
            raise ValueError(f"{rule.id}: an example does not parse: {project.problems[0].reason}")
        yield project


def outcome_of(pack: Pack, rule: Rule, code: str) -> tuple[str, list[Report], list[str]]:
    """The code with every application of the one rule accepted, its reports and its warnings."""
    with _project(rule, code) as project:
        module = project.given[0]
        rules = ModuleRules(pack, module, Facts(project, classes=pack.classes))
        nodes = [*module.tree.nodes(), *module.tree.decorators]
        matches = [m for node in nodes for m in rules.matches(node, rule)]
        outcomes = [rules.outcome(match, number) for number, match in enumerate(matches)]
    applications = [o for o in outcomes if isinstance(o, Application)]
    edits = [edit for application in applications for edit in application.edits]
    needed = {name for application in applications for name in application.imports}
    defined = sorted(needed & set(pack.definitions))
    edits += [rules.definition_edit(name) for name in defined]
    aliases = needed.union(*(rules.definition_imports(name) for name in defined)) - set(defined)
    edits += [rules.import_edit(alias) for alias in sorted(aliases)]
    reports = [o for o in outcomes if isinstance(o, Report)]
    return apply(module.source.text, edits), reports, [w for a in applications for w in a.warnings]
