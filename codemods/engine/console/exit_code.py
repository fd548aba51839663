"""ExitCode: how a command ended."""

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    """0 nothing to do or all done; 1 changes proposed under --check, or left when the
    review's input ended; 2 something was refused or
    failed; 3 usage; 129 the terminal was closed; 130 interrupted; 143 told to end."""

    OK = 0
    PROPOSED = 1
    FAILED = 2
    USAGE = 3
    HUNG_UP = 129
    INTERRUPTED = 130
    TERMINATED = 143
