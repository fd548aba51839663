"""The steps by which a database of campaigns became what it is; Alembic runs them."""
