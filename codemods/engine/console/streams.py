"""streams: standard input, output and error, which may be closed, full, or read by nobody.

What cannot be printed is an OutputError, which ends a command: nobody has what it was to give. What
cannot be said on standard error is left unsaid: the exit code tells what matters.
"""

from __future__ import annotations

import io
import os
import sys
from typing import TextIO


class OutputError(Exception):
    """Standard output cannot be written. ``quiet``: its reader has gone, and knows."""

    def __init__(self, error: OSError) -> None:
        super().__init__(f"standard output cannot be written: {error.strerror or error}")
        self.quiet = isinstance(error, BrokenPipeError)


class _Output(io.RawIOBase):
    """Writes to a descriptor. After an error it takes all and gives nothing, so that nothing goes
    wrong a second time when Python flushes it at its end."""

    def __init__(self, descriptor: int, tolerant: bool) -> None:
        self._descriptor = descriptor
        self._tolerant = tolerant
        self._failed = False

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._descriptor

    def isatty(self) -> bool:
        return os.isatty(self._descriptor)

    def write(self, data: object, /) -> int:
        view = memoryview(data)  # type: ignore[arg-type]
        if self._failed:
            return view.nbytes
        try:
            return os.write(self._descriptor, view)
        except BlockingIOError:
            raise
        except OSError as error:
            self._failed = True
            if self._tolerant:
                return view.nbytes
            raise OutputError(error) from None


def prepare_streams() -> None:
    """Make standard streams that can be used of those that this process was given."""
    for descriptor in (0, 1, 2):
        try:
            os.fstat(descriptor)
        except OSError:
            # A file that is opened later would get the number, and what is printed. What is
            # written to this one fails.
            opened = os.open(os.devnull, os.O_RDONLY)
            if opened != descriptor:
                os.dup2(opened, descriptor)
                os.close(opened)
    if sys.stdin is None:
        sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115 -- as long as we live
    sys.stdout = _prepared(sys.stdout, sys.__stdout__, tolerant=False)
    sys.stderr = _prepared(sys.stderr, sys.__stderr__, tolerant=True)


def flush_output() -> None:
    """Have all that was printed written; raises OutputError."""
    sys.stdout.flush()


def _prepared(stream: TextIO | None, original: TextIO | None, tolerant: bool) -> TextIO:
    """A stream of the process's own with our writer below it; one that somebody put there stays, as
    does the console of an operating system that has its own way of writing to it."""
    encoding, errors = "utf-8", "backslashreplace"
    if stream is None:
        descriptor = os.open(os.devnull, os.O_RDONLY)
    elif stream is original and isinstance(stream, io.TextIOWrapper) and os.name != "nt":
        stream.flush()
        encoding, errors, descriptor = stream.encoding, stream.errors or errors, stream.fileno()
    else:
        return stream
    raw = _Output(descriptor, tolerant)
    by_line = tolerant or raw.isatty()
    return io.TextIOWrapper(io.BufferedWriter(raw), encoding, errors, line_buffering=by_line)
