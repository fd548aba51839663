"""read: a YAML file as data whose mistakes, and places, are known. Reading runs no code."""

from __future__ import annotations

import difflib
import importlib.resources
import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import yaml

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
        text = raw.decode("utf-8-sig")
        root = yaml.compose(text, Loader=_Loader)
        places = Places(root)
        data = yaml.load(text, Loader=_Loader) if not places.mistakes else None
    except OSError as error:
        hint = "give the path of a pack, a .yaml file"
        return [Problem(path, f"cannot be read: {error.strerror or error}", hint=hint)]
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        return [Problem(path, "a pack is UTF-8 text", line, hint="save the file as UTF-8")]
    except yaml.YAMLError as error:
        return [_yaml_problem(path, text, error)]
    except RecursionError:
        return [Problem(path, "not YAML: nested too deeply", 1, hint="a pack is a few levels deep")]
    except ValueError as error:
        hint = "a value does not fit the tag (!!…) in front of it"
        return [Problem(path, f"not YAML: {error}", 1, hint=hint)]
    if places.mistakes:
        return [Problem(path, reason, line, hint=hint) for line, reason, hint in places.mistakes]
    validator = jsonschema.Draft202012Validator(schema())
    problems = [
        _schema_problem(path, error, places)
        for error in map(_innermost, validator.iter_errors(data))
        if isinstance(error.instance, dict) or not _groups(error)  # its type is an error already
    ]
    if problems or data is None:
        return sorted(problems, key=lambda p: p.line)
    return PackFile(path, data, places)


@cache
def schema() -> dict[str, Any]:
    """The JSON Schema of a pack."""
    text = importlib.resources.files(__package__).joinpath("pack.schema.json").read_text("utf-8")
    parsed: dict[str, Any] = json.loads(text)
    return parsed


# A pack is a few levels deep; how deep Python itself would go depends on what ran before.
_MAX_LEVELS = 50


class _Loader(yaml.SafeLoader):
    """YAML without dates: `summary: 2024-01-01` is text."""

    yaml_implicit_resolvers = {  # noqa: RUF012
        first: [
            (tag, expression) for tag, expression in resolvers if not tag.endswith(":timestamp")
        ]
        for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }
    _levels = 0

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        if self._levels == _MAX_LEVELS:
            raise RecursionError
        self._levels += 1
        node = super().compose_node(parent, index)
        self._levels -= 1
        return node


class Places:
    """Lines of the YAML nodes, by path of keys and indices. ``mistakes`` are lines, reasons and
    hints of what YAML allows and a pack does not."""

    def __init__(self, root: yaml.Node | None) -> None:
        self._lines: dict[tuple[Any, ...], int] = {}
        self.mistakes: list[tuple[int, str, str]] = []
        if root is not None:
            self._visit(root, (), ())

    def _visit(self, node: yaml.Node, path: tuple[Any, ...], inside: tuple[int, ...]) -> None:
        line = node.start_mark.line + 1
        self._lines.setdefault(path, line)
        if id(node) in inside:
            self.mistakes.append((line, "an alias stands inside its own anchor", "write it out"))
            return
        inside = (*inside, id(node))
        if isinstance(node, yaml.MappingNode):
            seen: set[Any] = set()
            for key, value in node.value:
                name = key.value if isinstance(key, yaml.ScalarNode) else str(key.value)
                line = key.start_mark.line + 1
                if name in seen:
                    self.mistakes.append((line, f"the key {name!r} is given twice", "keep one"))
                seen.add(name)
                below = (*path, name)
                self._lines[below] = line
                self._visit(value, below, inside)
        elif isinstance(node, yaml.SequenceNode):
            for index, item in enumerate(node.value):
                self._visit(item, (*path, index), inside)

    def line(self, *path: Any) -> int:
        while path and path not in self._lines:
            path = path[:-1]
        return self._lines.get(path, 1)


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
