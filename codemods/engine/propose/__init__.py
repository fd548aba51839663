"""From paths and packs to hunks, reports and refusals."""
