"""Decisions survive the end of a review, however it ends, as long as what they are about."""

from __future__ import annotations

import random
import shutil
import signal
import statistics
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from commands import REPOSITORY, TRAIN, tape_pack
from reviewing import END, HUNKS, INTERRUPT, SCRIPT, Review, plan_of
from sessions import (
    RESUME,
    Run,
    all_sessions,
    begin,
    edit_file,
    folder_of,
    opened,
    saved,
    script_in,
)

from pinsetter.analyzer.messages.problem import Problem
from pinsetter.codemods.engine.files import replace_file
from pinsetter.codemods.engine.files.replace_file import Failure, Written
from pinsetter.codemods.engine.hunks.plan import Plan
from pinsetter.codemods.engine.journal import replace_files
from pinsetter.codemods.engine.journal.interruption import settle
from pinsetter.codemods.engine.propose.planning import make_plan
from pinsetter.codemods.engine.resume.live_session import person
from pinsetter.codemods.engine.resume.resumed import Earlier
from pinsetter.codemods.engine.running.pack_query import PackQuery
from pinsetter.codemods.engine.state.database import Database
from pinsetter.codemods.engine.state.decision import Verdict, now
from pinsetter.codemods.engine.state.lock import exclusive
from pinsetter.codemods.engine.state.opening import open_database
from pinsetter.codemods.engine.state.runs import Runs
from pinsetter.codemods.engine.state.sessions import Sessions, SessionState, Subject
from pinsetter.patterns.packs import pack as packs
from pinsetter.patterns.packs.pack import Pack
from pinsetter.patterns.packs.packs_digest import packs_digest

# The script with room between its statements.
FAR = "# Head.\n" * 5 + "".join(
    f"{line}\n" + f"\n# {n}\n\n\n\n" * line.endswith(("here = 1", ")"))
    for n, line in enumerate(SCRIPT.splitlines())
)


@pytest.fixture
def lines(tmp_path: Path) -> Path:
    return script_in(tmp_path / "tree")


def test_without_an_answer_nothing_is_saved(lines: Path) -> None:
    run = begin(lines)
    run.session.end(SessionState.QUIT)
    assert not folder_of(lines).path.exists()


def test_a_review_that_does_not_resume_knows_no_earlier_answers(
    lines: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    begin(lines).accept("start-log")
    assert len(begin(lines).open) == HUNKS
    said = capsys.readouterr().err
    assert said.startswith("1 hunk was decided in a review that was not finished, since ")
    assert said.endswith("; --resume goes on with it.\n")
    assert len(saved(lines)) == 1, "the old one is still there"


def test_a_finished_review_is_not_mentioned(
    lines: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = begin(lines)
    run.accept("start-log")
    run.session.end(SessionState.DONE)
    begin(lines)
    assert capsys.readouterr().err == ""


def test_there_is_nothing_to_resume(lines: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert len(begin(lines, RESUME).open) == HUNKS
    assert capsys.readouterr().err == "There is no review to go on with; this begins one.\n"


def test_every_answer_is_saved_at_once(lines: Path) -> None:
    run = begin(lines)
    run.accept("check-pair")
    found = {decision.rule: decision for decision in saved(lines)}
    assert set(found) == {"start-log", "check-pair"}, "with what goes along"
    decision = found["check-pair"]
    assert decision.verdict is Verdict.ACCEPTED
    assert decision.path == b"lines.py"
    assert decision.line == 3
    assert decision.hunk == run.the("check-pair").id
    assert decision.by == person(lines.parent)
    assert abs(decision.decided - now()) < 60e6
    assert decision.digest == packs_digest([])
    assert decision.pack == "review"
    (session,) = all_sessions(lines)
    assert session.state is SessionState.OPEN
    assert session.ended is None
    assert session.decided == 2


def test_an_answer_taken_back_is_forgotten(lines: Path) -> None:
    run = begin(lines)
    run.accept("start-log")
    run.reject("name-steps")
    run.decisions.undo()
    assert [decision.rule for decision in saved(lines)] == ["start-log"]
    run.decisions.undo()
    assert saved(lines) == []


def test_a_later_answer_takes_the_place_of_an_earlier(lines: Path) -> None:
    run = begin(lines)
    run.accept("name-steps")
    run.reject("name-steps")
    (decision,) = saved(lines)
    assert decision.verdict is Verdict.REJECTED
    run.decisions.undo()
    (decision,) = saved(lines)
    assert decision.verdict is Verdict.ACCEPTED


def test_a_review_in_which_nothing_holds_does_not_hide_the_one_before(lines: Path) -> None:
    begin(lines).accept("start-log")
    run = begin(lines)
    run.reject("renew")
    run.decisions.undo()
    assert begin(lines, RESUME).verdicts[run.the("start-log").id] is True


def test_an_answer_holds_over_a_resumed_review(lines: Path) -> None:
    run = begin(lines)
    run.accept("check-pair")
    run.reject("renew")
    run.reject("name-steps", 1)
    before = saved(lines)
    again = begin(lines, RESUME)
    assert again.verdicts == run.verdicts
    assert again.session.restoring.gone == []
    assert again.again == {}
    assert saved(lines) == before, "restoring is no answer"
    again.accept("revise")
    assert len(saved(lines)) == len(before) + 1
    assert len(all_sessions(lines)) == 1


def test_taking_back_an_answer_to_a_restored_hunk_restores_it(lines: Path) -> None:
    begin(lines).reject("renew")
    before = saved(lines)
    run = begin(lines, RESUME)
    run.accept("renew")
    assert saved(lines) != before
    run.decisions.undo()
    assert [d for d in saved(lines) if d.rule == "renew"] == before


def test_sessions_of_other_codemods_and_paths_are_others(lines: Path) -> None:
    begin(lines).accept("start-log")
    folder = folder_of(lines)
    database = open_database(folder)
    assert isinstance(database, Database)
    sessions = Sessions(database)
    assert sessions.newest(Subject("review", (b"lines.py",))) is not None
    assert sessions.newest(Subject("other", (b"lines.py",))) is None
    assert sessions.newest(Subject("review", (b".",))) is None
    database.close()


def test_unrelated_edits_keep_decisions(lines: Path) -> None:
    lines.write_text(FAR)
    run = begin(lines)
    run.accept("check-pair", 1)
    run.reject("name-steps", 2)
    lines.write_text(
        "# First.\n\n\n\n" + FAR.replace("# 3\n", "# three\n# 3\n") + "\n\n\n\nlast = 1\n"
    )
    again = begin(lines, RESUME)
    assert again.verdicts == run.verdicts
    (decision,) = [d for d in saved(lines) if d.rule == "name-steps"]
    assert decision.line == again.the("name-steps", 2).line


def test_other_line_ends_keep_decisions(lines: Path) -> None:
    run = begin(lines)
    run.accept("check-pair")
    lines.write_bytes(SCRIPT.replace("\n", "\r\n").encode())
    assert begin(lines, RESUME).verdicts == run.verdicts


def test_only_what_stands_elsewhere_now_is_asked_again(lines: Path) -> None:
    lines.write_text(FAR)
    run = begin(lines)
    for hunk in run.asked:
        run.decisions.answer([hunk], hunk.rule != "renew")
    edit_file(lines, "# 3\n", "# 3\nbeside = 1\n")
    again = begin(lines, RESUME)
    assert again.open == ["name-steps"]
    assert again.decisions.verdict(again.the("name-steps")) is None
    assert again.again["name-steps"].startswith("the lines around it changed since it was accepted")


def test_what_requires_an_open_hunk_is_open(lines: Path) -> None:
    lines.write_text(FAR)
    run = begin(lines)
    run.accept("check-pair", 1)
    edit_file(lines, "here = 1\n", "here = 1  # sys\n")
    again = begin(lines, RESUME)
    assert again.again["start-log"].startswith("the lines around it changed since it was accepted")
    assert again.again["check-pair"] == (
        f"it was accepted, but start-log ({lines}:6), which it requires, has to be decided again"
    )
    assert again.decisions.accepted == []


def test_what_is_gone_is_told(lines: Path) -> None:
    run = begin(lines)
    run.reject("renew")
    run.accept("start-log")
    edit_file(lines, "old(1)\n", "")
    again = begin(lines, RESUME)
    assert "renew" in again.gone
    again.session.end(SessionState.QUIT)
    assert len(saved(lines)) == 2, "nothing is forgotten for that"


def test_a_rule_that_makes_something_else_is_asked_again(lines: Path) -> None:
    begin(lines).accept("name-steps")
    pack = lines.parent / "review.yaml"
    edit_file(pack, "name='step'", "name='a step'")
    again = begin(lines, RESUME)
    assert "name-steps" in again.again


def written_and_resumed(script: Path, plan: Plan, verdicts: dict[str, bool]) -> Run:
    run = begin(script, plan=plan)
    for hunk in run.asked:
        run.decisions.answer([hunk], verdicts[hunk.id])
    run.write()
    run.session.end(SessionState.QUIT)
    run.session.close()
    return run


@pytest.mark.parametrize("seed", range(12))
def test_what_was_rejected_stays_known_between_what_was_written(lines: Path, seed: int) -> None:
    chance = random.Random(seed)
    lines.write_text(SCRIPT + "step(4)\nstep(4)\nstep(4)\nstep(4)\n")
    plan = plan_of(lines)
    # Of check-pair a second run would propose the same again.
    verdicts = {h.id: h.rule != "check-pair" and chance.random() < 0.5 for h in plan.hunks}
    written_and_resumed(lines, plan, verdicts)
    again = begin(lines, RESUME)
    assert again.open == []
    assert again.decisions.accepted == []
    assert again.gone == []


@pytest.mark.parametrize("seed", range(12))
def test_the_same_holds_for_a_real_codemod(tmp_path: Path, seed: int) -> None:
    def proposed() -> Plan:
        return make_plan([PackQuery(tape_pack(), [])], [tmp_path]).plan

    chance = random.Random(seed)
    (tmp_path / "train.py").write_text(TRAIN + "    print(number)\n" * 3)
    plan = proposed()
    verdicts = {h.id: chance.random() < 0.6 for h in plan.hunks}
    written_and_resumed(tmp_path, plan, verdicts)
    again = begin(tmp_path, RESUME, proposed(), [tape_pack()])
    assert again.open == []


class Killed(BaseException):
    """In the place of SIGKILL."""


def killed(*_: object) -> None:
    raise Killed


def test_a_crash_after_the_files_were_written_loses_no_answer(lines: Path) -> None:
    lines.write_text(SCRIPT + "step(4)\nstep(4)\nstep(4)\n")
    run = begin(lines)
    for number, hunk in enumerate(run.asked):
        run.decisions.answer([hunk], hunk.rule != "check-pair" and number % 2 == 0)
    with pytest.MonkeyPatch.context() as patch:
        # The file was replaced, and nothing was noted after that.
        patch.setattr(Runs, "mark", killed)
        with pytest.raises(Killed):
            run.write()
    before = run.decisions.accepted
    assert lines.read_text() != SCRIPT
    with exclusive(folder_of(lines)), opened(lines) as runs:
        assert settle(runs) is not None
    again = begin(lines, RESUME)
    assert again.open == []
    assert again.decisions.accepted == []
    assert again.gone == []
    left = {decision.hunk for decision in saved(lines, applied=False)}
    assert left.isdisjoint(hunk.id for hunk in before)


def test_a_crash_before_the_files_were_written_loses_no_answer(lines: Path) -> None:
    run = begin(lines)
    for number, hunk in enumerate(run.asked):
        run.decisions.answer([hunk], number % 2 == 0)
    before = run.verdicts
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(replace_files, "put", killed)
        with pytest.raises(Killed):
            run.write()
    assert lines.read_text() == SCRIPT
    assert begin(lines, RESUME).verdicts == before


def test_what_is_written_already_is_not_mistaken_for_what_took_its_number(lines: Path) -> None:
    lines.write_text("step(1)\n\n\n\n\n\n\n\n\n" * 3)
    run = begin(lines)
    run.reject("start-log")
    run.accept("name-steps")
    run.write()
    run.session.end(SessionState.QUIT)
    again = begin(lines, RESUME)
    assert again.open == ["name-steps"] * 2, "the second has the id of the first now"
    again.reject("name-steps")
    again.write()
    last = begin(lines, RESUME)
    assert last.open == ["name-steps"]
    found = [d.verdict.value for d in saved(lines) if d.rule == "name-steps"]
    assert found == ["accepted", "rejected"]


def test_what_was_written_is_asked_again_where_it_comes_back(lines: Path) -> None:
    plan = plan_of(lines)
    written_and_resumed(lines, plan, {h.id: h.rule == "start-log" for h in plan.hunks})
    lines.write_text(SCRIPT)
    again = begin(lines, RESUME)
    assert again.open == ["start-log"], "somebody took it back; the rest is as it was rejected"


def test_equal_places_are_told_apart_by_their_order(lines: Path) -> None:
    lines.write_text("step(1)\n" * 9)
    run = begin(lines)
    answers = [True, True, True, True, False, True, False, True, True]
    for hunk, answer in zip([h for h in run.asked if h.rule == "name-steps"], answers, strict=True):
        run.decisions.answer([hunk], answer)
    assert begin(lines, RESUME).verdicts == run.verdicts
    lines.write_text("step(1)\n" * 10)
    again = begin(lines, RESUME)
    middle = [again.decisions.verdict(again.the("name-steps", n)) for n in range(3, 7)]
    assert middle == [None] * 4, "which of them is new cannot be told"


def test_hunks_may_come_one_file_after_the_other(tmp_path: Path) -> None:
    scripts = []
    for name in ("one", "two", "three"):
        script = script_in(tmp_path / name)
        scripts.append(script)
    pack = scripts[0].parent / "review.yaml"
    loaded = packs.load(pack)
    assert isinstance(loaded, Pack)
    plan = make_plan([PackQuery(loaded, [])], [tmp_path]).plan
    # Requirements across files, in a circle of files.
    by_module = list(plan.by_module().values())
    starts = [next(h for h in hunks if h.rule == "start-log") for hunks in by_module]
    hunks = [
        [replace(h, requires=h.requires | {starts[(n + 1) % 3].id}) if h.rule == "name-steps" else h
         for h in found]
        for n, found in enumerate(by_module)
    ]  # fmt: skip
    run = begin(tmp_path, plan=Plan([h for found in hunks for h in found]))
    chance = random.Random(1)
    for hunk in run.asked:
        if hunk.rule != "start-log" and run.decisions.verdict(hunk) is None:
            run.decisions.answer([hunk], chance.random() < 0.7)
    for order in ([0, 1, 2], [2, 1, 0], [1, 2, 0]):
        again = begin(tmp_path, RESUME, Plan([]))
        for number in order:
            again.decisions.extend(hunks[number])
            again.session.restore(again.decisions, hunks[number])
            accepted = {h.id for h in again.decisions.accepted}
            known = {h.id for h in again.plan.hunks}
            for hunk in again.decisions.accepted:
                assert hunk.requires <= accepted & known, "closed at every moment"
        assert again.verdicts == run.verdicts
        assert again.gone == []


def test_what_an_arriving_hunk_follows_from_does_not_replace_what_is_saved(tmp_path: Path) -> None:
    lines = script_in(tmp_path)
    run = begin(lines)
    run.accept("start-log")
    before = saved(lines)
    again = begin(lines, RESUME, Plan([]))
    again.decisions.extend([])
    hunks = plan_of(lines).hunks
    again.decisions.extend(hunks)
    again.session.restore(again.decisions, hunks)
    assert saved(lines) == before


def test_an_answer_that_cannot_be_saved_is_told_once_and_saved_later(lines: Path) -> None:
    run = begin(lines)
    told = []
    run.session._failed = told.append
    folder = folder_of(lines).path
    folder.write_text("in the way")
    run.accept("start-log")
    run.reject("renew")
    assert len(told) == 1
    assert run.session.problem is not None
    assert str(folder) in str(told[0])
    assert "Not saved" in run.session.keep()
    folder.unlink()
    run.reject("name-steps")
    assert run.session.problem is None
    assert {d.rule for d in saved(lines)} == {"start-log", "renew", "name-steps"}


def test_options_that_differ_are_told(lines: Path, capsys: pytest.CaptureFixture[str]) -> None:
    begin(lines, Earlier(options=("--skip renew",))).accept("start-log")
    begin(lines, RESUME)
    said = capsys.readouterr().err
    assert "It was run with --skip renew, this is with none." in said


def test_the_person_is_whom_git_knows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "user.name")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "Ä. Somebody")
    assert person(tmp_path) == "Ä. Somebody"
    monkeypatch.setenv("PATH", "")
    monkeypatch.setenv("LOGNAME", "login")
    assert person(tmp_path) == "login"


def test_answers_stay_fast_with_many_saved(lines: Path) -> None:
    run = begin(lines)
    run.accept("start-log")
    (first,) = saved(lines)
    run.session.close()
    database = open_database(folder_of(lines))
    assert isinstance(database, Database)
    Sessions(database).put(
        1, [replace(first, hunk=f"{number:012x}", line=number) for number in range(10_000)]
    )
    database.close()
    run = begin(lines, RESUME)
    run.reject("renew")
    times = []
    for number in range(20):
        started = time.perf_counter()
        (run.accept if number % 2 else run.reject)("revise")
        times.append(time.perf_counter() - started)
    assert statistics.median(times) < 0.05


def test_nothing_is_lost_when_the_process_is_killed(lines: Path) -> None:
    pexpect = pytest.importorskip("pexpect")
    with Review(lines) as review:
        review.seen()
        review.key("y")
        review.key("n")
        review.child.kill(signal.SIGKILL)
        review.child.expect(pexpect.EOF)
    assert lines.read_text() == SCRIPT
    assert [d.verdict.value for d in sorted(saved(lines), key=lambda d: d.decided)] == [
        "accepted", "rejected",
    ]  # fmt: skip
    with resumed(lines) as review:
        shown = review.seen()
        assert "Going on with the review of " in shown
        assert "#3 " in shown
        code, _ = review.end("q")
    assert code == 0
    assert "open_log()" in lines.read_text()


def test_an_interrupted_review_goes_on_and_a_changed_place_is_asked_again(lines: Path) -> None:
    pytest.importorskip("pexpect")
    lines.write_text(FAR)
    with Review(lines) as review:
        review.seen()
        review.key("y")
        review.key("n")
        review.key("y")
        code, _ = review.end(INTERRUPT)
    assert code == 130
    assert lines.read_text() == FAR
    edit_file(lines, "pair(one, two)", "pair(one, two)  # both")
    with resumed(lines) as review:
        shown = review.seen()
        assert f"{lines}:13: check-pair: not decided any more: the lines around it changed" in shown
        review.end(END)
    assert "open_log()" in lines.read_text()


def test_after_quitting_what_was_rejected_is_not_asked_again(lines: Path) -> None:
    pytest.importorskip("pexpect")
    with Review(lines) as review:
        review.seen()
        review.key("y")
        review.key("n")
        code, _ = review.end("q")
    assert code == 0
    assert "open_log()" in lines.read_text()
    with resumed(lines) as review:
        assert f"[1 decided, {HUNKS - 2} left]" in review.seen(), (
            "the written one is proposed no more"
        )
        code, shown = review.end("q")
    assert code == 0
    assert "1 from before" in shown


def resumed(script: Path) -> Review:
    return Review(script, arguments=["--resume"])


@pytest.mark.parametrize("failing", ["train.py", "trainer.py"])
def test_what_could_not_be_written_is_written_by_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    def proposed() -> Plan:
        return make_plan([PackQuery(tape_pack(), [])], [tmp_path]).plan

    def put(path: Path, *arguments: Any) -> Written | Failure:
        if path.name == failing:
            return Failure(Problem(path, "not written: a trial"))
        return replace_file.put(path, *arguments)

    shutil.copytree(REPOSITORY / "fixtures" / "demo", tmp_path, dirs_exist_ok=True)
    run = begin(tmp_path, plan=proposed())
    for hunk in run.asked:
        run.decisions.answer([hunk], True)
    monkeypatch.setattr(replace_files, "put", put)
    assert [problem.path.name for problem in run.write().failures].count(failing) == 1
    run.session.close()
    monkeypatch.undo()
    again = begin(tmp_path, RESUME, proposed())
    assert again.open == [], "what is not in the files is decided"
    assert again.gone == [], "what is in the files is not missed"
    assert again.write().failures == []
    assert proposed().hunks == []
