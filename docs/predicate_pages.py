"""The schema of packs and docs/predicates.md, from what predicates are registered with."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import yaml

from pinsetter.patterns.packs.pack_files import bundled, parts
from pinsetter.patterns.predicates import PREDICATES
from pinsetter.patterns.predicates.documented import Examples, examples_of, said_of
from pinsetter.patterns.predicates.registry import ARGUMENTS

SCHEMA = Path(__file__).parents[1] / "patterns" / "pack.schema.json"
_WORDS = {
    "capture": "$x", "given": "name", "condition": "condition", "conditions": "[condition, …]",
    "names": "[name, …]", "classes": "[class, …]", "functions": "[function, …]",
    "makers": "[class or function, …]", "qualified": "[name, …]", "role": "role",
    "regex": "pattern", "code": "code", "captureAndRegexes": "[$x, pattern, …]",
    "captureAndTexts": "[$x, text, …]", "captureAndMarks": "[$x, effect, …]",
    "captureAndClasses": "[$x, class, …]", "captureAndFunctions": "[$x, function, …]",
    "captureAndMakers": "[$x, class or function, …]", "captureAndNames": "[$x, name, …]",
    "flow": "{value, through?, into}",
}  # fmt: skip
_HEAD = """# Predicates

Generated from `patterns/predicates/` and `patterns/domains/`. A predicate holds of a match or does
not; where it can only be assumed, it holds with a warning. `class` is a qualified name or a role,
`function` a qualified name or a set of functions of the pack's head. Behind each is the number of
bundled rules that ask it; its name leads to examples, which are its tests.

| name | takes | holds if | rules |
|---|---|---|---|
"""
_EXAMPLES = """
## Examples

Each begins with what a rule says. What is assumed matches with a warning; where it says “No match”,
the pattern fits, and the condition does not hold.
"""
# What a docstring says itself of what is taken: code, up to a colon that stands in none.
_TAKES = re.compile(r"((?=`)(?:`[^`]*`|[^`:])*): (.*)")
_OUTCOMES = {"holds": "Matches", "assumed": "Assumed", "fails": "No match"}


def schema() -> str:
    """The schema as it is, with what the registered predicates take."""
    found = json.loads(SCHEMA.read_text("utf-8"))
    found["$defs"]["condition"]["properties"] = dict(sorted(ARGUMENTS.items()))
    return json.dumps(found, indent=2) + "\n"


def predicates() -> str:
    """A table: each predicate with what it takes, when it holds and how often rules ask it; and
    the examples of each."""
    uses = _uses()
    rows, examples = [], []
    for name, function in sorted(PREDICATES.items()):
        takes, text = f"`{_takes(ARGUMENTS[name])}`", said_of(function)
        if (told := _TAKES.fullmatch(text)) is not None:
            takes, text = told.groups()
        row = f"[`{name}`](#{name})", takes, text, str(uses[name])
        rows.append(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |")
        examples.append(_shown(name, takes, text, examples_of(function)))
    return _HEAD + "\n".join(rows) + "\n" + _EXAMPLES + "".join(examples)


def _shown(name: str, takes: str, text: str, examples: Examples) -> str:
    """A section with the examples of a predicate."""
    parts = [f"### {name}", f"{takes}: {text}", f"```yaml\n{examples.written}```"]
    given = ", ".join(f"`${name}` is `{code}`" for name, code in examples.captures.items())
    for outcome, title in _OUTCOMES.items():
        if codes := getattr(examples, outcome):
            parts += [f"{title}:", *_blocks(codes)]
            parts += [f"In the first, {given}."] if given else []
            given = ""
    return "\n" + "\n\n".join(parts) + "\n"


def _blocks(codes: Sequence[str]) -> Iterator[str]:
    """Each code in a block, those of one line side by side in one."""
    for is_long, some in groupby(codes, key=lambda code: "\n" in code):
        for code in some if is_long else ["\n".join(some)]:
            yield f"```python\n{code}\n```"


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


def _uses() -> Counter[str]:
    """How many of the bundled rules ask each predicate."""
    uses: Counter[str] = Counter()
    for path in [*bundled(), *parts()]:
        for rule in yaml.safe_load(path.read_text("utf-8")).get("rules", ()):
            uses.update(set(_conditions({k: v for k, v in rule.items() if k != "examples"})))
    return uses


def _conditions(data: Any) -> Iterator[str]:
    if isinstance(data, dict):
        if len(data) == 1 and (name := next(iter(data))) in ARGUMENTS:
            yield name
        for value in data.values():
            yield from _conditions(value)
    elif isinstance(data, list):
        for value in data:
            yield from _conditions(value)
