"""What is noted while a program trains: counts, and the values of the variables it trains."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Hashable, Iterator
from typing import Any

import numpy as np

FINGERPRINTS = 1000


class UpdatesReached(BaseException):
    """Ends a program that has trained long enough; not an Exception, so it passes `except`."""


class Values:
    """One variable. `initial` is the first value ever seen, `first` that right before its first
    update; between the two lies a broadcast, if there is one."""

    def __init__(self, name: str, variable: Any = None) -> None:
        self.name = name
        self.variable = (
            variable  # held, because an id is worth something only while its object lives
        )
        self.trained = False
        self.initial: Any = None
        self.first: str | None = None
        self.final: Any = None


class Notes:
    def __init__(self, max_updates: int | None) -> None:
        self.max_updates = max_updates
        self.stopping = False
        self.updates = 0
        # Gradients that were applied, of all updates together; not of those that sessions run.
        self.applied = 0
        self.broadcasts = 0
        self.object_broadcasts = 0
        self.distributed_tapes = 0
        self.distributed_optimizers = 0
        # One number for each time gradients are computed, before any averaging over the workers.
        self.gradients: list[float] = []
        # One number for each value, and no variable, that is broadcast: this worker's own.
        self.sent: list[float] = []
        self.values: dict[Hashable, Values] = {}
        self._updating = False

    def enough(self) -> bool:
        self.stopping = self.max_updates is not None and self.updates >= self.max_updates
        return self.stopping

    def trains(self, key: Hashable, name: str, variable: Any = None) -> None:
        values = self.values.setdefault(key, Values(name, variable))
        if not values.trained:
            # In the order of training: a broadcast may have come first, and in another order.
            self.values[key] = self.values.pop(key)
            values.trained = True

    def seen(self, key: Hashable, name: str, value: Any, variable: Any = None) -> None:
        values = self.values.setdefault(key, Values(name, variable))
        if values.initial is None:
            values.initial = np.array(value)

    def before_update(self, key: Hashable, value: Any) -> None:
        values = self.values[key]
        self.seen(key, values.name, value)
        if values.first is None:
            values.first = hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()[:16]

    def fingerprint(self, *gradients: Any) -> Any:
        if len(self.gradients) < FINGERPRINTS:
            self.gradients.append(float(sum(np.abs(g).sum(dtype="float64") for g in gradients)))
        return np.int64(0)

    def trained(self) -> Iterator[Values]:
        """In the order of first use, with the last value that can be had."""
        for values in self.values.values():
            if values.trained:
                with contextlib.suppress(Exception):  # never initialised, or its graph is gone
                    if values.variable is not None:
                        values.final = values.variable.numpy()
                if values.final is not None:
                    yield values

    @property
    def updating(self) -> bool:
        """Whether an update is being made already: optimizers call one another."""
        return self._updating

    @contextlib.contextmanager
    def one_update(self) -> Iterator[None]:
        before, self._updating = self._updating, True
        try:
            yield
        finally:
            self._updating = before
