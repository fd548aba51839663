"""Decisions as a file: out of one tree, into another, and into a run that asks nobody."""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result
from commands import BIN
from commands import run as run_command
from hypothesis import given, settings
from hypothesis import strategies as st
from sessions import RESUME, all_sessions, begin, edit_file, folder_of, saved, script_in

from pinsetter.codemods.engine.cli import pinsetter as group
from pinsetter.codemods.engine.commands.decisions_command import decisions_group, merge
from pinsetter.codemods.engine.review.splitting import parts
from pinsetter.codemods.engine.state.database import Database
from pinsetter.codemods.engine.state.decision import (
    Piece,
    PieceEdit,
    SavedDecision,
    Verdict,
    escaped,
    from_iso,
    iso,
    unescaped,
)
from pinsetter.codemods.engine.state.exchange import Exported, dump, load, ordered
from pinsetter.codemods.engine.state.opening import open_database
from pinsetter.codemods.engine.state.sessions import Sessions, SessionState, Subject

RUN = [str(BIN / "pinsetter"), "run"]
NOWHERE = Path("decisions.json")

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
names = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8)
# A database has integers of 64 bits.
numbers = st.integers(-(2**40), 2**40)
counts = st.integers(0, 2**40)
paths = st.binary(min_size=1, max_size=12)
edits = st.one_of(
    st.builds(PieceEdit, anchor=counts),
    st.builds(
        PieceEdit, anchor=counts, lines=texts, start=numbers, length=counts, text=texts,
        side=st.integers(0, 3), outer=st.tuples(numbers, numbers),
        rank=st.lists(numbers, max_size=2).map(tuple), indent=texts, between=texts,
    ),
)  # fmt: skip
pieces = st.builds(
    Piece, suffix=st.sampled_from(["", ".1", ".2.1", ".ignore"]),
    verdict=st.sampled_from([True, False, None]),
    edits=st.lists(edits, min_size=1, max_size=2).map(tuple),
    requires=st.lists(names, max_size=2).map(tuple),
    alternatives=st.lists(names, max_size=2).map(tuple),
    part_of=st.none() | st.just("") | st.just(".1"), edited=st.booleans(), rule=texts, title=texts,
    why=texts, warnings=st.lists(texts, max_size=2).map(tuple),
)  # fmt: skip
decisions = st.builds(
    SavedDecision, hunk=names, rule=names, path=paths, line=counts,
    verdict=st.sampled_from([Verdict.ACCEPTED, Verdict.REJECTED, Verdict.IGNORED]),
    surroundings=st.lists(st.from_regex(r"[0-9a-f]{16}", fullmatch=True), max_size=2).map(tuple),
    pack=texts, digest=texts, decided=st.integers(0, 10**16), by=texts,
    pieces=st.lists(pieces, max_size=2).map(tuple),
)  # fmt: skip
exports = st.builds(
    Exported,
    st.builds(
        Subject,
        names,
        st.lists(paths, max_size=2).map(tuple),
        st.lists(texts, max_size=2).map(tuple),
    ),
    st.lists(decisions, max_size=4, unique_by=lambda d: d.hunk).map(tuple),
)


@pytest.fixture
def lines(tmp_path: Path) -> Path:
    return script_in(tmp_path / "tree")


def command(*arguments: str | Path, tree: Path) -> Result:
    given = [*map(str, arguments), "--tree", str(tree.parent)]
    return CliRunner().invoke(decisions_group, given)


def reviewed(script: Path) -> None:
    """A review in which some hunks were accepted, some rejected, one split, and some are left."""
    run = begin(script)
    run.accept("start-log")
    hunk = run.the("check-pair", 1)
    pieces = parts(hunk, run.plan)
    run.decisions.split(hunk, pieces)
    run.decisions.answer([pieces[0]], True)
    run.decisions.answer([pieces[1]], False)
    run.reject("renew")
    run.accept("name-steps", 1)
    run.session.end(SessionState.QUIT)


def exported(script: Path) -> Path:
    file = script.parent / "decisions.json"
    assert command("export", file, tree=script).exit_code == 0
    return file


def clone(script: Path, name: str) -> Path:
    """The same tree elsewhere, as version control would give it."""
    target = script.parents[1] / name / script.parent.name
    shutil.copytree(script.parent, target, ignore=shutil.ignore_patterns("*.json"))
    return target / script.name


def pinsetter(script: Path, *arguments: str | Path) -> Result:
    """``pinsetter run`` in this process: its start costs more than all the rest."""
    given = ["run", script.parent / "review.yaml", script, *arguments]
    return CliRunner().invoke(group, [str(one) for one in given])


@pytest.mark.parametrize("name", ["list", "export"])
def test_there_is_nothing_before_the_first_review(lines: Path, name: str) -> None:
    result = command(name, tree=lines)
    assert result.exit_code == 2
    assert f"{lines.parent}: nothing was decided here yet (a review saves" in result.stderr
    assert not folder_of(lines).path.exists()


def test_answers_that_were_all_taken_back_leave_an_empty_list(lines: Path) -> None:
    run = begin(lines)
    run.decisions.answer([run.the("renew")], True)
    run.decisions.undo()
    run.session.end(SessionState.QUIT)
    result = command("list", tree=lines)
    assert result.exit_code == 0
    assert result.stdout.splitlines()[0].endswith(", quit, 0 decided")
    assert result.stderr == ""


def test_sessions_and_decisions_are_listed(lines: Path) -> None:
    reviewed(lines)
    result = command("list", tree=lines)
    assert result.exit_code == 0
    head, *rest = result.stdout.splitlines()
    assert head.startswith("session 1: review lines.py, ")
    assert head.endswith(", quit, 4 decided")
    assert [line.split("  ")[:3] for line in rest] == [
        ["lines.py:1", "start-log", "accepted"],
        ["lines.py:5", "renew", "rejected"],
        ["lines.py:6", "check-pair", "split"],
        ["lines.py:12", "name-steps", "accepted"],
    ]
    unknown = command("list", "--session", "7", tree=lines)
    assert unknown.exit_code == 2
    assert "there is no session 7" in unknown.stderr


def test_an_export_has_the_same_bytes_each_time(lines: Path) -> None:
    reviewed(lines)
    first = exported(lines).read_bytes()
    assert command("export", tree=lines).stdout.encode() == first
    assert command("export", "-", tree=lines).stdout.encode() == first
    data = json.loads(first)
    assert (data["format"], data["version"]) == ("pinsetter-decisions", 1)
    assert [one["line"] for one in data["decisions"]] == [1, 5, 6, 12]


def test_importing_what_is_here_already_changes_nothing(lines: Path) -> None:
    reviewed(lines)
    before = saved(lines)
    result = command("import", exported(lines), tree=lines)
    assert result.exit_code == 0
    assert result.stderr.startswith("0 of 4 decision(s) taken over into session 1, 0 conflict(s)")
    assert saved(lines) == before
    assert all_sessions(lines)[0].state is SessionState.QUIT


def test_an_imported_export_exports_the_same(lines: Path) -> None:
    reviewed(lines)
    file = exported(lines)
    other = clone(lines, "other")
    assert command("import", file, tree=other).exit_code == 0
    assert exported(other).read_bytes() == file.read_bytes()
    assert [s.state for s in all_sessions(other)] == [SessionState.IMPORTED]
    assert begin(other, RESUME).open == ["check-pair", "name-steps", "revise", "name-steps"]


def test_a_written_tree_exports_what_makes_the_same_of_a_clone(lines: Path) -> None:
    before = clone(lines, "before")
    reviewed(lines)
    run = begin(lines, RESUME)
    run.write()
    run.session.close()
    file = exported(lines)
    result = run_command(
        before.parent / "review.yaml", before, "--write", "--decisions", file, command=RUN
    )
    assert result.code == 0, result.err
    assert before.read_bytes() == lines.read_bytes()
    assert "not proposed" not in result.err


def test_a_clone_that_imports_writes_the_same(lines: Path) -> None:
    reviewed(lines)
    file = exported(lines)
    other, third = clone(lines, "other"), clone(lines, "third")
    command("import", file, tree=other)
    result = pinsetter(other, "--write", "--resume")
    assert result.exit_code == 0, result.stderr
    run = begin(lines, RESUME)
    run.write()
    assert other.read_bytes() == lines.read_bytes() != third.read_bytes()
    again = pinsetter(other, "--diff", "--resume")
    assert (again.exit_code, again.stdout) == (0, ""), "what was accepted is written"


def test_a_check_is_about_what_nobody_decided(lines: Path) -> None:
    run = begin(lines)
    for hunk in run.asked:
        run.decisions.answer([hunk], hunk.rule != "renew")
    run.session.end(SessionState.DONE)
    file = exported(lines)
    result = pinsetter(lines, "--check", "--decisions", file)
    assert result.exit_code == 0, result.stderr
    assert "not decided" not in result.stderr
    edit_file(lines, "step(3)\n", "step(3)  # the last\n")
    result = pinsetter(lines, "--check", "--decisions", file)
    assert result.exit_code == 1
    assert f"{lines}:12: not decided: name-steps: Name the steps\n" in result.stderr
    assert f"{lines}:12: name-steps: not decided any more: the lines around it" in result.stderr


def test_nothing_but_what_was_approved_is_written(lines: Path) -> None:
    run = begin(lines)
    run.accept("name-steps")
    file = exported(lines)
    before = lines.read_text()
    edit_file(file, '"accepted"', '"rejected"')
    result = pinsetter(lines, "--write", "--decisions", file)
    assert result.exit_code == 0
    assert lines.read_text() == before
    edit_file(file, '"rejected"', '"accepted"')
    result = pinsetter(lines, "--write", "--decisions", file)
    assert result.exit_code == 0
    assert lines.read_text() == before.replace("step(1)", "step(1, name='step')")
    assert "8 proposed, 1 accepted, 0 rejected, 7 not decided" in result.stderr


def test_approved_hunks_that_are_not_proposed_are_a_failure(lines: Path) -> None:
    begin(lines).accept("name-steps")
    file = exported(lines)
    edit_file(lines, "step(1)\n", "")
    before = lines.read_bytes()
    result = pinsetter(lines, "--write", "--decisions", file)
    assert result.exit_code == 2
    line = next(n for n, text in enumerate(file.read_text().splitlines(), 1) if '"hunk"' in text)
    assert f"{file}:{line}: the hunk " in result.stderr
    assert "(name-steps, lines.py:4) is accepted, but not proposed" in result.stderr
    assert lines.read_bytes() == before
    edit_file(file, '"accepted"', '"rejected"')
    result = pinsetter(lines, "--write", "--decisions", file)
    assert result.exit_code == 0
    assert "note: the hunk" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--decisions", "FILE"], "--decisions needs --write, --diff or --check."),
        (["--decisions", "FILE", "--resume", "--write"], "exclude each other"),
        (["--decisions", "none.json", "--write"], "does not exist"),
    ],
)
def test_usage(lines: Path, arguments: list[str], said: str) -> None:
    file = lines.parent / "decisions.json"
    file.write_text("{}")
    given = [str(file) if a == "FILE" else a for a in arguments]
    with pytest.raises(click.UsageError, match=said):
        group.main(["run", "distribute", str(lines), *given], standalone_mode=False)


def test_there_is_nothing_to_write(lines: Path) -> None:
    before = lines.read_bytes()
    result = pinsetter(lines, "--write", "--resume")
    assert result.exit_code == 2
    assert "no decisions on review are saved for these paths" in result.stderr
    assert lines.read_bytes() == before


def test_a_broken_file_stops_a_run(lines: Path) -> None:
    file = lines.parent / "decisions.json"
    file.write_text('{"format": "pinsetter-decisions",\n "version": 1,\n oops}')
    before = lines.read_bytes()
    result = pinsetter(lines, "--write", "--decisions", file)
    assert result.exit_code == 2
    assert f"{file}:3:2: not JSON: " in result.stderr
    assert lines.read_bytes() == before


GOOD: dict[str, Any] = {
    "hunk": "0123456789ab", "rule": "r", "path": "a.py", "line": 1, "verdict": "accepted",
    "surroundings": ["0123456789abcdef"], "pack": "p", "digest": "d",
    "decided": "2026-01-31T12:00:00.000000Z", "by": "me",
}  # fmt: skip
HEAD: dict[str, Any] = {
    "format": "pinsetter-decisions", "version": 1, "codemod": "c", "paths": ["."], "options": [],
}  # fmt: skip


def with_decisions(*ones: dict[str, Any]) -> str:
    return json.dumps({**HEAD, "decisions": [{**GOOD, **one} for one in ones]}, indent=1)


def test_a_good_file_has_no_problem() -> None:
    assert isinstance(load(NOWHERE, with_decisions({}).encode()), Exported)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "1: not JSON"),
        ("[]", "1: not a file of decisions"),
        ("[" * 100_000, "nested too deeply"),
        ('{"format": "other"}', "1: not a file of decisions"),
        ('{\n"format": "pinsetter-decisions",\n"version": 2}',
         "3: version 2 of the format is not known (this Pinsetter knows version 1)"),
        (json.dumps(HEAD), "1: the file: 'decisions' is a required property"),
        (with_decisions({}, {"hunk": "b", "verdict": "maybe"}),
         "29: decisions[1].verdict: 'maybe' is not one of"),
        (with_decisions({"line": "1"}), "14: decisions[0].line: '1' is not of type 'integer'"),
        (with_decisions({"more": 1}), "Additional properties are not allowed ('more' was"),
        (with_decisions({}, {}), "25: decisions[1].hunk: 0123456789ab is decided twice"),
        (with_decisions({"path": "a\\b"}), "13: decisions[0].path: a backslash is written as two"),
        (with_decisions({"decided": "2026-02-31T12:00:00Z"}), "21: decisions[0].decided: day"),
        (with_decisions({"verdict": "split"}), "15: decisions[0].verdict: split without pieces"),
    ],
)  # fmt: skip
def test_mistakes_have_their_place(text: str, said: str) -> None:
    problems = load(NOWHERE, text.encode())
    assert isinstance(problems, list)
    assert said in str(problems[0])
    assert str(problems[0]).startswith(str(NOWHERE))


def test_a_file_that_is_no_text(tmp_path: Path) -> None:
    problems = load(NOWHERE, b'{\n"format": "\xff"}')
    assert isinstance(problems, list)
    assert str(problems[0]).startswith(f"{NOWHERE}:2: decisions are UTF-8 text")


def test_an_import_of_a_broken_file_makes_nothing(lines: Path) -> None:
    file = lines.parent / "decisions.json"
    file.write_text(with_decisions({"line": "1"}))
    result = command("import", file, tree=lines)
    assert result.exit_code == 2
    assert not folder_of(lines).path.exists()


ours = SavedDecision("a", "r", b"a.py", 1, Verdict.ACCEPTED, ("11",), "p", "d", 5, "me")
older = replace(ours, verdict=Verdict.REJECTED, decided=4, by="you", surroundings=("22",))
newer = replace(older, decided=6)


@pytest.mark.parametrize(
    ("their", "keep", "held"),
    [
        (older, None, ours), (newer, None, newer), (replace(older, decided=5), None, ours),
        (older, "theirs", older), (newer, "ours", ours),
    ],
)  # fmt: skip
def test_of_two_that_differ_the_newer_holds(
    their: SavedDecision, keep: str | None, held: SavedDecision
) -> None:
    merged = merge([ours], (their,), keep)
    assert merged.changed == ((their,) if held is their else ())
    (conflict,) = merged.conflicts
    assert conflict.startswith("a.py:1: conflict: r: ours is accepted by me, ")
    assert f"; kept {'theirs' if held is their else 'ours'}" in conflict


def test_what_is_the_same_is_no_conflict() -> None:
    their = replace(ours, decided=9, by="you", surroundings=("22", "11"))
    merged = merge([ours], (their,), None)
    assert merged.conflicts == ()
    assert merged.changed == (replace(ours, surroundings=("11", "22")),), "it holds at both places"


def test_a_conflict_is_told_and_settled(lines: Path) -> None:
    begin(lines).accept("start-log")
    file = exported(lines)
    other = clone(lines, "other")
    begin(other).reject("start-log")
    result = command("import", file, tree=other)
    assert "conflict: start-log: ours is rejected by " in result.stderr
    assert "kept ours, which is newer" in result.stderr
    assert {d.verdict for d in saved(other)} == {Verdict.REJECTED}
    command("import", file, "--keep", "theirs", tree=other)
    assert [d.verdict for d in saved(other) if d.rule == "start-log"] == [Verdict.ACCEPTED]


@given(exports)
@settings(max_examples=100, deadline=None)
def test_what_was_dumped_is_loaded(exported: Exported) -> None:
    data = dump(exported)
    loaded = load(NOWHERE, data)
    assert isinstance(loaded, Exported), loaded
    assert loaded == replace(exported, decisions=tuple(ordered(exported.decisions)))
    assert dump(loaded) == data


@given(exports)
@settings(max_examples=40, deadline=None)
def test_what_was_imported_is_exported(tmp_path_factory: Any, exported: Exported) -> None:
    tree = tmp_path_factory.mktemp("tree")
    database = open_database(folder_of(tree))
    assert isinstance(database, Database)
    sessions = Sessions(database)
    id = sessions.start(exported.subject)
    sessions.put(id, merge([], exported.decisions, None).changed)
    found = sessions.get(id)
    assert found is not None
    again = Exported(found.subject, tuple(sessions.decisions(id, applied=True)))
    database.close()
    shutil.rmtree(tree)
    assert dump(again) == dump(exported)


@given(st.binary())
def test_any_path_can_be_written_as_text(path: bytes) -> None:
    text = escaped(path)
    text.encode("utf-8")
    assert unescaped(text) == path


@given(st.integers(0, 253_402_300_799_999_999))
def test_times_are_exact(decided: int) -> None:
    assert from_iso(iso(decided)) == decided


@pytest.mark.skipif(os.name == "nt", reason="file names are text there")
def test_a_file_name_that_is_no_text(tmp_path: Path) -> None:
    tree = os.fsencode(tmp_path / "tree")
    script_in(tmp_path / "tree")
    name = tree + b"/caf\xe9.py"
    try:
        os.rename(tree + b"/lines.py", name)
    except OSError:
        pytest.skip("this file system has no such names")
    script = Path(os.fsdecode(name))
    begin(script).accept("start-log")
    file = tmp_path / "tree" / "decisions.json"
    assert command("export", file, tree=script).exit_code == 0
    data = json.loads(file.read_bytes())
    assert data["decisions"][0]["path"] == data["paths"][0] == "caf\\xe9.py"
    other = tmp_path / "other" / "tree"
    shutil.copytree(tmp_path / "tree", other)
    elsewhere = other / script.name
    assert command("import", file, tree=elsewhere).exit_code == 0
    assert "start-log" not in begin(elsewhere, RESUME).open
