"""Accepted hunks into files, so that a crash at any instant loses nothing."""
