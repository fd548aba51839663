"""Table 1 of document 003 (Snek): a network's training step, plain, virtualized and staged.

    build/torch/bin/python benchmarks/snek.py --steps 400        (make test-torch makes that Python)

The same program and data of the shape of MNIST, made by chance; the variants take turns, step by
step, and medians are compared. Table 2 is in cart_pole.py.
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

# What the paper has: how much longer than PyTorch as it is, in percent.
PAPER = {"virtualized": 1.30, "staged": -2.10, "TorchScript": 5.2, "staged, TorchScript": 3.9}


def forward(x, w1, b1, w2, b2, layers: int):  # type: ignore[no-untyped-def]
    """Two linear layers, and between them as many turns of a third operation as are asked for."""
    x = x.view(-1, 784)
    x = (x @ w1 + b1).relu()
    i = 0
    while i < layers:
        if i % 2 == 0:
            x = x * 0.5 + x * 0.5
        else:
            x = x - x * 0.0
        i += 1
    return (x @ w2 + b2).log_softmax(1)


def variants(torch: Any) -> dict[str, Callable[..., Any]]:
    virtualized = lms(forward)
    types = ("Tensor", "Tensor", "Tensor", "Tensor", "Tensor", "int")
    staged = stage(virtualized, backend=torchscript(*types))
    names: dict[str, Any] = {"torch": torch, "Tensor": torch.Tensor}
    exec(torch_code(staged.code, *types), names)
    return {
        "plain": forward, "plain, again": forward, "virtualized": virtualized,
        "staged": names["forward"], "TorchScript": torch.jit.script(forward),
        "staged, TorchScript": staged,
    }  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=400)
    parser.add_argument("--layers", type=int, default=4)
    given = parser.parse_args()
    try:
        import torch
    except ImportError:
        print("there is no torch; `make test-torch` installs one in build/torch")
        return 2
    torch.manual_seed(0)
    torch.set_num_threads(1)
    data, labels = torch.rand(64, 1, 28, 28), torch.randint(0, 10, (64,))

    def parameters() -> list[Any]:
        torch.manual_seed(1)
        shapes = [(784, 50), (50,), (50, 10), (10,)]
        return [(torch.randn(*shape) * 0.05).requires_grad_() for shape in shapes]

    functions = variants(torch)
    weights = {name: parameters() for name in functions}
    times: dict[str, list[float]] = {name: [] for name in functions}
    losses: dict[str, float] = {}
    luck = random.Random(0)
    for step in range(given.steps):
        # What a variant finds in the caches is what the one before it has left there.
        for name in luck.sample(list(functions), len(functions)):
            function = functions[name]
            own = weights[name]
            begun = time.perf_counter()
            loss = torch.nn.functional.nll_loss(function(data, *own, given.layers), labels)
            loss.backward()
            with torch.no_grad():
                for one in own:
                    one -= 0.05 * one.grad
                    one.grad = None
            if step >= given.steps // 10:  # the first ones compile
                times[name].append(time.perf_counter() - begun)
            losses[name] = float(loss.detach())
    assert len({round(one, 4) for one in losses.values()}) == 1, losses
    plain = statistics.median(times["plain"])
    print(f"torch {torch.__version__}, {given.steps} steps in turns, loss {losses['plain']:.4f}")
    print(f"{'Table 1':22} {'median':>9} {'here':>8} {'paper':>8}")
    for name, taken in times.items():
        median = statistics.median(taken)
        paper = f"{PAPER[name]:+.1f} %" if name in PAPER else ""
        here = f"{100 * (median / plain - 1):+.1f} %" if name != "plain" else ""
        print(f"{name:22} {median * 1000:6.3f} ms {here:>8} {paper:>8}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
