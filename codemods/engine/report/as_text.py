"""The document as lines for people, grep and editors: ``path:line:column: rule: title``."""

from __future__ import annotations

from collections.abc import Iterable

from pinsetter.analyzer.messages.visible import visible

from .document import Document, Kind


def as_text(document: Document) -> bytes:
    return "".join(f"{visible(line)}\n" for line in _lines(document)).encode("utf-8")


def _lines(document: Document) -> Iterable[str]:
    for hunk in document.asked:
        start = hunk.span.start
        place = f"{hunk.file.path}:{start.line}:{start.column}"
        yield f"{place}: {hunk.state.value}: {hunk.rule}: {hunk.title} [{hunk.id}]"
        yield from (f"{place}: warning: {hunk.rule}: {warning}" for warning in hunk.warnings)
    for note in document.notes:
        yield f"{note.file.path}:{note.line}: note: {note.rule}: {note.text}"
    for one in document.suppressed:
        reason = f": {one.reason}" if one.reason else ""
        yield f"{one.file.path}:{one.line}: suppressed: {one.rule}: on line {one.by}{reason}"
    for failure in document.failures:
        place = f"{failure.file.path}:{failure.line}" if failure.line else failure.file.path
        hint = f" ({failure.hint})" if failure.hint else ""
        level = "warning" if failure.kind is Kind.WARNING else "error"
        yield f"{place}: {level}: {failure.reason}{hint}"
