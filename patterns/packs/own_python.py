"""called: a function of the Python file beside a pack.

The file is imported when the first of its functions is called, which is while rules are applied:
looking at a pack, or at what it is for, runs nothing.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import sys
import traceback
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any


class PackCodeError(Exception):
    """What went wrong in a pack's own Python, with its file and line."""


def called(path: Path, name: str, *arguments: Any) -> Any:
    """What a function of a file returns. Raises PackCodeError."""
    try:
        function: Callable[..., Any] = getattr(_imported(path, path.stat().st_mtime_ns), name)
        return function(*arguments)
    except (Exception, SystemExit) as error:
        raise PackCodeError(_said(error, path)) from error


@lru_cache(maxsize=16)
def _imported(path: Path, version: int) -> ModuleType:
    digest = hashlib.sha256(os.fsencode(path)).hexdigest()[:12]
    name = f"pinsetter_pack_{path.stem}_{digest}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def _said(error: BaseException, path: Path) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if Path(frame.filename) == path]
    line = own[-1].lineno if own else getattr(error, "lineno", None)
    where = f"{path}:{line}" if line else str(path)
    return f"{where}: {type(error).__name__}: {error}"
