"""campaigns: which there are, their repositories and shards, and what happened."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from .recorded import Campaign, Event, Repository, ShardRow
from .tables import CAMPAIGN, DECISION, EVENT, HUNK, REPOSITORY, SCAN, SHARD


def campaign(connection: Connection, name: str) -> Campaign | None:
    row = connection.execute(sa.select(CAMPAIGN).where(CAMPAIGN.c.name == name)).first()
    return _campaign(row) if row is not None else None


def all_campaigns(connection: Connection) -> list[Campaign]:
    return [_campaign(row) for row in connection.execute(sa.select(CAMPAIGN).order_by("name"))]


def begin(connection: Connection, given: Campaign) -> int:
    """Keep a new campaign; its id."""
    made = connection.execute(sa.insert(CAMPAIGN).values(
        name=given.name, pack=given.pack, settings=dict(given.settings), started=given.started,
        started_by=given.started_by,
    ))  # fmt: skip
    return _id(made)


def remove(connection: Connection, id: int) -> None:
    """Forget a campaign and all that is kept of it."""
    connection.execute(sa.delete(CAMPAIGN).where(CAMPAIGN.c.id == id))


def add_repository(
    connection: Connection, campaign: int, path: Path, name: str, branch: str
) -> int:
    made = connection.execute(sa.insert(REPOSITORY).values(
        campaign_id=campaign, path=str(path), name=name, branch=branch, digest=""
    ))  # fmt: skip
    return _id(made)


def repositories(connection: Connection, campaign: int) -> list[Repository]:
    rows = connection.execute(
        sa.select(REPOSITORY).where(REPOSITORY.c.campaign_id == campaign).order_by("id")
    )
    return [
        Repository(row.id, Path(row.path), row.name, row.branch, row.commit,
                   row.digest)
        for row in rows
    ]  # fmt: skip


def alone(connection: Connection, campaign: int) -> None:
    """Have others who scan, or answer, wait until this transaction is over."""
    asked = sa.select(CAMPAIGN.c.id).where(CAMPAIGN.c.id == campaign)
    connection.execute(asked.with_for_update())


def note_scanned(connection: Connection, repository: int, commit: str, digest: str) -> None:
    connection.execute(
        sa.update(REPOSITORY).where(REPOSITORY.c.id == repository)
        .values(commit=commit, digest=digest)
    )  # fmt: skip


def shards(connection: Connection, repository: int) -> list[ShardRow]:
    rows = connection.execute(
        sa.select(SHARD).where(SHARD.c.repository_id == repository).order_by("id")
    )
    return [
        ShardRow(row.id, row.name, tuple(row.owners), row.branch, row.applied,
                 row.base, row.request)
        for row in rows
    ]  # fmt: skip


def add_shard(
    connection: Connection, repository: int, name: str, owners: Iterable[str], branch: str
) -> int:
    made = connection.execute(sa.insert(SHARD).values(
        repository_id=repository, name=name, owners=list(owners), branch=branch
    ))  # fmt: skip
    return _id(made)


def note_applied(connection: Connection, shard: int, commit: str | None, base: str | None) -> None:
    connection.execute(
        sa.update(SHARD).where(SHARD.c.id == shard).values(applied=commit, base=base)
    )


def note_requested(connection: Connection, shard: int, address: str) -> None:
    connection.execute(sa.update(SHARD).where(SHARD.c.id == shard).values(request=address))


def happened(connection: Connection, campaign: int, events: Iterable[Event]) -> None:
    """Keep events."""
    rows = [
        {"campaign_id": campaign, "shard_id": one.shard, "hunk_id": one.hunk, "kind": one.kind,
         "about": dict(one.about), "at": one.at, "by": one.by}
        for one in events
    ]  # fmt: skip
    if rows:
        connection.execute(sa.insert(EVENT), rows)


def events(
    connection: Connection, campaign: int, hunk: int | None = None, after: int = 0
) -> list[Event]:
    """What happened, the oldest first; with ``hunk`` to that one, and ``after`` an id."""
    asked = sa.select(EVENT).where(EVENT.c.campaign_id == campaign, EVENT.c.id > after)
    if hunk is not None:
        asked = asked.where(EVENT.c.hunk_id == hunk)
    return [
        Event(row.kind, row.by, row.at, row.about, row.shard_id, row.hunk_id, row.id)
        for row in connection.execute(asked.order_by(EVENT.c.id))
    ]


def last_event(connection: Connection, campaign: int) -> int:
    """The number of what happened last; 0 if nothing did."""
    asked = sa.select(sa.func.max(EVENT.c.id)).where(EVENT.c.campaign_id == campaign)
    return int(connection.scalar(asked) or 0)


def last_answer(connection: Connection, campaign: int, by: str) -> list[Event]:
    """The events of the newest answer of a person that still holds for some hunk."""
    asked = (
        sa.select(sa.func.max(DECISION.c.decided))
        .join(HUNK, DECISION.c.hunk_id == HUNK.c.id)
        .join(SHARD, HUNK.c.shard_id == SHARD.c.id)
        .join(REPOSITORY, SHARD.c.repository_id == REPOSITORY.c.id)
        .where(REPOSITORY.c.campaign_id == campaign, DECISION.c.decided_by == by)
    )
    at = connection.scalar(asked)
    found = sa.select(EVENT).where(
        EVENT.c.campaign_id == campaign, EVENT.c.by == by, EVENT.c.at == at,
        EVENT.c.kind == "decided",
    )  # fmt: skip
    return [
        Event(row.kind, row.by, row.at, row.about, row.shard_id, row.hunk_id, row.id)
        for row in connection.execute(found)
    ]


def add_scan(
    connection: Connection,
    campaign: int,
    at: int,
    counts: Mapping[str, int],
    commits: Mapping[str, str],
) -> None:
    connection.execute(sa.insert(SCAN).values(
        campaign_id=campaign, scanned=at, counts=dict(counts), commits=dict(commits)
    ))  # fmt: skip


def scans(connection: Connection, campaign: int) -> list[tuple[int, dict[str, int]]]:
    """When it was scanned, and what was counted then, the oldest first."""
    rows = connection.execute(
        sa.select(SCAN.c.scanned, SCAN.c.counts).where(SCAN.c.campaign_id == campaign)
        .order_by(SCAN.c.id)
    )  # fmt: skip
    return [(row.scanned, dict(row.counts)) for row in rows]


def _campaign(row: Any) -> Campaign:
    return Campaign(row.id, row.name, row.pack, row.settings, row.started, row.started_by)


def _id(made: sa.CursorResult[Any]) -> int:
    assert made.inserted_primary_key is not None
    return int(made.inserted_primary_key[0])
