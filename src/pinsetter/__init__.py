"""Rewrite machine-learning Python by rule, one reviewable hunk at a time.

The rooms are ``pinsetter.analyzer``, ``pinsetter.patterns`` and ``pinsetter.codemods``. Scripts
take ``Query``, and the rule language's predicates, from here: ``from pinsetter import Query, isa``.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["Query", "__version__"]


def __getattr__(name: str) -> Any:
    # To read these takes a while, which no run has to wait for, nor a program that was rewritten.
    from importlib import import_module

    if name == "__version__":
        metadata = import_module("importlib.metadata")
        return metadata.version("pinsetter")
    if not name.startswith("__"):
        # The rooms ask this package for the version; it imports none of them by itself.
        fluent = import_module("pinsetter.codemods.engine.bowler.fluent")
        return fluent.Query if name == "Query" else fluent.condition(name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
