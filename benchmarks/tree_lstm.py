"""Table 3 of document 004 (AutoGraph): training a TreeLSTM, a function that calls itself along the
tree of a sentence, by PyTorch and as a staged program in C with derivatives.

    build/frameworks/bin/python benchmarks/tree_lstm.py      (make autograph makes that Python)

The paper compiles by Lantern; here it is Pinsetter's own back end of the same kind, continuations
in C. Both variants run the same functions, below, on the same trees, one tree a step, with Adagrad;
their losses are compared first. They take turns, tree by tree, and medians of whole passes are
compared. Without ``--trees``, a file of trees as the Stanford Sentiment Treebank has them, the
sentences are made up: of 19 words on average, as in its part for development, in random trees.
"""

from __future__ import annotations

import argparse
import random
import re
import statistics
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

from pinsetter.staging import gradient, lms, rep_fun, stage
from pinsetter.staging.maths import exp, log, sigmoid, sum_, tanh

PAPER = {"PyTorch": 15.41, "Pinsetter, C": 36.75}
STATE, EMBEDDING, CLASSES, RATE = 150, 300, 5, 0.05
# Of leaves: input, output and update; of other nodes: input, one forget gate for each side, ….
LEAF = ("input", "output", "update")
NODE = ("input", "forget left", "forget right", "output", "update")

Tree = tuple[list[int], list[int], list[int], list[int]]
Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


def model(decorate: Decorator, cross_entropy: Callable[..., Any]) -> Callable[..., Any]:
    """The loss of a tree: of words [words, EMBEDDING], weights, and per node its word (-1 where it
    has none), class, left and right."""

    def loss_of(  # type: ignore[no-untyped-def]
        words, wi, bi, wo, bo, wu, bu, li, ri, ci, lf, rf, cf, lg, rg, cg, lo, ro, co, lu, ru, cu,
        wy, by, word, label, left, right,
    ):  # fmt: skip
        @decorate
        def node(at):  # type: ignore[no-untyped-def]
            if word[at] >= 0:
                x = words[word[at]]
                cell = sigmoid(wi @ x + bi) * tanh(wu @ x + bu)
                state = sigmoid(wo @ x + bo) * tanh(cell)
                below = 0.0
            else:
                one = node(left[at])
                other = node(right[at])
                h, k = one[1], other[1]
                cell = (
                    sigmoid(li @ h + ri @ k + ci) * tanh(lu @ h + ru @ k + cu)
                    + sigmoid(lf @ h + rf @ k + cf) * one[2]
                    + sigmoid(lg @ h + rg @ k + cg) * other[2]
                )
                state = sigmoid(lo @ h + ro @ k + co) * tanh(cell)
                below = one[0] + other[0]
            return below + cross_entropy(wy @ state + by, label[at]), state, cell

        return node(0)[0]

    return loss_of


def weights(of: random.Random) -> list[Any]:
    """Arrays, in the order in which the loss takes them."""
    draw = np.random.default_rng(of.randrange(1 << 30))
    shapes: list[tuple[int, ...]] = [(STATE, EMBEDDING), (STATE,)] * len(LEAF)
    shapes += [(STATE, STATE), (STATE, STATE), (STATE,)] * len(NODE)
    shapes += [(CLASSES, STATE), (CLASSES,)]
    return [(draw.standard_normal(shape) * 0.01).astype("float32") for shape in shapes]


class Staged:
    """The program in C, and Adagrad by NumPy."""

    def __init__(self, words: Any, start: Sequence[Any]) -> None:
        def cross_entropy(scores: Any, label: Any) -> Any:
            return log(sum_(exp(scores))) - scores[label]

        program = stage(model(lambda f: rep_fun(lms(f)), cross_entropy)).code
        kinds = ["matrix", *("matrix" if one.ndim == 2 else "vector" for one in start)]
        self.gradient = gradient(program, (*kinds, *["vector"] * 4), single=True)
        self.words, self.weights = words, [one.copy() for one in start]
        self.squares = [np.zeros_like(one) for one in start]

    def step(self, tree: Tree) -> float:
        loss, slopes = self.gradient(self.words, *self.weights, *tree)
        for weight, square, slope in zip(self.weights, self.squares, slopes[1:], strict=False):
            square += slope * slope
            weight -= RATE * slope / (np.sqrt(square) + 1e-10)
        return float(loss)


class Eager:
    """The same, by PyTorch."""

    def __init__(self, words: Any, start: Sequence[Any]) -> None:
        self.loss = model(lambda function: function, torch.nn.functional.cross_entropy)
        self.words = torch.from_numpy(words)
        self.weights = [torch.nn.Parameter(torch.from_numpy(one.copy())) for one in start]
        self.optimizer = torch.optim.Adagrad(self.weights, lr=RATE)

    def step(self, tree: Tree) -> float:
        word, label, left, right = tree
        self.optimizer.zero_grad()
        loss = self.loss(self.words, *self.weights, word, torch.tensor(label), left, right)
        loss.backward()
        self.optimizer.step()
        return loss.item()


# ---------------------------------------------------------------- trees


def read_trees(text: str) -> tuple[list[Tree], int]:
    """Trees, written as ``(3 (2 good) (2 film))``, and how many words they have."""
    known: dict[str, int] = {}
    trees = []
    for line in text.splitlines():
        tree: Tree = ([], [], [], [])
        _read(re.findall(r"[()]|[^\s()]+", line), 0, tree, known)
        trees.append(tree)
    return trees, len(known)


def _read(tokens: list[str], at: int, tree: Tree, known: dict[str, int]) -> int:
    """Behind the node that begins at a token."""
    word, label, left, right = tree
    own = len(word)
    label.append(int(tokens[at + 1]))
    for one in (word, left, right):
        one.append(-1)
    at += 2
    if tokens[at] != "(":
        word[own] = known.setdefault(tokens[at], len(known))
        return at + 2
    for side in (left, right):
        side[own] = len(word)
        at = _read(tokens, at, tree, known)
    return at + 1


def made_up(of: random.Random, count: int) -> str:
    def tree(words: int) -> str:
        if words == 1:
            return f"({of.randrange(CLASSES)} w{of.randrange(4000)})"
        first = of.randrange(1, words)
        return f"({of.randrange(CLASSES)} {tree(first)} {tree(words - first)})"

    return "\n".join(tree(of.randrange(2, 37)) for _ in range(count))


# ---------------------------------------------------------------- measuring


def main() -> None:
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n\n")[0])
    parser.add_argument("--trees", type=Path, help="one tree a line")
    parser.add_argument("--count", type=int, default=200, help="how many trees")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=1)
    given = parser.parse_args()
    torch.set_num_threads(given.threads)
    of = random.Random(1)
    text = given.trees.read_text() if given.trees else made_up(of, given.count)
    trees, count = read_trees(text)
    trees = trees[: given.count]
    draw = np.random.default_rng(2)
    words = draw.standard_normal((count, EMBEDDING)).astype("float32")
    start = weights(of)
    variants = {"PyTorch": Eager(words, start), "Pinsetter, C": Staged(words, start)}
    losses: dict[str, list[float]] = {name: [] for name in variants}
    taken: dict[str, list[float]] = {name: [] for name in variants}
    for _ in range(given.rounds):
        sums = dict.fromkeys(variants, 0.0)
        for tree in trees:
            for name in of.sample([*variants], len(variants)):
                begin = time.perf_counter()
                losses[name].append(variants[name].step(tree))
                sums[name] += time.perf_counter() - begin
        for name, seconds in sums.items():
            taken[name].append(seconds)
    apart = np.abs(np.subtract(*losses.values())) / np.abs(losses["PyTorch"])
    nodes = statistics.mean(len(tree[0]) for tree in trees)
    print(f"{len(trees)} trees of {nodes:.1f} nodes; losses differ by {apart.max():.1e} at most")
    first = statistics.median(taken["PyTorch"])
    print(
        f"\n{'steps in a second':18}{'here':>10}{'to PyTorch':>12}{'paper':>10}{'to PyTorch':>12}"
    )
    for name, seconds in taken.items():
        middle = statistics.median(seconds)
        print(f"{name:18}{len(trees) / middle:10.2f}{first / middle:12.2f}{PAPER[name]:10.2f}"
              f"{PAPER[name] / PAPER['PyTorch']:12.2f}")  # fmt: skip


if __name__ == "__main__":
    main()
