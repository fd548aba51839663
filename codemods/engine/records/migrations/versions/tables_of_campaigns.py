"""The tables of campaigns, as they were at first."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def _id() -> sa.Column[int]:
    return sa.Column("id", sa.Integer(), primary_key=True)


def _of(table: str, nullable: bool = False) -> sa.Column[int]:
    key = sa.ForeignKey(f"{table}.id", ondelete="CASCADE")
    return sa.Column(f"{table}_id", sa.Integer(), key, nullable=nullable, index=True)


def _has(kind: sa.types.TypeEngine[Any], *names: str) -> list[sa.Column[Any]]:
    return [sa.Column(name, kind, nullable=False) for name in names]


def _may_have(kind: sa.types.TypeEngine[Any], *names: str) -> list[sa.Column[Any]]:
    return [sa.Column(name, kind) for name in names]


def upgrade() -> None:
    text, whole, time, json = sa.Text(), sa.Integer(), sa.BigInteger(), sa.JSON()
    commit, word = sa.String(64), sa.String(20)
    op.create_table(
        "campaign", _id(),
        sa.Column("name", sa.String(100), nullable=False, unique=True),
        *_has(text, "pack"), *_has(json, "settings"), *_has(time, "started"),
        *_has(text, "started_by"),
    )  # fmt: skip
    op.create_table(
        "repository", _id(), _of("campaign"), *_has(text, "path", "name", "branch"),
        *_may_have(commit, "commit"), *_has(commit, "digest"),
        sa.UniqueConstraint("campaign_id", "name"),
    )  # fmt: skip
    op.create_table(
        "shard", _id(), _of("repository"), *_has(text, "name"), *_has(json, "owners"),
        *_has(text, "branch"), *_may_have(commit, "applied", "base"), *_may_have(text, "request"),
        sa.UniqueConstraint("repository_id", "name"),
    )  # fmt: skip
    op.create_table(
        "file", _id(), _of("repository"), *_has(sa.LargeBinary(), "path"), *_has(text, "name"),
        sa.UniqueConstraint("repository_id", "path"),
    )  # fmt: skip
    op.create_table(
        "hunk", _id(), _of("campaign"), _of("file"), _of("shard"),
        *_has(text, "key", "rule", "title", "why"), *_has(json, "warnings"), *_has(whole, "line"),
        *_has(text, "diff"), *_has(commit, "code", "surroundings"),
        *_has(json, "requires", "alternatives"), *_has(word, "state", "kind"),
        *_has(time, "seen", "changed"), *_has(sa.Boolean(), "regressed"),
    )  # fmt: skip
    for columns in (
        ("shard_id", "state"), ("campaign_id", "kind", "file_id", "line"),
        ("campaign_id", "shard_id", "kind", "regressed"), ("campaign_id", "rule", "code", "kind"),
    ):  # fmt: skip
        op.create_index(None, "hunk", columns)
    key = sa.ForeignKey("hunk.id", ondelete="CASCADE")
    op.create_table(
        "decision", sa.Column("hunk_id", whole, key, primary_key=True), *_has(word, "verdict"),
        *_has(json, "surroundings"), *_has(commit, "digest"), *_has(json, "pieces"),
        *_has(time, "decided"), *_has(text, "decided_by", "comment"),
    )  # fmt: skip
    op.create_table(
        "check", _id(), _of("shard"), *_has(json, "command"), *_has(commit, "base", "applied"),
        *_has(whole, "before_code", "after_code"), *_has(text, "before_output", "after_output"),
        *_has(sa.Float(), "seconds"), *_has(time, "checked"), *_has(text, "checked_by"),
    )  # fmt: skip
    op.create_table(
        "scan", _id(), _of("campaign"), *_has(time, "scanned"), *_has(json, "counts", "commits")
    )
    op.create_table(
        "event", _id(), _of("campaign"), _of("shard", nullable=True), _of("hunk", nullable=True),
        *_has(sa.String(40), "kind"), *_has(json, "about"), *_has(time, "at"), *_has(text, "by"),
    )  # fmt: skip
    op.create_index(None, "event", ("campaign_id", "id"))
