"""patch: what ``--diff`` prints, for people and for ``git apply`` and ``patch``.

The headers are those of plain ``diff -u``: to git, such names are relative to the folder that it is
run in, while those of ``diff --git`` would be relative to the repository's root everywhere.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pinsetter.analyzer.messages.problem import Problem
from pinsetter.analyzer.messages.visible import visible
from pinsetter.patterns.edits.edit import Edit, apply

from ..console.terminal import echo, echo_document
from ..formatting.formatting import UNFORMATTED, Formatting
from ..hunks.diff import file_diff, hunk_lines
from ..review import show_diff

if TYPE_CHECKING:
    from pinsetter.analyzer.files.source import Source
    from pinsetter.analyzer.names.module import Module

    from ..hunks.hunk import Hunk

# Every byte is a character of this encoding, and the other way round.
_BYTES = "latin-1"
_ESCAPES = {
    0x07: "\\a", 0x08: "\\b", 0x09: "\\t", 0x0A: "\\n", 0x0B: "\\v", 0x0C: "\\f", 0x0D: "\\r",
    0x22: '\\"', 0x5C: "\\\\",
}  # fmt: skip
_PLAIN = frozenset(range(0x20, 0x7F)) - _ESCAPES.keys()


@dataclass(frozen=True)
class _Part:
    """What a patch says of one file."""

    name: str
    module: Module
    hunks: tuple[Hunk, ...]
    edits: list[Edit]

    @property
    def remarks(self) -> list[tuple[str, str]]:
        """The reasons and warnings, each with the colour that it has on a terminal. Patch programs
        skip what stands before a file's header."""
        found = []
        for hunk in sorted(self.hunks, key=lambda hunk: hunk.line):
            if not hunk.follows:
                found.append((visible(f"# {hunk.place}: {hunk.rule}: {hunk.why}"), ""))
                found += [(visible(f"#   Warning: {w}"), "yellow") for w in hunk.warnings]
        return found


def print_patch(accepted: Sequence[Hunk], formatting: Formatting) -> None:
    """Print the patch that makes these hunks; on a terminal in colours and by a reader's lines."""
    if not sys.stdout.isatty():
        echo_document(patch(accepted, formatting))
        return
    base, parts = _parts(accepted, formatting)
    for line in _where(base):
        echo(line)
    for part in parts:
        for remark, colour in part.remarks:
            echo(remark, fg=colour or None, dim=not colour)
        shown = hunk_lines(part.name, part.module.source.text, part.edits)[2:]
        show_diff([*_headers(part.name), *shown])
        echo()


def patch(accepted: Sequence[Hunk], formatting: Formatting = UNFORMATTED) -> bytes:
    """The patch that makes these hunks. Names are relative to the current folder, or to one above
    if files outside of it are changed; a remark says so then.

    Raises UnicodeEncodeError if ``unfit`` has a problem with one of the files.
    """
    base, parts = _parts(accepted, formatting)
    found = [f"{line}\n".encode() for line in _where(base)]
    for part in parts:
        found += [f"{remark}\n".encode() for remark, _ in part.remarks]
        found += [file_patch(part.name, part.module.source, part.edits), b"\n"]
    return b"".join(found)


def file_patch(name: str, source: Source, edits: Sequence[Edit]) -> bytes:
    """One file's part of a patch: what lies outside of the edits has the file's own bytes.

    Raises UnicodeEncodeError if the result does not fit the file's encoding.
    """
    text = apply(source.text, edits)
    after = source.encode(text)
    if _encodes_by_line(source, source.text, source.data) and _encodes_by_line(source, text, after):
        lines, encode = file_diff(name, source.text, edits)[2:], source.encode
    else:
        # An encoding with a state: a line's bytes depend on the lines before.
        whole = Edit(0, len(source.data), after.decode(_BYTES))
        lines = file_diff(name, source.data.decode(_BYTES), [whole])[2:]
        encode = _as_bytes
    head = [f"{line}\n".encode() for line in _headers(name)]
    return b"".join([*head, *(_encoded(line, encode) for line in lines)])


def unfit(source: Source, edits: Iterable[Edit]) -> Problem | None:
    """Why the edits can be in no patch: the result does not fit the file's encoding."""
    try:
        source.encode(apply(source.text, edits))
    except UnicodeEncodeError:
        reason = f"not in the patch: the result does not fit {source.encoding}"
        return Problem(source.path, reason, hint="declare another encoding in the file")
    return None


def _parts(accepted: Sequence[Hunk], formatting: Formatting) -> tuple[Path, list[_Part]]:
    by_module: dict[Module, list[Hunk]] = {}
    for hunk in accepted:
        by_module.setdefault(hunk.module, []).append(hunk)
    # git applies nothing through a symbolic link.
    targets = {module: module.path.resolve() for module in by_module}
    base = Path.cwd().resolve()
    if not all(target.is_relative_to(base) for target in targets.values()):
        base = Path(os.path.commonpath([base, *(target.parent for target in targets.values())]))
    parts = [
        _Part(
            str(targets[module].relative_to(base)),
            module,
            tuple(hunks),
            formatting.edits(module, [edit for hunk in hunks for edit in hunk.edits]),
        )
        for module, hunks in by_module.items()
    ]
    return base, parts


def _where(base: Path) -> list[str]:
    if base == Path.cwd().resolve():
        return []
    return [
        visible(f"# To be applied in {base}, because files outside of the current folder change.")
    ]


def _headers(name: str) -> list[str]:
    # A name with blanks could end in what reads like a time stamp; a tab tells where it ends.
    end = "\t" if " " in name else ""
    return [f"--- {git_quoted(f'a/{name}')}{end}", f"+++ {git_quoted(f'b/{name}')}{end}"]


def _encodes_by_line(source: Source, text: str, data: bytes) -> bool:
    try:
        return b"\n".join(map(source.encode, text.split("\n"))) == data
    except UnicodeEncodeError:
        return False


def _as_bytes(text: str) -> bytes:
    return text.encode(_BYTES)


def _encoded(line: str, encode: Callable[[str], bytes]) -> bytes:
    if line[:1] in " +-":
        return line[:1].encode() + encode(line[1:]) + b"\n"
    return f"{line}\n".encode()


def git_quoted(name: str) -> str:
    """A file name as git writes it in a patch: in quotes, with its odd bytes in octal, if it has
    any that is not printable ASCII, a quote or a backslash."""
    data = os.fsencode(name)
    if all(byte in _PLAIN for byte in data):
        return name
    shown = (chr(b) if b in _PLAIN else _ESCAPES.get(b, f"\\{b:03o}") for b in data)
    return f'"{"".join(shown)}"'
