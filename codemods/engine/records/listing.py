"""listing: the hunks of a campaign as a page shows them: some of those that fit, counted."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection
from sqlalchemy.sql import ColumnElement, Select

from .hunks import known_from
from .recorded import HunkState, Known
from .tables import DECISION, FILE, HUNK, REPOSITORY, SHARD

_ESCAPE = "\\"
# Of what is found in code more are not counted, nor shown.
MANY = 2_500


@dataclass(frozen=True)
class Wanted:
    """What is to be shown: one of ``KINDS``; ``text`` is looked for in paths, and with ``in_code``
    in what changes, ``assumed``: only what has warnings; ``equal_to`` a hunk."""

    kind: str = ""
    rule: str = ""
    shard: str = ""
    owner: str = ""
    repository: str = ""
    text: str = ""
    in_code: bool = False
    assumed: bool = False
    equal_to: int | None = None


@dataclass(frozen=True)
class Page:
    """Some hunks of a ``total``, which is at least so many if there may be ``more``; the ``number``
    of the page, and of the ``last`` one."""

    listed: Sequence[Listed]
    total: int
    number: int
    last: int
    more: bool


@dataclass(frozen=True)
class Listed:
    """A hunk, where it is, and how many are equal to it and not decided, itself included."""

    known: Known
    repository: str
    shard: str
    equal: int


def page_of(connection: Connection, campaign: int, wanted: Wanted, number: int, most: int) -> Page:
    """A page of ``most`` of the hunks that fit, file by file, as these were found; the last one, if
    there are not so many."""
    by_code = wanted.in_code and wanted.text != ""
    ordered = _fitting(sa.select(HUNK.c.id), campaign, wanted)
    ordered = ordered.order_by(HUNK.c.file_id, HUNK.c.line, HUNK.c.id)
    if by_code:
        # To read all code takes a while: it is done once, and not to count it, too.
        ids = list(connection.scalars(ordered.limit(MANY)))
        total = len(ids)
    else:
        counted = _fitting(sa.select(sa.func.count(HUNK.c.id)), campaign, wanted)
        total = int(connection.scalar(counted) or 0)
    last = max(1, -(-total // most))
    number = min(max(number, 1), last)
    start = (number - 1) * most
    if by_code:
        ids = ids[start : start + most]
    else:
        ids = list(connection.scalars(ordered.offset(start).limit(most)))
    found = {one.known.id: one for one in by_ids(connection, campaign, ids)}
    listed = [found[id] for id in ids if id in found]
    return Page(listed, total, number, last, by_code and total == MANY)


def by_ids(connection: Connection, campaign: int, ids: Collection[int]) -> list[Listed]:
    """Hunks of a campaign by their numbers; those that it has not are left out."""
    asked = _fitting(_columns(), campaign, Wanted(), whole=True).where(HUNK.c.id.in_(list(ids)))
    return _listed(connection, campaign, asked.order_by(HUNK.c.id))


# What hunks have in common that are like one another.
_LIKE = {"equal": (HUNK.c.rule, HUNK.c.code), "file": (HUNK.c.file_id,), "rule": (HUNK.c.rule,)}


def open_like(connection: Connection, campaign: int, id: int, like: str) -> list[int]:
    """The numbers of the hunks that are not decided, and like one: ``equal`` to it, of its ``file``
    or of its ``rule``. Raises ValueError for another likeness."""
    if like not in _LIKE:
        raise ValueError(f"hunks are not alike by {like!r}")
    one = HUNK.alias()
    same = [column == one.c[column.name] for column in _LIKE[like]]
    asked = sa.select(HUNK.c.id).join(one, sa.and_(*same))
    asked = asked.where(one.c.id == id, HUNK.c.campaign_id == campaign, HUNK.c.kind == "open")
    return list(connection.scalars(asked))


def by_shard(connection: Connection, campaign: int, rule: str) -> dict[int, dict[str, int]]:
    """How many hunks of a rule there are of each kind, by the numbers of shards."""
    asked = sa.select(HUNK.c.shard_id, HUNK.c.kind, sa.func.count()).where(
        HUNK.c.campaign_id == campaign, HUNK.c.rule == rule
    )
    found: dict[int, dict[str, int]] = {}
    for shard, kind, count in connection.execute(asked.group_by(HUNK.c.shard_id, HUNK.c.kind)):
        found.setdefault(shard, {})[kind] = int(count)
    return found


def rules(connection: Connection, campaign: int) -> dict[str, tuple[str, str, dict[str, int]]]:
    """Each rule's title and reason, and how many hunks there are of each kind."""
    mine = HUNK.c.campaign_id == campaign
    counts: dict[str, dict[str, int]] = {}
    asked = sa.select(HUNK.c.rule, HUNK.c.kind, sa.func.count(), sa.func.max(HUNK.c.id))
    newest: dict[str, int] = {}
    for rule, kind, count, id in connection.execute(
        asked.where(mine).group_by(HUNK.c.rule, HUNK.c.kind)
    ):
        counts.setdefault(rule, {})[kind] = int(count)
        newest[rule] = max(newest.get(rule, 0), id)
    told = sa.select(HUNK.c.rule, HUNK.c.title, HUNK.c.why).where(HUNK.c.id.in_(newest.values()))
    return {row[0]: (row[1], row[2], counts[row[0]]) for row in connection.execute(told)}


def _columns() -> Select[Any]:
    return sa.select(HUNK, FILE.c.path, DECISION, REPOSITORY.c.name, SHARD.c.name)


def _listed(connection: Connection, campaign: int, asked: Select[Any]) -> list[Listed]:
    rows = [row._mapping for row in connection.execute(asked)]
    equal = _equal(connection, campaign, {(row[HUNK.c.rule], row[HUNK.c.code]) for row in rows})
    return [
        Listed(
            known_from(row), row[REPOSITORY.c.name], row[SHARD.c.name],
            equal.get((row[HUNK.c.rule], row[HUNK.c.code]), 0),
        )
        for row in rows
    ]  # fmt: skip


def _equal(
    connection: Connection, campaign: int, hunks: Collection[tuple[str, str]]
) -> dict[tuple[str, str], int]:
    if not hunks:
        return {}
    asked = sa.select(HUNK.c.rule, HUNK.c.code, sa.func.count()).where(
        HUNK.c.campaign_id == campaign,
        sa.tuple_(HUNK.c.rule, HUNK.c.code).in_(list(hunks)),
        HUNK.c.kind == "open",
    )
    rows = connection.execute(asked.group_by(HUNK.c.rule, HUNK.c.code))
    return {(row[0], row[1]): int(row[2]) for row in rows}


def _fitting(asked: Select[Any], campaign: int, wanted: Wanted, whole: bool = False) -> Select[Any]:
    """``whole``: with the tables that a hunk is shown from."""
    asked = asked.select_from(HUNK).where(HUNK.c.campaign_id == campaign)
    if whole or wanted.text:
        asked = asked.join(FILE, HUNK.c.file_id == FILE.c.id)
    if whole:
        asked = asked.outerjoin(DECISION, DECISION.c.hunk_id == HUNK.c.id)
    if whole:
        asked = asked.join(SHARD, HUNK.c.shard_id == SHARD.c.id)
        asked = asked.join(REPOSITORY, SHARD.c.repository_id == REPOSITORY.c.id)
    if wanted.rule:
        asked = asked.where(HUNK.c.rule == wanted.rule)
    if wanted.shard or wanted.owner or wanted.repository:
        asked = asked.where(HUNK.c.shard_id.in_(_shards(campaign, wanted)))
    if wanted.kind:
        asked = asked.where(_of_kind(wanted.kind))
    if wanted.assumed:
        asked = asked.where(sa.cast(HUNK.c.warnings, sa.Text) != "[]")
    if wanted.text:
        # In SQLite large and small letters are alike; ilike would make it slow.
        fits: ColumnElement[bool] = FILE.c.name.like(_like(wanted.text), escape=_ESCAPE)
        if wanted.in_code:
            fits |= HUNK.c.diff.like(_like(wanted.text), escape=_ESCAPE)
        asked = asked.where(fits)
    if wanted.equal_to is not None:
        one = sa.select(HUNK.c.rule, HUNK.c.code).where(HUNK.c.id == wanted.equal_to).subquery()
        asked = asked.join(one, (one.c.rule == HUNK.c.rule) & (one.c.code == HUNK.c.code))
    return asked


def _shards(campaign: int, wanted: Wanted) -> Select[Any]:
    asked = sa.select(SHARD.c.id).join(REPOSITORY, SHARD.c.repository_id == REPOSITORY.c.id)
    asked = asked.where(REPOSITORY.c.campaign_id == campaign)
    if wanted.shard:
        asked = asked.where(SHARD.c.name == wanted.shard)
    if wanted.repository:
        asked = asked.where(REPOSITORY.c.name == wanted.repository)
    if wanted.owner:
        # A list of texts, as JSON has it in every database.
        quoted = sa.cast(SHARD.c.owners, sa.Text).contains(f'"{wanted.owner}"', autoescape=True)
        asked = asked.where(quoted)
    return asked


def _of_kind(kind: str) -> ColumnElement[bool]:
    if kind == "regressed":
        return (HUNK.c.state == HunkState.PROPOSED.value) & HUNK.c.regressed
    return HUNK.c.kind == kind


def _like(text: str) -> str:
    for char in (_ESCAPE, "%", "_"):
        text = text.replace(char, _ESCAPE + char)
    return f"%{text}%"
