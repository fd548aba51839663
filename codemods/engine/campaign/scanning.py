"""scanning: the hunks of a repository's newest commit, put to those that a campaign knows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from sqlalchemy.engine import Connection

from pinsetter.analyzer.messages.problem import Problem

from ..git.side_repository import SideRepository
from ..records import campaigns, hunks
from ..records.recorded import TOOK, Campaign, Event, Found, HunkState, Known, Repository, ShardRow
from ..records.store import Store
from ..shards.owners import Owners, owners_of
from ..shards.sharding import By, Shard, readable, sharded, units
from ..state.decision import now
from .commit_plan import Codemod, Proposed
from .matching import Matched, matched


@dataclass
class Scanned:
    """What became of a repository's hunks; ``problems`` are of files that were not understood,
    ``notes`` what is to be said besides."""

    commit: str
    unchanged: bool = False
    new: int = 0
    merged: int = 0
    gone: int = 0
    regressed: int = 0
    reopened: int = 0
    moved: int = 0
    problems: list[Problem] = field(default_factory=list)
    notes: list[Problem] = field(default_factory=list)


def scan(
    store: Store,
    campaign: Campaign,
    repository: Repository,
    side: SideRepository,
    codemod: Codemod,
    by: str,
    again: bool = False,
) -> Scanned | Problem:
    """Look at the newest commit of a repository's branch. Where it is the one that was looked at
    last, with the same packs, nothing is done, unless ``again``. Raises RecordsError, GitSilence,
    OSError."""
    commit = side.commit_of(f"refs/heads/{repository.branch}")
    if commit is None:
        return Problem(repository.path, f"there is no branch {repository.branch!r} any more",
                       hint="it is scanned again when there is one")  # fmt: skip
    result = Scanned(commit)
    if commit == repository.commit and codemod.digest == repository.digest and not again:
        result.unchanged = True
        return result
    with side.reading(commit, repository.path):
        proposed = codemod.proposed(repository.path)
        owners = owners_of(repository.path)
        _put_to_known(store, campaign, repository, codemod, proposed, owners, by, result)
    return result


def _put_to_known(
    store: Store,
    campaign: Campaign,
    repository: Repository,
    codemod: Codemod,
    proposed: Proposed,
    owners: Owners,
    by: str,
    result: Scanned,
) -> None:
    result.problems += [*proposed.planned.problems, *proposed.planned.faults]
    result.notes += [*owners.problems, *proposed.planned.refused, *proposed.planned.notes]
    with store.change() as connection:
        # On another machine somebody may have scanned the same meanwhile.
        campaigns.alone(connection, campaign.id)
        known = hunks.known(connection, repository=repository.id)
        there = campaigns.shards(connection, repository.id)
        found = matched(known, proposed.found, proposed.unread, proposed.has)
        homes = _homes(connection, campaign, repository, proposed, owners, known, there)
        _keep(connection, campaign, repository, found, homes, by, there, result)
        # What could not be read is looked at again.
        digest = codemod.digest if not proposed.unread else ""
        campaigns.note_scanned(connection, repository.id, result.commit, digest)
        about = {"repository": repository.name, "commit": result.commit}
        campaigns.happened(connection, campaign.id, [Event("scanned", by, now(), about)])


def _homes(
    connection: Connection,
    campaign: Campaign,
    repository: Repository,
    proposed: Proposed,
    owners: Owners,
    known: Sequence[Known],
    there: Sequence[ShardRow],
) -> dict[bytes, int]:
    """The shard of each file."""
    paths = {one.path for one in proposed.found}
    paths |= proposed.unread & {one.found.path for one in known}
    names = {row.id: row.name for row in there}
    shards = {row.name: Shard(row.name, row.owners) for row in there}
    for one in known:
        if one.state is not HunkState.MERGED and one.state is not HunkState.GONE:
            shards[names[one.shard]].files.add(one.found.path)
    closed = {row.name for row in there if row.applied is not None}
    settings = campaign.settings
    made = sharded(
        units(paths, proposed.together(), {path: owners.of(path) for path in paths},
              proposed.programs()),
        By(settings["by"]), settings.get("size"), shards.values(), closed,
    )  # fmt: skip
    ids = {row.name: row.id for row in there}
    for shard in made:
        if shard.name not in ids and shard.files:
            branch = f"pinsetter/{readable(campaign.name)}/{shard.name}"
            ids[shard.name] = campaigns.add_shard(
                connection, repository.id, shard.name, shard.owners, branch
            )
    return {path: ids[shard.name] for shard in made for path in shard.files}


def _keep(
    connection: Connection,
    campaign: Campaign,
    repository: Repository,
    found: Matched,
    homes: Mapping[bytes, int],
    by: str,
    there: Sequence[ShardRow],
    result: Scanned,
) -> None:
    at = now()
    events: list[Event] = []
    rows: list[tuple[int | None, int, Found]] = [
        (was.id, homes[one.path], one)
        for was, one in found.same
        if was.shard != homes[one.path] or hunks.kept(replace(one, state=was.state)) != was.found
    ]
    changed = len(rows)
    rows += ((None, homes[one.path], one) for one in found.new)
    ids = hunks.put(connection, campaign.id, repository.id, rows, at)

    def tell(kind: str, id: int, shard: int, **about: object) -> None:
        events.append(Event(kind, by, at, about, shard, id))

    for id, (_, shard, one) in list(zip(ids, rows, strict=True))[changed:]:
        tell("found", id, shard, state=one.state.value)
        result.new += one.state is HunkState.PROPOSED
    again: list[int] = []
    for was, one in found.same:
        shard = homes[one.path]
        if was.shard != shard:
            tell("moved", was.id, shard)
            result.moved += 1
        if one.state is not was.state:
            came_back = was.state is HunkState.MERGED and one.state is HunkState.PROPOSED
            hunks.set_state(connection, [was.id], one.state, at, came_back)
            tell("regressed" if came_back else one.state.value, was.id, shard)
            result.regressed += came_back
            if came_back:
                again.append(was.id)
                continue
        decision = was.decision
        if decision is not None and one.surroundings not in decision.surroundings:
            tell("reopened", was.id, shard, verdict=decision.verdict, by=decision.by)
            again.append(was.id)
            result.reopened += 1
    hunks.forget(connection, again)
    applied = {row.id for row in there if row.applied is not None}
    for state, some in _left(found.left, applied):
        hunks.set_state(connection, [one.id for one in some], state, at)
        for known in some:
            tell(state.value, known.id, known.shard)
        if state is HunkState.MERGED:
            result.merged += len(some)
        else:
            result.gone += sum(known.state is HunkState.PROPOSED for known in some)
    campaigns.happened(connection, campaign.id, events)


def _left(known: Iterable[Known], applied: set[int]) -> Iterable[tuple[HunkState, list[Known]]]:
    """What became of hunks that are proposed no more, of those that were until now."""
    now_left = [one for one in known if one.state not in (HunkState.MERGED, HunkState.GONE)]
    merged = [
        one for one in now_left
        if one.state is HunkState.PROPOSED and one.shard in applied
        and one.verdict in TOOK
    ]  # fmt: skip
    took = {one.id for one in merged}
    return (
        (HunkState.MERGED, merged),
        (HunkState.GONE, [one for one in now_left if one.id not in took]),
    )
