"""version_only: modules that import the repository's only to tell its version, or to have it
loaded, as the configuration of its documentation and its ``setup.py`` do."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

from fissix.pgen2 import token
from fissix.pygram import python_symbols as symbols

from ..names.module import Module
from ..names.project import Project
from ..syntax.tree import LN, ancestors, is_name, leaves

_IMPORTS = (symbols.import_name, symbols.import_from)
_TELLING = re.compile(
    r"_*(?:get_)?versions?(?:_info)?_*"
    r"|__(?:author|copyright|date|description|doc|email|file|license|name|path|title|url)s?__",
    re.IGNORECASE,
)


def asks_only_version(module: Module, project: Project) -> bool:
    """Whether a module imports others of the repository and makes no use of them but of names such
    as ``__version__``, so that none of their functions runs for it."""
    statements = {
        id(statement): statement
        for node, target in module.imports if project.imported(module, target)
        for statement in (node, *ancestors(node)) if statement.type in _IMPORTS
    }  # fmt: skip
    names = {name for statement in statements.values() for name in _bound(statement)}
    if not statements or "*" in names:
        return False
    return not any(leaf.value in names and _is_used(leaf) for leaf in leaves(module.tree.root))


def _bound(statement: LN) -> Iterator[str]:
    """The names that an import binds, but for those that tell something of a package."""
    words = [leaf.value for leaf in leaves(statement) if leaf.value not in "()"]
    if statement.type == symbols.import_from:
        words = words[words.index("import") :]
    for is_comma, group in itertools.groupby(words[1:], ",".__eq__):
        name = list(group)
        if not is_comma and not _TELLING.fullmatch(name[0]):
            yield name[-1] if "as" in name else name[0]


def _is_used(leaf: LN) -> bool:
    """Whether a name stands for more than an attribute that tells something of a package."""
    above = leaf.prev_sibling
    is_attribute = above is not None and above.type == token.DOT
    if not is_name(leaf) or is_attribute or any(one.type in _IMPORTS for one in ancestors(leaf)):
        return False
    behind = leaf.next_sibling
    if behind is None or behind.type != symbols.trailer or leaf.parent.type != symbols.power:
        return True
    attributes = itertools.takewhile(_is_attribute, leaf.parent.children[1:])
    return not any(_TELLING.fullmatch(one.children[1].value) for one in attributes)


def _is_attribute(trailer: LN) -> bool:
    return bool(trailer.type == symbols.trailer and trailer.children[0].type == token.DOT)
