"""Rules for any code are tried on every given file, whether a program reaches it or not."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from commands import BIN, REPOSITORY, run

from pinsetter.codemods.engine.hunks.proposed import Planned
from pinsetter.codemods.engine.propose.planning import make_plan, plans
from pinsetter.codemods.engine.running.pack_query import PackQuery
from pinsetter.patterns.packs.pack import Pack, load

PACK = """\
pack: general
summary: Rules for any code.
rules:
  - id: open-log
    title: Open the log
    why: It is opened once.
    match: start()
    edit: {insert: open_log(), place: before}
    done: []
    examples: [{unchanged: other()}]
  - id: log
    title: Log
    why: It is logged.
    match: old($x)
    edit: {replace: $match, with: new($x)}
    requires: [open-log]
    examples: [{unchanged: other()}]
  - id: of-entry
    title: Of an entry script
    why: It is told.
    match: told($x)
    where: [{entry: true}]
    report: It is told in an entry script.
    examples: [{unchanged: other()}]
  - id: of-program
    title: Of a program
    why: It is told.
    match: told($x)
    where: [{any: [{trains_by: [keras]}, {program_makes: [collections.deque]}]}]
    report: It is told.
    examples: [{unchanged: other()}]
"""
PACKAGE = {
    "lib/__init__.py": "from .a import f\n",
    "lib/a.py": "from . import b\ndef f():\n    return old(told(1))\n",
    "lib/b.py": "def g():\n    start()\n",
    "lib/c.py": "def h():\n    return old(2)\n",
    "other/__init__.py": "",
    "other/d.py": "def k():\n    start()\n",
}


@pytest.fixture
def pack(tmp_path: Path) -> Pack:
    (tmp_path / "general.yaml").write_text(PACK)
    loaded = load(tmp_path / "general.yaml")
    assert isinstance(loaded, Pack), loaded
    return loaded


def planned(pack: Pack, folder: Path, files: dict[str, str]) -> Planned:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return make_plan([PackQuery(pack, [])], [folder])


def requirements(found: Planned) -> dict[str, set[str]]:
    names = {hunk.id: hunk.module.path.name for hunk in found.plan.hunks}
    return {
        f"{hunk.module.path.name}": {names[id] for id in hunk.requires}
        for hunk in found.plan.hunks
        if hunk.rule == "log"
    }


def test_files_that_no_rule_fits_stay(pack: Pack, tmp_path: Path) -> None:
    found = planned(pack, tmp_path / "all", {"lib/__init__.py": "", "lib/a.py": "old = 1\n"})
    assert found.plan.hunks == found.reports == found.unreached == []
    assert [file.path.name for file in found.parsed] == ["a.py"]


def test_a_library_is_matched(pack: Pack, tmp_path: Path) -> None:
    found = planned(pack, tmp_path / "all", PACKAGE)
    rules = sorted((hunk.module.path.name, hunk.rule) for hunk in found.plan.hunks)
    assert rules == [("a.py", "log"), ("b.py", "open-log"), ("c.py", "log"), ("d.py", "open-log")]
    assert found.unreached == []


def test_what_a_rule_requires_is_found_by_imports(pack: Pack, tmp_path: Path) -> None:
    found = planned(pack, tmp_path / "all", PACKAGE)
    assert requirements(found) == {"a.py": {"b.py"}, "c.py": set()}


def test_what_is_missing_there_is_told(pack: Pack, tmp_path: Path) -> None:
    files = {**PACKAGE, "lib/b.py": "def g():\n    start()  # pinsetter: ignore\n"}
    found = planned(pack, tmp_path / "all", files)
    assert "a.py" not in requirements(found)
    (report,) = [report for report in found.reports if report.rule.id == "log"]
    assert "it requires open-log, which is suppressed by a comment" in report.text


def test_parts_say_what_the_whole_says(pack: Pack, tmp_path: Path) -> None:
    whole = planned(pack, tmp_path / "all", PACKAGE)
    parts = [part for part, _ in plans([PackQuery(pack, [])], [tmp_path / "all"])]
    assert len(parts) > 2
    assert {h.id for part in parts for h in part.plan.hunks} == {h.id for h in whole.plan.hunks}


def test_conditions_on_programs_do_not_hold_where_there_is_none(pack: Pack, tmp_path: Path) -> None:
    found = planned(pack, tmp_path / "all", PACKAGE)
    assert not [report for report in found.reports if report.rule.id.startswith("of-")]
    alone = {"run.py": "from collections import deque\ntold(deque())\n"}
    found = planned(pack, tmp_path / "one", alone)
    assert [report.rule.id for report in found.reports] == ["of-entry", "of-program"]


def test_two_packs_are_tried_on_a_library(pack: Pack, tmp_path: Path) -> None:
    text = PACK.replace("pack: general", "pack: more").replace("old(", "older(")
    (tmp_path / "more.yaml").write_text(text)
    more = load(tmp_path / "more.yaml")
    assert isinstance(more, Pack)
    planned(pack, tmp_path / "all", {"lib/__init__.py": "", "lib/a.py": "old(1)\nolder(2)\n"})
    found = make_plan([PackQuery(pack, []), PackQuery(more, [])], [tmp_path / "all"])
    assert [hunk.rule for hunk in found.plan.hunks] == ["log", "log"]


def test_a_refusal_is_for_its_file(tmp_path: Path) -> None:
    text = PACK.replace("report: It is told.\n", "report: It is told.\n    refuse: true\n").replace(
        "    where: [{any: [{trains_by: [keras]}, {program_makes: [collections.deque]}]}]\n", ""
    )
    (tmp_path / "general.yaml").write_text(text)
    loaded = load(tmp_path / "general.yaml")
    assert isinstance(loaded, Pack), loaded
    found = planned(loaded, tmp_path / "all", PACKAGE)
    assert {problem.path.name for problem in found.refused} == {"a.py"}
    assert {hunk.module.path.name for hunk in found.plan.hunks} == {"b.py", "c.py", "d.py"}


def test_the_command_speaks_of_no_training(pack: Pack, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(REPOSITORY / "fixtures" / "demo" / "models", tmp_path / "m"))
    command = [str(BIN / "pinsetter"), "run", str(tmp_path / "general.yaml")]
    done = run(folder, "--check", command=command)
    assert done.code == 0
    assert "left alone" not in done.err
    assert "2 seen, 0 parsed, 0 matched" in done.err


def test_a_generated_file_keeps_nothing_back_but_itself(pack: Pack, tmp_path: Path) -> None:
    files = {"a.py": "# @generated\nold(1)\n", "run.py": "import a\nold(2)\n"}
    found = planned(pack, tmp_path / "all", files)
    assert {hunk.module.path.name for hunk in found.plan.hunks} == {"run.py"}
    assert found.refused == []
