"""counting: how far a campaign is, by what is left in the code."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from ..records.recorded import KINDS

_DAY = 86_400 * 1_000_000
# What is looked back on, in days.
_LATELY = 14
_PROPOSED = ("open", "accepted", "refused")


@dataclass
class Counted:
    """``numbers``: ``open`` are proposed and not decided, ``accepted`` proposed and accepted, but
    not in the code yet, ``refused`` proposed and rejected, ``merged`` what was applied and is in
    the code, ``gone`` what had to be done no more, ``suppressed`` what comments leave out,
    ``reported`` what is for people to do, ``regressed`` those of all that came back after they
    were merged."""

    numbers: dict[str, int] = field(default_factory=lambda: dict.fromkeys(KINDS, 0))
    shards: dict[int, dict[str, int]] = field(default_factory=dict)

    @property
    def left(self) -> int:
        """What the campaign still has to do."""
        return left(self.numbers)


def left(numbers: dict[str, int]) -> int:
    return numbers["open"] + numbers["accepted"]


def counted(rows: Iterable[tuple[int, str, bool, int]]) -> Counted:
    """Add up what there is of each shard and kind, and whether it came back."""
    found = Counted()
    for shard, kind, regressed, number in rows:
        own = found.shards.setdefault(shard, dict.fromkeys(KINDS, 0))
        for numbers in (own, found.numbers):
            numbers[kind] += number
            if regressed and kind in _PROPOSED:
                numbers["regressed"] += number
    return found


@dataclass(frozen=True)
class Forecast:
    """``at`` is when nothing will be left, in microseconds since 1970; None: that cannot be said.
    ``assumed`` is what it rests on."""

    at: int | None
    assumed: str


def forecast(scans: Sequence[tuple[int, dict[str, int]]], now: int) -> Forecast:
    """When nothing will be left if it goes on as it went lately."""
    if not scans:
        return Forecast(None, "nothing was scanned yet")
    last, numbers = scans[-1]
    rest = left(numbers)
    if rest == 0:
        return Forecast(last, "nothing is left")
    lately = [one for one in scans if one[0] >= last - _LATELY * _DAY]
    first, before = lately[0]
    done, days = left(before) - rest, (last - first) / _DAY
    if days < 1:
        return Forecast(None, "it was not scanned for a whole day yet")
    if done <= 0:
        return Forecast(None, f"in the last {days:.0f} days there became no fewer")
    rate = done / days
    assumed = f"{rate:.1f} fewer a day, as in the last {days:.0f} days"
    return Forecast(last + int(rest / rate * _DAY), assumed)
