"""Told: the folder that ``--state`` names."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Told:
    """``trusted``: what is in the folder is used, whoever made it."""

    path: Path
    trusted: bool = False
