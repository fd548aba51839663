"""The options that a repository's own files give."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from commands import BIN, FRONT_ENDS, HUNKS, TRAIN, Result, run

CONFIG = [str(BIN / "pinsetter"), "config"]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / ".git").mkdir()
    (tmp_path / "code").mkdir()
    (tmp_path / "code" / "train.py").write_text(TRAIN)
    return tmp_path


def checked(tree: Path, *arguments: str) -> Result:
    return run("--check", tree / "code", *arguments)


def configure(tree: Path, text: str, name: str = "pyproject.toml", within: str = "") -> Path:
    path = tree / within / name
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    "text",
    ["", "[tool.black]\nline-length = 90\n", "[tool.pinsetter]\n", "# pinsetter\n[tool]\n",
     "[project]\nname = 'pinsetter'\n"],
)  # fmt: skip
def test_files_that_say_nothing_change_nothing(tree: Path, text: str) -> None:
    configure(tree, text)
    found = checked(tree)
    assert f"{HUNKS} proposed" in found.err
    assert "configures" not in found.err


def test_a_section_gives_defaults_and_is_named(tree: Path) -> None:
    path = configure(tree, '[tool.pinsetter]\nskip = ["pin-gpu"]\n')
    found = checked(tree)
    assert f"{HUNKS - 1} proposed" in found.err
    assert f"{path} configures skip\n" in found.err
    assert "configures" not in checked(tree, "--quiet").err
    assert f"{path}:2: skip = pin-gpu\n" in checked(tree, "-v").err


def test_the_command_line_overrules_it(tree: Path) -> None:
    configure(tree, '[tool.pinsetter]\nskip = ["pin-gpu"]\n')
    assert f"{HUNKS} proposed" in checked(tree, "--no-config").err
    found = checked(tree, "--skip", "print-on-first-worker")
    assert f"{HUNKS - 1} proposed" in found.err
    assert "configures" not in found.err


def test_the_nearest_file_wins(tree: Path) -> None:
    configure(tree, '[tool.pinsetter]\nskip = ["pin-gpu"]\n')
    near = configure(tree, "[pinsetter]\nexclude = *.py\n", "setup.cfg", "code")
    found = checked(tree)
    assert f"{near} configures exclude\n" in found.err
    assert "there is no file" not in found.err
    assert "0 proposed" in found.err


def test_files_above_the_repository_do_not_count(tree: Path) -> None:
    configure(tree, '[tool.pinsetter]\nskip = ["pin-gpu"]\n')
    (tree / "code" / ".git").mkdir()
    assert f"{HUNKS} proposed" in checked(tree).err


def test_setup_cfg_has_lists_and_booleans_in_its_own_form(tree: Path) -> None:
    configure(
        tree,
        "[pinsetter]\nskip =\n    pin-gpu\n    print-on-first-worker\nstrict = yes\n",
        "setup.cfg",
    )
    found = checked(tree, "-v")
    assert f"{HUNKS - 2} proposed" in found.err
    assert "skip = pin-gpu, print-on-first-worker" in found.err
    assert "strict = true" in found.err


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("skp = ['pin-gpu']", "there is no key 'skp' (did you mean skip?)"),
        ("nonsense = 1", "there is no key 'nonsense' (`pinsetter config` shows"),
        ("write = true", "there is no key 'write'"),
        ("executor = 'dask://evil:1'", "there is no key 'executor'"),
        ("output = 'x'", "there is no key 'output'"),
        ("yes = true", "there is no key 'yes'"),
        ("skip = 3", "skip has to be a list of strings"),
        ("skip = [3]", "skip has to be a list of strings"),
        ("shard = 'maybe'", "shard has to be true or false"),
        ("timeout = 0", "there is no key 'timeout'"),
        ("jobs = 999", "there is no key 'jobs'"),
        ("max-hunks = true", "max-hunks has to be a number or a string"),
        ("max-nesting = 0", "max-nesting is wrong: 0 is not in the range 1<=x<=1200"),
        ("by = 'chapter'", "by is wrong: 'chapter' is not one of"),
    ],
)
def test_a_mistake_is_named_with_its_line(tree: Path, line: str, said: str) -> None:
    path = configure(tree, f"[tool.pinsetter]\n{line}\n")
    for found in (checked(tree), run(tree, command=CONFIG)):
        assert found.code == 3, found.said
        assert f"{path}:2: {said}" in found.err


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("pyproject.toml", b"[tool.pinsetter\n", "cannot be read: "),
        ("pyproject.toml", b"[tool]\npinsetter = 1\n", "tool.pinsetter has to be a table"),
        ("pyproject.toml", b"# \xff pinsetter\n", "cannot be read: it is no UTF-8"),
        ("setup.cfg", b"[pinsetter]\nskip\n", "cannot be read: "),
    ],
)
def test_a_file_that_cannot_be_read_stops_the_run(
    tree: Path, name: str, data: bytes, said: str
) -> None:
    (tree / name).write_bytes(data)
    found = checked(tree)
    assert found.code == 3
    assert f"{tree / name}" in found.err
    assert said in found.err
    assert checked(tree, "--no-config").code == 1


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes")
@pytest.mark.parametrize("name", ["pyproject.toml", "setup.cfg", ".pinsetterignore", "ruff.toml"])
def test_what_is_no_file_is_not_read(tree: Path, name: str) -> None:
    os.mkfifo(tree / name)
    assert checked(tree).code == 1
    (tree / name).unlink()
    (tree / name).symlink_to("/dev/zero")
    assert checked(tree).code == 1


def test_an_unknown_rule_is_still_one(tree: Path) -> None:
    configure(tree, '[tool.pinsetter]\nskip = ["pin-gpuu"]\n')
    found = checked(tree)
    assert found.code == 3
    assert "There is no rule 'pin-gpuu'. Did you mean pin-gpu" in found.err


def test_what_is_in_force_can_be_asked(tree: Path) -> None:
    path = configure(tree, '[tool.pinsetter]\nskip = ["pin-gpu"]\nmax-hunks = 5\n')
    found = run(tree / "code", command=CONFIG)
    assert found.code == 0
    rows = [line.split() for line in found.out.decode().splitlines()]
    assert ["skip", "pin-gpu", f"{path}:2"] in rows
    assert ["max-hunks", "5", f"{path}:3"] in rows
    assert ["max-file-size", "10", "default"] in rows
    assert ["by", "default"] in rows


@pytest.mark.parametrize("front_end", FRONT_ENDS)
def test_it_holds_for_scripts_too(tree: Path, front_end: str) -> None:
    configure(tree, '[tool.pinsetter]\nskip = ["pin-gpu"]\n')
    found = run("--check", tree, "--format", "json", command=FRONT_ENDS[front_end])
    assert "pin-gpu" not in {hunk["rule"] for hunk in json.loads(found.out)["hunks"]}
