"""Signals, want of memory and of room, clocks and company: a message, the documented exit code, and
nothing lost. Real processes, and real terminals."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from commands import BIN
from prepared import temporaries
from reviewing import SCRIPT, Review, prepare
from wrong_rules import pack_of

from pinsetter.analyzer.roles.speaking_first import components_of
from pinsetter.codemods.engine.propose.planning import plans
from pinsetter.codemods.engine.running.pack_query import PackQuery
from pinsetter.patterns.packs.pack import Pack, load

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX")
RULE = {"match": "how()", "edit": {"append": "x=1"}, "example": ("how()\n", "how(x=1)\n")}
OLD = "how()\n" + "# A line.\n" * 400
NEW = OLD.replace("how()", "how(x=1)")
FILES = 4
UNTOLD = "Exception ignored on building sys.unraisablehook arguments"


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    pack_of(tmp_path, RULE)
    (tmp_path / "tree").mkdir()
    for number in range(FILES):
        (tmp_path / "tree" / f"f{number}.py").write_text(OLD)
    return tmp_path / "tree"


def command(tree: Path, name: str = "write") -> list[str]:
    write = ["run", str(tree.parent / "wrong.yaml"), str(tree), "--write"]
    return [str(BIN / "pinsetter"), *(write if name == "write" else [name, str(tree)])]


def done(
    tree: Path, name: str = "write", limit: str = "", **env: str
) -> subprocess.CompletedProcess[str]:
    """A command, under a limit of the shell's; every file is whole after it."""
    shell = f"{limit or 'true'}; ulimit -c 0; exec {shlex.join(command(tree, name))}"
    result = subprocess.run(
        ["/bin/bash", "-c", shell], env={**os.environ, **env}, stdin=subprocess.DEVNULL,
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    said = result.stdout + result.stderr
    if limit.startswith("ulimit -v"):
        # CPython itself says so where it has no memory to tell of what it takes apart.
        said = said.replace(UNTOLD, "")
    assert "Traceback" not in said, said[-2000:]
    assert "Exception ignored" not in said, said[-2000:]
    assert contents(tree) <= {OLD, NEW}, "torn"
    assert temporaries(tree) == []
    return result


def contents(tree: Path) -> set[str]:
    return {path.read_text() for path in tree.glob("*.py")}


@pytest.mark.parametrize(("name", "code"), [("SIGTERM", 143), ("SIGHUP", 129)])
def test_a_review_that_is_told_to_end_keeps_what_was_decided(
    tmp_path: Path, name: str, code: int
) -> None:
    lines = prepare(tmp_path)
    with Review(lines) as review:
        review.seen()
        review.key("y")
        review.child.kill(getattr(signal, name))
        assert review.end("")[0] == code
        assert "nothing: interrupted" in review.raw
    assert lines.read_text() == SCRIPT
    listed = subprocess.run(
        [BIN / "pinsetter", "decisions", "list", "--tree", lines.parent], capture_output=True,
        text=True, check=True,
    )  # fmt: skip
    assert "accepted" in listed.stdout


def test_a_terminal_that_closes_ends_a_review(tmp_path: Path) -> None:
    lines = prepare(tmp_path)
    with Review(lines) as review:
        review.seen()
        review.key("y")
        os.close(review.child.child_fd)
        assert review.child.ptyproc.wait() == 129
        review.child.closed = True
        review.child.ptyproc.closed = True
    assert lines.read_text() == SCRIPT


def test_an_editor_does_not_keep_a_review_alive(tmp_path: Path) -> None:
    lines = prepare(tmp_path)
    with Review(lines, {"VISUAL": "echo edits; sleep 20; true", "EDITOR": "no"}) as review:
        review.seen()
        review.send("e")
        review.child.expect("edits")
        review.child.kill(signal.SIGTERM)
        assert review.end("")[0] == 143
    assert lines.read_text() == SCRIPT


def test_what_nohup_ignores_stays_ignored(tree: Path) -> None:
    before = done(tree, limit="trap '' HUP; (sleep 0.2; kill -HUP $$) & true")
    assert before.returncode == 0, before.stderr
    assert contents(tree) == {NEW}


@pytest.mark.parametrize("megabytes", [20, 45, 66])
def test_memory_runs_out(tree: Path, megabytes: int) -> None:
    result = done(tree, limit=f"ulimit -v {megabytes * 1024}")
    if megabytes < 30 and result.returncode == -signal.SIGSEGV:
        return  # CPython dies of it while it starts, once in thousands of times: nothing is lost.
    assert result.returncode in (0, 2), result.stderr
    assert result.returncode == 0 or result.stderr
    if "nothing more is done" in result.stderr and "memory" in result.stderr:
        assert "please report it" not in result.stderr


@pytest.mark.parametrize("megabytes", [56, 110])
def test_memory_runs_out_in_a_review(tmp_path: Path, megabytes: int) -> None:
    pexpect = pytest.importorskip("pexpect")
    lines = prepare(tmp_path)
    pack = lines.parent / "review.yaml"
    run = shlex.join([str(BIN / "pinsetter"), "run", str(pack), str(lines)])
    child = pexpect.spawn(
        "/bin/bash", ["-c", f"ulimit -v {megabytes * 1024}; exec {run}"], encoding="utf-8",
        timeout=30,
    )  # fmt: skip
    child.sendeof()
    child.expect(pexpect.EOF)
    child.close()
    assert child.signalstatus is None
    assert child.exitstatus in (1, 2)
    assert "Traceback" not in child.before, child.before


@pytest.mark.parametrize("blocks", [0, 8])
def test_a_disk_is_full_wherever_something_is_written(tree: Path, blocks: int) -> None:
    """No file may grow beyond this: journal, temporary files, caches, reports."""
    result = done(tree, limit=f"ulimit -f {blocks}")
    assert result.returncode in (0, 2), result.stderr
    if result.returncode == 2:
        reasons = ("saved", "not written", "File too large")
        assert any(reason in result.stderr for reason in reasons), result.stderr
        assert "internal error" not in result.stderr
    done(tree, "recover")
    assert done(tree).returncode == 0
    assert contents(tree) == {NEW}


def test_a_clock_that_goes_back(tree: Path, tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(
        "import itertools, time\nback = itertools.count()\nreal = time.time\n"
        "time.time = lambda: real() - 3600 * next(back)\n"
    )
    for name, wanted in (("write", NEW), ("undo", OLD), ("write", NEW), ("recover", NEW)):
        result = done(tree, name, PYTHONPATH=str(tmp_path))
        assert result.returncode == 0, result.stderr
        assert contents(tree) == {wanted}


@pytest.mark.parametrize("count", [2, 6])
def test_several_runs_at_once(tree: Path, count: int) -> None:
    """One of them writes; the others say who does, or find nothing left to do."""
    runs = [
        subprocess.Popen(
            command(tree), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True,
        ) for _ in range(count)
    ]  # fmt: skip
    for run in runs:
        said = run.communicate(timeout=120)[0]
        assert "Traceback" not in said, said
        assert run.returncode == 0 or "another run may write to this tree" in said, said
    assert contents(tree) == {NEW}


# ---------------------------------------------------------------- disks


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of its own, of 300 kB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=300k", "tmpfs", str(folder)],
        capture_output=True, check=False,
    )  # fmt: skip
    if made.returncode != 0:
        pytest.skip("no file system can be mounted here")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def fill(disk: Path, left: int) -> Path:
    """Leave about ``left`` kilobytes of room."""
    filler = disk / "filler"
    with filler.open("wb", buffering=0) as opened:
        try:
            while opened.write(b"x" * 4096):
                pass
        except OSError:
            pass
    filler.write_bytes(b"x" * max(0, filler.stat().st_size - left * 1024))
    return filler


@pytest.mark.parametrize("left", [0, 4, 16, 64])
def test_a_full_disk_below_the_tree(small_disk: Path, tmp_path: Path, left: int) -> None:
    pack_of(small_disk, RULE)
    tree = small_disk / "tree"
    tree.mkdir()
    for number in range(FILES):
        (tree / f"f{number}.py").write_text(OLD)
    filler = fill(small_disk, left)
    result = done(tree)
    assert result.returncode in ((2,) if left < 4 else (0, 2)), result.stderr
    if result.returncode == 2:
        assert "No space left" in result.stderr, result.stderr
        assert "internal error" not in result.stderr
    filler.unlink()
    done(tree, "recover")
    assert done(tree).returncode == 0
    assert contents(tree) == {NEW}
    undone = done(tree, "undo")
    assert undone.returncode == 0, undone.stderr


@pytest.mark.parametrize("left", [0, 4, 40, 80])
@pytest.mark.parametrize("name", ["write", "undo"])
def test_a_full_disk_below_the_state(tree: Path, small_disk: Path, left: int, name: str) -> None:
    state = {"XDG_STATE_HOME": str(small_disk)}
    if name == "undo":
        assert done(tree, **state).returncode == 0
    filler = fill(small_disk, left)
    result = done(tree, name, **state)
    assert result.returncode in (0, 2), result.stderr
    if result.returncode == 2:
        reasons = ("No space left", "is full")
        assert any(reason in result.stderr for reason in reasons), result.stderr
        assert "internal error" not in result.stderr
    filler.unlink()
    done(tree, "recover", **state)
    assert done(tree, **state).returncode == 0
    assert contents(tree) == {NEW}


# ---------------------------------------------------------------- files that go


def test_files_that_go_between_listing_and_reading(tree: Path) -> None:
    pack = load(tree.parent / "wrong.yaml")
    assert isinstance(pack, Pack), pack
    components = components_of([tree])
    (tree / "f1.py").unlink()
    (tree / "f2.py").unlink()
    (tree / "f2.py").mkdir()
    planned = [part for part, _ in plans([PackQuery(pack, [])], components)]
    problems = [problem for part in planned for problem in part.problems]
    assert sorted(problem.path.name for problem in problems) == ["f1.py", "f2.py"]
    assert len([hunk for part in planned for hunk in part.plan.hunks]) == FILES - 2


def test_files_that_go_while_they_are_reviewed(tmp_path: Path) -> None:
    pytest.importorskip("pexpect")
    lines = prepare(tmp_path)
    with Review(lines) as review:
        review.seen()
        lines.unlink()
        code, said = review.end("a")
    assert code == 2, said
    assert "Traceback" not in said
    assert lines.name in said
    assert not lines.exists()


def test_a_tree_that_goes_while_it_is_reviewed(tmp_path: Path) -> None:
    pytest.importorskip("pexpect")
    lines = prepare(tmp_path)
    with Review(lines) as review:
        review.seen()
        shutil.rmtree(lines.parent)
        code, said = review.end("a")
    assert code == 2, said
    assert "Traceback" not in said
