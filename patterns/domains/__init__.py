"""Predicates that only the programs of one library need: a folder for each."""
