"""A predicate's docstring: when it holds, in words, and behind that examples, in YAML."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Any

import yaml

_BEGINS = "\n\n::\n"
_OUTCOMES = ("holds", "assumed", "fails")
_BESIDES = (*_OUTCOMES, "captures")
# Keys of a rule; what stands beside them is for the head of its pack.
_OF_RULE = ("match", "query", "where", "let")
_KEYS = {
    *_OF_RULE, *_BESIDES,
    "imports", "functions", "definitions", "roles", "types", "lifted", "options", "python",
}  # fmt: skip


@dataclass(frozen=True)
class Examples:
    """Codes of which the conditions of a rule hold, or hold by what is assumed, or fail where the
    pattern alone fits. ``written`` is the rule as the docstring has it; ``captures`` are what some
    names stand for in the first code."""

    written: str
    rule: Mapping[str, Any]
    head: Mapping[str, Any]
    holds: Sequence[str]
    assumed: Sequence[str]
    fails: Sequence[str]
    captures: Mapping[str, str]


def said_of(predicate: Callable[..., Any]) -> str:
    """When a predicate holds, as one line of Markdown."""
    return " ".join(_parts(predicate)[0].replace("``", "`").split())


def examples_of(predicate: Callable[..., Any]) -> Examples:
    """The examples of a predicate. Raises ValueError if it has none, or they are wrong."""
    name, text = predicate.__name__, _parts(predicate)[1]
    try:
        return _read(inspect.cleandoc(text))
    except (ValueError, yaml.YAMLError) as error:
        raise ValueError(f"the examples of {name}: {error}") from None


def _parts(predicate: Callable[..., Any]) -> tuple[str, str]:
    said, _, examples = (inspect.getdoc(predicate) or "").partition(_BEGINS)
    return said, examples


def _read(text: str) -> Examples:
    found = yaml.safe_load(text)
    if not isinstance(found, dict):
        raise ValueError("behind `::` there is no mapping")
    if unknown := found.keys() - _KEYS:
        raise ValueError(f"unknown keys: {', '.join(sorted(map(str, unknown)))}")
    if "where" not in found or not ("match" in found or "query" in found):
        raise ValueError("there is no `where`, or neither `match` nor `query`")
    codes = {key: found.get(key, []) for key in _OUTCOMES}
    for key, listed in codes.items():
        if not isinstance(listed, list) or not all(isinstance(code, str) for code in listed):
            raise ValueError(f"`{key}` is no list of codes: what YAML reads otherwise needs quotes")
    captures = found.get("captures", {})
    if not isinstance(captures, dict) or not all(isinstance(v, str) for v in captures.values()):
        raise ValueError("`captures` are no texts by name")
    lines = text.splitlines(keepends=True)
    return Examples(
        written="".join(takewhile(lambda line: not line.startswith(_BESIDES), lines)),
        rule={key: found[key] for key in _OF_RULE if key in found},
        head={k: v for k, v in found.items() if k not in (*_OF_RULE, *_BESIDES)},
        captures=captures,
        **{key: [code.rstrip("\n") for code in listed] for key, listed in codes.items()},
    )
