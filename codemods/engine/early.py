"""Early: hunks that can be shown before all files are known that the same modules are used by."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from pathlib import Path

from pinsetter.patterns.pack import Pack, Rule

from .planned import Planned


def stands_alone(planned: Planned, own: Collection[Path], packs: Iterable[Pack]) -> bool:
    """Whether the hunks in ``own``, of all that is ``planned``, stay as they are whoever uses the
    other files.

    Nothing outside can load ``own``, so that its programs run nothing else than these files. What
    is to be done in the others may be left alone for the sake of programs that are not known yet,
    and then what belongs to it, or all of a program, has to be left, too: it is not waited for only
    if it stands in any program (``shared``).
    """
    hunks = planned.plan.hunks
    ours = [hunk for hunk in hunks if hunk.module.path in own]
    if not ours or planned.refused or planned.problems:
        return False
    elsewhere: list[Rule] = [
        *(one.rule for one in planned.reports if one.module.path not in own),
        *(one.rule for one in planned.suppressed if one.module.path not in own),
        *(h.application.rule for h in hunks if h.application and h.module.path not in own),
    ]
    if not all(rule.shared for rule in elsewhere):
        return False
    here = {hunk.id for hunk in ours}
    if any(hunk.requires - here for hunk in ours):
        return False
    apis = {pack.training_api for pack in packs}
    # Others would have to start what is rewritten in modules that they use.
    return all(
        None in apis or program.apis & apis
        for program in planned.programs if program.entry.path in own
    )  # fmt: skip
