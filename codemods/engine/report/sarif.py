"""The document as SARIF 2.1.0, which code hosts and editors show beside the code.

A hunk is a result of level ``note``, or ``warning`` if it has one; its fix is what accepting it
does, with all that it requires. Notes are warnings; what was refused, not understood or not written
is an error.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from typing import Any

from ..files.json_text import json_text
from .document import (
    UNSUCCESSFUL,
    Document,
    FailureEntry,
    FileName,
    HunkEntry,
    Kind,
    NoteEntry,
    Span,
    State,
    SuppressedEntry,
)

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_BASE = "SRCROOT"
_FINGERPRINT = "pinsetterHunk/v1"
_FAILURES: Mapping[Kind, tuple[str, str]] = {
    Kind.REFUSED: (
        "Program refused",
        "The program cannot be rewritten safely; it is left as it is.",
    ),
    Kind.NOT_UNDERSTOOD: (
        "File not understood",
        "The file could not be read or parsed; nothing is said about it.",
    ),
    Kind.RULE_FAILED: (
        "Rule not usable",
        "A mistake of the rule, or an error of this program, kept it from a place.",
    ),
    Kind.NOT_WRITTEN: ("File not written", "The file could not be written; it is as it was."),
    Kind.WARNING: ("Warning", "Something to know of a file."),
}


def as_sarif(document: Document) -> bytes:
    return json_text(data(document)).encode("utf-8")


def data(document: Document) -> dict[str, Any]:
    """What the SARIF is made of."""
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [_Run(document).data()]}


class _Run:
    """One run; artifacts are numbered as they are named."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.hunks = {hunk.id: hunk for hunk in document.hunks}
        self.artifacts: dict[str, dict[str, Any]] = {}
        kinds = dict.fromkeys(failure.kind for failure in document.failures)
        self.rules = [
            *(_described(rule.id, rule.title, rule.why) for rule in document.rules),
            *(_described(kind.value, *_FAILURES[kind]) for kind in kinds),
        ]
        self.indices = {rule["id"]: index for index, rule in enumerate(self.rules)}
        for file in document.files:
            self._artifact(file.name)["encoding"] = file.encoding

    def data(self) -> dict[str, Any]:
        results = [
            *map(self._failure, self.document.failures),
            *map(self._note, self.document.notes),
            *map(self._suppressed, self.document.suppressed),
            *(self._hunk(hunk) for hunk in self.document.asked if hunk.state in _SHOWN),
        ]
        invocation = self._invocation()
        return {
            "tool": {
                "driver": {
                    "name": "Pinsetter",
                    "version": self.document.version,
                    "rules": self.rules,
                }
            },
            "invocations": [invocation],
            "originalUriBaseIds": {_BASE: {"uri": self.document.folder_uri}},
            "columnKind": "unicodeCodePoints",
            "newlineSequences": ["\r\n", "\n", "\r"],
            "artifacts": list(self.artifacts.values()),
            "results": results,
        }

    def _invocation(self) -> dict[str, Any]:
        """Successful if every file was understood and could be handled; a refusal is an answer."""
        failures = [f for f in self.document.failures if f.kind in UNSUCCESSFUL]
        return {
            "executionSuccessful": not failures,
            "exitCode": self.document.exit_code,
            "exitCodeDescription": self.document.verdict,
            "toolExecutionNotifications": [
                {
                    "level": "error",
                    "message": _message(_reason(failure)),
                    "locations": [self._location(failure.file, _at(failure.line, failure.column))],
                }
                for failure in failures
            ],
        }

    def _failure(self, failure: FailureEntry) -> dict[str, Any]:
        level = "warning" if failure.kind is Kind.WARNING else "error"
        region = _at(failure.line, failure.column)
        return self._result(failure.kind.value, level, _reason(failure), failure.file, region)

    def _note(self, note: NoteEntry) -> dict[str, Any]:
        return self._result(note.rule, "warning", note.text, note.file, _at(note.line))

    def _suppressed(self, one: SuppressedEntry) -> dict[str, Any]:
        text = f"Suppressed by a comment on line {one.by}."
        result = self._result(one.rule, "note", text, one.file, _at(one.line))
        comment = {"location": self._location(one.file, _at(one.by))}
        reason = {"justification": one.reason} if one.reason else {}
        return {**result, "suppressions": [{"kind": "inSource", **comment, **reason}]}

    def _hunk(self, hunk: HunkEntry) -> dict[str, Any]:
        text = "\n".join(
            [f"{hunk.title}. {hunk.why}", *(f"Warning: {warning}" for warning in hunk.warnings)]
        )
        required = [self.hunks[id] for id in hunk.requires if id in self.hunks]
        asked = [other for other in required if not other.comes_along]
        result = self._result(
            hunk.rule, "warning" if hunk.warnings else "note", text, hunk.file, _region(hunk.span)
        )
        result["partialFingerprints"] = {_FINGERPRINT: hunk.id}
        result["properties"] = {
            "hunk": hunk.id,
            "state": hunk.state.value,
            "requires": [other.id for other in asked],
        }
        if asked:
            result["relatedLocations"] = [
                {
                    "id": number,
                    **self._location(other.file, _region(other.span)),
                    "message": _message(f"Requires {other.rule}: {other.title}"),
                }
                for number, other in enumerate(asked)
            ]
        if hunk.state is State.WRITTEN:
            result |= {"kind": "informational", "level": "none"}
        elif hunk.fix:
            result["fixes"] = [self._fix(hunk, asked)]
        return result

    def _fix(self, hunk: HunkEntry, required: Sequence[HunkEntry]) -> dict[str, Any]:
        names = ", ".join(dict.fromkeys(other.rule for other in required))
        along = f", with what it requires: {names}" if names else ""
        return {
            "description": _message(f"{hunk.title}{along}"),
            "artifactChanges": [
                {
                    "artifactLocation": self._artifact(change.file)["location"],
                    "replacements": [
                        {
                            "deletedRegion": _region(one.span),
                            "insertedContent": {"text": one.new},
                        }
                        for one in change.changes
                    ],
                }
                for change in hunk.fix
            ],
        }

    def _result(
        self, rule: str, level: str, text: str, file: FileName, region: dict[str, int] | None
    ) -> dict[str, Any]:
        stable = "\0".join((rule, file.uri, text)).encode("utf-8")
        return {
            "ruleId": rule,
            "ruleIndex": self.indices[rule],
            "level": level,
            "message": _message(text),
            "locations": [self._location(file, region)],
            "partialFingerprints": {_FINGERPRINT: hashlib.sha256(stable).hexdigest()[:12]},
        }

    def _location(self, file: FileName, region: dict[str, int] | None) -> dict[str, Any]:
        place = {"artifactLocation": self._artifact(file)["location"]}
        return {"physicalLocation": {**place, **({"region": region} if region else {})}}

    def _artifact(self, file: FileName) -> dict[str, Any]:
        if file.uri not in self.artifacts:
            base = {"uriBaseId": _BASE} if file.relative else {}
            location = {"uri": file.uri, **base, "index": len(self.artifacts)}
            self.artifacts[file.uri] = {"location": location, "sourceLanguage": "python"}
        return self.artifacts[file.uri]


_SHOWN = {State.PROPOSED, State.ACCEPTED, State.WRITTEN, State.NOT_WRITTEN}


def _described(id: str, title: str, why: str) -> dict[str, Any]:
    # A pack's place on this machine is no address for who reads the report elsewhere.
    return {
        "id": id,
        "shortDescription": {"text": title},
        "fullDescription": {"text": why},
        "help": {"text": why},
    }


def _message(text: str) -> dict[str, str]:
    # Code such as `x[0](y)` would be read as a link.
    return {"text": re.sub(r"\[(?=[^\[\]]*\]\()", r"\\[", text)}


def _reason(failure: FailureEntry) -> str:
    return f"{failure.reason} ({failure.hint})" if failure.hint else failure.reason


def _at(line: int, column: int = 0) -> dict[str, int] | None:
    """A place; None for the file as a whole."""
    if not line:
        return None
    return {"startLine": line, **({"startColumn": column} if column else {})}


def _region(span: Span) -> dict[str, int]:
    return {
        "startLine": span.start.line,
        "startColumn": span.start.column,
        "endLine": span.end.line,
        "endColumn": span.end.column,
    }
