"""hunks_of: proposals as hunks, with what each requires."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import cache

from pinsetter.analyzer.names.module import Module
from pinsetter.patterns.applying.application import Application, Report
from pinsetter.patterns.applying.module_rules import ModuleRules
from pinsetter.patterns.edits.edit import Edit
from pinsetter.patterns.packs.pack import Rule
from pinsetter.patterns.reading.pack_head import wanted_name

from ..hunks.hunk import Hunk, hunk_id
from ..hunks.overlaps import Overlaps
from ..hunks.suppression import Suppressed
from .proposals import Proposal
from .reach import Reach
from .withheld import Withheld

_Place = tuple[Module, str]


def hunks_of(outcomes: list[Proposal], reach: Reach) -> list[Hunk]:
    """The hunks of all applications; those that contradict each other are alternatives."""
    made: list[tuple[Hunk, Application]] = []
    imports: list[Hunk] = []
    made_in: dict[int, Overlaps] = defaultdict(Overlaps)
    numbers: Counter[tuple[str, ...]] = Counter()

    def identify(rule: str, module: Module, code: str) -> str:
        # Scripts of separate folders may have the same module name.
        # Code that only stands deeper has the same id but for its number.
        key = (rule, module.name, "".join(code.split()))
        numbers[key] += 1
        return hunk_id(*key, numbers[key])

    for outcome in outcomes:
        rules, applications = outcome.rules, outcome.applications
        module = rules.module
        by_alias = _added(rules, applications, identify)
        imports.extend(by_alias.values())
        for application in sorted(applications, key=lambda a: (a.start, a.edits[0].key)):
            hunk = Hunk(
                id=identify(application.rule.id, module, application.code),
                rule=application.rule.id,
                title=application.rule.title,
                why=application.rule.why,
                module=module,
                line=application.line,
                edits=application.edits,
                warnings=tuple(dict.fromkeys(application.warnings)),
                requires=frozenset(
                    id
                    for name in application.imports
                    for id in (by_alias[name].id, *by_alias[name].requires)
                ),
                application=application,
            )
            overlapping = made_in[id(module)].of(hunk)
            excluded = frozenset(h.id for h in overlapping if h.contradicts(hunk))
            hunk = replace(hunk, alternatives=excluded)
            made_in[id(module)].add(hunk)
            made.append((hunk, application))
    return [*imports, *_with_requirements(_behind_others(made), reach)]


def _behind_others(
    made: list[tuple[Hunk, Application]],
) -> list[tuple[Hunk, Application]]:
    """Those that come after others require their hunks; they are left out if one of these is."""
    ids = {(id(hunk.module), application.key): hunk.id for hunk, application in made}
    found = []
    for hunk, application in made:
        after = [ids.get((id(hunk.module), other.key)) for other in application.after]
        if None not in after:
            required = hunk.requires.union(filter(None, after))
            found.append((replace(hunk, requires=required), application))
    return found


def _added(
    rules: ModuleRules,
    applications: list[Application],
    identify: Callable[[str, Module, str], str],
) -> dict[str, Hunk]:
    """The imports and definitions that applications need, by name."""
    needed = {name for application in applications for name in application.imports}
    defined = sorted(needed & set(rules.pack.definitions))
    aliases = needed.union(*(rules.names.definition_imports(name) for name in defined)) - set(
        defined
    )
    found: dict[str, Hunk] = {}
    for alias in sorted(aliases):
        module, rule = rules.names.aliases.imported_for(alias), f"import-{wanted_name(alias)}"
        id = identify(rule, rules.module, module)
        found[alias] = _following(
            rules, rule, f"Import {module}", rules.names.import_edits(alias), id
        )
    for name in defined:
        rule, ids = f"define-{name}", {found[a].id for a in rules.names.definition_imports(name)}
        id = identify(rule, rules.module, name)
        hunk = _following(rules, rule, f"Define {name}", rules.names.definition_edits(name), id)
        found[name] = replace(hunk, requires=frozenset(ids))
    return found


def _following(rules: ModuleRules, rule: str, title: str, edits: list[Edit], id: str) -> Hunk:
    """A hunk that others of its file need, and that is not asked about."""
    return Hunk(
        id=id,
        rule=rule,
        title=title,
        why=f"Other hunks of this file use {title.partition(' ')[2]}.",
        module=rules.module,
        line=rules.module.tree.line(edits[0].start),
        edits=tuple(edits),
        follows=True,
    )


def _with_requirements(made: list[tuple[Hunk, Application]], reach: Reach) -> list[Hunk]:
    """Resolve required rules to hunks: those of the same file, else those of the programs that the
    file is part of, and for entry scripts' rules those of every such program; else what ``reach``
    knows besides."""
    made_in: defaultdict[_Place, list[str]] = defaultdict(list)
    for hunk, application in made:
        for name in {application.rule.id, application.rule.provides}:
            made_in[hunk.module, name].append(hunk.id)

    @cache
    def of(rule: str, near: tuple[Module, ...]) -> list[str]:
        return [made for module in near for made in made_in.get((module, rule), ())]

    found = []
    for hunk, application in made:
        ids = set(hunk.requires)
        around = reach.of(hunk.module) if application.rule.requires else []
        for rule in application.rule.requires:
            ids.update(next(filter(None, (of(rule, near) for near in around)), ()))
        found.append(replace(hunk, requires=frozenset(ids)))
    return found


def without_unmet(
    hunks: list[Hunk],
    unmet: Mapping[tuple[Module, str], str],
    rules: Mapping[str, Rule],
    reach: Reach,
) -> tuple[list[Hunk], list[Report]]:
    """Drop the hunks that require a rule which could not be applied everywhere in their file, or,
    if it has no place there, in their programs. ``unmet`` says why not."""
    met = {
        (hunk.module, name)
        for hunk in hunks
        if (rule := rules.get(hunk.rule)) is not None
        for name in (rule.id, rule.provides)
    }
    gone: set[str] = set()
    notes: list[Report] = []
    for hunk in hunks:
        rule = rules.get(hunk.rule)
        around = reach.of(hunk.module) if rule is not None and rule.requires else []
        lacking = [
            place
            for required in (rule.requires if rule is not None else ())
            for place in _first_known(required, around, met, unmet)
            if place in unmet
        ]
        if rule is not None and lacking:
            gone.add(hunk.id)
            text = f"Not proposed: it requires {lacking[0][1]}, which {unmet[lacking[0]]}."
            notes.append(Report(rule, hunk.module, hunk.line, text))
    kept, lost = without(hunks, gone)
    return kept, notes + lost


def without(hunks: list[Hunk], gone: Collection[str]) -> tuple[list[Hunk], list[Report]]:
    """The hunks without some, by id, and without what requires one of those, which notes name."""
    kept = closed_without(hunks, set(gone))
    dropped = {hunk.id for hunk in hunks} - {hunk.id for hunk in kept}
    notes: list[Report] = []
    for hunk in hunks:
        if hunk.application is not None and hunk.id in dropped - set(gone):
            lost = next(h for h in hunks if h.id in hunk.requires & dropped and not h.follows)
            text = f"Not proposed: it requires {lost.rule}, which is not proposed itself."
            notes.append(Report(hunk.application.rule, hunk.module, hunk.line, text))
    return kept, notes


def _first_known(
    rule: str,
    around: Sequence[Sequence[Module]],
    met: Collection[_Place],
    unmet: Mapping[_Place, str],
) -> list[_Place]:
    """The nearest places of which it is known whether a rule is applied there."""
    places = ([(module, rule) for module in near] for near in around)
    known = ([place for place in near if place in met or place in unmet] for near in places)
    return next(filter(None, known), [])


def why_unmet(one: Report | Suppressed | Withheld) -> str:
    """Why a rule is not applied somewhere, to be read after "which"."""
    if isinstance(one, Suppressed):
        return f"is suppressed by a comment ({one.module.path}:{one.by.line})"
    if isinstance(one, Withheld):
        return f"belongs into a file that {one.by.why} ({one.module.path})"
    return "could not be applied here"


def without_rules(
    hunks: list[Hunk], skip: Collection[str], of_modules: Collection[str]
) -> list[Hunk]:
    """The hunks, but none of a skipped rule, none that provides the same as a skipped one of
    ``of_modules``, and none that requires one of those."""
    provided = {name for name in skip if name in of_modules}
    return closed_without(hunks, {
        hunk.id for hunk in hunks
        if hunk.rule in skip
        or (hunk.application is not None and hunk.application.rule.provides in provided)
    })  # fmt: skip


def closed_without(hunks: list[Hunk], gone: set[str]) -> list[Hunk]:
    """The hunks, but none of ``gone``, none that requires one of those, and no import that none
    of the others needs."""
    while True:
        more = {h.id for h in hunks if h.id not in gone and h.requires & gone}
        if not more:
            break
        gone |= more
    kept = [hunk for hunk in hunks if hunk.id not in gone]
    needed = {required for hunk in kept for required in hunk.requires}
    return [hunk for hunk in kept if not hunk.follows or hunk.id in needed]
