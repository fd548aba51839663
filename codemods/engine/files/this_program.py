"""this_program: what this program is, for what was made by it and is kept."""

from __future__ import annotations

import os
import sys
from functools import cache
from importlib.resources import files


@cache
def this_program() -> tuple[object, ...]:
    """Its own files by time and size, its Python, and its parser."""
    from importlib.metadata import version  # which has much to do with mail

    own = []
    for room in ("analyzer", "patterns", "codemods"):
        for folder, _, names in os.walk(str(files(f"pinsetter.{room}"))):
            for name in names:
                if not name.endswith(".pyc"):
                    found = os.stat(os.path.join(folder, name))
                    own.append((folder, name, found.st_size, found.st_mtime_ns))
    return (sys.version, version("fissix"), version("bowler"), sorted(own))
