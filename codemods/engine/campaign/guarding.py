"""guarding: what a change adds of that which a campaign removes."""

from __future__ import annotations

import os
from dataclasses import dataclass, field

from pinsetter.analyzer.files.notebook import SUFFIX
from pinsetter.analyzer.messages.problem import Problem

from ..git.changed import branched
from ..git.git_stand_in import GitSilence
from ..git.side_repository import SideRepository
from ..records.recorded import Found, HunkState, Known
from .commit_plan import Codemod
from .matching import matched

_READ = (b".py", os.fsencode(SUFFIX))
_DEEPER = "a shallow clone has to be deep enough: git fetch --unshallow"


@dataclass
class Guarded:
    """``added`` are hunks that a change makes necessary."""

    added: list[Found] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


def guard(side: SideRepository, codemod: Codemod, since: str) -> Guarded | Problem:
    """Compare what is proposed for the repository's HEAD with what was proposed where its branch
    left ``since``. Raises GitSilence, OSError."""
    head = side.commit_of("HEAD")
    if head is None:
        return Problem(side.root, "has no commit")
    try:
        _, base = branched(side.git, side.root, since)
    except GitSilence as error:
        return Problem(side.root, str(error), hint=_DEEPER)
    if base is None:
        return Problem(side.root, f"HEAD and {since} have no commit in common", hint=_DEEPER)
    changed = side.different(base, head)
    if not any(name.endswith(_READ) for name in changed):
        return Guarded()  # of a large repository the rest takes minutes
    with side.reading(head, side.root):
        proposed = codemod.proposed(side.root, changed)
        there = {one for one in changed if proposed.has(one)}
    result = Guarded()
    result.problems += [*proposed.planned.problems, *proposed.planned.faults]
    now = [one for one in proposed.found if one.state is HunkState.PROPOSED]
    if not now:
        return result
    # What is proposed for other files is there now as it was.
    with side.reading(base, side.root):
        before = codemod.proposed(side.root)
    found = [one for one in before.found if one.path in changed]
    known = [Known(number, one, 0) for number, one in enumerate(found)]
    result.added = matched(known, now, before.unread, there.__contains__).new
    return result
