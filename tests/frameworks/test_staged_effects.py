"""What blocks change in other ways than by binding names: it is right, an error, or a warning."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import pytest

tf = pytest.importorskip("tensorflow")

from pinsetter.staging import (  # noqa: E402
    StagingError,
    StagingWarning,
    convert,
    set_loop_options,
)

CHANGES = "was changed in a staged block"


def staged(function: Callable[..., Any]) -> Any:
    return tf.function(convert(function, recursive=True), autograph=False)


class Box:
    def __init__(self, n: Any) -> None:
        self.n = n
        self.d = {"a": n}

    def add(self, x: Any) -> None:
        self.n = self.n + x


@pytest.fixture(autouse=True)
def strict() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("error", StagingWarning)
        yield


def item(x: Any, key: str) -> Any:
    d = {"a": tf.constant(0), "b": tf.constant(5)}
    if x > 0:
        d[key] += x
    return d["a"], d["b"]


def item_of_attribute(x: Any, key: str) -> Any:
    box = Box(tf.constant(0))
    if x > 0:
        box.d[key] = x
    return box.d["a"], box.n


def counted(x: Any, key: str) -> Any:
    d = {"a": 0}
    for _ in tf.range(x):
        d[key] += 1
    return d["a"], x


def several_targets(x: Any, key: str) -> Any:
    d = {"a": tf.constant(0)}
    n = x
    if x > 0:
        (d)[key], n = x, x + 1
    return d["a"], n


def item_of_item(x: Any, key: str) -> Any:
    d = {"inner": {"a": tf.constant(0)}}
    n = x
    while n > 0:
        d["inner"][key] = n = n - 2
    return d["inner"]["a"], n


def longer(x: Any, key: str) -> Any:
    found: list[Any] = []
    for i in tf.range(x):
        found += [i]
    return tf.stack(found) if x > 0 else tf.zeros([0], tf.int32), key


@pytest.mark.parametrize(
    "function", [item, item_of_attribute, counted, several_targets, item_of_item]
)
@pytest.mark.parametrize("x", [3, 0])
def test_items_that_are_found_out_when_it_runs(function: Any, x: int) -> None:
    wanted = function(tf.constant(x), "a")
    found = staged(function)(tf.constant(x), "a")
    assert [int(one) for one in found] == [int(one) for one in wanted]


def test_a_list_that_gets_longer_by_another() -> None:
    assert staged(longer)(tf.constant(3), "a")[0].numpy().tolist() == [0, 1, 2]


def by_method(x: Any) -> Any:
    box = Box(tf.constant(0))
    if x > 0:
        box.add(x)
    return box.n + 1


def of_outside(x: Any) -> Any:
    d = {"a": tf.constant(1)}
    if x > 0:
        d.update(a=x)
    return d["a"] + 1


def by_closure(x: Any) -> Any:
    n = tf.constant(0)

    def add() -> None:
        nonlocal n
        n = x

    if x > 0:
        add()
    return n + 1


def of_caller(x: Any) -> Any:
    found: list[Any] = []

    def fill(into: list[Any]) -> None:
        for i in tf.range(x):
            into.append(i)

    fill(found)
    return found[0] + 1


@pytest.mark.parametrize("function", [by_method, of_outside, by_closure, of_caller])
def test_what_is_not_seen_to_change_is_not_read(function: Any) -> None:
    with pytest.raises((StagingError, TypeError, ValueError), match=f"{CHANGES}|Gone"):
        staged(function)(tf.constant(3))


def test_what_happens_now_is_told() -> None:
    log: list[str] = []

    def logging(x: Any) -> Any:
        if x > 0:
            log.append("more")
        return x

    with pytest.warns(StagingWarning, match="changes what 'log' names: now"):
        staged(logging)(tf.constant(-3))
    assert log == ["more"]


def test_what_is_dead_is_nobodys_business() -> None:
    def dead(x: Any) -> Any:
        box = Box(tf.constant(0))
        if x > 0:
            box.add(x)
            x = box.n * 2
        return x

    assert staged(dead)(tf.constant(3)) == 6


def test_an_option_that_no_loop_has() -> None:
    def turning(x: Any) -> Any:
        while x > 0:
            set_loop_options(max_iterations=3)
            x -= 1
        return x

    with pytest.raises(StagingError, match="no option 'max_iterations'; there are back_prop, max"):
        staged(turning)(tf.constant(3))


def test_autograph_of_tensorflow_leaves_it_alone() -> None:
    def f(x: Any) -> Any:
        while x > 9:
            x //= 2
            if x == 20:
                return -x
        return x

    graph = tf.function(convert(f))
    assert [int(graph(tf.constant(x))) for x in (41, 100, 3)] == [-20, 6, 3]


def test_functions_are_scopes() -> None:
    def _inner(x: Any) -> Any:
        if x > 0:
            x = x * 2
        return x

    def outer(x: Any) -> Any:
        return _inner(x) + x

    converted = convert(outer, recursive=True, scopes=True)
    graph = tf.function(converted, autograph=False).get_concrete_function(tf.constant(3)).graph
    names = {one.name for one in graph.get_operations()}
    assert {"outer/add", "outer/inner/cond", "outer/inner/Greater"} <= names
    assert converted(tf.constant(3)) == converted(3) == 9
    plain = tf.function(convert(outer, recursive=True), autograph=False)
    names = {one.name for one in plain.get_concrete_function(tf.constant(3)).graph.get_operations()}
    assert {"add", "cond", "Greater"} <= names


TICKS = tf.Variable(0)


def counted(n: Any) -> Any:
    TICKS.assign(0)
    while TICKS.assign_add(1) < n:
        pass
    return TICKS.read_value()


def halved(n: Any) -> Any:
    k = 0
    while (n := n // 2) > 1:
        k += 1
    return k + n


def connected(n: Any) -> Any:
    TICKS.assign(0)
    k = 0
    while k < n and TICKS.assign_add(1) < 3:
        k += 1
    return k


def iterated(n: Any) -> Any:
    items = iter(tf.data.Dataset.range(10))
    k = 0
    while next(items) < 5:
        k += 1
    return k + n


def inside(n: Any) -> Any:
    TICKS.assign(0)
    k = 0
    while k < n:
        while TICKS.assign_add(1) % 3 != 0:
            k += 1
        k += 1
    return k + 100 * TICKS.read_value()


@pytest.mark.parametrize("function", [counted, halved, connected, iterated, inside])
@pytest.mark.parametrize("n", [0, 1, 5, 40])
def test_a_test_is_asked_as_often_as_in_python(function: Any, n: int) -> None:
    wanted = int(function(tf.constant(n)))
    assert int(staged(function)(tf.constant(n))) == wanted
