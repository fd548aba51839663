"""The schema of packs and docs/predicates.md, from what predicates are registered with."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from pinsetter.patterns.packs.pack_files import bundled, parts
from pinsetter.patterns.predicates import PREDICATES
from pinsetter.patterns.predicates.registry import ARGUMENTS

SCHEMA = Path(__file__).parents[1] / "patterns" / "pack.schema.json"
_WORDS = {
    "capture": "$x", "given": "name", "condition": "condition", "conditions": "[condition, …]",
    "names": "[name, …]", "classes": "[class, …]", "functions": "[function, …]",
    "makers": "[class or function, …]", "qualified": "[name, …]", "role": "role",
    "captureAndTexts": "[$x, text, …]", "captureAndMarks": "[$x, effect, …]",
    "captureAndClasses": "[$x, class, …]", "captureAndFunctions": "[$x, function, …]",
    "captureAndMakers": "[$x, class or function, …]", "captureAndNames": "[$x, name, …]",
    "flow": "{value, through?, into}",
}  # fmt: skip
_HEAD = """# Predicates

Generated from `patterns/predicates/` and `patterns/domains/`. A predicate holds of a match or does
not; where it can only be assumed, it holds with a warning. `class` is a qualified name or a role,
`function` a qualified name or a set of functions of the pack's head. Behind each is the number of
bundled rules that ask it, and a short condition of theirs.

| name | takes | holds if | rules | as in |
|---|---|---|---|---|
"""


def schema() -> str:
    """The schema as it is, with what the registered predicates take."""
    found = json.loads(SCHEMA.read_text("utf-8"))
    found["$defs"]["condition"]["properties"] = dict(sorted(ARGUMENTS.items()))
    return json.dumps(found, indent=2) + "\n"


def predicates() -> str:
    """A table: each predicate with what it takes, when it holds and how often rules ask it."""
    uses, shortest = _uses()
    rows = []
    for name, function in sorted(PREDICATES.items()):
        takes, text = f"`{_takes(ARGUMENTS[name])}`", " ".join((function.__doc__ or "").split())
        if text.startswith("``"):
            takes, _, text = text.replace("``", "`").partition(": ")
        example = f"`{name}: {shortest[name]}`" if name in shortest else ""
        row = f"`{name}`", takes, text.replace("``", "`"), str(uses[name]), example
        rows.append(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |")
    return _HEAD + "\n".join(rows) + "\n"


def _takes(argument: Any) -> str:
    """What fits a piece of the schema, as short as it can be said."""
    if "$ref" in argument:
        return _WORDS[argument["$ref"].rpartition("/")[2]]
    if "enum" in argument:
        return " or ".join(map(str, argument["enum"]))
    if "anyOf" in argument:
        return " or ".join(map(_takes, argument["anyOf"]))
    kind = argument["type"]
    if kind == "array":
        items = [_takes(item) for item in argument.get("prefixItems", ())]
        items += [_takes(argument["items"]), "…"] if "items" in argument else []
        return f"[{', '.join(items)}]"
    if kind == "object":
        if "properties" not in argument:
            key, value = argument["propertyNames"], argument["additionalProperties"]
            return f"{{{_takes(key)}: {_takes(value)}, …}}"
        needed = argument["required"]
        return f"{{{', '.join(k if k in needed else f'{k}?' for k in argument['properties'])}}}"
    return {"boolean": "true or false", "string": "text"}.get(kind, "number")


def _uses() -> tuple[Counter[str], dict[str, str]]:
    """How many of the bundled rules ask each predicate, and with what, in the shortest case."""
    uses: Counter[str] = Counter()
    shortest: dict[str, str] = {}
    for path in [*bundled(), *parts()]:
        for rule in yaml.safe_load(path.read_text("utf-8")).get("rules", ()):
            asked = set()
            for name, argument in _conditions({k: v for k, v in rule.items() if k != "examples"}):
                asked.add(name)
                text = json.dumps(argument).replace('"', "")
                if argument and len(text) < len(shortest.get(name, " " * 70)):
                    shortest[name] = text
            uses.update(asked)
    return uses, shortest


def _conditions(data: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(data, dict):
        if len(data) == 1 and (name := next(iter(data))) in ARGUMENTS:
            yield name, data[name]
        for value in data.values():
            yield from _conditions(value)
    elif isinstance(data, list):
        for value in data:
            yield from _conditions(value)
