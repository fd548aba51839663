"""visible: text that others wrote, so that it can be printed."""

from __future__ import annotations


def visible(text: str) -> str:
    """``text`` on one line, with a backslash escape for every character that cannot be seen, or
    that a terminal obeys: controls, line ends, marks that reorder a line, blanks that are no space.
    A byte of a file name that is no text is ``\\xff``. Tabs stay, as code has them."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c == "\t" else written_out(c) for c in text)


def written_out(char: str) -> str:
    """The backslash escape of a character."""
    code = ord(char)
    return f"\\x{code - 0xDC00:02x}" if 0xDC80 <= code <= 0xDCFF else ascii(char)[1:-1]
