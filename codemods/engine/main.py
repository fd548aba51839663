"""main: the entry point of the ``pinsetter`` command."""

from __future__ import annotations

import gc
from typing import NoReturn

from .cache import find_cache
from .last_resort import finish
from .signals import listen
from .streams import prepare_streams

# Trees are many objects that live a while: with Python's own thresholds a run takes half as long
# again; with higher ones it needs more memory and is hardly faster.
THRESHOLDS = (20_000, 5, 5)


def main() -> NoReturn:
    """Run the command line, and exit with its code."""
    gc.set_threshold(*THRESHOLDS)
    prepare_streams()
    listen()
    finish(_run)


def _run() -> NoReturn:
    find_cache()
    from .cli import main as run  # takes a while, and Ctrl-C is no fault then, either

    run()
