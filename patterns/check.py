"""complaints: what is wrong with a rule's templates and conditions, told at load time."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from pinsetter.analyzer.syntax import SyntaxProblem, parse

from .code import METAVARIABLE
from .template import captures_in

_REFERENCE = re.compile(r"\$(?:\.\.\.)?(\w+)")
_GROUPS = ("any", "all")
_WRAPPERS = ("not", "proved")
_AS = {
    "Python": "{}", "an expression": "({}\n)", "an argument": "f({}\n)", "a list's items": "[{}\n]",
}  # fmt: skip


@dataclass(frozen=True)
class Complaint:
    """A mistake and the keys that lead to it inside the rule."""

    spot: tuple[Any, ...]
    reason: str
    hint: str = ""


def complaints(rule: Mapping[str, Any], captures: Iterable[str]) -> Iterator[Complaint]:
    """Every mistake in a rule of the pack; ``captures`` are those of its pattern."""
    where = rule.get("where", [])
    known = {"match", *captures, *_added(where)}
    yield from _references(where, known, ("where",))
    names = known | set(rule.get("fresh", {}))
    for name, cases in rule.get("let", {}).items():
        for at, case in enumerate(cases):
            spot = ("let", name, at)
            inside = names | _added(case.get("if", []))
            yield from _references(case.get("if", []), inside, (*spot, "if"))
            yield from _template(case["is"], inside, (*spot, "is"))
        if "if" in cases[-1]:
            reason = f"no case of {name!r} may hold"
            yield Complaint((*spot, "if"), reason, "give the last case no `if`")
        names = names | {name}
    yield from _edits(rule.get("edit", []), known, names)
    for at, warning in enumerate(rule.get("warn", [])):
        inside = known | _added(warning.get("if", []))
        yield from _references(warning.get("if", []), inside, ("warn", at, "if"))
        yield from _unknown(warning["say"], inside, ("warn", at, "say"))
    yield from _unknown(rule.get("report", ""), known, ("report",))


def _edits(edits: Any, known: set[str], names: set[str]) -> Iterator[Complaint]:
    spots = [(("edit",), edits)] if isinstance(edits, dict) else [
        (("edit", at), edit) for at, edit in enumerate(edits)]  # fmt: skip
    for spot, edit in spots:
        added = _added(edit.get("if", []))
        yield from _references(edit.get("if", []), known | added, (*spot, "if"))
        for key in ("wrap", "replace", "extend", "at"):
            yield from _unknown(edit.get(key, ""), known | added, (*spot, key))
        if "insert" in edit:
            yield from _template(edit["insert"], names | added, (*spot, "insert"))
        if "guard" in edit:
            yield from _template(edit["guard"], names | added, (*spot, "guard"), "an expression")
        if "items" in edit:
            yield from _template(edit["items"], names | added, (*spot, "items"), "a list's items")
        if "append" in edit:
            yield from _template(edit["append"], names | added, (*spot, "append"), "an argument")
        if "with" in edit:
            keeps = "replace" not in edit
            inside = names | added | ({"it"} if keeps else set())
            yield from _template(edit["with"], inside, (*spot, "with"), "an expression")
            if keeps and len(re.findall(r"\$\{?it\b", edit["with"])) != 1:
                yield Complaint((*spot, "with"), "the template must hold $it once",
                                "$it is the code that is kept")  # fmt: skip


def _template(
    template: str, known: set[str], spot: tuple[Any, ...], kind: str = "Python"
) -> Iterator[Complaint]:
    yield from _unknown(template, known, spot)
    code = re.sub(r"\$(?:\.\.\.)?(?:\{(\w+)\}|(\w+))", lambda m: f"_{m[1] or m[2]}", template)
    reason = _no_python(_AS[kind].format(code))
    if reason is not None:
        yield Complaint(spot, f"the template is not {kind}: {reason}",
                        f"it reads {' '.join(template.split())!r}")  # fmt: skip


# Packs of one choice share the rules of parts.
@lru_cache(maxsize=4096)
def _no_python(code: str) -> str | None:
    """Why it cannot be parsed, if so."""
    try:
        parse(code)
    except SyntaxProblem as problem:
        return problem.reason
    return None


def _unknown(text: str, known: set[str], spot: tuple[Any, ...]) -> Iterator[Complaint]:
    for name in sorted(captures_in(text) - known):
        yield _no_such(name, known, spot)


def _no_such(name: str, known: set[str], spot: tuple[Any, ...]) -> Complaint:
    close = difflib.get_close_matches(name, known, 1)
    listed = ", ".join(f"${one}" for one in sorted(known))
    hint = f"did you mean ${close[0]}?" if close else f"known are {listed}"
    return Complaint(spot, f"nothing is called ${name} here", hint)


def _added(conditions: Any) -> set[str]:
    """The captures that conditions add when they hold."""
    found: set[str] = set()
    for condition in conditions:
        for name, argument in condition.items():
            if name in _GROUPS:
                found |= _added(argument)
            elif name == "proved":
                found |= _added([argument])
            elif name in ("argument", "ends_by_figures") and "as" in argument:
                found.add(argument["as"])
            elif name == "starts_variables":
                found |= {argument["as"], argument["after"]}
            elif name == "names_class":
                found |= {argument["as"], *argument.get("defaults", {})}
            elif name == "matches":
                for code in argument.values():
                    found.update(m[2] for m in METAVARIABLE.finditer(code))
    return found


def _references(conditions: Any, known: set[str], spot: tuple[Any, ...]) -> Iterator[Complaint]:
    for at, condition in enumerate(conditions):
        for name, argument in condition.items():
            here = (*spot, at, name)
            if name in _GROUPS:
                yield from _references(argument, known | _added(argument), here)
            elif name in _WRAPPERS:
                yield from _references([argument], known | _added([argument]), (*spot, at))
            elif name != "present":
                for reference in _captures_of(argument):
                    if reference not in known:
                        yield _no_such(reference, known, here)


def _captures_of(argument: Any) -> Iterator[str]:
    if isinstance(argument, dict):
        # `matches` refers to captures by its keys; its values are patterns of their own.
        texts = [*argument, *(v for v in argument.values() if isinstance(v, str))]
    else:
        texts = argument if isinstance(argument, list) else [argument]
    for text in texts:
        found = _REFERENCE.fullmatch(text) if isinstance(text, str) else None
        if found:
            yield found[1]
