"""Decisions: the answers to the hunks of a plan, which may grow while it is reviewed.

Who keeps them (a session in a database) does so through three things:

- ``Decisions(plan, changed=tell)`` calls ``tell(change)`` with a ``Change`` as soon as an answer
  was given or taken back, before the next one is asked for. ``change.verdicts`` has, by id, the
  verdict before and after of every hunk that it decided; ``change.removed`` and ``change.added``
  are hunks that took each other's place in a split, an edit or an ignore comment. An undone answer
  is told as a change of its own, with before and after swapped and the kind "undo".
- ``Decisions.restore(verdicts)`` takes saved verdicts over, by id, as far as the hunks are known
  and undecided; it is not told to ``changed`` and not undone by ``undo``. Call it again after
  ``extend``, for the hunks that came.
- A part of a split hunk has the id ``<id>.1``, ``<id>.2``, …, and ``part_of`` is ``<id>``. An
  edited hunk keeps its id and has ``edited`` set: its ``edits`` are to be kept. The hunk of an
  ignore comment has the id ``<id>.ignore``. To bring these back, put them into the plan with
  ``Plan.swap`` before ``restore``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..hunks.hunk import Hunk
    from ..hunks.plan import Plan


@dataclass(frozen=True)
class Change:
    """What one answer did: ``verdicts`` has, by id, the verdict before and after of every hunk that
    it decided; ``removed`` and ``added`` are hunks of one slot that took each other's place.

    ``kind`` is accept, reject, split, edit, ignore, undo, or arrive for what followed from the
    answers for hunks that came later.
    """

    kind: str
    hunks: tuple[Hunk, ...]
    verdicts: Mapping[str, tuple[bool | None, bool | None]]
    removed: tuple[Hunk, ...] = ()
    added: tuple[Hunk, ...] = ()

    def reversed(self) -> Change:
        swapped = {id: (after, before) for id, (before, after) in self.verdicts.items()}
        return Change("undo", self.hunks, swapped, self.added, self.removed)


@dataclass
class _Known:
    """What is remembered of one hunk: its verdict, whether no answer changes that, and whether it
    was decided when it came, by answers for others."""

    verdict: bool | None = None
    final: bool = False
    arrived: bool = False


@dataclass(frozen=True)
class _Answer:
    """A change that can be undone, how many hunks there were then, and how many of its hunks a
    person was asked about."""

    change: Change
    slots: int
    asked: int = 1


@dataclass(frozen=True)
class Consequence:
    """What goes along with an answer, the hunk itself left out. ``obstacle`` says why the hunk
    cannot be accepted at all."""

    accepted: tuple[Hunk, ...] = ()
    rejected: tuple[Hunk, ...] = ()
    obstacle: str = ""


class Decisions:
    """What was decided so far; always closed: what is accepted has all that it requires, and of
    hunks that exclude each other one at most is accepted."""

    def __init__(self, plan: Plan, changed: Callable[[Change], None] | None = None) -> None:
        self.plan = plan
        self.changed = changed
        self._answers: list[_Answer] = []
        self._arrivals: list[Change] = []
        self._known: dict[str, _Known] = {}

    def copy(self) -> Decisions:
        """The same verdicts on the same plan, for a trial: answers given there are no one's."""
        made = Decisions(self.plan)
        made._known = {id: replace(known) for id, known in self._known.items()}
        return made

    @property
    def undecided(self) -> list[Hunk]:
        """The hunks that nobody has decided."""
        return [h for h in self.plan.hunks if not h.follows and self.verdict(h) is None]

    def verdict(self, hunk: Hunk) -> bool | None:
        return self._verdict(hunk.id)

    @property
    def verdicts(self) -> dict[str, bool]:
        """All verdicts by id."""
        found = ((id, known.verdict) for id, known in self._known.items())
        return {id: verdict for id, verdict in found if verdict is not None}

    @property
    def answers(self) -> list[Change]:
        """What ``undo`` takes back, one by one, the last first."""
        return [answer.change for answer in self._answers]

    def accept(self, hunk: Hunk) -> list[Hunk]:
        """Accept a hunk and what it requires; returns what came along. If it, or something that it
        requires, was rejected before or cannot be accepted, it is rejected, and nothing comes
        along."""
        change = self.answer([hunk], True, asked=0)
        return self._along(hunk, change) if self.verdict(hunk) else []

    def reject(self, hunk: Hunk, final: bool = False) -> list[Hunk]:
        """Reject a hunk and what requires it; returns what went along. If this is ``final``, no
        later answer accepts it, and ``undo`` does not take it back."""
        if not final:
            return self._along(hunk, self.answer([hunk], False))
        self._of(hunk.id).final = True
        before: dict[str, bool | None] = {}
        self._decide(hunk, False, False, before)
        change = self._change("reject", [hunk], before)
        self._tell(change)
        return self._along(hunk, change)

    def consequence(self, hunk: Hunk, accept: bool) -> Consequence:
        """What ``answer`` would do besides deciding the hunk itself."""
        if not accept:
            along = [h for h in self.plan.dependents_of(hunk) if self.verdict(h) is not False]
            return Consequence(rejected=tuple(along))
        required = self.plan.required_by(hunk)
        together = [hunk, *required]
        barred = next((h for h in together if self._of(h.id).final), None)
        if barred is not None:
            what = "it" if barred is hunk else f"{barred.rule} ({barred.place}), which it requires,"
            return Consequence(obstacle=f"{what} was rejected by the codemod itself")
        ids = {h.id for h in together}
        out: dict[str, Hunk] = {}
        for chosen in together:
            for other in self.plan.alternatives_of(chosen):
                if other.id in ids:
                    both = f"{chosen.rule} ({chosen.place}) and {other.rule} ({other.place})"
                    return Consequence(obstacle=f"it needs {both}, which exclude each other")
                for gone in (other, *self.plan.dependents_of(other)):
                    if self.verdict(gone) is not False:
                        out[gone.id] = gone
        along = [h for h in required if not self.verdict(h)]
        return Consequence(tuple(along), tuple(out.values()))

    def answer(
        self, hunks: Sequence[Hunk], accept: bool, asked: int = 1, lasting: bool = False
    ) -> Change:
        """Accept or reject hunks, with all that goes along, as one answer for ``undo``.

        The first of them, as many as a person was ``asked`` about, take along also what was
        rejected before. What went along with
        one of them stays so decided. A hunk that cannot be accepted is rejected. What is
        ``lasting`` is an answer even if it changes nothing yet: ``answer_later`` may add to it.
        """
        before: dict[str, bool | None] = {}
        for number, hunk in enumerate(hunks):
            if hunk.id not in before:
                self._decide(hunk, accept, number < asked, before)
        change = self._change("accept" if accept else "reject", hunks, before)
        self._record(change, lasting, asked)
        return change

    def answer_later(self, number: int, hunks: Sequence[Hunk], accept: bool) -> Change:
        """Decide hunks that came later as a part of the answer of that number in ``answers``."""
        before: dict[str, bool | None] = {}
        for hunk in hunks:
            if hunk.id not in before:
                self._decide(hunk, accept, False, before)
        change = self._change("accept" if accept else "reject", hunks, before)
        if change.verdicts:
            answer = self._answers[number]
            first = answer.change
            verdicts = dict(first.verdicts)
            for id, (old, new) in change.verdicts.items():
                verdicts[id] = (verdicts[id][0] if id in verdicts else old, new)
            both = (*first.hunks, *change.hunks)
            later = replace(first, hunks=both, verdicts=verdicts)
            self._answers[number] = replace(answer, change=later)
            self._tell(change)
        return change

    def split(self, hunk: Hunk, parts: Sequence[Hunk]) -> Change:
        """Put the parts of a hunk in its place, to be decided one by one."""
        return self._swap("split", [hunk], parts, {})

    def edit(self, hunk: Hunk, edited: Hunk) -> Change:
        """Put a hunk with the same id and another text in the place of one; it is to be decided."""
        return self._swap("edit", [hunk], [edited], {})

    def ignore(self, hunk: Hunk, comment: Hunk) -> Change:
        """Reject a hunk, and accept the one that writes a comment for this instead."""
        return self._swap("ignore", [hunk], [hunk, comment], {comment.id: True, hunk.id: False})

    def undo(self) -> Change | None:
        """Take back the last answer with all that went along; None if there is none."""
        if not self._answers:
            return None
        answer = self._answers.pop()
        change = answer.change.reversed()
        # What followed for hunks that came later may follow no more.
        again = self._undecided_by_answers()
        before = {id: self._verdict(id) for id in {*change.verdicts, *again}}
        if change.removed:
            self.plan.swap(change.removed, change.added)
        for id, (_, verdict) in change.verdicts.items():
            self._of(id).verdict = verdict
        for id in again:
            self._of(id).verdict = None
        self._settle(filter(None, map(self.plan.get, again)), before)
        if answer.slots < len(self.plan.slots):
            self._settle(self._around(change), before)
        done = self._change("undo", change.hunks, before)
        done = replace(done, removed=change.removed, added=change.added)
        self._tell(done)
        return done

    def undo_answer(self, number: int) -> Change:
        """Take back the answer of that number in ``answers``, as if it had never been given: those
        after it are given again, each as far as its hunks are there without it. They keep their
        order, and their numbers are one less.

        Raises IndexError if there is none.
        """
        undone = self._answers[number].change
        later = self._answers[number + 1 :]
        before = dict(self.verdicts)
        told, self.changed = self.changed, None
        try:
            while len(self._answers) > number:
                self.undo()
            for answer in later:
                self._give_again(answer)
        finally:
            self.changed = told
        ids = {*before, *self.verdicts}
        ids |= {id for one in (undone, *(a.change for a in later)) for id in one.verdicts}
        change = self._change("undo", undone.hunks, {id: before.get(id) for id in ids})
        change = replace(change, removed=undone.added, added=undone.removed)
        self._tell(change)
        return change

    def _give_again(self, answer: _Answer) -> None:
        change = answer.change
        hunks = [h for hunk in change.hunks if (h := self.plan.get(hunk.id)) is not None]
        if change.removed and all(self.plan.get(hunk.id) is hunk for hunk in change.removed):
            after = {hunk.id: hunk not in change.removed for hunk in change.added}
            self._swap(change.kind, change.removed, change.added,
                       after if change.kind == "ignore" else {})  # fmt: skip
        elif hunks and not change.removed:
            self.answer(hunks, change.kind == "accept", answer.asked, lasting=True)
        else:
            # It keeps its place, so that the others keep their numbers.
            empty = replace(change, verdicts={}, removed=(), added=())
            self._answers.append(_Answer(empty, len(self.plan.slots)))

    def extend(self, hunks: Sequence[Hunk]) -> Change:
        """Append hunks to the plan, and decide those that the answers decide already: a hunk that
        something accepted requires, and one that requires something rejected."""
        self.plan.extend(hunks)
        before: dict[str, bool | None] = {}
        self._settle(hunks, before)
        change = self._change("arrive", hunks, before)
        if change.verdicts:
            self._arrivals.append(change)
            self._tell(change)
        return change

    def take_arrivals(self) -> list[Change]:
        """What ``extend`` decided since this was asked for the last time."""
        taken, self._arrivals = self._arrivals, []
        return taken

    def restore(self, verdicts: Mapping[str, bool]) -> int:
        """Take over saved verdicts of hunks that are undecided; returns how many fitted. A hunk
        that requires something which is not accepted, or excludes something that is, is left to
        be asked about."""
        found = [(h, verdict) for id, verdict in verdicts.items() if (h := self.plan.get(id))]
        found = [(hunk, verdict) for hunk, verdict in found if self.verdict(hunk) is None]
        for hunk in (hunk for hunk, verdict in found if not verdict):
            for other in (hunk, *self.plan.dependents_of(hunk)):
                self._of(other.id).verdict = False
        chosen = {h.id: h for h, verdict in found if verdict and self.verdict(h) is None}
        while True:
            unfit = [id for id, hunk in chosen.items() if not self._fits(hunk, chosen)]
            if not unfit:
                break
            for id in unfit:
                del chosen[id]
        # Imports are not saved: they go along, as they did with the answer.
        along = (h for hunk in chosen.values() for h in self.plan.required_by(hunk) if h.follows)
        for id in (*chosen, *(h.id for h in along)):
            self._of(id).verdict = True
        return len(chosen) + sum(not verdict for _, verdict in found)

    @property
    def accepted(self) -> list[Hunk]:
        """The accepted hunks; an import stays only while something accepted needs it."""
        chosen = {h.id for h in self.plan.hunks if self.verdict(h) and not h.follows}
        needed = {r for h in self.plan.hunks if h.id in chosen for r in h.requires}
        return [h for h in self.plan.hunks if h.id in chosen or (h.follows and h.id in needed)]

    @property
    def rejected(self) -> list[Hunk]:
        return [h for h in self.plan.hunks if not h.follows and self.verdict(h) is False]

    @property
    def displaced(self) -> list[tuple[Hunk, Hunk]]:
        """The rejected hunks that exclude an accepted one, each with that."""
        pairs = ((h, self.plan.alternatives_of(h)) for h in self.rejected)
        return [(h, o) for h, others in pairs for o in others if self.verdict(o)]

    def _decide(
        self, hunk: Hunk, accept: bool, overrule: bool, before: dict[str, bool | None]
    ) -> None:
        along = self.consequence(hunk, accept)
        if accept:
            # What the answer itself has rejected it does not overrule.
            refused = any(
                self.verdict(h) is False and not (overrule and h.id not in before)
                for h in (hunk, *along.accepted)
            )
            if along.obstacle or refused:
                accept, along = False, self.consequence(hunk, False)
        for other in along.rejected:
            before.setdefault(other.id, self.verdict(other))
            self._of(other.id).verdict = False
        for other in (hunk, *along.accepted):
            before.setdefault(other.id, self.verdict(other))
            self._of(other.id).verdict = accept

    def _settle(self, hunks: Iterable[Hunk], before: dict[str, bool | None]) -> None:
        for hunk in hunks:
            if self.verdict(hunk) is not None:
                continue
            required = self.plan.required_by(hunk)
            others = self.plan.alternatives_of(hunk)
            mine: dict[str, bool | None] = {}
            if any(self.verdict(h) is False for h in required) or any(map(self.verdict, others)):
                self._decide(hunk, False, False, mine)
            elif any(self.verdict(h) for h in self.plan.dependents_of(hunk)):
                self._decide(hunk, True, False, mine)
            for id, verdict in mine.items():
                self._of(id).arrived = True
                before.setdefault(id, verdict)

    def _undecided_by_answers(self) -> set[str]:
        """The hunks that were decided when they came, and that no answer has decided anew."""
        answered = {id for answer in self._answers for id in answer.change.verdicts}
        arrived = {id for id, known in self._known.items() if known.arrived and not known.final}
        return arrived - answered

    def _around(self, change: Change) -> Iterator[Hunk]:
        """The undecided hunks that a change may decide; more than there were if some came late."""
        for id, (_, verdict) in change.verdicts.items():
            hunk = self.plan.get(id)
            if hunk is None or verdict is None:
                continue
            near = self.plan.required_by(hunk) if verdict else self.plan.dependents_of(hunk)
            yield from near
            for one in (hunk, *near) if verdict else ():
                yield from self.plan.alternatives_of(one)

    def _fits(self, hunk: Hunk, chosen: Mapping[str, Hunk]) -> bool:
        """Whether a hunk may be accepted together with what is, and what is ``chosen``."""
        for required in self.plan.required_by(hunk):
            if not (self.verdict(required) or required.id in chosen or required.follows):
                return False
        others = self.plan.alternatives_of(hunk)
        return not any(self.verdict(other) or other.id in chosen for other in others)

    def _swap(
        self, kind: str, old: Sequence[Hunk], new: Sequence[Hunk], after: Mapping[str, bool]
    ) -> Change:
        before: dict[str, bool | None] = {hunk.id: self.verdict(hunk) for hunk in (*old, *new)}
        # What was accepted because of the old text waits for an answer to the new one.
        for hunk in old:
            for other in self.plan.dependents_of(hunk):
                if self.verdict(other):
                    before[other.id] = True
        for id in before:
            self._of(id).verdict = None
        self.plan.swap(old, new)
        if any(self._of(hunk.id).final for hunk in old):
            for hunk in new:
                self._of(hunk.id).final |= hunk.id not in after
        for hunk in new:
            if hunk.id in after:
                self._decide(hunk, after[hunk.id], True, before)
        change = replace(
            self._change(kind, tuple(old), before), removed=tuple(old), added=tuple(new)
        )
        self._record(change)
        return change

    def _change(
        self, kind: str, hunks: Sequence[Hunk], before: Mapping[str, bool | None]
    ) -> Change:
        after = ((id, verdict, self._verdict(id)) for id, verdict in before.items())
        changed = {id: (verdict, now) for id, verdict, now in after if verdict is not now}
        return Change(kind, tuple(hunks), changed)

    def _record(self, change: Change, lasting: bool = False, asked: int = 1) -> None:
        if change.verdicts or change.removed or lasting:
            self._answers.append(_Answer(change, len(self.plan.slots), asked))
            self._tell(change)

    def _tell(self, change: Change) -> None:
        if self.changed is not None:
            self.changed(change)

    def _of(self, id: str) -> _Known:
        return self._known.setdefault(id, _Known())

    def _verdict(self, id: str) -> bool | None:
        known = self._known.get(id)
        return known.verdict if known is not None else None

    def _along(self, hunk: Hunk, change: Change) -> list[Hunk]:
        """What went along with a hunk, the way that it went."""
        verdict = self.verdict(hunk)
        ids = (id for id, (_, now) in change.verdicts.items() if now is verdict and id != hunk.id)
        return self.plan.ordered(filter(None, map(self.plan.get, ids)))
