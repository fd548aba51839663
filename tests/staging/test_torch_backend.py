"""The TorchScript back end, on real tensors; run where torch is installed (`make test-torch`)."""

# Both branches of what is staged return.
# ruff: noqa: RET505

from __future__ import annotations

from typing import Any

import pytest

from pinsetter.staging import StagingError, lms, rep_fun, stage
from pinsetter.staging.torch_backend import torch_code, torchscript


@lms
def clipped(x: Any, n: Any) -> Any:
    steps = 0
    while x.sum() > 1 and steps < n:
        x = x / 2
        steps += 1
    if x.mean() > 0:
        y = x @ x.t()
    else:
        y = -x @ x.t()
    return y.relu(), steps


def test_what_is_written() -> None:
    code = torch_code(stage(clipped).code, "Tensor", "int")
    assert code.startswith("def clipped(in1: Tensor, in2: int):\n")
    compile(code, "a", "exec")


def test_functions_are_refused() -> None:
    @rep_fun
    @lms
    def power(x: Any, n: Any) -> Any:
        if n == 0:
            return x
        else:
            return x * power(x, n - 1)

    with pytest.raises(StagingError, match="functions inside a program"):
        torch_code(stage(lambda x, n: power(x, n)).code)


def test_it_gives_what_python_gives() -> None:
    torch = pytest.importorskip("torch")
    staged = stage(clipped, backend=torchscript("Tensor", "int"))
    for scale in (0.1, 1.0, 50.0, -1.0):
        x = torch.ones(2, 3) * scale
        wanted, steps = clipped(x, 4)
        found, taken = staged(x, 4)
        assert torch.equal(found, wanted)
        assert taken == steps


@lms
def halved(x: Any, n: Any) -> Any:
    while (y := x.sum()) > n:
        x = x * 0.5
    return x, y


def test_a_test_of_a_loop_that_does_something() -> None:
    torch = pytest.importorskip("torch")
    staged = stage(halved, backend=torchscript("Tensor", "int"))
    for scale in (0.1, 1.0, 50.0, -1.0):
        x = torch.ones(2, 3) * scale
        assert all(map(torch.equal, staged(x, 4), halved(x, 4)))
