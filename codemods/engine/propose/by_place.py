"""dumped, loaded: pickles in which rules are told by their places in the packs, which whoever reads
them has already."""

from __future__ import annotations

import io
import pickle
from collections.abc import Sequence
from typing import Any

from pinsetter.patterns.packs.pack import Rule


def dumped(item: object, rules: Sequence[Rule]) -> bytes:
    """The pickle of an item. Raises whatever what cannot be pickled raises."""
    buffer = io.BytesIO()
    _Writer(buffer, rules).dump(item)
    return buffer.getvalue()


def loaded(data: bytes, rules: Sequence[Rule]) -> Any:
    """The item of a pickle. Raises whatever what is no such pickle raises."""
    return _Reader(io.BytesIO(data), rules).load()


class _Writer(pickle.Pickler):
    """Rules are kept by their place in the packs, of whose content the entry's name speaks."""

    def __init__(self, file: io.BytesIO, rules: Sequence[Rule]) -> None:
        super().__init__(file, pickle.HIGHEST_PROTOCOL)
        self._places = {id(rule): place for place, rule in enumerate(rules)}

    def persistent_id(self, obj: object) -> int | None:
        return self._places.get(id(obj))


class _Reader(pickle.Unpickler):
    def __init__(self, file: io.BytesIO, rules: Sequence[Rule]) -> None:
        super().__init__(file)
        self._rules = rules

    def persistent_load(self, pid: Any) -> Rule:
        rule: Rule = self._rules[pid]
        return rule
