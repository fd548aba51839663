"""Plans in parts: what comes first, and that the parts are the whole."""

from __future__ import annotations

import os
import shutil
import signal
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from commands import FRONT_ENDS, REPOSITORY, TRAIN, all_packs, children

from pinsetter.analyzer.names.project import Project
from pinsetter.codemods.engine.hunks.proposed import Planned
from pinsetter.codemods.engine.propose.planning import make_plan, plans
from pinsetter.codemods.engine.running.pack_query import PackQuery
from pinsetter.codemods.engine.stream.scan import Scan

FILLER = "import os\n\n\ndef size(path):\n    return os.path.getsize(path)\n"


def queries() -> list[PackQuery]:
    return [PackQuery(pack, []) for pack in all_packs()]


def written(folder: Path, files: Mapping[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def parts_of(folder: Path) -> list[Planned]:
    found = list(plans(queries(), [folder]))
    assert [last for _, last in found] == [False] * (len(found) - 1) + [True]
    return [planned for planned, _ in found]


def test_nothing_is_one_part(tmp_path: Path) -> None:
    (planned,) = parts_of(tmp_path)
    assert (planned.files, planned.problems, planned.plan.hunks) == ([], [], [])


def test_what_does_not_exist_is_said_first(tmp_path: Path) -> None:
    (planned,) = parts_of(tmp_path / "missing")
    assert "no such file" in planned.problems[0].reason


def test_files_without_training_come_in_growing_parts(tmp_path: Path) -> None:
    written(tmp_path, {f"{name}.py": FILLER for name in "abcdefgh"})
    assert [len(planned.files) for planned in parts_of(tmp_path)] == [0, 1, 2, 4, 1]


def test_programs_come_before_files_that_say_nothing_of_training(tmp_path: Path) -> None:
    written(
        tmp_path,
        {"a.py": FILLER, "b.py": "# coding: no-such-codec\n", "t/one.py": TRAIN, "u.py": TRAIN},
    )
    listed, one, other, *rest = parts_of(tmp_path)
    assert listed.files == []
    assert [path.name for path in (*one.files, *other.files)] == ["u.py", "one.py"]
    assert one.plan.hunks
    assert other.plan.hunks
    assert [path.name for part in rest for path in part.files] == ["a.py", "b.py"]
    assert [len(part.problems) for part in rest] == [0, 1]


def test_nothing_of_a_tree_is_kept(tmp_path: Path) -> None:
    written(tmp_path, {"train.py": TRAIN})
    planned = parts_of(tmp_path)[-1]
    for hunk in planned.plan.hunks:
        assert "tree" not in vars(hunk.module)


@pytest.mark.parametrize("name", ["demo", "programs/keras_subclass", "programs/checkpoints"])
def test_the_parts_are_the_whole(name: str, tmp_path: Path) -> None:
    folder = tmp_path / "all"
    shutil.copytree(REPOSITORY / "fixtures" / name, folder / "one")
    written(folder, {"alone.py": TRAIN, "filler.py": FILLER})
    planned = make_plan(queries(), [folder])
    parts = parts_of(folder)
    assert len(parts) > 2
    ids = [hunk.id for part in parts for hunk in part.plan.hunks]
    assert sorted(ids) == sorted(hunk.id for hunk in planned.plan.hunks)
    assert sorted(planned.files) == sorted(Project([folder]).files)
    paths = [hunk.module.path for hunk in planned.plan.hunks]
    assert paths == sorted(paths), "a patch has its files in order"


def test_the_scan_hands_on_what_it_raises() -> None:
    def parts():  # type: ignore[no-untyped-def]
        yield Planned(), False
        raise RecursionError("deep")

    scan = Scan(parts())
    scan.take(True)
    with pytest.raises(RecursionError):
        scan.take(True)
    assert scan.done


def test_a_scan_that_is_stopped_gives_no_more() -> None:
    scan = Scan(iter([(Planned(), False)] * 5))
    assert scan.take(True)
    scan.stop()
    assert scan.take(True) == []


def reviewing_a_tree(folder: Path, before: str = "") -> Any:
    """A review of one program, while many files are still to be read; all begin with ``before``."""
    import pexpect

    files = {
        f"filler/{number}.py": before + "import keras\n" + FILLER * 40 for number in range(6000)
    }
    written(folder, {**files, "train.py": before + TRAIN, "common.py": "X = 1\n"})
    command = [*FRONT_ENDS["pinsetter"], str(folder), "--by", "hunk", "--yes"]
    return pexpect.spawn(command[0], command[1:], encoding="utf-8", timeout=60)


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="asks /proc for children")
def test_a_review_goes_on_without_the_process_that_reads(tmp_path: Path) -> None:
    pexpect = pytest.importorskip("pexpect")
    child = reviewing_a_tree(tmp_path)
    child.expect(r"\? ")
    for pid in children(child.pid):
        os.kill(pid, signal.SIGKILL)
    for _ in range(7):
        child.send("y")
    child.expect("not all files were read: .* was ended by signal 9 .*--resume")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 2
    assert "hvd.init()" in (tmp_path / "train.py").read_text()


@pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals need POSIX")
@pytest.mark.parametrize("before", ["", "import common\n"], ids=["apart", "all use one module"])
def test_the_review_begins_while_files_are_read(before: str, tmp_path: Path) -> None:
    pexpect = pytest.importorskip("pexpect")
    child = reviewing_a_tree(tmp_path, before)
    child.expect(r"#1 .*still reading\]")
    child.expect(r"\? ")
    child.send("y")
    child.expect(r"#2 .*\[1 decided, 6 left")
    child.expect(r"\? ")
    child.send("q")
    child.expect(r"write nothing of it \[w,b,n,\?\]\? ")
    child.send("w")
    child.expect("the review ended before the rest was read")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0
    assert "hvd.init()" in (tmp_path / "train.py").read_text()
