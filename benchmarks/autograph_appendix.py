"""The appendix of document 004 (AutoGraph): beam search, L-BFGS, MAML, and sequence to sequence,
each eagerly, by TensorFlow's own AutoGraph, and converted by Pinsetter; beam search also by hand.

    build/frameworks/bin/python benchmarks/autograph_appendix.py       (make autograph runs it, too)
    build/frameworks/bin/python benchmarks/autograph_appendix.py beam-search maml --rounds 10

One function is run in all of these ways, and all must give the same before anything is measured.
The variants take turns in a random order, and medians are compared; a second copy of AutoGraph's
says how far two medians of the same differ. Shapes are those of the authors' own programs
(tensorflow/autograph, examples/sysml2019), some of them; the data is made up. The paper says how
many times faster than eager execution AutoGraph is, on another machine.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
import tensorflow as tf
from autograph import cell, medians

from pinsetter.staging import convert

END, EMBEDDING, BEAMS = 0, 50, 5
NEVER = -1e9

Variants = dict[str, Callable[[], Any]]
COLUMNS = ("by hand", "AutoGraph", "again", "Pinsetter")


def variants(program: Any, given: Callable[[], tuple[Any, ...]], by_hand: Any = None) -> Variants:
    """Each has arguments of its own, which `given` makes of the same random numbers."""
    functions = {
        "eager": program,
        "AutoGraph": tf.function(program),
        "again": tf.function(program),
        "Pinsetter": tf.function(convert(program, recursive=True), autograph=False),
    }
    if by_hand is not None:
        functions["by hand"] = tf.function(by_hand, autograph=False)
    found: Variants = {}
    for name, function in functions.items():
        tf.random.set_seed(1)
        found[name] = partial(function, *given())
    return found


def check_same(variants: Variants) -> dict[str, Any]:
    """What each gives when it is called once."""
    found = {name: one() for name, one in variants.items()}
    expected = tf.nest.flatten(found["eager"])
    assert all(np.all(np.isfinite(one)) for one in expected), f"eager gives {expected}"
    for name, values in found.items():
        for value, wanted in zip(tf.nest.flatten(values), expected, strict=True):
            np.testing.assert_allclose(value, wanted, rtol=1e-3, atol=1e-5, err_msg=name)
    return found


class Language:
    """A recurrent network that reads words, and says how likely each is to be the next."""

    def __init__(self, words: int, hidden: int, end_bias: float) -> None:
        shapes = ((EMBEDDING, hidden), (hidden, hidden), (hidden,))
        self.words, self.hidden = words, hidden
        self.embedding = tf.Variable(tf.random.normal((words, EMBEDDING)))
        self.weights = [tf.Variable(tf.random.normal(shape) * 0.1) for shape in shapes]
        self.out = tf.Variable(tf.random.normal((hidden, words)))
        self.bias = tf.Variable(tf.one_hot(END, words) * end_bias)

    def read(self, word: Any, state: Any) -> Any:
        """The state [batch, hidden] behind a word [batch]."""
        return cell(tf.gather(self.embedding, word), state, self.weights)

    def logits(self, state: Any) -> Any:
        return tf.matmul(state, self.out) + self.bias


# ---------------------------------------------------------------- beam search


def best(language: Language, state: Any, scores: Any, done: Any) -> tuple[Any, Any, Any]:
    """Scores, beams and words of the BEAMS best continuations; what is done only ends again."""
    likely = tf.nn.log_softmax(language.logits(state))
    only_end = tf.one_hot(END, language.words, 0.0, NEVER)
    likely = tf.where(done[:, tf.newaxis], only_end, likely)
    scores, at = tf.math.top_k(tf.reshape(scores[:, tf.newaxis] + likely, (-1,)), BEAMS)
    return scores, at // language.words, at % language.words


def beam_search(language: Language, length: int) -> tuple[Any, Any]:
    """The most likely sentences [BEAMS, length], and their scores [BEAMS]."""
    state = tf.zeros((BEAMS, language.hidden))
    scores = tf.one_hot(0, BEAMS, 0.0, NEVER)
    sentences = tf.zeros((BEAMS, length), tf.int32)
    word = tf.fill((BEAMS,), END)
    done = tf.fill((BEAMS,), False)
    for i in tf.range(length):
        state = language.read(word, state)
        scores, beam, word = best(language, state, scores, done)
        state = tf.gather(state, beam)
        sentences = tf.gather(sentences, beam)
        sentences += word[:, tf.newaxis] * tf.one_hot(i, length, dtype=tf.int32)
        done = tf.gather(done, beam) | (word == END)
        if tf.reduce_all(done):
            break
    return sentences, scores


def beam_search_by_hand(language: Language, length: int) -> tuple[Any, Any]:
    def going(i: Any, state: Any, scores: Any, sentences: Any, word: Any, done: Any) -> Any:
        return (i < length) & ~tf.reduce_all(done)

    def turn(i: Any, state: Any, scores: Any, sentences: Any, word: Any, done: Any) -> Any:
        state = language.read(word, state)
        scores, beam, word = best(language, state, scores, done)
        sentences = tf.gather(sentences, beam)
        sentences += word[:, tf.newaxis] * tf.one_hot(i, length, dtype=tf.int32)
        done = tf.gather(done, beam) | (word == END)
        return i + 1, tf.gather(state, beam), scores, sentences, word, done

    begin = (
        tf.constant(0), tf.zeros((BEAMS, language.hidden)), tf.one_hot(0, BEAMS, 0.0, NEVER),
        tf.zeros((BEAMS, length), tf.int32), tf.fill((BEAMS,), END), tf.fill((BEAMS,), False),
    )  # fmt: skip
    found = tf.while_loop(going, turn, begin)
    return found[3], found[2]


def beam_searches(words: int, length: int, hidden: int = 256, end_bias: float = NEVER) -> Variants:
    """With the usual bias no sentence ends, so that all are as long."""
    given = lambda: (Language(words, hidden, end_bias), length)  # noqa: E731
    return variants(beam_search, given, beam_search_by_hand)


# ---------------------------------------------------------------- L-BFGS

HISTORY, TOLERANCE = 10, 1e-7


def dot(x: Any, y: Any) -> Any:
    return tf.reduce_sum(x * y)


def loss_and_slope(x: Any, images: Any) -> tuple[Any, Any]:
    """Of an autoencoder of one layer, x [pixels * hidden], for images [batch, pixels]."""
    with tf.GradientTape() as tape:
        tape.watch(x)
        weights = tf.reshape(x, (images.shape[1], -1))
        hidden = tf.sigmoid(tf.matmul(images, weights))
        found = tf.sigmoid(tf.matmul(hidden, weights, transpose_b=True))
        loss = tf.reduce_mean((found - images) ** 2)
    return loss, tape.gradient(loss, x)


def way_down(slope: Any, steps: Any, changes: Any, kept: Any, scale: Any) -> Any:
    """The two loops: the last HISTORY of the steps, and what they changed of the slope."""
    first = tf.maximum(kept - HISTORY, 0)
    parts = tf.TensorArray(tf.float32, HISTORY, clear_after_read=False, element_shape=())
    way = -slope
    for i in tf.range(kept - 1, first - 1, -1):
        step, change = steps.read(i % HISTORY), changes.read(i % HISTORY)
        part = dot(step, way) / dot(step, change)
        parts = parts.write(i % HISTORY, part)
        way -= part * change
    way *= scale
    for i in tf.range(first, kept):
        step, change = steps.read(i % HISTORY), changes.read(i % HISTORY)
        way += (parts.read(i % HISTORY) - dot(change, way) / dot(step, change)) * step
    return way


def lbfgs(x: Any, images: Any, turns: int) -> tuple[Any, Any, Any]:
    """Where it ends, the loss there, and the turns that it took."""
    loss, slope = loss_and_slope(x, images)
    steps, changes = (
        tf.TensorArray(tf.float32, HISTORY, clear_after_read=False, element_shape=x.shape)
        for _ in range(2)
    )
    step = -slope * tf.minimum(1.0, 1.0 / tf.reduce_sum(tf.abs(slope)))
    scale = 1.0
    kept = turn = 0
    while turn < turns and tf.reduce_max(tf.abs(slope)) > TOLERANCE:
        turn += 1
        loss_before, slope_before = loss, slope
        x += step
        loss, slope = loss_and_slope(x, images)
        if tf.abs(loss - loss_before) < TOLERANCE:
            break
        change = slope - slope_before
        curvature = dot(change, step)
        if curvature > 1e-10:
            steps = steps.write(kept % HISTORY, step)
            changes = changes.write(kept % HISTORY, change)
            scale = curvature / dot(change, change)
            kept += 1
        step = way_down(slope, steps, changes, kept, scale)
        if dot(slope, step) > -TOLERANCE:
            break
    return x, loss, tf.identity(turn)


def lbfgs_runs(batch: int, pixels: int = 784, hidden: int = 100, turns: int = 20) -> Variants:
    def given() -> tuple[Any, ...]:
        return (
            tf.random.normal((pixels * hidden,)) * 0.05,
            tf.random.uniform((batch, pixels)),
            turns,
        )

    return variants(lbfgs, given)


# ---------------------------------------------------------------- MAML

RATE, EXAMPLES = 1e-3, 10


class Learner:
    """What is learned of sinusoids, and what learns it."""

    def __init__(self, hidden: int) -> None:
        sizes = (1, hidden, hidden, 1)
        self.weights = []
        for before, after in pairwise(sizes):
            self.weights.append(tf.Variable(tf.random.normal((before, after)) * 0.1))
            self.weights.append(tf.Variable(tf.zeros((after,))))
        self.optimizer = tf.keras.optimizers.Adam(RATE)
        self.optimizer.build(self.weights)


def error(x: Any, y: Any, weights: Any) -> Any:
    for i in range(0, len(weights) - 2, 2):
        x = tf.nn.relu(tf.matmul(x, weights[i]) + weights[i + 1])
    return tf.reduce_mean((tf.matmul(x, weights[-2]) + weights[-1] - y) ** 2)


def adapted(x: Any, y: Any, weights: Any, steps: Any) -> Any:
    for _ in tf.range(steps):
        with tf.GradientTape() as tape:
            tape.watch(weights)
            loss = error(x, y, weights)
        slopes = tape.gradient(loss, weights)
        weights = tf.nest.map_structure(lambda one, slope: one - RATE * slope, weights, slopes)
    return weights


def maml(learner: Learner, xs: Any, ys: Any, steps: Any) -> Any:
    """The last error, of xs and ys [meta-steps, tasks, 2 * EXAMPLES, 1]: the first EXAMPLES of a
    task are for steps of learning, and the others for the error behind these."""
    mean = 0.0
    for i in tf.range(len(xs)):
        x, y = xs[i], ys[i]
        with tf.GradientTape() as tape:
            total = 0.0
            for task in tf.range(len(x)):
                begin = [tf.identity(one) for one in learner.weights]
                weights = adapted(x[task, :EXAMPLES], y[task, :EXAMPLES], begin, steps)
                total += error(x[task, EXAMPLES:], y[task, EXAMPLES:], weights)
            mean = total / float(len(x))
        slopes = tape.gradient(mean, learner.weights)
        # AutoGraph's zip knows no `strict`.
        learner.optimizer.apply_gradients(zip(slopes, learner.weights))  # noqa: B905
    return mean


def maml_runs(meta_steps: int, tasks: int = 25, hidden: int = 40, steps: int = 1) -> Variants:
    def given() -> tuple[Any, ...]:
        x = tf.random.uniform((meta_steps, tasks, 2 * EXAMPLES, 1), -5.0, 5.0)
        height = tf.random.uniform((meta_steps, tasks, 1, 1), 0.1, 5.0)
        phase = tf.random.uniform((meta_steps, tasks, 1, 1), 0.0, np.pi)
        return Learner(hidden), x, height * tf.sin(x - phase), tf.constant(steps)

    return variants(maml, given)


# ---------------------------------------------------------------- sequence to sequence


def translate(language: Language, source: Any, lengths: Any, target: Any, forced: Any) -> Any:
    """Words [steps, batch], and the mean loss, of source and target [batch, steps]; forced, a
    truth: the words of the target are read instead of those that were said."""
    state = tf.zeros((len(source), language.hidden))
    for i in tf.range(tf.reduce_max(lengths)):
        after = language.read(source[:, i], state)
        state = tf.where(i < lengths[:, tf.newaxis], after, state)
    said = tf.TensorArray(tf.int32, target.shape[1], element_shape=(len(source),))
    loss = 0.0
    word = tf.fill((len(source),), END)
    done = tf.fill((len(source),), False)
    for i in tf.range(target.shape[1]):
        state = language.read(word, state)
        logits = language.logits(state)
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(target[:, i], logits)
        loss += tf.reduce_mean(tf.where(done, 0.0, losses))
        word = tf.where(done, END, tf.argmax(logits, 1, tf.int32))
        said = said.write(i, word)
        if forced:
            word = target[:, i]
        done |= word == END
        if tf.reduce_all(done):
            break
    return said.stack(), loss


def translations(
    batch: int, steps: int, forced: bool, words: int = 1000, hidden: int = 256,
    end_bias: float = NEVER,
) -> Variants:  # fmt: skip
    def given() -> tuple[Any, ...]:
        source, target = (tf.random.uniform((batch, steps), 1, words, tf.int32) for _ in range(2))
        lengths = tf.random.uniform((batch,), steps // 2, steps + 1, tf.int32)
        language = Language(words, hidden, end_bias)
        return language, source, lengths, target, tf.constant(forced)

    return variants(translate, given)


# ---------------------------------------------------------------- measuring


def beam_search_rows() -> Iterator[tuple[str, str, Variants]]:
    for words in (1000, 10000):
        for length in (10, 40):
            title = f"beam search, {words} words, length {length}"
            yield title, "2 to 3.2", beam_searches(words, length)


def lbfgs_rows() -> Iterator[tuple[str, str, Variants]]:
    for batch in (10, 100):
        yield f"L-BFGS, batch of {batch}", "about 2", lbfgs_runs(batch)


def maml_rows() -> Iterator[tuple[str, str, Variants]]:
    yield "MAML, one meta-step", "1.9", maml_runs(1)
    yield "MAML, ten meta-steps", "2.7", maml_runs(10)


def seq2seq_rows() -> Iterator[tuple[str, str, Variants]]:
    for batch, steps in ((32, 64), (128, 128)):
        for forced in (True, False):
            how = "teacher" if forced else "no teacher"
            title = f"seq2seq, batch of {batch}, length {steps}, {how}"
            yield title, "1.18 to 3.05", translations(batch, steps, forced)


ROWS = {
    "beam-search": beam_search_rows, "lbfgs": lbfgs_rows, "maml": maml_rows,
    "seq2seq": seq2seq_rows,
}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(ROWS)}")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--threads", type=int, default=1)
    given = parser.parse_args()
    if unknown := set(given.names) - set(ROWS):
        parser.error(f"no benchmark: {', '.join(sorted(unknown))}")
    tf.config.threading.set_intra_op_parallelism_threads(given.threads)
    tf.config.threading.set_inter_op_parallelism_threads(given.threads)
    random.seed(1)
    print(f"{'Times faster than eager':48}{'eager, ms':>10}", end="")
    print("".join(f"{column:>11}" for column in COLUMNS), f"{'paper':>13}")
    for name in given.names or ROWS:
        for title, paper, one in ROWS[name]():
            check_same(one)
            found = medians(one, given.rounds)
            row = f"{title:48}{found['eager'] * 1000:10.1f}"
            for column in COLUMNS:
                row += f"{found['eager'] / found[column]:11.2f}" if column in found else f"{'':11}"
            print(row, f"{paper:>13}", flush=True)


if __name__ == "__main__":
    main()
