"""From edits to hunks, review and files."""
