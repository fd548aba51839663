"""A review of 10,000 hunks: what a key costs beside one of 500, and what memory it takes."""

from __future__ import annotations

import re
import sys

import pytest
from commands import REPOSITORY, run

FEW, MANY = 500, 10_000
# Of twenty times as many hunks; what each key draws and saves does not depend on them.
TIMES, LIMIT_MB = 3, 500
# What a busy machine may add to any key, in milliseconds.
SPARE = 20
# A and D decide all hunks of a rule, here 2,000 of them.
ONE_HUNK = set("yn+-/JKjkgsu")


def test_a_key_is_answered_as_soon_among_ten_thousand_hunks() -> None:
    few, many = (measured("review.py", "--lines", "60", hunks=number) for number in (FEW, MANY))
    assert f"{MANY} hunks in {MANY // 20} files" in many
    assert medians(many).keys() >= ONE_HUNK | {"a", "d", "A", "D"}
    check_growth(few, many, {*ONE_HUNK, "a", "d"})


@pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals need POSIX")
def test_so_it_is_in_a_terminal_when_answers_are_saved() -> None:
    """With a quarter of the hunks: each answer is drawn, and saved."""
    numbers = (FEW, MANY // 4)
    few, many = (measured("keys.py", "--while-reading", hunks=number) for number in numbers)
    assert medians(many).keys() >= set("ynjJkKsrauAD/")
    check_growth(few, many, set("ynj"))


def measured(benchmark: str, *options: str, hunks: int) -> str:
    command = [sys.executable, str(REPOSITORY / "benchmarks" / benchmark)]
    result = run("--hunks", str(hunks), *options, command=command, env={"FORCE_COLOR": "1"})
    assert result.code == 0, result.said
    return result.said


def medians(said: str) -> dict[str, float]:
    """Milliseconds of each key."""
    found = re.findall(r"^(\S) .* median +([\d.]+) ms", said, re.MULTILINE)
    return {key: float(took) for key, took in found}


def check_growth(few: str, many: str, keys: set[str]) -> None:
    before, after = medians(few), medians(many)
    slow = {key for key in keys if after[key] > TIMES * before[key] + SPARE}
    assert not slow, few + many
    memory = re.search(r"(\d+) MB at most", many)
    assert memory is not None
    assert int(memory.group(1)) < LIMIT_MB
