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
from pathlib import Path


def find_cache() -> None:
    """Give fissix a folder that nobody else can have put something into, and that lasts as long as
    this process where there is none. To be called before ``fissix.pygram`` is imported."""
    if "fissix.pygram" in sys.modules:
        return
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
