"""passes: the packs that a pack runs one after the other over one function."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pinsetter.analyzer.messages.problem import Problem

from ..reading.yaml_file import PackFile
from .pack_files import find


@dataclass(frozen=True)
class Pass:
    """One of several packs that are run one after the other, with its ``options``: where
    ``option`` is chosen, and ``unless`` is not. A ``path`` need not be there."""

    pack: str
    path: Path
    options: tuple[str, ...] = ()
    option: str | None = None
    unless: str | None = None

    @classmethod
    def of(cls, raw: Mapping[str, Any], folder: Path) -> Pass:
        """``folder`` is where files are looked for."""
        path = find(raw["pack"]) or folder / raw["pack"]
        return cls(**{**raw, "path": path, "options": tuple(raw.get("options", ()))})

    def is_chosen(self, chosen: Collection[str]) -> bool:
        return (self.option is None or self.option in chosen) and self.unless not in chosen


def missing_passes(file: PackFile) -> list[Problem]:
    """What a file names in ``passes`` and is not there."""
    given = file.data.get("passes", [])
    names = [raw.get("pack") if isinstance(raw, dict) else None for raw in given]
    hint = "`pinsetter list` has those that there are; a file is looked for beside this one"
    return [
        file.problem(f"there is no pack {name!r}", "passes", at, "pack", hint=hint)
        for at, name in enumerate(names)
        if isinstance(name, str) and not Pass.of({"pack": name}, file.path.parent).path.is_file()
    ]
