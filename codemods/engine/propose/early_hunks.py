"""Early: hunks that can be shown before all files are known that the same modules are used by."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from .withheld import is_essential

if TYPE_CHECKING:
    from pinsetter.patterns.packs.pack import Pack

    from ..hunks.proposed import Planned


def stands_alone(planned: Planned, own: Collection[Path], packs: Iterable[Pack]) -> bool:
    """Whether there are hunks in the files ``own``, and they stay as they are ``planned`` whoever
    uses the other files.

    Nothing outside can load ``own``, so that its programs run nothing else than what was looked at.
    But what is to be done in the other files may be left alone for the sake of programs that are
    not known yet, and then what belongs to it, or all of a program, has to be left, too: it is not
    waited for only if it stands in any program (``shared``).
    """
    hunks = planned.plan.hunks
    ours = {hunk.id for hunk in hunks if hunk.module.path in own}
    elsewhere = [h.application.rule for h in hunks if h.application and h.id not in ours]
    packs = list(packs)
    essential = {name for pack in packs for name in pack.essential}
    apis = frozenset[str]().union(*(pack.training_apis for pack in packs))
    any_code = not all(pack.training_apis for pack in packs)
    programs = [program for program in planned.programs if program.entry.path in own]
    return (
        bool(ours)
        and not planned.refused
        and all(rule.shared and not is_essential(rule, essential) for rule in elsewhere)
        and all(hunk.requires <= ours for hunk in hunks if hunk.id in ours)
        # Others would have to start what is rewritten in modules that they use.
        and (any_code or all(program.apis & apis for program in programs))
    )
