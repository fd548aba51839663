"""A review of hunks that come while it asks: the plan grows between two answers."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest
from test_decisions import hunk

from pinsetter.codemods.engine.decide.decisions import Decisions
from pinsetter.codemods.engine.hunks.hunk import Hunk
from pinsetter.codemods.engine.hunks.plan import Plan
from pinsetter.codemods.engine.review import End, review


class Source:
    """Batches of hunks; each comes when it is waited for, or after so many questions."""

    def __init__(
        self, decisions: Decisions, batches: Sequence[Sequence[Hunk]], at_once: int = 0
    ) -> None:
        self.decisions = decisions
        self.batches = list(batches)
        self.at_once = at_once
        self.waited = 0

    def more(self, wait: bool) -> bool:
        self.waited += wait
        if self.batches and (wait or self.at_once):
            self.at_once = max(0, self.at_once - 1)
            self.decisions.extend(self.batches.pop(0))
        return bool(self.batches)


def answer(monkeypatch: pytest.MonkeyPatch, answers: Sequence[str]) -> None:
    left = iter(answers)

    def read(prompt: str) -> str:
        print(prompt, end="")
        given = next(left, None)
        if given is None:
            raise EOFError
        return given

    monkeypatch.setattr(builtins, "input", read)


def asked(monkeypatch: pytest.MonkeyPatch, answers: str, source: Source) -> End:
    answer(monkeypatch, answers.split(","))
    return review(source.decisions.plan, source.decisions, source.more)


Shown = Callable[[], str]


@pytest.fixture
def shown(capsys: pytest.CaptureFixture[str]) -> Shown:
    return lambda: capsys.readouterr().out


def test_nothing_comes(monkeypatch: pytest.MonkeyPatch, shown: Shown) -> None:
    source = Source(Decisions(Plan()), [])
    assert asked(monkeypatch, "y", source) is End.DONE
    assert shown() == ""


def test_the_head_says_that_more_may_come(monkeypatch: pytest.MonkeyPatch, shown: Shown) -> None:
    source = Source(Decisions(Plan([hunk(0)])), [[hunk(1), hunk(2)]])
    assert asked(monkeypatch, "y,y,n", source) is End.DONE
    text = shown()
    assert "[0 decided, 1 left, still reading]" in text
    assert "#2 lines.py" in text
    assert "#3 lines.py" in text
    assert len(source.decisions.accepted) == 2


def test_it_waits_only_when_it_runs_out(monkeypatch: pytest.MonkeyPatch, shown: Shown) -> None:
    batches = [[hunk(1), hunk(2)], [hunk(3)], [hunk(4)]]
    source = Source(Decisions(Plan([hunk(0)])), batches, at_once=1)
    assert asked(monkeypatch, "y,y,y", source) is End.UNANSWERED
    assert source.waited == 1
    assert "#4 lines.py" in shown()


def test_batches_of_imports_alone_are_no_end(monkeypatch: pytest.MonkeyPatch, shown: Shown) -> None:
    source = Source(Decisions(Plan()), [[], [hunk(0, follows=True)], [hunk(1)]])
    assert asked(monkeypatch, "y", source) is End.DONE
    assert "#1 lines.py" in shown()


def test_quitting_does_not_wait(monkeypatch: pytest.MonkeyPatch, shown: Shown) -> None:
    source = Source(Decisions(Plan([hunk(0)])), [[hunk(1)]])
    assert asked(monkeypatch, "q", source) is End.QUIT
    assert source.waited == 0


def test_an_interrupt_while_it_waits(monkeypatch: pytest.MonkeyPatch, shown: Shown) -> None:
    decisions = Decisions(Plan([hunk(0)]))

    def more(wait: bool) -> bool:
        if wait:
            raise KeyboardInterrupt
        return True

    answer(monkeypatch, ["y"])
    assert review(decisions.plan, decisions, more) is End.ABANDONED


def test_an_answer_for_a_rule_holds_for_what_comes(
    monkeypatch: pytest.MonkeyPatch, shown: Shown
) -> None:
    source = Source(Decisions(Plan([hunk(0), hunk(3)])), [[hunk(1), hunk(6), hunk(9)]])
    assert asked(monkeypatch, "A,n", source) is End.DONE
    text = shown()
    assert "Accepted 2 hunk(s) of rule-0, and all that are still to come." in text
    assert "Accepted 2 more of rule-0." in text
    assert [h.id for h in source.decisions.rejected] == ["1"]


def test_an_undone_answer_for_a_rule_holds_no_more(
    monkeypatch: pytest.MonkeyPatch, shown: Shown
) -> None:
    source = Source(Decisions(Plan([hunk(0), hunk(1)])), [[hunk(3)]])
    assert asked(monkeypatch, "A,u,n,n,y", source) is End.DONE
    assert [h.id for h in source.decisions.accepted] == ["3"]
    assert "more of rule-0" not in shown()


def test_undo_takes_back_what_was_typed_last_not_what_came_last(
    monkeypatch: pytest.MonkeyPatch, shown: Shown
) -> None:
    late = [hunk(3), hunk(6), hunk(2)]
    source = Source(Decisions(Plan([hunk(0), hunk(1)])), [late])
    assert asked(monkeypatch, "A,n,u,y,n", source) is End.DONE
    assert [h.id for h in source.decisions.accepted] == ["0", "1", "3", "6"]
    assert "Accepted 2 more of rule-0." in shown()


def test_undo_of_an_answer_for_a_rule_takes_back_what_it_decided_later(
    monkeypatch: pytest.MonkeyPatch, shown: Shown
) -> None:
    source = Source(Decisions(Plan([hunk(0)])), [[hunk(3), hunk(2)], [hunk(6)]])
    assert asked(monkeypatch, "A,u,n,n,n,y", source) is End.DONE
    assert [h.id for h in source.decisions.accepted] == ["6"]


def test_an_answer_for_a_rule_holds_until_it_is_undone_itself(
    monkeypatch: pytest.MonkeyPatch, shown: Shown
) -> None:
    source = Source(Decisions(Plan([hunk(0), hunk(3), hunk(1)])), [[hunk(6)]])
    assert asked(monkeypatch, "A,g 2,n,u,n,n", source) is End.DONE
    assert [h.id for h in source.decisions.accepted] == ["0", "6"]


def test_an_answer_for_a_rule_holds_again_when_the_one_over_it_is_undone(
    monkeypatch: pytest.MonkeyPatch, shown: Shown
) -> None:
    source = Source(Decisions(Plan([hunk(0), hunk(1)])), [[hunk(3)]])
    assert asked(monkeypatch, "A,g 1,D,u,j,n", source) is End.DONE
    assert [h.id for h in source.decisions.accepted] == ["0", "3"]


def test_an_answer_for_a_rule_may_decide_only_what_comes(
    monkeypatch: pytest.MonkeyPatch, shown: Shown
) -> None:
    source = Source(Decisions(Plan([hunk(0), hunk(1)])), [[hunk(3)], [hunk(6)]])
    assert asked(monkeypatch, "y,g 1,A,j,n", source) is End.DONE
    assert [h.id for h in source.decisions.accepted] == ["0", "3", "6"]
    source.decisions.undo()
    assert len(source.decisions.rejected) == 0, "the n was last"
    source.decisions.undo()
    assert [h.id for h in source.decisions.accepted] == ["0"], "A decided two, later"


def test_of_two_answers_for_what_comes_the_later_holds(
    monkeypatch: pytest.MonkeyPatch, shown: Shown
) -> None:
    warned = replace(hunk(1), warnings=("Assumed: something.",))
    source = Source(Decisions(Plan([hunk(0), warned])), [[hunk(3), hunk(4)]])
    assert asked(monkeypatch, "P,g 1,D,n", source) is End.DONE
    assert [h.id for h in source.decisions.accepted] == ["4"]


def test_an_answer_for_a_rule_holds_when_one_before_it_is_undone(
    monkeypatch: pytest.MonkeyPatch, shown: Shown
) -> None:
    source = Source(Decisions(Plan([hunk(0), hunk(1), hunk(2)])), [[hunk(4)]])
    assert asked(monkeypatch, "n,A,U,1,y,n", source) is End.DONE
    assert [h.id for h in source.decisions.accepted] == ["0", "1", "4"]
    source.decisions.undo()
    source.decisions.undo()
    assert [h.id for h in source.decisions.accepted] == ["1", "4"], "it is of that answer"


def test_a_number_may_be_absurd(monkeypatch: pytest.MonkeyPatch, shown: Shown) -> None:
    source = Source(Decisions(Plan([hunk(0)])), [])
    assert asked(monkeypatch, f"g {'9' * 5000},g 1.{'9' * 5000},y", source) is End.DONE
    assert "There is no hunk with" in shown()


def test_what_follows_from_earlier_answers_is_said(
    monkeypatch: pytest.MonkeyPatch, shown: Shown
) -> None:
    first = [hunk(0, requires=[5]), hunk(1)]
    late = [hunk(5), hunk(6, requires=[1]), hunk(7)]
    source = Source(Decisions(Plan(first)), [late])
    assert asked(monkeypatch, "y,n,y", source) is End.DONE
    text = shown()
    assert "Accepted because of an earlier answer: rule-2 (lines.py:6)" in text
    assert "Rejected because of an earlier answer: rule-0 (lines.py:7)" in text
    assert [h.id for h in source.decisions.accepted] == ["0", "5", "7"]


def test_the_next_undecided_one_may_be_still_to_come(
    monkeypatch: pytest.MonkeyPatch, shown: Shown
) -> None:
    source = Source(Decisions(Plan([hunk(0)])), [[hunk(1)], [hunk(2)]])
    assert asked(monkeypatch, "j,g 3,y,y,k,y", source) is End.DONE
    text = shown()
    assert "[0 decided, 2 left, still reading]" in text
    assert "#3 lines.py" in text
    assert "Back to what was left undecided." in text
    assert len(source.decisions.accepted) == 3


def test_keeping_says_what_it_did(monkeypatch: pytest.MonkeyPatch, shown: Shown) -> None:
    decisions = Decisions(Plan([hunk(0)]))
    answer(monkeypatch, ["w", "q"])
    assert review(decisions.plan, decisions, keep=lambda: "Kept as number 7.") is End.QUIT
    assert "Kept as number 7." in shown()
