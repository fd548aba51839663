"""import_place: where an import stands among those that a module has, in isort's order."""

from __future__ import annotations

import re
import sys
from collections.abc import Collection

from fissix.pygram import python_symbols as symbols

from pinsetter.analyzer.names.module import Module
from pinsetter.analyzer.syntax.tree import LN, leaves

_OWN = sys.stdlib_module_names
_CELL = re.compile(r"#\s*(?:%%|In\[|<codecell>)")
_FIRST_LINE = re.compile(r"#!|#.*coding[:=]")
# What isort writes above a group, or people do.
_HEADING = re.compile(
    r"#+\W*(?:third[- ]?party|standard library|stdlib|built-?ins?|first[- ]?party|external|local)"
    r"(?: (?:imports?|modules?|packages?|librar(?:y|ies)|dependencies))?\W*",
    re.IGNORECASE,
)
_BLANK_LINE = re.compile(r"(?:\r\n|\r|\n)[ \t]*(?:\r\n|\r|\n)")


def import_place(
    module: Module,
    name: str,
    libraries: Collection[str],
    start: int,
    repository: Collection[str] = (),
) -> tuple[int, bool, bool]:
    """The offset for ``import name``, and whether an empty line has to be before and behind it: in
    the last block of imports before ``start`` that has one of the libraries, or one of Python's own
    modules if it is one, among its plain imports, or else other packages than those of the
    ``repository``; at its end where these are in no such order. Where there are none of them,
    between Python's own modules and the repository's."""
    own = name.partition(".")[0] in _OWN
    blocks = _blocks(module, start)
    having = [b for b in blocks if any(_package(o) in (_OWN if own else libraries) for o in b)]
    if not own and not having:
        known = {*_OWN, *repository, ""}
        having = [b for b in blocks if any(_package(o) not in known for o in b)]
    if having:
        return _in_block(module, name, having[-1]), False, False
    first = [b[0] for b in blocks if own or not any(_package(o) in _OWN for o in b)]
    if first and not _has_comment(first[0]):
        return module.tree.start(first[0]), False, True
    behind_own = bool(blocks) and not first and module.tree.end(blocks[-1][-1]) == start
    return start, behind_own, _is_import_at(module, start)


def _is_import_at(module: Module, place: int) -> bool:
    """Whether the line at a place is an import, which is of the repository then."""
    return any(
        module.tree.line_start(module.tree.start(statement)) == place and _is_import(statement)
        for statement in module.tree.root.children
    )


def from_import_place(
    module: Module, home: str, libraries: Collection[str], start: int
) -> tuple[int, bool]:
    """The same for ``from home import …``, behind the plain imports."""
    own = home.partition(".")[0] in _OWN
    blocks = _blocks(module, start)
    having = [b for b in blocks if any(_package(o) in (_OWN if own else libraries) for o in b)]
    if own and not having and blocks:
        first = blocks[0][0]
        return (start, False) if _has_comment(first) else (module.tree.start(first), True)
    if not having:
        return start, False
    block = having[-1]
    alike = [one for one in block if (_package(one) in _OWN) == own]
    others = [one for one in alike if one.children[0].type == symbols.import_from]
    names = [_name(one).lower() for one in others]
    if names != sorted(names):
        return module.tree.end(others[-1]), False
    behind = [one for one in others if _name(one).lower() <= home.lower()]
    if behind:
        return module.tree.end(behind[-1]), False
    if others and not _has_comment(others[0]):
        return module.tree.start(others[0]), False
    return module.tree.end(alike[-1] if alike else block[-1]), False


def _in_block(module: Module, name: str, block: list[LN]) -> int:
    end = module.tree.end(block[-1])
    plain = [one for one in block if one.children[0].type == symbols.import_name]
    if block[: len(plain)] != plain:
        return end
    own = name.partition(".")[0] in _OWN
    alike = [one for one in plain if (_package(one) in _OWN) == own]
    names = [_name(one).lower() for one in alike]
    if names != sorted(names):
        return end
    following = [one for one in alike if _name(one).lower() > name.lower()]
    if following:
        behind = following[0]
    elif own and alike and alike[-1] is not plain[-1]:
        return module.tree.end(alike[-1])
    elif len(plain) < len(block):
        behind = block[len(plain)]
    else:
        return module.tree.end(block[-1])
    if not _has_comment(behind):
        return module.tree.start(behind)
    if behind is not block[0]:
        return module.tree.end(block[block.index(behind) - 1])
    return end


def _has_comment(statement: LN) -> bool:
    """Whether the line above a statement is a comment, which is its own then; not one that marks
    the begin of a cell, or heads a group of imports, or the file."""
    above = _prefix(statement).splitlines()
    last = above[-1].lstrip() if above else ""
    if statement.prev_sibling is None and (len(above) > 1 or _FIRST_LINE.match(last)):
        return False
    return last.startswith("#") and not (_CELL.match(last) or _HEADING.fullmatch(last))


def _blocks(module: Module, start: int) -> list[list[LN]]:
    """The imports of the module itself before a place, those that stand line by line together."""
    blocks: list[list[LN]] = [[]]
    for statement in module.tree.root.children:
        if module.tree.end(statement) > start:
            break
        one = statement.children[0] if statement.children else statement
        own_line = _is_import(statement) and len(statement.children) <= 2
        if not own_line or _package(one) == "__future__":
            blocks.append([])
            continue
        if _BLANK_LINE.search(_prefix(statement)) or _prefix(statement).startswith(("\n", "\r")):
            blocks.append([])
        blocks[-1].append(statement)
    return [block for block in blocks if block]


def _is_import(statement: LN) -> bool:
    return statement.type == symbols.simple_stmt and statement.children[0].type in _IMPORTS


_IMPORTS = (symbols.import_name, symbols.import_from)


def _name(statement: LN) -> str:
    """``a.b`` of ``import a.b as c`` or ``from a.b import c``."""
    words = [leaf.value for leaf in leaves(statement)]
    name = ""
    for word in words[1:]:
        if not (word == "." or word.isidentifier()) or word in ("as", "import"):
            break
        name += word
    return name


def _package(statement: LN) -> str:
    return _name(statement).partition(".")[0]


def _prefix(statement: LN) -> str:
    prefix: str = statement.prefix
    return prefix
