"""What is remembered of objects is what would be found out again, or nothing."""

from __future__ import annotations

import os
import sqlite3
from contextlib import suppress
from pathlib import Path

import pytest
from campaigning import Home, Repo

from pinsetter.analyzer.files import disk
from pinsetter.analyzer.files.word_uses import Assumed, Saying, SayingSearch
from pinsetter.analyzer.roles.speaking_first import components_of
from pinsetter.codemods.engine.commands.named_packs import load_codemod
from pinsetter.codemods.engine.git import commit_disk, remembered
from pinsetter.codemods.engine.git.git_process import find_git
from pinsetter.codemods.engine.git.remembered import Remembered
from pinsetter.codemods.engine.git.side_repository import SideRepository
from pinsetter.codemods.engine.propose.planning import make_plan
from pinsetter.codemods.engine.propose.rule_query import RuleQuery

OLD = "import datetime\n\nnow = datetime.datetime.utcnow()\n"
ONE, OTHER = b"\1" * 20, b"\2" * 20


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return Repo.of(tmp_path / "repo", {"x.py": OLD})


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "remembered.db"


def keep(file: Path, question: bytes = b"q") -> None:
    made = Remembered(file)
    made.known(question, [ONE])
    made.keep(question, [(ONE, b"said")])
    made.close()


def known(file: Path, question: bytes = b"q") -> dict[bytes, bytes]:
    made = Remembered(file)
    try:
        return dict(made.known(question, [ONE, OTHER]))
    finally:
        made.close()


def test_what_was_kept_is_known(file: Path) -> None:
    assert known(file) == {}
    keep(file)
    assert known(file) == {ONE: b"said"}


def test_another_question_is_another(file: Path) -> None:
    keep(file)
    made = Remembered(file)
    assert made.known(b"other", [ONE]) == {}


def test_what_nobody_asks_for_is_forgotten(file: Path) -> None:
    keep(file, b"old")
    keep(file, b"new")
    assert known(file, b"new") == {ONE: b"said"}
    assert known(file, b"old") == {}


def test_answers_about_what_is_gone_are_forgotten(file: Path) -> None:
    made = Remembered(file)
    made.known(b"q", [ONE])
    made.keep(b"q", [(bytes([n]) * 20, b"") for n in range(1, 6)])
    made.close()
    assert known(file) == {}


def test_what_another_version_kept_is_not_believed(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep(file)
    monkeypatch.setattr(remembered, "this_program", lambda: ("other",))
    assert known(file) == {}


@pytest.mark.parametrize("content", [b"", b"x" * 5000, b"SQLite format 3\0" + b"\xff" * 5000])
def test_a_damaged_file_is_begun_again(file: Path, content: bytes) -> None:
    keep(file)
    file.write_bytes(content)
    assert known(file) == {}
    keep(file)
    assert known(file) == {ONE: b"said"}


def test_a_locked_one_is_done_without(file: Path) -> None:
    keep(file)
    other = sqlite3.connect(file, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    try:
        made = Remembered(file)
        assert made.known(b"q", [OTHER]) == {}
        made.keep(b"q", [(OTHER, b"")])
        made.close()
    finally:
        other.close()
    assert known(file) == {ONE: b"said"}


def test_who_is_killed_remembers_what_was_saved(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remembered, "_AT_LEAST", 2)
    child = os.fork()
    if not child:
        made = Remembered(file)
        made.keep(b"q", [(ONE, b"said"), (b"\3" * 20, b"")])
        made.keep(b"q", [(OTHER, b"")])
        os._exit(0)
    os.waitpid(child, 0)
    assert known(file) == {ONE: b"said"}


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    keep(tmp_path / "none" / "remembered.db")
    assert known(tmp_path / "none" / "remembered.db") == {}


def test_forks_leave_it_alone(file: Path) -> None:
    keep(file)
    made = Remembered(file)
    child = os.fork()
    if not child:
        good = made.known(b"q", [ONE]) == {}
        made.close()
        os._exit(0 if good else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert made.known(b"q", [ONE]) == {ONE: b"said"}


def test_only_new_contents_are_read(
    home: Home, repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.commit({f"pkg/m{n}.py": f"import os\n\nx = {n}\n" for n in range(20)})
    home.start(repo)
    read: list[str] = []
    many = commit_disk.Objects.many

    def counted(self: commit_disk.Objects, names: list[str]) -> list[tuple[str, bytes]]:
        found = many(self, names)
        read.extend(data.decode("utf-8", "replace") for _, data in found)
        return found

    monkeypatch.setattr(commit_disk.Objects, "many", counted)
    repo.commit({"pkg/m3.py": "x = 'three'\n", "pkg/new.py": OLD, "pkg/moved.py": OLD + "\n"})
    assert "2 new" in home.run("scan", "utc").said
    contents = {text for text in read if "=" in text}
    assert {"x = 'three'\n", OLD, OLD + "\n"} <= contents
    assert not any(text.startswith("import os") for text in contents)


def test_another_pack_asks_other_questions(repo: Repo, tmp_path: Path) -> None:
    repo.commit({
        "log.py": "import logging\n\nlogging.info('%s' % 1)\n",
        "both.py": OLD + "import logging\n\nlogging.warn('%d' % 2)\n",
        "used.py": "from helper import old\n\nold()\n",
        "helper.py": "import datetime\n\nold = datetime.datetime.utcnow\n",
    })  # fmt: skip
    git = find_git()
    assert git is not None
    side = SideRepository.beside(git, repo.folder, tmp_path / "side")
    commit = side.commit_of("HEAD")
    assert commit is not None
    for name in ("utcnow", "lazy-logging", "distribute", "utcnow"):
        queries = [RuleQuery(pack, []) for pack in load_codemod(name, ())]
        there = make_plan(queries, [repo.folder])
        with side.reading(commit, repo.folder):
            found = make_plan(queries, [repo.folder])
        assert [hunk.id for hunk in found.plan.hunks] == [hunk.id for hunk in there.plan.hunks]
        assert len(found.parsed) == len(there.parsed)
        assert found.unreached == there.unreached
        assert bool(there.plan.hunks) == (name != "distribute")


def test_what_was_found_out_before_it_failed_is_kept(repo: Repo, tmp_path: Path) -> None:
    """And nothing is forgotten that was not asked for, for want of time."""
    git = find_git()
    assert git is not None
    side = SideRepository.beside(git, repo.folder, tmp_path / "side")
    commit = side.commit_of("HEAD")
    assert commit is not None
    file = str(repo.folder / "x.py")

    def ask(question: bytes) -> list[tuple[str, bytes | None]]:
        return list(disk.made_of([file], question, lambda _, data: asked.append(data) or b"said"))

    asked: list[bytes] = []
    with side.reading(commit, repo.folder):
        ask(b"before")
    with suppress(KeyboardInterrupt), side.reading(commit, repo.folder):
        ask(b"new")
        raise KeyboardInterrupt
    assert len(asked) == 2
    with side.reading(commit, repo.folder):
        assert ask(b"before") + ask(b"new") == [(file, b"said")] * 2
    assert len(asked) == 2


def test_other_assumptions_are_other_questions(repo: Repo, tmp_path: Path) -> None:
    repo.commit({"a.py": "one()\n", "b.py": "two()\n"})
    git = find_git()
    assert git is not None
    side = SideRepository.beside(git, repo.folder, tmp_path / "side")
    commit = side.commit_of("HEAD")
    assert commit is not None
    for word, name in (("one", "a.py"), ("two", "b.py"), ("one", "a.py")):
        with side.reading(commit, repo.folder):
            search = SayingSearch([Assumed(word, Saying.ANYHOW)])
            found = components_of([repo.folder]).contradicting(search)
            assert [Path(path).name for path, said in found if said] == [name]


def test_the_end_of_a_name_says_what_bytes_mean(repo: Repo, tmp_path: Path) -> None:
    """The same object may be a module and a notebook."""
    notebook = '{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}\n'
    repo.commit({"same.py": notebook, "same.ipynb": notebook})
    git = find_git()
    assert git is not None
    side = SideRepository.beside(git, repo.folder, tmp_path / "side")
    commit = side.commit_of("HEAD")
    assert commit is not None
    root = tmp_path / "root"
    for _ in range(2):
        with side.reading(commit, root):
            made = disk.made_of(
                [str(root / "same.py"), str(root / "same.ipynb"), str(root / "none.py")], b"q",
                lambda path, _: path.rpartition(".")[2].encode(),
            )  # fmt: skip
            assert [said for _, said in made] == [b"py", b"ipynb", None]
