"""A codemod on its own output, after a person went over it, neither doubles nor undoes."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from pinsetter.codemods.engine.propose.planning import make_plan
from pinsetter.codemods.engine.running.pack_query import PackQuery
from pinsetter.patterns.edits.edit import apply
from pinsetter.patterns.packs import pack as packs
from pinsetter.patterns.packs import pack_files

PROGRAMS = Path(__file__).parents[2] / "fixtures" / "programs"
NAMES = sorted(
    path.name
    for path in PROGRAMS.iterdir()
    if path.name != "handwritten" and (path / "main.py").is_file()
)


@pytest.fixture(scope="module")
def queries() -> list[PackQuery]:
    found = packs.load_all(pack_files.find("distribute") or Path())
    assert isinstance(found, tuple)
    return [PackQuery(pack, []) for pack in found]


@pytest.fixture(scope="module", params=NAMES)
def distributed(
    request: pytest.FixtureRequest,
    queries: list[PackQuery],
    tmp_path_factory: pytest.TempPathFactory,
) -> Path:
    folder = tmp_path_factory.mktemp(request.param) / "program"
    shutil.copytree(PROGRAMS / request.param, folder)
    assert run(folder, queries), "there is something to distribute"
    return folder


def run(folder: Path, queries: list[PackQuery], *skip: str) -> list[str]:
    """Accept everything; returns the rules."""
    plan = make_plan(queries, [folder], frozenset(skip)).plan
    for module, hunks in plan.by_module().items():
        edits = [edit for hunk in hunks for edit in hunk.edits]
        module.path.write_text(apply(module.source.text, edits))
    return [hunk.rule for hunk in plan.hunks]


def copied(distributed: Path, to: Path) -> Path:
    folder = to / "copy"
    shutil.copytree(distributed, folder)
    return folder


def change(folder: Path, pattern: str, replacement: str) -> int:
    """Replace in every file; returns how often."""
    count = 0
    for path in folder.rglob("*.py"):
        text, number = re.subn(pattern, replacement, path.read_text())
        path.write_text(text)
        count += number
    return count


def test_nothing_is_doubled(distributed: Path, queries: list[PackQuery], tmp_path: Path) -> None:
    assert run(copied(distributed, tmp_path), queries) == []


CHANGES = [
    (r"(?m)^(hvd\.init\(\))$", r"\1  # every worker"),
    (r"hvd\.rank\(\) == 0", "0 == hvd.rank()"),
    (r"hvd\.size\(\)", "int(hvd.size())"),
    (r"hvd_broadcast_done", "already_sent"),
    (r"\bhvd\b", "horovod_module"),
]


def test_what_a_person_wrote_otherwise_stays(
    distributed: Path, queries: list[PackQuery], tmp_path: Path
) -> None:
    folder = copied(distributed, tmp_path)
    assert sum(change(folder, *one) for one in CHANGES)
    before = {path: path.read_text() for path in folder.rglob("*.py")}
    assert run(folder, queries) == []
    assert before == {path: path.read_text() for path in folder.rglob("*.py")}


def test_what_a_person_took_out_is_proposed_again(
    distributed: Path, queries: list[PackQuery], tmp_path: Path
) -> None:
    folder = copied(distributed, tmp_path)
    if not change(folder, r" \* hvd\.size\(\)", ""):
        pytest.skip("this output has no scaled rate")
    assert run(folder, queries) == []
    notes = [report.text for report in make_plan(queries, [folder]).reports]
    assert any("Left out: " in note and "scale-" in note for note in notes)
    rules = run(folder, queries, "distributed-already")
    assert {rule.split("-")[0] for rule in rules} == {"scale"}
    assert scaled(folder) == scaled(distributed)


def scaled(folder: Path) -> int:
    return sum(path.read_text().count(" * hvd.size()") for path in folder.rglob("*.py"))
