"""hunks: those of a campaign, as a scan left them, and what was decided about them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from .recorded import LEFT, TOOK, DecisionRow, Found, HunkState, Known, kind_of
from .tables import DECISION, FILE, HUNK

# What one statement may be given is limited.
_AT_ONCE = 500
_SHOWN = "backslashreplace"


def known(
    connection: Connection,
    repository: int | None = None,
    shards: Collection[int] | None = None,
    states: Collection[HunkState] | None = None,
) -> list[Known]:
    """The hunks of a repository, or of some shards, by file and line."""
    asked = (
        sa.select(HUNK, FILE.c.path, DECISION)
        .join(FILE, HUNK.c.file_id == FILE.c.id)
        .outerjoin(DECISION, DECISION.c.hunk_id == HUNK.c.id)
    )
    if repository is not None:
        asked = asked.where(FILE.c.repository_id == repository)
    if shards is not None:
        asked = asked.where(HUNK.c.shard_id.in_(list(shards)))
    if states is not None:
        asked = asked.where(HUNK.c.state.in_([state.value for state in states]))
    rows = connection.execute(asked.order_by(FILE.c.repository_id, FILE.c.path, HUNK.c.line))
    return [known_from(row._mapping) for row in rows]


def put(
    connection: Connection,
    campaign: int,
    repository: int,
    found: Iterable[tuple[int | None, int, Found]],
    at: int,
) -> list[int]:
    """Keep hunks: each the id that it has, if it has one, and its shard; their ids."""
    found = [(id, shard, kept(one)) for id, shard, one in found]
    files = _files(connection, repository, {one.path for _, _, one in found})
    rows = [
        {
            "file_id": files[one.path], "shard_id": shard, "key": one.key, "rule": one.rule,
            "title": one.title, "why": one.why, "warnings": list(one.warnings), "line": one.line,
            "diff": one.diff, "code": one.code, "surroundings": one.surroundings,
            "requires": list(one.requires), "alternatives": list(one.alternatives),
        }
        for _, shard, one in found
    ]  # fmt: skip
    known = [(id, row) for (id, _, _), row in zip(found, rows, strict=True) if id is not None]
    if known:
        changing = sa.update(HUNK).where(HUNK.c.id == sa.bindparam("number"))
        connection.execute(changing, [{"number": id, **row} for id, row in known])
    new = [
        {**row, "campaign_id": campaign, "state": one.state.value, "seen": at, "changed": at,
         "kind": kind_of(one.state, None), "regressed": False}
        for (id, _, one), row in zip(found, rows, strict=True) if id is None
    ]  # fmt: skip
    made = iter(_inserted(connection, HUNK, new))
    return [id if id is not None else next(made) for id, _, _ in found]


def shards_of(connection: Connection, ids: Collection[int]) -> set[int]:
    """The shards that hunks are in."""
    found: set[int] = set()
    for some in _some(list(ids)):
        found |= set(connection.scalars(sa.select(HUNK.c.shard_id).where(HUNK.c.id.in_(some))))
    return found


def kept(found: Found) -> Found:
    """The same as it is when it is kept."""
    return replace(
        found, why=_storable(found.why), warnings=tuple(map(_storable, found.warnings)),
        diff=_storable(found.diff),
    )  # fmt: skip


def set_state(
    connection: Connection, ids: Collection[int], state: HunkState, at: int, regressed: bool = False
) -> None:
    values: dict[str, Any] = {"state": state.value, "changed": at}
    if regressed:
        values["regressed"] = True
    for some in _some(list(ids)):
        connection.execute(sa.update(HUNK).where(HUNK.c.id.in_(some)).values(**values))
    _count(connection, ids)


def decide(connection: Connection, decisions: Iterable[DecisionRow]) -> None:
    """Keep decisions in the place of those that there are on the same hunks."""
    rows: list[dict[str, Any]] = [
        {"hunk_id": one.hunk, "verdict": one.verdict, "surroundings": list(one.surroundings),
         "digest": one.digest, "pieces": list(one.pieces), "decided": one.decided,
         "decided_by": one.by, "comment": one.comment}
        for one in decisions
    ]  # fmt: skip
    ids = [row["hunk_id"] for row in rows]
    _forget(connection, ids)
    if rows:
        connection.execute(sa.insert(DECISION), rows)
    _count(connection, ids)


def forget(connection: Connection, ids: Collection[int]) -> None:
    """Forget decisions: what was decided is open again."""
    _forget(connection, ids)
    _count(connection, ids)


def counts(connection: Connection, campaign: int) -> list[tuple[int, str, bool, int]]:
    """How many hunks there are of each shard and kind, and whether they came back."""
    columns = (HUNK.c.shard_id, HUNK.c.kind, HUNK.c.regressed)
    asked = sa.select(*columns, sa.func.count()).where(HUNK.c.campaign_id == campaign)
    rows = connection.execute(asked.group_by(*columns))
    return [(row[0], row[1], bool(row[2]), int(row[3])) for row in rows]


def _forget(connection: Connection, ids: Collection[int]) -> None:
    for some in _some(list(ids)):
        connection.execute(sa.delete(DECISION).where(DECISION.c.hunk_id.in_(some)))


def _count(connection: Connection, ids: Collection[int]) -> None:
    """Have hunks count as what they are now."""
    verdict = sa.select(DECISION.c.verdict).where(DECISION.c.hunk_id == HUNK.c.id).scalar_subquery()
    kind = sa.case(
        (HUNK.c.state != HunkState.PROPOSED.value, HUNK.c.state),
        (verdict.in_(TOOK), "accepted"),
        (verdict.in_(LEFT), "refused"),
        else_="open",
    )
    for some in _some(list(ids)):
        connection.execute(sa.update(HUNK).where(HUNK.c.id.in_(some)).values(kind=kind))


def _storable(text: str) -> str:
    """Not every database has characters that are none, or zero."""
    return text.encode("utf-8", _SHOWN).decode("utf-8").replace("\0", "\\0")


def _inserted(
    connection: Connection, table: sa.Table, rows: Sequence[Mapping[str, Any]]
) -> list[int]:
    """The numbers of new rows, in their order."""
    if not rows:
        return []
    adding = sa.insert(table).returning(table.c.id, sort_by_parameter_order=True)
    return list(connection.scalars(adding, rows))


def _files(connection: Connection, repository: int, paths: set[bytes]) -> dict[bytes, int]:
    """The numbers of files, new ones among them."""
    rows = connection.execute(
        sa.select(FILE.c.path, FILE.c.id).where(FILE.c.repository_id == repository)
    )
    there = {bytes(row.path): int(row.id) for row in rows}
    new = sorted(paths - there.keys())
    values = [
        {"repository_id": repository, "path": path, "name": path.decode("utf-8", _SHOWN)}
        for path in new
    ]
    return there | dict(zip(new, _inserted(connection, FILE, values), strict=True))


def known_from(row: Mapping[Any, Any]) -> Known:
    """A hunk of a row with the columns of HUNK, of DECISION and the file's path."""
    state = HunkState(row[HUNK.c.state])
    found = Found(
        row[HUNK.c.key], bytes(row[FILE.c.path]), row[HUNK.c.rule], row[HUNK.c.title],
        row[HUNK.c.why], tuple(row[HUNK.c.warnings]), row[HUNK.c.line], row[HUNK.c.diff],
        row[HUNK.c.code], row[HUNK.c.surroundings], tuple(row[HUNK.c.requires]),
        tuple(row[HUNK.c.alternatives]), state,
    )  # fmt: skip
    decision = None
    if row[DECISION.c.verdict] is not None:
        decision = DecisionRow(
            row[HUNK.c.id], row[DECISION.c.verdict], tuple(row[DECISION.c.surroundings]),
            row[DECISION.c.digest], row[DECISION.c.pieces], row[DECISION.c.decided],
            row[DECISION.c.decided_by], row[DECISION.c.comment],
        )  # fmt: skip
    return Known(row[HUNK.c.id], found, row[HUNK.c.shard_id], bool(row[HUNK.c.regressed]), decision)


def _some(ids: Sequence[int]) -> Iterable[Sequence[int]]:
    return (ids[start : start + _AT_ONCE] for start in range(0, len(ids), _AT_ONCE))
