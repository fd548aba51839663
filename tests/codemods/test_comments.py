"""Comments at the changed lines, where they are asked for."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from commands import BIN, REPOSITORY, TRAIN, run

from pinsetter.analyzer.messages.problem import Problem
from pinsetter.patterns.packs.pack import load

DISTRIBUTE = [str(BIN / "pinsetter"), "run", "distribute"]
SAID = "# Horovod: "


def rewritten(folder: Path, *options: str) -> str:
    script = folder / "train.py"
    script.write_text(f"{TRAIN}\n\nfor x in tf.data.Dataset.range(9):\n    step(x)\n")
    done = run("--write", *options, "train.py", command=DISTRIBUTE, cwd=folder)
    assert done.code in (0, 2), done.err
    return script.read_text()


def without_comments(text: str) -> str:
    return "".join(line for line in text.splitlines(True) if not line.lstrip().startswith(SAID))


def test_nothing_is_said_unless_it_is_asked_for(tmp_path: Path) -> None:
    assert SAID not in rewritten(tmp_path)


@pytest.mark.parametrize("option", [["--comments"], ["--option", "comments"]])
def test_each_change_is_said_once(tmp_path: Path, option: list[str]) -> None:
    plain, text = rewritten(tmp_path), rewritten(tmp_path, *option)
    assert without_comments(text) == plain
    said = [line.strip() for line in text.splitlines() if line.lstrip().startswith(SAID)]
    assert len(said) == len(set(said)) > 3
    lines = text.splitlines()
    assert lines[lines.index("hvd.init()") - 1].startswith(SAID)
    for mode in ([], option):
        again = run("--check", *mode, "train.py", command=DISTRIBUTE, cwd=tmp_path)
        assert again.code == 0, again.err


@pytest.mark.parametrize("name", ["keras_callbacks", "session_class", "estimator_model_fn"])
def test_other_apis_are_told_too(name: str) -> None:
    folder = REPOSITORY / "fixtures" / "programs" / name
    plain = run("--diff", folder, command=DISTRIBUTE).out.decode()
    shown = run("--diff", "--comments", folder, command=DISTRIBUTE).out.decode()
    added = [line for line in shown.splitlines() if line[1:].lstrip().startswith(SAID)]
    assert len(added) > 2
    assert SAID not in plain


def test_an_edit_is_for_an_option_that_there_is(tmp_path: Path) -> None:
    rule = {
        "id": "a", "title": "A", "why": "Because.", "match": "f($x)",
        "edit": [{"wrap": "$x", "with": "g($it)"},
                 {"option": "loud", "insert": "# loud", "place": "before"}],
        "examples": [{"unchanged": "x"}],
    }  # fmt: skip
    data = {"pack": "a", "summary": "For a test.", "rules": [rule]}
    path = tmp_path / "a.yaml"
    path.write_text(yaml.safe_dump(data))
    problems = load(path)
    assert isinstance(problems, list)
    assert all(isinstance(problem, Problem) for problem in problems)
    assert "unknown option 'loud'" in str(problems[0])
    path.write_text(yaml.safe_dump(data | {"options": {"loud": "say it"}}))
    assert not isinstance(load(path), list)
