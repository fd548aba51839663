"""bounds_options: how much of one file, and for how long, commands that analyse take at most."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import click

_OPTIONS = [
    click.option(
        "--timeout", type=click.IntRange(min=0), default=5, show_default=True, metavar="SECONDS",
        help="Leave a file that takes more of the processor's time for each 50 kB that it has or "
             "begins, and name it; 0 waits."),
    click.option(
        "--max-file-size", type=click.IntRange(min=0), default=10, show_default=True, metavar="MB",
        help="Read no file that is larger; 0 reads all."),
    click.option(
        "--max-memory", type=click.IntRange(min=0), metavar="MB",
        help="Leave a file at which so much memory is taken, and name it; 0 takes all. The default "
             "is three quarters of what there is."),
    click.option(
        "--max-nesting", type=click.IntRange(min=1, max=1200), default=1200, show_default=True,
        metavar="LEVELS",
        help="Leave a file whose syntax tree has more levels, and name it; more are not possible."),
]  # fmt: skip
_MAX_HUNKS = click.option(
    "--max-hunks", type=click.IntRange(min=0), default=10_000, show_default=True, metavar="NUMBER",
    help="Leave a file for which more are proposed, and name it; 0 shows all.",
)  # fmt: skip


def bounds_options(command: Callable[..., Any], proposes: bool = False) -> Callable[..., Any]:
    """Give a command all of them, and if it proposes hunks that of their number; it gets
    ``bounds``."""

    @wraps(command)
    def bounded(
        max_file_size: int,
        timeout: int,
        max_memory: int | None,
        max_nesting: int,
        max_hunks: int = 0,
        **given: Any,
    ) -> Any:
        # It is imported before the files are read by a process of its own.
        from pinsetter.analyzer.files.bounds import Bounds, usual_memory

        memory = usual_memory() if max_memory is None else max_memory
        bounds = Bounds(max_file_size, timeout, memory, max_hunks, max_nesting)
        return command(bounds=bounds, **given)

    for option in reversed([*_OPTIONS, *([_MAX_HUNKS] if proposes else [])]):
        bounded = option(bounded)
    return bounded
