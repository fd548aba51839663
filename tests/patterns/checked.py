"""A pack in which nothing is wrong, and what loading others says."""

from __future__ import annotations

from snippets import load_text

from pinsetter.patterns.packs.pack import Pack

GOOD = """\
pack: test
summary: For a test.
imports: {np: numpy}
roles:
  logger: [logging.Logger]
functions:
  openers: [builtins.open, gzip.open]
rules:
  - id: rule
    title: A rule
    why: Because.
    match: np.take($x)
    edit: {insert: g($x), place: after}
    examples:
      - unchanged: x
"""


def put(old: str, new: str) -> str:
    assert GOOD.count(old) == 1
    return GOOD.replace(old, new)


def also(lines: str) -> str:
    return put("    edit:", f"{lines}\n    edit:")


def where(condition: str) -> str:
    return also(f"    where:\n      - {condition}")


def problems(text: str) -> list[str]:
    found = load_text(text)
    assert isinstance(found, list), found
    return [f"{p.line}:{p.column + 1}: {p.reason.removeprefix('rule: ')}" for p in found]


def remarks(text: str) -> list[str]:
    found = load_text(text)
    assert isinstance(found, Pack), found
    return [f"{p.line}:{p.column + 1}: {p.reason.removeprefix('rule: ')}" for p in found.remarks]
