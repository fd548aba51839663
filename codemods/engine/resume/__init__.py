"""What was decided before, put to the hunks of a run; what is decided now, saved."""
