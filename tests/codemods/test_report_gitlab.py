"""GitLab's code quality report, and what other programs run Pinsetter with."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from commands import BIN, HUNKS, PLAIN, REPOSITORY, TRAIN, run

SEVERITIES = {"info", "minor", "major", "critical", "blocker"}


def issues(folder: Path, *arguments: str) -> list[dict[str, Any]]:
    found = run("--check", ".", "--format", "gitlab", *arguments, cwd=folder)
    made = json.loads(found.out)
    for issue in made:
        assert issue.keys() == {"description", "check_name", "fingerprint", "severity", "location"}
        assert issue["severity"] in SEVERITIES
        assert issue["location"]["lines"]["begin"] >= 1
    assert len({issue["fingerprint"] for issue in made}) == len(made)
    return list(made)


def test_nothing_to_do_is_an_empty_list(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(PLAIN)
    assert issues(tmp_path) == []


def test_hunks_are_issues_at_their_lines(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "träin.py").write_text(TRAIN)
    found = issues(tmp_path)
    rules = [issue["check_name"] for issue in found if issue["location"]["path"] == "sub/träin.py"]
    assert len(rules) >= HUNKS
    tape = next(issue for issue in found if issue["check_name"] == "average-gradients")
    assert tape["location"]["lines"]["begin"] == 8
    assert tape["description"].startswith("Average the gradients over all workers.")
    before = {issue["fingerprint"] for issue in found}
    (tmp_path / "sub" / "träin.py").write_text("# a comment\n" + TRAIN)
    assert {issue["fingerprint"] for issue in issues(tmp_path)} == before, "as lines move"


def test_what_is_not_understood_is_critical(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("import tensorflow as tf\ndef broken(:\n")
    (found,) = issues(tmp_path)
    assert found["severity"] == "critical"
    assert found["location"] == {"path": "a.py", "lines": {"begin": 2}}


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
def test_the_hooks_of_pre_commit_run(tmp_path: Path) -> None:
    hooks = yaml.safe_load((REPOSITORY / ".pre-commit-hooks.yaml").read_text())
    (tmp_path / "train.py").write_text(TRAIN)
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    codes = {}
    for hook in hooks:
        program, *rest = hook["entry"].split()
        command = [str(BIN / program), *rest, *hook["args"]]
        assert run(command=command, cwd=tmp_path).code == 0, "nothing is staged"
        subprocess.run(["git", "add", "."], cwd=tmp_path, check=True)
        codes[hook["id"]] = run(command=command, cwd=tmp_path).code
        subprocess.run(["git", "rm", "-qf", "--cached", "train.py"], cwd=tmp_path, check=True)
    assert codes == {"pinsetter-check": 1, "pinsetter-write": 0}
    assert "hvd.init()" in (tmp_path / "train.py").read_text()


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_the_step_of_the_action_runs(tmp_path: Path) -> None:
    action = yaml.safe_load((REPOSITORY / "action.yml").read_text())
    step = action["runs"]["steps"][-1]
    (tmp_path / "train.py").write_text(TRAIN)
    given = {name: str(value["default"]) for name, value in action["inputs"].items()}
    values = {name: given[text.split("inputs.")[1].split(" ")[0]]
              for name, text in step["env"].items()}  # fmt: skip
    for options in ("", "--skip pin-gpu --strict"):
        done = subprocess.run(
            ["bash", "-e", "-c", step["run"]], cwd=tmp_path, capture_output=True, text=True,
            env={**values, "OPTIONS": options, "PATH": f"{BIN}:/usr/bin:/bin"}, check=False,
        )  # fmt: skip
        assert done.returncode == 1, done.stderr
        assert json.loads((tmp_path / "pinsetter.sarif").read_text())["version"] == "2.1.0"
