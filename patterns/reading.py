"""read: a YAML file as data whose mistakes, and places, are known. Reading runs no code."""

from __future__ import annotations

import contextlib
import difflib
import hashlib
import importlib.resources
import json
from dataclasses import dataclass, field
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import yaml

from pinsetter.analyzer import kept
from pinsetter.analyzer.problem import Problem


@dataclass(frozen=True, eq=False)
class PackFile:
    """A pack, or a part that packs include, as it was read."""

    path: Path
    data: dict[str, Any]
    places: Places

    @property
    def is_part(self) -> bool:
        return "part" in self.data

    def problem(self, reason: str, *spot: Any, hint: str = "") -> Problem:
        """A mistake at the keys and indices that ``spot`` leads along."""
        return Problem(self.path, reason, self.places.line(*spot), hint=hint)


def read(path: Path) -> PackFile | list[Problem]:
    """Read a file that fits the schema; every mistake is a Problem with file and line."""
    try:
        raw = path.read_bytes()
    except OSError as error:
        hint = "give the path of a pack, a .yaml file"
        return [Problem(path, f"cannot be read: {error.strerror or error}", hint=hint)]
    found = _read(path, raw)
    return found if isinstance(found, PackFile) else list(found)


# Packs of one choice include the same parts.
@lru_cache(maxsize=128)
def _read(path: Path, raw: bytes) -> PackFile | tuple[Problem, ...]:
    if not path.is_relative_to(_BUNDLED):
        return _checked(path, raw)
    key = hashlib.sha256(f"{_FORMAT}\0{_schema_text()}\0".encode() + raw).hexdigest()[:16]
    file = kept.folder() / f"pack-{key}.json"
    with contextlib.suppress(OSError, ValueError, TypeError):
        data, lines = json.loads(file.read_bytes())
        return PackFile(path, dict(data), Places({tuple(spot): line for spot, line in lines}))
    found = _checked(path, raw)
    if isinstance(found, PackFile):
        kept.keep(file, json.dumps([found.data, list(found.places.lines.items())]))
    return found


def _checked(path: Path, raw: bytes) -> PackFile | tuple[Problem, ...]:
    try:
        text = raw.decode("utf-8-sig")
        places, data = _parsed(text)
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        return (Problem(path, "a pack is UTF-8 text", line, hint="save the file as UTF-8"),)
    except yaml.YAMLError as error:
        return (_yaml_problem(path, text, error),)
    except RecursionError:
        hint = "a pack is a few levels deep"
        return (Problem(path, "not YAML: nested too deeply", 1, hint=hint),)
    except ValueError as error:
        hint = "a value does not fit the tag (!!…) in front of it"
        return (Problem(path, f"not YAML: {error}", 1, hint=hint),)
    if places.mistakes:
        return tuple(Problem(path, why, line, hint=hint) for line, why, hint in places.mistakes)
    import jsonschema  # bundled packs were checked before, and a start should not wait for it

    validator = jsonschema.Draft202012Validator(schema())
    problems = [
        _schema_problem(path, error, places)
        for error in map(_innermost, validator.iter_errors(data))
        if isinstance(error.instance, dict) or not _groups(error)  # its type is an error already
    ]
    if problems or data is None:
        return tuple(sorted(problems, key=lambda p: p.line))
    return PackFile(path, data, places)


@cache
def schema() -> dict[str, Any]:
    """The JSON Schema of a pack."""
    parsed: dict[str, Any] = json.loads(_schema_text())
    return parsed


@cache
def _schema_text() -> str:
    return (_BUNDLED / "pack.schema.json").read_text("utf-8")


_BUNDLED = Path(str(importlib.resources.files(__package__)))
# What a kept file looks like; to be raised whenever that changes.
_FORMAT = 1


# A pack is a few levels deep; how deep Python itself would go depends on what ran before.
_MAX_LEVELS = 50


# libyaml where PyYAML has it: the packs of a choice are read in a fifth of the time.
_SafeLoader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _Loader(_SafeLoader):  # type: ignore[misc]
    """YAML without dates: `summary: 2024-01-01` is text."""

    yaml_implicit_resolvers = {  # noqa: RUF012
        first: [(tag, form) for tag, form in resolvers if not tag.endswith(":timestamp")]
        for first, resolvers in _SafeLoader.yaml_implicit_resolvers.items()
    }


def _parsed(text: str) -> tuple[Places, Any]:
    """The places in a YAML text and its data, None if there are mistakes among the places.

    Raises yaml.YAMLError, worded by PyYAML's own reader; RecursionError for what is nested too
    deeply; ValueError for values that do not fit their tags.
    """
    try:
        _check_levels(text)
        loader = _Loader(text)
        root = loader.get_single_node()
    except yaml.YAMLError:
        yaml.compose(text, Loader=yaml.SafeLoader)
        raise
    places = _places_of(root)
    return places, loader.construct_document(root) if root and not places.mistakes else None


def _check_levels(text: str) -> None:
    levels = 0
    for event in yaml.parse(text, Loader=_Loader):
        levels += isinstance(event, yaml.CollectionStartEvent)
        levels -= isinstance(event, yaml.CollectionEndEvent)
        if levels > _MAX_LEVELS:
            raise RecursionError


@dataclass(eq=False)
class Places:
    """``lines`` of the YAML nodes, by path of keys and indices. ``mistakes`` are lines, reasons and
    hints of what YAML allows and a pack does not."""

    lines: dict[tuple[Any, ...], int] = field(default_factory=dict)
    mistakes: list[tuple[int, str, str]] = field(default_factory=list)

    def line(self, *path: Any) -> int:
        while path and path not in self.lines:
            path = path[:-1]
        return self.lines.get(path, 1)


def _places_of(root: yaml.Node | None) -> Places:
    """The places in a YAML document."""
    places = Places()
    if root is not None:
        _visit(places, root, (), ())
    return places


def _visit(places: Places, node: yaml.Node, path: tuple[Any, ...], inside: tuple[int, ...]) -> None:
    line = node.start_mark.line + 1
    places.lines.setdefault(path, line)
    if id(node) in inside:
        places.mistakes.append((line, "an alias stands inside its own anchor", "write it out"))
        return
    inside = (*inside, id(node))
    if isinstance(node, yaml.MappingNode):
        seen: set[Any] = set()
        for key, value in node.value:
            name = key.value if isinstance(key, yaml.ScalarNode) else str(key.value)
            line = key.start_mark.line + 1
            if name in seen:
                places.mistakes.append((line, f"the key {name!r} is given twice", "keep one"))
            seen.add(name)
            below = (*path, name)
            places.lines[below] = line
            _visit(places, value, below, inside)
    elif isinstance(node, yaml.SequenceNode):
        for index, item in enumerate(node.value):
            _visit(places, item, (*path, index), inside)


def _yaml_problem(path: Path, text: str, error: yaml.YAMLError) -> Problem:
    if isinstance(error, yaml.reader.ReaderError):
        line = text.count("\n", 0, error.position) + 1
        reason = f"character U+{ord(text[error.position]):04X} is not allowed"
        return Problem(path, f"not YAML: {reason}", line, hint="remove it")
    mark = getattr(error, "problem_mark", None)
    reason = getattr(error, "problem", None) or str(error)
    if "\\t" in reason:
        hint = "indent with spaces"
    elif "tag:" in reason:
        hint = "a pack is data: text, numbers, lists and mappings"
    else:
        hint = "check the quotes, brackets and indentation here and on the line before"
    return Problem(path, f"not YAML: {reason}", mark.line + 1 if mark else 1, hint=hint)


def _innermost(error: Any) -> Any:
    """The error that a person made: of alternatives, the one that got furthest."""
    while error.validator in ("anyOf", "oneOf") and not _groups(error):
        fits = [e for e in error.context if e.validator != "type" or e.relative_path]
        if not fits:
            break
        error = max(fits, key=lambda e: (len(e.relative_path), bool(e.context)))
    return error


def _groups(error: Any) -> list[list[str]]:
    """The groups of keys of which one must be given, where that is what the schema wants."""
    if error.validator not in ("anyOf", "oneOf"):
        return []
    return [branch["required"] for branch in error.validator_value if list(branch) == ["required"]]


def _schema_problem(path: Path, error: Any, places: Places) -> Problem:
    where = list(error.absolute_path)
    properties = error.schema.get("properties", {}) if isinstance(error.schema, dict) else {}
    reason, hint = error.message, str(error.schema.get("description", ""))
    if error.validator == "additionalProperties":
        unknown = next(key for key in error.instance if key not in properties)
        where.append(str(unknown).lower() if isinstance(unknown, bool) else str(unknown))
        reason, hint = f"unknown key {unknown!r}", suggestion(str(unknown), list(properties))
    elif error.validator == "required":
        # One error for each missing key; only its message says which it is about.
        missing = next(k for k in error.validator_value if error.message.startswith(repr(k)))
        reason = f"the key {missing!r} is missing"
        hint = properties.get(missing, {}).get("description", "")
    elif error.validator == "enum":
        reason = f"unknown value {error.instance!r}"
        hint = suggestion(str(error.instance), error.validator_value)
    elif error.validator == "pattern":
        reason = f"{error.instance!r} is not of the form {error.validator_value}"
    elif error.validator == "type":
        reason = f"should be {_KINDS.get(error.validator_value, error.validator_value)}"
        if not where:
            hint = "a pack is a mapping with the keys pack, summary, rules"
    elif _groups(error):
        reason = _choice(_groups(error), set(error.instance))
        hint = f"choose one of {' | '.join(' + '.join(group) for group in _groups(error))}"
    spot = ".".join(str(part) for part in where)
    reason = f"{spot}: {reason}" if spot else reason
    hint = hint or "pack.schema.json describes every key"
    return Problem(path, reason, places.line(*where), hint=hint)


_KINDS = {"object": "a mapping", "array": "a list", "string": "text"}


def _choice(groups: list[list[str]], given: set[str]) -> str:
    whole = [group[0] for group in groups if set(group) <= given]
    if len(whole) > 1:
        return f"{' and '.join(map(repr, whole))} exclude each other"
    begun = [key for group in groups if given & set(group) for key in group if key not in given]
    wanted = begun or [group[0] for group in groups]
    return f"the key {' or '.join(map(repr, wanted))} is missing"


def suggestion(word: str, known: list[str]) -> str:
    close = difflib.get_close_matches(word, known, 1)
    return f"did you mean {close[0]!r}?" if close else f"known are {', '.join(sorted(known))}"
