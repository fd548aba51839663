"""check_example: a rule's own examples are its tests; each is run twice, as a file of a run is."""

from __future__ import annotations

import difflib
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from pinsetter.analyzer.facts import Facts
from pinsetter.analyzer.messages.problem import Problem
from pinsetter.analyzer.names.project import Project
from pinsetter.codemods.engine.propose.planning import make_plan
from pinsetter.codemods.engine.propose.rule_query import RuleQuery
from pinsetter.patterns.applying.done import is_done
from pinsetter.patterns.edits.edit import apply
from pinsetter.patterns.packs.pack import Example, Pack, Rule


@dataclass(frozen=True)
class Outcome:
    """What becomes of a text: with every hunk accepted, what is reported, and the warnings."""

    text: str
    reports: tuple[str, ...]
    warnings: tuple[str, ...]


def check_example(pack: Pack, rule: Rule, example: Example) -> list[str]:
    """What is wrong with the rule on this example, in words; empty if nothing is.

    The rule alone is applied, without asking whether the example is a program of the pack's kind,
    and then once more to the result, where it must propose nothing.
    """
    place = f"{rule.path}:{example.line}: {rule.id}"
    found = outcome_of(pack, rule, example.before)
    if example.reported and not found.reports:
        return [f"{place}: nothing is reported"]
    if not example.reported and found.reports:
        return [f"{place}: reported: {found.reports[0]}"]
    said = [*found.warnings, *found.reports]
    if not any(example.warns in text for text in said or [""]):
        return [f"{place}: said is {said}"]
    wanted = example.before if example.after is None else example.after
    if found.text != wanted:
        difference = difflib.unified_diff(
            wanted.splitlines(), found.text.splitlines(), "example", "result", lineterm=""
        )
        return [f"{place}: differs\n" + "\n".join(difference)]
    again = outcome_of(pack, rule, found.text).text
    if again != found.text:
        return [f"{place}: a second run changes it again:\n{again}"]
    if rule.done is not None and example.after is not None and not _is_done(pack, rule, again):
        return [f"{place}: `done` does not hold for the result"]
    return []


def outcome_of(pack: Pack, rule: Rule, code: str) -> Outcome:
    """What a run with this one rule, which requires no other, makes of the code. Raises ValueError
    for code that is not understood."""
    alone = replace(
        pack,
        training_apis=frozenset(),
        refuses={},
        essential={},
        rules=(replace(rule, requires=(), option=None, unless=None, leave=None),),
    )
    with _file(code) as path:
        planned = make_plan([RuleQuery(alone, [])], [path])
    troubles: list[Problem] = [*planned.problems, *planned.faults]
    if troubles:
        raise ValueError(f"{rule.id}: {troubles[0]}")
    hunks = planned.plan.hunks
    source = hunks[0].module.source.text if hunks else code
    return Outcome(
        apply(source, [edit for hunk in hunks for edit in hunk.edits]),
        tuple(report.text for report in planned.reports) + tuple(r.reason for r in planned.refused),
        tuple(warning for hunk in hunks for warning in hunk.warnings),
    )


def _is_done(pack: Pack, rule: Rule, code: str) -> bool:
    with _file(code) as path:
        project = Project([path])
        return is_done(pack, rule.id, project.given[0], Facts(project, classes=pack.classes))


@contextmanager
def _file(code: str) -> Iterator[Path]:
    """The code as the only file of a folder."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "main.py"
        path.write_bytes(code.encode("utf-8"))
        yield path
