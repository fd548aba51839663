"""Packs and Bowler: a pack is a Query, and its process() hooks see hunks in Bowler's form."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from bowler import Query
from commands import BIN, HUNKS, TRAIN, run, tape_pack

from pinsetter.codemods.engine.console.exit_code import ExitCode
from pinsetter.codemods.engine.hunks.hunk import BowlerHunk
from pinsetter.codemods.engine.running.mode import Mode
from pinsetter.codemods.engine.running.pack_query import PackQuery
from pinsetter.codemods.engine.running.run import RunRequest
from pinsetter.codemods.engine.running.run import run as run_pack

MINE = """\
import sys
from pinsetter.codemods.engine.cli import run_codemod

def hook(filename, hunk):
    assert isinstance(hunk, list)
    print(filename, hunk[0], hunk[1], hunk[2], "END", sep="|")
    if "+hvd.init()" in hunk:
        print("SEEN INIT")
    {body}

def main():
    run_codemod("tf2-gradient-tape", hooks=[hook])

if __name__ == "__main__":
    main()
"""


def with_hook(folder: Path, body: str) -> list[str]:
    mine = folder / "mine.py"
    mine.write_text(MINE.format(body=body))
    return [str(BIN / "bowler"), "run", str(mine), "--"]


def test_a_pack_is_a_query(script: Path) -> None:
    query = PackQuery(tape_pack(), [str(script)])
    assert isinstance(query, Query)
    shapes = {rule.pattern.shape for rule in tape_pack().with_options(()).rules}
    assert sorted(t.kwargs["pattern"] for t in query.transforms) == sorted(shapes)
    assert query.paths == [str(script)]


def test_a_query_alone_changes_no_tree(script: Path) -> None:
    pack = tape_pack()
    result = run_pack(RunRequest([PackQuery(pack, [])], [script], Mode.CHECK))
    module = result.planned.plan.hunks[0].module
    assert str(module.tree.root) == TRAIN
    assert result.exit_code is ExitCode.PROPOSED


@pytest.mark.parametrize("body", ["return True", "pass"])
def test_hooks_that_do_not_object_change_nothing(script: Path, tmp_path: Path, body: str) -> None:
    result = run("--write", script, command=with_hook(tmp_path, body))
    assert result.code == 0
    assert f"{HUNKS} accepted, 0 rejected" in result.err
    lines = [line for line in result.out.decode().splitlines() if line.endswith("|END")]
    assert len(lines) == HUNKS
    for line in lines:
        filename, old, new, part, _ = line.split("|")
        assert filename == str(script)
        assert old == f"--- {script}"
        assert new == f"+++ {script}"
        assert part.startswith("@@ -")
    assert b"SEEN INIT" in result.out


def test_a_hook_rejects_by_false(script: Path, tmp_path: Path) -> None:
    body = 'return not any("set_memory_growth" in line for line in hunk)'
    result = run("--write", script, command=with_hook(tmp_path, body))
    assert f"{HUNKS - 1} accepted, 1 rejected" in result.err
    text = script.read_text()
    assert "hvd.init()" in text
    assert "set_memory_growth" not in text


def test_a_hook_s_rejection_takes_dependents_along(script: Path, tmp_path: Path) -> None:
    result = run("--write", script, command=with_hook(tmp_path, 'return "+hvd.init()" not in hunk'))
    assert f"0 accepted, {HUNKS} rejected" in result.err
    assert script.read_text() == TRAIN


def test_a_script_runs_without_bowler_too(script: Path, tmp_path: Path) -> None:
    with_hook(tmp_path, "pass")
    command = [sys.executable, str(tmp_path / "mine.py")]
    assert run("--check", script, command=command).code == 1


def test_a_hunk_of_a_hook_knows_its_rule(script: Path) -> None:
    seen: list[str] = []

    def hook(filename: str, hunk: BowlerHunk) -> None:
        seen.append(hunk.hunk.rule)

    pack = tape_pack()
    run_pack(RunRequest([PackQuery(pack, []).process(hook)], [script], Mode.CHECK))
    assert sorted(set(seen)) == sorted(seen)
    assert "average-gradients" in seen
