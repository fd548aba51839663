"""loop: ask about each hunk until all are decided, or the person stops."""

from __future__ import annotations

import contextlib
import gc
import math
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from ..console.question import ResizedError, ask, ask_key, forget_typed
from ..console.terminal import echo
from ..decide.decisions import Change, Decisions
from ..hunks.hunk import Hunk
from ..hunks.plan import Plan
from . import keys
from .agenda import Agenda, Order, Step
from .answers import choose_answer
from .asking import ask_for_reason, ask_for_text
from .closing import Closing
from .ending import Choice, ask_to_write
from .explain import explain
from .heading import View
from .offered_options import Offers
from .overview import show_overview
from .preview import preview
from .review_manner import End, Manner
from .screen import Screen
from .show import consequences, say_along, show, whole
from .splitting import parts
from .told_answers import hunks_of, say_arrived, tell

_MORE_CONTEXT = 3
# An answer that takes more others along is asked about once more.
_MANY = 5
_NOT_KEPT = "Nothing is written before the review ends; until then the decisions are in memory."


More = Callable[[bool], bool]
"""Puts hunks that have come meanwhile into the plan (``Decisions.extend``), having waited for some
if it is called with True; says whether there may be more after them. Hunks of one file come
together."""
_USUAL = Manner()


def review(
    plan: Plan,
    decisions: Decisions,
    more: More | None = None,
    keep: Callable[[], str] | None = None,
    closing: Closing | None = None,
    manner: Manner = _USUAL,
    before: Callable[[Sequence[Hunk]], None] = lambda hunks: None,
    offers: Offers | None = None,
) -> End:
    """Ask about every undecided hunk, step by step; the decisions stay closed all the time.

    ``more`` is called for hunks that come during the review, ``keep`` for the key w: it makes the
    decisions last and returns what to say about that, ``closing`` before the end. ``before`` is
    told the hunks of each step before it is shown. ``offers`` has the options that may be taken.
    """
    loop = _Loop(plan, decisions, more, keep, manner, before, offers or Offers())
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
# So many seconds are long enough to type what is no answer to what comes then.
_A_WHILE = 0.5
# After which it is looked whether something has come.
_A_MOMENT = 0.02


def _settle_memory() -> None:
    """The plan lives on to the end: to look through all of it for garbage again and again takes
    longer than an answer may."""
    gc.freeze()


@dataclass(frozen=True)
class _Lasting:
    """An answer that holds for the hunks, too, that come later: its number, what it is for and in
    which words."""

    number: int
    fits: Callable[[Hunk], bool]
    what: str
    accept: bool


class _Loop:
    def __init__(
        self,
        plan: Plan,
        decisions: Decisions,
        more: More | None,
        keep: Callable[[], str] | None,
        manner: Manner,
        before: Callable[[Sequence[Hunk]], None],
        offers: Offers,
    ) -> None:
        self.plan = plan
        self.decisions = decisions
        self.more = more
        self.keep = keep
        self.manner = manner
        self.before = before
        self.offers = offers
        self.view = View(Screen(), offers)
        self.agenda = Agenda(decisions, manner.order)
        self.lasting: list[_Lasting] = []
        self.actions: dict[str, Callable[[Step, str], bool]] = {
            "y": self._one, "n": self._one, "a": self._rest, "d": self._rest,
            "A": self._everywhere, "D": self._everywhere, "P": self._proved, "L": self._left,
            "j": self._move, "J": self._move, "k": self._move, "K": self._move,
            "g": self._go, "/": self._go, "s": self._split, "o": self._turn, "O": self._option,
            "e": self._edit, "u": self._undo, "U": self._undo_one, "i": self._ignore,
            "r": self._explain, "t": self._table, "f": self._whole, "p": self._file,
            "v": self._patch, "w": self._keep, "+": self._widen, "-": self._widen,
            "?": self._help,
        }  # fmt: skip
        self.key = ""
        self.declined = False
        # For how many seconds nobody saw what is asked about.
        self.waited = math.inf
        self.ask = ask if manner.enter else ask_key

    @property
    def screen(self) -> Screen:
        return self.view.screen

    def run(self, closing: Closing | None = None) -> End:
        self._look_ahead()
        show_overview(self.decisions, self.screen, self.more is not None)
        asks = self.manner.asks_to_write
        try:
            ended = self._until_decided(self._first_undecided())
        except EOFError:
            if not asks:
                raise
            echo()
            ended = End.UNANSWERED
        try:
            while not self.offers.taken and (back := self._before_the_end(closing)) is not None:
                ended = self._from(back)
        except EOFError:
            if not asks:
                raise
            return End.DECLINED
        return End.DECLINED if self.declined else ended

    def _look_ahead(self) -> None:
        """Wait for all that is to come, where it is asked rule by rule; else for a moment."""
        until = time.monotonic() + self.manner.patience
        while self.more is not None:
            if self.manner.order is Order.RULE:
                self._collect(True)
            elif time.monotonic() < until:
                self._collect(False)
                time.sleep(_A_MOMENT)
            else:
                return

    def _before_the_end(self, closing: Closing | None) -> Hunk | None:
        """Ask what is asked at the end; the hunk to go back to, if there is one."""
        if closing is not None and (back := closing.ask(self._key, self.screen)) is not None:
            return back
        if not self.manner.asks_to_write:
            return None
        final = self.decisions if closing is None else closing.written()
        chosen = ask_to_write(final, self._key, self.screen, self.view.context)
        self.declined = chosen is Choice.NOTHING
        return self.plan.slots[0][0] if chosen is Choice.BACK else None

    def _from(self, hunk: Hunk) -> End:
        """Ask again, beginning with a hunk that may be decided."""
        self.key = ""
        step = self.agenda.step_of(hunk)
        self.agenda.move_to(step)
        return self._until_decided(step)

    def _until_decided(self, step: Step | None) -> End:
        """Ask, beginning with a step, until every hunk is decided or the person stops."""
        shown: Step | None = None
        while step is not None:
            self._collect(False)
            step = self.agenda.step_of(step.first)
            if shown is None or shown.hunks != step.hunks:
                self.before(step.hunks)
                show(step, self.agenda, self.decisions, self.view, self.more is not None)
            if self.waited > _A_WHILE:
                forget_typed()
            self.waited = 0
            try:
                answer = keys.read(given := self.ask(keys.prompt_for(len(self.agenda.asked(step)))))
            except ResizedError:
                echo()
                shown = None
                continue
            if answer is None:
                shown = step
                given = given.strip()
                echo(f'invalid response "{given}"' if given else keys.UNANSWERED)
                continue
            if answer.key == "q":
                return End.QUIT
            self.key = answer.key
            asked = Step(self.agenda.asked(step))
            again = self.actions[answer.key](asked, answer.argument)
            if self.offers.taken:
                return End.ANEW
            shown, step = (None if again else step), self._here_or_next()
        return End.DONE

    def _key(self, prompt: str) -> str:
        while True:
            with contextlib.suppress(ResizedError):
                return self.ask(prompt)

    def _sure(self, question: str) -> bool:
        while (answer := self._key(f"{question} [y,n]? ").strip().lower()) not in ("y", "n"):
            pass
        return answer == "y"

    # Each action says whether a step is to be shown; else only the question is asked again.

    def _one(self, step: Step, _: str) -> bool:
        return self._decide(step.hunks, self.key == "y", step)

    def _rest(self, step: Step, _: str) -> bool:
        module = step.first.module
        mine = Step([hunk for hunk in step.hunks if hunk.module is module])
        rest = [h for other in self.agenda.after() for h in other.hunks
                if h.module is module and self.decisions.verdict(h) is None]  # fmt: skip
        return self._decide([*mine.hunks, *rest], self.key == "a", mine)

    def _everywhere(self, step: Step, _: str) -> bool:
        rules = step.rules
        what = f"of {' and '.join(rules)}"
        return self._all(step, self.key == "A", lambda h: h.rule in rules, what)

    def _proved(self, step: Step, _: str) -> bool:
        proved = "for which nothing had to be assumed"
        return self._all(None, True, lambda h: not h.warnings, proved)

    def _left(self, step: Step, _: str) -> bool:
        return self._all(None, True, lambda h: True, "that were left")

    def _all(
        self, step: Step | None, accept: bool, fits: Callable[[Hunk], bool], what: str
    ) -> bool:
        """Decide all undecided hunks that fit, those of the step in any case."""
        mine = [] if step is None else step.hunks
        own = {hunk.id for hunk in mine}
        others = [h for h in self.decisions.undecided if fits(h) and h.id not in own]
        chosen = [*mine, *others]
        lasting = self.more is not None
        if not chosen and not lasting:
            self.screen.prose(f"There is no undecided hunk {what}.")
            return False
        if not self._decide(chosen, accept, step, lasting):
            return False
        count = sum(self.decisions.verdict(hunk) is accept for hunk in chosen)
        verb = "Accepted" if accept else "Rejected"
        later = ""
        if lasting:
            number = len(self.decisions.answers) - 1
            self.lasting.append(_Lasting(number, fits, what, accept))
            later = ", and all that are still to come"
        self.screen.prose(f"{verb} {count} hunk(s) {what}{later}.", "cyan")
        return True

    def _move(self, step: Step, _: str) -> bool:
        forward, undecided = self.key in "jJ", self.key in "jk"
        while True:
            way = self.agenda.after() if forward else self.agenda.before()
            found = next((s for s in way if not undecided or self.agenda.undecided(s)), None)
            if found is not None:
                self.agenda.move_to(found)
                return True
            if not forward or not self._collect(True):
                break
        which = "undecided hunk" if undecided else "hunk"
        self.screen.prose(f"There is no {which} {'after' if forward else 'before'} this one.")
        return False

    def _go(self, step: Step, where: str) -> bool:
        where = where or ask("Go to which hunk (number, or word of rule, file or code)? ")
        where = where.strip()
        if not where:
            return False
        number = where.removeprefix("#").replace(".", "", 1)
        is_number = self.key == "g" and number.isdecimal() and len(where) < _LONG
        while True:
            found = self.agenda.numbered(where) if is_number else self.agenda.search(where)
            # A number may be that of a hunk still to come; to find a word no one wants to wait.
            if found is not None or not is_number or not self._collect(True):
                break
        if found is None:
            what = f"number {where}" if is_number else f'"{where}" in its rule, file or code'
            self.screen.prose(f"There is no hunk with {what}; there are {len(self.plan.slots)}.")
            return False
        self.agenda.move_to(found)
        return True

    def _split(self, step: Step, _: str) -> bool:
        if step.is_group:
            self.agenda.take_apart(step)
            self.agenda.move_to(self.agenda.step_of(step.first))
            joint = any(len(self.agenda.unit_of(hunk)) > 1 for hunk in step.hunks)
            rest = "; those under one condition together" if joint else ""
            self.screen.prose(f"{len(step.hunks)} hunks, one by one{rest}.", "cyan")
            return True
        hunk = step.first
        found = parts(hunk, self.plan)
        if not found:
            self.screen.prose("It cannot be split: its changes make sense only together.")
            return False
        self._tell(self.decisions.split(hunk, found), hunk)
        self.screen.prose(f"Split into {len(found)} hunks.", "cyan")
        return True

    def _turn(self, step: Step, _: str) -> bool:
        by_rule = self.agenda.order is not Order.RULE
        self.agenda.order = Order.RULE if by_rule else Order.FILE
        self.agenda.move_to(self.agenda.step_of(step.first))
        self.screen.prose("Rule by rule." if by_rule else "File by file.", "cyan")
        return True

    def _option(self, step: Step, _: str) -> bool:
        return self.offers.choose(step.hunks, self._sure, self.screen)

    def _alone(self, step: Step) -> bool:
        """Whether it is about one hunk; else it is said how it can be."""
        if step.is_group:
            self.screen.prose("These are several hunks; s decides them one by one.")
        return not step.is_group

    def _edit(self, step: Step, _: str) -> bool:
        if not self._alone(step):
            return False
        edited = ask_for_text(step.first, self.plan, self.screen, self._sure)
        if edited is None:
            return False
        self._tell(self.decisions.edit(step.first, edited), step.first)
        return True

    def _undo(self, step: Step, _: str) -> bool:
        number = len(self.decisions.answers) - 1
        if number < 0:
            self.screen.prose("There is no answer to undo.")
            return False
        return self._undone(number, step)

    def _undo_one(self, step: Step, _: str) -> bool:
        number = choose_answer(self.decisions, ask, self.screen)
        return number is not None and self._undone(number, step)

    def _undone(self, number: int, step: Step) -> bool:
        last = number == len(self.decisions.answers) - 1
        change = self.decisions.undo() if last else self.decisions.undo_answer(number)
        assert change is not None
        self.lasting = [
            replace(one, number=one.number - (one.number > number))
            for one in self.lasting
            if one.number != number
        ]
        self.agenda.ask_again(change.hunks)
        ids = [*(h.id for h in change.added), *(h.id for h in change.hunks)]
        back = next(filter(None, map(self.plan.get, ids)), step.first)
        self.agenda.move_to(self.agenda.step_of(back))
        answered = {h.id for h in change.hunks}
        along = [h for h in hunks_of(change, self.plan) if h.id not in answered]
        self.screen.prose("Undone.", "cyan")
        if self.decisions.verdict(back):
            self.screen.prose("It stays accepted: other answers take it along.", "cyan")
        say_along(back, "Undone too", along, self.screen)
        return True

    def _ignore(self, step: Step, reason: str) -> bool:
        if not self._alone(step):
            return False
        hunk = step.first
        made = ask_for_reason(hunk, reason, ask, self.screen)
        if made is None:
            return False
        if (old := self.plan.get(made.id)) is not None:
            self.decisions.edit(old, made)
            self._tell(self.decisions.answer([made], True), hunk)
            return True
        self._tell(self.decisions.ignore(hunk, made), hunk)
        self.screen.prose(f"Rejected; a comment on {hunk.where} says so.", "cyan")
        return True

    def _explain(self, step: Step, _: str) -> bool:
        for hunk in step.rules.values():
            explain(hunk, self.screen)
        return False

    def _table(self, step: Step, _: str) -> bool:
        show_overview(self.decisions, self.screen, self.more is not None)
        return False

    def _whole(self, step: Step, _: str) -> bool:
        self.screen.page(whole(step, self.decisions, self.view.context))
        return False

    def _file(self, step: Step, _: str) -> bool:
        module = step.first.module
        lines = preview(self.decisions, self.view.context, module)
        if not lines:
            self.screen.prose(f"Nothing is accepted in {module.path} so far.")
        self.screen.page(lines)
        return False

    def _patch(self, step: Step, _: str) -> bool:
        lines = preview(self.decisions, self.view.context)
        if not lines:
            self.screen.prose("Nothing is accepted so far.")
        self.screen.page(lines)
        return False

    def _keep(self, step: Step, _: str) -> bool:
        self.screen.prose(self.keep() if self.keep is not None else _NOT_KEPT, "cyan")
        return False

    def _widen(self, step: Step, _: str) -> bool:
        if self.key == "-" and not self.view.context:
            self.screen.prose("There are no more lines to leave out.")
            return False
        by = _MORE_CONTEXT if self.key == "+" else -_MORE_CONTEXT
        self.view.context = max(0, self.view.context + by)
        return True

    def _help(self, step: Step, _: str) -> bool:
        for key, text in keys.HELP.items():
            self.screen.prose(f"{key} - {text}", "bold red", indent=0)
        return False

    def _decide(
        self, hunks: Sequence[Hunk], accept: bool, step: Step | None, lasting: bool = False
    ) -> bool:
        """Give an answer to hunks; False if the person thinks better of it, seeing how many others
        it takes along."""
        along = consequences(hunks, self.decisions, accept)
        others = [h for h in (*along.accepted, *along.rejected) if not h.follows]
        if len(others) > _MANY and self._asks_twice:
            say_along(hunks[0], "It accepts, too", along.accepted, self.screen, done=False)
            say_along(hunks[0], "It rejects, too", along.rejected, self.screen, done=False)
            if not self._sure(f"It decides {len(others)} other hunks. Do so"):
                return False
        first = hunks[0] if hunks else None
        obstacle = ""
        if first is not None and accept:
            obstacle = self.decisions.consequence(first, True).obstacle
        if step is not None:
            self.agenda.answered(step)
        asked = len(step.hunks) if step is not None else 0
        change = self.decisions.answer(hunks, accept, asked, lasting)
        if obstacle:
            self.screen.prose(f"Rejected: {obstacle}.", "yellow")
        if first is not None:
            decided = [h for h in hunks if self.decisions.verdict(h) is accept]
            self._tell(change, first, decided)
        return True

    @property
    def _asks_twice(self) -> bool:
        """Whether somebody is there who may think better of an answer."""
        return sys.stdin.isatty()

    def _tell(self, change: Change, hunk: Hunk, asked: Sequence[Hunk] = ()) -> None:
        tell(change, hunk, asked, self.decisions, self.screen)

    def _here_or_next(self) -> Step | None:
        """The step to ask about: where the agenda is, or the next undecided one if this was
        decided. What a person went to is asked about even if it is decided."""
        here = self.agenda.step
        if here is None or self.key not in "ynadADPLi":
            return here
        return self._first_undecided()

    def _first_undecided(self) -> Step | None:
        """The next undecided step, from the beginning again where there is none; waits for
        more."""
        while True:
            self._collect(False)
            here = [self.agenda.step] if self.agenda.step is not None else []
            for step in (*here, *self.agenda.after()):
                if self.agenda.undecided(step):
                    self.agenda.move_to(step)
                    return step
            self.agenda.move_behind()
            if not self._collect(True):
                break
        found = next((s for s in self.agenda.steps if self.agenda.undecided(s)), None)
        if found is not None:
            self.screen.prose("Back to what was left undecided.", "cyan")
            self.agenda.move_to(found)
        return found

    def _collect(self, wait: bool) -> bool:
        """Take in the hunks that have come; whether there are new ones, or may still be."""
        if self.more is None:
            return False
        count = len(self.plan.slots)
        began = time.monotonic()
        with self.screen.waiting("Reading on …") if wait else contextlib.nullcontext():
            left = self.more(wait)
        self.waited += time.monotonic() - began
        if not left:
            self.more = None
            _settle_memory()
        arrived = [hunk for hunks in self.plan.slots[count:] for hunk in hunks]
        for change in self.decisions.take_arrivals():
            say_arrived(change, self.decisions, self.screen)
        here = self.agenda.step
        # Of two that are for the same hunk the later holds.
        for one in sorted(self.lasting, key=lambda one: -one.number):
            chosen = [h for h in arrived if one.fits(h) and self.decisions.verdict(h) is None]
            if chosen:
                change = self.decisions.answer_later(one.number, chosen, one.accept)
                self._tell(change, chosen[0] if here is None else here.first, chosen)
                verb = "Accepted" if one.accept else "Rejected"
                self.screen.prose(f"{verb} {len(chosen)} more {one.what}.", "cyan")
        return bool(arrived) or self.more is not None
