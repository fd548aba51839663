"""Restoring: saved decisions, put to the hunks of a run as they are proposed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from ..hunks.suppression import comment_edit
from ..state.decision import SavedDecision, Verdict
from ..state.pieces import COMMENT, put_together

if TYPE_CHECKING:
    from ..decide.decisions import Decisions
    from ..hunks.hunk import Hunk

_Key = tuple[bytes, str, str]
_CONFUSED = "equal places were decided differently, and one of them came or went"
_MOVED = "the lines that were changed by hand are not as they were"


class Restoring:
    """What is left of saved decisions. After all hunks were restored ``gone`` are the decisions on
    hunks that are proposed no more, ``again`` says, by id, why hunks that were decided before
    are asked about again, and ``by_hand`` are those that would write what no rule proposed."""

    def __init__(
        self,
        saved: Iterable[SavedDecision],
        stored: Callable[[Path], bytes],
        digest: str,
        of_modules: Collection[str],
        only_proposed: bool = False,
    ) -> None:
        """``stored`` gives a file's path as decisions have it; ``digest`` is that of the packs, and
        ``of_modules`` are their rules for modules as a whole (``Pack.of_modules``).
        ``only_proposed``: a decision can choose of what is proposed, and not bring text."""
        self.by_hand: list[SavedDecision] = []
        self._only_proposed = only_proposed
        self._of_modules = of_modules
        self.again: dict[str, str] = {}
        self.fitted: dict[str, SavedDecision] = {}
        self._stored, self._digest = stored, digest
        self._waiting = {decision.hunk: decision for decision in saved}
        self._stale: set[str] = set()
        self._paths = {decision.path for decision in self._waiting.values()}
        self._by_key: dict[_Key, list[SavedDecision]] = defaultdict(list)
        for decision in self._waiting.values():
            for digest in decision.surroundings:
                self._by_key[decision.path, decision.rule, digest].append(decision)
        self._arrived: set[str] = set()
        self._pending: dict[str, tuple[Hunk, SavedDecision]] = {}

    def restore(self, decisions: Decisions, hunks: Sequence[Hunk]) -> list[Hunk]:
        """Decide, as it was saved, what has arrived in the plan; returns what was decided and has
        to be decided again, as ``again`` says.

        ``hunks`` are all those of their files. An accepted one waits until all it requires has
        arrived, too; one whose requirement is open is left open.
        """
        known = len(self.again)
        self._arrived.update(hunk.id for hunk in hunks)
        if not self._waiting and not self._pending:
            return []
        matched, stale = self._matched([h for h in hunks if not h.follows])
        for hunk, decision in matched:
            self._pending[hunk.id] = (hunk, decision)
        wanted: dict[str, bool] = {}
        placed: list[tuple[Hunk, SavedDecision, list[Hunk]]] = []
        for hunk, decision in list(self._pending.values()):
            if decisions.plan.get(hunk.id) is not hunk or decisions.verdict(hunk) is not None:
                # It was answered meanwhile, or follows from what was.
                del self._pending[hunk.id]
                self._answered(decisions, hunk, decision)
            elif self._has_all(decisions, hunk, decision):
                del self._pending[hunk.id]
                placed.append((hunk, decision, self._place(decisions, hunk, decision, wanted)))
        decisions.restore(wanted)
        for hunk, decision, pieces in placed:
            self._account(decisions, hunk, decision, pieces, wanted)
        for hunk, decision in stale:
            if decisions.verdict(hunk) is None:
                self.again[hunk.id] = self._changed(decision)
            elif not decisions.verdict(hunk) and took(decision):
                self.again[hunk.id] = _obstacle(decisions, hunk)
        ids = islice(self.again, known, None)
        return [found for id in ids if (found := decisions.plan.get(id)) is not None]

    @property
    def gone(self) -> list[SavedDecision]:
        """The decisions on hunks that are proposed no more."""
        return [d for d in self._waiting.values() if d.hunk not in self._stale]

    def _matched(
        self, hunks: Sequence[Hunk]
    ) -> tuple[list[tuple[Hunk, SavedDecision]], list[tuple[Hunk, SavedDecision]]]:
        """The hunks that are as they were, and those that are not, with what was decided."""
        found: list[tuple[Hunk, SavedDecision]] = []
        stale: list[tuple[Hunk, SavedDecision]] = []
        left: list[tuple[Hunk, str]] = []
        groups: dict[_Key, list[Hunk]] = defaultdict(list)
        for hunk in hunks:
            path = self._stored(hunk.module.path)
            # Most of the hunks of a run that goes on are in files of which nothing is saved yet.
            if path in self._paths or hunk.id in self._waiting:
                groups[path, hunk.rule, hunk.surroundings].append(hunk)
        for key, group in groups.items():
            saved = [d for d in self._by_key.get(key, ()) if d.hunk in self._waiting]
            # Equal places are told apart by their order.
            saved.sort(key=lambda decision: decision.line)
            group.sort(key=lambda hunk: hunk.line)
            if len(saved) != len(group) and len({decision.answer for decision in saved}) > 1:
                self._stale.update(decision.hunk for decision in saved)
                for hunk in group:
                    self.again[hunk.id] = _CONFUSED
                continue
            for hunk, decision in zip(group, saved, strict=False):
                del self._waiting[decision.hunk]
                found.append((hunk, decision))
            left.extend((hunk, key[2]) for hunk in group[len(saved) :])
        for hunk, digest in left:
            known = self._waiting.get(hunk.id)
            if known is None or known.rule != hunk.rule or known.hunk in self._stale:
                continue
            if digest in known.surroundings:
                # The same place, told by another path: the tree begins in another folder here.
                del self._waiting[known.hunk]
                found.append((hunk, known))
            else:
                self._stale.add(known.hunk)
                stale.append((hunk, known))
        decided = {hunk.id for hunk, _ in (*found, *stale)}
        for hunk in hunks:
            known = None if hunk.id in decided or hunk.id in self.again else self._refused(hunk)
            if known is not None:
                del self._waiting[known.hunk]
                found.append((hunk, known))
        return found, stale

    def _refused(self, hunk: Hunk) -> SavedDecision | None:
        """The decision that the hunk's module is to have nothing of what the hunk provides. When
        hunks around it were written, another rule may have taken its place."""
        if hunk.application is None:
            return None
        path, provided = self._stored(hunk.module.path), hunk.application.rule.provides
        if provided not in self._of_modules or provided == hunk.rule:
            return None
        return next(
            (
                known for known in self._waiting.values()
                if known.path == path and known.rule == provided
                and known.verdict is Verdict.REJECTED and known.hunk not in self._stale
            ),
            None,
        )  # fmt: skip

    def _changed(self, decision: SavedDecision) -> str:
        rule = "" if decision.digest == self._digest else ", or its rule,"
        return f"the lines around it{rule} changed since it was {decision.said}"

    def _has_all(self, decisions: Decisions, hunk: Hunk, decision: SavedDecision) -> bool:
        if not took(decision):
            return True
        needed = (hunk, *decisions.plan.required_by(hunk))
        return all(one.requires <= self._arrived for one in needed)

    def _place(
        self, decisions: Decisions, hunk: Hunk, decision: SavedDecision, wanted: dict[str, bool]
    ) -> list[Hunk]:
        """Put the saved pieces in the hunk's place, and their verdicts into ``wanted``."""
        if not decision.pieces:
            wanted[hunk.id] = decision.verdict is Verdict.ACCEPTED
            return [hunk]
        pieces = put_together(hunk, decision.pieces)
        if pieces is None:
            return []
        if self._only_proposed and not all(_is_proposed(hunk, piece) for piece in pieces):
            self.by_hand.append(decision)
            return []
        self._arrived.update(piece.id for piece in pieces)
        decisions.plan.swap([hunk], pieces)
        for piece, saved in zip(pieces, decision.pieces, strict=True):
            if saved.verdict is not None:
                wanted[piece.id] = saved.verdict
        return pieces

    def _answered(self, decisions: Decisions, hunk: Hunk, decision: SavedDecision) -> None:
        verdict = decisions.verdict(hunk)
        if verdict is False and took(decision):
            self.again[hunk.id] = _obstacle(decisions, hunk)
        elif verdict is not None and not decision.pieces and verdict is took(decision):
            self.fitted[hunk.id] = decision

    def _account(
        self,
        decisions: Decisions,
        hunk: Hunk,
        decision: SavedDecision,
        pieces: Sequence[Hunk],
        wanted: dict[str, bool],
    ) -> None:
        missed = [p for p in pieces if p.id in wanted and decisions.verdict(p) is not wanted[p.id]]
        if pieces and not missed:
            self.fitted[hunk.id] = decision
            return
        self._waiting[decision.hunk] = decision
        self._stale.add(decision.hunk)
        if not pieces and decision not in self.by_hand:
            self.again[hunk.id] = f"{_MOVED} when it was {decision.said}"
        for piece in missed:
            self.again[piece.id] = _obstacle(decisions, piece)


def _is_proposed(base: Hunk, piece: Hunk) -> bool:
    """Whether a piece of a hunk writes what the hunk does, or the comment that suppresses it."""
    if all(edit in base.edits for edit in piece.edits):
        return True
    if not piece.id.endswith(COMMENT) or len(piece.edits) != 1:
        return False
    return comment_edit(base.module, base, piece.why.partition(": ")[2]) == piece.edits[0]


def took(decision: SavedDecision) -> bool:
    """Whether something was accepted: the hunk, or a piece in its place."""
    return decision.verdict is Verdict.ACCEPTED or any(p.verdict for p in decision.pieces)


def _obstacle(decisions: Decisions, hunk: Hunk) -> str:
    """Why a hunk that was accepted is not any more."""
    for other in decisions.plan.required_by(hunk):
        if not other.follows and not decisions.verdict(other):
            is_open = decisions.verdict(other) is None
            how = "has to be decided again" if is_open else "is rejected"
            return f"it was accepted, but {other.rule} ({other.place}), which it requires, {how}"
    for other in decisions.plan.alternatives_of(hunk):
        if decisions.verdict(other):
            return f"it was accepted, but {other.rule} ({other.place}), which excludes it, is, too"
    return "it was accepted, but what it requires is not"
