"""checks: what commands said of shards."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from .tables import CHECK


@dataclass(frozen=True)
class CheckRow:
    """``before`` and ``after`` are a command's exit codes at ``base`` and at ``applied``."""

    shard: int
    command: tuple[str, ...]
    base: str
    applied: str
    before: int
    after: int
    before_output: str
    after_output: str
    seconds: float
    at: int
    by: str

    @property
    def is_worse(self) -> bool:
        return self.after != 0 and self.before == 0


def add(connection: Connection, row: CheckRow) -> None:
    connection.execute(sa.insert(CHECK).values(
        shard_id=row.shard, command=list(row.command), base=row.base, applied=row.applied,
        before_code=row.before, after_code=row.after, before_output=row.before_output,
        after_output=row.after_output, seconds=row.seconds, checked=row.at, checked_by=row.by,
    ))  # fmt: skip


def newest(connection: Connection, shards: Sequence[int]) -> dict[int, CheckRow]:
    """The last check of each shard that has one."""
    asked = sa.select(CHECK).where(CHECK.c.shard_id.in_(list(shards))).order_by(CHECK.c.id)
    return {
        row.shard_id: CheckRow(
            row.shard_id, tuple(row.command), row.base, row.applied, row.before_code,
            row.after_code, row.before_output, row.after_output, row.seconds, row.checked,
            row.checked_by,
        )
        for row in connection.execute(asked)
    }  # fmt: skip
