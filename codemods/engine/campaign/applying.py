"""applying: what is accepted of a shard, as one commit on a branch of the repository."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from pinsetter.analyzer.messages.problem import Problem
from pinsetter.analyzer.names.module import Module
from pinsetter.patterns.edits.edit import Edit

from ..decide.accepted_edits import accepted_edits
from ..decide.lacking import hold_back
from ..files.new_content import new_content
from ..git.git_stand_in import GitSilence
from ..git.side_repository import Conflict, Identity, SideRepository
from ..hunks.fingerprint import surroundings
from ..records import campaigns, hunks
from ..records.checks import CheckRow
from ..records.recorded import Campaign, Event, Known, ShardRow
from ..records.store import Store
from ..state.decision import now
from .commit_plan import Proposed
from .message import CAMPAIGN, SHARD, message, trailers
from .shard_work import ShardWork


@dataclass
class Applied:
    """What became of a shard's branch: ``commit`` is where it is, ``own`` the one that was made of
    ``hunks``; ``open`` are not decided. ``kept`` counts the commits of others that were put on
    it."""

    commit: str | None = None
    own: str | None = None
    changed: bool = False
    hunks: int = 0
    open: int = 0
    kept: int = 0
    problems: list[Problem] = field(default_factory=list)
    warnings: list[Problem] = field(default_factory=list)


@dataclass(frozen=True)
class ShardBranch:
    """The branch of a shard, which is to begin at ``base``; ``tree`` is where it is made."""

    store: Store
    campaign: Campaign
    shard: ShardRow
    base: str
    side: SideRepository
    tree: Path
    by: Identity

    def make(self, proposed: Proposed, work: ShardWork, known: Sequence[Known]) -> Applied:
        """The commit of what is accepted, which no branch has yet, unless the shard's has one that
        is the same. Raises GitSilence, OSError."""
        hold_back(work)
        result = Applied()
        contents = _contents(proposed, work, result)
        result.problems += work.failures
        result.warnings += work.warnings
        asked = [hunk for hunk in work.planned.plan.hunks if not hunk.follows]
        result.open = sum(work.decisions.verdict(hunk) is None for hunk in asked)
        result.hunks = sum(bool(work.decisions.verdict(hunk)) for hunk in asked)
        result.commit = old = self._old
        if not contents or result.problems:
            if old is not None and not result.problems and not self._is_merged(old):
                reason = "stays as it is: nothing of the shard is left to apply"
                result.warnings.append(self._problem(reason, "delete it if it is merged"))
            return result
        own = self._committed(contents, work, known)
        was = self._own(old) if old is not None else None
        result.own = was if was is not None and self.side.same(was, own) else own
        return result

    def set(self, result: Applied, work: ShardWork, known: Sequence[Known]) -> None:
        """Have the branch begin with the commit that was made, and go on with what others added to
        it. It is set in one step, and only from where it was found. Raises RecordsError,
        GitSilence, OSError."""
        own, old = result.own, result.commit
        assert own is not None
        if old is not None and self.side.is_ancestor(own, old):
            result.kept = len(self.side.between(own, old))
        else:
            self._move(own, old, result)
        if not result.problems:
            self._note(work, known, result)

    def is_as_checked(self, result: Applied, check: CheckRow | None) -> bool:
        """Whether a check was of what was made, and did not become worse."""
        if check is None or check.is_worse or result.own is None:
            return False
        try:
            return self.side.same(check.applied, result.own)
        except GitSilence:
            return False  # git has thrown away what was checked

    @property
    def _old(self) -> str | None:
        return self.side.commit_of(f"refs/heads/{self.shard.branch}")

    def _committed(
        self,
        contents: Mapping[bytes, bytes],
        work: ShardWork,
        known: Sequence[Known],
    ) -> str:
        accepted = [one for one in work.decisions.accepted if not one.follows]
        reviewers = sorted({d.by for one in known if (d := one.decision) is not None})
        text = message(self.campaign, self.shard, accepted, reviewers, self.by)
        own = self.side.committed(self.base, contents, text, self.by)
        if own is None:
            raise GitSilence("nothing is different with what is accepted")
        return own

    def _move(self, own: str, old: str | None, result: Applied) -> None:
        where = self.side.checked_out(self.shard.branch)
        if where is not None:
            reason = f"is not changed while somebody is on it, in {where}"
            result.problems.append(self._problem(reason, "switch to another one there"))
            return
        added = self._added(old)
        if isinstance(added, Problem):
            result.problems.append(added)
            return
        new = own
        try:
            if added:
                self.side.tree_at(self.tree, own)
            for commit in added:
                was, new = new, self.side.put_on(self.tree, commit, self.by)
                result.kept += new != was
        except Conflict as conflict:
            reason = f"stays as it is: {conflict}, with what the campaign changes there now"
            hint = f"rebase it by hand onto {own[:12]}, with that commit in it; then apply again"
            result.problems.append(self._problem(reason, hint))
            return
        why = f"pinsetter campaign {self.campaign.name}"
        self.side.set_branch(self.shard.branch, new, old, why)
        result.commit, result.changed = new, True

    def _added(self, old: str | None) -> list[str] | Problem:
        """The commits that others put on the branch, the oldest first."""
        if old is None or self._is_merged(old):
            return []
        own = self._own(old)
        if own is None:
            reason = "is not changed: there is no commit of this campaign on it"
            return self._problem(reason, "if nobody needs it, delete it and apply again")
        before = self.side.parents(own)
        added = [
            one
            for one in self.side.between(before[0] if before else own, old)
            if one != own and not self.side.is_ancestor(one, self.base)
        ]
        merges = [one for one in added if len(self.side.parents(one)) != 1]
        if merges:
            reason = f"is not changed: there are merges on it, as {merges[0][:12]}"
            return self._problem(reason, "rebase it by hand, then apply again")
        return added

    def _own(self, branch: str) -> str | None:
        """The commit on the branch that the campaign made for the shard, the newest."""
        wanted = {CAMPAIGN: self.campaign.name, SHARD: self.shard.name}
        for commit in reversed(self.side.between(self.base, branch)):
            found = trailers(self.side.message(commit))
            if wanted.items() <= found.items():
                return commit
        return None

    def _is_merged(self, old: str) -> bool:
        return self.side.is_ancestor(old, self.base)

    def _note(self, work: ShardWork, known: Sequence[Known], result: Applied) -> None:
        """Keep that it is applied, and how the hunks that are left stand once it is merged."""
        made: dict[Module, list[Edit]] = defaultdict(list)
        for hunk in work.decisions.accepted:
            made[hunk.module].extend(hunk.edits)
        standing = {
            hunk.id: surroundings(hunk.module.source.text, hunk.edits, made[hunk.module])
            for hunk in work.planned.plan.hunks
            if not hunk.follows and not work.decisions.verdict(hunk) and hunk.module in made
        }
        rows = [
            replace(decision, surroundings=(*decision.surroundings, digest))
            for one in known
            if (decision := one.decision) is not None
            and (digest := standing.get(one.found.key)) is not None
            and digest not in decision.surroundings
        ]
        about = {"commit": result.commit, "base": self.base, "hunks": result.hunks}
        event = Event("applied", str(self.by), now(), about, self.shard.id)
        with self.store.change() as connection:
            hunks.decide(connection, rows)
            campaigns.note_applied(connection, self.shard.id, result.own, self.base)
            if result.changed or self.shard.applied != result.own:
                campaigns.happened(connection, self.campaign.id, [event])

    def _problem(self, reason: str, hint: str) -> Problem:
        return Problem(self.side.root, f"the branch {self.shard.branch} {reason}", hint=hint)


def _contents(proposed: Proposed, work: ShardWork, result: Applied) -> Mapping[bytes, bytes]:
    """The bytes of changed files."""
    found: dict[bytes, bytes] = {}
    for module, edits in accepted_edits(work).items():
        data = new_content(module, work.formatting.edits(module, edits))
        if isinstance(data, Problem):
            result.problems.append(data)
        else:
            found[proposed.name(module.path)] = data
    result.warnings += work.formatting.remarks
    return found
