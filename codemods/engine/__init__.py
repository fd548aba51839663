"""From edits to hunks, review and files."""

from __future__ import annotations

from typing import NoReturn


def main() -> NoReturn:
    """Run the command line, and exit with its code."""
    # Each waits for nothing but what it needs: Ctrl-C while they are imported is no fault, either.
    from .console.last_resort import finish
    from .console.memory import collect_less
    from .console.streams import prepare_streams

    collect_less()
    prepare_streams()
    finish(_run)


def _run() -> NoReturn:
    from .console.fissix_tables import find_cache

    find_cache()
    from .cli import main as run

    run()
