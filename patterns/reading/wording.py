"""misfit: what does not fit the schema of packs, in words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

# Of more names than these nobody finds his own in a message.
_MOST_LISTED = 30
_KINDS = {
    "object": "a mapping", "array": "a list", "string": "text", "boolean": "true or false",
    "integer": "a whole number", "number": "a number",
}  # fmt: skip
_LONGEST = 200


@dataclass(frozen=True)
class Misfit:
    """``where`` are the keys and indices that lead there; ``is_key`` if the last is wrong itself,
    not its value."""

    where: tuple[Any, ...]
    reason: str
    hint: str
    is_key: bool = False


def innermost(error: Any) -> Any:
    """The error that a person made: of alternatives, the one that got furthest."""
    while error.validator in ("anyOf", "oneOf") and not _groups(error):
        fits = [
            e for e in error.context
            if (e.validator != "type" or e.relative_path)
            and (isinstance(e.instance, dict) or not _groups(e))
        ]  # fmt: skip
        if not fits:
            break
        error = max(fits, key=lambda e: (len(e.relative_path), bool(e.context)))
    return error


def is_grouped(error: Any) -> bool:
    """Whether the error is about groups of keys of which one must be given."""
    return bool(_groups(error))


def misfits(error: Any) -> Iterator[Misfit]:
    """An error of the validator, in words."""
    if error.validator == "additionalProperties":
        properties = error.schema.get("properties", {})
        for key in error.instance:
            if key not in properties:
                name = str(key).lower() if isinstance(key, bool) else str(key)
                where = (*error.absolute_path, name)
                yield _misfit(
                    where, f"unknown key {key!r}", suggestion(str(key), properties), is_key=True
                )
    else:
        yield _other(error)


def _misfit(where: Sequence[Any], reason: str, hint: str, is_key: bool) -> Misfit:
    if len(reason) > _LONGEST:
        reason = f"{reason[:_LONGEST]} …"
    spot = ".".join(str(part) for part in where)
    reason = f"{spot}: {reason}" if spot else reason
    return Misfit(tuple(where), reason, hint or "pack.schema.json describes every key", is_key)


def _other(error: Any) -> Misfit:
    where = list(error.absolute_path)
    properties = error.schema.get("properties", {}) if isinstance(error.schema, dict) else {}
    described = str(error.schema.get("description", "")) if isinstance(error.schema, dict) else ""
    reason, hint, is_key = error.message, described, False
    if error.validator == "required":
        # One error for each missing key; only its message says which it is about.
        missing = next(k for k in error.validator_value if error.message.startswith(repr(k)))
        reason = f"the key {missing!r} is missing"
        hint = properties.get(missing, {}).get("description", "")
        is_key = True
    elif error.validator == "dependentRequired":
        given, missing = next(
            (key, other) for key, others in error.validator_value.items()
            for other in others if key in error.instance and other not in error.instance
        )  # fmt: skip
        reason = f"the key {missing!r} is missing; {given!r} needs it"
        hint, is_key = properties.get(missing, {}).get("description", ""), True
    elif error.validator == "maxProperties":
        keys = ", ".join(str(key) for key in error.instance)
        reason = f"too many keys: {keys}; there may be {error.validator_value}"
        hint = hint or f"keep {next(iter(error.instance))!r} alone"
    elif error.validator == "enum":
        reason = f"unknown value {error.instance!r}"
        hint = suggestion(str(error.instance), map(str, error.validator_value))
    elif error.validator == "pattern":
        if "propertyNames" in error.absolute_schema_path:
            where.append(error.instance)
            is_key = True
        what = described or f"of the form {error.validator_value}"
        reason, hint = f"{error.instance!r} is not {what}", _repaired(error.instance, described)
    elif error.validator == "type":
        wanted = error.validator_value
        reason = f"should be {_KINDS.get(wanted, wanted)}"
        if not where:
            hint = "a pack is a mapping with the keys pack, summary, rules"
    elif error.validator == "minItems":
        few = "too short" if error.instance else "empty"
        reason = f"{few}; there should be {error.validator_value} or more"
    elif error.validator in ("anyOf", "oneOf") and not _groups(error):
        kinds = dict.fromkeys(e.validator_value for e in error.context if e.validator == "type")
        reason = f"should be {' or '.join(_KINDS.get(kind, kind) for kind in kinds)}"
    elif _groups(error):
        reason = _choice(_groups(error), set(error.instance))
        hint = f"choose one of {' | '.join(' + '.join(group) for group in _groups(error))}"
    return _misfit(where, reason, hint, is_key)


def _repaired(text: Any, described: str) -> str:
    words = re.findall(r"\w+", str(text))
    if described.startswith("a capture"):
        return f"write ${words[0]}" if len(words) == 1 else described
    joined = "-".join(words).lower() if "dashes" in described else "_".join(words)
    return f"write {joined}" if joined else described


def suggestion(word: str, names: Iterable[str]) -> str:
    """A hint for a name that is not known: the nearest that is, or all of them if they are few."""
    known = list(names)
    close = get_close_matches(word, known, 1)
    if close:
        return f"did you mean {close[0]!r}?"
    if len(known) > _MOST_LISTED:
        return f"none of the {len(known)} that are known is near; the documentation lists them"
    return f"known are {', '.join(sorted(known))}"


def _groups(error: Any) -> list[list[str]]:
    """The groups of keys of which one must be given, where that is what the schema wants."""
    if error.validator not in ("anyOf", "oneOf"):
        return []
    return [branch["required"] for branch in error.validator_value if list(branch) == ["required"]]


def _choice(groups: list[list[str]], given: set[str]) -> str:
    whole = [group[0] for group in groups if set(group) <= given]
    if len(whole) > 1:
        return f"{' and '.join(map(repr, whole))} exclude each other"
    begun = [key for group in groups if given & set(group) for key in group if key not in given]
    wanted = begun or [group[0] for group in groups]
    return f"the key {' or '.join(map(repr, wanted))} is missing"
