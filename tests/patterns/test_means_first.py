"""Rules whose first condition is what a call means: other calls are told from these by a word."""

from __future__ import annotations

import pytest
from snippets import rewritten

WHERE = [{"means": ["$f", "numpy.save"]}]


def found(code: str, match: str = "$f($...args)") -> int:
    rule = {"match": match, "where": WHERE, "edit": {"wrap": "$match", "with": "same($it)"}}
    return rewritten(f"import numpy as np\n{code}", **rule).count("same(")


@pytest.mark.parametrize(
    "code",
    [
        "np.load(a)\n",
        "save(a)\n",
        "a.save(a)\n",
        "def save(a):\n    pass\nsave(a)\n",
        "load = np.load\nload(np.save)\n",
        "np.save\n",
    ],
)
def test_other_calls(code: str) -> None:
    assert not found(code)


@pytest.mark.parametrize(
    "code",
    [
        "np.save(a)\n",
        "from numpy import save\nsave(a)\n",
        "from numpy import save as keep\nkeep(a)\n",
        "keep = np.save\nkeep(a)\n",
        "class A:\n    keep = np.save\nA.keep(a)\n",
        "getattr(np, 'save')(a)\n",
    ],
)
def test_by_whatever_name(code: str) -> None:
    assert found(code) == 1


def test_several_calls_in_one_chain() -> None:
    assert found("np.load(np.save(a))(np.save(b))\n") == 2
