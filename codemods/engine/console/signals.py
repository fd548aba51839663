"""signals: SIGTERM and SIGHUP end a command as Ctrl-C does, and with exit codes of their own."""

from __future__ import annotations

import signal
import sys
import time
from types import FrameType

from .exit_code import ExitCode

_CODES = {
    getattr(signal, name): code
    for name, code in (("SIGTERM", ExitCode.TERMINATED), ("SIGHUP", ExitCode.HUNG_UP))
    if hasattr(signal, name)
}
# A terminal that closes sends one itself, and its shell another one.
_AT_ONCE = 1.0


class Stopped(KeyboardInterrupt):
    """One of these signals came: whoever goes on after Ctrl-C does not after this."""


_received: signal.Signals | None = None
_when = 0.0


def listen() -> None:
    """Have Stopped raised when one of them comes. Those that whoever started us ignores, as nohup
    does, stay ignored."""
    if sys.unraisablehook is sys.__unraisablehook__:
        sys.unraisablehook = _unraisable
    for number in _CODES:
        if signal.getsignal(number) is signal.SIG_DFL:
            try:
                signal.signal(number, _stop)
            except ValueError:  # not the main thread: the program around us has its own way
                return


def listen_no_more() -> None:
    """Leave it to the system what they and Ctrl-C do, for Python itself is about to end: an
    exception would go nowhere."""
    for number in _CODES:
        if signal.getsignal(number) is _stop:
            signal.signal(number, signal.SIG_DFL)
            signal.signal(signal.SIGINT, signal.SIG_DFL)


def leave_to_parent() -> None:
    """In a child process that was forked: be ended by them."""
    for number in _CODES:
        if signal.getsignal(number) is _stop:
            signal.signal(number, signal.SIG_DFL)


def blocked() -> set[signal.Signals]:
    """Those that a process must not get while it is no more its parent, and not yet itself."""
    return {signal.SIGINT, *_CODES}


def code_of(code: ExitCode) -> ExitCode:
    """The code to exit with for a command that would exit with ``code``."""
    return code if _received is None else _CODES[_received]


def stop_if_told() -> None:
    """Raises Stopped if one of them came before, and what was raised then got lost: where it comes
    while subprocess starts a program, closing a pipe twice puts an OSError in its place."""
    if _received is not None:
        raise Stopped


def _unraisable(lost: sys.UnraisableHookArgs) -> None:
    """What was raised where nothing can be, as while an object is deleted, is told; but that a
    signal came is asked before the next question."""
    if not isinstance(lost.exc_value, Stopped):
        sys.__unraisablehook__(lost)


def _stop(number: int, _: FrameType | None) -> None:
    global _received, _when
    now = time.monotonic()
    if _received is None or now - _when > _AT_ONCE:
        _received, _when = signal.Signals(number), now
        raise Stopped
