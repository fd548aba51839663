"""``pinsetter facts``: the real command on real files."""

from __future__ import annotations

import json
import subprocess
import sysconfig
from pathlib import Path
from typing import Any

import pytest

COMMAND = str(Path(sysconfig.get_path("scripts")) / "pinsetter")
TRAIN = """\
import tensorflow as tf
from helpers import make

class Trainer:
    def __init__(self):
        self.optimizer = tf.keras.optimizers.Adam(0.1)

    def step(self, x):
        with tf.GradientTape() as tape:
            loss = make(x)
        gradients = tape.gradient(loss, [x])
        self.optimizer.apply_gradients(zip(gradients, [x]))

if __name__ == "__main__":
    Trainer().step(tf.Variable(1.0))
"""


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    (tmp_path / "train.py").write_text(TRAIN)
    (tmp_path / "helpers.py").write_text("def make(x):\n    return abs(x)\n")
    return tmp_path


def facts(*arguments: str | Path, cwd: Path | None = None) -> tuple[int, str, str]:
    command = [COMMAND, "facts", *map(str, arguments)]
    result = subprocess.run(
        command, capture_output=True, text=True, check=False, cwd=cwd, timeout=60
    )
    assert "Traceback" not in result.stderr
    return result.returncode, result.stdout, result.stderr


def data(*arguments: str | Path, cwd: Path | None = None) -> Any:
    code, out, err = facts(*arguments, "--json", cwd=cwd)
    assert (code, err) == (0, "")
    return json.loads(out)


def test_code_without_training_holds_nothing(tmp_path: Path) -> None:
    (tmp_path / "plain.py").write_text("x = 1\n")
    found = data(tmp_path)
    assert found["bindings"] == []
    assert [program["training_api"] for program in found["programs"]] == [[]]


def test_programs_and_bindings(repository: Path) -> None:
    found = data(repository)
    (program,) = found["programs"]
    assert program["entry"] == str(repository / "train.py")
    assert program["training_api"] == ["gradient_tape"]
    held = {(b["scope"], b["role"], b["expression"], b["certainty"]) for b in found["bindings"]}
    assert ("Trainer.__init__", "optimizer", "self.optimizer", "proved") in held
    assert ("Trainer.step", "tape", "tape", "proved") in held
    assert ("", "tensorflow", "tf", "proved") in held
    (tape,) = [b for b in found["bindings"] if b["role"] == "tape"]
    path = str(repository / "train.py")
    assert (tape["path"], tape["line"], tape["column"]) == (path, 9, 35)
    text = "with tf.GradientTape() as tape:"
    assert tape["chain"] == [{"path": path, "line": 9, "text": text}]


@pytest.mark.parametrize(
    ("line", "visible"),
    [
        (1, {"tf"}),
        (6, {"tf", "self.optimizer"}),
        (9, {"tf", "self.optimizer", "tape"}),
        (15, {"tf"}),
    ],
)
def test_a_line_shows_what_is_visible_there(repository: Path, line: int, visible: set[str]) -> None:
    found = data(f"{repository / 'train.py'}:{line}")
    assert {binding["expression"] for binding in found["bindings"]} == visible


def test_a_line_of_a_helper_is_seen_from_the_paths_beside_it(repository: Path) -> None:
    place = f"{repository / 'helpers.py'}:2"
    (repository / "main.py").write_text(
        "from tensorflow.keras.optimizers import Adam\nfrom helpers import make\nmake(Adam())\n"
    )
    assert data(place)["bindings"] == []
    (found,) = data(repository, place)["bindings"]
    assert (found["expression"], found["role"], found["line"]) == ("x", "optimizer", 1)
    assert found["certainty"] == "assumed"
    assert "something else" in found["because"]


def test_the_table_says_the_same(repository: Path) -> None:
    code, out, _ = facts(repository)
    assert code == 0
    assert "gradient_tape" in out
    assert f"{repository / 'train.py'}:6:9: optimizer self.optimizer (proved)\n" in out
    assert "\n    6: self.optimizer = tf.keras.optimizers.Adam(0.1)\n" in out


def test_calls_are_named_from_the_folder_given(repository: Path) -> None:
    expected = {
        "helpers": [],
        "helpers.make": ["<builtin>.abs"],
        "<builtin>.abs": [],
        "train": ["tensorflow.Variable", "train.Trainer.__init__", "train.Trainer.step"],
    }
    found = data("--calls", ".", cwd=repository)["calls"]
    assert expected.items() <= found.items()
    assert "helpers.make" in found["train.Trainer.step"]
    code, out, _ = facts("--calls", ".", cwd=repository)
    assert code == 0
    assert "train -> train.Trainer.step\n" in out


def test_what_is_not_understood_is_said(repository: Path) -> None:
    (repository / "broken.py").write_text("x = (\n")
    for option in ((), ("--calls",)):
        code, out, err = facts(repository, "--json", *option)
        assert code == 2
        assert json.loads(out)
        assert "broken.py:1:5: cannot be parsed: '(' is never closed" in err


def test_a_wrong_path_is_wrong_usage(tmp_path: Path) -> None:
    code, out, err = facts(tmp_path / "nowhere")
    assert (code, out) == (3, "")
    assert "no file or folder" in err


def test_calls_that_were_not_followed_are_said(tmp_path: Path) -> None:
    chain = "".join(f"def f{n}():\n    f{n + 1}()\n" for n in range(60))
    (tmp_path / "deep.py").write_text(f"{chain}def f60():\n    pass\nf0()\n")
    code, out, err = facts("--calls", "--json", tmp_path)
    assert code == 0
    assert json.loads(out)["calls"]["deep.f59"] == ["deep.f60"]
    assert "note: " in err
    assert "not followed" in err


def test_a_line_says_what_its_statement_does(repository: Path) -> None:
    (statement,) = data(f"{repository / 'train.py'}:12")["statements"]
    assert statement["line"] == 12
    assert (statement["scope"], statement["runs"]) == ("Trainer.step", "eager")
    assert {"gradients", "self.optimizer", "x"} <= set(statement["reads"])
    assert (statement["writes"], statement["live_after"]) == ([], [])
    assert "state" in statement["effects"]
    (head,) = data(f"{repository / 'train.py'}:9")["statements"]
    assert (head["line"], head["writes"]) == (9, ["tape"])
    assert "tape" in head["live_after"]
    code, out, _ = facts(f"{repository / 'train.py'}:11")
    assert code == 0
    assert ":11: runs eagerly in Trainer.step\n    reads: loss, tape, tape.gradient, x\n" in out


@pytest.mark.parametrize("text", ["", "# nothing\n", "\n\n"])
def test_a_line_of_an_empty_file(tmp_path: Path, text: str) -> None:
    path = tmp_path / "empty.py"
    path.write_text(text)
    found = data(f"{path}:1")
    assert (found["bindings"], found["statements"]) == ([], [])


def test_a_byte_order_mark_is_no_character(tmp_path: Path) -> None:
    path = tmp_path / "windows.py"
    path.write_bytes(b"\xef\xbb\xbfimport tensorflow as tf\r\nopt = tf.optimizers.Adam()\r\n")
    tensorflow, optimizer = data(path)["bindings"]
    assert (tensorflow["line"], tensorflow["column"]) == (1, 22)
    assert tensorflow["chain"][0]["text"] == "import tensorflow as tf"
    assert (optimizer["line"], optimizer["column"]) == (2, 1)
    assert optimizer["chain"][0]["text"] == "opt = tf.optimizers.Adam()"


@pytest.mark.parametrize("line", [0, 99])
def test_a_line_that_the_file_does_not_have_is_wrong_usage(repository: Path, line: int) -> None:
    code, out, err = facts(f"{repository / 'train.py'}:{line}")
    assert (code, out) == (3, "")
    assert f"train.py has no line {line}; its last is " in err
