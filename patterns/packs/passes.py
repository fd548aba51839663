"""passes: the packs that a pack runs one after the other over one function."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pinsetter.analyzer.messages.problem import Problem

from ..reading.yaml_file import PackFile, read
from .pack_files import bundled, find


@dataclass(frozen=True)
class Pass:
    """One of several packs that are run one after the other, with its ``options``: where
    ``option`` is chosen, and ``unless`` is not."""

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


def wrong_passes(
    file: PackFile, load: Callable[[Path], object | list[Problem]]
) -> Iterator[Problem]:
    """What is wrong with the packs that a file names in ``passes``."""
    given = file.data.get("passes", [])
    for at, raw in enumerate(given):
        name = raw.get("pack") if isinstance(raw, dict) else None
        if not isinstance(name, str):
            continue
        path = Pass.of({"pack": name}, file.path.parent).path
        if not path.is_file():
            hint = "`pinsetter list` has those that there are; a file is looked for beside this one"
            yield file.problem(f"there is no pack {name!r}", "passes", at, "pack", hint=hint)
            continue
        found = read(path)
        if isinstance(found, PackFile) and found.data.get("passes"):
            reason = f"{name!r}, which is a pass, has passes of its own"
            yield file.problem(reason, "passes", at, "pack", hint="name those here")
        # What comes with the package was checked before.
        elif path not in bundled():
            loaded = load(path)
            yield from loaded if isinstance(loaded, list) else ()
