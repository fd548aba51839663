"""Formatter: the tool that a repository is formatted with, by what its configuration says."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import tomli
import yaml

from pinsetter.analyzer.files.import_path import folders_around, real_path

from ..console.signals import stop_if_told

BLACK, RUFF, YAPF = "black", "ruff", "yapf"
# Folders around a file, up to that of its repository.
LEVELS = 30
_SECONDS = 60
# Nobody's settings are longer, in bytes.
LARGEST = 1_000_000
# The hooks of pre-commit that format, by their ids.
_HOOKS = {
    "black": BLACK, "black-jupyter": BLACK, "ruff-format": RUFF, "yapf": YAPF,
}  # fmt: skip


@dataclass(frozen=True)
class Setting:
    """A file that says which tool formats what is below its folder; ``maybe``: it has settings of a
    tool that also does other things."""

    tool: str
    path: Path
    maybe: bool = False


def setting_for(file: Path) -> Setting | None:
    """What the nearest folder around a file says. Settings that cannot be read, or are not of the
    form that a tool reads, say nothing."""
    return next(_settings_around(file), None)


def _style_for(file: Path) -> Setting | None:
    """Yapf's own settings: those of hooks say that it formats, and not how."""
    own = (found for found in _settings_around(file) if found.path.suffix != ".yaml")
    return next((found for found in own if found.tool == YAPF), None)


def _settings_around(file: Path) -> Iterator[Setting]:
    for folder in folders_around(file, LEVELS):
        for name, said in _READERS.items():
            path = folder / name
            try:
                fits = path.is_file() and path.stat().st_size <= LARGEST
                found = said(path.read_text("utf-8")) if fits else None
            except _UNREADABLE:
                continue
            if found is not None:
                yield Setting(found[0], path, found[1])


_UNREADABLE = (
    OSError, ValueError, yaml.YAMLError, RecursionError, TypeError, KeyError, AttributeError,
)  # fmt: skip
_Said: TypeAlias = "tuple[str, bool] | None"


def _in_pre_commit(text: str) -> _Said:
    data = yaml.safe_load(text)
    repositories = data if isinstance(data, list) else data["repos"]  # a list is the older form
    ids = [hook["id"] for repository in repositories for hook in repository["hooks"]]
    return next(((_HOOKS[id], False) for id in ids if id in _HOOKS), None)


def _in_pyproject(text: str) -> _Said:
    tools = tomli.loads(text).get("tool", {})
    for tool in (BLACK, YAPF):
        if tool in tools:
            return tool, False
    return _of_ruff(tools[RUFF]) if RUFF in tools else None


def _of_ruff(table: Mapping[str, Any]) -> _Said:
    return RUFF, "format" not in table


def _in_ruff(text: str) -> _Said:
    return _of_ruff(tomli.loads(text))


def _in_setup(text: str) -> _Said:
    return (YAPF, False) if "[yapf]" in map(str.strip, text.splitlines()) else None


_READERS: Mapping[str, Callable[[str], _Said]] = {
    ".pre-commit-config.yaml": _in_pre_commit,
    "pyproject.toml": _in_pyproject,
    "ruff.toml": _in_ruff,
    ".ruff.toml": _in_ruff,
    ".style.yapf": lambda text: (YAPF, False),
    "setup.cfg": _in_setup,
}
SETTINGS = tuple(_READERS)
"""The names of the files that say something."""


@dataclass(frozen=True)
class Formatter:
    """A tool that is installed. Black, ruff and yapf take their settings as data: none of them runs
    what a repository says."""

    tool: str
    program: str

    def whole(self, text: str, file: Path) -> str | None:
        """A file's text, formatted; None if the tool gives none."""
        return self._formatted(text, file, ())

    def lines(self, text: str, file: Path, ranges: Sequence[tuple[int, int]]) -> str | None:
        """The same with the lines of the ranges alone formatted, each from its first to its last
        line, from 1."""
        if self.tool == BLACK:
            return self._formatted(text, file, [f"--line-ranges={a}-{b}" for a, b in ranges])
        if self.tool == YAPF:
            return self._formatted(text, file, [f"--lines={a}-{b}" for a, b in ranges])
        found: str | None = text
        for a, b in sorted(ranges, reverse=True):  # it takes one, whose end is not in it
            found = (
                self._formatted(found, file, [f"--range={a}-{b + 1}"])
                if found is not None
                else None
            )
        return found

    def _formatted(self, text: str, file: Path, ranges: Sequence[str]) -> str | None:
        # Not in a folder of the repository: it may have settings that are not for this file.
        command = [self.program, *self._arguments(file), *ranges, *self._behind]
        try:
            done = subprocess.run(
                command, input=text.encode("utf-8"), capture_output=True, cwd=os.sep,
                timeout=_SECONDS, check=False,
            )  # fmt: skip
            return done.stdout.decode("utf-8") if done.returncode == 0 else None
        except (OSError, ValueError, subprocess.SubprocessError):
            stop_if_told()
            return None

    def _arguments(self, file: Path) -> Iterator[str]:
        path = str(real_path(file))
        if self.tool == BLACK:
            yield from ("--quiet", "--stdin-filename", path)
        elif self.tool == RUFF:
            yield from ("format", "--quiet", "--no-cache", "--stdin-filename", path)
        else:
            style = _style_for(file)
            if style is not None:
                yield f"--style={style.path}"

    @property
    def _behind(self) -> tuple[str, ...]:
        return () if self.tool == YAPF else ("-",)


def installed(tool: str, outside: Path | None = None) -> Formatter | None:
    """The tool beside this Python, or in PATH; there none that lies in the folder ``outside``, and
    none in a relative folder, which is in the tree when that is the current folder."""
    beside = shutil.which(tool, path=os.path.dirname(sys.executable))
    if beside is not None:
        return Formatter(tool, beside)
    for folder in filter(os.path.isabs, os.get_exec_path()):
        found = shutil.which(tool, path=folder)
        if found is not None and not (outside and _is_in(Path(found), outside)):
            return Formatter(tool, found)
    return None


def _is_in(program: Path, folder: Path) -> bool:
    return any(path.is_relative_to(folder) for path in (program, real_path(program)))
