"""put_in_libraries: what programs store in modules of libraries that have no such name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from fissix.pgen2 import token
from fissix.pygram import python_symbols as symbols

from ..library import Library
from ..library.public_names import members
from ..names.module import Module
from ..syntax.tree import LN, is_name

_STATEMENTS = frozenset([symbols.expr_stmt])
_CHAIN = 2


def put_in_libraries(
    library: Library, modules: Iterable[Module]
) -> Mapping[str, list[tuple[LN, Module]]]:
    """The values, each with its module, by what they are called: after ``import library as lib``
    and ``lib.mine = 3`` that is ``library.mine``. Only of libraries whose names are known."""
    found: dict[str, list[tuple[LN, Module]]] = {}
    for module in modules:
        for statement in module.tree.nodes_of(_STATEMENTS, module.tree.root):
            if statement.children[1].type != token.EQUAL:
                continue
            for target in statement.children[:-1:2]:
                name = _stored_in(target, module)
                if name is not None:
                    stored = found.setdefault(library.canonical(name), [])
                    stored.append((statement.children[-1], module))
    return found


def _stored_in(target: LN, module: Module) -> str | None:
    if target.type != symbols.power or len(target.children) != _CHAIN:
        return None
    library, trailer = target.children
    if not is_name(library) or trailer.children[0].type != token.DOT:
        return None
    for binding in module.scope_of(library).lookup(library.value):
        imported = binding.target
        if imported is None or imported.name or imported.level:
            return None
        known = members(imported.module)
        attribute = trailer.children[1].value
        if known and attribute not in known:
            return f"{imported.module}.{attribute}"
    return None
