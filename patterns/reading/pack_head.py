"""What the head of a pack says to its rules."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any


def listed(names: str | list[str | dict[str, str]]) -> tuple[str, ...]:
    """The modules that an alias stands for."""
    if isinstance(names, str):
        return (names,)
    return tuple(name if isinstance(name, str) else next(iter(name)) for name in names)


def used_let(let: Mapping[str, Any], rule: Mapping[str, Any]) -> dict[str, Any]:
    """Those of the pack's own ``let`` that the rule's edits mention."""
    text = json.dumps(rule.get("edit", []))
    return {name: cases for name, cases in let.items() if f"${name}" in text}
