"""cache: the folder of fissix's tables, without which it cannot be imported.

They are pickles, and to load a pickle is to run it: fissix's own folder is not used, but one that
is made for the user alone.
"""

from __future__ import annotations

import atexit
import os
import shutil
import sys
import tempfile
from collections.abc import Sequence
from functools import cache
from importlib.abc import MetaPathFinder
from pathlib import Path
from types import ModuleType


def find_cache() -> None:
    """Have fissix given its folder when it asks for it. To be called before ``fissix.pygram`` is
    imported, which many a command does without."""
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())


class _Finder(MetaPathFinder):
    """Finds nothing: it is asked before ``fissix.pygram`` is found."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> None:
        if fullname == "fissix.pygram":
            _give_folder()


@cache
def _give_folder() -> None:
    """One that nobody else can have put something into, and that lasts as long as this process
    where there is none."""
    import fissix
    from platformdirs import user_cache_path

    from pinsetter.analyzer.files.user_cache import private

    above = private(user_cache_path("pinsetter"))
    folder = above and private(above / f"fissix-{fissix.__version__}")
    if folder is None or not os.access(folder, os.W_OK):
        try:
            folder = Path(tempfile.mkdtemp(prefix="pinsetter-"))
        except OSError:
            return  # and importing it says what is wrong
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
    fissix.CACHE_DIR = folder
