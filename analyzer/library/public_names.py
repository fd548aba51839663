"""members: the public names of the modules of TensorFlow, Keras and Horovod."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files

from . import FILES, load

LIBRARIES = frozenset({"horovod", "keras", "tensorflow"})
_TF, _V1, _CONTRIB = "tensorflow.", "tensorflow.compat.v1.", "tensorflow.contrib."
# What nobody lists: what is in there comes and goes.
_UNLISTED = {
    "tensorflow": frozenset({"contrib", "core", "python", "tools"}),
    "tensorflow.compat": frozenset({"v1", "v2"}),
    "keras": frozenset({"src", "tests"}),
}


def members(module: str) -> frozenset[str]:
    """The names that a module of one of the libraries has in some release, by any of the module's
    spellings; none where that is not known."""
    usual = load().canonical(module)
    spellings = {module, usual}
    if f"{module}.".startswith(_TF) and not f"{module}.".startswith(_V1):
        spellings.add((_V1 + module.removeprefix("tensorflow").lstrip(".")).rstrip("."))
    found = frozenset[str]().union(*(_modules().get(name, frozenset()) for name in spellings))
    if found and usual.startswith(_CONTRIB):
        found |= {"python"}
    return found | _UNLISTED.get(module, frozenset()) if found else found


def is_known(name: str) -> bool:
    """Whether something is known of just this qualified name."""
    library = load()
    usual = library.canonical(name)
    return name in library.spellings or usual in library.classes or usual in library.functions


@cache
def _modules() -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for file in FILES:
        text = files(__package__).joinpath("names").joinpath(f"{file}.json").read_text("utf-8")
        for module, names in json.loads(text)["modules"].items():
            found[module] = found.get(module, frozenset()) | frozenset(names.split())
    return found
