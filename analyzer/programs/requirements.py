"""Requirements: the versions of packages that a repository's own files ask for."""

from __future__ import annotations

import fnmatch
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import InvalidVersion, Version

from ..files import disk, line_length
from ..files.import_path import folders_around

_FILES = (
    "requirements*.txt", "setup.py", "Pipfile", "environment*.yml", "environment*.yaml",
    *line_length.FILES,
)  # fmt: skip
_NAMED = re.compile("|".join(fnmatch.translate(os.path.normcase(name)) for name in _FILES))
_FOLDER = "requirements"
LEVELS = 5
"""In how many folders around a script requirements are looked for."""
_CLAUSE = r"(?:===|[<>=!~]=|[<>=])\s*v?[\w.*+!-]+"


@dataclass(frozen=True)
class Requirement:
    """What is asked of a package, and where."""

    package: str
    versions: SpecifierSet
    path: Path
    line: int

    def excludes(self, releases: Iterable[Version], among: Callable[[Version], bool]) -> bool:
        """Whether it asks for something and no release will do that is ``among`` some: of those
        that are known, and those that it names itself, for nobody knows all."""
        return bool(self.versions) and not any(
            self.versions.contains(version, prereleases=True)
            for version in (*releases, *self._named())
            if among(Version(version.base_version))
        )

    def _named(self) -> Iterator[Version]:
        for one in self.versions:
            with suppress(InvalidVersion):  # `===` may be followed by anything
                yield Version(one.version.removesuffix(".*"))


def requirements(script: Path, packages: Sequence[str]) -> Iterator[Requirement]:
    """What the nearest folder around a script that asks for one of the packages says of them.

    The files are read as text, whatever their format; conda's single ``=`` counts as ``==``.
    """
    asked = _pattern(packages, re.IGNORECASE)
    for folder in folders_around(script, LEVELS):
        found = list(_in_folder(folder, asked))
        if found:
            yield from found
            return


def requirements_in(text: str, path: Path, packages: Sequence[str]) -> Iterator[Requirement]:
    """What a program's own text says of the packages, as the comment `pip install six==1.16`."""
    return _in_lines(text.splitlines(), path, _pattern(packages))


def _pattern(packages: Sequence[str], flags: int = 0) -> re.Pattern[str]:
    names = "|".join(map(re.escape, packages))
    return re.compile(
        rf"(?<![\w.-])({names})\s*(?:\[[\w,\s-]*\])?[\"']?\s*(?:=\s*[\"'])?"
        rf"({_CLAUSE}(?:\s*,\s*{_CLAUSE})*)",
        flags,
    )


def requirement_files(folder: Path) -> list[Path]:
    """The files of a folder that may ask for packages, declare scripts, or say how code is to be
    written."""
    names = disk.names_in(folder)
    found = [folder / name for name in _named(tuple(names))]
    if _FOLDER in names:
        inside = folder / _FOLDER
        found += [inside / name for name in disk.names_in(inside) if name.endswith(".txt")]
    return sorted(found)


# They are asked for again and again, and the outermost folder of a large repository has thousands.
@lru_cache(maxsize=64)
def _named(names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(name for name in names if _NAMED.match(os.path.normcase(name)))


def _in_folder(folder: Path, asked: re.Pattern[str]) -> Iterator[Requirement]:
    for path in requirement_files(folder):
        try:
            lines = disk.read_text(path).splitlines()
        except OSError:
            continue
        yield from _in_lines((line.partition("#")[0] for line in lines), path, asked)


def _in_lines(lines: Iterable[str], path: Path, asked: re.Pattern[str]) -> Iterator[Requirement]:
    for number, line in enumerate(lines, 1):
        for match in asked.finditer(line):
            clauses = re.sub(r"(?<![<>=!~])=(?!=)", "==", match[2])
            try:
                versions = SpecifierSet(clauses)
            except InvalidSpecifier:
                continue
            yield Requirement(match[1].lower(), versions, path, number)
