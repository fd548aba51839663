"""notebook: the code cells of a Jupyter notebook as one Python text, and back into its JSON.

One line stands between two cells, a ``pass`` that nothing is joined across. What IPython alone
understands, as ``%matplotlib inline`` or ``!pip install``, is a ``pass`` with the line behind it in
a comment. Of the JSON only the sources of cells that changed are written anew: outputs, metadata,
ids, the order of keys and all white space stay.
"""

from __future__ import annotations

import ast
import json
import re
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

SUFFIX = ".ipynb"
_BORDER = re.compile(r"^pass  # cell (\d+)$", re.MULTILINE)
_MAGIC = re.compile(r"([ \t]*)([%!?]|\w[\w.]*\?\??$|\w[\w., ]*=[ \t]*[%!](?!=))")
_CELL_MAGIC = re.compile(r"%%(\w+)")
# Cell magics whose cell is Python, and those whose cell is none for sure.
_OF_PYTHON = {"time", "timeit", "capture", "prun", "memit", "mprun"}
_OF_NO_PYTHON = {"bash", "cmd", "html", "HTML", "javascript", "js", "latex", "markdown", "perl",
                 "ruby", "script", "sh", "svg", "SVG", "sx", "system", "R", "sql"}  # fmt: skip
# Line magics that run Python.
_RUNS_PYTHON = re.compile(r"\s*(?:[\w., ]+=\s*)?(%(?:time|timeit|prun|memit|run|load)\b)\s*\S")
_HIDDEN = re.compile(r"^([ \t]*)pass  # ipython([:|]) (.*)$")
_BLANK = re.compile(r"[ \t\r\n]*")
_SCALAR = re.compile(r"[^\s,\]}]+")
_FORMAT = 4
# As json.loads does, but that a string may have line ends, which others take.
_DECODER = json.JSONDecoder(strict=False)


class NotANotebookError(ValueError):
    """Why a file cannot be read as one, and on which line; 0 for the file as a whole."""

    def __init__(self, reason: str, line: int = 0) -> None:
        super().__init__(reason)
        self.line = line


@dataclass(frozen=True)
class _Cell:
    """A code cell: its number among all cells, and where in the JSON its source stands."""

    number: int
    start: int
    end: int
    source: str

    @cached_property
    def is_other(self) -> bool:
        """Whether it is in another language, or text."""
        magic = _CELL_MAGIC.match(self.source.lstrip())
        return magic is not None and magic[1] not in _OF_PYTHON

    @cached_property
    def text(self) -> str:
        """Its code as Python; ends in a line end."""
        if self.is_other:
            return f"pass  # ipython| {self.source.lstrip().splitlines()[0]}\n"
        ended = self.source if self.source.endswith("\n") else f"{self.source}\n"
        return ended if not self.source.strip() or _is_python(self.source) else _hidden(ended)

    def source_of(self, text: str) -> str | None:
        """Its source with that as its code; None if it cannot be."""
        if text == self.text:
            return self.source
        if self.is_other:
            return None
        shown = "".join(_unhidden(line) for line in _lines(text))
        return shown if self.source.endswith("\n") else shown.removesuffix("\n")


@dataclass(frozen=True)
class Notebook:
    """A notebook's JSON, and its code cells in order."""

    json: str
    cells: tuple[_Cell, ...]

    @cached_property
    def text(self) -> str:
        """The code of all cells; "" if there is none."""
        return "".join(f"pass  # cell {cell.number}\n{cell.text}" for cell in self.cells)

    @cached_property
    def unseen(self) -> tuple[tuple[int, str], ...]:
        """The lines of the text with magics that run, or may run, Python code which is not part of
        it, and how each begins."""
        found = []
        for number, line in enumerate(self.text.split("\n"), 1):
            hidden = _HIDDEN.match(line)
            if hidden is None:
                continue
            cell, magic = _CELL_MAGIC.match(hidden[3]), _RUNS_PYTHON.match(hidden[3])
            if cell is not None and cell[1] not in _OF_PYTHON | _OF_NO_PYTHON:
                found.append((number, cell[0]))
            elif magic is not None:
                found.append((number, magic[1]))
        return tuple(found)

    def written(self, text: str) -> str:
        """The JSON with ``text`` as the code of its cells.

        Raises UnicodeEncodeError if that is in no cell, or in one that is no Python.
        """
        borders = list(_BORDER.finditer(text))
        numbers = [int(border[1]) for border in borders]
        before = borders[0].start() if borders else len(text)
        if numbers != [cell.number for cell in self.cells] or before:
            raise UnicodeEncodeError("notebook", text[:1] or " ", 0, 1, "code in no cell")
        ends = [*(border.start() for border in borders[1:]), len(text)][: len(borders)]
        parts: list[str] = []
        at = 0
        for cell, border, end in zip(self.cells, borders, ends, strict=True):
            source = cell.source_of(text[border.end() + 1 : end])
            if source is None:
                raise UnicodeEncodeError("notebook", text[:1], 0, 1, "code in a cell of no Python")
            if source != cell.source:
                parts += [self.json[at : cell.start], self._source(cell, source)]
                at = cell.end
        return "".join([*parts, self.json[at:]])

    def place(self, line: int) -> tuple[int, int]:
        """The cell, by its number, that has a line of the text, and the line in it, from 1. What
        stands between two cells is the end of the first."""
        border, last = 1, (self.cells[0].number if self.cells else 0, 1)
        for cell in self.cells:
            count = cell.text.count("\n")
            if line <= border:
                return last
            if line <= border + count:
                return cell.number, line - border
            border, last = border + count + 1, (cell.number, count)
        return last

    def json_line(self, line: int) -> int:
        """The line of the JSON, from 1, that has a line of the text; that where its cell's source
        begins if it has none of its own."""
        number, inside = self.place(line)
        cell = next((cell for cell in self.cells if cell.number == number), None)
        if cell is None:
            return 1
        at = cell.start
        if self.json[at] == "[" and not cell.is_other:
            starts = [start for start, _, _ in _items(self.json, at)]
            at = starts[inside - 1] if inside <= len(starts) else at
        return self.json.count("\n", 0, at) + 1

    def shown(self, line: str) -> str:
        """A line of the text as a person is to see it."""
        border = _BORDER.fullmatch(line)
        return f"── cell {border[1]} ──" if border is not None else _unhidden(line).rstrip("\n")

    def _source(self, cell: _Cell, source: str) -> str:
        """The JSON of a source, in the form that it had; lines that stay keep their escapes."""
        raw = self.json[cell.start : cell.end]
        if not raw.startswith("["):
            return self._string(source)
        lines = _lines(source)
        items = list(_items(self.json, cell.start))
        known = {value: self.json[start:end] for start, end, value in items}
        before, between, behind = self._blanks(cell, items)
        made = between.join(known.get(line) or self._string(line) for line in lines)
        return f"[{before}{made}{behind}]" if lines else "[]"

    def _blanks(self, cell: _Cell, items: list[tuple[int, int, str]]) -> tuple[str, str, str]:
        """What stands before the first line, between two, and behind the last."""
        if not items:
            line = self.json.rfind("\n", 0, cell.start) + 1
            if not line:
                return "", ", ", ""
            margin = self.json[line : _skip_blanks(self.json, line)]
            return f"\n{margin} ", f",\n{margin} ", f"\n{margin}"
        before = self.json[cell.start + 1 : items[0][0]]
        behind = self.json[items[-1][1] : cell.end - 1]
        if len(items) > 1:
            return before, self.json[items[0][1] : items[1][0]], behind
        return before, f",{before or ' '}", behind

    def _string(self, text: str) -> str:
        return json.dumps(text, ensure_ascii=self._is_escaped)

    @cached_property
    def _is_escaped(self) -> bool:
        return self.json.isascii() and r"\u" in self.json


def read_notebook(text: str) -> Notebook:
    """Raises NotANotebookError."""
    try:
        data = _DECODER.decode(text)
    except json.JSONDecodeError as error:
        raise NotANotebookError(f"it is no JSON: {error.msg}", error.lineno) from None
    except RecursionError:
        raise NotANotebookError("it is nested too deeply") from None
    if not isinstance(data, dict) or not isinstance(data.get("cells"), list):
        made = data.get("nbformat") if isinstance(data, dict) else None
        if isinstance(made, int) and made < _FORMAT:
            raise NotANotebookError(f"it has the format {made}; `jupyter nbconvert --to notebook` "
                                    "makes one that is read")  # fmt: skip
        raise NotANotebookError("it is no notebook: it has no cells")
    if not _is_of_python(data):
        return Notebook(text, ())
    spans = dict(_sources(text))
    found = []
    for number, cell in enumerate(data["cells"], 1):
        if not isinstance(cell, dict) or cell.get("cell_type") != "code":
            continue
        source = cell.get("source")
        if isinstance(source, list) and all(isinstance(line, str) for line in source):
            source = "".join(source)
        if isinstance(source, str) and number in spans:
            found.append(_Cell(number, *spans[number], _with_line_feeds(source)))
    return Notebook(text, tuple(found))


def _with_line_feeds(source: str) -> str:
    # As Jupyter shows it; a cell with other line ends that is changed gets these.
    return source.replace("\r\n", "\n").replace("\r", "\n")


def _is_of_python(data: Mapping[str, Any]) -> bool:
    about = data.get("metadata")
    told = []
    for key, name in (("language_info", "name"), ("kernelspec", "language")):
        part = about.get(key) if isinstance(about, dict) else None
        if isinstance(part, dict) and isinstance(part.get(name), str):
            told.append(part[name])
    return not told or told[0].lower() in ("python", "ipython")


def _is_python(source: str) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(source, "", "exec", ast.PyCF_ONLY_AST | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


class _Inside(NamedTuple):
    """What a line begins inside of: a string with those quotes, so many brackets, or, with neither,
    a statement that the line before goes on with."""

    quotes: str = ""
    brackets: int = 0
    goes_on: bool = False

    def __bool__(self) -> bool:
        return bool(self.quotes or self.brackets > 0 or self.goes_on)

    def after(self, line: str) -> _Inside:
        quotes, brackets, at = self.quotes, self.brackets, 0
        while at < len(line):
            found = (_ENDS[quotes] if quotes else _BEGINS).search(line, at)
            if found is None:
                break
            at, text = found.end(), found[0]
            if quotes:
                quotes = "" if text == quotes else quotes
            elif text in _ENDS:
                quotes = text
            elif text in "([{":
                brackets += 1
            elif text in ")]}":
                brackets -= 1
        return _Inside(quotes, brackets, not quotes and line.endswith("\\\n"))


_ENDS = {quotes: re.compile(rf"\\.|{quotes}", re.DOTALL) for quotes in ('"""', "'''")}
_BEGINS = re.compile(r"""\"{3}|'{3}|"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?|#.*|[()\[\]{}]""")


def _hidden(source: str) -> str:
    """A cell's code with what only IPython understands put behind a ``pass``."""
    made = []
    indent, goes_on = "", False
    inside = _Inside()
    for number, line in enumerate(_lines(source)):
        code = line.rstrip("\n")
        magic = _MAGIC.match(code) if not inside else None
        if goes_on or (number == 0 and _CELL_MAGIC.match(code)):
            made.append(f"{indent}pass  # ipython| {code}\n")
        elif magic is not None:
            indent = magic[1]
            made.append(f"{indent}pass  # ipython: {code[len(indent) :]}\n")
        else:
            made.append(line)
            inside = inside.after(line)
            continue
        goes_on = code.endswith("\\")
    return "".join(made)


def _lines(text: str) -> list[str]:
    """With their line feeds. What else ends lines for Python's strings ends none of its code."""
    return re.findall(r"[^\n]*\n|[^\n]+", text)


def _unhidden(line: str) -> str:
    found = _HIDDEN.match(line.rstrip("\n"))
    if found is None:
        return line
    indent = found[1] if found[2] == ":" else ""
    return f"{indent}{found[3]}\n"


def _sources(text: str) -> Iterator[tuple[int, tuple[int, int]]]:
    """Where the sources of cells stand in the JSON, which is right, by the cells' numbers."""
    for key, start, _ in _members(text, _skip_blanks(text, 0)):
        if key != "cells":
            continue
        for number, (at, _) in enumerate(_elements(text, start), 1):
            if text[at] == "{":
                for name, begin, end in _members(text, at):
                    if name == "source":
                        yield number, (begin, end)


def _members(text: str, start: int) -> Iterator[tuple[str, int, int]]:
    """The members of the object at ``start``: key, and the span of the value."""
    at = _skip_blanks(text, start + 1)
    while text[at] != "}":
        key, at = _DECODER.raw_decode(text, at)
        begin = _skip_blanks(text, _skip_blanks(text, at) + 1)
        end = _end_of(text, begin)
        yield key, begin, end
        at = _skip_blanks(text, end)
        if text[at] == ",":
            at = _skip_blanks(text, at + 1)


def _elements(text: str, start: int) -> Iterator[tuple[int, int]]:
    """The spans of the elements of the array at ``start``."""
    at = _skip_blanks(text, start + 1)
    while text[at] != "]":
        end = _end_of(text, at)
        yield at, end
        at = _skip_blanks(text, end)
        if text[at] == ",":
            at = _skip_blanks(text, at + 1)


def _items(text: str, start: int) -> Iterator[tuple[int, int, str]]:
    """The strings of the array at ``start``, with their spans."""
    for begin, end in _elements(text, start):
        yield begin, end, _with_line_feeds(_DECODER.raw_decode(text, begin)[0])


def _end_of(text: str, start: int) -> int:
    """Where the value at ``start`` ends."""
    depth, at = 0, start
    while True:
        character = text[at]
        if character == '"':
            _, at = _DECODER.raw_decode(text, at)
        elif character in "[{":
            depth, at = depth + 1, at + 1
        elif character in "]}":
            depth, at = depth - 1, at + 1
        elif character in ",: \t\r\n":
            at += 1
            continue
        else:
            scalar = _SCALAR.match(text, at)
            assert scalar is not None
            at = scalar.end()
        if not depth:
            return at


def _skip_blanks(text: str, at: int) -> int:
    found = _BLANK.match(text, at)
    return found.end() if found is not None else at
