"""marks: a diff in colours: Python highlighted, and what changed inside a line marked."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Sequence

from rich.style import Style
from rich.syntax import Syntax
from rich.text import Span, Text

from pinsetter.analyzer.messages.visible import visible

_WORD = re.compile(r"\w+|\s+|.", re.DOTALL)
_CHANGED = "bold underline"
# Below this, two lines have so little in common that marks would only confuse.
_ALIKE = 0.5
_LONGEST_BLOCK, _LONGEST_LINE = 100, 400


def prepare() -> None:
    """Load what highlights code: the first hunk does not have to wait for it then."""
    _highlighted(["pass"])


def styled(lines: Sequence[str]) -> list[Text]:
    """The lines of a diff, two header lines included, as they are shown in a terminal."""
    plain = [visible(line.rstrip("\r")) for line in lines]
    # The colours are the terminal's own sixteen, which can be read on its background.
    code = [line[1:] for line in plain if line[:1] in (" ", "+") and not line.startswith("+++ ")]
    coloured = iter(_highlighted(code))
    marks = dict(_marks(plain))
    found = []
    for number, line in enumerate(plain):
        if line.startswith(("--- ", "+++ ")) and number < 2:
            text = Text(line, style="bold red" if line[0] == "-" else "bold green")
        elif line.startswith("@@"):
            text = Text(line, style="cyan")
        elif line.startswith("-"):
            text = Text(line, style="red")
        elif line.startswith("+"):
            text = Text.assemble(("+", "bold green"), next(coloured, Text(line[1:])))
            text.style = "green"
        elif line.startswith(" "):
            text = Text.assemble(" ", next(coloured, Text(line[1:])))
        else:
            text = Text(line, style="dim")
        for start, end in marks.get(number, ()):
            text.stylize(_CHANGED, start + 1, end + 1)
        found.append(text)
    return found


def _highlighted(code: Sequence[str]) -> list[Text]:
    """Lines of Python; unhighlighted if they come out as other lines than they went in."""
    text = Syntax("", "python", theme="ansi_dark").highlight("\n".join(code))
    # What is underlined changed.
    text.spans = [Span(s.start, s.end, _plain(s.style)) for s in text.spans]
    parts = list(text.split("\n", allow_blank=True))[: len(code)]
    if [part.plain for part in parts] == list(code):
        return parts
    return [Text(line) for line in code]


def _plain(style: str | Style) -> str | Style:
    return style + Style(underline=False) if isinstance(style, Style) else style


def _marks(lines: Sequence[str]) -> Iterator[tuple[int, list[tuple[int, int]]]]:
    """For lines, by index, where they differ from the one that they take the place of."""
    at = 2
    while at < len(lines):
        removed = _run(lines, at, "-")
        added = _run(lines, removed.stop, "+")
        if len(removed) and len(added) and len(removed) + len(added) < _LONGEST_BLOCK:
            next_added = added.start
            for old in removed:
                for new in range(next_added, added.stop):
                    spans = _differing(lines[old][1:], lines[new][1:])
                    if spans is not None:
                        yield old, spans[0]
                        yield new, spans[1]
                        next_added = new + 1
                        break
        at = max(added.stop, at + 1)


def _run(lines: Sequence[str], start: int, mark: str) -> range:
    end = start
    while end < len(lines) and lines[end].startswith(mark):
        end += 1
    return range(start, end)


def _differing(old: str, new: str) -> tuple[list[tuple[int, int]], list[tuple[int, int]]] | None:
    """Where two lines differ, word by word; None if they are not alike."""
    if max(len(old), len(new)) > _LONGEST_LINE:
        return None
    left, right = _WORD.findall(old), _WORD.findall(new)
    matcher = difflib.SequenceMatcher(None, left, right, autojunk=False)
    # Long insertions, such as a wrapper around a short argument, are no great change of the line.
    same = sum(len("".join(left[a : a + n]).strip()) for a, _, n in matcher.get_matching_blocks())
    if same < _ALIKE * max(1, min(len(old.strip()), len(new.strip()))):
        return None
    gone: list[tuple[int, int]] = []
    come: list[tuple[int, int]] = []
    for tag, a1, a2, b1, b2 in matcher.get_opcodes():
        if tag != "equal":
            gone.append((len("".join(left[:a1])), len("".join(left[:a2]))))
            come.append((len("".join(right[:b1])), len("".join(right[:b2]))))
    return _seen(old, gone), _seen(new, come)


def _seen(line: str, spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Without spans of white space, which has nothing to mark."""
    return [(start, end) for start, end in spans if line[start:end].strip()]
