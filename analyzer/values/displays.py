"""displays: which items of lists, tuples and dictionaries ``a["key"][0]`` may mean."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fissix.pgen2 import token
from fissix.pygram import python_symbols as symbols
from fissix.pytree import Leaf

from ..files.import_path import ImportTarget
from ..files.word_uses import Assumed, Saying
from ..names.definition import items_of
from ..names.module import Module
from ..names.scopes import Binding
from ..syntax.own_reading import literal_value
from ..syntax.tree import LN, Expression, ancestors, attribute_name, flat, is_name, unwrap
from .bindings_at import bindings_at

if TYPE_CHECKING:
    from .evaluator import Evaluator

_DEPTH = 8
# A name, and an attribute of it.
_PAIR = 2


@dataclass(frozen=True)
class Items:
    """Expressions, each with its module; ``complete`` if it can be nothing else."""

    found: tuple[tuple[LN, Module], ...] = ()
    complete: bool = False


_UNKNOWN = Items()


class Displays:
    """Items by constant keys, in one project. What a display holds is only sure while nothing but
    subscripts with constant keys is done with the names for it."""

    def __init__(self, evaluator: Evaluator) -> None:
        self.evaluator = evaluator
        self._known: dict[tuple[int, ...], Items] = {}
        self._items: dict[int, list[LN]] = {}

    def items(self, owner: Expression, trailer: LN, module: Module, level: int = 1) -> Items:
        """The items that ``owner[key]`` may be: where the key is no constant, any of them."""
        if not _is_item(trailer):
            return _UNKNOWN
        return self.at(owner, _literal(trailer.children[1]), module, level)

    def at(self, owner: Expression, key: object, module: Module, level: int = 1) -> Items:
        """The items of what an expression holds that a key, None if not known, may stand for.
        ``level`` counts the keys by which they are asked for, this one and those that follow."""
        displays = self._of(owner, module, level)
        complete = displays.complete and bool(displays.found)
        known: list[tuple[LN, Module]] = []
        for display, where in displays.found:
            item = _item(display, key) if key is not None else None
            known += [(i, where) for i in ([item] if item is not None else self._all(display))]
            complete = complete and item is not None
        return Items(tuple(known), complete)

    def _all(self, display: LN) -> list[LN]:
        """The items of a display, which a table of hundreds is asked for again and again."""
        found = self._items.get(id(display))
        if found is None:
            found = self._items[id(display)] = all_items(display)
        return found

    def _of(self, expression: Expression, module: Module, level: int, depth: int = _DEPTH) -> Items:
        """The displays that an expression may mean. Each is looked for once: of `x = x[y]` said
        many times, each may be of each."""
        nodes = flat(unwrap(expression))
        if not depth or level > _DEPTH:
            return _UNKNOWN
        key = (id(nodes[0]), id(nodes[-1]), level, depth)
        if key not in self._known:
            self._known[key] = self._found(nodes, module, level, depth)
        return self._known[key]

    def _found(self, nodes: Expression, module: Module, level: int, depth: int) -> Items:
        if len(nodes) > 1:
            loaded = self._of_module(nodes, module)
            if loaded:
                return self._of_all(loaded, False, level, depth - 1)
            items = self.items(nodes[:-1], nodes[-1], module, level + 1)
            return self._of_all(items.found, items.complete, level, depth - 1)
        if is_name(nodes[0]):
            return self._named(nodes[0], module, level, depth - 1)
        return Items(((nodes[0], module),), True) if is_display(nodes[0]) else _UNKNOWN

    def _of_all(
        self, found: tuple[tuple[LN, Module], ...], complete: bool, level: int, depth: int
    ) -> Items:
        parts = [self._of((node,), where, level, depth) for node, where in found]
        each = {id(node): (node, where) for part in parts for node, where in part.found}
        return Items(tuple(each.values()), complete and all(part.complete for part in parts))

    def _named(self, leaf: Leaf, module: Module, level: int, depth: int) -> Items:
        bindings = module.scope_of(leaf).lookup(leaf.value)
        if not bindings:
            return _UNKNOWN
        last = bindings_at(leaf, module) if len(bindings) > 1 else bindings
        if last and self._is_unchanged(bindings, module, level):
            found = _assigned(last)
            if len(found) == len(last):
                return self._of_all(tuple((n, module) for n in found), True, level, depth)
        known = [(node, module) for node in _assigned(bindings)]
        project = self.evaluator.project
        for target in (b.target for b in bindings if b.target is not None and b.target.name):
            there = project.find(module, ImportTarget(target.module, target.level))
            known += _assigned_in(there, target.name or "")
        return self._of_all(tuple(known), False, level, depth)

    def _of_module(self, nodes: Expression, module: Module) -> tuple[tuple[LN, Module], ...]:
        """What a name is assigned in the module that it is asked of: ``settings.TABLE``."""
        attribute = attribute_name(nodes)
        if len(nodes) != _PAIR or attribute is None or not is_name(nodes[0]):
            return ()
        bindings = module.scope_of(nodes[0]).lookup(nodes[0].value)
        known: list[tuple[LN, Module]] = []
        for target in (b.target for b in bindings if b.target is not None):
            project = self.evaluator.project
            find = project.find if target.name is None else project.find_member
            known += _assigned_in(find(module, target), attribute)
        return tuple(known)

    def _is_unchanged(self, bindings: list[Binding], module: Module, level: int) -> bool:
        name, bound = bindings[0].name, {id(binding.node) for binding in bindings}
        if bindings[0].scope.kind == "module":
            self.evaluator.project.assume(Assumed(name, Saying.ANYHOW))
            others = (m for m in self.evaluator.read if m is not module)
            if any(name in other.names for other in others):
                return False
        elif bindings[0].scope.kind != "function":
            return False
        reads = (leaf for leaf in module.leaves_of(name) if id(leaf) not in bound)
        return all(_is_only_read(leaf, level) for leaf in reads)


def _assigned(bindings: Sequence[Binding]) -> list[LN]:
    """What is assigned, where it is assigned as it is."""
    simple = (b for b in bindings if b.kind == "assign" and b.value and not b.element)
    values = (unwrap(binding.value) for binding in simple if binding.value)
    return [nodes[0] for nodes in values if len(nodes) == 1]


def _assigned_in(module: Module | None, name: str) -> list[tuple[LN, Module]]:
    """What a module of the repository assigns a name."""
    return [(node, module) for node in _assigned(module.binding(name))] if module else []


def _is_only_read(leaf: Leaf, level: int) -> bool:
    """Whether a name stands only in a read by at least as many keys, such as ``name["key"][0]``, or
    in ``name[0].attribute`` that is no method of lists and dictionaries."""
    power = leaf.parent
    if power is None:
        return False
    if power.type == symbols.argument and power.children[0] is leaf:
        return bool(power.children[1].type == token.EQUAL)
    if power.type == symbols.trailer and power.children[0].type == token.DOT:
        return True  # an attribute of that name
    if power.type != symbols.power or power.children[0] is not leaf:
        return False
    trailers = power.children[1:]
    at = next((i for i, t in enumerate(trailers) if not _is_item(t)), len(trailers))
    if at < level:
        return False
    if at == len(trailers):
        return not _is_target(power)
    following = trailers[at]
    if following.type != symbols.trailer or following.children[0].type == token.LSQB:
        return False  # a slice, or an item by a key that is no constant
    opening = following.children[0].type
    return bool(opening == token.LPAR) or following.children[1].value not in _CHANGING


_CHANGING = {
    *(name for kind in (list, dict) for name in vars(kind) if not name.startswith("_"))
} - {"index", "count", "copy", "get", "keys", "items", "values"}


def _is_target(node: LN) -> bool:
    """Whether something is assigned to, or deleted at, an expression."""
    child: LN = node
    for parent in ancestors(node):
        before = child.prev_sibling
        if before is not None and before.type == token.NAME and before.value in ("as", "for"):
            return True
        if parent.type == symbols.del_stmt:
            return True
        if parent.type == symbols.expr_stmt:
            return child is not parent.children[-1]
        if parent.type in (symbols.trailer, symbols.power, symbols.simple_stmt, symbols.suite):
            return False
        child = parent
    return False


def _is_item(trailer: LN) -> bool:
    """Whether a trailer is ``[key]``, and no slice."""
    if trailer.type != symbols.trailer or trailer.children[0].type != token.LSQB:
        return False
    return trailer.children[1].type not in (symbols.subscript, symbols.subscriptlist, token.COLON)


def _literal(node: LN) -> object | None:
    if node.type not in (token.NUMBER, token.STRING, symbols.factor):
        return None
    try:
        found = literal_value(str(node).strip())
    except ValueError:
        return None  # of another Python, or no constant
    return found if isinstance(found, int | str) else None


def is_display(node: LN) -> bool:
    if node.type in LISTS:
        return True
    return node.type == symbols.atom and node.children[0].type in (
        token.LPAR, token.LSQB, token.LBRACE
    )  # fmt: skip


def _item(display: LN, key: object) -> LN | None:
    """The item of a display by its key, where that is one and sure."""
    if display.type == symbols.atom and display.children[0].type == token.LBRACE:
        found = [value for at, value in _pairs(display) if at == key]
        return found[0] if len(found) == 1 and None not in dict(_pairs(display)) else None
    items = items_of((display,))
    if not isinstance(key, int) or not -len(items) <= key < len(items):
        return None
    return items[key]


def all_items(display: LN) -> list[LN]:
    """The items of a display, as far as they stand there."""
    if display.type == symbols.atom and display.children[0].type == token.LBRACE:
        return [value for key, value in _pairs(display) if key is not None or value.type != _PAIRS]
    if display.type == symbols.atom and len(display.children) == 2:
        return []
    inner = display.children[1] if display.type == symbols.atom else display
    found = inner.children if inner.type in LISTS else [inner]
    if any(child.type == symbols.comp_for for child in found):
        return []
    return [child for child in found if child.type not in (token.COMMA, symbols.star_expr)]


_PAIRS = symbols.dictsetmaker
LISTS = {symbols.testlist_gexp, symbols.listmaker, symbols.testlist, symbols.testlist_star_expr}


def _pairs(display: LN) -> Iterator[tuple[object | None, LN]]:
    """The keys of a dictionary, None for those that are no constants, and their values."""
    inner = display.children[1]
    parts = inner.children if inner.type == symbols.dictsetmaker else [inner]
    for before, colon, after in zip(parts, parts[1:], parts[2:], strict=False):
        if colon.type == token.COLON:
            yield _literal(before), after
    if any(part.type in (token.DOUBLESTAR, symbols.comp_for) for part in parts):
        yield None, inner
