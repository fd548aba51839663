"""Pack: a YAML file of rules, checked and compiled. Loading one runs no code."""

from __future__ import annotations

import difflib
import importlib.resources
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import yaml

from pinsetter.analyzer.problem import Problem

from .code import Pattern, PatternProblem, compile_code, compile_query


@dataclass(frozen=True)
class Example:
    """A rule's test: ``after`` is None for code that the rule must leave as it is, silently or, if
    ``reported``, with a report."""

    before: str
    after: str | None
    reported: bool
    line: int


@dataclass(frozen=True)
class Rule:
    """One rule. ``where``, ``edit`` and ``warn`` are as in the pack; the schema describes them."""

    id: str
    title: str
    why: str
    pattern: Pattern
    where: tuple[Any, ...]
    edits: tuple[Mapping[str, Any], ...]
    fresh: Mapping[str, str]
    let: Mapping[str, tuple[Mapping[str, Any], ...]]
    requires: tuple[str, ...]
    warn: tuple[Mapping[str, Any], ...]
    report: str | None
    refuse: bool
    examples: tuple[Example, ...]
    line: int


@dataclass(frozen=True)
class Pack:
    """``imports`` maps an alias used in templates and patterns to the module it stands for."""

    name: str
    path: Path
    summary: str
    training_api: str | None
    refuses: Mapping[str, str]
    imports: Mapping[str, str]
    roles: Mapping[str, tuple[str, ...]]
    functions: Mapping[str, tuple[str, ...]]
    rules: tuple[Rule, ...]

    def rule(self, id: str) -> Rule | None:
        return next((rule for rule in self.rules if rule.id == id), None)


def find(name: str) -> Path | None:
    """The pack called ``name`` that comes with the package."""
    path = Path(str(importlib.resources.files(f"{__package__}.packs").joinpath(f"{name}.yaml")))
    return path if path.is_file() else None


def bundled() -> list[Path]:
    """All packs that come with the package."""
    folder = Path(str(importlib.resources.files(f"{__package__}.packs")))
    return sorted(folder.glob("*.yaml"))


def load(path: Path) -> Pack | list[Problem]:
    """Read a pack; every mistake is a Problem with the pack's file and line."""
    try:
        text = path.read_text(encoding="utf-8")
        root = yaml.compose(text, Loader=yaml.SafeLoader)
        data = yaml.safe_load(text)
    except OSError as error:
        return [Problem(path, f"cannot be read: {error.strerror or error}")]
    except UnicodeDecodeError:
        return [Problem(path, "a pack is UTF-8 text")]
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 0
        return [Problem(path, f"not YAML: {error.problem or error}", line)]
    except yaml.YAMLError as error:
        return [Problem(path, f"not YAML: {error}")]
    places = _Places(root)
    validator = jsonschema.Draft202012Validator(schema())
    problems = [
        _schema_problem(path, error, places)
        for error in sorted(validator.iter_errors(data), key=lambda e: list(map(str, e.path)))
    ]
    return problems or _build(path, data, places)


@cache
def schema() -> dict[str, Any]:
    """The JSON Schema of a pack."""
    text = importlib.resources.files(__package__).joinpath("pack.schema.json").read_text("utf-8")
    parsed: dict[str, Any] = json.loads(text)
    return parsed


class _Places:
    """Lines of the YAML nodes, by path of keys and indices."""

    def __init__(self, root: yaml.Node | None) -> None:
        self._lines: dict[tuple[Any, ...], int] = {}
        if root is not None:
            self._visit(root, ())

    def _visit(self, node: yaml.Node, path: tuple[Any, ...]) -> None:
        self._lines.setdefault(path, node.start_mark.line + 1)
        if isinstance(node, yaml.MappingNode):
            for key, value in node.value:
                inner = (*path, key.value)
                self._lines[inner] = key.start_mark.line + 1
                self._visit(value, inner)
        elif isinstance(node, yaml.SequenceNode):
            for index, item in enumerate(node.value):
                self._visit(item, (*path, index))

    def line(self, *path: Any) -> int:
        while path and path not in self._lines:
            path = path[:-1]
        return self._lines.get(path, 0)


def _schema_problem(path: Path, error: Any, places: _Places) -> Problem:
    where = list(error.absolute_path)
    hint = ""
    if error.validator == "additionalProperties":
        known = list(error.schema.get("properties", {}))
        unknown = [key for key in error.instance if key not in known]
        where += unknown[:1]
        reason = f"unknown key {unknown[0]!r}" if unknown else error.message
        hint = _suggestion(unknown[0], known) if unknown else ""
    else:
        reason = error.message
    spot = ".".join(str(part) for part in where)
    return Problem(path, f"{spot}: {reason}" if spot else reason, places.line(*where), hint=hint)


def _suggestion(word: str, known: list[str]) -> str:
    close = difflib.get_close_matches(word, known, 1)
    return f"did you mean {close[0]!r}?" if close else f"known are {', '.join(sorted(known))}"


def _build(path: Path, data: dict[str, Any], places: _Places) -> Pack | list[Problem]:
    imports = data.get("imports", {})
    problems: list[Problem] = []
    rules: list[Rule] = []
    ids = [rule["id"] for rule in data["rules"]]
    for index, raw in enumerate(data["rules"]):
        place = ("rules", index)

        def complain(reason: str, *spot: Any, hint: str = "", place: Any = place) -> None:
            problems.append(Problem(path, reason, places.line(*place, *spot), hint=hint))

        if ids.index(raw["id"]) != index:
            complain(f"the rule id {raw['id']!r} is used twice", "id")
        for required in raw.get("requires", []):
            if required not in ids:
                complain(f"requires unknown rule {required!r}", "requires",
                         hint=_suggestion(required, ids))  # fmt: skip
        for spot, code in _embedded_patterns(raw, ()):
            try:
                compile_code(code, imports)
            except PatternProblem as error:
                complain(f"{raw['id']}: {error}", *spot)
        try:
            if "match" in raw:
                pattern = compile_code(raw["match"], imports)
            else:
                pattern = compile_query(raw["query"])
        except PatternProblem as error:
            complain(f"{raw['id']}: {error}", "match" if "match" in raw else "query")
            continue
        edit = raw.get("edit", [])
        rules.append(
            Rule(
                id=raw["id"],
                title=raw["title"],
                why=" ".join(raw["why"].split()),
                pattern=pattern,
                where=tuple(raw.get("where", [])),
                edits=tuple(edit if isinstance(edit, list) else [edit]),
                fresh=raw.get("fresh", {}),
                let={name: tuple(cases) for name, cases in raw.get("let", {}).items()},
                requires=tuple(raw.get("requires", [])),
                warn=tuple(raw.get("warn", [])),
                report=" ".join(raw["report"].split()) if "report" in raw else None,
                refuse=raw.get("refuse", False),
                examples=tuple(
                    Example(
                        next(iter(example.values())),
                        example.get("after"),
                        "reported" in example,
                        places.line(*place, "examples", at),
                    )
                    for at, example in enumerate(raw["examples"])
                ),
                line=places.line(*place),
            )
        )
    if problems:
        return problems
    return Pack(
        name=data["pack"],
        path=path,
        summary=" ".join(data["summary"].split()),
        training_api=data.get("applies_to", {}).get("training_api"),
        refuses={api: " ".join(why.split()) for api, why in data.get("refuses", {}).items()},
        imports=imports,
        roles={name: tuple(classes) for name, classes in data.get("roles", {}).items()},
        functions={name: tuple(names) for name, names in data.get("functions", {}).items()},
        rules=tuple(rules),
    )


def _embedded_patterns(data: Any, path: tuple[Any, ...]) -> Iterator[tuple[tuple[Any, ...], str]]:
    """The code patterns in a rule's conditions, with their places."""
    items = data.items() if isinstance(data, dict) else enumerate(data)
    for key, value in items:
        if key == "matches":
            yield from (((*path, key), code) for code in value.values())
        elif key == "present":
            yield (*path, key), value["code"]
        elif isinstance(value, dict | list) and key != "examples":
            yield from _embedded_patterns(value, (*path, key))
