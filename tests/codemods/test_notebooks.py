"""Notebooks are read, rewritten, reviewed and written in place."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from commands import BIN, TRAIN, run
from reviewing import plain

CELLS = [
    ("markdown", "# Training\n"),
    ("code", "%matplotlib inline\n!pip install tensorflow"),
    ("code", "import tensorflow as tf\nimport os"),
    ("code", "%%bash\nls -l"),
    ("code", "model = tf.keras.Sequential([tf.keras.layers.Dense(1)])\n"
             "optimizer = tf.keras.optimizers.SGD(0.1)"),
    ("code", "def step(x):\n    with tf.GradientTape() as tape:\n"
             "        loss = tf.reduce_mean(model(x))\n"
             "    gradients = tape.gradient(loss, model.trainable_variables)\n"
             "    optimizer.apply_gradients(zip(gradients, model.trainable_variables))\n"
             "    return loss"),
    ("code", "%%time\nfor number in range(300):\n    loss = step(tf.ones([4, 1]))\n"
             "    if number % 10 == 0:\n        !date\n        print(number, 'é')"),
    ("code", "print('ended')"),
    ("code", ""),
]  # fmt: skip


def notebook(*cells: tuple[str, str], **about: object) -> str:
    made = [
        {"cell_type": kind, "metadata": {"tags": ["x"]}, "source": source.splitlines(True),
         **({"execution_count": 1, "outputs": [{"data": {"image/png": "iVBOR\n"}}]}
            if kind == "code" else {})}
        for kind, source in cells
    ]  # fmt: skip
    whole = {"nbformat": 4, "metadata": {"z": 1, "a": 2}, "cells": made, **about}
    return json.dumps(whole, indent=1, ensure_ascii=False)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "train.ipynb").write_text(notebook(*CELLS), "utf-8")
    return tmp_path


def sources(path: Path) -> list[str]:
    return ["".join(cell["source"]) for cell in json.loads(path.read_text("utf-8"))["cells"]]


def test_a_notebook_without_training_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "a.ipynb"
    path.write_text(notebook(("code", "%cd x\nprint(1)"), ("code", "x = 1")))
    before = path.read_bytes()
    found = run("--write", path)
    assert found.code == 0
    assert "0 proposed" in found.err
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "text",
    [notebook(), notebook(("markdown", "x")), notebook(("code", "")),
     notebook(("code", "x <- 1"), metadata={"language_info": {"name": "R"}})],
)  # fmt: skip
def test_a_notebook_without_python_is_no_problem(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.ipynb").write_text(text)
    found = run("--check", tmp_path, "--strict")
    assert found.code == 0
    assert "1 seen" in found.err


def test_cells_are_one_program_and_nothing_but_their_sources_changes(folder: Path) -> None:
    path = folder / "train.ipynb"
    before = json.loads(path.read_text("utf-8"))
    assert run("--write", folder).code == 0
    found = sources(path)
    assert found[0] == "# Training\n"
    assert found[1] == "%matplotlib inline\n!pip install tensorflow"
    assert "hvd.init()" in found[2]
    assert found[3] == "%%bash\nls -l"
    assert "SGD(0.1 * hvd.size())" in found[4]
    assert "hvd.DistributedGradientTape(tf.GradientTape())" in found[5]
    assert found[6].startswith(
        "%%time\nfirst_batch = True\nfor number in range(300 // hvd.size()):"
    )
    assert "        !date\n        if hvd.rank() == 0:\n            print(number, 'é')" in found[6]
    assert found[7] == "if hvd.rank() == 0:\n    print('ended')"
    assert found[8] == ""
    after = json.loads(path.read_text("utf-8"))
    for old, new in zip(before["cells"], after["cells"], strict=True):
        assert {**old, "source": 0} == {**new, "source": 0}
        assert list(old) == list(new), "in their order"
    assert list(before) == list(after)
    assert "é" in path.read_text("utf-8")
    again = run("--check", folder)
    assert again.code == 0, again.said


def test_undo_gives_back_the_bytes(folder: Path) -> None:
    path = folder / "train.ipynb"
    before = path.read_bytes()
    run("--write", folder)
    assert path.read_bytes() != before
    assert run("undo", folder, command=[str(BIN / "pinsetter")]).code == 0
    assert path.read_bytes() == before


def test_its_patch_makes_what_write_makes(
    folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    found = run("--diff", "train.ipynb", cwd=folder)
    assert b"cell 6:2: average-gradients" in found.out
    subprocess.run(["git", "apply"], input=found.out, cwd=folder, check=True)
    patched = (folder / "train.ipynb").read_bytes()
    other = tmp_path_factory.mktemp("other")
    (other / "train.ipynb").write_text(notebook(*CELLS), "utf-8")
    run("--write", other)
    assert (other / "train.ipynb").read_bytes() == patched


def test_modules_beside_it_are_its_program_s(folder: Path) -> None:
    code = [cell for kind, cell in CELLS if kind == "code"]
    (folder / "helpers.py").write_text(f"import tensorflow as tf\n{code[3]}\n{code[4]}\n")
    cells = [("code", "import tensorflow as tf\nfrom helpers import step"), ("code", code[5])]
    (folder / "train.ipynb").write_text(notebook(*cells))
    found = run("--write", folder)
    assert found.code == 0, found.said
    assert "DistributedGradientTape" in (folder / "helpers.py").read_text()
    assert "hvd.init()" in sources(folder / "train.ipynb")[0]


def test_a_script_with_the_same_name_is_another_program(folder: Path) -> None:
    (folder / "train.py").write_text(TRAIN)
    found = run("--check", folder)
    assert "programs   2 gradient_tape" in found.err


def test_a_cell_that_is_wrong_is_named(folder: Path) -> None:
    path = folder / "broken.ipynb"
    path.write_text(notebook(*CELLS, ("code", "a = 1\nb = = 2")), "utf-8")
    found = run("--check", folder)
    assert found.code == 2
    assert f"{path}:" in found.err
    assert "(cell 10, line 2)" in found.err
    lines = path.read_text("utf-8").splitlines()
    number = next(n for n, line in enumerate(lines, 1) if "b = = 2" in line)
    assert f"{path}:{number}:" in found.err
    path.write_text('{"cells": "import tensorflow as tf",')
    found = run("--check", folder)
    assert found.code == 2
    assert f"{path}:1: not read as a notebook: it is no JSON" in found.err


def test_notes_and_refusals_name_cells(folder: Path) -> None:
    cells = [
        *CELLS,
        ("code", "strategy = tf.distribute.MultiWorkerMirroredStrategy()"),
        ("code", "%time f()"),
    ]
    (folder / "train.ipynb").write_text(notebook(*cells), "utf-8")
    found = run("--check", folder)
    assert found.code == 2
    assert f"{folder / 'train.ipynb'}: cell 10, line 1: refused: " in found.err
    note = f"{folder / 'train.ipynb'}: cell 11, line 1: note: what %time runs is not seen"
    assert note in found.err


def test_a_formatter_of_the_repository_does_not_touch_its_text(folder: Path) -> None:
    (folder / "pyproject.toml").write_text("[tool.black]\n")
    assert run("--write", folder).code == 0
    assert "print('ended')" in sources(folder / "train.ipynb")[7]


@pytest.mark.parametrize("format", ["json", "sarif", "junit", "html", "text"])
def test_reports_know_it(folder: Path, format: str) -> None:
    found = run("--check", folder, "--format", format)
    assert found.code == 1
    assert b"train.ipynb" in found.out
    lines = (folder / "train.ipynb").read_text("utf-8").splitlines()
    if format == "sarif":
        results = json.loads(found.out)["runs"][0]["results"]
        assert results
        assert not any("fixes" in one for one in results), "what is edited is no part of the file"
        tape = next(one for one in results if one["ruleId"] == "average-gradients")
        region = tape["locations"][0]["physicalLocation"]["region"]
        assert "tf.GradientTape()" in lines[region["startLine"] - 1]
    if format == "json":
        rate = next(hunk for hunk in json.loads(found.out)["hunks"]
                    if hunk["rule"] == "scale-learning-rate")  # fmt: skip
        assert "SGD(0.1)" in lines[rate["start"]["line"] - 1]
        assert rate["changes"] == []


@pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals need POSIX")
def test_it_is_reviewed_by_cells(folder: Path) -> None:
    pytest.importorskip("pexpect")
    import pexpect

    command = [str(BIN / "pinsetter"), "run", "distribute", str(folder), "--by", "hunk", "--yes"]
    child = pexpect.spawn(command[0], command[1:], encoding="utf-8", timeout=30,
                          dimensions=(50, 200), env=None)  # fmt: skip
    shown = ""
    for key in ("y", "g", "i", "q", "w"):
        child.expect([r"\?\]\? ", r"Go to which hunk[^?]*\? ", r"ignored here\? "])
        shown += child.before
        child.send(key)
        if key == "g":
            child.expect(r"\? ")
            child.sendline("8")
        if key == "i":
            child.expect(r"here\? ")
            child.sendline("the last word")
    child.expect(pexpect.EOF)
    shown = plain(shown + child.before)
    child.close()
    assert "── cell 4 ──" in shown
    assert "%%bash" in shown
    assert "a comment on cell 8, line 1 says so" in shown
    assert "Traceback" not in shown
    found = sources(folder / "train.ipynb")
    assert "hvd.init()" in found[2]
    assert found[7] == "print('ended')  # pinsetter: ignore[print-on-first-worker] the last word"
    again = run("--check", folder, "--format", "json")
    rules = [hunk["rule"] for hunk in json.loads(again.out)["hunks"]]
    assert rules.count("print-on-first-worker") == 1


@pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals need POSIX")
def test_what_begins_between_cells_can_be_ignored(folder: Path) -> None:
    pexpect = pytest.importorskip("pexpect")
    command = [str(BIN / "pinsetter"), "run", "distribute", str(folder), "--by", "hunk", "--yes"]
    child = pexpect.spawn(command[0], command[1:], encoding="utf-8", timeout=30)
    child.expect(r"\?\]\? ")
    child.send("i")
    child.expect(r"here\? ")
    child.sendline("not yet")
    child.expect(pexpect.EOF)  # all others require it
    assert "Traceback" not in child.before
    child.close()
    notebook = json.loads((folder / "train.ipynb").read_text("utf-8"))
    said = "".join("".join(cell["source"]) for cell in notebook["cells"])
    assert "ignore[initialise-horovod] not yet" in said


def test_facts_are_told_of_it(folder: Path) -> None:
    found = run("facts", folder, command=[str(BIN / "pinsetter")])
    assert found.code == 0
    assert b"optimizer" in found.out
