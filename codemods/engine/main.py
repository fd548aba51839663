"""main: the entry point of the ``pinsetter`` command."""

from __future__ import annotations

import sys
from typing import NoReturn


def main() -> NoReturn:
    """Run the command line, and exit with its code."""
    try:
        from .cli import main as run  # takes a while, and Ctrl-C is no fault then, either
    except KeyboardInterrupt:
        sys.stderr.write("Interrupted.\n")
        sys.exit(130)
    run()
