"""collect_less: garbage is looked for as seldom as suits a program that is full of trees."""

from __future__ import annotations

import gc

# Trees are many objects that live as long as they are needed, and hardly anything of a run is
# garbage that only the collector finds: with Python's own thresholds it takes a third of the time.
_THRESHOLDS = (2_000_000, 5, 5)


def collect_less() -> None:
    gc.set_threshold(*_THRESHOLDS)
