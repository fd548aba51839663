"""The tables of campaigns."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "campaign",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=100), nullable=False),
        sa.Column("pack", sa.Text(), nullable=False),
        sa.Column("settings", sa.JSON(), nullable=False),
        sa.Column("started", sa.BigInteger(), nullable=False),
        sa.Column("started_by", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_campaign")),
        sa.UniqueConstraint("name", name=op.f("uq_campaign_name")),
    )
    op.create_table(
        "repository",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("campaign_id", sa.Integer(), nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("branch", sa.Text(), nullable=False),
        sa.Column("commit", sa.String(length=64), nullable=True),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.ForeignKeyConstraint(
            ["campaign_id"],
            ["campaign.id"],
            name=op.f("fk_repository_campaign_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_repository")),
        sa.UniqueConstraint("campaign_id", "name", name=op.f("uq_repository_campaign_id_name")),
    )
    with op.batch_alter_table("repository", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_repository_campaign_id"), ["campaign_id"], unique=False
        )

    op.create_table(
        "scan",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("campaign_id", sa.Integer(), nullable=False),
        sa.Column("scanned", sa.BigInteger(), nullable=False),
        sa.Column("counts", sa.JSON(), nullable=False),
        sa.Column("commits", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(
            ["campaign_id"], ["campaign.id"], name=op.f("fk_scan_campaign_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_scan")),
    )
    with op.batch_alter_table("scan", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_scan_campaign_id"), ["campaign_id"], unique=False)

    op.create_table(
        "file",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("repository_id", sa.Integer(), nullable=False),
        sa.Column("path", sa.LargeBinary(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["repository_id"],
            ["repository.id"],
            name=op.f("fk_file_repository_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_file")),
        sa.UniqueConstraint("repository_id", "path", name=op.f("uq_file_repository_id_path")),
    )
    with op.batch_alter_table("file", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_file_repository_id"), ["repository_id"], unique=False)

    op.create_table(
        "shard",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("repository_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("owners", sa.JSON(), nullable=False),
        sa.Column("branch", sa.Text(), nullable=False),
        sa.Column("applied", sa.String(length=64), nullable=True),
        sa.Column("base", sa.String(length=64), nullable=True),
        sa.Column("request", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["repository_id"],
            ["repository.id"],
            name=op.f("fk_shard_repository_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_shard")),
        sa.UniqueConstraint("repository_id", "name", name=op.f("uq_shard_repository_id_name")),
    )
    with op.batch_alter_table("shard", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_shard_repository_id"), ["repository_id"], unique=False)

    op.create_table(
        "check",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("shard_id", sa.Integer(), nullable=False),
        sa.Column("command", sa.JSON(), nullable=False),
        sa.Column("base", sa.String(length=64), nullable=False),
        sa.Column("applied", sa.String(length=64), nullable=False),
        sa.Column("before_code", sa.Integer(), nullable=False),
        sa.Column("after_code", sa.Integer(), nullable=False),
        sa.Column("before_output", sa.Text(), nullable=False),
        sa.Column("after_output", sa.Text(), nullable=False),
        sa.Column("seconds", sa.Float(), nullable=False),
        sa.Column("checked", sa.BigInteger(), nullable=False),
        sa.Column("checked_by", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["shard_id"], ["shard.id"], name=op.f("fk_check_shard_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_check")),
    )
    with op.batch_alter_table("check", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_check_shard_id"), ["shard_id"], unique=False)

    op.create_table(
        "hunk",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("campaign_id", sa.Integer(), nullable=False),
        sa.Column("file_id", sa.Integer(), nullable=False),
        sa.Column("shard_id", sa.Integer(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("rule", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("why", sa.Text(), nullable=False),
        sa.Column("warnings", sa.JSON(), nullable=False),
        sa.Column("line", sa.Integer(), nullable=False),
        sa.Column("diff", sa.Text(), nullable=False),
        sa.Column("code", sa.String(length=64), nullable=False),
        sa.Column("surroundings", sa.String(length=64), nullable=False),
        sa.Column("requires", sa.JSON(), nullable=False),
        sa.Column("alternatives", sa.JSON(), nullable=False),
        sa.Column("state", sa.String(length=20), nullable=False),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("seen", sa.BigInteger(), nullable=False),
        sa.Column("changed", sa.BigInteger(), nullable=False),
        sa.Column("regressed", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(
            ["campaign_id"], ["campaign.id"], name=op.f("fk_hunk_campaign_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["file_id"], ["file.id"], name=op.f("fk_hunk_file_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["shard_id"], ["shard.id"], name=op.f("fk_hunk_shard_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_hunk")),
    )
    with op.batch_alter_table("hunk", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_hunk_campaign_id"), ["campaign_id"], unique=False)
        batch_op.create_index(
            batch_op.f("ix_hunk_campaign_id_kind_file_id_line"),
            ["campaign_id", "kind", "file_id", "line"],
            unique=False,
        )
        batch_op.create_index(
            batch_op.f("ix_hunk_campaign_id_rule_code_kind"),
            ["campaign_id", "rule", "code", "kind"],
            unique=False,
        )
        batch_op.create_index(
            batch_op.f("ix_hunk_campaign_id_shard_id_kind_regressed"),
            ["campaign_id", "shard_id", "kind", "regressed"],
            unique=False,
        )
        batch_op.create_index(batch_op.f("ix_hunk_file_id"), ["file_id"], unique=False)
        batch_op.create_index(batch_op.f("ix_hunk_shard_id"), ["shard_id"], unique=False)
        batch_op.create_index(
            batch_op.f("ix_hunk_shard_id_state"), ["shard_id", "state"], unique=False
        )

    op.create_table(
        "decision",
        sa.Column("hunk_id", sa.Integer(), nullable=False),
        sa.Column("verdict", sa.String(length=20), nullable=False),
        sa.Column("surroundings", sa.JSON(), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("pieces", sa.JSON(), nullable=False),
        sa.Column("decided", sa.BigInteger(), nullable=False),
        sa.Column("decided_by", sa.Text(), nullable=False),
        sa.Column("comment", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["hunk_id"], ["hunk.id"], name=op.f("fk_decision_hunk_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("hunk_id", name=op.f("pk_decision")),
    )
    op.create_table(
        "event",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("campaign_id", sa.Integer(), nullable=False),
        sa.Column("shard_id", sa.Integer(), nullable=True),
        sa.Column("hunk_id", sa.Integer(), nullable=True),
        sa.Column("kind", sa.String(length=40), nullable=False),
        sa.Column("about", sa.JSON(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("by", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["campaign_id"], ["campaign.id"], name=op.f("fk_event_campaign_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["hunk_id"], ["hunk.id"], name=op.f("fk_event_hunk_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["shard_id"], ["shard.id"], name=op.f("fk_event_shard_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_event")),
    )
    with op.batch_alter_table("event", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_event_campaign_id"), ["campaign_id"], unique=False)
        batch_op.create_index(
            batch_op.f("ix_event_campaign_id_id"), ["campaign_id", "id"], unique=False
        )
        batch_op.create_index(batch_op.f("ix_event_hunk_id"), ["hunk_id"], unique=False)
        batch_op.create_index(batch_op.f("ix_event_shard_id"), ["shard_id"], unique=False)


def downgrade() -> None:
    with op.batch_alter_table("event", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_event_shard_id"))
        batch_op.drop_index(batch_op.f("ix_event_hunk_id"))
        batch_op.drop_index(batch_op.f("ix_event_campaign_id_id"))
        batch_op.drop_index(batch_op.f("ix_event_campaign_id"))

    op.drop_table("event")
    op.drop_table("decision")
    with op.batch_alter_table("hunk", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_hunk_shard_id_state"))
        batch_op.drop_index(batch_op.f("ix_hunk_shard_id"))
        batch_op.drop_index(batch_op.f("ix_hunk_file_id"))
        batch_op.drop_index(batch_op.f("ix_hunk_campaign_id_shard_id_kind_regressed"))
        batch_op.drop_index(batch_op.f("ix_hunk_campaign_id_rule_code_kind"))
        batch_op.drop_index(batch_op.f("ix_hunk_campaign_id_kind_file_id_line"))
        batch_op.drop_index(batch_op.f("ix_hunk_campaign_id"))

    op.drop_table("hunk")
    with op.batch_alter_table("check", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_check_shard_id"))

    op.drop_table("check")
    with op.batch_alter_table("shard", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_shard_repository_id"))

    op.drop_table("shard")
    with op.batch_alter_table("file", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_file_repository_id"))

    op.drop_table("file")
    with op.batch_alter_table("scan", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_scan_campaign_id"))

    op.drop_table("scan")
    with op.batch_alter_table("repository", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_repository_campaign_id"))

    op.drop_table("repository")
    op.drop_table("campaign")
