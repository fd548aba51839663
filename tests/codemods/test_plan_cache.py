"""What an earlier run found is taken where nothing is different, and only there."""

from __future__ import annotations

import os
import pickle
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from commands import BIN, REPOSITORY, TRAIN, all_packs, fixtures

from pinsetter.analyzer.files import disk, user_cache
from pinsetter.analyzer.files.bounds import USUAL
from pinsetter.analyzer.names.project import Project
from pinsetter.codemods.engine.hunks.proposed import Planned
from pinsetter.codemods.engine.propose import part_work, plan_cache, planning
from pinsetter.codemods.engine.propose.plan_options import PlanOptions
from pinsetter.codemods.engine.propose.planning import make_plan
from pinsetter.codemods.engine.propose.rule_query import RuleQuery
from pinsetter.patterns.packs.pack import Pack, load

USES = f"import shared\n{TRAIN}shared.say()\n"
SHARED = "def say():\n    print('done')\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The cache folder."""
    found = tmp_path / "cache"
    monkeypatch.setattr(user_cache, "folder", lambda: found)
    return found / "plans"


CACHED = PlanOptions(cached=True)


@pytest.fixture
def analysed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files that were analysed, and not taken from the cache."""
    found: list[str] = []

    def project(files: list[Path], *rest: Any, **named: Any) -> Project:
        found.extend(file.name for file in files)
        return Project(files, *rest, **named)

    monkeypatch.setattr(part_work, "Project", project)
    return found


def plan(tree: Path, **options: Any) -> Planned:
    queries = [RuleQuery(pack, []) for pack in all_packs()]
    skip = options.pop("skip", frozenset())
    told = PlanOptions(**{"cached": True, **options})
    return make_plan(queries, [tree], skip, options=told)


def said(planned: Planned) -> tuple[object, ...]:
    """All that a run tells of a plan."""
    hunks = planned.plan.hunks
    return (
        [(h.id, h.lines, h.warnings, sorted(h.requires), str(h.module.path)) for h in hunks],
        [sorted(map(str, found)) for found in (planned.files, planned.unreached, planned.ignored)],
        [list(map(str, found)) for found in (planned.problems, planned.faults, planned.refused)],
        sorted(map(str, planned.notes)),
        [(str(p.entry.path), p.because, p.apis) for p in planned.programs],
        [[module.name for module in program.modules] for program in planned.programs],
        sorted(map(repr, planned.parsed)),
        [(str(report.module.path), report.rule.id) for report in planned.reports],
        planned.matched,
    )  # fmt: skip


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    found = tmp_path / "tree"
    found.mkdir()
    (found / ".git").mkdir()
    (found / "train.py").write_text(USES)
    (found / "shared.py").write_text(SHARED)
    (found / "alone.py").write_text(TRAIN)
    (found / "apart.py").write_text("X = 1\n")
    return found


@pytest.mark.parametrize("fixture", fixtures(0), ids=lambda path: path.name)
def test_what_was_kept_is_what_is_found(fixture: Path, analysed: list[str]) -> None:
    without = said(plan(fixture, cached=False))
    assert said(plan(fixture)) == without
    analysed.clear()
    again = plan(fixture)
    assert said(again) == without
    if not again.problems and not again.faults:
        assert analysed == []


def test_what_was_kept_can_be_decided_and_written(tmp_path: Path) -> None:
    """By another process, as every run is."""
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path / "home")}
    for name in ("first", "second"):
        shutil.copytree(REPOSITORY / "fixtures/demo", tmp_path / name / "demo")
    results = []
    for name, flags in (("first", ["--no-cache"]), ("second", []), ("second", [])):
        command = [BIN / "pinsetter", "run", "distribute", "demo", "--diff", *flags]
        folder = tmp_path / name
        found = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, check=False
        )
        results.append((found.returncode, found.stdout, found.stderr))
    assert results[0] == results[1] == results[2]
    assert results[0][1]
    command[-1] = "--write"
    for name in ("first", "second"):
        flags = ["--no-cache"] if name == "first" else []
        state = ["--state", str(tmp_path / f"state-{name}")]
        (tmp_path / f"state-{name}").mkdir()
        subprocess.run(
            [BIN / "pinsetter", "run", "distribute", "demo", "--write", *flags, *state],
            cwd=tmp_path / name, env=environment, check=True, capture_output=True,
        )  # fmt: skip
    for path in (tmp_path / "first/demo").rglob("*.py"):
        written = tmp_path / "second" / path.relative_to(tmp_path / "first")
        assert written.read_bytes() == path.read_bytes()


ALL = {"alone.py", "train.py", "shared.py"}
CHANGES: dict[str, tuple[Callable[[Path], object], set[str]]] = {
    "nothing": (lambda tree: None, set()),
    "time": (lambda tree: os.utime(tree / "train.py"), set()),
    "of no program": (lambda tree: (tree / "apart.py").write_text("X = 2\n"), set()),
    "imported": (
        lambda tree: (tree / "shared.py").write_text(SHARED + "# end\n"),
        {"shared.py", "train.py"},
    ),
    "script": (lambda tree: (tree / "alone.py").write_text(TRAIN + "\n"), {"alone.py"}),
    "requirement": (lambda tree: (tree / "requirements.txt").write_text("tensorflow<2\n"), ALL),
    "declared": (
        lambda tree: (tree / "setup.cfg").write_text(
            "[options.entry_points]\nconsole_scripts =\n  a = shared:say\n"
        ),
        ALL,
    ),
    "new file": (
        lambda tree: (tree / "user.py").write_text("import alone\n"),
        {"alone.py", "user.py"},
    ),
    "new file that has to do with none": (
        lambda tree: (tree / "other.py").write_text("X = 3\n"),
        set(),
    ),
    "gone": (lambda tree: (tree / "apart.py").unlink(), set()),
}


@pytest.mark.parametrize(("change", "again"), CHANGES.values(), ids=CHANGES)
def test_what_a_change_reaches_is_found_again(
    tree: Path, analysed: list[str], change: Callable[[Path], object], again: set[str]
) -> None:
    plan(tree)
    analysed.clear()
    change(tree)
    found = said(plan(tree))
    assert set(analysed) == again
    assert found == said(plan(tree, cached=False))


def test_a_module_that_stands_in_front(tree: Path, analysed: list[str]) -> None:
    """Neither file changes, and the import means another."""
    (tree / "src").mkdir()
    (tree / "src" / "helper.py").write_text("def rate():\n    return 0.1\n")
    (tree / "train.py").write_text(f"import helper\n{TRAIN}helper.rate()\n")
    plan(tree)
    analysed.clear()
    (tree / "helper.py").write_text("def rate():\n    return 0.2\n")
    found = said(plan(tree))
    assert "train.py" in analysed
    assert found == said(plan(tree, cached=False))


def test_a_project_that_has_a_package_of_that_name_too(tree: Path, analysed: list[str]) -> None:
    """Neither file changes, and nobody knows any more which of two an import means."""

    def project(folder: str) -> None:
        (tree / folder / "helper").mkdir(parents=True)
        (tree / folder / "setup.py").write_text("")
        (tree / folder / "helper/__init__.py").write_text("def rate():\n    print(1)\n")

    project("one")
    (tree / "scripts").mkdir()
    (tree / "scripts/job.py").write_text(f"import helper\n{TRAIN}helper.rate()\n")
    assert "hvd.rank()" in str(said(plan(tree)))
    assert "one/helper" in str(said(plan(tree)))
    analysed.clear()
    project("other")
    found = said(plan(tree))
    assert "job.py" in analysed
    assert "one/helper" not in str(found[0])
    assert found == said(plan(tree, cached=False))


def test_what_is_said_of_all_files_depends_on_them(tmp_path: Path) -> None:
    """A rename asks for its name in files that nobody understands."""
    names = tmp_path / "names.yaml"
    names.write_text(
        "pack: names\nsummary: Names.\nimports: {lib: lib}\nrules:\n  - id: rename-old\n"
        "    title: Another name\n    why: It is called so now.\n    match: lib.old\n"
        "    edit: {rename: $match, to: lib.new}\n    examples:\n      - unchanged: 'x = 1'\n"
    )
    pack = load(names)
    assert isinstance(pack, Pack)
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "lib.py").write_text("def old():\n    pass\n")
    warnings = []
    for _ in range(2):
        planned = make_plan([RuleQuery(pack, [])], [tree], options=CACHED)
        warnings.append([hunk.warnings for hunk in planned.plan.hunks])
        # No import joins it to the other.
        (tree / "bad.py").write_text("lib.old(\n")
    assert warnings[0] == [()]
    assert "bad.py, too, which cannot be parsed" in warnings[1][0][0]


@pytest.mark.parametrize("is_new", [False, True])
def test_a_module_that_is_called_otherwise(tree: Path, analysed: list[str], is_new: bool) -> None:
    """Its name is told by what else is called so."""
    (tree / "one").mkdir()
    (tree / "one" / "setup.py").write_text("")
    (tree / "one" / "script.py").write_text(TRAIN)
    given = [tree / "one", tree / "two"]
    (tree / "two").mkdir()
    (tree / "two" / "setup.py").write_text("")
    other = tree / "two" / "script.py"
    other.write_text(TRAIN)
    if is_new:
        other.unlink()
    queries = [RuleQuery(pack, []) for pack in all_packs()]
    make_plan(queries, given, options=CACHED)
    analysed.clear()
    if is_new:
        other.write_text(TRAIN)
    else:
        (tree / "one" / "script.py").unlink()
    found = said(make_plan(queries, given, options=CACHED))
    assert "script.py" in analysed
    assert found == said(make_plan(queries, given))


@pytest.mark.parametrize(
    "options",
    [
        {"skip": frozenset({"scale-rate"})},
        {"include_generated": True},
        {"whole_programs": True},
        {"writes": True},
        {"bounds": replace(USUAL, nesting=100)},
    ],
    ids=lambda options: next(iter(options)),
)
def test_other_options_are_another_plan(
    tree: Path, analysed: list[str], options: dict[str, Any]
) -> None:
    plan(tree)
    analysed.clear()
    plan(tree, **options)
    assert "train.py" in analysed
    analysed.clear()
    plan(tree)
    assert analysed == []


def test_other_paths_are_another_plan(
    tree: Path, analysed: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    plan(tree)
    analysed.clear()
    plan(tree / "train.py")
    assert analysed == ["train.py"]
    monkeypatch.chdir(tree)
    analysed.clear()
    assert {str(hunk.module.path) for hunk in plan(Path()).plan.hunks} == {
        "train.py", "shared.py", "alone.py"
    }  # fmt: skip
    assert "train.py" in analysed


def test_other_packs_are_another_plan(tree: Path, analysed: list[str]) -> None:
    packs = all_packs()
    make_plan([RuleQuery(pack, []) for pack in packs], [tree], options=CACHED)
    analysed.clear()
    make_plan([RuleQuery(pack, []) for pack in packs[:1]], [tree], options=CACHED)
    assert "train.py" in analysed
    analysed.clear()
    make_plan([RuleQuery(pack, [], ["shard"]) for pack in packs], [tree], options=CACHED)
    assert "train.py" in analysed


def test_another_program_is_another_plan(
    tree: Path, analysed: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    plan(tree)
    analysed.clear()
    monkeypatch.setattr(plan_cache, "this_program", lambda: "other")
    plan(tree)
    assert "train.py" in analysed


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"",
        lambda data: data[:-1],
        lambda data: data[: len(data) // 2],
        lambda data: data[:40] + bytes([data[40] ^ 1]) + data[41:],
        lambda data: pickle.dumps(print),
    ],
    ids=["empty", "shorter", "half", "a bit", "something else"],
)
def test_damage_is_made_good(
    tree: Path, folder: Path, analysed: list[str], damage: Callable[[bytes], bytes]
) -> None:
    before = said(plan(tree))
    whole = {path: path.read_bytes() for path in folder.iterdir()}
    for path, data in whole.items():
        path.write_bytes(damage(data))
    assert said(plan(tree)) == before
    assert folder.stat()
    analysed.clear()
    assert said(plan(tree)) == before
    assert analysed == []


def test_what_failed_is_tried_again(tree: Path, analysed: list[str]) -> None:
    (tree / "shared.py").write_text("def say(:\n")
    assert plan(tree).problems
    analysed.clear()
    assert plan(tree).problems
    assert "train.py" in analysed
    assert "alone.py" not in analysed


def test_what_changes_meanwhile_is_not_kept(
    tree: Path, analysed: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    proposed = part_work._planned

    def planned(setting: Any) -> Planned:
        found = proposed(setting)
        (tree / "shared.py").write_text("def say():\n    pass\n")
        return found

    monkeypatch.setattr(part_work, "_planned", planned)
    plan(tree)
    monkeypatch.setattr(part_work, "_planned", proposed)
    (tree / "shared.py").write_text(SHARED)
    analysed.clear()
    plan(tree)
    assert set(analysed) == {"train.py", "shared.py"}


def test_a_name_that_is_taken(tmp_path: Path, analysed: list[str]) -> None:
    """Of two files of one name the first is called by it, whatever was kept of them."""
    trees = []
    for name in ("one", "two"):
        trees.append(tmp_path / name)
        (tmp_path / name / ".git").mkdir(parents=True)
        (tmp_path / name / "train.py").write_text(TRAIN)
    queries = [RuleQuery(pack, []) for pack in all_packs()]
    for _ in range(2):
        found = make_plan(queries, trees, options=CACHED)
        assert [p.entry.name for p in found.programs] == ["train", "two.train"]
    assert analysed == ["train.py", "train.py"]
    (trees[0] / "train.py").write_text("X = 1\n")
    found = make_plan(queries, trees, options=CACHED)
    assert [p.entry.name for p in found.programs] == ["two.train"]


def test_entries_are_bounded(tree: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plan(tree)
    one = max(path.stat().st_size for path in folder.iterdir())
    most = 3 * one
    monkeypatch.setattr(plan_cache, "MOST_BYTES", most)
    monkeypatch.setattr(plan_cache, "LOOKED_OVER", 0)
    for number in range(10):
        (tree / "alone.py").write_text(f"{TRAIN}# {number}\n")
        plan(tree)
        assert sum(path.stat().st_size for path in folder.iterdir()) <= most
    assert len(list(folder.iterdir())) > 1
    monkeypatch.setattr(plan_cache, "MOST_ENTRIES", 1)
    plan(tree)
    assert len(list(folder.iterdir())) == 1
    monkeypatch.setattr(plan_cache, "LOOKED_OVER", 60)
    (tree / "alone.py").write_text(TRAIN)
    plan(tree)
    assert len(list(folder.iterdir())) > 1


def test_a_folder_that_cannot_be_written(tree: Path, folder: Path) -> None:
    folder.parent.mkdir()
    folder.write_text("in the way")
    assert said(plan(tree)) == said(plan(tree, cached=False))
    assert folder.read_text() == "in the way"


def test_many_processes_at_once(tree: Path, tmp_path: Path) -> None:
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path / "home")}
    command = [BIN / "pinsetter", "run", "distribute", str(tree), "--diff"]
    running = [
        subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for _ in range(4)
    ]
    outputs = {child.communicate(timeout=120) for child in running}
    assert len(outputs) == 1
    assert {child.returncode for child in running} == {0}
    kept = list((tmp_path / "home/pinsetter/plans").iterdir())
    assert kept
    assert not [path for path in kept if len(path.name) != 40]


_opened: list[str] | None = None


def _hear(event: str, args: tuple[Any, ...]) -> None:
    if _opened is not None and event == "open" and isinstance(args[0], (str, Path)):
        _opened.append(os.path.realpath(args[0]))


def test_an_entry_knows_all_files_that_were_read(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    global _opened
    asked: set[str] = set()
    digest = disk.digest

    def counted(path: str) -> str | None:
        global _opened
        asked.add(os.path.realpath(path))
        before, _opened = _opened, None
        try:
            return digest(path)
        finally:
            _opened = before

    monkeypatch.setattr(disk, "digest", counted)
    sys.addaudithook(_hear)
    tree = tmp_path / "fixtures"
    shutil.copytree(REPOSITORY / "fixtures", tree, ignore=shutil.ignore_patterns("*.h5"))
    packs = [RuleQuery(pack, []) for pack in all_packs()]
    parts = planning.plans(packs, [tree], options=CACHED)
    next(parts)  # all files are read once, to find the groups
    asked.clear()
    alone: set[str] = set()
    _opened = []
    try:
        for planned, _ in parts:
            if len(planned.unreached) == len(planned.files):
                alone.update(str(path.resolve()) for path in planned.files)
    finally:
        opened, _opened = set(_opened), None
    assert len(asked) > 50
    inside = os.path.join(str(tree.resolve()), "")
    below = {path for path in opened if path.startswith(inside) and os.path.exists(path)}
    assert below
    assert below <= asked | alone
