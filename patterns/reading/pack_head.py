"""What the head of a pack says to its rules."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

# The keys of an edit that say what it is done to; those of edits about whole blocks and functions.
OF_BLOCKS = ("lift", "unlift", "functional", "flagged", "substitute", "returns", "enclose",
             "passed")  # fmt: skip
PLACES = ("wrap", "replace", "delete", "remove", "of", "extend", "decorate", "respell", "at",
          *OF_BLOCKS)  # fmt: skip
# In front of aliases that no pattern or template has, with a number.
HOME = "home__"


def wanted_name(alias: str) -> str:
    """What a file calls an alias that it gets, if it can."""
    return alias.rpartition("__")[2] if alias.startswith(HOME) else alias


_MEMBER = re.compile(r"from\s+([\w.]+)\s+import\s+(\w+)")


def is_member(names: object) -> bool:
    """Whether an alias stands for a name of a module: `from datetime import timezone`."""
    return isinstance(names, str) and _MEMBER.fullmatch(names) is not None


def listed(names: str | list[str | dict[str, str]]) -> tuple[str, ...]:
    """The modules that an alias stands for, or the name of one."""
    if isinstance(names, str):
        member = _MEMBER.fullmatch(names)
        return (names,) if member is None else (f"{member[1]}.{member[2]}",)
    return tuple(name if isinstance(name, str) else next(iter(name)) for name in names)


def listed_options(named: str | Iterable[str]) -> tuple[str, ...]:
    """The options that `unless` names: one, or several."""
    return (named,) if isinstance(named, str) else tuple(named)


def used_let(let: Mapping[str, Any], rule: Mapping[str, Any]) -> dict[str, Any]:
    """Those of the pack's own ``let`` that the rule's edits mention."""
    text = json.dumps(rule.get("edit", []))
    return {name: cases for name, cases in let.items() if f"${name}" in text}
