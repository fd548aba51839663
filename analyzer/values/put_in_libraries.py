"""put_in_libraries: what programs store in modules of libraries that have no such name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from fissix.pgen2 import token
from fissix.pygram import python_symbols as symbols

from ..library.public_names import members
from ..names.module import Module
from ..names.project import Project
from ..syntax.tree import LN, Expression, is_name

_STATEMENTS = frozenset([symbols.expr_stmt])
_CHAIN = 2
Place = tuple[Expression, Module]


def put_in_libraries(project: Project, modules: Iterable[Module]) -> Mapping[str, list[Place]]:
    """The values, each with its module, by what they are called: after ``import library as lib``
    and ``lib.mine = 3`` that is ``library.mine``. Only of libraries whose names are known."""
    found: dict[str, list[Place]] = {}
    for module in modules:
        for statement in module.tree.nodes_of(_STATEMENTS, module.tree.root):
            if statement.children[1].type != token.EQUAL:
                continue
            for target in statement.children[:-1:2]:
                name = _stored_in(target, module, project)
                if name is not None:
                    found.setdefault(name, []).append(((statement.children[-1],), module))
    return found


def _stored_in(target: LN, module: Module, project: Project) -> str | None:
    if target.type != symbols.power or len(target.children) != _CHAIN:
        return None
    library, trailer = target.children
    if not is_name(library) or trailer.children[0].type != token.DOT:
        return None
    for binding in module.scope_of(library).lookup(library.value):
        imported = binding.target
        if binding.kind != "import" or imported is None or imported.name or imported.level:
            return None
        known = members(imported.module)
        attribute = trailer.children[1].value
        if known and attribute not in known and project.find(module, imported) is None:
            return f"{imported.module}.{attribute}"
    return None
