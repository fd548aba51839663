"""Formatter: the tool that a repository is formatted with, by what its configuration says."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tomli
import yaml

from pinsetter.analyzer.files.import_path import folders_around, real_path

from ..console.signals import stop_if_told

BLACK, RUFF, YAPF = "black", "ruff", "yapf"
# Folders around a file, up to that of its repository.
_LEVELS = 30
_SECONDS = 60
# Nobody's settings are longer, in bytes.
_LARGEST = 1_000_000
_MAYBE = "?"
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
    """What the nearest folder around a file says. Settings that cannot be read say nothing."""
    for folder in folders_around(file, _LEVELS):
        for name, said in _READERS.items():
            path = folder / name
            try:
                fits = path.is_file() and path.stat().st_size <= _LARGEST
                tool = said(path.read_text("utf-8")) if fits else None
            except (OSError, ValueError, yaml.YAMLError, RecursionError):
                tool = None
            if tool is not None:
                return Setting(tool.removesuffix(_MAYBE), path, tool.endswith(_MAYBE))
    return None


def _in_pre_commit(text: str) -> str | None:
    data = yaml.safe_load(text)
    ids = [hook["id"] for repository in data["repos"] for hook in repository["hooks"]]
    return next((_HOOKS[id] for id in ids if id in _HOOKS), None)


def _in_pyproject(text: str) -> str | None:
    tools = tomli.loads(text).get("tool", {})
    if BLACK in tools:
        return BLACK
    if YAPF in tools:
        return YAPF
    return _of_ruff(tools[RUFF]) if RUFF in tools else None


def _in_ruff(text: str) -> str | None:
    return _of_ruff(tomli.loads(text))


def _of_ruff(table: Mapping[str, Any]) -> str:
    return RUFF if "format" in table else RUFF + _MAYBE


def _in_setup(text: str) -> str | None:
    return YAPF if any(line.strip() == "[yapf]" for line in text.splitlines()) else None


def _guarded(said: Any) -> Any:
    """What is not of the form that a tool reads says nothing."""

    def tolerant(text: str) -> str | None:
        try:
            found: str | None = said(text)
        except (TypeError, KeyError, AttributeError):
            return None
        return found

    return tolerant


_READERS: Mapping[str, Any] = {
    ".pre-commit-config.yaml": _guarded(_in_pre_commit),
    "pyproject.toml": _guarded(_in_pyproject),
    "ruff.toml": _guarded(_in_ruff),
    ".ruff.toml": _guarded(_in_ruff),
    ".style.yapf": lambda text: YAPF,
    "setup.cfg": _guarded(_in_setup),
}


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
        for a, b in sorted(ranges, reverse=True):  # it takes one range
            found = (
                self._formatted(found, file, [f"--range={a}-{b}"]) if found is not None else None
            )
        return found

    def _formatted(self, text: str, file: Path, ranges: Sequence[str]) -> str | None:
        try:
            with tempfile.TemporaryDirectory() as folder:
                done = subprocess.run(
                    [self.program, *self._arguments(file), *ranges, *self._behind],
                    input=text.encode("utf-8"), capture_output=True, cwd=folder,
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
            setting = setting_for(file)
            if setting is not None and setting.tool == YAPF and setting.path.suffix != ".yaml":
                yield f"--style={setting.path}"

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
