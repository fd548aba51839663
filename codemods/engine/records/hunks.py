"""hunks: those of a campaign, as a scan left them, and what was decided about them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from .recorded import DecisionRow, Found, HunkState, Known
from .tables import DECISION, FILE, HUNK, REPOSITORY, SHARD

# What one statement may be given is limited.
_AT_ONCE = 500


def known(
    connection: Connection,
    repository: int | None = None,
    campaign: int | None = None,
    shards: Collection[int] | None = None,
    states: Collection[HunkState] | None = None,
) -> list[Known]:
    """The hunks of a repository, a campaign or some shards, by file and line."""
    asked = (
        sa.select(HUNK, FILE.c.path, DECISION)
        .join(FILE, HUNK.c.file_id == FILE.c.id)
        .outerjoin(DECISION, DECISION.c.hunk_id == HUNK.c.id)
    )
    if repository is not None:
        asked = asked.where(FILE.c.repository_id == repository)
    if campaign is not None:
        asked = asked.join(REPOSITORY, FILE.c.repository_id == REPOSITORY.c.id)
        asked = asked.where(REPOSITORY.c.campaign_id == campaign)
    if shards is not None:
        asked = asked.where(HUNK.c.shard_id.in_(list(shards)))
    if states is not None:
        asked = asked.where(HUNK.c.state.in_([state.value for state in states]))
    rows = connection.execute(asked.order_by(FILE.c.repository_id, FILE.c.path, HUNK.c.line))
    return [_known(row._mapping) for row in rows]


def put(
    connection: Connection,
    repository: int,
    found: Iterable[tuple[int | None, int, Found]],
    owners: Mapping[bytes, Sequence[str]],
    at: int,
) -> list[int]:
    """Keep hunks: each the id that it has, if it has one, and its shard; their ids. ``owners`` are
    those of their files."""
    found = list(found)
    files = _files(connection, repository, {one.path for _, _, one in found}, owners)
    ids = []
    for id, shard, one in found:
        values = {
            "file_id": files[one.path], "shard_id": shard, "key": one.key, "rule": one.rule,
            "title": one.title, "why": one.why, "warnings": list(one.warnings), "line": one.line,
            "diff": one.diff, "code": one.code, "surroundings": one.surroundings,
            "requires": list(one.requires), "alternatives": list(one.alternatives),
        }  # fmt: skip
        if id is None:
            made = connection.execute(sa.insert(HUNK).values(
                **values, state=one.state.value, seen=at, changed=at, regressed=False
            ))  # fmt: skip
            assert made.inserted_primary_key is not None
            id = int(made.inserted_primary_key[0])
        else:
            connection.execute(sa.update(HUNK).where(HUNK.c.id == id).values(**values))
        ids.append(id)
    return ids


def set_state(
    connection: Connection, ids: Collection[int], state: HunkState, at: int, regressed: bool = False
) -> None:
    values: dict[str, Any] = {"state": state.value, "changed": at}
    if regressed:
        values["regressed"] = True
    for some in _some(list(ids)):
        connection.execute(sa.update(HUNK).where(HUNK.c.id.in_(some)).values(**values))


def decide(connection: Connection, decisions: Iterable[DecisionRow]) -> None:
    """Keep decisions in the place of those that there are on the same hunks."""
    rows: list[dict[str, Any]] = [
        {"hunk_id": one.hunk, "verdict": one.verdict, "surroundings": list(one.surroundings),
         "digest": one.digest, "pieces": list(one.pieces), "decided": one.decided,
         "decided_by": one.by, "comment": one.comment}
        for one in decisions
    ]  # fmt: skip
    forget(connection, [row["hunk_id"] for row in rows])
    if rows:
        connection.execute(sa.insert(DECISION), rows)


def forget(connection: Connection, ids: Collection[int]) -> None:
    """Forget decisions: what was decided is open again."""
    for some in _some(list(ids)):
        connection.execute(sa.delete(DECISION).where(DECISION.c.hunk_id.in_(some)))


def counts(connection: Connection, campaign: int) -> list[tuple[int, str, str | None, bool, int]]:
    """How many hunks there are of each shard, state, verdict, and whether they came back."""
    asked = (
        sa.select(
            HUNK.c.shard_id, HUNK.c.state, DECISION.c.verdict, HUNK.c.regressed, sa.func.count()
        )
        .join(SHARD, HUNK.c.shard_id == SHARD.c.id)
        .join(REPOSITORY, SHARD.c.repository_id == REPOSITORY.c.id)
        .outerjoin(DECISION, DECISION.c.hunk_id == HUNK.c.id)
        .where(REPOSITORY.c.campaign_id == campaign)
        .group_by(HUNK.c.shard_id, HUNK.c.state, DECISION.c.verdict, HUNK.c.regressed)
    )
    return [
        (row[0], row[1], row[2], bool(row[3]), int(row[4])) for row in connection.execute(asked)
    ]


def _files(
    connection: Connection,
    repository: int,
    paths: Collection[bytes],
    owners: Mapping[bytes, Sequence[str]],
) -> dict[bytes, int]:
    rows = connection.execute(
        sa.select(FILE.c.path, FILE.c.id, FILE.c.owners).where(FILE.c.repository_id == repository)
    )
    there = {bytes(row.path): (int(row.id), list(row.owners)) for row in rows}
    found = {path: id for path, (id, _) in there.items()}
    for path in sorted(paths):
        whose = list(owners.get(path, ()))
        if path not in there:
            made = connection.execute(sa.insert(FILE).values(
                repository_id=repository, path=path, owners=whose
            ))  # fmt: skip
            assert made.inserted_primary_key is not None
            found[path] = int(made.inserted_primary_key[0])
        elif there[path][1] != whose:
            connection.execute(
                sa.update(FILE).where(FILE.c.id == there[path][0]).values(owners=whose)
            )
    return found


def _known(row: Mapping[Any, Any]) -> Known:
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
