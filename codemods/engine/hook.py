"""Hook: any script that uses Bowler gets tool.py, for pinsetter-bowler.pth imports this module.

Python does so whenever it starts, and the module does nothing but wait for Bowler.
PINSETTER_BOWLER=0 in the environment leaves Bowler as it is.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from importlib.machinery import ModuleSpec, PathFinder

TYPE_CHECKING = False  # importing typing would take longer than all the rest
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any


class _Finder:
    """Finds ``bowler.query`` as usual and has tool.py imported after it."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        if name != "bowler.query":
            return None
        sys.meta_path.remove(self)
        spec = PathFinder.find_spec(name, path)
        if spec is not None and spec.loader is not None:
            execute = spec.loader.exec_module

            def exec_module(module: ModuleType) -> None:
                execute(module)
                import_module("pinsetter.codemods.engine.tool")

            spec.loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec


if os.environ.get("PINSETTER_BOWLER") != "0":
    sys.meta_path.insert(0, _Finder())
