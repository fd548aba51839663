"""complaints: what is wrong with a rule's templates and conditions, told at load time."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ..edits.template import LET, Kind, captures_in, is_expression, read_template
from ..reading.emitter import METAVARIABLE
from ..reading.pack_head import PLACES
from ..reading.yaml_file import schema

_REFERENCE = re.compile(r"\$(?:\.\.\.)?(\w+)")
_GROUPS = ("any", "all")
_WRAPPERS = ("not", "proved")
_INNER = "holds"
_GIVEN = {"$ref": "#/$defs/given"}


@dataclass(frozen=True)
class Complaint:
    """A mistake and the keys that lead to it inside the rule, or the head. ``word`` is what is
    wrong in the value there, ``at`` its line (from 1) and column; one that is ``slight`` is told
    and does not keep the pack from being used."""

    spot: tuple[Any, ...]
    reason: str
    hint: str = ""
    word: str = ""
    at: tuple[int, int] | None = None
    slight: bool = False


def complaints(rule: Mapping[str, Any], captures: Iterable[str]) -> Iterator[Complaint]:
    """Every mistake in a rule of the pack; ``captures`` are those of its pattern."""
    where = rule.get("where", [])
    known = {"match", *captures, *_added(where)}
    yield from _references(where, known, ("where",))
    fresh = rule.get("fresh", {})
    for name, wanted in fresh.items():
        if not isinstance(wanted, str):
            yield from _unknown(wanted["per"], known, ("fresh", name, "per"))
    names = known | set(fresh)
    for name, cases in rule.get("let", {}).items():
        for at, case in enumerate(cases):
            spot = ("let", name, at)
            inside = names | _added(case.get("if", []))
            yield from _references(case.get("if", []), inside, (*spot, "if"))
            if "is" in case:
                yield from _template(case["is"], inside, (*spot, "is"), *LET)
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
    yield from _unknown(rule.get("many", {}).get("say", ""), {"count"}, ("many", "say"))
    # It is asked of the module, not of a match.
    done = rule.get("done", [])
    yield from _references(done, {"match"} | _added(done), ("done",))


def of_all_rules(head: Mapping[str, Any]) -> Iterator[Complaint]:
    """Every mistake in what a file says must hold for each of its rules."""
    where = head.get("where", [])
    yield from _references(where, {"match"} | _added(where), ("where",))


def _edits(edits: Any, known: set[str], names: set[str]) -> Iterator[Complaint]:
    spots = [(("edit",), edits)] if isinstance(edits, dict) else [
        (("edit", at), edit) for at, edit in enumerate(edits)]  # fmt: skip
    for spot, edit in spots:
        added = _added(edit.get("if", []))
        yield from _references(edit.get("if", []), known | added, (*spot, "if"))
        for key in PLACES if "functional" not in edit else ("functional",):
            yield from _unknown(edit.get(key, ""), known | added, (*spot, key))
        if "insert" in edit:
            yield from _template(edit["insert"], names | added, (*spot, "insert"), Kind.CODE)
        if "under" in edit:
            if edit["place"] != "after":
                yield Complaint((*spot, "under"), "lines under a condition go after a statement",
                                "place: after")  # fmt: skip
            yield from _template(edit["under"], names | added, (*spot, "under"), Kind.EXPRESSION)
            yield from _template(edit.get("then", ""), names | added, (*spot, "then"), Kind.CODE)
        if "guard" in edit:
            yield from _template(edit["guard"], names | added, (*spot, "guard"), Kind.EXPRESSION)
        if "items" in edit:
            yield from _template(edit["items"], names | added, (*spot, "items"), Kind.ITEMS)
        if "append" in edit:
            yield from _template(edit["append"], names | added, (*spot, "append"), Kind.ARGUMENT)
        if "enclose" in edit:
            inside = names | added | {"body"}
            yield from _template(edit["with"], inside, (*spot, "with"), Kind.CODE)
            if len(re.findall(r"(?m)^\s+\$\.\.\.body\s*$", edit["with"])) != 1:
                yield Complaint((*spot, "with"), "no block has the line $...body once",
                                "$...body stands for the function's statements")  # fmt: skip
        elif "functional" in edit:
            inside = names | added
            for name, template in edit.get("values", {}).items():
                if name in inside:
                    at, reason = (*spot, "values", name), f"${name} stands for something already"
                    yield Complaint(at, reason, "give one of them another name")
                yield from _template(template, inside, (*spot, "values", name), Kind.EXPRESSION)
                inside = inside | {name}
            counted = edit.get("counted", {})
            for key, template in counted.items():
                kind = Kind.ITEMS if key == "item" else Kind.EXPRESSION
                number = set() if key == "from" else {"index"}
                yield from _template(template, inside | number, (*spot, "counted", key), kind)
            for key, (kind, more) in _FUNCTIONAL.items():
                if key in edit:
                    yield from _template(edit[key], inside | more, (*spot, key), kind)
            if "from" in counted and "result" in edit:
                yield Complaint((*spot, "result"), "the number of a turn is taken off the result",
                                "leave `result` out")  # fmt: skip
            for word, template in edit.get("logical", {}).items():
                inside = names | added | ({"a"} if word == "not" else {"a", "b"})
                yield from _template(template, inside, (*spot, "logical", word), Kind.EXPRESSION)
        elif "substitute" in edit:
            for key, more in _SUBSTITUTED.items():
                yield from _template(edit[key], names | added | more, (*spot, key), Kind.CODE)
                for name in sorted(more - captures_in(edit[key])):
                    yield Complaint((*spot, key), f"the template does not say ${name}",
                                    "each of them is needed")  # fmt: skip
        elif "with" in edit:
            keeps = not edit.keys() & {"replace", "decorate"}
            inside = names | added | ({"it"} if keeps else set())
            run = edit.get("replace", "").startswith("$...")
            kind = Kind.ARGUMENT if run else Kind.EXPRESSION
            if "returns" in edit:
                kind = Kind.CODE
            if "replace" in edit and not run and not is_expression(edit["with"].rstrip("\n")):
                kind = Kind.CODE
            yield from _template(edit["with"], inside, (*spot, "with"), kind)
            if keeps and len(re.findall(r"\$\{?it\b", edit["with"])) != 1:
                yield Complaint((*spot, "with"), "the template must hold $it once",
                                "$it is the code that is kept")  # fmt: skip


_FUNCTIONAL = {
    "call": (Kind.EXPRESSION, {
        "test", "then", "otherwise", "condition", "body", "names", "inputs", "state",
        "tuple", "given"}),
    "returns": (Kind.ITEMS, {"state", "tuple"}), "result": (Kind.ITEMS, {"state", "tuple"}),
    "kept": (Kind.EXPRESSION, {"it"}), "truth": (Kind.EXPRESSION, {"it"}),
}  # fmt: skip
_SUBSTITUTED = {
    "declare": {"it"}, "read": {"it"}, "write": {"it", "value"},
    "update": {"it", "operator", "value"},
}  # fmt: skip


def _template(
    template: str, known: set[str], spot: tuple[Any, ...], *kinds: Kind
) -> Iterator[Complaint]:
    yield from _unknown(template, known, spot)
    try:
        read_template(template.rstrip("\n"), *kinds)
    except ValueError as error:
        yield Complaint(spot, str(error), f"it reads {' '.join(template.split())!r}")


def _unknown(text: str, known: set[str], spot: tuple[Any, ...]) -> Iterator[Complaint]:
    for name in sorted(captures_in(text) - known):
        yield _no_such(name, known, spot)


def _no_such(name: str, known: set[str], spot: tuple[Any, ...]) -> Complaint:
    close = difflib.get_close_matches(name, known, 1)
    listed = ", ".join(f"${one}" for one in sorted(known))
    hint = f"did you mean ${close[0]}?" if close else f"known are {listed}"
    return Complaint(spot, f"nothing is called ${name} here", hint, name)


def _added(conditions: Any) -> set[str]:
    """The captures that conditions add when they hold."""
    found: set[str] = set()
    for condition in conditions:
        for name, argument in condition.items():
            if name in _GROUPS:
                found |= _added(argument)
            elif name == "proved":
                found |= _added([argument])
            elif name in ("matches", "has", "within"):
                for code in [argument] if isinstance(argument, str) else argument.values():
                    found.update(m[2] for m in METAVARIABLE.finditer(code))
            else:
                known = schema()["$defs"]["condition"]["properties"]
                found.update(_given(known.get(name, {}), argument))
                if name == "some":
                    found |= _added(argument[_INNER])
    return found


def _given(described: Mapping[str, Any], value: Any) -> Iterator[str]:
    """The names in an argument that its schema says are given to what the condition finds."""
    if described == _GIVEN:
        yield value
    if isinstance(value, dict):
        for key, inside in value.items():
            if described.get("propertyNames") == _GIVEN:
                yield key
            others = described.get("additionalProperties") or {}
            yield from _given(described.get("properties", {}).get(key, others), inside)
    elif isinstance(value, list):
        for inside in value:
            yield from _given(described.get("items", {}), inside)


def _references(conditions: Any, known: set[str], spot: tuple[Any, ...]) -> Iterator[Complaint]:
    for at, condition in enumerate(conditions):
        for name, argument in condition.items():
            here = (*spot, at, name)
            if name in _GROUPS:
                yield from _references(argument, known | _added(argument), here)
            elif name in _WRAPPERS:
                yield from _references([argument], known | _added([argument]), (*spot, at))
            else:
                if isinstance(argument, dict) and _INNER in argument:
                    inner = argument[_INNER]
                    own = {argument[key] for key in ("as",) if key in argument}
                    own |= {m[2] for m in METAVARIABLE.finditer(argument.get("code", ""))}
                    yield from _references(inner, known | own | _added(inner), (*here, _INNER))
                if name == "present":
                    yield from _bound(argument, here)
                    continue
                for reference in _captures_of(argument):
                    if reference not in known:
                        yield _no_such(reference, known, here)


def _bound(present: Mapping[str, Any], spot: tuple[Any, ...]) -> Iterator[Complaint]:
    """What is wrong with the captures that ``present`` takes over from its code."""
    said = {m[2] for m in METAVARIABLE.finditer(present["code"])}
    for number, name in enumerate(present.get("binds", ())):
        here = (*spot, "binds", number)
        if name not in said:
            yield _no_such(name, said, here)
        elif present["in"] == "program":
            hint = "look in: block, before, function or module"
            yield Complaint(here, f"${name} may be code of another file", hint, name)


def _captures_of(argument: Any) -> Iterator[str]:
    if isinstance(argument, dict):
        # `matches` refers to captures by its keys; its values are patterns of their own.
        texts = [*argument, *(v for v in argument.values() if isinstance(v, str))]
        for inside in (v for v in argument.values() if isinstance(v, dict)):
            texts += inside
    else:
        texts = argument if isinstance(argument, list) else [argument]
    for text in texts:
        found = _REFERENCE.fullmatch(text) if isinstance(text, str) else None
        if found:
            yield found[1]
