"""Source: a file's bytes as text, with all that is needed to write them back unchanged."""

from __future__ import annotations

import codecs
import io
import re
import tokenize
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from ..messages.problem import Problem
from . import disk
from .bounds import USUAL, Bounds
from .notebook import SUFFIX, NotANotebookError, Notebook, read_notebook

BOM = codecs.BOM_UTF8.decode("utf-8")
_NEWLINES = re.compile(rb"\r\n?|\n")
# Python reads files with universal newlines; nothing else ends a line.
LINE_END = re.compile(r"\r\n?|\n")


@dataclass(frozen=True)
class Source:
    """One file as it was read, of ``size`` bytes."""

    path: Path
    size: int
    text: str
    encoding: str
    newline: str
    notebook: Notebook | None = None

    @property
    def data(self) -> bytes:
        """The bytes that were read: they are made again, for a run has many files."""
        return self.encode(self.text)

    def encode(self, text: str) -> bytes:
        """Return ``text`` as the file's bytes; raise UnicodeEncodeError where it cannot be."""
        if self.notebook is not None:
            text = self.notebook.written(text)
        return text.encode(self.encoding)

    def file_line(self, line: int) -> int:
        """The line of the file that a line of the text stands in."""
        return line if self.notebook is None else self.notebook.json_line(line)

    def where(self, line: int) -> str:
        """A line for people: ``line 12``, or ``cell 3, line 2`` of a notebook."""
        if self.notebook is None:
            return f"line {line}"
        cell, inside = self.notebook.place(line)
        return f"cell {cell}, line {inside}"

    def place(self, line: int) -> str:
        """The file and a line of it: ``a.py:12``, or ``a.ipynb:cell 3:2``."""
        if self.notebook is None:
            return f"{self.path}:{line}"
        cell, inside = self.notebook.place(line)
        return f"{self.path}:cell {cell}:{inside}"

    @property
    def bom(self) -> bool:
        return self.text.startswith(BOM)


def read(path: Path, bounds: Bounds = USUAL) -> Source | Problem:
    """Read a Python file; newlines, byte-order mark and encoding cookie (PEP 263) are kept."""
    try:
        with disk.opened(path) as (opened, size):
            too_large = bounds.too_large(path, size)
            if too_large is not None:
                return too_large
            data = opened.read()
    except OSError as error:
        return Problem(path, f"cannot be read: {error.strerror or error}")
    except (ValueError, MemoryError) as error:
        return Problem(path, f"cannot be read: {error or 'there is not enough memory'}")
    return decode(path, data)


def _is_plain(data: bytes) -> bool:
    """Whether data are text in UTF-8, and say nothing else."""
    first = data[: data.find(b"\n", data.find(b"\n") + 1)]  # where a cookie may be
    if b"\0" in data or (b"coding" in first and not _UTF8_COOKIE.search(first)):
        return False
    try:
        return data.isascii() or bool(data.decode())
    except UnicodeDecodeError:
        return False


_UTF8_COOKIE = re.compile(rb"coding[:=][ \t]*utf-?8\b", re.IGNORECASE)


def decode(path: Path, data: bytes) -> Source | Problem:
    """Decode ``data`` as Python would; a byte-order mark stays the text's first character. The text
    of a notebook is that of its code cells."""
    if path.suffix == SUFFIX:
        return _of_notebook(path, data)
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(_NEWLINES.sub(b"\n", data)).readline)
    except (SyntaxError, ValueError) as error:
        reason = f"cannot be decoded: {error}"
        return Problem(path, reason, _not_utf8(data), hint="check the encoding cookie")
    if encoding == "utf-8-sig":
        encoding = "utf-8"
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        line = _line(data, error.start)
        reason = f"cannot be decoded as {encoding}: {error.reason}"
        return Problem(path, reason, line, hint="declare the encoding in the first two lines")
    except LookupError:
        return Problem(path, f"cannot be decoded: unknown encoding {encoding!r}", 1)
    except ValueError as error:
        return Problem(path, f"cannot be decoded as {encoding}: {error}", 1)
    if not _writes_back(text, encoding, data):
        # A codec that does not round-trip would change bytes that no hunk names.
        return Problem(path, f"cannot be written back exactly as {encoding}")
    return Source(path, len(data), text, encoding, _newline(text))


def _of_notebook(path: Path, data: bytes) -> Source | Problem:
    try:
        notebook = read_notebook(data.decode("utf-8"))
    except UnicodeDecodeError as error:
        return Problem(
            path, f"cannot be decoded as utf-8: {error.reason}", _line(data, error.start)
        )
    except NotANotebookError as error:
        return Problem(path, f"not read as a notebook: {error}", error.line)
    source = Source(path, len(data), notebook.text, "utf-8", "\n", notebook)
    try:
        if source.encode(source.text) == data:
            return source
    except UnicodeEncodeError:  # as where a cell has a line that stands between cells here
        pass
    return Problem(path, "cannot be written back exactly as a notebook")


def python_bytes(path: str, data: bytes) -> bytes:
    """What of a file's bytes is Python, in UTF-8: all, but of a notebook its code cells. What
    cannot be decoded begins with a NUL."""
    if not path.endswith(SUFFIX) and _is_plain(data):
        return data
    source = decode(Path(path), data)
    if isinstance(source, Problem):
        return b"\0" + data
    return source.text.encode("utf-8", "replace")


def _writes_back(text: str, encoding: str, data: bytes) -> bool:
    try:
        return text.encode(encoding) == data
    except ValueError:
        return False


def line_of(text: str, number: int) -> str:
    """Line ``number`` of ``text``, from 1, without its end; "" where there is none."""
    lines = LINE_END.split(text)
    return lines[number - 1].lstrip(BOM) if 0 < number <= len(lines) else ""


def _line(data: bytes, offset: int) -> int:
    return len(_NEWLINES.findall(data, 0, offset)) + 1


def _not_utf8(data: bytes) -> int:
    """The first line that is not UTF-8; 1 if there is none, for the cookie itself is wrong."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        return _line(data, error.start)
    return 1


def _newline(text: str) -> str:
    crlf = text.count("\r\n")
    counts = Counter({"\n": text.count("\n") - crlf, "\r\n": crlf, "\r": text.count("\r") - crlf})
    newline, count = counts.most_common(1)[0]
    return newline if count else "\n"
