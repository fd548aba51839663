"""Hunks depend on each other; decisions stay closed, whatever their order."""

import random
from pathlib import Path

from commands import HUNKS, TRAIN, hunk_of, plan_of, tape_pack

from pinsetter.codemods.engine.decide.decisions import Decisions
from pinsetter.codemods.engine.hunks.hunk import BowlerHunk, hunk_id
from pinsetter.codemods.engine.propose.planning import make_plan
from pinsetter.codemods.engine.running.pack_query import PackQuery
from pinsetter.patterns.edits.edit import apply
from pinsetter.patterns.packs import pack as packs
from pinsetter.patterns.packs import pack_files
from pinsetter.patterns.packs.pack import Pack


def test_nothing_is_accepted_before_it_is_decided(script: Path) -> None:
    decisions = Decisions(plan_of(script))
    assert decisions.accepted == decisions.rejected == []


def test_rejecting_all_accepts_no_import(script: Path) -> None:
    plan = plan_of(script)
    decisions = Decisions(plan)
    for hunk in plan.hunks:
        if not hunk.follows:
            decisions.reject(hunk)
    assert decisions.accepted == []
    assert len(decisions.rejected) == HUNKS


def test_an_import_follows_the_first_hunk_that_needs_it(script: Path) -> None:
    plan = plan_of(script)
    (imported,) = [hunk for hunk in plan.hunks if hunk.follows]
    decisions = Decisions(plan)
    decisions.accept(hunk_of(plan, "initialise-horovod"))
    assert imported in decisions.accepted
    decisions.reject(hunk_of(plan, "initialise-horovod"))
    assert decisions.accepted == []


def test_accepting_takes_along_what_is_required(script: Path) -> None:
    plan = plan_of(script)
    decisions = Decisions(plan)
    along = decisions.accept(hunk_of(plan, "broadcast-after-first-step"))
    assert {hunk.rule for hunk in along} == {
        "average-gradients", "initialise-horovod", "import-hvd",
    }  # fmt: skip


def test_rejecting_takes_along_what_requires_it(script: Path) -> None:
    plan = plan_of(script)
    decisions = Decisions(plan)
    along = decisions.reject(hunk_of(plan, "average-gradients"))
    assert {hunk.rule for hunk in along} == {
        "broadcast-after-first-step", "divide-steps", "scale-learning-rate"
    }  # fmt: skip
    assert decisions.verdict(hunk_of(plan, "print-on-first-worker")) is None


def test_what_requires_a_rejected_hunk_cannot_be_accepted(script: Path) -> None:
    plan = plan_of(script)
    decisions = Decisions(plan)
    decisions.reject(hunk_of(plan, "initialise-horovod"))
    for hunk in plan.hunks:
        assert decisions.accept(hunk) == []
    assert decisions.accepted == []


def test_decisions_are_closed_in_any_order(script: Path) -> None:
    plan = plan_of(script)
    known = {hunk.id for hunk in plan.hunks}
    for seed in range(50):
        chance = random.Random(seed)
        decisions = Decisions(plan)
        for hunk in chance.sample(plan.hunks, len(plan.hunks)):
            if not hunk.follows:
                chance.choice([decisions.accept, decisions.reject])(hunk)
        accepted = {hunk.id for hunk in decisions.accepted}
        for hunk in decisions.accepted:
            assert hunk.requires & known <= accepted


def test_an_id_survives_unrelated_edits(script: Path) -> None:
    before = {hunk.id for hunk in plan_of(script).hunks}
    script.write_text("# A comment.\n" + TRAIN.replace("def step", "\n\nX = 1\n\n\ndef step"))
    assert {hunk.id for hunk in plan_of(script).hunks} == before


def test_an_id_tells_equal_places_apart(script: Path) -> None:
    script.write_text(TRAIN + "    print(number)\n")
    prints = [hunk for hunk in plan_of(script).hunks if hunk.rule == "print-on-first-worker"]
    assert len({hunk.id for hunk in prints}) == len(prints) == 2
    assert hunk_id("rule", "place", "f( x )", 1) == hunk_id("rule", "place", "f(x)", 1)


def test_places_that_differ_in_white_space_alone_are_told_apart(tmp_path: Path) -> None:
    """As where the same call of several lines stands deeper once more."""
    call = "f(\n{0}    '%s' % (\n{0}        a,\n{0}    )\n{0})\n"
    deeper = f"if a:\n    {call.format('    ')}"
    path = tmp_path / "deeper.py"
    path.write_text(f"a = 1\n{call.format('')}{deeper}")
    pack = pack_files.find("pyupgrade")
    assert pack is not None
    (loaded,) = packs.load_all(pack)
    assert isinstance(loaded, Pack)
    plan = make_plan([PackQuery(loaded, [])], [path]).plan
    ids = [hunk.id for hunk in plan.hunks]
    assert len(ids) > 1
    assert len(ids) == len(set(ids))


def test_scripts_of_separate_folders_have_separate_ids(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "train.py").write_text(TRAIN)
    plan = make_plan([PackQuery(tape_pack(), [])], [tmp_path / "one", tmp_path / "two"]).plan
    assert len({hunk.id for hunk in plan.hunks}) == len(plan.hunks) == 2 * (HUNKS + 1)
    decisions = Decisions(plan)
    decisions.accept(plan.hunks[-1])
    assert {hunk.module for hunk in decisions.accepted} == {plan.hunks[-1].module}


def test_a_hunk_shows_its_own_edits_only(script: Path) -> None:
    plan = plan_of(script)
    for hunk in plan.hunks:
        lines = BowlerHunk(hunk)
        assert lines[0].startswith("--- ")
        assert lines[1].startswith("+++ ")
        assert lines[2].startswith("@@ ")
        text = apply(TRAIN, hunk.edits)
        added = [line[1:] for line in lines[2:] if line.startswith("+")]
        assert all(line in text.splitlines() for line in added)
        assert lines.hunk is hunk
