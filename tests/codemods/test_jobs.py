"""--jobs: the same is proposed, whoever analyses; what ends its process is said and left alone."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from itertools import repeat
from pathlib import Path
from typing import Any

import pytest
from commands import (
    BIN,
    BROKEN,
    PLAIN,
    REPOSITORY,
    TRAIN,
    all_packs,
    children,
    fixtures,
    run,
)  # fmt: skip
from prepared import needs_fork
from reviewing import Review, prepare

from pinsetter.analyzer.files.bounds import USUAL, Bounds
from pinsetter.analyzer.names.project import Project
from pinsetter.codemods.engine.hunks.proposed import Planned
from pinsetter.codemods.engine.propose import part_work
from pinsetter.codemods.engine.propose.plan_options import PlanOptions
from pinsetter.codemods.engine.propose.planning import make_plan, plans
from pinsetter.codemods.engine.propose.rule_query import RuleQuery
from pinsetter.codemods.engine.watchdog import hard_limit
from pinsetter.patterns.packs.pack import Pack, load

pytestmark = needs_fork
DEMO = REPOSITORY / "fixtures" / "demo"
MARK = """\
pack: marks
summary: For a test.
rules:
  - id: mark
    title: Mark
    why: It is marked.
    match: mark($x)
    edit: {replace: $match, with: marked($x)}
    examples: [{unchanged: other()}]
"""
LIMITED = [f"{number}.py" for number in range(6)]
"""One program each."""


def training() -> list[RuleQuery]:
    return [RuleQuery(pack, []) for pack in all_packs()]


@pytest.fixture
def marks(tmp_path: Path) -> list[RuleQuery]:
    (tmp_path / "marks.yaml").write_text(MARK)
    pack = load(tmp_path / "marks.yaml")
    assert isinstance(pack, Pack)
    return [RuleQuery(pack, [])]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Programs that share nothing, and what is none."""
    folder = tmp_path / "tree"
    for name in LIMITED:
        (folder / "programs").mkdir(parents=True, exist_ok=True)
        (folder / "programs" / name).write_text(TRAIN)
    (folder / "plain.py").write_text(PLAIN)
    return folder


def told(planned: Planned) -> object:
    """All that comes of it, as text."""
    return (
        [(str(hunk.module.path), hunk.id, hunk.rule, hunk.edits) for hunk in planned.plan.hunks],
        [str(problem) for problem in planned.problems],
        [str(report) for report in planned.reports],
        [str(note) for note in planned.notes],
        [str(refused) for refused in planned.refused],
        [str(file.path) for file in planned.parsed],
        sorted(map(str, planned.files)),
        sorted(map(str, planned.unreached)),
        planned.matched,
    )


def plan(queries: list[RuleQuery], path: Path, jobs: int, bounds: Bounds = USUAL) -> Planned:
    return make_plan(queries, [path], options=PlanOptions(jobs=jobs, bounds=bounds))


@pytest.mark.parametrize(
    "content",
    [{}, {"a.py": ""}, {"a.py": PLAIN}, {"a.py": BROKEN}, {"a.py": PLAIN, "b.py": TRAIN}],
    ids=["nothing", "empty", "no training", "broken", "one program"],
)
def test_small_trees(content: dict[str, str], tmp_path: Path) -> None:
    for name, text in content.items():
        (tmp_path / name).write_text(text)
    assert told(plan(training(), tmp_path, 2)) == told(plan(training(), tmp_path, 1))


def test_the_same_is_proposed_in_the_same_order() -> None:
    one, two = (
        make_plan(training(), fixtures(2), options=PlanOptions(jobs=jobs)) for jobs in (1, 2)
    )
    assert len(one.plan.hunks) > 100
    assert told(two) == told(one)


def test_parts_come_in_the_same_order(tree: Path) -> None:
    def parts(jobs: int) -> list[list[Path]]:
        options = PlanOptions(jobs=jobs)
        return [part.files for part, _ in plans(training(), [tree], options=options)]

    assert parts(3) == parts(1)


def test_any_code(marks: list[RuleQuery], tmp_path: Path) -> None:
    for number in range(100):
        (tmp_path / f"m{number:02}.py").write_text("mark(1)\n" * (number % 4))
    assert told(plan(marks, tmp_path, 2)) == told(plan(marks, tmp_path, 1))


def test_the_files_that_were_read_are_told(tree: Path) -> None:
    def heard(jobs: int) -> list[str]:
        files: list[str] = []
        make_plan(
            training(), [tree], loaded=lambda file: files.append(file.name),
            options=PlanOptions(jobs=jobs),
        )  # fmt: skip
        return sorted(files)

    assert heard(2) == heard(1) == sorted([*LIMITED, "plain.py"])


def struck(monkeypatch: pytest.MonkeyPatch, name: str, how: Callable[[], object]) -> None:
    """``how`` happens when the file of that name is read."""

    class Struck(Project):
        def __init__(self, files: list[Path], tell: Any = None, *rest: Any, **named: Any) -> None:
            broken = rest[1] if len(rest) > 1 else {}
            for file in files:
                if file.name == name and file.resolve() not in broken:
                    how()
            super().__init__(files, tell, *rest, **named)

    monkeypatch.setattr(part_work, "Project", Struck)


def test_a_file_that_ends_its_process_is_said_and_the_others_go_on(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    struck(monkeypatch, "3.py", lambda: os.kill(os.getpid(), signal.SIGKILL))
    planned = plan(training(), tree, 2)
    ((problem),) = planned.problems
    assert Path(problem.path).name == "3.py"
    assert problem.reason == "not understood: its process was ended by signal 9"
    assert "--jobs 1" in (problem.hint or "")
    names = {hunk.module.path.name for hunk in planned.plan.hunks}
    assert names == set(LIMITED) - {"3.py"}
    usual = plan(training(), tree / "programs" / "0.py", 1)
    assert len(planned.plan.hunks) == 5 * len(usual.plan.hunks)


def test_of_a_batch_only_the_file_that_ends_the_process_is_left(
    marks: list[RuleQuery], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(40):
        (tmp_path / f"m{number:02}.py").write_text("mark(1)\n")
    struck(monkeypatch, "m20.py", lambda: os.kill(os.getpid(), signal.SIGKILL))
    planned = plan(marks, tmp_path, 2)
    assert len(planned.plan.hunks) == 39
    assert [Path(problem.path).name for problem in planned.problems] == ["m20.py"]


def test_code_that_does_not_listen_is_ended_by_the_system(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def deaf() -> None:
        sum(repeat(1, 10**12))  # looks for signals at its end only

    monkeypatch.setattr(hard_limit, "_BESIDES", 1)
    monkeypatch.setattr(hard_limit, "_TIMES", 1)
    struck(monkeypatch, "3.py", deaf)
    planned = plan(training(), tree, 2, replace(USUAL, seconds=2))
    assert "took too much of the processor's time" in str(planned.problems)
    assert {hunk.module.path.name for hunk in planned.plan.hunks} == set(LIMITED) - {"3.py"}


def test_an_error_of_ours_is_raised_here(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise KeyboardInterrupt

    struck(monkeypatch, "3.py", fail)
    with pytest.raises(KeyboardInterrupt):
        plan(training(), tree, 2)


@pytest.mark.parametrize("jobs", ["0", "-1", "x"])
def test_a_number_is_needed(jobs: str, tree: Path) -> None:
    found = run(tree, "--diff", "--jobs", jobs)
    assert found.code == 3
    assert "--jobs" in found.err


@pytest.mark.parametrize("mode", [["--diff"], ["--check"], ["--check", "--format", "json"]])
def test_the_command_says_the_same(mode: list[str]) -> None:
    results = [run(DEMO, *mode, "--no-cache", "--jobs", jobs) for jobs in ("1", "2", "7")]
    assert "9 proposed" in results[0].err
    assert results[0] == results[1] == results[2]


@pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc")
def test_ctrl_c_leaves_no_process(tmp_path: Path) -> None:
    for number in range(400):
        (tmp_path / f"p{number}.py").write_text(TRAIN)
    command = [str(BIN / "pinsetter"), "run", "distribute", str(tmp_path), "--diff", "--no-cache"]
    with subprocess.Popen(
        [*command, "--jobs", "3"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        until = time.monotonic() + 60
        while len(found := children(process.pid)) < 3 and time.monotonic() < until:
            time.sleep(0.05)
        assert len(found) >= 3
        before = time.monotonic()
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=30)
    assert time.monotonic() - before < 5
    assert process.returncode != 0
    assert b"Traceback" not in err
    time.sleep(0.2)
    assert not [pid for pid in found if Path(f"/proc/{pid}/cmdline").exists()]


def test_a_review_has_several_processes(tmp_path: Path) -> None:
    script = prepare(tmp_path)
    others = [tmp_path / f"p{number}.py" for number in range(1, 4)]
    for path in others:
        path.write_text(script.read_text())
    with Review(script, arguments=[*map(str, others), "--jobs", "2"]) as review:
        shown = [review.seen(), *(review.key("d") for _ in range(3))]
        for path, text in zip([script, *others], shown, strict=True):
            assert path.name in text
        code, said = review.end("q")
    assert code == 0
    assert "4 seen, 4 parsed" in said
