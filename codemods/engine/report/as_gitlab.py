"""The document as GitLab's code quality report: what a merge request adds is shown at its lines.

https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote

from .document import Document, FileName, Kind, State

_SEVERITIES = {Kind.WARNING: "info", Kind.REFUSED: "major", Kind.NOT_WRITTEN: "blocker"}


def as_gitlab(document: Document) -> bytes:
    return (json.dumps(list(_issues(document)), indent=2) + "\n").encode()


def _issues(document: Document) -> Iterator[dict[str, Any]]:
    for hunk in document.asked:
        if hunk.state is State.PROPOSED:
            severity = "minor" if hunk.warnings else "info"
            said = " ".join((hunk.title + ".", hunk.why, *hunk.warnings))
            yield _issue(hunk.rule, said, severity, hunk.file, hunk.span.start.line, hunk.id)
    for note in document.notes:
        yield _issue(note.rule, note.text, "minor", note.file, note.line)
    for failure in document.failures:
        severity = _SEVERITIES.get(failure.kind, "critical")
        said = f"{failure.reason} ({failure.hint})" if failure.hint else failure.reason
        yield _issue(failure.kind.value, said, severity, failure.file, failure.line)


def _issue(
    rule: str, said: str, severity: str, file: FileName, line: int, id: str = ""
) -> dict[str, Any]:
    known = "\0".join((rule, file.uri, id or said))
    path = unquote(file.uri, errors="replace") if file.relative else file.path
    return {
        "description": said,
        "check_name": rule,
        "fingerprint": hashlib.sha256(known.encode()).hexdigest(),
        "severity": severity,
        "location": {"path": path, "lines": {"begin": max(1, line)}},
    }
