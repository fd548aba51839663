"""NearFiles: modules that files which are analysed alone ask about, kept from one to the next."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection
from pathlib import Path

from pinsetter.analyzer.files.bounds import Bounds
from pinsetter.analyzer.files.import_path import real_path
from pinsetter.analyzer.files.listing import Listing
from pinsetter.analyzer.files.word_uses import Told
from pinsetter.analyzer.messages.problem import Problem
from pinsetter.analyzer.names.module import Module, load

# A tree takes a hundred times its file's size.
_KEPT = 60


class NearFiles:
    """The last modules that were asked for, by one process."""

    def __init__(self) -> None:
        self._modules: OrderedDict[Path, Module | None] = OrderedDict()

    def module(self, path: Path, listing: Listing, bounds: Bounds) -> Module | None:
        """The module at ``path``; None if it cannot be understood."""
        real = real_path(path)
        if real not in self._modules:
            name = listing.module_name(real, {})
            found = load(Path(listing.called(str(real))), name, bounds)
            self._modules[real] = None if isinstance(found, Problem) else found
        self._modules.move_to_end(real)
        return self._modules[real]

    def let_go(self, used: Collection[Module]) -> None:
        """Drop what was worked out with others, and the modules that were not asked for longest."""
        for module in used:
            told = module.memo.get(Told)
            module.memo.clear()
            module.memo.update({Told: told} if told is not None else {})
        while len(self._modules) > _KEPT:
            _, dropped = self._modules.popitem(last=False)
            if dropped is not None:
                dropped.forget()
