"""doubt: what is wrong, as far as can be told without running anything, with a qualified name."""

from __future__ import annotations

import ast
import builtins
import sys
from collections.abc import Collection
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from importlib.machinery import ModuleSpec, PathFinder
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from pkgutil import iter_modules

from pinsetter.analyzer.library import stubs
from pinsetter.analyzer.library.declared import declared
from pinsetter.analyzer.library.public_names import is_known, members
from pinsetter.analyzer.names.scopes import BUILTINS

from ..reading.parsed_names import parsed

# Python 2's.
_OLD_BUILTINS = {"None", "basestring", "execfile", "file", "long", "raw_input", "reduce", "reload",
                 "unicode", "xrange"}  # fmt: skip
_OLD_MODULES = {"cPickle", "cStringIO", "StringIO", "ConfigParser", "Queue", "urllib2", "urlparse",
                "httplib", "cookielib", "Tkinter", "distutils", "imp", "__main__"}  # fmt: skip
# Letters that are taken for one another.
_ALIKE = ({"i", "y"}, {"s", "z"}, {"c", "k"}, {"a", "e"})


@dataclass(frozen=True)
class Doubt:
    """``word`` is the part of the name that is in doubt; ``certain`` if it cannot be right."""

    word: str
    reason: str
    hint: str
    certain: bool


def doubt(name: str) -> Doubt | None:
    """What is wrong with a qualified name of a module, a class or a function."""
    if not all(part.isidentifier() for part in name.split(".")):
        return Doubt(name, f"{name!r} is not a qualified name", "as in package.module.name", True)
    root, _, rest = name.partition(".")
    if root in declared().described:
        return _in_library(name)
    if root == "builtins":
        return _among(name, rest, frozenset(dir(builtins)) | _OLD_BUILTINS | BUILTINS)
    if root in sys.stdlib_module_names:
        return _in_standard(name)
    if is_module(root):
        return None
    near = next((known for known in sorted(_roots()) if _is_taken_for(root, known)), None)
    if near is not None:
        hint = f"did you mean {near!r}? If not, list {root!r} under `names`"
        return Doubt(root, f"there is no module {root!r} here", hint, True)
    close = get_close_matches(root, _roots(), 1, 0.8)
    hint = f"did you mean {close[0]!r}?" if close else "install it here to have them found"
    return Doubt(root, f"{root!r} is not known here; names of it cannot be checked", hint, False)


def is_module(root: str) -> bool:
    """Whether a module of this name without dots is known, or installed; nothing is run."""
    known = declared().described | _well_known() | _OLD_MODULES | sys.stdlib_module_names
    return root in known or _spec(root) is not None


def is_member(name: str) -> bool:
    """Whether a qualified name is known to be that of something in a module, and of no module."""
    root, *parts = name.split(".")
    if root in sys.stdlib_module_names:
        return stubs.is_defined(name)
    spec = _spec(root)
    for end, part in enumerate(parts, 1):
        if spec is None:
            return False
        below = _below(spec, ".".join([root, *parts[: end - 1]]), part)
        if below is None:
            names = _names_of(spec.origin) if spec.origin else None
            return names is not None and part in names
        spec = below
    return False


def slip(word: str, known: Collection[str]) -> str | None:
    """The one of the names that was meant, if the word can be taken for nothing else."""
    same = [name for name in known if name.lower() == word.lower()]
    near = same or [name for name in known if len(word) > 3 and _is_slip(word, name)]
    return min(near) if near and word not in known else None


def _in_library(name: str) -> Doubt | None:
    parts = name.split(".")
    for end in range(1, len(parts)):
        owner, part = ".".join(parts[:end]), parts[end]
        found = members(owner)
        if not found or is_known(".".join(parts[: end + 1])):
            continue
        if part not in found:
            return _missing(owner, part, found)
    return None


def _in_standard(name: str) -> Doubt | None:
    parts = name.split(".")
    spec = _spec(parts[0])
    for end, part in enumerate(parts[1:], 1):
        owner = ".".join(parts[:end])
        if spec is None:
            return None
        below = _below(spec, owner, part)
        found = _names_of(spec.origin) if below is None and spec.origin else None
        found = None if found is None else found | _modules_in(spec)
        if found is not None and part not in found:
            # What a module computes for itself, as multiprocessing its names, typeshed has.
            if stubs.is_exported(owner, part):
                return None
            near = slip(part, found)
            return _missing(owner, part, found) if near is not None else None
        spec = below
    return None


def _among(name: str, part: str, found: frozenset[str]) -> Doubt | None:
    first = part.partition(".")[0]
    return None if first in found else _missing("builtins", first, found)


def _missing(owner: str, part: str, found: frozenset[str]) -> Doubt:
    near = slip(part, found)
    if near is not None:
        return Doubt(part, f"{owner} has no {part!r}", f"did you mean {near!r}?", True)
    close = get_close_matches(part, found, 1)
    hint = f"did you mean {close[0]!r}?" if close else "it cannot be checked"
    return Doubt(part, f"{owner} is not known to have {part!r}", hint, False)


@cache
def usual_aliases() -> dict[str, str]:
    """Modules by what everybody calls them."""
    found = dict(zip(*[iter(_words("usual-aliases.txt"))] * 2, strict=True))
    return {**found, **declared().aliases}


@cache
def _well_known() -> frozenset[str]:
    return declared().well_known.union(_words("well-known.txt"))


def _words(name: str) -> list[str]:
    text = files(__package__).joinpath(name).read_text("utf-8")
    return [word for line in text.splitlines() if line[:1] != "#" for word in line.split()]


@cache
def _roots() -> frozenset[str]:
    standard = {name for name in sys.stdlib_module_names if name[0] != "_"}
    return declared().described | _well_known() | standard


@cache
def _spec(root: str) -> ModuleSpec | None:
    # Finding what has no dots imports nothing.
    try:
        return find_spec(root)
    except (ImportError, ValueError, AttributeError):
        return None


def _below(spec: ModuleSpec, owner: str, part: str) -> ModuleSpec | None:
    """The module of a package, found by its file."""
    if spec.submodule_search_locations is None:
        return None
    return PathFinder.find_spec(f"{owner}.{part}", list(spec.submodule_search_locations))


def _modules_in(spec: ModuleSpec) -> frozenset[str]:
    return frozenset(one.name for one in iter_modules(spec.submodule_search_locations or []))


@cache
def _names_of(file: str) -> frozenset[str] | None:
    """What a module's text binds at its top; None where that does not tell."""
    if not file.endswith(".py"):
        return None
    try:
        tree = parsed(Path(file).read_bytes())
    except OSError:
        return None
    if tree is None:
        return None
    found: set[str] = set()
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(node.name)
            continue
        if isinstance(node, ast.ImportFrom | ast.Import):
            found |= {(alias.asname or alias.name).partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        waiting += ast.iter_child_nodes(node)
    return None if found & {"*", "__getattr__"} else frozenset(found)


def _is_slip(word: str, name: str) -> bool:
    """Whether one letter inside is missing, too many, another, or two stand the wrong way round;
    digits, and what is put in front or behind, make other names."""
    if len(word) == len(name):
        at = [i for i, (a, b) in enumerate(zip(word, name, strict=True)) if a != b]
        if len(at) == 1:
            return not (word[at[0]] + name[at[0]]).isdigit() and word[at[0]].isalpha() == (
                name[at[0]].isalpha())  # fmt: skip
        return _is_swapped(word, name, at)
    if len(word) < len(name) and name[:-1] == word and name[-1].isalpha():
        return True
    return _lacks_one(*sorted((word, name), key=len))


def _is_taken_for(word: str, name: str) -> bool:
    """As ``_is_slip``, for names that may be anybody's own: what makes another word is none."""
    if min(len(word), len(name)) < 5:
        return False
    if len(word) == len(name):
        at = [i for i, (a, b) in enumerate(zip(word, name, strict=True)) if a != b]
        if len(at) == 1:
            return len(word) > 7 or {word[at[0]], name[at[0]]} in _ALIKE
        return _is_swapped(word, name, at)
    return _lacks_one(*sorted((word, name), key=len))


def _is_swapped(word: str, name: str, at: list[int]) -> bool:
    return (
        len(at) == 2
        and at[1] == at[0] + 1
        and word[at[0]] == name[at[1]]
        and word[at[1]] == name[at[0]]
    )


def _lacks_one(short: str, long: str) -> bool:
    """Whether a letter inside of the longer word is all that the shorter lacks."""
    return len(long) == len(short) + 1 and any(
        long[:i] + long[i + 1 :] == short and long[i].isalpha() for i in range(1, len(long) - 1)
    )


def is_third_party(root: str) -> bool:
    """Whether a name without dots is that of a package which many people use."""
    return root in declared().described or root in _well_known()


def standard_names(root: str) -> frozenset[str]:
    """What a module of Python's own library has, as far as that can be told."""
    if root not in sys.stdlib_module_names:
        return frozenset()
    if root in sys.modules:
        return frozenset(dir(sys.modules[root]))
    spec = _spec(root)
    return (spec is not None and spec.origin and _names_of(spec.origin)) or frozenset()
