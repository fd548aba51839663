"""Whole: programs are rewritten with all that is essential for them, or not at all."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence

from pinsetter.analyzer.messages.problem import Problem
from pinsetter.analyzer.programs.programs import Program
from pinsetter.patterns.applying.application import Report
from pinsetter.patterns.edits.template import names_in
from pinsetter.patterns.packs.pack import Pack, Rule

from ..hunks.hunk import Hunk
from .make_hunks import closed_without
from .proposals import Proposal, by_module
from .withheld import is_essential


class Whole:
    """What the programs of a project lack of the essential. A program that uses already what the
    pack starts may have it in a way of its own, and is not judged here; nor are ``followers``, by
    their id(), which are left as they are but for what others need there."""

    def __init__(self, outcomes: Sequence[Proposal], followers: Collection[int] = ()) -> None:
        self._outcomes = by_module(outcomes)
        # All proposals of a pack have one list of programs.
        chosen = {id(o.programs): (o.programs, o.rules.pack) for o in outcomes}
        self._packs = [
            (program, pack)
            for ones, pack in chosen.values() if pack.essential
            for packages in [_started_packages(pack)]
            for program in ones
            if program.apis and id(program) not in followers
            and all(packages.isdisjoint(m.packages) for m in program.modules)
        ]  # fmt: skip

    def suppressed(self, essential: Mapping[str, str], skip: Collection[str]) -> list[Report]:
        """What comments take away that is essential, of programs that are rewritten elsewhere."""
        found: dict[tuple[object, ...], Report] = {}
        text = "It is essential for the program, and suppressed by a comment."
        for program, pack in self._packs:
            mine = [o for m in program.modules for o in self._outcomes[id(m)]
                    if o.rules.pack is pack]  # fmt: skip
            if not any(not a.rule.dispensable for o in mine for a in o.applications):
                continue
            for one in (one for o in mine for one in o.suppressed if one.start is not None):
                if is_essential(one.rule, essential) and one.rule.id not in skip:
                    found[one.key] = Report(one.rule, one.module, one.line, text)
        return list(found.values())

    def only(self, hunks: list[Hunk]) -> tuple[list[Hunk], list[Problem]]:
        """The hunks without those of programs for which something essential is not among them, and
        why these are refused. What one of them leaves alone may be essential for another."""
        refused: list[Problem] = []
        left: list[Program] = []
        while True:
            rules: defaultdict[int, list[Rule]] = defaultdict(list)
            for hunk in hunks:
                if hunk.application is not None:
                    rules[id(hunk.module)].append(hunk.application.rule)
            lacking = [
                (program, names)
                for program, pack in self._packs
                if program not in left and (names := _lacking(program, pack, rules))
            ]
            if not lacking:
                return hunks, refused
            for program, names in lacking:
                refused += (_refusal(program, name, why, left) for name, why in names.items())
            left += (program for program, _ in lacking)
            stopped = {module for program, _ in lacking for module in program.modules}
            hunks = closed_without(hunks, {h.id for h in hunks if h.module in stopped})


def _lacking(
    program: Program, pack: Pack, by_module: Mapping[int, Sequence[Rule]]
) -> dict[str, str]:
    rules = [rule for module in program.modules for rule in by_module.get(id(module), ())]
    if all(rule.dispensable for rule in rules):
        return {}
    return {
        name: why for name, why in pack.essential.items()
        if not any(name in (rule.id, rule.provides) for rule in rules)
    }  # fmt: skip


def _refusal(program: Program, name: str, why: str, left: Sequence[Program]) -> Problem:
    with_it = [str(p.entry.path) for p in left if set(p.modules) & set(program.modules)]
    if with_it:
        where, hint = f"its place is in a module that {with_it[0]} uses, too, which is refused", ""
    else:
        where = f"no place for it was found; it trains at {program.sites[0]}"
        hint = "if it trains nothing, name it in .pinsetterignore"
    return Problem(program.entry.path, f"refused: {name}: {where}. {why}", hint=hint)


def _started_packages(pack: Pack) -> frozenset[str]:
    """The packages of what the pack's rules start."""
    aliases = {
        alias
        for rule in pack.rules if rule.starts
        for template in _templates(rule)
        for alias in names_in(template, pack.imports)
    }  # fmt: skip
    return frozenset(name.split(".")[0] for alias in aliases for name in pack.imports[alias])


def _templates(rule: Rule) -> list[str]:
    return [text for edit in rule.edits for text in edit.values() if isinstance(text, str)]
