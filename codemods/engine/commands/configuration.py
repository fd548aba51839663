"""configuration: the options of a run that a repository's own files give.

``[tool.pinsetter]`` of ``pyproject.toml``, or ``[pinsetter]`` of ``setup.cfg``, in the nearest
folder at or above what the run is about that has one. What the command line says overrules it. Such
a file comes with the code, and is not trusted with more than which hunks are proposed and how they
are asked about: not with where code is sent, nor with what is written, nor with how much of the
machine is taken.
"""

from __future__ import annotations

import configparser
import difflib
import errno
import os
import re
import stat
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from pinsetter.analyzer.files.import_path import root_of
from pinsetter.analyzer.messages.problem import Problem

from ..console.exit_code import ExitCode
from ..console.terminal import echo, echo_problem
from ..state.folder import common_folder

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

KEYS = (
    "skip", "only", "exclude", "option", "shard", "comments", "format-with", "include-generated",
    "whole-program", "strict", "by", "enter", "max-file-size", "max-nesting", "max-hunks",
)  # fmt: skip
_TOML, _CFG, _SECTION = "pyproject.toml", "setup.cfg", "pinsetter"
# Nor is what a link in a circle leads to.
_NOT_THERE = (errno.ENOENT, errno.ENOTDIR, errno.EISDIR, errno.ELOOP)
_TRUE, _FALSE = ("1", "yes", "true", "on"), ("0", "no", "false", "off")


@dataclass(frozen=True)
class Setting:
    """A value that a file gives an option, and the line where."""

    value: Any
    path: Path
    line: int


def configuration_of(paths: Iterable[Path]) -> tuple[Path, Mapping[str, Any]] | Problem | None:
    """The nearest file that configures a run on ``paths``, with its keys and values as they are;
    the Problem says why it cannot be read."""
    there = [path for path in paths if os.path.exists(path)]
    start = common_folder(there) if there else Path.cwd()
    top = root_of(start)
    for folder in (start, *start.parents):
        for name in (_TOML, _CFG):
            found = _read(folder / name)
            if isinstance(found, Problem):
                return found
            if found is not None:
                return folder / name, found
        if folder == top:
            break
    return None


def settings_of(
    paths: Iterable[Path], command: click.Command
) -> dict[str, Setting] | list[Problem]:
    """What configures a run, by the names of the command's parameters; each mistake is a Problem
    with its line."""
    found = configuration_of(paths)
    if isinstance(found, Problem):
        return [found]
    if found is None:
        return {}
    path, given = found
    options = _options(command)
    settings: dict[str, Setting] = {}
    problems = []
    for key, value in given.items():
        line = _line_of(path, key)
        option = options.get(key)
        if option is None:
            problems.append(Problem(path, f"there is no key {key!r}", line, hint=_near(key)))
            continue
        made = _converted(option, value, path.name == _CFG)
        if isinstance(made, str):
            problems.append(Problem(path, f"{key} {made}", line))
        else:
            settings[str(option.name)] = Setting(made[0], path, line)
    return problems or settings


def take_over(context: click.Context, given: dict[str, Any]) -> None:
    """Put what a file says in the place of defaults. Exits with 3, having said why, if it is
    wrong."""
    found = settings_of(given["paths"], context.command)
    if isinstance(found, list):
        for problem in found:
            echo_problem(problem)
        sys.exit(ExitCode.USAGE)
    told = {
        option.name: key for key, option in _options(context.command).items()
        if option.name in found
        and context.get_parameter_source(option.name) is ParameterSource.DEFAULT
    }  # fmt: skip
    for name in told:
        given[name] = found[name].value
    if given["verbose"]:
        for name, key in told.items():
            setting = found[name]
            echo(f"{setting.path}:{setting.line}: {key} = {_shown(setting.value)}", err=True)
    elif told and not given["quiet"]:
        path = next(iter(found.values())).path
        echo(f"{path} configures {', '.join(told.values())}", err=True)


def rows(
    paths: Sequence[Path], command: click.Command
) -> list[tuple[str, str, str]] | list[Problem]:
    """Each key with its value and where that is from."""
    found = settings_of(paths, command)
    if isinstance(found, list):
        return found
    made = []
    for key, option in _options(command).items():
        setting = found.get(str(option.name))
        if setting is not None:
            made.append((key, _shown(setting.value), f"{setting.path}:{setting.line}"))
        else:
            default = option.get_default(click.Context(command), call=True)
            made.append((key, _shown(default), "default"))
    return made


def _options(command: click.Command) -> dict[str, click.Option]:
    """The options that a file may give, by their keys."""
    found = {}
    for parameter in command.params:
        for name in parameter.opts:
            key = name.removeprefix("--")
            if isinstance(parameter, click.Option) and key in KEYS:
                found[key] = parameter
    return {key: found[key] for key in KEYS if key in found}


def _near(key: str) -> str:
    close = difflib.get_close_matches(key.replace("_", "-"), KEYS, 1)
    if close:
        return f"did you mean {close[0]}?"
    return "`pinsetter config` shows those that there are"


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple | list):
        return ", ".join(map(str, value))
    # What click puts in the place of no default is neither.
    return str(value) if isinstance(value, str | int) else ""


def _converted(option: click.Option, value: Any, is_text: bool) -> tuple[Any] | str:
    """The value as the option has it, in a tuple; or what is wrong with it."""
    if option.is_flag:
        if is_text and str(value).lower() in (*_TRUE, *_FALSE):
            value = str(value).lower() in _TRUE
        return (value,) if isinstance(value, bool) else "has to be true or false"
    if option.multiple:
        if is_text:
            value = [part for part in re.split(r"[,\n]\s*", str(value)) if part.strip()]
        elif isinstance(value, str):
            value = [value]
        if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
            return "has to be a list of strings"
        return (tuple(one.strip() for one in value),)
    if isinstance(value, bool) or not isinstance(value, str | int):
        return "has to be a number or a string"
    try:
        return (option.type.convert(str(value), option, None),)
    except click.BadParameter as error:
        return f"is wrong: {error.message}"


def _read(path: Path) -> Mapping[str, Any] | Problem | None:
    """The file's section about Pinsetter; None if it has none."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            return None  # to read a pipe, or a device, may take for ever
        text = path.read_text("utf-8-sig")
    except OSError as error:
        if error.errno in _NOT_THERE:
            return None
        return Problem(path, f"cannot be read: {error.strerror}")
    except UnicodeDecodeError:
        return Problem(path, "cannot be read: it is no UTF-8")
    if _SECTION not in text:
        return None
    if path.name == _CFG:
        parser = configparser.ConfigParser(interpolation=None)
        try:
            parser.read_string(text)
        except configparser.Error as error:
            return Problem(path, f"cannot be read: {str(error).splitlines()[0]}")
        return dict(parser[_SECTION]) if parser.has_section(_SECTION) else None
    try:
        tool = tomllib.loads(text).get("tool", {})
    except tomllib.TOMLDecodeError as error:
        return Problem(path, f"cannot be read: {error}")
    found = tool.get(_SECTION) if isinstance(tool, dict) else None
    if found is not None and not isinstance(found, dict):
        return Problem(path, "tool.pinsetter has to be a table", _line_of(path, _SECTION))
    return found


def _line_of(path: Path, key: str) -> int:
    """The line of a key in the section about Pinsetter; that of the section if it is not found."""
    inside, section = False, 0
    for number, line in enumerate(path.read_text("utf-8-sig").splitlines(), 1):
        if line.lstrip().startswith("["):
            inside = line.strip().startswith((f"[tool.{_SECTION}", f"[{_SECTION}]"))
            section = number if inside else section
        elif inside and re.match(rf"\s*[\"']?{re.escape(key)}[\"']?\s*[=:]", line):
            return number
    return section
