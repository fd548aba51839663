"""Exchange: decisions as a JSON file, to be kept, compared, reviewed and used elsewhere."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from pinsetter.analyzer.messages.problem import Problem

from ..files.json_text import json_text
from . import strict_json
from .decision import SavedDecision, Verdict, escaped, from_iso, iso, unescaped
from .decisions_schema import errors
from .piece_json import dumped, loaded
from .sessions import Subject
from .values import LATEST

FORMAT, VERSION = "pinsetter-decisions", 1
_LARGEST = 64 << 20
_SHOWN = 200
_HUNK = re.compile(r'"hunk"\s*:\s*"([^"\\]*)"|\n')


@dataclass(frozen=True)
class Exported:
    """What a file of decisions has: what was run, and what was decided."""

    subject: Subject
    decisions: tuple[SavedDecision, ...]


def dump(exported: Exported) -> bytes:
    """The file for some decisions; the same for the same ones, in whatever order they come."""
    data = {
        "format": FORMAT,
        "version": VERSION,
        "codemod": exported.subject.codemod,
        "paths": [escaped(path) for path in exported.subject.paths],
        "options": list(exported.subject.options),
        "decisions": [_dumped(decision) for decision in ordered(exported.decisions)],
    }
    return json_text(data).encode("utf-8")


def ordered(decisions: Iterable[SavedDecision]) -> list[SavedDecision]:
    """Decisions by path, line and id."""
    return sorted(decisions, key=lambda d: (d.path, d.line, d.hunk))


def read(path: Path) -> Exported | list[Problem]:
    """Read a file of decisions; every mistake is a Problem with its line."""
    try:
        with path.open("rb") as stream:
            raw = stream.read(_LARGEST + 1)
    except OSError as error:
        return [Problem(path, f"cannot be read: {error.strerror or error}")]
    if len(raw) > _LARGEST:
        return [Problem(path, f"it has more than {_LARGEST >> 20} MB: no file of decisions")]
    return load(path, raw)


def load(path: Path, raw: bytes) -> Exported | list[Problem]:
    """The decisions in the bytes of a file; every mistake is a Problem with its line."""
    try:
        text = raw.decode("utf-8-sig")
        data = strict_json.parse(text)
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        return [Problem(path, "decisions are UTF-8 text", line, hint="save the file as UTF-8")]
    except strict_json.NotStrict as error:
        line = text.count("\n", 0, error.at) + 1
        start = text.rfind("\n", 0, error.at) + 1
        shown = text[start:].partition("\n")[0]
        return [Problem(path, error.reason, line, error.at - start, text=shown)]
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        hint = "`pinsetter decisions export` makes one"
        return [Problem(path, "not a file of decisions", 1, hint=hint)]
    if data.get("version") != VERSION:
        reason = f"version {_short(repr(data.get('version')))} of the format is not known"
        hint = f"this Pinsetter knows version {VERSION}"
        return [Problem(path, reason, _line(text, "version"), hint=hint)]
    problems = _misfits(path, text, data)
    return problems or Exported(
        Subject(
            data["codemod"],
            tuple(unescaped(one) for one in data["paths"]),
            tuple(data["options"]),
        ),
        tuple(_loaded(one) for one in data["decisions"]),
    )


def hunk_lines(path: Path) -> dict[str, int]:
    """The line of each decision in a file that has been read, by the id of its hunk."""
    found: dict[str, int] = {}
    try:
        text = path.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError):
        return found  # it changed meanwhile
    line = 1
    for match in _HUNK.finditer(text):
        if match[1] is None:
            line += 1
        else:
            found.setdefault(match[1], line)
    return found


def _misfits(path: Path, text: str, data: dict[str, Any]) -> list[Problem]:
    found = errors(data)
    if found:
        return [
            Problem(
                path, f"{_spot(e.absolute_path)}: {_short(e.message)}",
                _line(text, *e.absolute_path),
                hint=str(e.schema.get("description", "")) if isinstance(e.schema, dict) else "",
            )
            for e in found[:10]
        ]  # fmt: skip
    for spot, reason in _mistakes(data):
        return [Problem(path, f"{_spot(spot)}: {reason}", _line(text, *spot))]
    return []


def _mistakes(data: dict[str, Any]) -> Iterator[tuple[tuple[Any, ...], str]]:
    """What a schema cannot say, with the place in the data."""
    for number, given in enumerate(data["paths"]):
        if reason := _refused(unescaped, given):
            yield ("paths", number), reason
    seen: set[str] = set()
    for number, decision in enumerate(data["decisions"]):
        spot = ("decisions", number)
        if decision["hunk"] in seen:
            yield (*spot, "hunk"), f"{decision['hunk']} is decided twice"
        seen.add(decision["hunk"])
        for key, check in (("path", unescaped), ("decided", _time)):
            if reason := _refused(check, decision[key]):
                yield (*spot, key), reason
        if decision["verdict"] in ("split", "open") and not decision.get("pieces"):
            yield (*spot, "verdict"), f"{decision['verdict']} without pieces"


def _refused(check: Callable[[str], object], text: str) -> str:
    try:
        check(text)
    except (ValueError, OverflowError) as error:
        return str(error)
    return ""


def _time(text: str) -> None:
    """Raises ValueError for what no calendar can show."""
    if not 0 <= from_iso(text) < LATEST * 1_000_000:
        raise ValueError("no time between 1970 and 9998")


def _short(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN // 2]} … {text[-_SHOWN // 2 :]}"


def _spot(path: Iterable[Any]) -> str:
    text = "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in path)
    return text.lstrip(".") or "the file"


def _line(text: str, *path: Any) -> int:
    """The line of a value; of what is around it where it cannot be told. JSON is YAML, whose reader
    knows places; it is slow, and used for mistakes only."""
    try:
        node = yaml.compose(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except (yaml.YAMLError, RecursionError):
        return 1
    for key in path:
        found = None
        if isinstance(node, yaml.MappingNode):
            found = next((v for k, v in node.value if k.value == key), None)
        elif isinstance(node, yaml.SequenceNode) and isinstance(key, int):
            found = node.value[key] if key < len(node.value) else None
        if found is None:
            break
        node = found
    return int(node.start_mark.line) + 1 if node is not None else 1


def _dumped(decision: SavedDecision) -> dict[str, Any]:
    data: dict[str, Any] = {
        "hunk": decision.hunk,
        "rule": decision.rule,
        "path": escaped(decision.path),
        "line": decision.line,
        "verdict": decision.verdict.value,
        "surroundings": list(decision.surroundings),
        "pack": decision.pack,
        "digest": decision.digest,
        "decided": iso(decision.decided),
        "by": decision.by,
    }
    if decision.pieces:
        data["pieces"] = dumped(decision.pieces)
    return data


def _loaded(data: dict[str, Any]) -> SavedDecision:
    return SavedDecision(
        data["hunk"], data["rule"], unescaped(data["path"]), data["line"], Verdict(data["verdict"]),
        tuple(data["surroundings"]), data["pack"], data["digest"], from_iso(data["decided"]),
        data["by"], loaded(data.get("pieces", ())),
    )  # fmt: skip
