"""Rules that contradict each other at a place: a review chooses, all else takes the first."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from commands import run
from reviewing import PACK, SCRIPT, command, plan_of, prepare, the

from pinsetter.codemods.engine.decide.decisions import Decisions
from pinsetter.codemods.engine.propose.planning import make_plan
from pinsetter.codemods.engine.running.pack_query import PackQuery
from pinsetter.patterns.packs.pack import Pack, load


@pytest.fixture
def lines(tmp_path: Path) -> Path:
    return prepare(tmp_path)


def test_what_does_not_contradict_is_no_alternative(lines: Path) -> None:
    plan = plan_of(lines)
    with_alternatives = [h.rule for h in plan.hunks if plan.alternatives_of(h)]
    assert with_alternatives == ["renew", "revise"]


def test_each_knows_the_other(lines: Path) -> None:
    plan = plan_of(lines)
    assert plan.alternatives_of(the(plan, "renew")) == [the(plan, "revise")]
    assert plan.alternatives_of(the(plan, "revise")) == [the(plan, "renew")]


@pytest.mark.parametrize("mode", ["--write", "--diff", "--check"])
def test_without_a_review_the_first_is_taken(lines: Path, mode: str) -> None:
    result = run(mode, command=command(Path(lines.name)), cwd=lines.parent)
    note = "lines.py:5: note: revise: Not applied: it contradicts renew on line 5"
    assert note in result.err
    if mode == "--write":
        assert "new(1)" in lines.read_text()
        assert "7 accepted, 1 rejected" in result.err
    else:
        assert lines.read_text() == SCRIPT
    if mode == "--diff":
        assert b"+new(1)" in result.out
        assert b"revised" not in result.out


def test_what_requires_both_is_never_accepted(lines: Path) -> None:
    needing = "    match: step($number)\n    requires: [renew, revise]\n"
    pack = PACK.replace("    match: step($number)\n", needing)
    (lines.parent / "review.yaml").write_text(pack)
    plan = plan_of(lines)
    decisions = Decisions(plan)
    for hunk in plan.hunks:
        decisions.answer([hunk], True)
    assert {h.rule for h in decisions.rejected} == {"renew", "name-steps"}


def test_places_inside_one_another(lines: Path) -> None:
    lines.write_text("old(old(1))\n")
    plan = plan_of(lines)
    assert len(plan.hunks) == 5
    renewed = [hunk for hunk in plan.hunks if hunk.rule == "renew"]
    assert [len(plan.alternatives_of(hunk)) for hunk in renewed] == [1, 1]


def test_places_inside_one_another_are_rewritten_at_once(lines: Path) -> None:
    lines.write_text("old(old(1))\n")
    run("--write", command=command(Path(lines.name)), cwd=lines.parent)
    assert lines.read_text().endswith("new(new(1))\n")


def test_packs_for_one_program_are_alternatives_where_they_contradict(tmp_path: Path) -> None:
    path = prepare(tmp_path)
    other = PACK.replace("pack: review", "pack: other").replace("revised($x)", "renewed($x)")
    (tmp_path / "other.yaml").write_text(other)
    found = [load(tmp_path / name) for name in ("review.yaml", "other.yaml")]
    packs = [pack for pack in found if isinstance(pack, Pack)]
    planned = make_plan([PackQuery(pack, []) for pack in packs], [path])
    assert planned.reports == []
    rules = Counter(hunk.rule for hunk in planned.plan.hunks)
    assert rules == {**Counter(h.rule for h in plan_of(path).hunks), "revise": 2}
    revised = [hunk for hunk in planned.plan.hunks if hunk.rule == "revise"]
    assert all(len(planned.plan.alternatives_of(hunk)) == 2 for hunk in revised)
