"""question: ask for a line of input, and miss no signal meanwhile.

Python notes a signal, and runs its handler as soon as the call that waits is interrupted. One that
comes just before ``read`` begins interrupts nothing: after Ctrl-Z and ``fg`` the question was not
shown again, and Ctrl-C or SIGTERM waited for the next line. So what waits here is ``select``, and a
signal also writes to a pipe that it looks at (``signal.set_wakeup_fd``).
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import sys
from collections.abc import Iterator

from .signals import stop_if_told
from .terminal import echo, echo_prompt


def ask(prompt: str) -> str:
    """A line of input. Raises EOFError, KeyboardInterrupt and Stopped."""
    stop_if_told()
    if not sys.stdin.isatty():
        answer = input(prompt)
        # Nobody's typing ends the line.
        echo(answer)
        return answer
    # Windows has no SIGCONT, and no select for what is no socket.
    if not hasattr(signal, "SIGCONT"):
        return input(prompt)
    with _signals_noted() as noted, _shown_after_a_stop(prompt):
        echo_prompt(prompt)
        typed = sys.stdin.fileno()
        while typed not in (ready := select.select([typed, noted], [], [])[0]):
            if noted in ready:
                os.read(noted, 1024)
                stop_if_told()
        return input()


@contextlib.contextmanager
def _signals_noted() -> Iterator[int]:
    """A file to which each signal that comes writes a byte."""
    noted, note = os.pipe()
    os.set_blocking(note, False)
    before = signal.set_wakeup_fd(note, warn_on_full_buffer=False)
    try:
        yield noted
    finally:
        signal.set_wakeup_fd(before)
        os.close(noted)
        os.close(note)


@contextlib.contextmanager
def _shown_after_a_stop(prompt: str) -> Iterator[None]:
    """Ctrl-Z and ``fg`` bring back a program, but not what it asked."""
    before = signal.signal(signal.SIGCONT, lambda *_: echo_prompt(prompt))
    try:
        yield
    finally:
        signal.signal(signal.SIGCONT, before)
