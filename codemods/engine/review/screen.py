"""Screen: styled text for a terminal of any width, plain text for everything else."""

from __future__ import annotations

import os
import re
import sys
from contextlib import AbstractContextManager, nullcontext

import click
from rich.console import Console
from rich.text import Text

_SMALLEST = 8
# What would move the cursor, colour the rest of the screen, or show code in another order than it
# is written in.
_HIDDEN = re.compile("[\x00-\x08\x0a-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def visible(text: str) -> str:
    """Source text with control characters written out: ``^[`` for an escape."""
    return _HIDDEN.sub(_written_out, text)


def _written_out(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x20:
        return f"^{chr(code + 0x40)}"
    return "^?" if code == 0x7F else f"<U+{code:04X}>"


class Screen:
    """Standard output. Colours follow the terminal, ``NO_COLOR`` and ``TERM``."""

    def __init__(self) -> None:
        self._console = Console(highlight=False, markup=False, emoji=False, soft_wrap=True)

    @property
    def is_terminal(self) -> bool:
        return self._console.is_terminal

    @property
    def width(self) -> int:
        """The terminal's width now: it may have been resized since the last time."""
        try:
            return max(_SMALLEST, os.get_terminal_size(sys.stdout.fileno()).columns)
        except (OSError, ValueError):
            return 80

    def waiting(self, what: str) -> AbstractContextManager[object]:
        """Shows, inside the ``with``, what a person has to wait for."""
        if not self.is_terminal or self._console.is_dumb_terminal:
            return nullcontext()
        return self._console.status(what, spinner="line")

    def line(self, text: Text | str = "", style: str = "") -> None:
        """One line, which the terminal breaks where it is full, so that it can be copied whole."""
        if not self.is_terminal:
            click.echo(text.plain if isinstance(text, Text) else text)
            return
        made = text if isinstance(text, Text) else Text(text)
        if style:
            made = Text.assemble(made, style=style)
        self._console.print(made, soft_wrap=True)

    def prose(self, text: Text | str, style: str = "", indent: int = 2) -> None:
        """Sentences, broken between words and indented."""
        margin = " " * indent
        made = text if isinstance(text, Text) else Text(text, style=style)
        if not self.is_terminal:
            click.echo(f"{margin}{made.plain}")
            return
        for part in made.wrap(self._console, max(_SMALLEST, self.width - indent - 1)):
            part.rstrip()
            self._console.print(Text.assemble(margin, part), soft_wrap=True)
