"""Hook: any script that uses Bowler gets tool.py. pinsetter-bowler.pth has this module imported
before Bowler is, and does nothing else when Python starts.

PINSETTER_BOWLER=0 in the environment leaves Bowler as it is.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType

from ..console.fissix_tables import find_cache


class _Finder(MetaPathFinder):
    """Finds ``bowler.query`` as usual and has tool.py imported after it, and ``bowler.main``, whose
    command ends as ours do and takes what ours takes."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname not in ("bowler.query", "bowler.main"):
            return None
        if fullname == "bowler.main":
            sys.meta_path.remove(self)
        spec = PathFinder.find_spec(fullname, path)
        if spec is not None and spec.loader is not None:
            spec.loader = _Loader(spec.loader)
        return spec


class _Loader(Loader):
    """Loads a module of Bowler's. The loader that it has elsewhere may be that of a whole archive,
    and is not to be changed."""

    def __init__(self, loader: Loader) -> None:
        self._loader = loader

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        if module.__spec__ is not None:
            module.__spec__.loader = module.__loader__ = self._loader
        self._loader.exec_module(module)
        if module.__name__ == "bowler.query":
            import_module("pinsetter.codemods.engine.bowler.tool")
        else:
            import_module("pinsetter.codemods.engine.bowler.script").guard(module.main)
            import_module("pinsetter.codemods.engine.bowler.run_arguments").teach(module.run)


find_cache()
sys.meta_path.insert(0, _Finder())
