"""Server: a process of its own that is told what to work with, and then given jobs, as bytes.

What ends it, or never comes to an end, is nobody else's trouble; and it has a main thread of its
own, which the bounds of time and memory need.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import pickle
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any, NamedTuple, Protocol

from .forking import how_ended
from .in_order import Tell

DONE, LOST, REFUSED, ERROR = "done", "lost", "refused", "error"
_TOLD = "told"
# Whoever started it may have forgotten it.
_IDLE_SECONDS = 600
# Modules in the current folder are nobody's that is asked for here.
_CODE = f"import sys; sys.path = [p for p in sys.path if p]; import {__name__} as it; it.main()"


class RefusedError(Exception):
    """Why a process cannot do the jobs of a run."""


class Beginning(Protocol):
    """What comes first, as a pickle."""

    def begin(self) -> Callable[[bytes, Tell], bytes]:
        """What does the jobs. Raises RefusedError."""


class Answer(NamedTuple):
    """What became of a job: its result, or how the process was ended by it, or what went wrong.
    ``told`` is what was told before."""

    kind: str
    result: Any
    told: tuple[Any, ...]


class Server:
    """The process, from outside; for one job at a time."""

    def __init__(self, beginning: bytes) -> None:
        self._connection, theirs = multiprocessing.Pipe()
        number = theirs.fileno()
        # What it has to say is said over the pipe.
        self._process = subprocess.Popen(
            [sys.executable, "-c", _CODE, str(number)],
            pass_fds=[number],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        )
        theirs.close()
        with contextlib.suppress(OSError):  # it ended already, which the first job will show
            self._connection.send_bytes(beginning)

    def do(self, job: bytes) -> Answer:
        """What becomes of a job. After LOST there is nobody to do another."""
        told: list[Any] = []
        try:
            self._connection.send_bytes(job)
            while True:
                kind, item = self._connection.recv()
                if kind != _TOLD:
                    return Answer(kind, item, tuple(told))
                told.append(item)
        except (EOFError, OSError):
            how = how_ended(self._process.wait())
            self._connection.close()
            return Answer(LOST, f"was ended {how}", tuple(told))

    def end(self) -> None:
        self._process.kill()
        self._process.wait()
        self._connection.close()


def serve(connection: Connection) -> None:
    """Do jobs until nobody asks any more."""
    threading.Thread(target=_end_with, args=[os.getppid()], daemon=True).start()
    with contextlib.suppress(EOFError, OSError):
        work: Callable[[bytes, Tell], bytes] | None = None
        refused: tuple[str, str] | None = None
        try:
            beginning: Beginning = pickle.loads(connection.recv_bytes())
            work = beginning.begin()
        except RefusedError as error:
            refused = REFUSED, str(error)
        except Exception:
            refused = ERROR, traceback.format_exc()
        while connection.poll(_IDLE_SECONDS):
            job = connection.recv_bytes()
            connection.send(refused if work is None else _done(work, job, connection))


def _done(
    work: Callable[[bytes, Tell], bytes], job: bytes, connection: Connection
) -> tuple[str, Any]:
    try:
        return DONE, work(job, lambda item: connection.send((_TOLD, item)))
    except Exception:
        return ERROR, traceback.format_exc()


def _end_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(1)


def main() -> None:
    """Serve on the pipe whose file number is the program's argument."""
    serve(Connection(int(sys.argv[1])))
