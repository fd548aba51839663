"""What Alembic runs a migration in: the connection that it is given, and nothing else."""

from __future__ import annotations

from alembic import context

from pinsetter.codemods.engine.records.tables import METADATA

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=METADATA,
    render_as_batch=True,
    transactional_ddl=False,  # it is in a transaction already
)
context.run_migrations()
