"""Exchange: decisions as a JSON file, to be kept, compared, reviewed and used elsewhere."""

from __future__ import annotations

import importlib.resources
import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from pinsetter.analyzer.problem import Problem

from .decision import SavedDecision, Verdict, escaped, from_iso, iso, unescaped
from .piece_json import dumped, loaded
from .sessions import Subject

FORMAT, VERSION = "pinsetter-decisions", 1
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
    text = json.dumps(data, indent=2, ensure_ascii=False) + "\n"
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        # Half a surrogate pair in a text that a person wrote; JSON can have it as an escape only.
        return (json.dumps(data, indent=2) + "\n").encode("ascii")


def ordered(decisions: Iterable[SavedDecision]) -> list[SavedDecision]:
    """Decisions by path, line and id."""
    return sorted(decisions, key=lambda d: (d.path, d.line, d.hunk))


def read(path: Path) -> Exported | list[Problem]:
    """Read a file of decisions; every mistake is a Problem with its line."""
    try:
        raw = path.read_bytes()
    except OSError as error:
        return [Problem(path, f"cannot be read: {error.strerror or error}")]
    return load(path, raw)


def load(path: Path, raw: bytes) -> Exported | list[Problem]:
    """The decisions in the bytes of a file; every mistake is a Problem with its line."""
    try:
        text = raw.decode("utf-8-sig")
        data = json.loads(text)
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        return [Problem(path, "decisions are UTF-8 text", line, hint="save the file as UTF-8")]
    except json.JSONDecodeError as error:
        shown = error.doc.split("\n")[error.lineno - 1] if error.doc else ""
        return [Problem(path, f"not JSON: {error.msg}", error.lineno, error.colno - 1, text=shown)]
    except RecursionError:
        return [Problem(path, "not a file of decisions: nested too deeply", 1)]
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        hint = "`pinsetter decisions export` makes one"
        return [Problem(path, "not a file of decisions", 1, hint=hint)]
    if data.get("version") != VERSION:
        reason = f"version {data.get('version')!r} of the format is not known"
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
    line = 1
    for match in _HUNK.finditer(path.read_text("utf-8-sig")):
        if match[1] is None:
            line += 1
        else:
            found.setdefault(match[1], line)
    return found


def _misfits(path: Path, text: str, data: dict[str, Any]) -> list[Problem]:
    errors = sorted(_validator().iter_errors(data), key=lambda e: list(map(str, e.absolute_path)))
    if errors:
        return [
            Problem(path, f"{_spot(e.absolute_path)}: {e.message}", _line(text, *e.absolute_path),
                    hint=str(e.schema.get("description", "")) if isinstance(e.schema, dict) else "")
            for e in errors[:10]
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
        for key, check in (("path", unescaped), ("decided", from_iso)):
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


@cache
def _validator() -> Any:
    import jsonschema  # a start should not wait for it

    file = importlib.resources.files(__package__).joinpath("decisions.schema.json")
    return jsonschema.Draft202012Validator(json.loads(file.read_text("utf-8")))


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
