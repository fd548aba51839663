"""own_process: this program, in a process of its own."""

from __future__ import annotations

import sys
from collections.abc import Iterable

# The current folder, which Python puts first, may have a yaml.py: that of a tree is not executed.
_SELF = (
    "import sys; sys.path[:] = filter(None, sys.path); "
    "from pinsetter.codemods.engine import main; main()"
)


def own_command(arguments: Iterable[str]) -> list[str]:
    """The command that runs ``pinsetter`` with these arguments, in whatever folder."""
    return [sys.executable, "-c", _SELF, *arguments]
