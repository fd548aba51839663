"""Rewrite machine-learning Python by rule, one reviewable hunk at a time.

The rooms are ``pinsetter.analyzer``, ``pinsetter.patterns`` and ``pinsetter.codemods``.
"""

from __future__ import annotations

from importlib import metadata
from typing import Any

__all__ = ["__version__"]


def __getattr__(name: str) -> Any:
    # To read it takes a while, which no run has to wait for.
    if name == "__version__":
        return metadata.version("pinsetter")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
