"""components_of: the files of a run, with those first that speak of what has roles."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from ..files.import_groups import Components
from ..files.listing import Listing
from ..library.declared import declared
from .role import default_roles, words_of


def components_of(paths: Iterable[Path], excluded: Sequence[str] = ()) -> Components:
    """The files below ``paths``, without those that patterns exclude; what speaks of training says
    a word of roles.yaml."""
    return Components(Listing(paths, excluded), words_of(default_roles()), declared().trains_by)
