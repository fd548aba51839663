"""members: the public names of the modules of the libraries that there is data of."""

from __future__ import annotations

import json
from functools import cache

from . import load
from .declared import declared, library_text, moved


def members(module: str) -> frozenset[str]:
    """The names that a module of one of the libraries has in some release, by any of the module's
    spellings; none where that is not known."""
    usual = load().canonical(module)
    spellings = {module, usual, moved(module)}
    found = frozenset[str]().union(*(_modules().get(name, frozenset()) for name in spellings))
    return found | _unlisted(module) | _unlisted(usual) if found else found


def is_known(name: str) -> bool:
    """Whether something is known of just this qualified name."""
    library = load()
    usual = library.canonical(name)
    return name in library.spellings or usual in library.classes or usual in library.functions


def _unlisted(module: str) -> frozenset[str]:
    """What nobody lists: what is in there comes and goes."""
    said = declared().unlisted.items()
    inside = (names for key, names in said if key.endswith(".") and module.startswith(key))
    return declared().unlisted.get(module, frozenset()).union(*inside)


@cache
def _modules() -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for file in declared().data:
        for module, names in json.loads(library_text(file, "names"))["modules"].items():
            found[module] = found.get(module, frozenset()) | frozenset(names.split())
    return found
