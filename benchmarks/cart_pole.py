"""Table 2 of document 003 (Snek): learning to balance a pole, by PyTorch and by TensorFlow with and
without AutoGraph, and by the same program staged.

    build/frameworks/bin/python benchmarks/cart_pole.py      (make cart-pole makes that Python)

The cart and its pole are equations, and what a policy with one hidden layer of H costs over a
number of moments is differentiated through all of them. The paper's environment is another one, so
that the ratios can be compared, and not the seconds. The variants take turns in a random order;
medians are compared.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

from pinsetter.staging import lms, stage, torchscript
from pinsetter.staging.torch_backend import torch_code

# Seconds in the paper, for H = 10.
PAPER = {"AutoGraph": 0.39, "TensorFlow": 0.91, "PyTorch": 0.56}
BATCH = 32


def cost(x, v, a, w, w1, w2, moments: int):  # type: ignore[no-untyped-def]
    """What a policy costs that begins with a place, a speed, an angle and how fast that changes:
    how far the pole leans, and how far away the cart is."""
    total = x * 0.0
    i = 0
    while i < moments:
        push = (x * w1[0] + v * w1[1] + a * w1[2] + w * w1[3]).tanh() @ w2 * 10.0
        pull = (push + 0.05 * w * w * a.sin()) * 0.909
        turn = (9.8 * a.sin() - a.cos() * pull) / (0.667 - 0.045 * a.cos() * a.cos())
        x = x + 0.02 * v
        v = v + 0.02 * (pull - 0.045 * turn * a.cos())
        a = a + 0.02 * w
        w = w + 0.02 * turn
        total = total + a * a + 0.1 * x * x
        i = i + 1
    return total.mean()


def of_torch(hidden: int, moments: int) -> dict[str, Callable[[], float]]:
    import torch

    torch.set_num_threads(1)
    types = (*("Tensor",) * 6, "int")
    staged = stage(lms(cost), backend=torchscript(*types))
    names: dict[str, Any] = {"torch": torch, "Tensor": torch.Tensor}
    exec(torch_code(staged.code, *types), names)
    functions = {
        "PyTorch": cost, "PyTorch, virtualized": lms(cost), "PyTorch, staged": names["cost"],
        "PyTorch, staged, TorchScript": staged,
    }  # fmt: skip

    def stepper(function: Callable[..., Any]) -> Callable[[], float]:
        torch.manual_seed(0)
        state = (torch.rand(BATCH, 4) * 0.1).split(1, dim=1)
        weights = [
            (torch.randn(*shape) * 0.3).requires_grad_() for shape in ((4, hidden), (hidden, 1))
        ]

        def step() -> float:
            loss = function(*state, *weights, moments)
            loss.backward()
            with torch.no_grad():
                for one in weights:
                    one -= 0.01 * one.grad
                    one.grad = None
            return float(loss.detach())

        return step

    return {name: stepper(function) for name, function in functions.items()}


def of_tensorflow(hidden: int, moments: int) -> dict[str, Callable[[], float]]:
    import tensorflow as tf

    tf.config.threading.set_intra_op_parallelism_threads(1)
    tf.config.threading.set_inter_op_parallelism_threads(1)

    def cost_of(x, v, a, w, w1, w2, moments):  # type: ignore[no-untyped-def]
        total = x * 0.0
        i = moments * 0
        while i < moments:
            push = tf.matmul(tf.tanh(x * w1[0] + v * w1[1] + a * w1[2] + w * w1[3]), w2) * 10.0
            pull = (push + 0.05 * w * w * tf.sin(a)) * 0.909
            turn = (9.8 * tf.sin(a) - tf.cos(a) * pull) / (0.667 - 0.045 * tf.cos(a) * tf.cos(a))
            x = x + 0.02 * v
            v = v + 0.02 * (pull - 0.045 * turn * tf.cos(a))
            a = a + 0.02 * w
            w = w + 0.02 * turn
            total = total + a * a + 0.1 * x * x
            i = i + 1
        return tf.reduce_mean(total)

    def stepper(graph: bool) -> Callable[[], float]:
        tf.random.set_seed(0)
        state = tf.split(tf.random.uniform((BATCH, 4)) * 0.1, 4, axis=1)
        weights = [
            tf.Variable(tf.random.normal(shape) * 0.3) for shape in ((4, hidden), (hidden, 1))
        ]
        # Without a graph the loop counts by Python's own numbers, as a person would write it.
        given = tf.constant(moments) if graph else moments

        def step(moments):  # type: ignore[no-untyped-def]
            with tf.GradientTape() as tape:
                loss = cost_of(*state, *weights, moments)
            for one, by in zip(weights, tape.gradient(loss, weights), strict=True):
                one.assign_sub(0.01 * by)
            return loss

        taken = tf.function(step) if graph else step
        return lambda: float(taken(given))

    return {"AutoGraph": stepper(graph=True), "TensorFlow": stepper(graph=False)}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--hidden", type=int, default=10)
    parser.add_argument("--moments", type=int, default=50)
    given = parser.parse_args()
    steppers: dict[str, Callable[[], float]] = {}
    for name, make in (("torch", of_torch), ("tensorflow", of_tensorflow)):
        try:
            steppers |= make(given.hidden, given.moments)
        except ImportError:
            print(f"there is no {name}; `make cart-pole` installs one in build/frameworks")
    if not steppers:
        return 2
    times: dict[str, list[float]] = {name: [] for name in steppers}
    first: dict[str, float] = {}
    last: dict[str, float] = {}
    luck = random.Random(0)
    for step in range(given.steps):
        for name in luck.sample(list(steppers), len(steppers)):
            begun = time.perf_counter()
            last[name] = steppers[name]()
            if step >= given.steps // 10:  # the first ones compile
                times[name].append(time.perf_counter() - begun)
            first.setdefault(name, last[name])
    assert all(last[name] < first[name] for name in steppers), (first, last)
    medians = {name: statistics.median(taken) for name, taken in times.items()}
    base = medians.get("AutoGraph", min(medians.values()))
    print(f"H = {given.hidden}, {given.moments} moments, {given.steps} steps in random turns")
    print(f"{'Table 2':30} {'median':>10} {'here':>6} {'paper':>6}")
    for name, median in medians.items():
        paper = f"{PAPER[name] / PAPER['AutoGraph']:.2f}" if name in PAPER else ""
        print(f"{name:30} {median * 1000:7.2f} ms {median / base:6.2f} {paper:>6}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
