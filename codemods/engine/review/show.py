"""show: a step on the screen: what it is, why, what depends on it, and its diff."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from rich.text import Text

from pinsetter.analyzer.files.source import line_of
from pinsetter.analyzer.messages.visible import visible
from pinsetter.analyzer.names.module import Module
from pinsetter.patterns.edits.edit import Edit

from ..console.terminal import echo_document
from ..decide.decisions import Consequence, Decisions
from ..hunks.diff import unified
from ..hunks.hunk import Hunk
from ..hunks.line_diff import Part, line_diff
from .agenda import Agenda, Step
from .heading import View, show_heading
from .marks import styled
from .rows import fits, folded, numbered, rows
from .screen import Screen

_NAMED = 4
# Lines that the question and an answer to the one before take.
_REST = 3


def show(step: Step, agenda: Agenda, decisions: Decisions, view: View, more: bool = False) -> None:
    """Print a step: place, rule, reason, warnings, what it depends on, and its diff in the file as
    it is decided so far; folded, on a terminal, to what fits there."""
    group, step = step, Step(agenda.asked(step))
    screen = view.screen
    before = screen.rows
    show_heading(step, agenda, decisions, view, more)
    _show_decision(group, decisions, screen)
    _show_consequences(step, agenda, decisions, screen)
    shown = _diff(step, agenda, decisions, view, screen.height - _REST - (screen.rows - before))
    _show_places([h for h in step.hunks if h.id not in shown], agenda, decisions, view, before)


def whole(step: Step, decisions: Decisions, context: int) -> list[Text]:
    """All that a step changes, for a pager."""
    found: list[Text] = []
    for module, hunks in _by_module(step.hunks).items():
        found.append(Text(visible(str(module.path)), style="bold"))
        found += [row.text for row in rows(_parts(module, hunks, decisions, context))]
    return found


def show_diff(lines: Sequence[str], screen: Screen | None = None, applied: bool = False) -> None:
    """Print a diff, in colours where there are any. If it may be ``applied`` by a program, the code
    in it is what it is, but on a terminal."""
    screen = screen or Screen()
    if not screen.is_terminal:
        for number, line in enumerate(line.rstrip("\r") for line in lines):
            if applied and number > 1:
                echo_document(f"{line}\n")
            else:
                screen.line(line)
        return
    for text in styled(lines):
        screen.line(text)


def say_along(
    hunk: Hunk, what: str, others: Sequence[Hunk], screen: Screen, done: bool = True
) -> None:
    """Say which hunks went, or would go, along with one."""
    asked = [other for other in others if not other.follows]
    if asked:
        style = "dim cyan" if done else "cyan"
        screen.prose(f"{what}: {listed(asked, hunk)}", style)


def listed(hunks: Sequence[Hunk], beside: Hunk) -> str:
    """A few hunks by rule and place; of many how many there are of each rule."""
    if len(hunks) <= _NAMED:
        return ", ".join(named(hunk, beside) for hunk in hunks)
    counts = Counter(hunk.rule for hunk in hunks)
    places = {hunk.rule: named(hunk, beside) for hunk in hunks}
    return ", ".join(f"{rule} x {n}" if n > 1 else places[rule] for rule, n in counts.items())


def named(hunk: Hunk, beside: Hunk) -> str:
    if hunk.module is beside.module:
        return f"{hunk.rule} ({hunk.where})"
    return f"{hunk.rule} ({hunk.place})"


def consequences(hunks: Sequence[Hunk], decisions: Decisions, accept: bool) -> Consequence:
    """What goes along with one answer to hunks."""
    own = {hunk.id for hunk in hunks}
    accepted: dict[str, Hunk] = {}
    rejected: dict[str, Hunk] = {}
    obstacle = ""
    for hunk in hunks:
        found = decisions.consequence(hunk, accept)
        accepted.update({h.id: h for h in found.accepted if h.id not in own})
        rejected.update({h.id: h for h in found.rejected if h.id not in own})
        obstacle = obstacle or found.obstacle
    return Consequence(tuple(accepted.values()), tuple(rejected.values()), obstacle)


def _diff(step: Step, agenda: Agenda, decisions: Decisions, view: View, height: int) -> set[str]:
    """Print the diff of a step, in a group as far as it fits; the ids of the hunks that it has."""
    screen = view.screen
    first = step.first.module
    mine = [hunk for hunk in step.hunks if hunk.module is first]
    parts = _parts(first, mine, decisions, view.context)
    room = height - len(step.hunks) + len(mine)
    if len(mine) > 1 and screen.is_terminal and not fits(parts, screen.width, room):
        unit = set(agenda.unit_of(step.first))
        mine = [hunk for hunk in mine if hunk in unit]
        parts = _parts(first, mine, decisions, view.context)
    if screen.is_terminal:
        for row in folded(rows(parts), screen.width, height - (len(step.hunks) - len(mine))):
            screen.line(row.text)
    else:
        show_diff([f"--- {first.path}", f"+++ {first.path}", *unified(parts)], screen)
    return {hunk.id for hunk in mine}


def _parts(module: Module, hunks: Sequence[Hunk], decisions: Decisions, context: int) -> list[Part]:
    """What hunks of a file change in it, as it is decided so far without them."""
    plan = decisions.plan
    own = {hunk.id for hunk in hunks}
    for hunk in hunks:
        own |= {o.id for o in plan.required_by(hunk) if o.follows and o.module is module}
    made: list[Edit] = []
    edits: list[Edit] = []
    excluded = {other.id for hunk in hunks for other in plan.alternatives_of(hunk)}
    apart = own | excluded
    accepted = {hunk.id: hunk for hunk in plan.of_module(module) if hunk.id not in apart
                and not hunk.follows and decisions.verdict(hunk)}  # fmt: skip
    needed = {id for hunk in accepted.values() for id in hunk.requires}
    for hunk in plan.of_module(module):
        if hunk.id in accepted or (hunk.follows and hunk.id in needed):
            made += hunk.edits
        elif hunk.id in own:
            edits += hunk.edits
    return numbered(module, line_diff(module.source.text, edits, context, made))


def _show_places(
    hunks: Sequence[Hunk], agenda: Agenda, decisions: Decisions, view: View, before: int
) -> None:
    """Print where the other hunks of a group are."""
    screen = view.screen
    room = max(_NAMED, screen.height - _REST - (screen.rows - before))
    shown = hunks if len(hunks) <= room or not screen.is_terminal else hunks[: room - 1]
    for hunk in shown:
        verdict = decisions.verdict(hunk)
        state = "" if verdict is None else " (accepted)" if verdict else " (rejected)"
        code = line_of(hunk.module.source.text, hunk.line).strip()
        line = visible(f"  {agenda.label(hunk)} {hunk.place}{state}  {code}")
        screen.line(_cut(line, screen))
    if len(shown) < len(hunks):
        screen.prose(f"… and {len(hunks) - len(shown)} more (f shows all)", "dim")


def _cut(line: str, screen: Screen) -> Text:
    text = Text(line)
    if screen.is_terminal:
        text.truncate(screen.width, overflow="ellipsis")
    return text


def _by_module(hunks: Sequence[Hunk]) -> dict[Module, list[Hunk]]:
    found: dict[Module, list[Hunk]] = {}
    for hunk in hunks:
        found.setdefault(hunk.module, []).append(hunk)
    return found


def _show_decision(step: Step, decisions: Decisions, screen: Screen) -> None:
    verdicts = [decisions.verdict(hunk) for hunk in step.hunks]
    if None in verdicts:
        done = len(verdicts) - verdicts.count(None)
        if done:
            screen.prose(f"{done} of these are decided; an answer is for the others.", "magenta")
    elif all(verdicts) or not any(verdicts):
        said = "Accepted" if verdicts[0] else "Rejected"
        screen.prose(f"{said} before; an answer changes that.", "magenta")
    else:
        screen.prose("All of these are decided; an answer changes that for all.", "magenta")


def _show_consequences(step: Step, agenda: Agenda, decisions: Decisions, screen: Screen) -> None:
    hunk, plan = step.first, agenda.plan
    for other in plan.alternatives_of(hunk):
        verdict = decisions.verdict(other)
        state = "" if verdict is None else " (accepted)" if verdict else " (rejected)"
        screen.prose(f"Or instead: {named(other, hunk)}: {other.title}{state}", "magenta")
    required = {o.id: o for one in step.hunks for o in plan.required_by(one)
                if decisions.verdict(o)}  # fmt: skip
    say_along(hunk, "Requires what is accepted", list(required.values()), screen)
    it = "them" if step.is_group else "it"
    accepting = consequences(step.hunks, decisions, True)
    if accepting.obstacle:
        screen.prose(f"It cannot be accepted: {accepting.obstacle}.", "yellow")
    say_along(hunk, f"Accepting {it} accepts", accepting.accepted, screen, done=False)
    say_along(hunk, f"Accepting {it} rejects", accepting.rejected, screen, done=False)
    rejecting = consequences(step.hunks, decisions, False)
    say_along(hunk, f"Rejecting {it} rejects", rejecting.rejected, screen, done=False)
