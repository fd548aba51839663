"""deciding: many hunks at once, by what is kept of them; decisions stay closed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from enum import Enum

from sqlalchemy.engine import Connection

from ..records import campaigns, hunks
from ..records.recorded import TOOK, DecisionRow, Event, Known
from ..state.decision import Verdict, now


class Answer(Enum):
    ACCEPT = "accept"
    REJECT = "reject"
    REOPEN = "reopen"


@dataclass
class Answered:
    """The hunks that an answer changes, and those that it cannot be given to, with the reason."""

    changed: list[Known] = field(default_factory=list)
    left: list[tuple[Known, str]] = field(default_factory=list)


def answered(picked: Iterable[Known], known: Sequence[Known], answer: Answer) -> Answered:
    """What an answer to some of the ``known`` hunks does. Accepted is what a hunk requires, too;
    rejected, and reopened, what was accepted and requires it."""
    keys = {one.found.key: one for one in known}
    result = Answered()
    if answer is Answer.ACCEPT:
        took = {one.found.key for one in known if one.verdict in TOOK}
        excluded = _excluded(known)
        for one in picked:
            group = [one, *(keys[key] for key in one.found.requires if key in keys)]
            reason = _obstacle(group, took, excluded)
            if reason:
                result.left.append((one, reason))
                continue
            new = [other for other in group if other.found.key not in took]
            took.update(other.found.key for other in new)
            result.changed += new
        return result
    dependents: dict[str, list[Known]] = defaultdict(list)
    for one in known:
        for key in one.found.requires:
            dependents[key].append(one)
    found: dict[int, Known] = {}
    for one in picked:
        others = dependents[one.found.key]
        if answer is Answer.REOPEN:
            others = [other for other in others if other.verdict in TOOK]
        found.update((other.id, other) for other in (one, *others))
    result.changed = list(found.values())
    return result


def keep_answer(
    connection: Connection,
    campaign: int,
    changed: Sequence[Known],
    answer: Answer,
    digest: str,
    by: str,
    comment: str = "",
) -> None:
    """Keep an answer; ``digest`` is that of the packs."""
    at = now()
    kind = "taken back" if answer is Answer.REOPEN else "decided"
    about: dict[str, object] = {"comment": comment} if comment else {}
    if answer is not Answer.REOPEN:
        about["verdict"] = _VERDICTS[answer].value
    events = [
        Event(kind, by, at, {**about, "was": was_said(one)}, one.shard, one.id) for one in changed
    ]
    if answer is Answer.REOPEN:
        hunks.forget(connection, [one.id for one in changed])
    else:
        hunks.decide(connection, (
            DecisionRow(one.id, _VERDICTS[answer].value, (one.found.surroundings,), digest, (),
                        at, by, comment)
            for one in changed
        ))  # fmt: skip
    campaigns.happened(connection, campaign, events)


def was_said(one: Known) -> dict[str, object] | None:
    """What is kept of the decision that another takes the place of."""
    return asdict(one.decision) if one.decision is not None else None


def meanwhile(one: Known) -> str:
    """What somebody is told whose answer comes after another's."""
    by = f" by {one.decision.by}" if one.decision is not None else ""
    return f"meanwhile it is {one.verdict or 'open again'}{by}"


def taken_back(
    connection: Connection, campaign: int, known: Sequence[Known], said: Sequence[Event], by: str
) -> list[int]:
    """Have hunks be as they were before an answer, of which ``said`` are the events; only those of
    which nobody said anything since. Their numbers."""
    at = now()
    changed: list[int] = []
    events: list[Event] = []
    back: list[DecisionRow] = []
    ids = {one.id: one for one in known}
    for event in said:
        one = ids.get(event.hunk or 0)
        if one is None or one.decision is None or one.decision.decided != event.at:
            continue
        changed.append(one.id)
        events.append(Event("taken back", by, at, {"was": was_said(one)}, one.shard, one.id))
        was = event.about.get("was")
        if was is not None:
            back.append(DecisionRow(**{**was, "surroundings": tuple(was["surroundings"])}))
    hunks.forget(connection, changed)
    hunks.decide(connection, back)
    campaigns.happened(connection, campaign, events)
    return changed


def _excluded(known: Sequence[Known]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = defaultdict(set)
    for one in known:
        for other in one.found.alternatives:
            found[one.found.key].add(other)
            found[other].add(one.found.key)
    return found


def _obstacle(group: Sequence[Known], took: set[str], excluded: dict[str, set[str]]) -> str:
    for one in group:
        if one.verdict is not None and one.verdict not in TOOK and one is not group[0]:
            return f"it requires {one.found.rule} (line {one.found.line}), which is {one.verdict}"
        if not took.isdisjoint(excluded.get(one.found.key, ())):
            return "an alternative of it is accepted"
    return ""


_VERDICTS = {Answer.ACCEPT: Verdict.ACCEPTED, Answer.REJECT: Verdict.REJECTED}
