"""tables: what is kept of campaigns, as SQLAlchemy has it; ``migrations`` make it of a database."""

from __future__ import annotations

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
)

METADATA = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)


def _of(table: str, nullable: bool = False) -> Column[int]:
    name = f"{table}_id"
    key = ForeignKey(f"{table}.id", ondelete="CASCADE")
    return Column(name, Integer, key, nullable=nullable, index=True)


CAMPAIGN = Table(
    "campaign", METADATA,
    Column("id", Integer, primary_key=True),
    Column("name", String(100), nullable=False, unique=True),
    Column("pack", Text, nullable=False),
    Column("settings", JSON, nullable=False),
    Column("started", BigInteger, nullable=False),
    Column("started_by", Text, nullable=False),
)  # fmt: skip
"""``settings`` are those of the command that started it. Times are microseconds since 1970, UTC."""

REPOSITORY = Table(
    "repository", METADATA,
    Column("id", Integer, primary_key=True),
    _of("campaign"),
    Column("path", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("branch", Text, nullable=False),
    Column("commit", String(64)),
    Column("digest", String(64), nullable=False),
    UniqueConstraint("campaign_id", "name"),
)  # fmt: skip
"""``commit`` is the one that was scanned last, of ``branch``, with packs of that ``digest``."""

SHARD = Table(
    "shard", METADATA,
    Column("id", Integer, primary_key=True),
    _of("repository"),
    Column("name", Text, nullable=False),
    Column("owners", JSON, nullable=False),
    Column("branch", Text, nullable=False),
    Column("applied", String(64)),
    Column("base", String(64)),
    Column("request", Text),
    UniqueConstraint("repository_id", "name"),
)  # fmt: skip
"""``applied`` is the commit that ``apply`` made last, on ``base``, ``request`` the address of what
asks for it to be taken over."""

FILE = Table(
    "file", METADATA,
    Column("id", Integer, primary_key=True),
    _of("repository"),
    Column("path", LargeBinary, nullable=False),
    Column("name", Text, nullable=False),
    UniqueConstraint("repository_id", "path"),
)  # fmt: skip
"""A file for which something was proposed; ``path`` is relative to the repository, ``name`` the
same as text."""

HUNK = Table(
    "hunk", METADATA,
    Column("id", Integer, primary_key=True),
    _of("campaign"),
    _of("file"),
    _of("shard"),
    Column("key", Text, nullable=False),
    Column("rule", Text, nullable=False),
    Column("title", Text, nullable=False),
    Column("why", Text, nullable=False),
    Column("warnings", JSON, nullable=False),
    Column("line", Integer, nullable=False),
    Column("diff", Text, nullable=False),
    Column("code", String(64), nullable=False),
    Column("surroundings", String(64), nullable=False),
    Column("requires", JSON, nullable=False),
    Column("alternatives", JSON, nullable=False),
    Column("state", String(20), nullable=False),
    Column("kind", String(20), nullable=False),
    Column("seen", BigInteger, nullable=False),
    Column("changed", BigInteger, nullable=False),
    Column("regressed", Boolean, nullable=False),
    Index(None, "shard_id", "state"),
    Index(None, "campaign_id", "kind", "file_id", "line"),
    Index(None, "campaign_id", "shard_id", "kind", "regressed"),
    Index(None, "campaign_id", "rule", "code", "kind"),
)  # fmt: skip
"""``key`` is the id that the plan gives the hunk, ``code`` a digest of the lines that it takes away
and puts there; ``seen`` and ``changed`` are when it was first proposed, and when its ``state``
became what it is; ``kind`` follows from state and decision. ``requires`` and ``alternatives`` are
keys."""

DECISION = Table(
    "decision", METADATA,
    Column("hunk_id", Integer, ForeignKey("hunk.id", ondelete="CASCADE"), primary_key=True),
    Column("verdict", String(20), nullable=False),
    Column("surroundings", JSON, nullable=False),
    Column("digest", String(64), nullable=False),
    Column("pieces", JSON, nullable=False),
    Column("decided", BigInteger, nullable=False),
    Column("decided_by", Text, nullable=False),
    Column("comment", Text, nullable=False),
)  # fmt: skip
"""The verdict that holds; what was said before is an event."""

CHECK = Table(
    "check", METADATA,
    Column("id", Integer, primary_key=True),
    _of("shard"),
    Column("command", JSON, nullable=False),
    Column("base", String(64), nullable=False),
    Column("applied", String(64), nullable=False),
    Column("before_code", Integer, nullable=False),
    Column("after_code", Integer, nullable=False),
    Column("before_output", Text, nullable=False),
    Column("after_output", Text, nullable=False),
    Column("seconds", Float, nullable=False),
    Column("checked", BigInteger, nullable=False),
    Column("checked_by", Text, nullable=False),
)  # fmt: skip

SCAN = Table(
    "scan", METADATA,
    Column("id", Integer, primary_key=True),
    _of("campaign"),
    Column("scanned", BigInteger, nullable=False),
    Column("counts", JSON, nullable=False),
    Column("commits", JSON, nullable=False),
)  # fmt: skip
"""What a scan of all repositories counted, for the burndown."""

EVENT = Table(
    "event", METADATA,
    Column("id", Integer, primary_key=True),
    _of("campaign"),
    _of("shard", nullable=True),
    _of("hunk", nullable=True),
    Column("kind", String(40), nullable=False),
    Column("about", JSON, nullable=False),
    Column("at", BigInteger, nullable=False),
    Column("by", Text, nullable=False),
    Index(None, "campaign_id", "id"),
)  # fmt: skip
