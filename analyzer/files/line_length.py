"""line_length: how long lines may be, by what formatters and linters are told in a repository."""

from __future__ import annotations

import configparser
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import tomli

from . import disk
from .import_path import folders_around

LEVELS = 5
"""In how many folders around a file settings are looked for."""
FILES = (
    "pyproject.toml", "ruff.toml", ".ruff.toml", ".style.yapf", "setup.cfg", "tox.ini", ".flake8",
    ".editorconfig",
)  # fmt: skip
"""The files that may say it, those that formatters read first."""
_BLACK = 88
_SECTIONS = {
    "style": "column_limit",
    "yapf": "column_limit",
    "flake8": "max-line-length",
    "pycodestyle": "max-line-length",
    "*.py": "max_line_length",
    "*": "max_line_length",
}


def line_length(file: Path) -> int | None:
    """How many columns the settings of the nearest folder around a file that says so allow; None
    where none does. Files that cannot be read say nothing."""
    for folder in folders_around(file, LEVELS):
        names = disk.names_in(folder)
        for name in FILES:
            found = next(_said(folder / name), None) if name in names else None
            if found is not None:
                return found
    return None


def _said(path: Path) -> Iterator[int]:
    try:
        text = disk.read_text(path)
        yield from _in_toml(path.name, text) if path.suffix == ".toml" else _in_sections(text)
    except (OSError, ValueError, configparser.Error, RecursionError):
        return


def _in_toml(name: str, text: str) -> Iterator[int]:
    data: Mapping[str, Any] = tomli.loads(text)
    tools = {"ruff": data} if name.endswith("ruff.toml") else data.get("tool", {})
    for tool, key in (("black", "line-length"), ("ruff", "line-length"), ("yapf", "column_limit")):
        if isinstance(tools.get(tool), dict):
            usual = _BLACK if tool == "black" or "format" in tools[tool] else None
            yield from _number(tools[tool].get(key, usual))


def _in_sections(text: str) -> Iterator[int]:
    parser = configparser.RawConfigParser(strict=False, allow_no_value=True)
    # An .editorconfig begins without a section.
    parser.read_string(f"[root]\n{text}")
    for section, key in _SECTIONS.items():
        if parser.has_section(section):
            yield from _number(parser.get(section, key, fallback=None))


def _number(value: object) -> Iterator[int]:
    if isinstance(value, int | str) and str(value).strip().isdigit():
        yield int(value)
