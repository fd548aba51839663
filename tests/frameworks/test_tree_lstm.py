"""A TreeLSTM as a program in C learns what it learns in PyTorch (benchmarks/tree_lstm.py)."""

from __future__ import annotations

import random
import sys
from pathlib import Path
from shutil import which
from typing import Any

import pytest

torch = pytest.importorskip("torch")
numpy = pytest.importorskip("numpy")
pytestmark = pytest.mark.skipif(which("cc") is None, reason="there is no C compiler")

sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))
from tree_lstm import EMBEDDING, Eager, Staged, made_up, read_trees, weights  # noqa: E402

from pinsetter.staging import gradient, interpret, stage  # noqa: E402
from pinsetter.staging.maths import exp, log, relu, sigmoid, sum_, tanh  # noqa: E402


def test_losses_and_derivatives_are_those_of_pytorch() -> None:
    of = random.Random(3)
    trees, count = read_trees(made_up(of, 6))
    words = numpy.random.default_rng(3).standard_normal((count, EMBEDDING)).astype("float32")
    start = weights(of)
    eager, staged = Eager(words, start), Staged(words, start)
    for word, label, left, right in trees:
        loss = eager.loss(eager.words, *eager.weights, word, torch.tensor(label), left, right)
        slopes = torch.autograd.grad(loss, eager.weights, allow_unused=True)
        value, found = staged.gradient(words, *start, word, label, left, right)
        assert value == pytest.approx(loss.item(), rel=1e-5)
        for one, other in zip(found[1:], slopes, strict=False):
            wanted = numpy.zeros_like(one) if other is None else other.numpy()
            assert numpy.abs(one - wanted).max() < 1e-5
    assert staged.step(trees[0]) == pytest.approx(eager.step(trees[0]), rel=1e-5)


def test_a_tree_is_read() -> None:
    trees, count = read_trees("(3 (2 good) (1 (2 good) (0 film)))\n(4 so)")
    assert count == 3
    assert trees[0] == ([-1, 0, -1, 0, 1], [3, 2, 1, 2, 0], [1, -1, 3, -1, -1], [2, -1, 4, -1, -1])
    assert trees[1] == ([2], [4], [-1], [-1])


def some(w: Any, x: Any) -> Any:
    return sum_(tanh(w @ x) * sigmoid(x) + relu(w[0])) + log(sum_(exp(x))) + x @ x


def test_arrays_of_numpy_are_what_the_interpreter_takes() -> None:
    draw = numpy.random.default_rng(4)
    w, x = draw.standard_normal((4, 4)), draw.standard_normal(4)
    code = stage(some).code
    wanted = some(*map(torch.from_numpy, (w, x))).item()
    assert interpret(code, w, x) == pytest.approx(wanted)
    assert some(w, x) == pytest.approx(wanted)
    assert gradient(code, ("matrix", "vector"))(w, x)[0] == pytest.approx(wanted)
