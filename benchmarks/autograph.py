"""Tables 1 and 2 of document 004 (AutoGraph): a recurrent network over sequences of different
lengths, and a training loop that is part of the graph; each eagerly, written by hand, by
TensorFlow's own AutoGraph, and converted by Pinsetter.

    build/frameworks/bin/python benchmarks/autograph.py      (make autograph makes that Python)

The variants take turns in a random order, and medians are compared; a second copy of the one that
is written by hand says how far two medians of the same differ. The paper's machine is another
one, so that the ratios can be compared, and not the numbers. The data is made up, of the paper's
shapes. Table 3 is in tree_lstm.py.
"""

from __future__ import annotations

import argparse
import random
import statistics
import time
from collections.abc import Callable
from typing import Any

import tensorflow as tf

from pinsetter.staging import convert

# Thousands of examples in a second, 64 steps and 32 examples; steps in a second.
PAPER = {
    "network": {"eager": 0.82, "by hand": 2.95, "AutoGraph": 2.72},
    "training": {"eager": 274, "step as a graph": 484, "by hand": 646, "AutoGraph": 624},
}
HIDDEN, FEATURES, CLASSES, IMAGE, IMAGES = 256, 64, 10, 784, 200


# ---------------------------------------------------------------- table 1


def cell(x: Any, state: Any, weights: Any) -> Any:
    return tf.tanh(tf.matmul(x, weights[0]) + tf.matmul(state, weights[1]) + weights[2])


def network(inputs: Any, state: Any, lengths: Any, weights: Any) -> Any:
    """States of all steps, [steps, batch, HIDDEN], of inputs [batch, steps, FEATURES]."""
    inputs = tf.transpose(inputs, (1, 0, 2))
    outputs = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
    for i in tf.range(tf.reduce_max(lengths)):
        before = state
        state = cell(inputs[i], state, weights)
        state = tf.where(tf.expand_dims(i < lengths, 1), state, before)
        outputs = outputs.write(i, state)
    return outputs.stack()


def network_by_hand(inputs: Any, state: Any, lengths: Any, weights: Any) -> Any:
    inputs = tf.transpose(inputs, (1, 0, 2))
    steps = tf.reduce_max(lengths)
    outputs = tf.TensorArray(tf.float32, size=0, dynamic_size=True)

    def turn(i: Any, state: Any, outputs: Any) -> Any:
        after = cell(inputs[i], state, weights)
        after = tf.where(tf.expand_dims(i < lengths, 1), after, state)
        return i + 1, after, outputs.write(i, after)

    found = tf.while_loop(lambda i, *_: i < steps, turn, (tf.constant(0), state, outputs))
    return found[2].stack()


def networks(steps: int, batch: int) -> dict[str, Callable[[], Any]]:
    inputs = tf.random.normal((batch, steps, FEATURES))
    state = tf.zeros((batch, HIDDEN))
    lengths = tf.random.uniform((batch,), 1, steps + 1, tf.int32)
    shapes = ((FEATURES, HIDDEN), (HIDDEN, HIDDEN), (HIDDEN,))
    weights = [tf.Variable(tf.random.normal(one) * 0.05) for one in shapes]
    given = (inputs, state, lengths)
    functions = {
        "eager": network,
        "by hand": tf.function(network_by_hand, autograph=False),
        "by hand, again": tf.function(network_by_hand, autograph=False),
        "AutoGraph": tf.function(network),
        "Pinsetter": tf.function(convert(network), autograph=False),
    }
    return {name: lambda one=one: one(*given, weights) for name, one in functions.items()}


# ---------------------------------------------------------------- table 2


class Model:
    """A linear one, for made-up images, and what changes it."""

    def __init__(self) -> None:
        self.weights = tf.Variable(tf.zeros((IMAGE, CLASSES)))
        self.bias = tf.Variable(tf.zeros((CLASSES,)))
        self.images = tf.random.normal((IMAGES, IMAGE))
        self.labels = tf.random.uniform((IMAGES,), 0, CLASSES, tf.int32)

    def step(self) -> Any:
        with tf.GradientTape() as tape:
            found = tf.matmul(self.images, self.weights) + self.bias
            loss = tf.reduce_mean(
                tf.nn.sparse_softmax_cross_entropy_with_logits(self.labels, found)
            )
        of_weights, of_bias = tape.gradient(loss, (self.weights, self.bias))
        self.weights.assign_sub(0.01 * of_weights)
        self.bias.assign_sub(0.01 * of_bias)
        return loss


def training(model: Model, steps: Any) -> Any:
    loss = 0.0
    i = 0
    while i < steps:
        loss = model.step()
        i += 1
    return loss


def training_by_hand(model: Model, steps: Any) -> Any:
    def turn(i: Any, _: Any) -> Any:
        return i + 1, model.step()

    return tf.while_loop(lambda i, _: i < steps, turn, (tf.constant(0), tf.constant(0.0)))[1]


def trainings(steps: int) -> dict[str, Callable[[], Any]]:
    model = Model()
    one_step = tf.function(model.step, autograph=False)

    def with_steps() -> Any:
        for _ in range(steps):
            loss = one_step()
        return loss

    by_hand, again = (tf.function(training_by_hand, autograph=False) for _ in range(2))
    own, converted = tf.function(training), tf.function(convert(training), autograph=False)
    count = tf.constant(steps)
    return {
        "eager": lambda: training(model, steps),
        "step as a graph": with_steps,
        "by hand": lambda: by_hand(model, count),
        "by hand, again": lambda: again(model, count),
        "AutoGraph": lambda: own(model, count),
        "Pinsetter": lambda: converted(model, count),
    }


# ---------------------------------------------------------------- measuring


def medians(
    variants: dict[str, Callable[[], Any]], rounds: int, skip: str = ""
) -> dict[str, float]:
    """Seconds, of turns in random order; the first two of each do not count."""
    variants = {name: one for name, one in variants.items() if name != skip}
    taken: dict[str, list[float]] = {name: [] for name in variants}
    for number in range(rounds + 2):
        names = list(variants)
        random.shuffle(names)
        for name in names:
            begin = time.perf_counter()
            found = variants[name]()
            tf.nest.map_structure(lambda one: one.numpy(), found)
            if number > 1:
                taken[name].append(time.perf_counter() - begin)
    return {name: statistics.median(one) for name, one in taken.items()}


def told(title: str, found: dict[str, float], unit: float, paper: dict[str, float]) -> None:
    print(f"\n{title}\n{'':18}{'here':>10}{'to by hand':>12}{'paper':>10}{'to by hand':>12}")
    for name, seconds in found.items():
        row = f"{name:18}{unit / seconds:10.2f}{found['by hand'] / seconds:12.3f}"
        if name in paper:
            row += f"{paper[name]:10.2f}{paper[name] / paper['by hand']:12.3f}"
        print(row)


def main() -> None:
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n\n")[0])
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--without-eager", action="store_true", help="it takes most of the time")
    given = parser.parse_args()
    tf.config.threading.set_intra_op_parallelism_threads(given.threads)
    tf.config.threading.set_inter_op_parallelism_threads(given.threads)
    random.seed(1)
    tf.random.set_seed(1)
    skip = "eager" if given.without_eager else ""
    for steps, batch in ((64, 32), (128, 64)):
        found = medians(networks(steps, batch), given.rounds, skip)
        title = f"Thousands of examples in a second, {steps} steps, {batch} examples"
        paper = PAPER["network"] if (steps, batch) == (64, 32) else {}
        told(title, found, batch / 1000, paper)
    steps = 100
    told("Training steps in a second", medians(trainings(steps), given.rounds, skip), steps,
         PAPER["training"])  # fmt: skip


if __name__ == "__main__":
    main()
