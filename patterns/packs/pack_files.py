"""pack_files: where packs and parts are, those that come with us and those that are installed."""

from __future__ import annotations

import importlib.resources
from pathlib import Path

FOLDER = Path(str(importlib.resources.files(__package__)))


def find(name: str) -> Path | None:
    """The pack, or the choice of packs, called ``name`` that comes with the package, or else with
    another that is installed."""
    own = next((path for path in [*bundled(), *choices()] if path.stem == name), None)
    if own is not None:
        return own
    from .installed import installed  # reads what is said of all packages

    return installed().get(name)


def bundled() -> list[Path]:
    """All packs that come with the package."""
    return sorted(FOLDER.glob("*.yaml"))


def parts() -> list[Path]:
    """All parts that come with the package, for packs to include."""
    return sorted(path for path in FOLDER.glob("*/*.yaml") if path.parent.name != "choices")


def choices() -> list[Path]:
    """All choices of packs that come with the package."""
    return sorted(FOLDER.glob("choices/*.yaml"))
