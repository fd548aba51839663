"""main: the entry point of the ``pinsetter`` command."""

from __future__ import annotations

from typing import NoReturn

from .cache import find_cache
from .last_resort import finish
from .memory import collect_less
from .signals import listen
from .streams import prepare_streams


def main() -> NoReturn:
    """Run the command line, and exit with its code."""
    collect_less()
    prepare_streams()
    listen()
    finish(_run)


def _run() -> NoReturn:
    find_cache()
    from .cli import main as run  # takes a while, and Ctrl-C is no fault then, either

    run()
