"""What stands in front of a dot in patterns and templates: captures, imports, or names that a file
need not have."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pinsetter.analyzer.names.scopes import BUILTINS

from ..reading.parsed_names import parsed
from .complaints import Complaint
from .doubts import Known
from .spelling import is_module, is_third_party, standard_names, usual_aliases

_CAPTURE = re.compile(r"\$(?:\.\.\.)?(?:\{(\w+)\}|(\w+))")
_AS = ("{}", "({}\n)", "f({}\n)", "[{}\n]")
_ALWAYS = BUILTINS | {"self", "cls", "mcs", "__class__"}
Place = tuple[tuple[Any, ...], str]


def heads(rule: Mapping[str, Any], patterns: Iterable[Place], known: Known) -> Iterator[Complaint]:
    """What is wrong with the names in front of dots in a rule's patterns and templates."""
    if known.unread & {"imports", "names", "definitions"}:
        return
    given = {*known.imports, *known.literal, *_ALWAYS}
    literal: set[str] = set()
    for spot, code in patterns:
        literal |= _names(code)
        for head, attribute in _dotted(code, given):
            yield from _in_pattern(spot, head, attribute)
    literal |= set(re.findall(r"'(\w+)'", rule.get("query", "")))
    had = given | literal | known.definitions.keys()
    templates = list(_templates(rule))
    bound = {name for _, code in templates for name in _bound(code)}
    for spot, code in templates:
        for head, _ in _dotted(code, had | bound):
            yield _unbound(spot, head, "template")


def in_definitions(head: Mapping[str, Any], known: Known) -> Iterator[Complaint]:
    """What is wrong with the names in front of dots in the definitions of a file."""
    if known.unread & {"imports", "names"}:
        return
    given = {*known.imports, *known.literal, *known.definitions, *_ALWAYS}
    for name, code in head.get("definitions", {}).items():
        for found, _ in _dotted(code, given | set(_bound(code))):
            yield _unbound(("definitions", name), found, "definition")


def _unbound(spot: tuple[Any, ...], head: str, what: str) -> Complaint:
    hint = f"add `{head}: {_meant(head)}` under `imports`, or, if the files have it, list it " \
           "under `names`"  # fmt: skip
    return Complaint(spot, f"nothing binds {head!r} in the {what}", hint, head)


def _in_pattern(spot: tuple[Any, ...], head: str, attribute: str) -> Iterator[Complaint]:
    meant = f"add `{head}: {_meant(head)}` under `imports`"
    mine = f"list {head!r} under `names` if it is meant as it is written"
    if head in usual_aliases() or is_third_party(head) or attribute in standard_names(head):
        reason = f"{head!r} is not among the imports, so that files that spell it otherwise " \
                 "are missed, and other things of that name are taken for it"  # fmt: skip
        yield Complaint(spot, reason, f"{meant}; {mine}", head)
    else:
        reason = f"{head!r} is matched as it is written, whatever it is bound to"
        yield Complaint(spot, reason, f"{mine}; {meant} if it is a module", head, slight=True)


def _meant(head: str) -> str:
    return usual_aliases().get(head) or (head if is_module(head) else "its.module")


def _dotted(code: str, given: Iterable[str]) -> Iterator[tuple[str, str]]:
    """The names that stand in front of a dot, with what follows; each once."""
    tree = _parsed(code)
    known = set(given)
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            head = node.value.id
            if head not in known and not head.startswith("_capture_"):
                known.add(head)
                yield head, node.attr


def _names(code: str) -> set[str]:
    tree = _parsed(code)
    return {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)} if tree is not None else set()


def _templates(rule: Mapping[str, Any]) -> Iterator[Place]:
    edits = rule.get("edit", [])
    for at, edit in enumerate(edits if isinstance(edits, list) else [edits]):
        spot: tuple[Any, ...] = ("edit", at) if isinstance(edits, list) else ("edit",)
        for key in (
            "insert", "with", "guard", "append", "items", "declare", "read", "write", "update"
        ):  # fmt: skip
            if key in edit:
                yield (*spot, key), edit[key]
    for name, cases in rule.get("let", {}).items():
        for at, case in enumerate(cases):
            if "is" in case:
                yield ("let", name, at, "is"), case["is"]


def _bound(code: str) -> Iterator[str]:
    tree = _parsed(code)
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.alias):
            yield (node.asname or node.name).partition(".")[0]
        elif isinstance(node, ast.FunctionDef | ast.ClassDef | ast.ExceptHandler) and node.name:
            yield node.name


def _parsed(code: str) -> ast.AST | None:
    """The code, captures taken for names; None if this Python cannot read it."""
    plain = _CAPTURE.sub(lambda m: f"_capture_{m[1] or m[2]}", code.strip())
    trees = (parsed(form.format(plain)) for form in _AS)
    return next((tree for tree in trees if tree is not None), None)
