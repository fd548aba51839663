"""Functions lowered at some lines, as a run does it."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from pinsetter.codemods.engine.decide.decisions import Decisions
from pinsetter.codemods.engine.propose.chosen_lines import Places
from pinsetter.codemods.engine.propose.plan_options import PlanOptions
from pinsetter.codemods.engine.propose.planning import make_plan
from pinsetter.codemods.engine.propose.rule_query import RuleQuery
from pinsetter.patterns.edits.edit import Edit, apply
from pinsetter.patterns.packs.pack import Pack, load
from pinsetter.patterns.packs.pack_files import find


@dataclass(frozen=True)
class Lowered:
    text: str
    said: list[str]
    warned: list[str]


def lowered(text: str, target: str, lines: Iterable[int]) -> Lowered:
    path = find("lower-control-flow")
    assert path is not None
    pack = load(path, {"target": target})
    assert isinstance(pack, Pack), pack
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder).resolve() / "a.py"
        file.write_bytes(text.encode())
        options = PlanOptions(places=Places(frozenset((file, line) for line in lines)))
        planned = make_plan([RuleQuery(pack, [], ())], [file], options=options)
    assert not planned.problems, planned.problems
    assert not planned.faults, planned.faults
    decisions = Decisions(planned.plan)
    for hunk in planned.plan.hunks:
        if decisions.verdict(hunk) is None:
            decisions.accept(hunk)
    refused = [hunk.rule.id for hunk in planned.plan.hunks if hunk not in decisions.accepted]
    assert not refused, f"{refused} contradict what others propose"
    edits: list[Edit] = [edit for hunk in decisions.accepted for edit in hunk.edits]
    return Lowered(
        apply(text, edits),
        [report.text for report in planned.reports],
        [warning for hunk in decisions.accepted for warning in hunk.warnings],
    )
