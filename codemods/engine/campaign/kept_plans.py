"""keeping: the decisions of a campaign, as a review takes them and gives them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from pinsetter.analyzer.messages.problem import Problem

from ..records import campaigns, hunks
from ..records.recorded import DecisionRow, Event, Known
from ..records.store import RecordsError, Store
from ..state.decision import SavedDecision, Verdict, now
from ..state.piece_json import dumped, loaded
from ..state.sessions import SessionState
from .deciding import was_said


class InCampaign:
    """A ``Keeper`` that saves in the database of a campaign what is decided about ``known`` hunks;
    another person may have decided the same meanwhile, which both find among the events."""

    has_begun = True

    def __init__(self, store: Store, campaign: int, known: Iterable[Known], by: str) -> None:
        self._store, self._campaign, self._by = store, campaign, by
        self._known = {one.found.key: one for one in known}

    def put(self, decided: Sequence[SavedDecision], gone: Sequence[str]) -> Problem | None:
        told = [(self._known[one.hunk], one) for one in decided if one.hunk in self._known]
        forgotten = [self._known[key] for key in gone if key in self._known]
        events = [
            Event(
                "decided", self._by, one.decided,
                {"verdict": one.verdict.value, "was": was_said(hunk)}, hunk.shard, hunk.id,
            )
            for hunk, one in told
        ]  # fmt: skip
        at = now()
        events += (
            Event("taken back", self._by, at, {"was": was_said(hunk)}, hunk.shard, hunk.id)
            for hunk in forgotten
        )
        try:
            with self._store.change() as connection:
                hunks.decide(connection, [self._row(hunk, one) for hunk, one in told])
                hunks.forget(connection, [one.id for one in forgotten])
                campaigns.happened(connection, self._campaign, events)
        except RecordsError as error:
            return error.problem
        return None

    def carry_out(
        self, run: int, done: Mapping[str, int], left: Sequence[SavedDecision]
    ) -> Problem | None:
        return None  # a campaign writes branches, and has no journal

    def end(self, state: SessionState) -> Problem | None:
        return None

    def close(self) -> None:
        """The store is its owner's."""

    def _row(self, hunk: Known, one: SavedDecision) -> DecisionRow:
        pieces = dumped(one.pieces) if one.pieces else []
        return DecisionRow(
            hunk.id, one.verdict.value, one.surroundings, one.digest, pieces,
            one.decided, self._by,
        )  # fmt: skip


def saved(known: Iterable[Known], pack: str) -> list[SavedDecision]:
    """What was decided about hunks."""
    found = []
    for one in known:
        decision = one.decision
        if decision is None:
            continue
        found.append(SavedDecision(
            one.found.key, one.found.rule, one.found.path, one.found.line,
            Verdict(decision.verdict), decision.surroundings, pack, decision.digest,
            decision.decided, decision.by, loaded(list(decision.pieces)) if decision.pieces else (),
        ))  # fmt: skip
    return found
