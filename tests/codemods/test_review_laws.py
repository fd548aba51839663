"""Whatever is typed in a review, what it leaves can be written."""

from __future__ import annotations

import builtins
import contextlib
import io
import tempfile
from pathlib import Path
from unittest import mock

import click
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from reviewing import SCRIPT, plan_of, prepare
from test_decisions import is_closed

from pinsetter.analyzer.syntax import parse
from pinsetter.codemods.engine.decide.decisions import Decisions
from pinsetter.codemods.engine.hunks.plan import Plan
from pinsetter.codemods.engine.review import Manner, Order, review
from pinsetter.codemods.engine.review.keys import HELP, read
from pinsetter.patterns.edits.edit import apply

with tempfile.TemporaryDirectory() as folder:
    HUNKS = plan_of(prepare(Path(folder))).hunks

KEYS = [*"ynadADPLjJkKsoeuUrtfpv+-?", "", "x", "1", "2", "g 3", "g 2.2", "g 99", "/pair", "/none",
        "i why", "w", "Y"]  # fmt: skip
EDITS = [
    None,
    lambda text: text.replace("(", "[", 1),
    lambda text: text.replace("check(", "verify("),
    lambda text: text.replace("step", "walk"),
    lambda text: text.replace("(1)", "(1) + 1"),
    lambda text: text + "# more\n",
    lambda text: "",
]


def typed(
    answers: list[str], edits: list[object], order: Order = Order.HUNK
) -> tuple[Decisions, str]:
    """The decisions after a review of fresh hunks with these answers, and what it printed."""
    left, turns = iter(answers), iter(edits)

    def answer(prompt: str) -> str:
        given = next(left, None)
        if given is None:
            raise EOFError
        return given

    def edit(text: str, **_: object) -> str | None:
        change = next(turns, None)
        return change(text) if callable(change) else None

    plan = Plan(HUNKS)
    decisions = Decisions(plan)
    shown = io.StringIO()
    with (
        mock.patch.object(builtins, "input", answer),
        mock.patch.object(click, "edit", edit),
        contextlib.redirect_stdout(shown),
    ):
        review(plan, decisions, manner=Manner(order))
    return decisions, shown.getvalue()


@settings(max_examples=120, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    st.lists(st.sampled_from(KEYS), max_size=25),
    st.lists(st.sampled_from(EDITS), max_size=6),
    st.sampled_from(Order),
)
def test_any_keys_leave_a_program(answers: list[str], edits: list[object], order: Order) -> None:
    decisions, _ = typed(answers, edits, order)
    assert is_closed(decisions)
    text = apply(SCRIPT, [edit for hunk in decisions.accepted for edit in hunk.edits])
    parse(text)
    while decisions.undo() is not None:
        assert is_closed(decisions)
    assert decisions.verdicts == {}
    assert decisions.plan.hunks == HUNKS


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    st.lists(st.sampled_from([*"ndDjJkKsoruUtfpv+-?", "", "1", "g 3", "/pair", "w"]), max_size=25),
    st.sampled_from(Order),
)
def test_who_accepts_nothing_changes_nothing(answers: list[str], order: Order) -> None:
    decisions, _ = typed(answers, [], order)
    assert decisions.accepted == []


@pytest.mark.parametrize("text", ["", "yy", "x", "yes", "gg", "gx", "ix", "1", "é", "y n"])
def test_what_means_no_key(text: str) -> None:
    assert read(text) is None


@pytest.mark.parametrize("key", HELP)
def test_every_key_means_itself(key: str) -> None:
    found = read(f" {key} \n")
    assert found is not None
    assert found.key == key
    assert found.argument == ""
