"""lifted_heads: whether a pack says what its rules with `lift` and `passed` write."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..edits.template import Kind, read_template
from ..reading.yaml_file import PackFile
from .complaints import Complaint

_CALL = re.compile(
    r"[A-Za-z_][\w.]*\(\$(test|later), \$\.\.\.functions(, \$\.\.\.(state|until|options))*\)"
)
_NAME = re.compile(r"[A-Za-z_]\w*")
_STATEMENTS = ("if", "while", "for")


def lifted_heads(file: PackFile, files: Sequence[PackFile]) -> Iterator[Complaint]:
    """What is wrong with ``lifted`` in the head of a file, and with rules that need its heads."""
    said: dict[str, Any] = {}
    for one in files:
        said |= one.data.get("lifted", {})
    unread = any(path[:1] == ("lifted",) for one in files for path in one.unread)
    if not said and not unread:
        for at, rule in enumerate(file.data.get("rules", ())):
            for spot in _edits_with(rule, "lift", "unlift"):
                yield Complaint(("rules", at, *spot), "nothing says what is written instead",
                                "say it in the head, under `lifted`")  # fmt: skip
    if not any(one.data.get("passes") for one in files):
        for at, rule in enumerate(file.data.get("rules", ())):
            for spot in _edits_with(rule, "passed"):
                yield Complaint(("rules", at, *spot), "nothing says what a function is passed to",
                                "name packs in the head, under `passes`")  # fmt: skip
    for key, value in file.data.get("lifted", {}).items():
        if key in _STATEMENTS:
            yield from _form(key, value)
        elif key == "signal":
            if not _NAME.fullmatch(value):
                yield Complaint(("lifted", key), f"{value!r} is no name", "as in signal: signal")
        else:
            yield from _template(("lifted", key), value)


def _form(key: str, form: Mapping[str, Any]) -> Iterator[Complaint]:
    if not _CALL.fullmatch(form.get("call", "")):
        hint = "as in mylib.branch($test, $...functions), or with $later, which is a function"
        yield Complaint(
            ("lifted", key, "call"), "it is no call of the test and the functions", hint
        )
    names: dict[tuple[str, ...], str] = {
        ("functions", word): name for word, name in form.get("functions", {}).items()
    }
    if "item" in form:
        names["item",] = form["item"]
    for spot, name in names.items():
        if not _NAME.fullmatch(name):
            yield Complaint(("lifted", key, *spot), f"{name!r} is no name", "as in then")


def _template(spot: tuple[Any, ...], text: str) -> Iterator[Complaint]:
    try:
        read_template(text, Kind.EXPRESSION)
    except ValueError as error:
        yield Complaint(spot, str(error), "it is one expression")


def _edits_with(rule: Any, *keys: str) -> Iterator[tuple[Any, ...]]:
    edits = rule.get("edit", []) if isinstance(rule, dict) else []
    for at, edit in enumerate(edits if isinstance(edits, list) else [edits]):
        for key in keys:
            if isinstance(edit, dict) and key in edit:
                yield ("edit", at, key) if isinstance(edits, list) else ("edit", key)
