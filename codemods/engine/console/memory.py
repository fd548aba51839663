"""collect_less: garbage is looked for as seldom as suits a program that is full of trees."""

from __future__ import annotations

import gc

# Trees are many objects that live a while: with Python's own thresholds a run takes half as long
# again; with higher ones it needs more memory and is hardly faster.
_THRESHOLDS = (20_000, 5, 5)


def collect_less() -> None:
    gc.set_threshold(*_THRESHOLDS)
