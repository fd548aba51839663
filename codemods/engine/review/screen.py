"""Screen: styled text for a terminal of any width, plain text for everything else."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext

import click
from rich.text import Text

from pinsetter.analyzer.messages.visible import visible

from ..console.terminal import console, echo

_SMALLEST = 8
_ENDLESS, _USUAL_HEIGHT = 1_000_000, 24


class Screen:
    """Standard output. Colours follow the terminal, ``NO_COLOR`` and ``TERM``."""

    def __init__(self) -> None:
        self._console = console(soft_wrap=True)
        # How many rows of the terminal have been printed.
        self.rows = 0

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

    @property
    def height(self) -> int:
        """The number of rows that the terminal has now; without one there is no end."""
        if not self.is_terminal:
            return _ENDLESS
        try:
            return max(_SMALLEST, os.get_terminal_size(sys.stdout.fileno()).lines)
        except (OSError, ValueError):
            return _USUAL_HEIGHT

    def waiting(self, what: str) -> AbstractContextManager[object]:
        """Shows, inside the ``with``, what a person has to wait for."""
        if not self.is_terminal or self._console.is_dumb_terminal:
            return nullcontext()
        return self._console.status(what, spinner="line")

    def line(self, text: Text | str = "", style: str = "") -> None:
        """One line, which the terminal breaks where it is full, so that it can be copied whole."""
        made = _visible(text)
        if not self.is_terminal:
            echo(made.plain)
            return
        if style:
            made = Text.assemble(made, style=style)
        self._console.print(made, soft_wrap=True)
        self.rows += max(1, -(-made.cell_len // self.width))

    def prose(self, text: Text | str, style: str = "", indent: int = 2) -> None:
        """Sentences, broken between words and indented."""
        margin = " " * indent
        made = _visible(text, style)
        if not self.is_terminal:
            echo(f"{margin}{made.plain}")
            return
        for part in made.wrap(self._console, max(_SMALLEST, self.width - indent - 1)):
            part.rstrip()
            self._console.print(Text.assemble(margin, part), soft_wrap=True)
            self.rows += 1

    def page(self, lines: Sequence[Text]) -> None:
        """Many lines, through $PAGER, or less, where they are more than fit on a terminal."""
        if not self.is_terminal or self._console.is_dumb_terminal or (
            sum(max(1, -(-line.cell_len // self.width)) for line in lines) < self.height
        ):  # fmt: skip
            for line in lines:
                self.line(line)
            return
        with self._console.capture() as captured:
            for line in lines:
                self._console.print(line, soft_wrap=True)
        click.echo_via_pager(captured.get(), color=True)


def _visible(text: Text | str, style: str = "") -> Text:
    """Text without what a terminal obeys. One that is made of parts has been made visible part by
    part, or loses their styles."""
    if isinstance(text, str):
        return Text(visible(text), style=style)
    plain = visible(text.plain)
    return text if plain == text.plain else Text(plain, style=text.style)
