"""loop: ask about each hunk until all are decided, or the person stops."""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Callable, Sequence
from enum import Enum

import click

from pinsetter.analyzer.messages.problem import Problem

from ..console.question import ask
from ..console.terminal import echo
from ..decide.decisions import Change, Decisions
from ..hunks.hunk import Hunk
from ..hunks.plan import Plan
from . import editing, keys
from .closing import Closing
from .cursor import Cursor
from .editor import ask_editor
from .explain import explain
from .ignoring import comment_hunk, is_comment
from .screen import Screen
from .show import CONTEXT, say_along, show
from .splitting import parts

_MORE_CONTEXT = 3
_NOT_KEPT = "Nothing is written before the review ends; until then the decisions are in memory."


class End(Enum):
    """How a review ended. After ``quit`` (q) and ``unanswered`` (end of input) what was accepted is
    applied; after ``abandoned`` (Ctrl-C) nothing is."""

    DONE = "done"
    QUIT = "quit"
    UNANSWERED = "unanswered"
    ABANDONED = "abandoned"


More = Callable[[bool], bool]
"""Puts hunks that have come meanwhile into the plan (``Decisions.extend``), having waited for some
if it is called with True; says whether there may be more after them. Hunks of one file come
together."""


def review(
    plan: Plan,
    decisions: Decisions,
    more: More | None = None,
    keep: Callable[[], str] | None = None,
    closing: Closing | None = None,
) -> End:
    """Ask about every undecided hunk, file by file; the decisions stay closed all the time.

    ``more`` is called for hunks that come during the review, ``keep`` for the key w: it makes the
    decisions last and returns what to say about that, ``closing`` before the end.
    """
    loop = _Loop(plan, decisions, more, keep)
    try:
        if more is None:
            _settle_memory()
        return loop.run(closing)
    except EOFError:
        echo()
        return End.UNANSWERED
    except KeyboardInterrupt:
        echo()
        return End.ABANDONED
    finally:
        gc.unfreeze()


# No review has so many hunks that a number is as long.
_LONG = 20


def _settle_memory() -> None:
    """The plan lives on to the end: to look through all of it for garbage again and again takes
    longer than an answer may."""
    gc.freeze()


class _Loop:
    def __init__(
        self,
        plan: Plan,
        decisions: Decisions,
        more: More | None,
        keep: Callable[[], str] | None,
    ) -> None:
        self.plan = plan
        self.decisions = decisions
        self.more = more
        self.keep = keep
        self.screen = Screen()
        self.cursor = Cursor(plan)
        self.context = CONTEXT
        # Answers for a whole rule, by number, which hold for the hunks, too, that come later.
        self.lasting: list[tuple[int, str, bool]] = []
        self.actions: dict[str, Callable[[Hunk, str], bool]] = {
            "y": self._one, "n": self._one, "a": self._rest, "d": self._rest,
            "A": self._everywhere, "D": self._everywhere, "j": self._move, "J": self._move,
            "k": self._move, "K": self._move, "g": self._go, "/": self._go, "s": self._split,
            "e": self._edit, "u": self._undo, "i": self._ignore, "r": self._explain,
            "w": self._keep, "+": self._widen, "-": self._widen, "?": self._help,
        }  # fmt: skip
        self.key = ""

    def run(self, closing: Closing | None = None) -> End:
        ended = self._until_decided(self._first_undecided())
        while closing is not None and (back := closing.ask(ask, self.screen)) is not None:
            self.cursor.move_to(back)
            ended = self._until_decided(back)
        return ended

    def _until_decided(self, hunk: Hunk | None) -> End:
        """Ask, beginning with a hunk, until every one is decided or the person stops."""
        shown = None
        while hunk is not None:
            self._collect(False)
            if hunk is not shown:
                self._show(hunk)
            answer = keys.read(given := ask(keys.PROMPT))
            if answer is None:
                echo(f'invalid response "{given.strip()}"')
                shown = hunk
                continue
            if answer.key == "q":
                return End.QUIT
            self.key = answer.key
            again = self.actions[answer.key](hunk, answer.argument)
            shown, hunk = (None if again else hunk), self._here_or_next()
        return End.DONE

    # Each action says whether a hunk is to be shown; else only the question is asked again.

    def _one(self, hunk: Hunk, _: str) -> bool:
        self._decide([hunk], self.key == "y")
        return True

    def _rest(self, hunk: Hunk, _: str) -> bool:
        rest = [h for h in self.cursor.after() if h.module is hunk.module]
        undecided = [h for h in rest if self.decisions.verdict(h) is None]
        self._decide([hunk, *undecided], self.key == "a")
        return True

    def _everywhere(self, hunk: Hunk, _: str) -> bool:
        accept = self.key == "A"
        chosen = [h for hunks in self.plan.slots for h in hunks
                  if h.rule == hunk.rule and h is not hunk
                  and self.decisions.verdict(h) is None]  # fmt: skip
        lasting = self.more is not None
        self._decide([hunk, *chosen], accept, lasting)
        count = sum(self.decisions.verdict(h) is accept for h in (hunk, *chosen))
        verb = "Accepted" if accept else "Rejected"
        later = ""
        if lasting:
            self.lasting.append((len(self.decisions.answers) - 1, hunk.rule, accept))
            later = ", and all that are still to come"
        self.screen.prose(f"{verb} {count} hunk(s) of {hunk.rule}{later}.", "cyan")
        return True

    def _move(self, hunk: Hunk, _: str) -> bool:
        forward, undecided = self.key in "jJ", self.key in "jk"

        def wanted(other: Hunk) -> bool:
            return not undecided or self.decisions.verdict(other) is None

        while True:
            way = self.cursor.after() if forward else self.cursor.before()
            found = next(filter(wanted, way), None)
            if found is not None:
                self.cursor.move_to(found)
                return True
            if not forward or not self._collect(True):
                break
        which = "undecided hunk" if undecided else "hunk"
        self.screen.prose(f"There is no {which} {'after' if forward else 'before'} this one.")
        return False

    def _go(self, hunk: Hunk, where: str) -> bool:
        where = where or ask("Go to which hunk (number, or word of rule, file or code)? ")
        where = where.strip()
        if not where:
            return False
        is_number = self.key == "g" and where.replace(".", "", 1).isdecimal() and len(where) < _LONG
        while True:
            found = self.cursor.numbered(where) if is_number else self.cursor.search(where)
            # A number may be that of a hunk still to come; to find a word no one wants to wait.
            if found is not None or not is_number or not self._collect(True):
                break
        if found is None:
            what = f"number {where}" if is_number else f'"{where}" in its rule, file or code'
            self.screen.prose(f"There is no hunk with {what}; there are {len(self.plan.slots)}.")
            return False
        self.cursor.move_to(found)
        return True

    def _split(self, hunk: Hunk, _: str) -> bool:
        found = parts(hunk, self.plan)
        if not found:
            self.screen.prose("It cannot be split: its changes make sense only together.")
            return False
        self._tell(self.decisions.split(hunk, found), hunk)
        self.screen.prose(f"Split into {len(found)} hunks.", "cyan")
        return True

    def _edit(self, hunk: Hunk, _: str) -> bool:
        form = editing.form_of(hunk)
        text = form.text
        while True:
            try:
                written = ask_editor(text)
            except click.ClickException as error:
                self.screen.prose(f"{error.format_message()} The hunk stays as it was; $VISUAL or "
                                  "$EDITOR names the editor.", "yellow")  # fmt: skip
                return False
            result = None if written is None else editing.edited(form, written, self.plan)
            if result is None or written is None:
                self.screen.prose("The hunk stays as it was.")
                return False
            if isinstance(result, Hunk):
                break
            self.screen.prose(f"Not taken: {result}.", "yellow")
            again = ask("Edit again (no leaves the hunk as it was) [Y,n]? ")
            if again.strip().lower().startswith("n"):
                return False
            text = written
        self._tell(self.decisions.edit(hunk, result), hunk)
        return True

    def _undo(self, hunk: Hunk, _: str) -> bool:
        change = self.decisions.undo()
        if change is None:
            self.screen.prose("There is no answer to undo.")
            return False
        left = len(self.decisions.answers)
        self.lasting = [lasting for lasting in self.lasting if lasting[0] < left]
        ids = [*(h.id for h in change.added), *(h.id for h in change.hunks)]
        back = next(filter(None, map(self.plan.get, ids)), hunk)
        self.cursor.move_to(back)
        answered = {h.id for h in change.hunks}
        along = [h for h in self._hunks_of(change) if h.id not in answered]
        self.screen.prose("Undone.", "cyan")
        say_along(back, "Undone too", along, self.screen)
        return True

    def _ignore(self, hunk: Hunk, reason: str) -> bool:
        if is_comment(hunk):
            self.screen.prose("This comment is what ignores the other hunk; skip it instead.")
            return False
        reason = reason or ask(f"Why is {hunk.rule} to be ignored here? ").strip()
        if not reason:
            self.screen.prose("Nothing is ignored without a reason.")
            return False
        if not reason.isprintable():
            self.screen.prose("Not ignored: there are control characters in the reason; "
                              "type it again.", "yellow")  # fmt: skip
            return False
        made = comment_hunk(hunk, reason)
        if isinstance(made, Problem):
            hint = f" ({made.hint})" if made.hint else ""
            self.screen.prose(f"Not ignored: {made.reason}{hint}.", "yellow")
            return False
        if (old := self.plan.get(made.id)) is not None:
            self.decisions.edit(old, made)
            self._tell(self.decisions.answer([made], True), hunk)
            return True
        self._tell(self.decisions.ignore(hunk, made), hunk)
        self.screen.prose(f"Rejected; a comment on line {hunk.line} says so.", "cyan")
        return True

    def _explain(self, hunk: Hunk, _: str) -> bool:
        explain(hunk, self.screen)
        return False

    def _keep(self, hunk: Hunk, _: str) -> bool:
        self.screen.prose(self.keep() if self.keep is not None else _NOT_KEPT, "cyan")
        return False

    def _widen(self, hunk: Hunk, _: str) -> bool:
        if self.key == "-" and not self.context:
            self.screen.prose("There are no more lines to leave out.")
            return False
        by = _MORE_CONTEXT if self.key == "+" else -_MORE_CONTEXT
        self.context = max(0, self.context + by)
        return True

    def _help(self, hunk: Hunk, _: str) -> bool:
        for key, text in keys.HELP.items():
            self.screen.prose(f"{key} - {text}", "bold red", indent=0)
        return False

    def _decide(self, hunks: Sequence[Hunk], accept: bool, lasting: bool = False) -> None:
        first = hunks[0]
        obstacle = self.decisions.consequence(first, True).obstacle if accept else ""
        change = self.decisions.answer(hunks, accept, lasting=lasting)
        if obstacle:
            self.screen.prose(f"Rejected: {obstacle}.", "yellow")
        self._tell(change, first, [h for h in hunks if self.decisions.verdict(h) is accept])

    def _tell(self, change: Change, hunk: Hunk, asked: Sequence[Hunk] = ()) -> None:
        """Say what went along with an answer."""
        mine = {h.id for h in (*asked, *change.removed, *change.added)}
        along = [h for h in self._hunks_of(change) if h.id not in mine]
        for text, verdict in (("Accepted too", True), ("Rejected too", False),
                              ("Undecided again", None)):  # fmt: skip
            found = [h for h in along if self.decisions.verdict(h) is verdict]
            say_along(hunk, text, found, self.screen)

    def _hunks_of(self, change: Change) -> list[Hunk]:
        found = filter(None, map(self.plan.get, change.verdicts))
        return self.plan.ordered(found)

    def _here_or_next(self) -> Hunk | None:
        """The hunk to ask about: where the cursor is, or the next undecided one if this was
        decided. A hunk that a person went to is asked about even if it is decided."""
        here = self.cursor.hunk
        if here is None or self.key not in "ynadADi":
            return here
        return self._first_undecided()

    def _first_undecided(self) -> Hunk | None:
        """The next undecided hunk, from the beginning again where there is none; waits for more."""
        while True:
            self._collect(False)
            here = [self.cursor.hunk] if self.cursor.hunk is not None else []
            for hunk in (*here, *self.cursor.after()):
                if self.decisions.verdict(hunk) is None:
                    self.cursor.move_to(hunk)
                    return hunk
            self.cursor.move_behind()
            if not self._collect(True):
                break
        left = (h for h in _all(self.plan) if self.decisions.verdict(h) is None)
        found = next(left, None)
        if found is not None:
            self.screen.prose("Back to what was left undecided.", "cyan")
            self.cursor.move_to(found)
        return found

    def _collect(self, wait: bool) -> bool:
        """Take in the hunks that have come; whether there are new ones, or may still be."""
        if self.more is None:
            return False
        count = len(self.plan.slots)
        with self.screen.waiting("Reading on …") if wait else contextlib.nullcontext():
            left = self.more(wait)
        if not left:
            self.more = None
            _settle_memory()
        arrived = [hunk for hunks in self.plan.slots[count:] for hunk in hunks]
        for change in self.decisions.take_arrivals():
            self._say_arrived(change)
        here = self.cursor.hunk
        for rule, (number, accept) in {r: (n, a) for n, r, a in self.lasting}.items():
            chosen = [h for h in arrived if h.rule == rule and self.decisions.verdict(h) is None]
            if chosen:
                change = self.decisions.answer_later(number, chosen, accept)
                self._tell(change, here or chosen[0], chosen)
                verb = "Accepted" if accept else "Rejected"
                self.screen.prose(f"{verb} {len(chosen)} more of {rule}.", "cyan")
        return bool(arrived) or self.more is not None

    def _say_arrived(self, change: Change) -> None:
        for hunk in self._hunks_of(change):
            verb = "Accepted" if self.decisions.verdict(hunk) else "Rejected"
            if not hunk.follows:
                self.screen.prose(f"{verb} because of an earlier answer: {hunk.rule} "
                                  f"({hunk.place})", "cyan")  # fmt: skip

    def _show(self, hunk: Hunk) -> None:
        more = "+" if self.more is not None else ""
        head = f"[{self.cursor.label(hunk)}/{len(self.plan.slots)}{more}] "
        show(hunk, self.plan, self.decisions, head, self.context, self.screen)


def _all(plan: Plan) -> list[Hunk]:
    return [hunk for hunks in plan.slots for hunk in hunks]
