"""Packs that are wrong on purpose, for the tests of what a run makes of them."""

from __future__ import annotations

import textwrap
from pathlib import Path

import yaml


def pack_of(folder: Path, *rules: dict[str, object], **head: object) -> Path:
    """A pack with these rules; each has ``match``, ``edit`` and an example, before and after."""
    made = []
    for number, rule in enumerate(rules):
        before, after = rule["example"]  # type: ignore[misc]
        named = {"id": f"rule-{number}", "title": "Change", "why": "It is better.", **rule}
        del named["example"]
        examples = [{"before": textwrap.dedent(before), "after": textwrap.dedent(after)}]
        made.append({**named, "examples": examples})
    path = folder / "wrong.yaml"
    data = {"pack": "wrong", "summary": "Rules that are wrong.", **head, "rules": made}
    path.write_text(yaml.safe_dump(data, sort_keys=False))
    return path


DROP = {
    "id": "drop",
    "match": "gone()",
    "edit": [{"replace": "$match", "with": ""}],
    "example": ("x = [gone()]\n", "x = []\n"),
}
HAS_IT = {"matches": {"$match": "how($...others, x=$value)"}}
KEYWORD = {
    "id": "keyword",
    "match": "how($...a)",
    "edit": [
        {"if": [{"not": HAS_IT}], "append": "x=1"},
        {"if": [HAS_IT], "insert": "break", "place": "before"},
    ],
    "example": ("how(1)\n", "how(1, x=1)\n"),
}
LEAVE = {
    "id": "leave",
    "match": "over()",
    "edit": [{"insert": "return", "place": "after"}],
    "example": ("def f():\n    over()\n", "def f():\n    over()\n    return\n"),
}
STOP = {
    "id": "stop",
    "match": "enough()",
    "edit": [{"insert": "break", "place": "before"}],
    "example": ("while x:\n    enough()\n", "while x:\n    break\n    enough()\n"),
}
EVERY = (DROP, KEYWORD, LEAVE, STOP)
