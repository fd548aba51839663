"""A review of 10,000 hunks: what a key costs, and what memory it takes."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping

import pytest
from commands import REPOSITORY, run

LIMIT_MS, LIMIT_MB = 50, 500
# A and D decide all hunks of a rule, here 2,000 of them.
ONE_HUNK = set("yn+-/JKjkgsu")


def test_a_key_is_answered_at_once_among_ten_thousand_hunks() -> None:
    benchmark = REPOSITORY / "benchmarks" / "review.py"
    result = run(
        "--hunks", "10000", "--lines", "60", command=[sys.executable, str(benchmark)],
        env={"FORCE_COLOR": "1"},
    )  # fmt: skip
    assert result.code == 0, result.said
    assert "10000 hunks in 500 files" in result.said
    medians = dict(re.findall(r"^(\S) .* median +([\d.]+) ms", result.said, re.MULTILINE))
    assert medians.keys() >= ONE_HUNK | {"a", "d", "A", "D"}
    check_limits(result.said, medians, {*ONE_HUNK, "a", "d"})


@pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals need POSIX")
def test_so_it_is_in_a_terminal_when_answers_are_saved() -> None:
    benchmark = REPOSITORY / "benchmarks" / "keys.py"
    result = run("--hunks", "10000", "--while-reading", command=[sys.executable, str(benchmark)])
    assert result.code == 0, result.said
    medians = dict(re.findall(r"^(\S) .* median +([\d.]+) ms", result.said, re.MULTILINE))
    assert medians.keys() >= set("ynjJkKsrauAD/")
    check_limits(result.said, medians, set("ynj"))


def check_limits(said: str, medians: Mapping[str, str], keys: set[str]) -> None:
    slow = {key: took for key, took in medians.items() if float(took) >= LIMIT_MS}
    assert not slow.keys() & keys, said
    memory = re.search(r"(\d+) MB at most", said)
    assert memory is not None
    assert int(memory.group(1)) < LIMIT_MB
