"""What refuses programs is looked for first: of what only refused ones load, nothing else is told,
nor looked for. In a repository that is refused as a whole that is most of the work.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence

from pinsetter.analyzer.messages.unforeseen import AnalysisError
from pinsetter.analyzer.names.module import Module
from pinsetter.analyzer.programs.programs import Program
from pinsetter.patterns.applying.application import Report

from ..hunks.suppression import sift
from .left_alone import COMPLETE
from .proposals import Proposal
from .rule_query import Begun, RuleQuery
from .setting import Setting
from .where_run import without_others


def begun_in(
    query: RuleQuery, programs: Sequence[Program], modules: Sequence[Module], setting: Setting
) -> dict[Module, Begun]:
    """What the rules that refuse ``programs``, or leave them as they are, find in modules.

    Raises AnalysisError.
    """
    if not programs or setting.scope.places is not None:
        return {}
    begun: dict[Module, Begun] = {}
    for module in modules:
        try:
            begun[module] = query.begin(query.in_module(module, setting.facts))
        except AnalysisError:
            raise
        except Exception:
            continue  # all that is proposed for it fails, and is told
    return begun


def left_by_refusals(
    begun: Iterable[Begun], programs: list[Program], setting: Setting
) -> Callable[[Module], bool]:
    """Whether a module is of programs that are refused for what was found, and of no others but
    such as are left as they are anyway."""
    found = [Proposal(one.rules, [], _reports(one), programs) for one in begun]
    notes = [
        note for outcome in without_others(found, setting.programs_of) for note in outcome.notes
    ]
    refusing = {id(note.module) for note in notes if note.refuse}
    if not refusing:
        return lambda module: False
    leaving: dict[int, set[str]] = defaultdict(set)
    for note in notes:
        if note.rule.leave is not None and note.rule.id not in setting.skip:
            leaving[id(note.module)].add(note.rule.leave)
    refused: set[int] = set()
    going_on: set[int] = set()
    for program in programs:
        modules = {id(module) for module in program.modules}
        leave = set[str]().union(*(leaving[one] for one in modules & leaving.keys()))
        if leave:
            # Whether the work is done is not known yet.
            going_on |= modules if leave == {COMPLETE} else set()
        elif modules.isdisjoint(refusing):
            going_on |= modules
        else:
            refused |= modules
    left = refused - going_on
    return lambda module: id(module) in left


def _reports(begun: Begun) -> list[Report]:
    """What is not suppressed of what the rules say. Raises AnalysisError."""
    rules = begun.rules
    try:
        made = [
            rules.outcome(match, 0)
            for match in begun.matches
            if match.rule.id not in begun.stumbles and not match.rule.edits
        ]
        return sift(rules.module, (), (one for one in made if isinstance(one, Report))).reports
    except AnalysisError:
        raise
    except Exception:
        return []  # the same fails where it is proposed, and is told there
