"""When memory has run out, there is some left for telling of it."""

from __future__ import annotations

from pinsetter.analyzer.messages import spare_memory as reserve


def test_it_is_given_up_for_an_error_of_memory_only() -> None:
    reserve.keep_reserve()
    reserve.use_reserve(ValueError())
    assert reserve._kept
    reserve.use_reserve(MemoryError())
    assert not reserve._kept


def test_it_is_kept_once() -> None:
    reserve.keep_reserve()
    reserve.keep_reserve()
    assert len(reserve._kept) == 1
