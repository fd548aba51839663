"""copied_settings: what a formatter looks for on this machine, of files that are not on it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable
from pathlib import Path

import tomli

from pinsetter.analyzer.files import disk
from pinsetter.analyzer.files.import_path import folders_around

from .formatter import LARGEST, LEVELS, RUFF, SETTINGS


def copy_settings(files: Iterable[Path], top: Path, to: Path) -> None:
    """Have at ``to`` the settings around some files of the repository at ``top``, as ``disk`` reads
    it, and nothing else. Raises OSError."""
    top = top.resolve()
    shutil.rmtree(to, ignore_errors=True)
    # Here a formatter ends looking.
    (to / ".git").mkdir(parents=True)
    folders = {folder for file in files for folder in folders_around(file, LEVELS)}
    waiting = [folder / name for folder in sorted(folders) for name in SETTINGS]
    done: set[Path] = set()
    for path in waiting:  # grows by what they extend
        if path in done or not path.is_relative_to(top) or not disk.is_file(path):
            continue
        done.add(path)
        data = disk.read(path)
        if len(data) <= LARGEST:
            copy = to / path.relative_to(top)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(data)
            waiting += _extended(path, data)


def _extended(path: Path, data: bytes) -> Iterable[Path]:
    """The settings that those of ruff begin with."""
    if path.suffix != ".toml":
        return
    try:
        table = tomli.loads(data.decode("utf-8"))
        name = (table.get("tool", {}).get(RUFF, {}) if path.stem == "pyproject" else table)[
            "extend"
        ]
        yield Path(os.path.normpath(path.parent / name))
    except (ValueError, KeyError, AttributeError, TypeError):
        return
