"""--format and --output: what they refuse, where reports go, and what they leave alone."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path

import click
import pytest
from commands import FRONT_ENDS, HUNKS, PLAIN, TRAIN, run
from reports import document_of, outcome_of

from pinsetter.codemods.engine.report.output import Format, Report, rendered, report_of
from pinsetter.codemods.engine.running.mode import Mode


def test_without_the_options_there_is_no_report() -> None:
    for mode in Mode:
        assert report_of(None, None, mode) is None


def test_the_text_of_a_diff_is_the_patch() -> None:
    assert report_of("text", None, Mode.DIFF) is None
    assert report_of("text", Path("-"), Mode.DIFF) is None


@pytest.mark.parametrize(
    ("format", "output", "name"), [("json", None, "--format"), (None, Path("x"), "--output")]
)
def test_a_review_prints_no_report(format: str | None, output: Path | None, name: str) -> None:
    with pytest.raises(click.UsageError, match=f"{name} needs --check, --diff or --write"):
        report_of(format, output, Mode.REVIEW)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("", "is a folder"),
        ("missing/report.json", "folder does not exist"),
        ("train.py", "Python source"),
        ("new.py", "Python source"),
        ("x" * 300, "too long"),
    ],
)
def test_what_no_report_can_be_put_in(script: Path, name: str, message: str) -> None:
    with pytest.raises(click.UsageError, match=message):
        report_of("json", script.parent / name, Mode.CHECK)
    assert script.read_text() == TRAIN


@pytest.mark.parametrize("front_end", FRONT_ENDS)
def test_usage_errors_come_before_anything_is_written(script: Path, front_end: str) -> None:
    command = FRONT_ENDS[front_end]
    result = run("--write", "--output", script.parent / "no" / "file", script, command=command)
    assert (result.code, result.out) == (3, b"")
    assert "folder does not exist" in result.err
    assert script.read_text() == TRAIN


@pytest.mark.parametrize("format", [format.value for format in Format])
def test_a_report_of_nothing_is_whole(tmp_path: Path, format: str) -> None:
    (tmp_path / "a.py").write_text(PLAIN)
    content = rendered(document_of(tmp_path), Format(format))
    assert content.endswith(b"\n") or content == b""


def test_text_has_a_line_for_each(tmp_path: Path) -> None:
    (tmp_path / "line\nend.py").write_text(TRAIN)
    (tmp_path / "broken.py").write_text("import keras\nx = '\n")
    lines = rendered(document_of(tmp_path), Format.TEXT).decode().splitlines()
    hunks = [line for line in lines if ": proposed: " in line]
    assert len(hunks) == HUNKS
    assert all(line.startswith(f"{tmp_path}/line\\nend.py:") for line in hunks)
    assert len([line for line in lines if ": error: " in line]) == 1


def test_a_report_takes_the_place_of_the_last(script: Path) -> None:
    output = script.parent / "report.json"
    output.write_text("old")
    output.chmod(0o600)
    result = run("--check", "--format", "json", "--output", output, script)
    assert (result.code, result.out) == (1, b"")
    assert json.loads(output.read_bytes())["exit_code"] == 1
    assert output.stat().st_mode & 0o777 == 0o600
    assert sorted(path.name for path in script.parent.iterdir()) == ["report.json", "train.py"]


def test_a_patch_may_go_into_a_file(script: Path) -> None:
    output = script.parent / "all.patch"
    result = run("--diff", "--output", output, script, cwd=script.parent)
    assert (result.code, result.out) == (0, b"")
    assert b"+++ b/train.py\n" in output.read_bytes()


def test_a_report_that_cannot_be_written_fails_the_run(script: Path) -> None:
    outcome, packs = outcome_of([script])
    output = script.parent / "gone" / "report.json"
    problem = Report(Format.JSON, output).deliver(outcome, packs)
    assert problem is not None
    assert problem.path == output
    assert "the report is not written" in problem.reason


def test_a_pipe_is_written_to_and_stays(script: Path) -> None:
    pipe = script.parent / "pipe"
    os.mkfifo(pipe)
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    outcome, packs = outcome_of([script])
    assert Report(Format.JSON, pipe).deliver(outcome, packs) is None
    reader.join()
    assert json.loads(read[0])["counts"]["proposed"] == HUNKS
    assert pipe.is_fifo()


def test_a_link_is_followed(script: Path) -> None:
    (script.parent / "real").mkdir()
    (script.parent / "real" / "report").write_text("")
    link = script.parent / "report"
    link.symlink_to("real/report")
    outcome, packs = outcome_of([script])
    assert Report(Format.SARIF, link).deliver(outcome, packs) is None
    assert link.is_symlink()
    assert json.loads(link.read_bytes())["version"] == "2.1.0"
