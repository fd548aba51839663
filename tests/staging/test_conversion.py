"""convert in plain Python: what it makes does what the function did, and says what it cannot."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pinsetter.staging import (
    UNDEFINED,
    StagingError,
    StagingWarning,
    at,
    call,
    compare,
    convert,
    do_not_convert,
    ld,
    returned,
    set_item,
    to_code,
)
from pinsetter.staging.conversion import is_converted
from pinsetter.staging.slots import Snapshot, slots_of
from pinsetter.staging.undefined import Maybe


def first_big(xs: list[int], least: int = 3, *, default: int = -1) -> int:
    """Some."""
    for x in xs:
        if x < 0:
            continue
        if x > least:
            return x
    return default


def lost(x: int) -> int:
    try:
        return 1 // x
    finally:
        if x > 5:
            return 7  # noqa: B012
        return 8  # noqa: B012, SIM107


def unbound(xs: list[int]) -> int:
    for x in xs:
        found = x
    return found


def chained(a: Any, b: Any) -> Any:
    return 0 < a() < b() < 9


class Counter:
    def __init__(self) -> None:
        self.__n = 0

    def add(self, x: int) -> int:
        if x > 0:
            self.__n += x
        return self.__n


def test_what_it_makes_does_the_same() -> None:
    made = convert(first_big)
    for xs in ([], [1, 2], [-1, 5, 9], [4]):
        assert made(xs) == first_big(xs)
        assert made(xs, 1, default=3) == first_big(xs, 1, default=3)
    assert made.__doc__ == "Some."
    assert made.__kwdefaults__ == {"default": -1}


def test_a_finally_that_leaves_gives_up_what_was() -> None:
    made = convert(lost)
    assert [made(x) for x in (0, 1, 9)] == [lost(x) for x in (0, 1, 9)] == [8, 8, 7]


def test_names_without_a_value() -> None:
    made = convert(unbound)
    assert made([1, 2]) == 2
    with pytest.raises(NameError):
        made([])


def test_a_chain_asks_each_once_and_no_more_than_needed() -> None:
    asked: list[str] = []

    def asking(name: str, value: int) -> Callable[[], int]:
        return lambda: (asked.append(name), value)[1]

    assert convert(chained)(asking("a", 1), asking("b", 5))
    assert asked == ["a", "b"]
    asked.clear()
    assert not convert(chained)(asking("a", -1), asking("b", 5))
    assert asked == ["a"]


def test_methods_keep_their_private_names() -> None:
    counter = Counter()
    add = convert(counter.add)
    assert [add(2), add(-1), add(3)] == [2, 2, 5]
    assert [convert(Counter.add)(counter, 1)] == [6]


def test_closures_and_lambdas() -> None:
    least = 3
    positive = lambda x: x if x > least else -x  # noqa: E731
    made = convert(positive)
    assert [made(5), made(1)] == [5, -1]
    least = 0
    assert made(1) == 1


def test_partial_and_callable_objects() -> None:
    class Adding:
        def __call__(self, x: int) -> int:
            if x > 0:
                return x + 1
            return x

    assert convert(functools.partial(first_big, [1, 9]))() == 9
    assert convert(Adding())(1) == 2


def test_it_is_made_once() -> None:
    made = convert(first_big)
    assert is_converted(made)
    assert convert(made) is made
    assert call(made) is made


def test_callees_are_made_when_they_are_called() -> None:
    def inner(x: int) -> bool:
        return bool(x)

    assert is_converted(call(first_big))
    assert call(call(inner)) is call(inner)
    assert call(len) is not len
    assert call(len)([1]) == 1
    assert call(Path) is Path
    assert call(do_not_convert(inner)) is inner


def test_what_cannot_be_made_is_run_as_it_is() -> None:
    names: dict[str, Any] = {}
    exec("def typed(x): return x", names)
    with pytest.warns(StagingWarning, match="'typed' is run as it is"):
        assert call(names["typed"])(3) == 3


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("def f():\n    if x:\n        yield 1\n", "a generator"),
        ("async def f():\n    return 1\n", "a coroutine"),
        ("def f():\n    if x: locals()\n", "is for the function"),
        ("def f():\n    for x in y:\n        global z\n", "for all of the function"),
    ],
)
def test_what_no_graph_can_have(tmp_path: Path, code: str, said: str) -> None:
    path = tmp_path / "user.py"
    path.write_text("# A line.\n" + code)
    names: dict[str, Any] = {"__name__": "user"}
    exec(compile(path.read_text(), str(path), "exec"), names)
    with pytest.raises(StagingError, match=said) as raised:
        convert(names["f"])
    assert raised.value.filename == str(path)
    assert raised.value.lineno in (2, 3, 4)


def test_no_function() -> None:
    with pytest.raises(StagingError, match="no function"):
        convert(3)
    with pytest.raises(StagingError, match="decorated already"):
        convert(functools.lru_cache(first_big).__wrapped__ and functools.wraps(lost)(lambda: 1))


def test_errors_are_in_the_lines_of_the_file() -> None:
    def failing(x: int) -> float:
        if x:
            return 1 / 0
        return 2.0

    with pytest.raises(ZeroDivisionError) as raised:
        convert(failing)(1)
    lines = {entry.lineno + 1 for entry in raised.traceback if entry.path == Path(__file__)}
    assert failing.__code__.co_firstlineno + 2 in lines


def test_code_is_told() -> None:
    assert "_staging.for_(xs, body" in to_code(first_big)
    assert "_staging.call(inner)" in to_code(lambda inner: inner(), recursive=True)


def test_reads() -> None:
    assert ld(3) == 3
    with pytest.raises(UnboundLocalError):
        ld(UNDEFINED)
    assert returned(UNDEFINED) is None
    assert returned(3) == 3
    assert returned(3, False) is None
    with pytest.raises(UnboundLocalError, match="'x' may have no value"):
        Maybe("x", 1, None).shape  # noqa: B018


def test_comparisons() -> None:
    assert compare(1, "<", lambda: 2)
    assert not compare(1, "<", lambda: 2, "in", lambda: [3])
    assert compare(None, "is", lambda: None, "is not", lambda: 3)


def test_items() -> None:
    xs = [1, 2, 3]
    assert set_item([7], xs, at[1:]) is xs
    assert xs == [1, 7]
    assert at[1, ...] == (1, ...)


def test_slots() -> None:
    x, d = 1, {"k": 1}
    counter = Counter()

    def block() -> None:
        nonlocal x
        x = 2
        d["k"] = counter.add(0)

    slots = slots_of("x, d['k'], counter.y", block)
    assert [slot.get() for slot in slots] == [1, 1, UNDEFINED]
    kept = [*map(Snapshot, slots)]
    block()
    counter.y = 3  # type: ignore[attr-defined]
    assert [slot.get() for slot in slots] == [2, 0, 3]
    for one in kept:
        one.restore()
    assert (x, d) == (1, {"k": 1})
    assert not hasattr(counter, "y")
    assert [slot.name for slot in slots_of(None, block)] == ["x"]


def test_a_list_that_is_changed_in_its_place_is_put_back() -> None:
    xs = [1]

    def block() -> None:
        xs.append(2)

    (slot,) = slots_of("xs", block)
    kept = Snapshot(slot)
    block()
    assert kept.now() == [1, 2]
    assert kept.now() is not xs
    kept.restore()
    assert xs == [1]
    kept.put([5, 6])
    assert xs == [5, 6]


def test_nothing_is_said_twice() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert convert(first_big, recursive=True)([5]) == 5
