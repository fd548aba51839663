"""Small commands: what there is, what a rule does, completion, versions, and what passes over
nothing in silence."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from commands import BIN, HUNKS, REPOSITORY, TRAIN, run
from reviewing import PACK

PINSETTER = [str(BIN / "pinsetter")]
BOWLER = [str(BIN / "bowler"), "run"]


def said(*arguments: object, **options: object) -> str:
    found = run(*arguments, command=PINSETTER, **options)
    assert found.code == 0, found.said
    return found.out.decode()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "train.py").write_text(TRAIN)
    return tmp_path


def test_every_codemod_is_listed() -> None:
    shown = said("list")
    scripts = {path.stem for path in (REPOSITORY / "codemods").glob("[!_]*.py")}
    for script in scripts:
        assert f" {script.replace('_', '-')} " in shown
    assert all(line == line.rstrip() for line in shown.splitlines())
    rows = json.loads(said("list", "--json"))
    assert {row["name"] for row in rows} == {name.replace("_", "-") for name in scripts}
    assert all(row["rules"] and row["summary"] for row in rows)
    told = next(row["parameters"] for row in rows if row["name"] == "virtualize")
    styles = [(one["default"], one["one_of"]) for one in told if one["name"] == "style"]
    assert styles == [("signals", ["signals", "cells"])]


def test_the_rules_of_a_codemod_are_listed(tmp_path: Path) -> None:
    shown = said("list", "tf2_gradient_tape")
    assert "average-gradients" in shown
    assert "not with --option quiet" in shown
    pack = tmp_path / "review.yaml"
    pack.write_text(PACK)
    ids = [row["id"] for row in json.loads(said("list", pack, "--json"))]
    assert ids == ["start-log", "check-pair", "renew", "revise", "name-steps"]


def test_a_codemod_that_is_none() -> None:
    found = run("list", "tf2-kera", command=PINSETTER)
    assert found.code == 3
    assert "Did you mean tf2-keras" in found.err


def test_a_rule_is_explained(tmp_path: Path) -> None:
    shown = said("explain", "print-on-first-worker")
    assert "print-on-first-worker: Print on worker 0 only" in shown
    assert "Every worker would print its own copy" in shown
    assert "tf2-gradient-tape" in shown
    assert "initialise-horovod" in shown
    assert shown.index("  before:") < shown.index("  unchanged:")
    pack = tmp_path / "review.yaml"
    pack.write_text(PACK)
    shown = said("explain", "check-pair", "--in", pack)
    assert "pair($left, $right)" in shown
    found = run("explain", "check-pear", "--in", pack, command=PINSETTER)
    assert found.code == 3
    assert "Did you mean check-pair?" in found.err


def test_a_broken_pack_is_no_list(tmp_path: Path) -> None:
    pack = tmp_path / "broken.yaml"
    pack.write_text("pack: broken\nrules: 3\n")
    found = run("list", pack, command=PINSETTER)
    assert found.code == 2
    assert f"{pack}:2" in found.err


def test_names_of_many_rules_are_not_listed_in_a_message(folder: Path) -> None:
    found = run(folder, "--skip", "xxx")
    assert found.code == 3
    assert "There is no rule 'xxx'. `pinsetter list CODEMOD` shows its rules." in found.err


@pytest.mark.parametrize("option", ["-V", "--version"])
@pytest.mark.parametrize("command", [PINSETTER, [sys.executable, "-m", "pinsetter"]])
def test_versions(option: str, command: list[str]) -> None:
    import pinsetter

    found = run(option, command=command)
    assert found.out.decode().strip() == f"pinsetter, version {pinsetter.__version__}"


def test_help_has_a_short_form() -> None:
    for words in ([], ["run"], ["list"], ["decisions"], ["undo"]):
        assert "Show this message and exit." in said(*words, "-h")


def test_the_command_that_was_called_check_says_which_is_meant() -> None:
    found = run("check", ".", command=PINSETTER)
    assert found.code == 3
    assert "pinsetter restrictions PATH" in found.err
    assert "pinsetter run CODEMOD PATH --check" in found.err


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        ("pinsetter run tf1", ["tf1-estimator", "tf1-monitored-session", "tf1-session"]),
        ("pinsetter run tf2-keras --skip aver", ["average-gradients"]),
        ("pinsetter explain broadcast-before-fit-g", ["broadcast-before-fit-generator"]),
        ("pinsetter list dist", ["distribute"]),
        ("pinsetter res", ["restrictions"]),
        ("pinsetter run distribute --by r", ["rule"]),
    ],
)
def test_shells_complete_names(words: str, wanted: list[str]) -> None:
    count = len(words.split()) - 1
    done = subprocess.run(
        PINSETTER, capture_output=True, text=True, check=False,
        env={**os.environ, "_PINSETTER_COMPLETE": "bash_complete", "COMP_WORDS": words,
             "COMP_CWORD": str(count)},
    )  # fmt: skip
    found = [line.partition(",")[2] for line in done.stdout.splitlines()]
    assert set(wanted) <= set(found), done.stderr


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_what_completes_is_printed(shell: str) -> None:
    assert "_PINSETTER_COMPLETE" in said("completion", shell)


# What a run would pass over in silence.


def test_a_folder_without_python_is_said(tmp_path: Path) -> None:
    found = run("--check", tmp_path)
    assert found.code == 0
    assert f"{tmp_path}: note: there is no Python file in it" in found.err
    found = run("--check", tmp_path, "--strict")
    assert found.code == 2
    assert f"{tmp_path}: there is no Python file in it" in found.err


def test_a_folder_of_which_all_is_ignored_is_said(folder: Path) -> None:
    (folder / ".pinsetterignore").write_text("*.py\n")
    found = run("--check", folder)
    assert "note: no file in it is read: 1 files and folders are ignored" in found.err
    assert run("--check", folder, "--strict").code == 2


def test_a_run_that_reads_everything_says_nothing_of_that(folder: Path) -> None:
    found = run("--check", folder, "--strict", "--skip", "same-samples")
    assert found.code == 1
    assert "note" not in found.err


def test_files_can_be_excluded(folder: Path) -> None:
    (folder / "old").mkdir()
    (folder / "old" / "train.py").write_text(TRAIN)
    assert f"{2 * HUNKS} proposed" in run("--check", folder).err
    for pattern in ("old", "old/", "/old/*.py", "**/old"):
        found = run("--check", folder, "--exclude", pattern)
        assert f"{HUNKS} proposed" in found.err, pattern
        assert "ignored    1 files and folders" in found.err
    found = run("--check", folder, "--exclude", "*.py", "--exclude", "!/train.py")
    assert f"{HUNKS} proposed" in found.err
    (folder / ".pinsetterignore").write_text("!old\n")
    assert f"{HUNKS} proposed" in run("--check", folder, "--exclude", "old").err
    found = run("--check", folder / "train.py", "--exclude", "*.py")
    assert f"{HUNKS} proposed" in found.err, "it is named"


def test_a_pattern_that_is_none_is_said(folder: Path) -> None:
    found = run("--check", folder, "--exclude", "[")
    assert found.code in (1, 2)


def test_quiet_tells_what_failed_and_nothing_else(folder: Path) -> None:
    found = run("--check", folder, "-q")
    assert found.code == 1
    assert found.said == ""
    (folder / "broken.py").write_text("import tensorflow as tf\ndef broken(:\n")
    found = run("--check", folder, "-q")
    assert found.code == 2
    assert found.err.startswith(f"{folder / 'broken.py'}:2:")
    assert "proposed" not in found.err


def test_verbose_names_every_file_that_is_left_alone(folder: Path) -> None:
    for number in range(6):
        (folder / f"other_{number}.py").write_text("x = 1\n")
    assert "and 3 more" in run("--check", folder).err
    found = run("--check", folder, "-v")
    assert "other_5.py" in found.err
    assert "more" not in found.err


# Bowler's own command.


@pytest.mark.parametrize(
    ("script", "arguments"),
    [
        ("codemods/distribute.py", ["{}", "--check"]),
        ("distribute.py", ["--", "{}", "--check"]),
        ("tf2_gradient_tape", ["{}", "--", "--check"]),
        ("tf2-gradient-tape", ["--check", "{}"]),
        ("codemods/distribute.py", ["--check", "{}"]),
    ],
)
def test_options_may_stand_behind_paths_and_the_script_is_found(
    folder: Path, script: str, arguments: list[str]
) -> None:
    words = [one.format(folder) for one in arguments]
    found = run(script, *words, command=BOWLER, cwd=folder)
    assert found.code == 1, found.said
    assert f"{HUNKS} proposed" in found.err


def test_a_script_of_one_s_own_comes_first(folder: Path) -> None:
    (folder / "codemods").mkdir()
    (folder / "codemods" / "distribute.py").write_text("import sys\nprint('own', sys.argv[1:])\n")
    found = run("codemods/distribute.py", "a", "--b", "--", "--", "c", command=BOWLER, cwd=folder)
    assert found.out.decode().strip() == "own ['a', '--b', '--', 'c']"


def test_a_script_that_is_none(folder: Path) -> None:
    found = run("codemods/distribut.py", ".", command=BOWLER, cwd=folder)
    assert found.code != 0
    assert "There is no script 'codemods/distribut.py'. Did you mean distribute?" in found.err
    found = run("no_such_module", ".", command=BOWLER, cwd=folder)
    assert "failed to import codemod" in found.err


def test_the_help_of_a_script_is_its_own(folder: Path) -> None:
    found = run("codemods/distribute.py", "-h", command=BOWLER, cwd=folder)
    assert "--only RULE" in found.out.decode()
