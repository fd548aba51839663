"""Functions that are converted, as tests of what TensorFlow does with them: in a graph, and
eagerly, the results are those of Python; and errors say what is wrong, and where."""

from __future__ import annotations

import importlib
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

tf = pytest.importorskip("tensorflow")
np = pytest.importorskip("numpy")

sys.path.insert(0, str(Path(__file__).parents[2] / "fixtures" / "converted"))
from converted_cases import CASES  # noqa: E402

from pinsetter.staging import (  # noqa: E402
    StagingError,
    StagingTypeError,
    StagingValueError,
    convert,
    do_not_convert,
    to_code,
)


def plain(value: Any) -> Any:
    return tf.nest.map_structure(
        lambda one: one.to_list() if isinstance(one, tf.RaggedTensor) else np.asarray(one).tolist(),
        value,
    )


def staged(function: Callable[..., Any], **options: Any) -> Any:
    return tf.function(convert(function, recursive=True), autograph=False, **options)


@pytest.mark.parametrize(("function", "given"), CASES, ids=lambda one: getattr(one, "__name__", ""))
def test_a_graph_does_what_python_does(function: Any, given: Any) -> None:
    converted = convert(function, recursive=True)
    graph = tf.function(converted, autograph=False)
    for arguments in given:
        try:
            wanted = plain(function(*arguments))
        except UnboundLocalError:
            with pytest.raises(UnboundLocalError):
                converted(*arguments)
            with pytest.raises(tf.errors.InvalidArgumentError, match="has no value here"):
                graph(*arguments)
            continue
        assert plain(converted(*arguments)) == wanted
        assert plain(graph(*arguments)) == wanted


def test_a_file_is_rewritten(tmp_path: Path) -> None:
    """What the pack writes does the same, without what rewrites."""
    path = tmp_path / "rewritten_cases.py"
    path.write_text(Path(str(importlib.import_module("converted_cases").__file__)).read_text())
    command = [sys.executable, "-m", "pinsetter", "run", "autograph", str(path), "--write"]
    subprocess.run(command, check=True, capture_output=True)
    assert "_staging.while_(" in path.read_text()
    sys.path.insert(0, str(tmp_path))
    try:
        rewritten = importlib.import_module("rewritten_cases").CASES
    finally:
        sys.path.remove(str(tmp_path))
    for (function, given), (again, _) in zip(CASES, rewritten, strict=True):
        for arguments in given:
            try:
                wanted = plain(function(*arguments))
            except UnboundLocalError:
                continue
            assert plain(tf.function(again, autograph=False)(*arguments)) == wanted, again


def only_one_branch(x: Any) -> Any:
    if x > 0:
        y = x
    return y


def other_types(x: Any) -> Any:
    if x > 0:
        y = "a"
    else:
        y = x
    return y


def none_in_one(x: Any) -> Any:  # noqa: RET503
    if x > 0:
        return x


def other_type_later(n: Any) -> Any:
    x = 0
    while x < n:
        x = tf.cast(x, tf.float32) + 0.5
    return x


def other_shape(n: Any) -> Any:
    x = tf.constant([0])
    for i in tf.range(n):
        x = tf.concat([x, [i]], 0)
    return x


def an_object(n: Any) -> Any:
    made = None
    for _ in tf.range(n):
        made = object()
    return made


def test_what_is_read_without_a_value() -> None:
    graph = staged(only_one_branch)
    assert graph(tf.constant(1)) == 1
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"y.* has no value here"):
        graph(tf.constant(-1))


def test_what_some_ways_do_not_return() -> None:
    graph = staged(none_in_one)
    assert graph(tf.constant(1)) == 1
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"result.* has no value here"):
        graph(tf.constant(-1))


@pytest.mark.parametrize(
    ("function", "kind", "said"),
    [
        (other_types, StagingTypeError, "'y' has different types in both branches"),
        (other_type_later, StagingTypeError, "'x' has different types before a loop"),
        (other_shape, StagingValueError, "'x' has shape .1,. before the loop, but shape .2,."),
        (an_object, StagingError, "'made' .* None before the loop"),
    ],
)
def test_what_no_tensor_can_decide(function: Any, kind: type[Exception], said: str) -> None:
    with pytest.raises(kind, match=said) as raised:
        staged(function)(tf.constant(2))
    lines = [one for one in raised.traceback if Path(str(one.path)) == Path(__file__)]
    assert any(one.name == function.__name__ for one in lines)


def test_what_is_left_alone() -> None:
    @do_not_convert
    def alone(x: Any) -> Any:
        return 1 if isinstance(x, tf.Tensor) else 2

    def calling(x: Any) -> Any:
        if x > 0:
            return alone(x)
        return 0

    assert staged(calling)(tf.constant(1)) == 1


def test_code_says_what_was_compiled() -> None:
    assert "_staging.if_(x > 0, then" in to_code(only_one_branch)


def test_gradients_go_through() -> None:
    def power(x: Any, n: Any) -> Any:
        result = tf.ones_like(x)
        while n > 0:
            if n % 2 == 1:
                result *= x
            x *= x
            n //= 2
        return result

    @tf.function(autograph=False)
    def slope(x: Any, n: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            found = convert(power)(x, n)
        return tape.gradient(found, x)

    assert slope(tf.constant(2.0), tf.constant(5)) == 80.0


def test_compiled_by_xla() -> None:
    def total(n: Any) -> Any:
        found = 0
        for i in range(n):
            if i % 3 == 0:
                continue
            found += i
        return found

    assert staged(total, jit_compile=True)(tf.constant(10)) == 27
