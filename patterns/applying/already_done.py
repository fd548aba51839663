"""is_done: whether a module has already what a rule would do."""

from __future__ import annotations

from pinsetter.analyzer.facts import Facts
from pinsetter.analyzer.names.module import Module

from ..matching.match import Match
from ..packs.pack import Pack, Rule
from ..predicates import satisfies


def is_done(pack: Pack, name: str, module: Module, facts: Facts) -> bool:
    """Whether one of the rules of that name, by id or by what they provide, says so."""
    return any(_holds(pack, rule, module, facts) for rule in pack.called(name))


def _holds(pack: Pack, rule: Rule, module: Module, facts: Facts) -> bool:
    if rule.done is None:
        return False
    whole = Match(pack, rule, module, facts, {"match": (module.tree.root,)})
    return satisfies(whole, rule.done) is not None
