"""references: every place that means a name of the repository, and those that may."""

from __future__ import annotations

from ..names.definition import Definition
from ..values.questions import Evaluator
from .global_search import GlobalSearch
from .local_search import LocalSearch
from .member_search import MemberSearch
from .reference import Reference, References
from .symbol import Symbol, find_symbol
from .texts import Texts
from .unclear import Unclear

__all__ = ["Reference", "References", "Symbol", "Unclear", "find_symbol", "references"]


def references(symbol: Symbol, new: str, evaluator: Evaluator) -> References:
    """The places that have to say ``new`` where a symbol gets that name. Raises Unclear if it
    cannot have it."""
    name = symbol.name
    if symbol.kind == "local":
        return LocalSearch(symbol, new, evaluator).run()
    if symbol.kind == "global":
        search = GlobalSearch(symbol, new, evaluator)
        found = search.run()
        texts = Texts(name, found, evaluator, search.means, search.carriers)
    else:
        members = MemberSearch(symbol, new, evaluator)
        found = members.run()
        family = (evaluator.definitions.get(cls) for cls in members.family)
        slots = frozenset(id(one.scope) for one in family if isinstance(one, Definition))
        texts = Texts(name, found, evaluator, members.means, {}, slots)
    for module in evaluator.modules:
        if name in module.tree.text:
            texts.add(module)
    return found
