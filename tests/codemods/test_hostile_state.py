"""State that somebody else prepared changes no file: one attack a row."""

from __future__ import annotations

import os
import shutil
import sqlite3
import zlib
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from commands import BIN, TRAIN, run
from prepared import NEW, OLD, begin, changes, interrupted, invoke, journal, located, make_tree

from pinsetter.codemods.engine.files import below, replace_file
from pinsetter.codemods.engine.journal.replace_files import temporary_of
from pinsetter.codemods.engine.state.database import Database
from pinsetter.codemods.engine.state.folder import StateFolder
from pinsetter.codemods.engine.state.old_names import IN_TREE
from pinsetter.codemods.engine.state.opening import open_database
from pinsetter.codemods.engine.state.runs import Runs
from pinsetter.codemods.engine.state.values import LARGEST

COMMAND = [str(BIN / "pinsetter")]
MINE = b"mine = 0\n"


@pytest.fixture
def victim(tmp_path: Path) -> Path:
    """A file of the user beside the tree that has the text which the journals say it has."""
    (tmp_path / "tree" / "sub").mkdir(parents=True)
    path = tmp_path / "home" / "profile.py"
    path.parent.mkdir()
    path.write_bytes(OLD)
    return path


def prepare(folder: Path, tree: Path, *statements: tuple[str, tuple[object, ...]]) -> None:
    """A state as Pinsetter makes it, of a run that was interrupted, with what is done to it."""
    state = StateFolder(folder, tree, told=True, trusted=True)
    database = open_database(state)
    assert isinstance(database, Database), database
    with closing(database):
        begin(Runs(database, state), changes(make_tree(tree, 2)))
    (tree / "f00.py").write_bytes(NEW)
    with closing(sqlite3.connect(folder / "state.sqlite3")) as connection, connection:
        connection.execute("PRAGMA foreign_keys = OFF")
        for statement, values in statements:
            connection.execute(statement, values)


def leads_to(path: Path | bytes) -> tuple[str, tuple[object, ...]]:
    return "UPDATE files SET path = ? WHERE position = 1", (os.fsencode(path),)


def column(table: str, name: str, value: object) -> tuple[str, tuple[object, ...]]:
    return f"UPDATE {table} SET {name} = ?", (value,)


def bomb() -> bytes:
    packing = zlib.compressobj(9)
    block = b"\0" * (1 << 20)
    whole = [packing.compress(block) for _ in range((LARGEST >> 20) + 8)]
    return b"".join([*whole, packing.flush()])


@pytest.mark.parametrize("command", ["undo", "recover", "run"])
def test_what_lies_in_the_tree_is_not_read(victim: Path, command: str) -> None:
    tree = victim.parents[1] / "tree"
    prepare(tree / IN_TREE, tree, leads_to(victim))
    before = (tree / IN_TREE / "state.sqlite3").read_bytes()
    (tree / "train.py").write_text(TRAIN)
    arguments = ["tf2_gradient_tape", "--write"] if command == "run" else []
    result = run(command, *arguments, tree, command=COMMAND)
    assert result.code == (0 if command == "run" else 2), result.said
    assert f"{tree / IN_TREE}: the state in it is not used: it may have come with" in result.err
    assert f"--state {tree / IN_TREE} --trust-state; else delete it" in result.err
    assert victim.read_bytes() == OLD
    assert (tree / "f01.py").read_bytes() == OLD
    assert ((tree / "train.py").read_text() != TRAIN) == (command == "run")
    assert (tree / IN_TREE / "state.sqlite3").read_bytes() == before


@pytest.mark.parametrize("command", [["undo"], ["recover"], ["decisions", "list"]])
@pytest.mark.parametrize("inside", [True, False])
def test_a_named_folder_that_nobody_here_made_is_refused(
    victim: Path, command: list[str], inside: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = victim.parents[1] / "tree"
    monkeypatch.chdir(tree)
    folder = tree / "state" if inside else tree.parent / "downloaded"
    made = tree.parent / "made"
    prepare(made, tree, leads_to(victim))
    # It brings a token along, too, as if it were known.
    shutil.copytree(made, folder)
    result = invoke(*command, "--state", folder)
    assert result.code == 2
    assert ("may have come with it" if inside else "not known as one that you made") in result.err
    assert "--trust-state" in result.err
    assert victim.read_bytes() == (tree / "f01.py").read_bytes() == OLD


def test_a_sound_state_can_be_trusted_and_is_known_then(tmp_path: Path) -> None:
    tree, folder = tmp_path / "tree", tmp_path / "copied"
    tree.mkdir()
    prepare(tmp_path / "made", tree)
    shutil.copytree(tmp_path / "made", folder)
    assert invoke("undo", tree, "--state", folder, "--list").code == 2
    assert invoke("undo", tree, "--state", folder, "--list", "--trust-state").code == 0
    assert invoke("undo", tree, "--state", folder, "--list").code == 0
    assert invoke("recover", "--state", folder).code == 0
    assert (tree / "f01.py").read_bytes() == NEW


def test_a_state_in_the_tree_is_never_known(tmp_path: Path) -> None:
    """The next checkout could bring another."""
    tree = tmp_path / "tree"
    tree.mkdir()
    prepare(tree / "state", tree)
    assert invoke("undo", tree, "--state", tree / "state", "--list", "--trust-state").code == 0
    result = invoke("undo", tree, "--state", tree / "state", "--list")
    assert result.code == 2
    assert "give a folder outside of the tree" in result.err


def test_a_word_of_trust_needs_a_folder(tmp_path: Path) -> None:
    assert "--trust-state needs --state DIR" in invoke("undo", tmp_path, "--trust-state").err


def test_a_state_is_for_one_tree(tmp_path: Path) -> None:
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "train.py").write_text(TRAIN)
    told = ["--state", tmp_path / "state"]
    write = ["run", "tf2_gradient_tape", "--write"]
    assert invoke(*write, tmp_path / "one", *told).code == 0
    result = invoke(*write, tmp_path / "other", *told)
    assert result.code == 2
    assert f"the state in it is that of {tmp_path / 'one'}" in result.err
    assert (tmp_path / "other" / "train.py").read_text() == TRAIN


TRIGGER = """CREATE TRIGGER change AFTER INSERT ON runs BEGIN
UPDATE files SET after = x'', path = '/etc/passwd'; END"""
VIEW = "CREATE VIEW other AS SELECT * FROM runs"
Statement = tuple[str, tuple[object, ...]]
# What is done to a database, with the victim's path; and what is said of it.
ATTACKS: dict[str, tuple[Callable[[Path], list[Statement]], str]] = {
    "absolute path": (lambda v: [leads_to(v)], "does not lead to a file of the tree"),
    "path out": (lambda v: [leads_to(b"../home/profile.py")], "does not lead to a file"),
    "path out by a folder": (
        lambda v: [leads_to(b"sub/../../home/profile.py")],
        "does not lead to a file",
    ),
    "no path": (lambda v: [leads_to(b"")], "does not lead to a file"),
    "the tree": (lambda v: [leads_to(b".")], "does not lead to a file"),
    "path of text": (lambda v: [column("files", "path", "f00.py")], "path is no bytes"),
    "path with a zero": (lambda v: [leads_to(b"a\0b")], "does not lead to a file"),
    "trigger": (lambda v: [(TRIGGER, ())], "its tables are not those of a state"),
    "view": (lambda v: [(VIEW, ())], "its tables are not"),
    "table": (lambda v: [("CREATE TABLE other (x)", ())], "its tables are not"),
    "index": (lambda v: [("CREATE INDEX other ON runs (token)", ())], "its tables are not"),
    "another table": (
        lambda v: [("ALTER TABLE runs ADD COLUMN other", ())],
        "its tables are not",
    ),
    "an older state with the tables of a newer": (
        lambda v: [("PRAGMA user_version = 1", ())],
        "its tables are not",
    ),
    "version": (lambda v: [("PRAGMA user_version = -1", ())], "its tables are not"),
    "token": (lambda v: [column("runs", "token", "x/../../home")], "token is none"),
    "bytes for a name": (lambda v: [column("runs", "codemod", b"x")], "codemod is no text"),
    "kind": (lambda v: [column("runs", "kind", "other")], "kind is none of those"),
    "state": (lambda v: [column("files", "state", b"\xff")], "state is none of those"),
    "time": (lambda v: [column("runs", "started", float("inf"))], "started is no time"),
    "circle": (lambda v: [column("runs", "undoes", 1)], "undoes one that was not before it"),
    "needs": (lambda v: [column("files", "needs", "{}")], "needs is no list"),
    "deep needs": (lambda v: [column("files", "needs", "[" * 100_000)], "needs is no list"),
    "needs without end": (lambda v: [column("files", "needs", f"[{'9' * 5000}]")], "no number"),
    "mode": (lambda v: [column("files", "mode", "s")], "mode is no number"),
    "text for bytes": (lambda v: [column("files", "after", "x")], "after is no bytes"),
    "not packed": (lambda v: [column("files", "after", b"xyz")], "after cannot be unpacked"),
    "other text": (
        lambda v: [column("files", "after", zlib.compress(MINE))],
        "after is not what was stored",
    ),
    "bomb": (lambda v: [column("files", "after", bomb())], "after is not what was stored"),
}


@pytest.mark.parametrize(("attack", "said"), ATTACKS.values(), ids=ATTACKS)
def test_a_prepared_database_is_refused(
    victim: Path, attack: Callable[[Path], list[Statement]], said: str
) -> None:
    """Though the word was given, and also where it lies in the user's own folder."""
    tree = victim.parents[1] / "tree"
    prepare(tree.parent / "made", tree, *attack(victim))
    result = invoke("undo", tree, "--state", tree.parent / "made", "--trust-state")
    assert result.code == 2, result.out
    assert said in result.err
    assert located(tree).make() is None
    shutil.copy(tree.parent / "made" / "state.sqlite3", located(tree).database)
    for command in ("recover", "undo"):
        result = invoke(command, tree)
        assert result.code == 2, result.out
        assert said in result.err
    assert victim.read_bytes() == (tree / "f01.py").read_bytes() == OLD
    assert (tree / "f00.py").read_bytes() == NEW


@pytest.mark.parametrize("command", ["undo", "recover"])
def test_a_folder_that_is_a_link_now_is_not_entered(victim: Path, command: str) -> None:
    tree = victim.parents[1] / "tree"
    paths = [tree / "sub" / "profile.py", *make_tree(tree, 1), tree / "sub" / "other.py"]
    for path in paths:
        path.write_bytes(OLD)
    run_ = interrupted(tree, paths, 2)
    with journal(tree) as runs:
        names = [temporary_of(run_, entry) for entry in runs.entries(run_)]
    shutil.rmtree(tree / "sub")
    (tree / "sub").symlink_to(victim.parent)
    victim.write_bytes(NEW if command == "undo" else OLD)
    for name in names:
        (victim.parent / name).write_bytes(MINE)
    result = invoke(command, tree)
    assert result.code in (0, 2)
    assert victim.read_bytes() == (NEW if command == "undo" else OLD)
    assert {(victim.parent / name).read_bytes() for name in names} == {MINE}
    assert sorted(path.name for path in victim.parent.iterdir()) == sorted(["profile.py", *names])


@pytest.mark.skipif(not below._BY_DESCRIPTOR, reason="needs files named from a descriptor")
@pytest.mark.parametrize("moment", ["fsync", "replace"])
def test_a_folder_swapped_in_between_is_still_the_old_one(
    victim: Path, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    tree = victim.parents[1] / "tree"
    target = tree / "sub" / "profile.py"
    target.write_bytes(OLD)
    real = getattr(os, moment)

    def swap(*arguments: object, **where: object) -> object:
        if not (tree / "sub").is_symlink():
            (tree / "sub").rename(tree / "moved")
            (tree / "sub").symlink_to(victim.parent)
        return real(*arguments, **where)

    monkeypatch.setattr(os, moment, swap)
    replace_file.put(target, target, OLD, NEW, top=tree)
    assert victim.read_bytes() == OLD
    assert [path.name for path in victim.parent.iterdir()] == ["profile.py"]
    assert (tree / "moved" / "profile.py").read_bytes() in (OLD, NEW)


def test_a_link_in_the_place_of_the_temporary_file_is_not_followed(victim: Path) -> None:
    tree = victim.parents[1] / "tree"
    (target := tree / "a.py").write_bytes(OLD)
    (tree / "made.tmp").symlink_to(victim)
    done = replace_file.put(target, target, OLD, NEW, "made.tmp", tree)
    assert isinstance(done, replace_file.Failure)
    assert victim.read_bytes() == target.read_bytes() == OLD


def test_a_link_to_a_file_of_the_tree_is_written_through(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    (tree / "deep").mkdir(parents=True)
    (tree / "deep" / "train.py").write_text(TRAIN)
    (tree / "linked").symlink_to("deep")
    result = invoke("run", "tf2_gradient_tape", "--write", tree / "linked" / "train.py")
    assert result.code == 0, result.err
    assert (tree / "deep" / "train.py").read_text() != TRAIN
    assert invoke("undo", tree / "linked").code == 0
    assert (tree / "deep" / "train.py").read_text() == TRAIN
