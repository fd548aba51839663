"""Destination: where a run writes, and what its journal is told."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..state.folder import StateFolder
    from ..state.given_folder import Told


@dataclass(frozen=True)
class Kept:
    """What the journal of a run is told: the run's name, if it is not that of its packs, and the
    state folder, if it is not that of the tree."""

    codemod: str = ""
    state: Told | None = None


USUAL = Kept()


@dataclass(frozen=True)
class Destination:
    """Where a run writes: its journal and its name there. Files are below the journal's tree."""

    folder: StateFolder
    codemod: str
