"""The document as one self-contained page.

It needs nothing from anywhere: style and script are in it, and its content security policy, which
names them by their hashes, lets a browser fetch and run nothing else. The script only filters.
"""

from __future__ import annotations

import base64
import difflib
import hashlib
import itertools
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from .document import UNSUCCESSFUL, Document, FileEntry, HunkEntry, Kind

_RANGE = re.compile(r"@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@")
_WORD = re.compile(r"\w+|\s+|\W")
# Below this share of equal words, marks on most of a line help nobody.
_ALIKE = 0.4
# More hunks than this are a burden to a browser, and to a reader; files are closed then.
_UNFOLDED = 500


@dataclass(frozen=True)
class Line:
    """A line of a diff. ``parts`` are its text, in pieces that differ from the line that it stands
    for or against, or do not; ``old`` and ``new`` are line numbers, 0 for none."""

    kind: str
    old: int
    new: int
    parts: tuple[tuple[str, bool], ...]

    @property
    def mark(self) -> str:
        return {"added": "+", "removed": "-"}.get(self.kind, "")


@dataclass(frozen=True)
class Section:
    """A file with its hunks."""

    number: int
    file: FileEntry
    hunks: tuple[HunkEntry, ...]

    @property
    def asked(self) -> int:
        return sum(not hunk.comes_along for hunk in self.hunks)


def as_html(document: Document) -> bytes:
    environment = Environment(
        loader=PackageLoader(__package__, "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {"shown": shown, "lines": lines, "counted": counted}
    assert environment.loader is not None
    style, script = (environment.loader.get_source(environment, name)[0]
                     for name in ("report.css", "filter.js"))  # fmt: skip
    by_id = {hunk.id: hunk for hunk in document.hunks}
    page = environment.get_template("report.html").render(
        document=document,
        style=Markup(style),
        script=Markup(script),
        style_hash=_hash(style),
        script_hash=_hash(script),
        sections=_sections(document, by_id),
        hunks=by_id,
        unfolded=len(document.asked) <= _UNFOLDED,
        refusals=[f for f in document.failures if f.kind is Kind.REFUSED],
        failures=[f for f in document.failures if f.kind in UNSUCCESSFUL],
        cautions=[f for f in document.failures if f.kind is Kind.WARNING],
        warnings=sum(len(hunk.warnings) for hunk in document.asked),
        apis=Counter(" + ".join(p.training_apis) or "without training" for p in document.programs),
    )
    return page.encode("utf-8")


def shown(text: str) -> Markup:
    """``text`` escaped, with what cannot be seen, or would reorder the line, made visible."""
    parts = (
        Markup('<span class="odd">{}</span>').format(" ".join(f"U+{ord(c):04X}" for c in group))
        if odd
        else escape("".join(group))
        for odd, group in itertools.groupby(text, _is_odd)
    )
    return Markup("").join(parts)


def counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def lines(diff: Sequence[str]) -> list[Line]:
    """The lines of a diff with their numbers; in a run of as many removed as added lines, each is
    compared with its partner."""
    found: list[Line] = []
    old = new = 0
    for kind, group in itertools.groupby(diff, lambda line: line[:1]):
        if kind == "@":
            for line in group:
                place = _RANGE.match(line)
                assert place is not None
                old, new = int(place[1]), int(place[2])
                found.append(Line("place", 0, 0, ((line, False),)))
            continue
        for line in group:
            text = line[1:].removesuffix("\r")
            if kind == "-":
                found.append(Line("removed", old, 0, ((text, False),)))
                old += 1
            elif kind == "+":
                found.append(Line("added", 0, new, ((text, False),)))
                new += 1
            elif kind == " ":
                found.append(Line("context", old, new, ((text, False),)))
                old, new = old + 1, new + 1
            else:
                found.append(Line("remark", 0, 0, ((text.strip(), False),)))
    return _compared(found)


def _compared(found: list[Line]) -> list[Line]:
    groups = [list(group) for _, group in itertools.groupby(found, lambda line: line.kind)]
    result = groups[:1]
    for group in groups[1:]:
        before = result[-1]
        if (
            before[0].kind == "removed"
            and group[0].kind == "added"
            and len(before) == len(group)
        ):  # fmt: skip
            pairs = [_pair(a, b) for a, b in zip(before, group, strict=True)]
            result[-1], group = [a for a, _ in pairs], [b for _, b in pairs]
        result.append(group)
    return [line for group in result for line in group]


def _pair(removed: Line, added: Line) -> tuple[Line, Line]:
    """Both with marks on the words that differ; as they were if few are the same."""
    before, after = (_WORD.findall(line.parts[0][0]) for line in (removed, added))
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    if matcher.ratio() < _ALIKE:
        return removed, added
    codes = matcher.get_opcodes()
    old = [("".join(before[i1:i2]), tag != "equal") for tag, i1, i2, _, _ in codes]
    new = [("".join(after[j1:j2]), tag != "equal") for tag, _, _, j1, j2 in codes]
    return _marked(removed, old), _marked(added, new)


def _marked(line: Line, parts: Iterable[tuple[str, bool]]) -> Line:
    return replace(line, parts=tuple(part for part in parts if part[0]))


def _sections(document: Document, by_id: dict[str, HunkEntry]) -> list[Section]:
    found: Iterable[FileEntry] = (file for file in document.files if file.hunks)
    return [
        Section(
            number,
            file,
            tuple(sorted((by_id[id] for id in file.hunks), key=lambda h: h.span.start.offset)),
        )
        for number, file in enumerate(found, 1)
    ]


def _is_odd(char: str) -> bool:
    return not char.isprintable() and char not in "\t\n"


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"sha256-{base64.b64encode(digest).decode('ascii')}"
