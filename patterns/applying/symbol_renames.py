"""symbol_renames: what `rename:` makes of a name that the repository itself defines, and of members
of a library's class that its classes override.

A rename is one change of all files: its application in one is worth nothing without those in the
others. What a member of a library's class is called is changed file by file; the library has the
new name already.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from pinsetter.analyzer.facts import Facts
from pinsetter.analyzer.files.import_path import ImportTarget
from pinsetter.analyzer.names.module import Module
from pinsetter.analyzer.references import References, Symbol, Unclear, find_symbol, references

from ..edits.edit import Edit
from ..packs.pack import Rule
from ..reading.qualified_names import is_class_name, qualified
from .application import Application, Report
from .module_renames import is_of_repository, texts_of


@dataclass(frozen=True)
class Renamed:
    """What there is to be renamed, if it can be; ``problem`` says why not."""

    symbol: Symbol | None
    references: References
    problem: str = ""

    @property
    def is_own(self) -> bool:
        """Whether the repository defines it."""
        return self.symbol is not None and self.symbol.module is not None


def is_symbol(rule: Rule, module: Module, facts: Facts, new: str) -> bool:
    """Whether a rule renames a name of the repository, or a member of a class; others are renamed
    where they are read and imported, as are modules of the repository that have their new place.
    Raises AskedBeyondError where other files decide."""
    name = rule.renamed
    if not name:
        return False
    *home, _ = name.split(".")
    if is_class_name(".".join(home)) and not rule.where:
        return True
    homes = (ImportTarget(".".join(home[:length])) for length in range(1, len(home) + 1))
    layout = facts.project.layout
    there = [layout.find(module.real, ImportTarget(one)) is not None for one in (name, new)]
    if there == [False, True]:
        return False
    if not home and there[0]:
        return True
    return any(layout.find(module.real, target) is not None for target in homes)


def symbol_renames(rule: Rule, module: Module, facts: Facts, new: str) -> Iterator[
    Application | Report
]:  # fmt: skip
    """The one application of a rule to a file, and what is reported there."""
    old = rule.renamed
    last = re.escape(old.rpartition(".")[2])
    if facts.project.alone and re.search(rf"\b{last}\b", module.source.text) is None:
        return  # that there is nothing to be renamed is told elsewhere
    found = facts.remembered(("renamed", old, new), lambda: _find(old, new, facts))
    if rule.where and not found.problem:
        found = replace(found, problem="conditions cannot be asked of what is renamed everywhere")
    if found.problem:
        if module is _told_in(found, old, facts):
            yield Report(rule, module, _line(found, module), f"Not renamed: {found.problem}.")
        return
    if found.symbol is None and is_of_repository(old, module, facts):
        for start in texts_of(old, module) if old in module.source.text else ():
            text = f"{old} is not renamed in this string: no import joins this file to it."
            yield Report(rule, module, module.tree.line(start), text)
    with_texts = any(edit.get("strings") for edit in rule.edits)
    name, last = new.rpartition(".")[2], old.rpartition(".")[2]
    taken = [one for one in found.references.in_module(module) if with_texts or not one.by_text]
    edits = tuple(
        Edit(one.start, one.end, f"{name} as {last}" if one.kept else name,
             outer=(one.start, one.end), rank=(0,))
        for one in taken
    )  # fmt: skip
    if edits:
        every = [one.module for one in found.references.found if with_texts or not one.by_text]
        assumed = (
            f"Assumed in line {module.tree.line(one.start)}: {one.assumed}."
            for one in taken if one.assumed
        )  # fmt: skip
        yield Application(
            rule,
            module,
            edits[0].start,
            old,
            edits,
            tuple(dict.fromkeys(assumed)),
            whole=tuple(dict.fromkeys(every)) if found.is_own else (),
        )
    for where, start, text in found.references.unclear:
        if where is module:
            yield Report(rule, module, module.tree.line(start), f"{last} {text}.")
    if not with_texts:
        for one in found.references.in_module(module):
            if one.by_text:
                text = f"{last} is not renamed in this string; `strings: true` would do it."
                yield Report(rule, module, module.tree.line(one.start), text)


def _find(old: str, new: str, facts: Facts) -> Renamed:
    symbol: Symbol | None = None
    home, _, name = new.rpartition(".")
    try:
        symbol = find_symbol(old, facts.evaluator)
        if symbol is None:
            return Renamed(None, References())
        if home != old.rpartition(".")[0]:
            return Renamed(symbol, References(), f"it would have to move to {home}")
        return Renamed(symbol, references(symbol, name, facts.evaluator))
    except Unclear as reason:
        if symbol is None and _is_there(new, facts):
            return Renamed(None, References())  # it has the new name already
        return Renamed(symbol, References(), str(reason))


def _is_there(name: str, facts: Facts) -> bool:
    try:
        return find_symbol(name, facts.evaluator) is not None
    except Unclear:
        return False


def _told_in(found: Renamed, old: str, facts: Facts) -> Module | None:
    """The module in which it is said that nothing is renamed."""
    if found.symbol is not None and found.symbol.module is not None:
        return found.symbol.module
    last = old.rpartition(".")[2]
    saying = (m for m in facts.project.given if m.leaves_of(last))
    return min(saying, key=lambda module: str(module.path), default=None)


def _line(found: Renamed, module: Module) -> int:
    symbol = found.symbol
    if symbol is None or symbol.scope is None or symbol.name not in symbol.scope.bindings:
        return 1
    return module.tree.line_of(symbol.scope.bindings[symbol.name][0].node)


def new_name(rule: Rule, imports: Mapping[str, Sequence[str]]) -> str:
    """What the rule's name is to be called, in full."""
    return next(qualified(edit["to"], imports) for edit in rule.edits if "rename" in edit)
