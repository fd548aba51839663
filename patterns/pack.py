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

from .check import complaints
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
    shared: bool
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
        raw = path.read_bytes()
        text = raw.decode("utf-8-sig")
        root = yaml.compose(text, Loader=_Loader)
        places = _Places(root)
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
    return _build(path, data, places)


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


class _Places:
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


def _schema_problem(path: Path, error: Any, places: _Places) -> Problem:
    where = list(error.absolute_path)
    properties = error.schema.get("properties", {}) if isinstance(error.schema, dict) else {}
    reason, hint = error.message, str(error.schema.get("description", ""))
    if error.validator == "additionalProperties":
        unknown = next(key for key in error.instance if key not in properties)
        where.append(str(unknown).lower() if isinstance(unknown, bool) else str(unknown))
        reason, hint = f"unknown key {unknown!r}", _suggestion(str(unknown), list(properties))
    elif error.validator == "required":
        # One error for each missing key; only its message says which it is about.
        missing = next(k for k in error.validator_value if error.message.startswith(repr(k)))
        reason = f"the key {missing!r} is missing"
        hint = properties.get(missing, {}).get("description", "")
    elif error.validator == "enum":
        reason = f"unknown value {error.instance!r}"
        hint = _suggestion(str(error.instance), error.validator_value)
    elif error.validator == "pattern":
        reason = f"{error.instance!r} is not of the form {error.validator_value}"
    elif error.validator == "type":
        reason = f"should be {_KINDS.get(error.validator_value, error.validator_value)}"
        if not where:
            hint = f"a pack is a mapping with the keys {', '.join(error.schema['required'])}"
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


def _suggestion(word: str, known: list[str]) -> str:
    close = difflib.get_close_matches(word, known, 1)
    return f"did you mean {close[0]!r}?" if close else f"known are {', '.join(sorted(known))}"


_PATTERN_HINT = "a pattern is one expression or statement with $name and $...names"
_QUERY_HINT = "as in power< 'take' trailer< '(' count=any ')' > >"


def _build(path: Path, data: dict[str, Any], places: _Places) -> Pack | list[Problem]:
    imports = data.get("imports", {})
    problems: list[Problem] = []
    rules: list[Rule] = []
    ids = [rule["id"] for rule in data["rules"]]
    for index, own in enumerate(data["rules"]):
        place = ("rules", index)
        raw = {**own, "let": {**_used(data.get("let", {}), own), **own.get("let", {})}}

        def complain(reason: str, *spot: Any, hint: str = "", place: Any = place) -> None:
            problems.append(Problem(path, reason, places.line(*place, *spot), hint=hint))

        if ids.index(raw["id"]) != index:
            first = places.line("rules", ids.index(raw["id"]), "id")
            complain(f"the rule id {raw['id']!r} is used twice", "id",
                     hint=f"the first is on line {first}")  # fmt: skip
        for required in raw.get("requires", []):
            if required not in ids:
                complain(f"requires unknown rule {required!r}", "requires",
                         hint=_suggestion(required, ids))  # fmt: skip
        for spot, code in _embedded_patterns(raw, ()):
            try:
                compile_code(code, imports)
            except PatternProblem as error:
                complain(f"{raw['id']}: {error}", *spot, hint=_PATTERN_HINT)
        try:
            if "match" in raw:
                pattern = compile_code(raw["match"], imports)
            else:
                pattern = compile_query(raw["query"])
        except PatternProblem as error:
            key = "match" if "match" in raw else "query"
            hint = _PATTERN_HINT if key == "match" else _QUERY_HINT
            complain(f"{raw['id']}: {error}", key, hint=hint)
            continue
        for complaint in complaints(raw, pattern.names):
            complain(f"{raw['id']}: {complaint.reason}", *complaint.spot, hint=complaint.hint)
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
                shared=raw.get("shared", False),
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


def _used(let: dict[str, Any], rule: dict[str, Any]) -> dict[str, Any]:
    """Those of the pack's own ``let`` that the rule's edits mention."""
    text = json.dumps(rule.get("edit", []))
    return {name: cases for name, cases in let.items() if f"${name}" in text}


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
