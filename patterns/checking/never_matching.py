"""never: why a rule, as it is written, can match nothing."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from pinsetter.analyzer.syntax import SyntaxProblem, parse
from pinsetter.analyzer.syntax.tree import walk

from ..reading.emitter import METAVARIABLE
from ..reading.pack_head import listed_options
from ..reading.parsed_names import parsed
from ..reading.pattern import Pattern
from ..reading.yaml_file import schema
from .complaints import Complaint
from .shapes import impossible


def never(rule: Mapping[str, Any], pattern: Pattern) -> Iterator[Complaint]:
    """Why nothing fits the pattern of a rule, or its conditions."""
    key = "match" if "match" in rule else "query"
    twice = _given_twice(rule[key]) if key == "match" else ""
    if twice:
        reason = f"can never match: the argument {twice!r} is given twice"
        yield Complaint((key,), reason, "keep one", twice)
    elif key == "match" and not _fits_itself(rule[key], pattern):
        reason = "can never match: the pattern does not fit its own code"
        yield Complaint((key,), reason, "write it as a query, or with fewer captures")
    elif key == "query":
        why = impossible(pattern.compiled)
        if why:
            hint = "`bowler dump FILE` shows the trees of code"
            yield Complaint((key,), f"can never match: {why}", hint)
    yield from _contradictions(rule.get("where", []), ("where",))
    if rule.get("option") is not None and rule["option"] in listed_options(rule.get("unless", ())):
        reason = f"can never match: it is there only with {rule['option']!r}, and not with it"
        yield Complaint(("unless",), reason, "keep `option` or `unless`")


# A run alone in parentheses that are not those of a call is a tuple.
_TUPLE = re.compile(r"(?<![\w)\]])\(\s*\$\.\.\.(\w+)\s*\)")


def _fits_itself(code: str, pattern: Pattern) -> bool:
    code = _TUPLE.sub(r"($\1,)", code)
    plain = METAVARIABLE.sub(lambda m: f"capture_{m[2]}", code.strip())
    try:
        tree = parse(plain + "\n")
    except SyntaxProblem:
        return True  # with captures for names it cannot be read
    return any(next(pattern.matches(node), None) is not None for node in walk(tree))


def _given_twice(code: str) -> str:
    plain = METAVARIABLE.sub(lambda m: f"capture_{m[2]}", code.strip())
    tree = parsed(plain)
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.Call):
            names = [keyword.arg for keyword in node.keywords if keyword.arg]
            for name in names:
                if names.count(name) > 1 and not name.startswith("capture_"):
                    return name
    return ""


def _contradictions(conditions: Any, spot: tuple[Any, ...]) -> Iterator[Complaint]:
    """Conditions of which not all can hold."""
    asked: dict[str, tuple[str, Any]] = {}
    for at, condition in enumerate(conditions):
        for name, argument in condition.items():
            if name == "not":
                other = json.dumps(argument, sort_keys=True)
                if any(json.dumps(one, sort_keys=True) == other for one in conditions):
                    reason = "can never match: the same condition is asked for and ruled out"
                    yield Complaint((*spot, at), reason, "keep one of them")
            elif name == "all":
                yield from _contradictions(argument, (*spot, at, name))
            elif name in _alternatives():
                key = json.dumps(argument)
                if asked.setdefault(name, (key, argument))[0] != key:
                    reason = f"can never match: {name} is {asked[name][1]} above"
                    yield Complaint((*spot, at, name), reason, "keep one of them")


@cache
def _alternatives() -> frozenset[str]:
    """The predicates that ask for one of several answers, of which a place has one."""
    conditions = schema()["$defs"]["condition"]["properties"]
    return frozenset(
        name for name, one in conditions.items() if one.get("type") == "boolean" or "enum" in one
    )
