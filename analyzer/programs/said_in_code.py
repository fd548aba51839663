"""Said: what code says that may lead to other code of its repository.

A chain is a name with the attributes behind it, as ``a.b.c``. Of what has no name, as a call's
result or an item, the attributes are known alone.
"""

from __future__ import annotations

import keyword
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from fissix.pgen2 import token
from fissix.pygram import python_symbols as symbols
from fissix.pytree import Leaf

from ..syntax.fstring import is_fstring
from ..syntax.tree import (
    LN,
    Argument,
    Tree,
    arguments_of,
    dotted,
    is_member,
    is_name,
    leaves,
    plain_string,
)

Chain = tuple[str, ...]
# Of anything, and of the module that the code stands in.
UNKNOWN: Chain = ()
OWN: Chain = ("",)
ANY_MODULE = "*"
NOTHING: Mapping[str, str] = {}

_IMPORTS = (symbols.import_name, symbols.import_from)
_PARAMETERS = (symbols.parameters, symbols.typedargslist, symbols.varargslist)
_NAMED_BY_TEXT = {"getattr", "attrgetter", "methodcaller"}
_LISTING = {"dir", "getmembers", "getmembers_static"}
_RUN_TEXT = {"eval", "exec", "execfile"}
# They run, or make, what a text names, that of a configuration for instance.
_RUN_FILES = {"import_string", "instantiate", "locate", "run_module", "run_path"}
_IMPORTERS = {"import_module", "__import__"}
_FINDERS = {
    "exec_module", "iter_modules", "load_module", "load_source", "module_from_spec",
    "spec_from_file_location", "walk_packages",
}  # fmt: skip
_LOADERS = {"load", "loads", "read_pickle", "Unpickler"}
_PICKLES = {"cPickle", "cloudpickle", "dill", "joblib", "pickle"}
# They make commands of what they are given, or of the module that calls them.
_COMMANDERS = {"CLI", "Fire", "auto_cli"}


_T = TypeVar("_T")


@dataclass(frozen=True)
class Said:
    """``computed``: of what a name is looked up that the code does not say; ``tables``: of what the
    names are listed, where it is a module or a class. ``modules`` are imported by a call;
    ``makes``: instances may be made of a class that the code does not name."""

    chains: frozenset[Chain] = frozenset()
    attributes: frozenset[str] = frozenset()
    computed: frozenset[Chain] = frozenset()
    tables: frozenset[Chain] = frozenset()
    modules: frozenset[str] = frozenset()
    unpickles: bool = False
    lists_classes: bool = False
    runs_files: bool = False
    runs_text: bool = False


def said(
    nodes: Iterable[LN],
    tree: Tree,
    without: Collection[int] = (),
    local: Collection[str] = (),
    imported: Mapping[str, str] = NOTHING,
    annotations: bool = True,
) -> Said:
    """What nodes say, but for those of ``without``, by identity; ``local`` are names that only mean
    variables there, ``imported`` what imports call otherwise."""
    return _Listener(tree, without, local, imported, annotations).hear(nodes)


def frozen(found: set[_T]) -> frozenset[_T]:
    """A set that does not change; nothing is always the same, for there are tens of thousands."""
    return frozenset(found) if found else _NONE


_NONE: frozenset[Any] = frozenset()


class _Listener:
    def __init__(
        self,
        tree: Tree,
        without: Collection[int],
        local: Collection[str],
        imported: Mapping[str, str],
        annotations: bool,
    ) -> None:
        self._tree, self._without, self._local = tree, without, local
        self._imported, self._annotations = imported, annotations
        self._waiting: list[LN] = []
        self._chains: set[Chain] = set()
        self._attributes: set[str] = set()
        self._computed: set[Chain] = set()
        self._tables: set[Chain] = set()
        self._modules: set[str] = set()
        self._flags: set[str] = set()

    def hear(self, nodes: Iterable[LN]) -> Said:
        self._waiting = list(nodes)
        while self._waiting:
            node = self._waiting.pop()
            if id(node) not in self._without and node.type not in _IMPORTS:
                self._one(node)
        return Said(
            frozen(self._chains),
            frozen(self._attributes),
            frozen(self._computed),
            frozen(self._tables),
            frozen(self._modules),
            "unpickles" in self._flags,
            "lists classes" in self._flags,
            "runs files" in self._flags,
            "runs text" in self._flags,
        )

    def _one(self, node: LN) -> None:
        kind, children = node.type, node.children
        if isinstance(node, Leaf):
            if is_name(node):
                self._name(node)
            elif kind == token.STRING and is_fstring(node):
                self._waiting += self._tree.fields(node) or ()
        elif kind == symbols.power:
            self._power(node)
        elif kind in (symbols.dotted_name, symbols.attr):
            self._chain(tuple(leaf.value for leaf in leaves(node) if is_name(leaf)), None)
        elif kind in (symbols.funcdef, symbols.classdef):
            self._waiting += [c for i, c in enumerate(children) if i != 1 and self._counts(c)]
        elif kind == symbols.decorator:
            self._decorator(node)
        elif kind in _PARAMETERS:
            self._waiting += _without_names(children)
        elif kind == symbols.tname:
            self._waiting += children[1:] if self._annotations else []
        elif kind == symbols.lambdef:
            self._waiting += [c for i, c in enumerate(children) if i != 1 or not is_name(c)]
        elif kind != symbols.global_stmt:
            self._waiting += children

    def _counts(self, child: LN) -> bool:
        before = child.prev_sibling
        is_result = before is not None and before.type == token.RARROW
        return self._annotations or not is_result

    def _name(self, leaf: Leaf) -> None:
        before = leaf.prev_sibling
        if before is not None and before.type == token.DOT:
            self._attributes.add(leaf.value)
        elif not keyword.iskeyword(leaf.value) and not is_member(leaf):
            self._chain((leaf.value,), None, (leaf,))

    def _decorator(self, node: LN) -> None:
        head, *call = node.children[1:]
        if head.type in (symbols.dotted_name, token.NAME):
            names = tuple(leaf.value for leaf in leaves(head) if is_name(leaf))
            inner = [c for c in call if c.type not in (token.LPAR, token.RPAR, token.NEWLINE)]
            self._chain(names, list(arguments_of(inner)) if call[0].type == token.LPAR else None)
            self._waiting += inner
        else:
            self._waiting += node.children[1:]

    def _power(self, node: LN) -> None:
        parts = node.children[node.children[0].type == token.AWAIT :]
        names: list[str] = []
        head, *rest = parts
        if is_name(head):
            names.append(head.value)
            while rest and _is_attribute(rest[0]):
                names.append(rest.pop(0).children[1].value)
            called = bool(rest) and _is_call(rest[0])
            self._chain(tuple(names), _arguments(rest[0]) if called else None, (*rest[:1], node))
        else:
            self._waiting.append(head)
        for index, part in enumerate(rest):
            if _is_attribute(part):
                behind = rest[index + 1] if index + 1 < len(rest) else None
                given = _arguments(behind) if behind is not None and _is_call(behind) else None
                self._attribute(part.children[1].value, given)
            else:
                self._waiting.append(part)

    def _attribute(self, name: str, given: list[Argument] | None) -> None:
        self._attributes.add(name)
        if name == "__dict__":
            self._computed.add(UNKNOWN)
        self._special(name, (), given)

    def _chain(self, names: Chain, given: list[Argument] | None, behind: Sequence[LN] = ()) -> None:
        """A chain, with the arguments where it is called; ``behind``: what stands right behind it,
        and the whole expression."""
        if names[0] in self._local:
            self._attributes.update(names[1:])
        else:
            self._chains.add(names)
        names = (self._imported.get(names[0], names[0]), *names[1:])
        *owner, last = names
        if last == "__dict__":
            known = names[0] not in self._local and names[0] not in ("cls", "self")
            if known or "__class__" in owner or names[0] == "cls":
                self._add(self._tables if known else self._computed, tuple(owner))
        elif behind and _is_target(behind[-1]):
            return
        elif names[:2] == ("sys", "modules"):
            if "".join(leaf.value for leaf in leaves(behind[0])) == "[__name__]":
                self._computed.add(OWN)
            else:
                self._modules.add(ANY_MODULE)
        elif given is None and len(names) == 1:
            self._handed(last)
        self._special(last, tuple(owner), given)

    def _handed(self, name: str) -> None:
        """What it means that a function is given to others which finds code by a text."""
        if name in _NAMED_BY_TEXT:
            self._computed.add(UNKNOWN)
        elif name in _RUN_TEXT:
            self._flags.add("runs text")
        elif name == "globals":
            self._computed.add(OWN)

    def _special(self, name: str, owner: Chain, given: list[Argument] | None) -> None:
        """What calls mean that find code by a text."""
        if name == "__subclasses__":
            self._flags.add("lists classes")
        if given is None:
            return
        first = given[0].node if given else None
        if name in _NAMED_BY_TEXT:
            self._by_text(name, given)
        elif name in _LISTING and (first is not None or name == "dir"):
            self._add(self._computed, _chain_of(first) if first is not None else OWN)
        elif name in ("vars", "locals") and not owner:
            self._add(self._tables, _chain_of(first) if first is not None else OWN)
        elif name in _RUN_TEXT and not owner:
            self._flags.add("runs text")
        elif name == "globals" and not owner:
            self._computed.add(OWN)
        elif name in _RUN_FILES:
            self._flags.add("runs files")
        elif name in _IMPORTERS:
            text = plain_string(given[0].value) if given else ""
            self._modules.add(text or ANY_MODULE)
        elif name in _FINDERS:
            self._modules.add(ANY_MODULE)
        elif name in _LOADERS and owner and not _PICKLES.isdisjoint(owner):
            self._flags.add("unpickles")
        elif name in _COMMANDERS:
            for argument in given:
                self._add(self._computed, _chain_of(argument.value))
            if not given:
                self._computed.add(OWN)

    def _by_text(self, name: str, given: list[Argument]) -> None:
        texts = given[1:2] if name == "getattr" else given[:1]
        text = plain_string(texts[0].value) if texts else ""
        of = _chain_of(given[0].value) if name == "getattr" and given else UNKNOWN
        if not text:
            self._add(self._computed, of)
        elif of and of[0] not in self._local:
            self._chains.add((*of, *text.split(".")))
        else:
            self._attributes.update(text.split("."))

    def _add(self, to: set[Chain], chain: Chain) -> None:
        local = bool(chain) and chain[0] in self._local and chain[0] != "self"
        to.add(UNKNOWN if local else chain)


def _chain_of(node: LN) -> Chain:
    return dotted((node,))


def _is_target(node: LN) -> bool:
    """Whether something is assigned to an expression, or its type is told."""
    behind = node.next_sibling
    return behind is not None and behind.type in (token.EQUAL, symbols.annassign)


def _is_attribute(part: LN) -> bool:
    return bool(part.type == symbols.trailer and part.children[0].type == token.DOT)


def _is_call(part: LN) -> bool:
    return bool(part.type == symbols.trailer and part.children[0].type == token.LPAR)


def _arguments(trailer: LN) -> list[Argument]:
    inner = trailer.children[1:-1]
    return list(arguments_of(inner)) if inner else []


def _without_names(children: list[LN]) -> Iterable[LN]:
    """The parts of parameters that are evaluated: defaults and annotations."""
    for child in children:
        before = child.prev_sibling
        if not is_name(child) or (before is not None and before.type == token.EQUAL):
            yield child
