"""last_resort: how a command ends that something unforeseen has happened to."""

from __future__ import annotations

import errno
import gc
import os
import sys
from collections.abc import Callable
from typing import NoReturn

from pinsetter.analyzer.messages.unforeseen import HINT, cause_of, lacks_memory, said
from pinsetter.analyzer.messages.visible import visible

from .exit_code import ExitCode
from .signals import code_of, listen, listen_no_more
from .streams import OutputError, flush_output

_NO_MEMORY = b"error: nothing more is done: there is not enough memory\n"
_NO_ROOM = {errno.ENOSPC, errno.EFBIG, errno.EROFS, getattr(errno, "EDQUOT", errno.ENOSPC)}


def ended_by(error: BaseException) -> ExitCode:
    """Say what ended a command; the code to exit with. It is never that for changes which are
    proposed, for which Python's own, 1, would be taken."""
    if isinstance(error, KeyboardInterrupt):
        _say("Interrupted.")
        return ExitCode.INTERRUPTED
    if isinstance(error, OutputError | BrokenPipeError):
        if not isinstance(error, BrokenPipeError) and not error.quiet:
            _say(f"error: {error}")
        return ExitCode.FAILED
    if lacks_memory(error):
        _say(_NO_MEMORY.decode().rstrip())
        return ExitCode.FAILED
    cause = cause_of(error)
    if isinstance(cause, OSError) and cause.errno in _NO_ROOM:
        where = "" if cause.filename is None else f" ({cause.filename})"
        _say(f"error: nothing more is done: what is to be saved cannot be: {cause.strerror}{where}")
        return ExitCode.FAILED
    _say(f"error: nothing more is done: internal error, {said(error)} ({HINT})")
    return ExitCode.FAILED


def finish(command: Callable[[], ExitCode]) -> NoReturn:
    """Run a command, and exit with what it returns or exits with, or what it came to if a signal or
    something unforeseen ends it, or if what was printed did not arrive."""
    try:
        try:
            code = _guarded(command)
        except SystemExit:
            if code_of(ExitCode.OK) is ExitCode.OK:
                listen_no_more()
                raise
            code = ExitCode.INTERRUPTED
        except MemoryError:  # not even for telling of it
            os.write(2, _NO_MEMORY)
            _end_at_once()
        listen_no_more()
    except KeyboardInterrupt:  # once more, while the first was being told of, or at the very end
        listen_no_more()
        code = ExitCode.INTERRUPTED
    finally:
        # Python ends with a look for garbage, through all trees, and takes them apart one by one.
        gc.freeze()
    sys.exit(int(code_of(code)))


def _guarded(command: Callable[[], ExitCode]) -> ExitCode:
    try:
        try:
            listen()  # not before: nobody would hear of it
            return command()
        finally:
            flush_output()
    except SystemExit:
        raise
    except BaseException as error:
        code = ended_by(error)
        if lacks_memory(error):
            sys.stderr.flush()
            _end_at_once()
        return code


def _end_at_once() -> NoReturn:
    """Python would take apart what there is, and say of each thing that it has no memory for it."""
    os._exit(int(ExitCode.FAILED))


def _say(text: str) -> None:
    sys.stderr.write(f"{visible(text)}\n")
