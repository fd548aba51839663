"""Nearby: what a file that is analysed alone knows of others."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from pathlib import Path

from ..files.word_uses import Assumed
from .module import Module


class AskedBeyondError(BaseException):
    """Something was asked of a file alone that other files decide: the one at ``path``, where that
    is known. It passes by whoever takes any Exception for a fault of a rule or file."""

    def __init__(self, path: Path | None = None) -> None:
        super().__init__(path)
        self.path = path


class Nearby:
    """The few files that are read, and what was assumed of all others; ``said`` is what some of
    these are known to say, and ``called`` what packages are imported as in any. ``load`` reads a
    module, or says that it cannot be had."""

    def __init__(
        self,
        load: Callable[[Path], Module | None],
        said: Collection[Assumed] = (),
        called: Mapping[str, frozenset[str]] | None = None,
        most: int = 0,
    ) -> None:
        self.called = called or {}
        self._load, self._said, self._most = load, said, most
        self.modules: list[Module] = []
        self.assumed: dict[Assumed, int] = {}
        """With how many of the modules known at that time."""

    def read(self, path: Path) -> Module | None:
        """A module that is near from now on; None if it cannot be had, or these are enough."""
        module = self._load(path) if len(self.modules) < self._most else None
        if module is None or module in self.modules:
            return None
        self.modules.append(module)
        return module

    def assume(self, one: Assumed) -> bool:
        """Go on as if no file that is not read said a word so, which is to be looked up in their
        bytes; False if one is known to."""
        if one in self._said:
            return False
        self.assumed.setdefault(one, len(self.modules))
        return True
