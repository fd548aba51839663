"""LiveSession: what was decided before, put to the hunks of a run; what is decided now, saved."""

from __future__ import annotations

import getpass
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache, cached_property, partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from pinsetter.patterns.packs.packs_digest import packs_digest

from ..git.git_process import find_git, in_repository
from ..hunks.fingerprint import surroundings
from ..state.decision import SavedDecision, Verdict, now, stored
from ..state.pieces import REST, base_id, taken_apart
from .keeper import InFolder, Keeper
from .restoring import Restoring

if TYPE_CHECKING:
    from pinsetter.analyzer.messages.problem import Problem
    from pinsetter.analyzer.names.module import Module
    from pinsetter.patterns.edits.edit import Edit
    from pinsetter.patterns.packs.pack import Pack

    from ..decide.decisions import Change, Decisions
    from ..hunks.hunk import Hunk
    from ..state.folder import StateFolder
    from ..state.sessions import SessionState, Subject


class LiveSession:
    """A session that a run goes on with, or begins with its first answer.

    ``watch`` it once, and, each time that hunks have come into the plan, ``restore`` them; after
    the last, ``restoring`` knows which decisions are on hunks that are gone. Then ``end``, and,
    before files are written, ``writing``; ``close`` in any case.

    ``say`` is told, once for each, why a hunk that was decided is to be asked about again, or, with
    True, why one that was accepted is rejected now. ``problem`` is what kept the last answer from
    being saved; it is tried again with the next. ``failed`` is told at once.
    """

    def __init__(
        self,
        folder: StateFolder,
        subject: Subject,
        packs: Sequence[Pack],
        saved: Iterable[SavedDecision] = (),
        known: Iterable[SavedDecision] = (),
        id: int | None = None,
        reviewing: bool = False,
        say: Callable[[Hunk, str, bool], None] = lambda hunk, why, rejected: None,
        failed: Callable[[Problem], None] = lambda problem: None,
        only_proposed: bool = False,
        keeper: Keeper | None = None,
    ) -> None:
        """``saved`` is to be restored, with ``only_proposed`` without text of its
        own; ``known`` is all that the session ``id`` has saved, or the ``keeper``,
        if it is not the folder. Unless ``reviewing`` nothing is saved but what is written."""
        self.folder, self.subject = folder, subject
        self._keeper = keeper if keeper is not None else InFolder(folder, subject, id)
        self.problem: Problem | None = None
        self._stored = cache(partial(stored, folder))
        self._digest = packs_digest(packs)
        of_modules = {rule for pack in packs for rule in pack.of_modules}
        self.restoring = Restoring(saved, self._stored, self._digest, of_modules, only_proposed)
        self._reviewing = reviewing
        self._say, self._failed = say, failed
        self._decisions: Decisions | None = None
        self._bases: dict[str, tuple[Hunk, int]] = {}
        self._saved = {decision.hunk: decision for decision in known}
        self._keys: dict[str, str] = {}
        self._unsaved: dict[str, None] = {}

    def restore(self, decisions: Decisions, hunks: Sequence[Hunk]) -> None:
        """Decide hunks that have just come into the plan as they were decided before. They must be
        all hunks of their files."""
        for hunk in hunks:
            self._remember(decisions, hunk)
        fitted = len(self.restoring.fitted)
        for hunk in self.restoring.restore(decisions, hunks):
            self._say(hunk, self.restoring.again[hunk.id], decisions.verdict(hunk) is False)
        moved = []
        for id, decision in islice(self.restoring.fitted.items(), fitted, None):
            self._keys[id] = decision.hunk
            line = self._bases[id][0].line
            if decision.hunk in self._saved and decision.line != line:
                # Equal places are told apart by their order.
                moved.append(replace(decision, line=line))
        if moved and self._reviewing:
            self._store(moved, ())

    def watch(self, decisions: Decisions) -> None:
        """Save what is decided from here on, as soon as it is."""
        self._decisions = decisions
        decisions.changed = self._changed

    def writing(self, decisions: Decisions, run: int, files: Mapping[Module, int]) -> None:
        """Note which decisions a run of the journal is about to carry out, by its ``files``, so
        that they count as applied as long as what it wrote there stands; and what the other hunks
        of these files will stand between. To be called again when less is accepted."""
        if self._keeper.has_begun:
            done, left = self._told_by(decisions, files)
            self._note(self._keeper.carry_out(run, done, left))

    def _told_by(
        self, decisions: Decisions, files: Mapping[Module, int]
    ) -> tuple[dict[str, int], list[SavedDecision]]:
        """The decisions that the accepted hunks of files carry out, with the file of each, and the
        others on hunks of these files as they stand between them."""
        made: dict[Module, list[Edit]] = defaultdict(list)
        for hunk in decisions.accepted:
            if hunk.module in files:
                made[hunk.module].extend(hunk.edits)
        done: dict[str, int] = {}
        left: list[SavedDecision] = []
        for id, (base, slot) in self._bases.items():
            saved = self._saved.get(self._keys.get(id, ""))
            if saved is None or (edits := made.get(base.module)) is None:
                continue
            pieces = decisions.plan.slots[slot]
            rest = [hunk for hunk in pieces if not decisions.verdict(hunk)]
            others = [o for hunk in pieces for o in decisions.plan.alternatives_of(hunk)]
            if not rest or saved.verdict is Verdict.IGNORED or any(map(decisions.verdict, others)):
                done[saved.hunk] = files[base.module]
            elif len(rest) == len(pieces):
                left.append(_between(saved, base, edits))
            else:
                done[saved.hunk] = files[base.module]
                if all(decisions.verdict(hunk) is False for hunk in rest):
                    remaining = tuple(edit for hunk in rest for edit in hunk.edits)
                    left.append(_between(_rest(saved), replace(base, edits=remaining), edits))
        return done, left

    def keep(self) -> str:
        """Save what could not be saved so far; returns what to say about it."""
        if self._unsaved:
            self._save()
        if self.problem is not None:
            return f"Not saved: {self.problem}"
        return f"{self.count} decision(s) are saved; --resume goes on with them."

    @property
    def count(self) -> int:
        """How many decisions the session has saved."""
        return len(self._saved)

    def end(self, state: SessionState) -> None:
        """Note how the review ended."""
        if self._unsaved:
            self._save()
        if self._keeper.has_begun:
            self._note(self._keeper.end(state))

    def close(self) -> None:
        self._keeper.close()

    def _remember(self, decisions: Decisions, hunk: Hunk) -> None:
        if not hunk.follows and hunk.id not in self._bases:
            self._bases[hunk.id] = (hunk, decisions.plan.slot_of(hunk))

    def _changed(self, change: Change) -> None:
        assert self._decisions is not None
        plan = self._decisions.plan
        ids = [*change.verdicts, *(hunk.id for hunk in (*change.removed, *change.added))]
        for id in dict.fromkeys(map(base_id, ids)):
            hunk = plan.get(id)
            if id not in self._bases and hunk is not None:
                self._remember(self._decisions, hunk)
            if id not in self._bases or (change.kind == "arrive" and self._is_known(id)):
                continue
            self._unsaved[id] = None
        if self._unsaved:
            self._save()

    def _is_known(self, id: str) -> bool:
        """Whether there is a decision on the hunk that is yet to be restored."""
        return id in self._saved and id not in self.restoring.fitted

    def _save(self) -> None:
        assert self._decisions is not None
        found, gone, time = [], [], now()
        for id in self._unsaved:
            base, slot = self._bases[id]
            pieces = self._decisions.plan.slots[slot]
            said = {hunk.id: verdict for hunk in pieces
                    if (verdict := self._decisions.verdict(hunk)) is not None}  # fmt: skip
            answer = taken_apart(base, pieces, said)
            key = self._key(base)
            if answer is None:
                gone.append(key)
            elif (known := self.restoring.fitted.get(id)) is not None and known.answer == answer:
                found.append(replace(known, hunk=key, line=base.line))
            else:
                found.append(SavedDecision(
                    key, base.rule, self._stored(base.module.path), base.line, answer[0],
                    (base.surroundings,), self.subject.codemod, self._digest, time, self._by,
                    answer[1],
                ))  # fmt: skip
        if self._store(found, gone):
            self._unsaved.clear()

    def _key(self, hunk: Hunk) -> str:
        """The name under which the decision on a hunk is saved: its id, unless that was another's
        when it was decided."""
        if hunk.id not in self._keys:
            key, number = hunk.id, 1
            while (saved := self._saved.get(key)) is not None and not self._is_of(saved, hunk):
                number += 1
                key = f"{hunk.id}+{number}"
            self._keys[hunk.id] = key
        return self._keys[hunk.id]

    def _is_of(self, saved: SavedDecision, hunk: Hunk) -> bool:
        if saved.hunk in self._keys.values():
            return False
        return hunk.id in self.restoring.again or hunk.surroundings in saved.surroundings

    def _store(self, decided: Sequence[SavedDecision], gone: Sequence[str]) -> bool:
        if not self._note(self._keeper.put(decided, gone)):
            return False
        self._saved.update({decision.hunk: decision for decision in decided})
        for key in gone:
            self._saved.pop(key, None)
        return True

    def _note(self, problem: Problem | None) -> bool:
        """Remember why something was not saved, if it was not."""
        if problem is not None and self.problem is None:
            self._failed(problem)
        self.problem = problem
        return problem is None

    @cached_property
    def _by(self) -> str:
        return person(self.folder.tree)


def person(folder: Path) -> str:
    """Who decides: git's user.name as it holds in ``folder``, else the login name."""
    git = find_git()
    found = in_repository(git, folder, "config", "user.name") if git is not None else ""
    if isinstance(found, bytes) and (name := found.decode("utf-8", "replace").strip()):
        return name
    with suppress(OSError, KeyError, ImportError):
        return getpass.getuser()
    return "unknown"


def _between(saved: SavedDecision, hunk: Hunk, made: Sequence[Edit]) -> SavedDecision:
    digest = surroundings(hunk.module.source.text, hunk.edits, made)
    if digest in saved.surroundings:
        return saved
    return replace(saved, surroundings=(*saved.surroundings, digest))


def _rest(saved: SavedDecision) -> SavedDecision:
    """The decision on what is left of a split hunk: it is a hunk of its own to the next run."""
    return replace(
        saved, hunk=saved.hunk + REST, verdict=Verdict.REJECTED, surroundings=(), pieces=()
    )
