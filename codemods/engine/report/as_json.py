"""The document as JSON; ``report.schema.json`` says what is in it, version by version."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

from ..files.json_text import json_text
from .document import (
    SCHEMA_VERSION,
    Change,
    Document,
    FileName,
    HunkEntry,
    Kind,
    Position,
    Span,
)


def as_json(document: Document) -> bytes:
    return json_text(data(document)).encode("utf-8")


def data(document: Document) -> dict[str, Any]:
    """What the JSON is made of."""
    return {
        "format": "pinsetter-report",
        "schema_version": SCHEMA_VERSION,
        "tool": {"name": "pinsetter", "version": document.version},
        "codemods": list(document.codemods),
        "mode": document.mode,
        "exit_code": document.exit_code,
        "verdict": document.verdict,
        "folder_uri": document.folder_uri,
        "counts": asdict(document.counts),
        "rules": [asdict(rule) for rule in document.rules],
        "files": [
            {
                **_name(file.name),
                "encoding": file.encoding,
                "newline": file.newline,
                "byte_order_mark": file.bom,
                "written": file.written,
                "hunks": list(file.hunks),
                "changes": _changes(file.changes),
            }
            for file in document.files
        ],
        "hunks": [_hunk(hunk) for hunk in document.hunks],
        "notes": [
            {"rule": note.rule, **_name(note.file), "line": note.line, "text": note.text}
            for note in document.notes
        ],
        "suppressed": [
            {
                "rule": one.rule,
                **_name(one.file),
                "line": one.line,
                "comment_line": one.by,
                "reason": one.reason,
            }
            for one in document.suppressed
        ],
        **{name: _failures(document, kind) for name, kind in _FAILURES.items()},
        "programs": [
            {
                "entry": _name(program.entry),
                "because": program.because,
                "training_apis": list(program.training_apis),
                "modules": [_name(module) for module in program.modules],
            }
            for program in document.programs
        ],
        "left_alone": [{**_name(left.name), "why": left.why.value} for left in document.left_alone],
    }


_FAILURES: Mapping[str, Kind] = {
    "refusals": Kind.REFUSED,
    "problems": Kind.NOT_UNDERSTOOD,
    "rule_failures": Kind.RULE_FAILED,
    "not_written": Kind.NOT_WRITTEN,
    "warnings": Kind.WARNING,
}


def _hunk(hunk: HunkEntry) -> dict[str, Any]:
    return {
        "id": hunk.id,
        "rule": hunk.rule,
        "title": hunk.title,
        "why": hunk.why,
        **_name(hunk.file),
        **_span(hunk.span),
        "state": hunk.state.value,
        "comes_along": hunk.comes_along,
        "warnings": list(hunk.warnings),
        "requires": list(hunk.requires),
        "required_by": list(hunk.required_by),
        "alternatives": list(hunk.alternatives),
        "changes": _changes(hunk.changes),
        "diff": "".join(f"{line}\n" for line in hunk.diff),
    }


def _failures(document: Document, kind: Kind) -> list[dict[str, Any]]:
    return [
        {
            **_name(failure.file),
            "line": failure.line,
            "column": failure.column,
            "reason": failure.reason,
            "hint": failure.hint,
        }
        for failure in document.failures
        if failure.kind is kind
    ]


def _changes(changes: Iterable[Change]) -> list[dict[str, Any]]:
    return [{**_span(change.span), "old": change.old, "new": change.new} for change in changes]


def _span(span: Span) -> dict[str, Any]:
    return {"start": _position(span.start), "end": _position(span.end)}


def _position(position: Position) -> dict[str, int]:
    return {"offset": position.offset, "line": position.line, "column": position.column}


def _name(name: FileName) -> dict[str, Any]:
    return {"path": name.path, "uri": name.uri}
