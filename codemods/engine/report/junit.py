"""The document as JUnit XML, which CI systems show as tests.

A test case is one rule in one file: its class is the file, its name the rule. Under ``--check`` it
fails if the rule proposes hunks there; a file for which nothing is proposed is a case that passes.
What was refused, not understood or not written is an error.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from xml.etree import ElementTree as xml

from pinsetter.analyzer.messages.visible import written_out

from .document import Document, FailureEntry, FileName, HunkEntry, Kind, NoteEntry, State


def as_junit(document: Document) -> bytes:
    cases = [*_failures(document.failures), *_files(document)]
    count = {kind: sum(case.find(kind) is not None for case in cases) for kind in _KINDS}
    totals = {
        "tests": str(len(cases)),
        "failures": str(count["failure"]),
        "errors": str(count["error"]),
        "time": "0",
    }
    suites = xml.Element("testsuites", {"name": "pinsetter", **totals})
    name = f"pinsetter {' '.join(document.codemods)}"
    suite = xml.SubElement(suites, "testsuite", {"name": name, **totals, "skipped": "0"})
    suite.extend(cases)
    xml.indent(suites)
    text: str = xml.tostring(suites, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'.encode()


_KINDS = ("failure", "error")


def _failures(failures: Iterable[FailureEntry]) -> Iterable[xml.Element]:
    for failure in failures:
        case = _case(failure.file, failure.kind.value, failure.line)
        place = f"{failure.file.path}:{failure.line}" if failure.line else failure.file.path
        hint = f"\n{failure.hint}" if failure.hint else ""
        text = f"{place}: {failure.reason}{hint}"
        if failure.kind is Kind.WARNING:
            xml.SubElement(case, "system-out").text = _valid(text)
        else:
            _said(case, "error", failure.reason, failure.kind.value, text)
        yield case


def _files(document: Document) -> Iterable[xml.Element]:
    hunks: dict[FileName, dict[str, list[HunkEntry]]] = defaultdict(lambda: defaultdict(list))
    notes: dict[FileName, dict[str, list[NoteEntry]]] = defaultdict(lambda: defaultdict(list))
    for hunk in document.asked:
        hunks[hunk.file][hunk.rule].append(hunk)
    for note in document.notes:
        notes[note.file][note.rule].append(note)
    failed = {failure.file for failure in document.failures}
    for file in dict.fromkeys([*(entry.name for entry in document.files), *notes]):
        rules = dict.fromkeys([*hunks[file], *notes[file]])
        for rule in rules:
            yield _rule(document, file, rule, hunks[file][rule], notes[file][rule])
        if not rules and file not in failed:
            yield _case(file, "nothing to do", 0)


def _rule(
    document: Document,
    file: FileName,
    rule: str,
    hunks: list[HunkEntry],
    notes: list[NoteEntry],
) -> xml.Element:
    case = _case(file, rule, min(x for x in [*(h.span.start.line for h in hunks),
                                             *(note.line for note in notes)]))  # fmt: skip
    proposed = [hunk for hunk in hunks if hunk.state is State.PROPOSED]
    if proposed and document.mode == "check":
        more = f" ({len(proposed)} hunks)" if len(proposed) > 1 else ""
        text = "\n".join(map(_hunk, proposed))
        _said(case, "failure", f"{proposed[0].title}{more}", rule, text)
    said = [f"{note.file.path}:{note.line}: note: {note.text}\n" for note in notes]
    if document.mode != "check":
        said += [f"{hunk.state.value}: {_hunk(hunk)}" for hunk in hunks]
    if said:
        xml.SubElement(case, "system-out").text = _valid("\n".join(said))
    return case


def _hunk(hunk: HunkEntry) -> str:
    start = hunk.span.start
    lines = [f"{hunk.file.path}:{start.line}:{start.column}: {hunk.title}", hunk.why]
    lines += [f"Warning: {warning}" for warning in hunk.warnings]
    return "".join(f"{line}\n" for line in [*lines, *hunk.diff])


def _case(file: FileName, name: str, line: int) -> xml.Element:
    where = {"classname": _valid(file.path), "name": _valid(name), "file": _valid(file.path)}
    return xml.Element("testcase", {**where, **({"line": str(line)} if line else {}), "time": "0"})


def _said(case: xml.Element, tag: str, message: str, kind: str, text: str) -> None:
    xml.SubElement(case, tag, {"message": _valid(message), "type": kind}).text = _valid(text)


def _valid(text: str) -> str:
    # XML can hold some controls not even escaped, and others reach the terminal of a CI system.
    # A parser reads a carriage return as a line feed, and sources have them in pairs with one.
    text = text.replace("\r\n", "\n").replace("\r", "\\r")
    return "".join(c if c.isprintable() or c in "\t\n" else written_out(c) for c in text)
