"""question: ask for a key or a line of input, and miss no signal meanwhile.

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
from collections.abc import Callable, Iterator
from types import FrameType

from pinsetter.analyzer.messages.visible import visible

from .signals import stop_if_told
from .terminal import echo, echo_prompt, return_to_start, ring

if sys.platform == "win32":
    import msvcrt
else:
    import termios

# Windows has no SIGCONT, no termios, and no select for what is no socket.
_POSIX = hasattr(signal, "SIGCONT")
_CONTINUED, _RESIZED = getattr(signal, "SIGCONT", 0), getattr(signal, "SIGWINCH", 0)
_ESCAPE, _BEYOND_ASCII = b"\x1b", b"\x80"
# Ctrl-D; what was typed as that while the terminal took lines is a null byte.
_END = (b"\x04", b"\0")
# What the arrows send, and the letter that each means.
_MOVES = {b"\x1b" + start + arrow: letter for start in (b"[", b"O")
          for arrow, letter in ((b"A", "K"), (b"D", "K"), (b"B", "J"), (b"C", "J"))}  # fmt: skip
_WINDOWS_MOVES = {"H": "K", "K": "K", "P": "J", "M": "J"}
# The rest of what a key sends is there at once.
_AT_ONCE = 0.02
_MOST = 64
# Where the list of a terminal's attributes has them.
_LOCAL_MODES, _CHARACTERS = 3, 6


class ResizedError(Exception):
    """The window has another size."""


def ask(prompt: str) -> str:
    """A line of input. Raises EOFError, KeyboardInterrupt and Stopped."""
    stop_if_told()
    if not sys.stdin.isatty():
        answer = input(prompt)
        # Nobody's typing ends the line.
        echo(answer)
        return answer
    if not _POSIX:
        return input(prompt)
    with _signals_noted() as noted:
        if not (tells_keys() and _has_readline()):
            echo_prompt(prompt)
            _wait(noted, lambda: echo_prompt(prompt))
            return input()
        with _raw() as enter:
            _waiting(prompt, noted, enter)()
        # The line editor puts its own prompt over ours.
        return_to_start()
        return input(visible(prompt))


def ask_key(prompt: str) -> str:
    """The key that is pressed, without Enter: Enter itself decides nothing, and arrows are J and K.
    Where no terminal tells keys, a line of input.

    Raises EOFError for Ctrl-D, KeyboardInterrupt, Stopped, and ResizedError if the window has
    another size now.
    """
    stop_if_told()
    if not tells_keys():
        return ask(prompt)
    if not _POSIX:
        echo_prompt(prompt)
        return _pressed(_windows_key)
    with _signals_noted(_RESIZED) as noted, _raw() as enter:
        wait = _waiting(prompt, noted, enter)

        def key() -> str:
            wait()
            return _key()

        return _pressed(key)


def _waiting(prompt: str, noted: int, enter: Callable[[], None]) -> Callable[[], None]:
    """Show a question; what waits for a key then, and shows it again after a stop."""
    echo_prompt(prompt)

    def again() -> None:
        # A shell has the terminal as it likes it while we are stopped.
        enter()
        echo_prompt(prompt)

    return lambda: _wait(noted, again)


def _has_readline() -> bool:
    """Whether lines can be edited, with arrows and those that were given before."""
    try:
        import readline
    except ImportError:
        return False
    readline.parse_and_bind("set enable-bracketed-paste off")
    return True


def _pressed(key: Callable[[], str]) -> str:
    while (found := key()) in ("", "\r", "\n"):
        ring()
    echo(found)
    return found


def tells_keys() -> bool:
    """Whether a key is an answer without Enter: there is a terminal that tells them."""
    return sys.stdin.isatty() and os.environ.get("TERM") != "dumb"


def forget_typed() -> None:
    """What was typed before a question was shown is no answer to it."""
    if _POSIX and sys.stdin.isatty():
        termios.tcflush(sys.stdin.fileno(), termios.TCIFLUSH)


def _wait(noted: int, again: Callable[[], None]) -> None:
    """Until something was typed. Raises what a signal's handler does, and ResizedError; after
    Ctrl-Z and ``fg``, which bring back a program but not what it asked, it calls ``again``: a
    handler that prints could come while something is being printed."""
    typed = sys.stdin.fileno()
    while typed not in (ready := select.select([typed, noted], [], [])[0]):
        if noted in ready:
            numbers = os.read(noted, 1024)
            stop_if_told()
            if _CONTINUED in numbers:
                again()
            if _RESIZED in numbers:
                raise ResizedError


def _key() -> str:
    """What one key sends: more than a byte for a letter beyond ASCII, and for arrows and the
    like."""
    typed = sys.stdin.fileno()
    with _there():
        data = os.read(typed, 1)
    if not data or data in _END:
        raise EOFError
    if data == _ESCAPE or data >= _BEYOND_ASCII:
        while len(data) < _MOST and select.select([typed], [], [], _AT_ONCE)[0]:
            data += os.read(typed, 1)
            if data[:1] != _ESCAPE and _is_whole(data):
                break
    return _MOVES.get(data) or data.decode(errors="backslashreplace")


def _is_whole(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


@contextlib.contextmanager
def _raw() -> Iterator[Callable[[], None]]:
    """A terminal that tells each key at once and shows none, but obeys Ctrl-C and Ctrl-Z; gives
    what makes it so again. Raises EOFError if there is none any more."""
    typed = sys.stdin.fileno()
    with _there():
        before = termios.tcgetattr(typed)
    now = [*before[:6], list(before[6])]
    now[_LOCAL_MODES] &= ~(termios.ICANON | termios.ECHO)
    now[_CHARACTERS][termios.VMIN], now[_CHARACTERS][termios.VTIME] = 1, 0

    def enter() -> None:
        with _there():
            termios.tcsetattr(typed, termios.TCSADRAIN, now)

    try:
        enter()
        yield enter
    finally:
        # Where it was closed, what is being raised says so.
        with contextlib.suppress(termios.error):
            termios.tcsetattr(typed, termios.TCSADRAIN, before)


@contextlib.contextmanager
def _there() -> Iterator[None]:
    """What asks a terminal that was closed raises EOFError."""
    try:
        yield
    except (termios.error, OSError):
        raise EOFError from None


def _windows_key() -> str:
    """Not tried on every console: the keys of msvcrt, of which two calls tell a special one."""
    if sys.platform == "win32":
        key = msvcrt.getwch()
        if key in "\0\xe0":
            return _WINDOWS_MOVES.get(msvcrt.getwch(), "")
        if key == "\x03":
            raise KeyboardInterrupt
        if key in "\x04\x1a":
            raise EOFError
        return key
    return ""


@contextlib.contextmanager
def _signals_noted(*more: int) -> Iterator[int]:
    """A file to which each signal that comes writes a byte: those with a handler, that the program
    goes on after a stop, and ``more``."""
    noted, note = os.pipe()
    os.set_blocking(note, False)
    handlers = {number: signal.signal(number, _noted) for number in (_CONTINUED, *more)}
    before = signal.set_wakeup_fd(note, warn_on_full_buffer=False)
    try:
        yield noted
    finally:
        signal.set_wakeup_fd(before)
        for number, handler in handlers.items():
            signal.signal(number, handler)
        os.close(noted)
        os.close(note)


def _noted(number: int, frame: FrameType | None) -> None:
    """Without a handler of Python's, nothing would be written."""
