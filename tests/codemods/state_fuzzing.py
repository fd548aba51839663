"""What the fuzzer of state makes: databases and files of decisions with mistakes of every kind."""

from __future__ import annotations

import contextlib
import io
import json
import os
import random
import sqlite3
import zlib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from prepared import NEW, OLD, begin, changes, journal, located, make_tree
from reviewing import plan_of
from sessions import begin as review
from sessions import script_in

from pinsetter.codemods.engine.cli import pinsetter
from pinsetter.codemods.engine.decide.decisions import Decisions
from pinsetter.codemods.engine.files.new_content import new_content
from pinsetter.codemods.engine.hunks.hunk import Hunk
from pinsetter.codemods.engine.hunks.plan import Plan
from pinsetter.codemods.engine.journal.replace_files import carry_out
from pinsetter.codemods.engine.journal.take_back import undo
from pinsetter.codemods.engine.resume.restoring import Restoring
from pinsetter.codemods.engine.review.ignoring import comment_hunk
from pinsetter.codemods.engine.review.splitting import parts
from pinsetter.codemods.engine.state.decision import stored
from pinsetter.codemods.engine.state.exchange import Exported, dump, load
from pinsetter.codemods.engine.state.pieces import without_text
from pinsetter.codemods.engine.state.sessions import Sessions, SessionState

PATHS = [b"", b".", b"..", b"/", b"../home/profile.py", b"link/profile.py", b"f00.py/x", b"a\0b",
         b"sub/../../home/profile.py", b"./f00.py", b"f00.py", b"f01.py", b"sub", b"\xff",
         b"x" * 5000]  # fmt: skip
TEXTS = ["", "x", "../x", "\0", "é", "9" * 5000, "[" * 5000, "[]", "[0]", "[-1]", "[1e3]", "{}",
         '["\\ud800"]', '[{"suffix": "", "verdict": true, "edits": [{"anchor": 0}]}]',
         '["2e2e"]', "0" * 12]  # fmt: skip
WORDS = ["write", "undo", "writing", "done", "stopped", "planned", "written", "left", "open",
         "quit", "imported", "accepted", "rejected", "ignored", "split"]  # fmt: skip
NUMBERS = [-1, 0, 1, 2, 3, 4, 2**31, 2**63 - 1, -(2**63), 1.5, 1e300, float("inf"), -1.0, None]
TABLES = {
    "runs": ["id", "kind", "codemod", "undoes", "started", "ended", "token", "state"],
    "files": ["run", "position", "path", "before", "after", "before_digest", "after_digest",
              "mode", "needs", "state", "why", "undone_by"],
    "sessions": ["id", "codemod", "paths", "options", "started", "ended", "state"],
    "decisions": ["session", "hunk", "run", "position", "rule", "path", "line", "verdict",
                  "surroundings", "pack", "digest", "decided", "decided_by", "pieces"],
}  # fmt: skip
SCHEMA = ["CREATE VIEW v AS SELECT * FROM runs", "CREATE TABLE t (x)", "DROP TABLE decisions",
          "CREATE TRIGGER t AFTER UPDATE ON files BEGIN UPDATE files SET path = x'2e2e'; END",
          "PRAGMA user_version = 1", "PRAGMA user_version = 99", "PRAGMA application_id = 1",
          "DROP INDEX files_by_path", "DELETE FROM runs", "DELETE FROM files"]  # fmt: skip
COMMANDS = [["undo"], ["recover"], ["undo", "--list"], ["undo", "--list", "--json"],
            ["undo", "--list", "--run", "3"], ["undo", "--run", "1"], ["undo", "--run", "2"],
            ["decisions", "list"], ["decisions", "export", "-"]]  # fmt: skip


@dataclass
class Prepared:
    """A tree with a user's file beside it, and what its state and its decisions are."""

    tree: Path
    home: Path
    database: bytes
    decisions: bytes
    hunks: list[Hunk]


def prepare(base: Path) -> Prepared:
    tree, home = base / "tree", base / "home"
    home.mkdir()
    script = script_in(tree)
    (tree / "link").symlink_to(home)
    data = _reviewed(script)
    paths = make_tree(tree, 6)
    with journal(tree) as runs:
        carry_out(runs, begin(runs, changes(paths[:4], {0: {1}, 1: {0}, 2: {1}})))
        first = runs.get(1)
        assert first is not None
        undo(runs, first, [paths[3]])
        begin(runs, changes(paths[3:], {1: {0}}))
    prepared = Prepared(tree, home, located(tree).database.read_bytes(), data, [])
    prepared.hunks = plan_of(script).hunks
    return prepared


def _reviewed(script: Path) -> bytes:
    """Decisions of every kind on a script; returns them as a file."""
    run = review(script)
    run.accept("start-log")
    pair = run.the("check-pair")
    pieces = parts(pair, run.plan)
    run.decisions.split(pair, pieces)
    run.decisions.answer(pieces[:1], True)
    steps = run.the("name-steps")
    edit = replace(steps.edits[0], text=", name='other'")
    edited = replace(steps, edits=(edit,), edited=True)
    run.decisions.edit(steps, edited)
    run.decisions.answer([edited], True)
    last = run.the("name-steps", 2)
    comment = comment_hunk(last, "it has one")
    assert isinstance(comment, Hunk)
    run.decisions.ignore(last, comment)
    run.reject("renew")
    run.session.end(SessionState.QUIT)
    run.session.close()
    with journal(script.parent) as runs:
        sessions = Sessions(runs.database)
        newest = sessions.newest()
        assert newest is not None
        return dump(Exported(newest.subject, tuple(sessions.decisions(newest.id))))


def try_database(prepared: Prepared, chance: random.Random, torn: bool) -> None:
    """Some commands on a database that is not as it was written: ``torn`` bytes, or other rows."""
    path = located(prepared.tree).database
    for ending in ("-wal", "-shm", "-journal"):
        with contextlib.suppress(FileNotFoundError):
            os.unlink(f"{path}{ending}")
    path.write_bytes(_torn(prepared.database, chance) if torn else prepared.database)
    if not torn:
        _change_rows(path, chance)
    _reset(prepared)
    if chance.random() < 0.1:
        path.with_name(f"{path.name}-wal").write_bytes(chance.randbytes(200))
    for command in chance.sample(COMMANDS, 2):
        where = ["--tree"] if command[0] == "decisions" else []
        assert _obeyed([*command, *where, str(prepared.tree)]) in (0, 2)
    _check(prepared)


def _obeyed(arguments: list[str]) -> int | str | None:
    """The exit code of a command in this process, whose streams take everything, as ours do."""
    streams = [io.TextIOWrapper(io.BytesIO(), "utf-8", "surrogateescape") for _ in range(2)]
    with contextlib.redirect_stdout(streams[0]), contextlib.redirect_stderr(streams[1]):
        try:
            pinsetter.main(arguments, standalone_mode=False)
        except SystemExit as left:
            return left.code
    return 0


def _reset(prepared: Prepared) -> None:
    for number, content in enumerate([NEW, NEW, NEW, NEW, OLD, OLD]):
        (prepared.tree / f"f{number:02}.py").write_bytes(content)
    (prepared.home / "profile.py").write_bytes(OLD)


def _check(prepared: Prepared) -> None:
    assert [path.name for path in prepared.home.iterdir()] == ["profile.py"]
    assert (prepared.home / "profile.py").read_bytes() == OLD
    assert sorted(path.name for path in prepared.tree.parent.iterdir()) == ["home", "tree"]
    for number in range(6):
        assert (prepared.tree / f"f{number:02}.py").read_bytes() in (OLD, NEW)


def _torn(data: bytes, chance: random.Random) -> bytes:
    made = bytearray(data)
    for _ in range(chance.choice([1, 1, 2, 5, 30])):
        at, size = chance.randrange(len(made)), chance.choice([1, 1, 2, 8, 100, 4096])
        kind = chance.randrange(5)
        if kind == 0:
            made[at] ^= 1 << chance.randrange(8)
        elif kind == 1:
            made[at : at + size] = chance.randbytes(min(size, len(made) - at))
        elif kind == 2:
            start = chance.randrange(len(made))
            made[at : at + size] = made[start : start + size]
        elif kind == 3:
            made[at : at + size] = bytes(min(size, len(made) - at))
        elif at > 100:
            del made[at:]
    return bytes(made)


def _change_rows(path: Path, chance: random.Random) -> None:
    connection = sqlite3.connect(path, isolation_level=None)
    try:
        if chance.random() < 0.1:
            connection.execute(chance.choice(SCHEMA))
        for _ in range(chance.choice([1, 1, 2, 3])):
            table = chance.choice([*TABLES])
            column = chance.choice(TABLES[table])
            rows = connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
            key = {"files": "position", "decisions": "line"}.get(table, "id")
            which = "" if chance.random() < 0.3 else f" WHERE {key} = {chance.randrange(rows + 1)}"
            with contextlib.suppress(sqlite3.Error):
                connection.execute(f"UPDATE {table} SET {column} = ?{which}", (_odd(chance),))
    except sqlite3.Error:
        pass
    finally:
        connection.close()


def _odd(chance: random.Random) -> Any:
    kind = chance.randrange(6)
    if kind == 0:
        return chance.choice(NUMBERS)
    if kind == 1:
        return chance.choice(TEXTS)
    if kind == 2:
        return chance.choice(WORDS)
    if kind == 3:
        return chance.choice(PATHS)
    if kind == 4:
        return zlib.compress(chance.choice([OLD, NEW, b"", b"\0" * 100_000]))
    return chance.randbytes(32)


def try_decisions(prepared: Prepared, chance: random.Random) -> None:
    """Read a file of decisions with mistakes, put it to hunks, save it, and write what results."""
    raw = _other_decisions(prepared.decisions, chance)
    found = load(Path("decisions.json"), raw)
    if not isinstance(found, Exported):
        assert all(str(problem) and problem.line > 0 for problem in found)
        return
    folder = located(prepared.tree)
    for only_proposed in (True, False):
        plan = Plan(prepared.hunks)
        decisions = Decisions(plan)
        restoring = Restoring(
            found.decisions, lambda path: stored(folder, path), "", frozenset(), only_proposed
        )
        restoring.restore(decisions, plan.hunks)
        edits = [edit for hunk in decisions.accepted for edit in hunk.edits]
        if only_proposed:
            proposed = [edit for hunk in prepared.hunks for edit in hunk.edits]
            assert all(edit in proposed or "# pinsetter: ignore" in edit.text for edit in edits)
        new_content(prepared.hunks[0].module, edits)
    with journal(prepared.tree) as runs:
        sessions = Sessions(runs.database)
        sessions.put(sessions.start(found.subject), map(without_text, found.decisions))
        newest = sessions.newest()
        if newest is not None:
            dump(Exported(newest.subject, tuple(sessions.decisions(newest.id))))
    for decision in found.decisions:
        assert decision.said


def _other_decisions(data: bytes, chance: random.Random) -> bytes:
    if chance.random() < 0.3:
        made = bytearray(data)
        for _ in range(chance.choice([1, 1, 3])):
            at = chance.randrange(len(made))
            part = chance.choice([b"", b'"', b"{", b"[", b"\\", b"9" * 5000, b"\\ud800", b"null",
                                  b"\xff", b"1e9", b"NaN", b"[" * 3000, b"-"])  # fmt: skip
            made[at : at + chance.choice([0, 1, 1, 5])] = part
        return bytes(made)
    value = json.loads(data)
    for _ in range(chance.choice([1, 1, 2, 4])):
        _change(value, chance)
    return json.dumps(value, ensure_ascii=chance.random() < 0.8).encode("utf-8", "surrogatepass")


def _change(value: Any, chance: random.Random) -> None:
    """Put something else somewhere into a value; like what was there as often as not."""
    while True:
        keys = list(value) if isinstance(value, dict) else list(range(len(value)))
        if not keys:
            return
        key = chance.choice(keys)
        inner = value[key]
        if isinstance(inner, (dict, list)) and inner and chance.random() < 0.85:
            value = inner
            continue
        break
    kind = chance.randrange(8)
    if kind == 0:
        del value[key]
    elif kind == 1 and isinstance(value, list):
        value.append(inner)
    elif isinstance(inner, bool) or inner is None:
        value[key] = chance.choice([True, False, None, 1])
    elif isinstance(inner, int):
        value[key] = chance.choice([0, 1, 2, 3, -1, -5, 10**30, 2**53, 1.0, inner + 1, "1"])
    elif isinstance(inner, str):
        value[key] = chance.choice(["", "x", "\ud800", "\0", ".", ".1", ".ignore", "..", *WORDS,
                                    inner * 2, inner[1:], "0001-01-01T00:00:00Z",
                                    "9999-12-31T23:59:59Z", "import os\n", "(", 1])  # fmt: skip
    else:
        value[key] = chance.choice([[], {}, None, [inner], "x", 0])
