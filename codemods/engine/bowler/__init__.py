"""Bowler itself, with our parser, review and writer in it."""
