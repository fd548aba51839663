"""Bowler scripts that know nothing of Pinsetter: their files are written safely, and reviewed."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

import pytest
from bowler import Query
from bowler.types import BowlerQuit, RetryFile
from prepared import interrupted, invoke, located, make_tree

from pinsetter.codemods.engine.bowler.tool import Tool

BOWLER = str(Path(sysconfig.get_path("scripts")) / "bowler")
SCRIPT = """\
import sys
from bowler import Query

def twice(node, capture, filename):
    node.value = {value}
    node.changed()

def main():
    {before}
    query = Query(sys.argv[1:]).select("NAME").filter(lambda n, c, f: n.value == "old")
    query = query.modify(twice).{how}
    print("exit", query.retcode)
"""
PROMPT = r"Apply this hunk \[[^]]*\]\? "
FAR = "".join(f"line_{n} = {n}\n" for n in range(20))


def rename(path: Path, how: str = "write", **options: Any) -> Query:
    query = Query(str(path)).select_function("old").rename("new")
    return getattr(query, how)(**options)


def command(
    folder: Path, how: str = "write()", value: str = '"new"', before: str = "pass"
) -> list[str]:
    script = folder / "renaming.py"
    script.write_text(SCRIPT.format(value=value, how=how, before=before))
    return [BOWLER, "run", str(script), "--"]


def run(
    arguments: list[str], *paths: Path, input: str | None = None
) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [*arguments, *map(str, paths)], input=input, capture_output=True, text=True, timeout=60,
        check=False,
    )  # fmt: skip
    assert "Traceback" not in done.stdout + done.stderr, done.stderr
    return done


# ---------------------------------------------------------------- bytes


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"older(1)\r\n",
        b"\xef\xbb\xbfolder(1)",
        b"# coding: latin-1\nolder('\xe4')\r",
        b"x = 1\x0c\r\n\r\n\r\n",
    ],
)
def test_files_without_hunks_keep_every_byte(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "a.py"
    path.write_bytes(data)
    before = path.stat().st_mtime_ns
    query = rename(path)
    assert (query.retcode, path.read_bytes()) == (0, data)
    assert path.stat().st_mtime_ns == before


@pytest.mark.parametrize(
    "data",
    [
        b"old(1)\n",
        b"old(1)",
        b"\xef\xbb\xbfx = '\xc3\xa4'\nold(1)\n",
        b"\xef\xbb\xbfold(1)",
        b"x = 1\r\nold(1)\r\n",
        b"x = 1\r\nold(1)",
        b"x = 1\rold(1)\ry = 2\r",
        b"x = 1\rold(1)",
        b"x = 1\nold(1)\r\ny = '''\r\n\n\r'''\n",
        b"# coding: latin-1\nold('\xe4\xf6')\n# \xfc\n",
        b"# coding: cp1252\r\nold('\x80')\r\n",
        "# coding: utf-8\nold('\u4e0d')\n\x0c\nx = 1\n".encode(),
    ],
)
def test_only_what_a_hunk_names_is_changed(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "a.py"
    path.write_bytes(data)
    path.chmod(0o640)
    query = rename(path)
    assert query.retcode == 0
    assert path.read_bytes() == data.replace(b"old", b"new")
    assert path.stat().st_mode & 0o777 == 0o640


def test_lines_that_a_script_adds_end_as_the_file_s_do(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_bytes(b"def old(a):\r\n    return a\r\n\r\nx = '\xc3\xa4'\r\n")
    Query(str(path)).select_function("old").add_argument("b", "1").write()
    assert path.read_bytes() == b"def old(a, b=1):\r\n    return a\r\n\r\nx = '\xc3\xa4'\r\n"


# ---------------------------------------------------------------- failures


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("a.py", b"old('\xff')\n", "a.py:1: cannot be decoded"),
        ("a.py", b"# coding: nonsense\nold()\n", "unknown encoding: nonsense"),
        ("a.py", b"old(\n", "a.py:1:4: cannot be parsed"),
        ("none.py", None, "none.py: cannot be read: No such file"),
    ],
)
def test_a_file_that_fails_is_reported_and_the_others_go_on(
    tmp_path: Path, name: str, data: bytes | None, reason: str, caplog: pytest.LogCaptureFixture
) -> None:
    if data is not None:
        (tmp_path / name).write_bytes(data)
    (tmp_path / "b.py").write_text("old(1)\n")
    query = Query(str(tmp_path / name), str(tmp_path / "b.py"))
    query.select_function("old").rename("new").write()
    assert query.retcode == 1
    assert reason in caplog.text
    assert (tmp_path / "b.py").read_text() == "new(1)\n"
    if data is not None:
        assert (tmp_path / name).read_bytes() == data


def test_what_a_script_raises_is_reported_with_its_place(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "a.py").write_text("old(1)\n")
    (tmp_path / "b.py").write_text("old(2)\n")

    def fail(node: Any, capture: Any, filename: str) -> None:
        if filename.endswith("a.py"):
            raise ValueError("no such thing")

    query = Query(str(tmp_path)).select_function("old").modify(fail).rename("new").write()
    assert query.retcode == 1
    assert [type(error) for error in query.exceptions] == [ValueError]
    where = (
        rf"a\.py: not rewritten: ValueError: no such thing \({re.escape(__file__)}:\d+ in fail\)"
    )
    assert re.search(where, caplog.text)
    assert (tmp_path / "a.py").read_text() == "old(1)\n"
    assert (tmp_path / "b.py").read_text() == "new(2)\n"


def test_a_result_that_is_no_python_is_not_written(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "a.py"
    path.write_text("def old(): pass\n")
    query = Query(str(path)).select_function("old").rename("new/").write()
    assert query.retcode == 1
    assert "Transforms generated invalid CST" in caplog.text
    assert "+def new/(): pass" in caplog.text
    assert path.read_text() == "def old(): pass\n"


def test_a_file_that_changes_meanwhile_is_not_overwritten(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "a.py"
    path.write_text("old(1)\n")

    def meanwhile(filename: str, hunk: Any) -> bool:
        path.write_text("old(2)\n")
        return True

    query = Query(str(path)).select_function("old").rename("new").process(meanwhile).write()
    assert query.retcode == 1
    assert "the file changed since it was read" in caplog.text
    assert path.read_text() == "old(2)\n"


def test_a_file_may_be_put_off(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    for name in ("a.py", "b.py"):
        (tmp_path / name).write_text("old(1)\n")
    seen: list[str] = []

    def later(node: Any, capture: Any, filename: str) -> bool:
        seen.append(Path(filename).name)
        if seen == ["a.py"]:
            raise RetryFile
        return True

    query = Query(str(tmp_path)).select_function("old").filter(later).rename("new").write()
    assert query.retcode == 0
    assert seen == ["a.py", "b.py", "a.py"]
    assert (tmp_path / "a.py").read_text() == "new(1)\n"


def test_putting_off_for_ever_ends(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    for name in ("a.py", "b.py"):
        (tmp_path / name).write_text("old(1)\n")

    def never(node: Any, capture: Any, filename: str) -> bool:
        raise RetryFile

    query = Query(str(tmp_path)).select_function("old").filter(never).rename("new").write()
    assert query.retcode == 1
    assert len(query.exceptions) == 2


# ---------------------------------------------------------------- hooks and modes


def test_hooks_see_bowler_s_hunks_and_reject_by_false(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_bytes(f"old(1)\n{FAR}old(2)".replace("\n", "\r\n").encode())
    seen: list[list[str]] = []

    def hook(filename: str, hunk: list[str]) -> bool:
        assert filename == str(path)
        seen.append(list(hunk))
        return "+new(2)" in hunk

    query = Query(str(path)).select_function("old").rename("new").process(hook).write()
    assert query.retcode == 0
    assert [hunk[:3] for hunk in seen] == [
        [f"--- {path}", f"+++ {path}", "@@ -1,4 +1,4 @@"],
        [f"--- {path}", f"+++ {path}", "@@ -19,4 +19,4 @@"],
    ]
    assert seen[0][3:5] == ["-old(1)", "+new(1)"]
    assert not any("\r" in line or "No newline" in line for hunk in seen for line in hunk)
    text = path.read_bytes().decode()
    assert (text.split("\r\n")[0], text.split("\r\n")[-1]) == ("old(1)", "new(2)")


def test_a_hook_that_fails_rejects_its_hunk(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    for name in ("a.py", "b.py"):
        (tmp_path / name).write_text("old(1)\n")

    def hook(filename: str, hunk: list[str]) -> bool:
        return bool(1 / (not filename.endswith("a.py")))

    query = Query(str(tmp_path)).select_function("old").rename("new").process(hook).write()
    assert query.retcode == 1
    assert "a.py: not rewritten: ZeroDivisionError" in caplog.text
    assert (tmp_path / "a.py").read_text() == "old(1)\n"
    assert (tmp_path / "b.py").read_text() == "new(1)\n"


def test_a_hook_may_end_the_run(tmp_path: Path) -> None:
    for name in ("a.py", "b.py", "c.py"):
        (tmp_path / name).write_text("old(1)\n")

    def hook(filename: str, hunk: list[str]) -> bool:
        if filename.endswith("b.py"):
            raise BowlerQuit
        return True

    query = Query(str(tmp_path)).select_function("old").rename("new").process(hook).write()
    assert query.retcode == 0
    texts = [(tmp_path / name).read_text() for name in ("a.py", "b.py", "c.py")]
    assert texts == ["new(1)\n", "old(1)\n", "old(1)\n"]


def test_a_file_of_several_names_is_read_once(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text("old(1)\n")
    (tmp_path / "b.py").symlink_to("a.py")
    seen: list[str] = []
    query = Query(str(tmp_path), str(path)).select_function("old").rename("new")
    query.process(lambda filename, hunk: seen.append(filename)).write()
    assert len(seen) == 1
    assert path.read_text() == "new(1)\n"
    assert (tmp_path / "b.py").is_symlink()


def test_silent_runs_write_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a.py"
    path.write_text("old(1)\n")
    seen: list[str] = []
    query = Query(str(path)).select_function("old").rename("new")
    query.process(lambda filename, hunk: seen.append(filename)).silent()
    assert (seen, path.read_text(), capsys.readouterr().out) == ([str(path)], "old(1)\n", "")


def test_diff_prints_and_writes_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a.py"
    path.write_text("old(1)\n")
    assert rename(path, "diff").retcode == 0
    assert capsys.readouterr().out == (f"--- {path}\n+++ {path}\n@@ -1 +1 @@\n-old(1)\n+new(1)\n")
    assert path.read_text() == "old(1)\n"


def test_writing_may_print_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a.py"
    path.write_text("old(1)\n")
    rename(path, "execute", write=True, interactive=False, silent=False)
    assert "+new(1)" in capsys.readouterr().out
    assert path.read_text() == "new(1)\n"


def test_comments_suppress_a_script_s_hunks(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "a.py"
    text = f"old(1)  # pinsetter: ignore[{Path(__file__).stem}] kept\n{FAR}old(2)\n"
    path.write_text(text)
    rename(path)
    assert path.read_text() == text.replace("old(2)", "new(2)")
    assert "suppressed 1 by comments" in capsys.readouterr().err


def test_a_hunk_says_where_it_comes_from(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text("old(1)\n")
    hunks: list[Any] = []
    query = Query(str(path)).select_function("old").rename("new")
    query.process(lambda filename, hunk: hunks.append(hunk.hunk)).silent()
    assert [(h.rule, h.title, h.line, h.why) for h in hunks] == [
        (Path(__file__).stem, "rename", 1, f"Proposed by {__file__}.")
    ]


def test_the_first_hunk_is_there_before_the_last_file_is_read(tmp_path: Path) -> None:
    for name in ("a.py", "b.py"):
        (tmp_path / name).write_text("old(1)\n")
    events: list[str] = []

    class Watched(Tool):
        def refactor_file(self, filename: str, *a: Any, **k: Any) -> Any:
            events.append(f"read {Path(filename).name}")
            return super().refactor_file(filename, *a, **k)

    fixers = Query(str(tmp_path)).select_function("old").rename("new").compile()
    tool = Watched(
        fixers, interactive=False, silent=True, options={"print_function": True},
        hunk_processor=lambda f, h: events.append(f"hunk {Path(f).name}"),
    )  # fmt: skip
    assert tool.run([str(tmp_path)]) == 0
    assert events == ["read a.py", "hunk a.py", "read b.py", "hunk b.py"]


# ---------------------------------------------------------------- the real command


def test_the_command_fails_where_a_file_does(tmp_path: Path) -> None:
    files = tmp_path / "files"
    files.mkdir()
    (files / "a.py").write_bytes(b"old('\xff')\n")
    (files / "b.py").write_text("old(1)\n")
    done = run(command(tmp_path), files)
    assert (done.returncode, done.stdout) == (2, "exit 1\n")
    assert "cannot be decoded" in done.stderr
    assert (files / "b.py").read_text() == "new(1)\n"


def test_a_script_s_own_exit_code_stays(tmp_path: Path) -> None:
    arguments = command(tmp_path)
    script = tmp_path / "renaming.py"
    script.write_text(script.read_text().replace('print("exit", query.retcode)', "sys.exit(7)"))
    assert run(arguments, tmp_path / "none.py").returncode == 7


@pytest.mark.parametrize(
    ("input", "code", "first", "second"),
    [
        ("n\nn\n", 0, "old", "old"),
        ("", 1, "old", "old"),
        ("y\n", 1, "new", "old"),
        ("y\nq\n", 0, "new", "old"),
        ("d\na\n", 0, "old", "new"),
    ],
)
def test_answers_may_be_piped(
    tmp_path: Path, input: str, code: int, first: str, second: str
) -> None:
    files = tmp_path / "files"
    files.mkdir()
    for name in ("a.py", "b.py"):
        (files / name).write_bytes(b"\xef\xbb\xbfx = 1\r\nold(1)")
    done = run(command(tmp_path, "idiff()"), files, input=input)
    assert done.returncode == code
    for name, wanted in (("a.py", first), ("b.py", second)):
        assert (files / name).read_bytes() == f"\ufeffx = 1\r\n{wanted}(1)".encode()


@pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals need POSIX")
@pytest.mark.parametrize(
    ("keys", "code", "wanted"),
    [
        (["y", "\x03"], 130, ["old", "old"]),
        (["y", "\x04"], 1, ["new", "old"]),
        (["y", "y"], 0, ["new", "new"]),
    ],
)
def test_a_review_in_a_terminal(
    tmp_path: Path, keys: list[str], code: int, wanted: list[str]
) -> None:
    pexpect = pytest.importorskip("pexpect")
    files = tmp_path / "files"
    files.mkdir()
    for name in ("a.py", "b.py"):
        (files / name).write_bytes(b"old(1)\r\n")
    arguments = command(tmp_path, "idiff()")
    child = pexpect.spawn(arguments[0], [*arguments[1:], str(files)], encoding="utf-8", timeout=60,
                          dimensions=(50, 200))  # fmt: skip
    shown = ""
    for key in keys:
        child.expect(PROMPT)
        shown += child.before
        child.send(key)
    child.expect(pexpect.EOF)
    shown += child.before
    child.close()
    assert "Traceback" not in shown
    assert child.exitstatus == code
    assert "renaming: twice" in shown
    found = [(files / name).read_bytes() for name in ("a.py", "b.py")]
    assert found == [f"{name}(1)\r\n".encode() for name in wanted]


def test_a_run_without_questions_may_be_interrupted(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("old(1)\n")
    value = "(_ for _ in ()).throw(KeyboardInterrupt)"
    done = run(command(tmp_path, value=value), tmp_path / "a.py")
    assert done.returncode == 130
    assert "Interrupted; nothing more is written." in done.stderr
    assert (tmp_path / "a.py").read_text() == "old(1)\n"


def test_other_programs_that_use_bowler_exit_as_they_like(tmp_path: Path) -> None:
    arguments = command(tmp_path)
    script = tmp_path / "renaming.py"
    script.write_text(f"{script.read_text()}\nmain()\n")
    done = run([sys.executable, arguments[2]], tmp_path / "none.py")
    assert (done.returncode, done.stdout) == (0, "exit 1\n")
    assert os.linesep in done.stderr


def test_a_run_that_writes_nothing_leaves_no_journal(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text("other(1)\n")
    assert rename(path).retcode == 0
    path.write_text("old(1)\n")
    assert rename(path, "diff").retcode == 0
    assert os.listdir(tmp_path) == ["mine.py"]
    assert not located(tmp_path).path.exists()


def test_undo_takes_back_what_a_script_wrote(tmp_path: Path) -> None:
    paths = [tmp_path / name for name in ("one.py", "other.py")]
    for path in paths:
        path.write_bytes(b"x = old\r\n")
    (tmp_path / "scripts").mkdir()
    script = command(tmp_path / "scripts")
    done = run(script, *paths)
    assert done.returncode == 0, done.stderr
    assert {path.read_bytes() for path in paths} == {b"x = new\r\n"}
    listed = invoke("undo", "--list", tmp_path)
    assert "renaming" in listed.out
    assert "2" in listed.out
    assert invoke("undo", tmp_path).code == 0
    assert {path.read_bytes() for path in paths} == {b"x = old\r\n"}


def test_a_script_waits_for_an_interrupted_run(tmp_path: Path) -> None:
    paths = make_tree(tmp_path, 2)
    interrupted(tmp_path, paths, 1)
    mine = tmp_path / "mine.py"
    mine.write_text("old(1)\n")
    query = rename(mine)
    assert query.retcode == 1
    assert mine.read_text() == "old(1)\n"
    assert invoke("recover", tmp_path).code == 0
    assert rename(mine).retcode == 0
    assert mine.read_text() == "new(1)\n"
