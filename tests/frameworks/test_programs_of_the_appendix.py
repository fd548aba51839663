"""What `make autograph` measures of the appendix, of small shapes: a graph gives what eager
execution gives, also where it ends early."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

np = pytest.importorskip("numpy")
tf = pytest.importorskip("tensorflow")
sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))

import autograph_appendix as appendix  # noqa: E402


def converted(variants: dict[str, Any]) -> Any:
    """What it gives, which must be what eager execution gives."""
    names = variants.keys() & {"eager", "by hand", "Pinsetter"}
    return appendix.check_same({name: variants[name] for name in names})["Pinsetter"]


@pytest.mark.parametrize(("end_bias", "words_said"), [(appendix.NEVER, 6), (20.0, 0)])
def test_beam_search(end_bias: float, words_said: int) -> None:
    sentences, scores = converted(appendix.beam_searches(12, 6, hidden=4, end_bias=end_bias))
    assert int(tf.math.count_nonzero(sentences[0])) == words_said
    assert list(scores) == sorted(scores, reverse=True)


@pytest.mark.parametrize(("turns", "taken"), [(25, 25), (500, None)])
def test_lbfgs(turns: int, taken: int | None) -> None:
    """More turns than the history has; and it ends by itself."""
    _, loss, found = converted(appendix.lbfgs_runs(4, pixels=6, hidden=3, turns=turns))
    assert found == taken if taken else found < turns
    assert loss < 0.1


def test_maml() -> None:
    variants = appendix.maml_runs(2, tasks=3, hidden=4, steps=2)
    converted(variants)
    learners = [variants[name].args[0] for name in ("eager", "Pinsetter")]
    for one, other in zip(*(learner.weights for learner in learners), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("forced", [True, False])
@pytest.mark.parametrize("end_bias", [appendix.NEVER, 20.0])
def test_sequence_to_sequence(forced: bool, end_bias: float) -> None:
    """Words of a target never end a sentence, and words that were said may."""
    words, _ = converted(appendix.translations(3, 5, forced, words=8, hidden=4, end_bias=end_bias))
    assert words.shape == (5, 3)
    assert bool(tf.reduce_any(words != appendix.END)) == (end_bias < 0)
