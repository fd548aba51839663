"""Unclear: what is asked about a name cannot be told, with the reason."""


class Unclear(Exception):
    """The reason is its text, to be read after "Not renamed:"."""
