"""The commands ``pinsetter campaign edit`` and ``split``: another text of a hunk, and its parts."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NoReturn

import click

from pinsetter.analyzer.messages.problem import Problem
from pinsetter.analyzer.messages.visible import visible

from ..campaign.deciding import meanwhile
from ..campaign.shard_work import ShardWork
from ..campaign.workshop import Workshop
from ..console.exit_code import ExitCode
from ..console.question import ask
from ..console.terminal import Styled, echo, echo_document, echo_json
from ..hunks.hunk import Hunk
from ..records import hunks
from ..records.recorded import HunkState, Known, Repository, ShardRow
from .campaign_options import (
    chosen,
    codemod,
    fail,
    home_options,
    jobs_option,
    looked_at,
)
from .shard_hunks import hunks_of, ready_of

_GONE = "it is not proposed any more"


@dataclass(frozen=True)
class _Asked:
    """A hunk that is asked about, as a plan has it now, and the work that it is of. ``others`` says
    what somebody else made of it meanwhile."""

    work: ShardWork
    known: Known
    hunk: Hunk
    others: Callable[[], str]

    def check(self) -> None:
        """End where it is not as it was when it was asked for: to read the code takes a while."""
        said = self.others()
        if said:
            fail(Problem(self.hunk.module.path, said, self.hunk.line))

    def give_up(self, reason: str) -> NoReturn:
        """Have all be as it was, and say why."""
        while self.work.decisions.undo() is not None:
            pass
        self.keep()
        fail(Problem(self.hunk.module.path, reason, self.hunk.line))

    def keep(self) -> None:
        """Save what was decided, or say why not."""
        self.work.session.keep()
        if self.work.session.problem is not None:
            fail(self.work.session.problem)


def _one_hunk(command: Callable[..., Any]) -> Callable[..., Any]:
    """What both commands take."""
    for option in (
        home_options,
        jobs_option,
        click.option("--json", "as_json", is_flag=True, help="For programs."),
        click.option("--by", help="Whose answer it is, where that is not what git says."),
        click.option("--seen", metavar="VERDICT",
                     help="Change nothing unless this is what was decided; empty for nothing."),
        click.option("--repository", metavar="NAME", help="The hunk of this repository."),
        click.argument("id"),
        click.argument("name"),
    ):  # fmt: skip
        command = option(command)
    return command


@click.command("edit")
@_one_hunk
@click.option("--show", is_flag=True, help="Print what --text takes, and change nothing.")
@click.option(
    "--text", type=click.File("r", encoding="utf-8"), metavar="FILE",
    help="The text, instead of what an editor makes of it; - is standard input.",
)  # fmt: skip
def edit_command(show: bool, text: Any, as_json: bool, **given: Any) -> None:
    """Give the hunk ID of NAME, as `status --hunks` shows it, another text, and accept it. The text
    is that of an editor, or of --text."""
    from ..review import editing
    from ..review.asking import ask_for_text
    from ..review.screen import Screen

    with _asked(changes=not show, **given) as asked:
        hunk, plan = asked.hunk, asked.work.planned.plan
        if hunk.part_of:
            asked.give_up("it is split; reopen it to give it another text as a whole")
        form = editing.form_of(hunk)
        if show:
            _say({"text": form.text}, as_json, form.text)
            return
        if text is None:
            changed = ask_for_text(hunk, plan, Screen(), _sure)
        else:
            made = editing.edited(form, text.read(), plan)
            if isinstance(made, str):
                asked.give_up(f"not taken: {made}")
            changed = made
        if changed is None:
            _say({"changed": False}, as_json, "The hunk stays as it was.\n")
            return
        asked.check()
        asked.work.decisions.edit(hunk, changed)
        asked.work.decisions.accept(changed)
        if not asked.work.decisions.verdict(changed):
            asked.give_up("not accepted: what it requires is not")
        asked.keep()
        _say({"changed": True, "diff": changed.lines[2:]}, as_json, _shown(changed.lines[2:]))


@click.command("split")
@_one_hunk
@click.option("--accept", "taken", metavar="NUMBERS", callback=lambda _, __, text: _numbers(text),
              help="Accept these parts, as 1,3, and reject the others; 0 is none.")  # fmt: skip
def split_command(taken: set[int] | None, as_json: bool, **given: Any) -> None:
    """Show the parts of the hunk ID of NAME, as `status --hunks` shows it, or accept some."""
    from ..review.splitting import parts

    with _asked(changes=taken is not None, **given) as asked:
        plan, decisions = asked.work.planned.plan, asked.work.decisions
        before = [hunk for hunk in plan.hunks if hunk.part_of == asked.known.found.key]
        found = before or parts(asked.hunk, plan)
        if not found:
            asked.give_up("it cannot be split: its changes make sense only together")
        if taken is not None:
            strange = taken - {0, *range(1, len(found) + 1)}
            if strange:
                raise click.UsageError(
                    f"There is no part {min(strange)}; the last is {len(found)}."
                )
            asked.check()
            if not before:
                decisions.split(asked.hunk, found)
            _decide(asked, found, taken)
            asked.keep()
        told: list[dict[str, Any]] = [
            {"number": number, "line": part.line, "verdict": _verdict(decisions.verdict(part)),
             "diff": part.lines[2:]}
            for number, part in enumerate(found, 1)
        ]  # fmt: skip
        if as_json:
            echo_json({"parts": told})
            return
        for one in told:
            echo(Styled(f"{one['number']}  {one['verdict']}", bold=True))
            echo_document(_shown(one["diff"]))


def _sure(question: str) -> bool:
    try:
        return ask(f"{question} [y,n]? ").strip().lower() == "y"
    except EOFError:
        return False


def _decide(asked: _Asked, found: Sequence[Hunk], taken: set[int]) -> None:
    decisions = asked.work.decisions
    # Rejecting may take along what the others require.
    for number, part in enumerate(found, 1):
        if number in taken:
            decisions.accept(part)
    for number, part in enumerate(found, 1):
        if number not in taken:
            decisions.reject(part)
    for number, part in enumerate(found, 1):
        if decisions.verdict(part) != (number in taken):
            how = "rejected: what is accepted requires it"
            if number in taken:
                how = "accepted: what it requires is not"
            asked.give_up(f"part {number} is not {how}")


def _verdict(verdict: bool | None) -> str:
    return "open" if verdict is None else "accepted" if verdict else "rejected"


def _numbers(text: str | None) -> set[int] | None:
    if text is None:
        return None
    numbers = [one.strip() for one in text.split(",")]
    if not all(one.isdecimal() and one.isascii() for one in numbers):
        raise click.BadParameter(f"{text!r} is not of the form 1,3.")
    return {int(one) for one in numbers}


@contextmanager
def _asked(
    changes: bool,
    name: str,
    id: str,
    repository: str | None,
    by: str | None,
    seen: str | None,
    jobs: int,
    home: Any,
) -> Iterator[_Asked]:
    """The hunk that is named; ends with a message where there is none."""
    with looked_at(home, name) as workshop:
        place, row, known = _found(workshop, id, repository)
        was = known.verdict or ""
        if seen is not None and seen != was:
            fail(Problem(place.path, meanwhile(known)))

        def others() -> str:
            now = _found(workshop, id, place.name)[2]
            return "" if now.decision == known.decision else meanwhile(now)

        wanted = codemod(workshop.campaign.pack, workshop.campaign.settings, jobs)
        ready = ready_of(workshop, place, wanted)
        if ready is None:
            sys.exit(ExitCode.FAILED)
        work, _ = hunks_of(workshop, place, [row], wanted, ready, reviewing=changes, by=by)
        plan = work.planned.plan
        hunk = plan.get(id) or next((h for h in plan.hunks if h.part_of == id), None)
        if hunk is None:
            fail(Problem(place.path, f"{id}: {_GONE}", hint=f"pinsetter campaign scan {name}"))
        try:
            yield _Asked(work, known, hunk, others)
        finally:
            work.session.close()


def _found(
    workshop: Workshop, id: str, repository: str | None
) -> tuple[Repository, ShardRow, Known]:
    found = []
    for place, rows in chosen(workshop, (), ()):
        if repository is not None and place.name != repository:
            continue
        with workshop.store.look() as connection:
            known = hunks.known(
                connection, shards=[row.id for row in rows], states=[HunkState.PROPOSED]
            )
        shards = {row.id: row for row in rows}
        found += [(place, shards[one.shard], one) for one in known if one.found.key == id]
    if not found:
        raise click.UsageError(
            f"There is no hunk {id!r} that is proposed; status --hunks has them."
        )
    if len(found) > 1:
        names = ", ".join(place.name for place, _, _ in found)
        raise click.UsageError(f"There is a hunk {id} in {names}; say which: --repository NAME.")
    return found[0]


def _shown(lines: Sequence[str]) -> str:
    return "".join(f"{visible(line)}\n" for line in lines)


def _say(told: Mapping[str, Any], as_json: bool, text: str) -> None:
    if as_json:
        echo_json(told)
    else:
        echo_document(text)
