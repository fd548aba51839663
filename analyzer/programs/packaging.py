"""Console scripts that a repository declares, in setup.cfg, setup.py and pyproject.toml.

Nothing is executed. What cannot be read so is said as a Problem, which stops nothing.
"""

from __future__ import annotations

import configparser
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fissix.pygram import python_symbols as symbols

from ..files import disk
from ..messages.problem import Problem
from ..names.module import Module, load
from ..syntax.own_reading import literal_value
from ..syntax.tree import LN, Argument, dotted, is_name

if sys.version_info >= (3, 11):
    import tomllib

_REFERENCE = re.compile(r"([^=]+?)\s*=\s*([\w.]+)\s*(?::\s*([\w.]+))?\s*(?:\[.*\])?")
_GROUPS = ("console_scripts", "gui_scripts")
_HEADER = re.compile(r"\s*\[\s*([^\[\]]+?)\s*\]\s*(?:#.*)?")
_TOML_LINE = re.compile(r"""\s*["']?([^"'=\s]+)["']?\s*=\s*["']([^"']*)["']\s*(?:#.*)?""")
_TOML_TABLES = {
    "project.scripts", "project.gui-scripts", "tool.poetry.scripts", "tool.flit.scripts",
    "tool.setuptools.package-dir",
}  # fmt: skip


@dataclass(frozen=True)
class ConsoleScript:
    """A command ``name`` that calls ``function`` of ``module``; or ``path`` is a script itself."""

    name: str
    module: str
    function: str
    source: Path
    path: Path | None = None


@dataclass
class Packaging:
    """What the files of one folder declare."""

    folder: Path
    scripts: list[ConsoleScript] = field(default_factory=list)
    package_dir: dict[str, str] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)

    def candidates(self, module: str) -> Iterator[Path]:
        """Where the file of a declared module may be, most likely first."""
        parts = module.split(".")
        for length in range(len(parts), -1, -1):
            package = ".".join(parts[:length])
            if package in self.package_dir:
                yield from _files(self.folder / self.package_dir[package], parts[length:])
        yield from _files(self.folder, parts)
        yield from _files(self.folder / "src", parts)


def read_packaging(folder: Path) -> Packaging:
    """The console scripts that the files in ``folder`` declare."""
    found = Packaging(folder)
    for name, read in (("setup.cfg", _setup_cfg), ("setup.py", _setup_py),
                       ("pyproject.toml", _pyproject)):  # fmt: skip
        path = folder / name
        try:
            # Most setup.py have no scripts, and need no parsing.
            text = disk.read_text(path)
        except OSError:
            continue
        if "scripts" in text:
            read(path, text, found)
    return found


def _files(folder: Path, parts: list[str]) -> Iterator[Path]:
    base = folder.joinpath(*parts)
    yield base / "__init__.py"
    if parts:
        yield base.with_name(base.name + ".py")


def _lines(text: str, source: Path) -> Iterator[ConsoleScript]:
    """The scripts of lines ``name = package.module:function``."""
    for line in text.splitlines():
        match = _REFERENCE.fullmatch(line.split("#")[0].strip())
        if match:
            yield ConsoleScript(match[1], match[2], match[3] or "", source)


def _script_files(names: object, found: Packaging, source: Path) -> None:
    for name in names if isinstance(names, list) else []:
        if isinstance(name, str) and name.strip():
            path = found.folder / name.strip()
            found.scripts.append(ConsoleScript(path.name, "", "", source, path))


def _setup_cfg(path: Path, text: str, found: Packaging) -> None:
    parser = configparser.RawConfigParser(strict=False)
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    try:
        parser.read_string(text)
    except configparser.Error as error:
        found.problems.append(_unread(path, str(error)))
        return
    for group in _GROUPS:
        lines = parser.get("options.entry_points", group, fallback="")
        found.scripts.extend(_lines(lines, path))
    _script_files(parser.get("options", "scripts", fallback="").splitlines(), found, path)
    for line in parser.get("options", "package_dir", fallback="").splitlines():
        package, equal, folder = line.partition("=")
        if equal:
            found.package_dir.setdefault(package.strip(), folder.strip())


def _setup_py(path: Path, _: str, found: Packaging) -> None:
    module = load(path, "setup")
    if isinstance(module, Problem):
        found.problems.append(module)
        return
    for call in module.tree.calls:
        if dotted(call.callee)[-1:] != ("setup",):
            continue
        for argument in call.arguments:
            if argument.name == "entry_points":
                value = _literal(argument, module, found)
                if isinstance(value, str):
                    parser = configparser.RawConfigParser(strict=False, delimiters=("=",))
                    try:
                        parser.read_string("\n".join(map(str.strip, value.splitlines())))
                    except configparser.Error as error:
                        found.problems.append(_unread(path, str(error)))
                    value = {
                        group: [f"{name}={target}" for name, target in parser.items(group)]
                        for group in parser.sections()
                    }
                for group in _GROUPS if isinstance(value, dict) else ():
                    lines = value.get(group, [])
                    text = lines if isinstance(lines, str) else "\n".join(map(str, lines))
                    found.scripts.extend(_lines(text, path))
            elif argument.name == "scripts":
                _script_files(_literal(argument, module, found), found, path)
            elif argument.name == "package_dir":
                value = _literal(argument, module, found)
                _package_dir(value, found)


def _literal(argument: Argument, module: Module, found: Packaging) -> Any:
    """The value of an argument that is a literal, or a name for one."""
    node: LN = argument.value
    if is_name(node):
        bindings = module.binding(node.value)
        if len(bindings) == 1 and bindings[0].kind == "assign" and not bindings[0].element:
            node = bindings[0].value[0]
    try:
        return literal_value(_text(node, module))
    except ValueError:
        reason = f"{argument.name} is no literal; scripts that it declares are not known"
        line = module.tree.line_of(argument.node)
        found.problems.append(Problem(module.path, reason, line))
        return None


def _text(node: LN, module: Module) -> str:
    text = module.tree.source((node,))
    return f"({text})" if node.type != symbols.atom else text


def _pyproject(path: Path, text: str, found: Packaging) -> None:
    if sys.version_info >= (3, 11):
        try:
            data = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            found.problems.append(_unread(path, str(error)))
            return
        tables = {name: _table(data, name.split(".")) for name in _TOML_TABLES}
    else:
        tables = toml_tables(text, _not_read(path, found))
    _package_dir(tables.pop("tool.setuptools.package-dir", {}), found)
    for name in sorted(tables):
        for script, target in tables[name].items():
            if isinstance(target, dict):  # poetry's long form
                target = target.get("reference") or target.get("callable")
            if isinstance(target, str):
                found.scripts.extend(_lines(f"{script} = {target}", path))


def _not_read(path: Path, found: Packaging) -> Callable[[int], None]:
    def say(line: int) -> None:
        reason = "a script that this Python, older than 3.11, cannot read; it is left out"
        found.problems.append(Problem(path, reason, line))

    return say


def _table(data: Mapping[str, Any], names: list[str]) -> dict[str, Any]:
    current: Any = data
    for name in names:
        current = current.get(name) if isinstance(current, dict) else None
    return current if isinstance(current, dict) else {}


def _package_dir(value: object, found: Packaging) -> None:
    for package, folder in value.items() if isinstance(value, dict) else ():
        if isinstance(package, str) and isinstance(folder, str):
            found.package_dir.setdefault(package, folder)


def toml_tables(text: str, unread: Callable[[int], None]) -> dict[str, dict[str, Any]]:
    """The tables of scripts in a pyproject.toml, for Pythons without a TOML parser.

    ``name = "text"`` is read; ``unread`` is told the lines of what else is in those tables.
    """
    tables: dict[str, dict[str, Any]] = {}
    current = ""
    for number, line in enumerate(text.splitlines(), 1):
        header = _HEADER.fullmatch(line)
        match = _TOML_LINE.fullmatch(line)
        if header:
            current = header[1].replace(" ", "").replace('"', "")
        elif current in _TOML_TABLES and match:
            tables.setdefault(current, {})[match[1]] = match[2]
        elif current in _TOML_TABLES and line.split("#")[0].strip():
            unread(number)
    return tables


def _unread(path: Path, why: str) -> Problem:
    return Problem(path, f"cannot be read: {' '.join(why.split())}")
