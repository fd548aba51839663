"""Template: code with ``$captures`` and a pack's own names, read once, as the tree that it is.

What stands around a metavariable decides what it may become without changing the meaning: the
place takes some code only in parentheses, a run of items brings its own commas or none, and after
a dot there can only be a name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache

from fissix.pgen2 import token
from fissix.pygram import python_symbols as symbols

from pinsetter.analyzer.files.source import LINE_END
from pinsetter.analyzer.names.bound_names import loop_parts
from pinsetter.analyzer.syntax import SyntaxProblem, parse
from pinsetter.analyzer.syntax.tree import LN, Tree, ancestors, is_name, is_variable, leaves, walk

from .precedence import AWAITED, WALRUS, YIELD, Code, Place, code_of, place_of

_CAPTURE = re.compile(r"\$(\.\.\.)?(?:\{(\w+)\}|(\w+))")
_HOLE = re.compile(r"__hole_\d+__")
_MEMBER = re.compile(r"\s*\.\s*(\w+)")


class Kind(Enum):
    """What a template is: what is put around it to read it, and its name."""

    CODE = ("{}", "Python")
    EXPRESSION = ("({}\n)", "an expression")
    ARGUMENT = ("f(_, {}\n)", "an argument")
    ITEMS = ("[_, {}\n]", "a list's items")
    PART = ("_.{}", "part of a chain")


@dataclass(frozen=True)
class Hole:
    """Where a metavariable stands in the text. ``place`` is what may stand there, None if that is
    for the place of the whole to say; ``bracketed`` whether lines may end there; ``word`` whether
    only a name can stand there. ``bars`` are kinds of code that would mean something else there,
    in a scope of the template's own, and ``hides`` the names that it binds around. ``loops``: all
    that a comprehension has behind its first `in` stands there; ``block``: statements do; ``text``:
    it is part of a string; ``subscript``: all that stands in the brackets of an item."""

    name: str
    run: bool
    start: int
    end: int
    place: Place | None
    bracketed: bool
    word: bool
    bars: frozenset[str] = frozenset()
    hides: frozenset[str] = frozenset()
    loops: bool = False
    block: bool = False
    text: bool = False
    subscript: bool = False


@dataclass(frozen=True)
class Item:
    """One of several items, which ``hole`` is by itself; ``keyword`` is the argument's name, or its
    stars."""

    start: int
    end: int
    hole: Hole | None
    keyword: str


@dataclass(frozen=True)
class Sequence:
    """Items with commas between them, of which some are metavariables. ``kind`` is what they are
    of."""

    kind: str
    start: int
    end: int
    items: tuple[Item, ...]
    comma: bool


@dataclass(frozen=True)
class Name:
    """A name of the template's own, which may stand for one of the pack's imports."""

    name: str
    start: int
    end: int
    dotted: bool


Part = Hole | Sequence | Name


@dataclass(frozen=True)
class Template:
    """``text`` has other names in the place of metavariables; ``code`` is what the whole is, None
    where that is one metavariable. ``breaks``: a line ends where no bracket is open. ``keywords``
    are those of arguments, as ``keyword_of`` has them."""

    text: str
    parts: tuple[Part, ...]
    code: Code | None
    breaks: bool
    keywords: tuple[str, ...] = ()

    def names(self, wanted: Iterable[str]) -> set[str]:
        """Those of the names that the template uses as the head of a chain."""
        return {part.name for part in self.parts if isinstance(part, Name)} & set(wanted)

    def members(self, name: str) -> frozenset[str]:
        """The attributes of a name that the template uses; none if it uses the name itself."""
        heads = [part for part in self.parts if isinstance(part, Name) and part.name == name]
        found = [_MEMBER.match(self.text, part.end) for part in heads]
        return frozenset(one[1] for one in found if one is not None) if all(found) else frozenset()


def captures_in(template: str) -> set[str]:
    return {braced or plain for _, braced, plain in _CAPTURE.findall(template)}


def sentence(text: str, captured: Mapping[str, str]) -> str:
    """A text for people with what its metavariables stand for."""
    return _CAPTURE.sub(lambda found: captured[found[2] or found[3]], text)


# What a `let` may be, which stands for any part of another template.
LET = (Kind.EXPRESSION, Kind.ARGUMENT, Kind.ITEMS, Kind.PART, Kind.CODE)


# Packs of one choice share the rules of parts.
@lru_cache(maxsize=4096)
def read_template(template: str, *kinds: Kind) -> Template:
    """The template as the first of the kinds that it is; raises ValueError if it is none."""
    reason = ""
    for kind in kinds:
        try:
            return _read(template, kind)
        except SyntaxProblem as problem:
            name = kind.value[1] if len(kinds) == 1 else Kind.CODE.value[1]
            reason = reason or f"the template is not {name}: {problem.reason}"
    raise ValueError(reason)


@lru_cache(maxsize=4096)
def is_expression(template: str) -> bool:
    """Whether a template is one expression, and not statements."""
    try:
        read_template(template, Kind.EXPRESSION)
    except ValueError:
        return False
    return True


def names_in(template: str, wanted: Iterable[str]) -> set[str]:
    """Those of the names that a template of any kind uses as the head of a chain."""
    try:
        return read_template(template.rstrip("\n"), *LET).names(wanted)
    except ValueError:
        return set()


def _read(template: str, kind: Kind) -> Template:
    captured = [(run, braced or plain) for run, braced, plain in _CAPTURE.findall(template)]
    numbers = iter(range(len(captured)))
    inner = _CAPTURE.sub(lambda _: f"__hole_{next(numbers)}__", template)
    whole = kind.value[0].format(inner)
    shift = kind.value[0].index("{}")
    root = parse(whole)
    tree = Tree(root, whole)
    holes: dict[int, Hole] = {}
    names: list[Name] = []
    quoted: list[Hole] = []
    for leaf in leaves(root):
        start = tree.start(leaf) - shift
        if leaf.type == token.STRING:
            for found in _HOLE.finditer(leaf.value):
                run, name = captured[_number(found[0])]
                if run:
                    raise ValueError("a run cannot be part of a string")
                at = start + found.start()
                quoted.append(
                    Hole(name, False, at, at + len(found[0]), None, True, True, text=True)
                )
            continue
        if not is_name(leaf) or start < 0 or start >= len(inner):
            continue
        end = start + len(leaf.value)
        if _HOLE.fullmatch(leaf.value):
            run, name = captured[_number(leaf.value)]
            alone = kind is Kind.EXPRESSION and inner.strip() == leaf.value
            place = None if alone else place_of(leaf, leaf)
            bracketed, word = in_brackets(leaf, kind), _is_word(leaf)
            holes[id(leaf)] = Hole(
                name, bool(run), start, end, place, bracketed, word, *_scope_around(leaf),
                loops=bool(run) and stand_behind_in((leaf,)),
                block=bool(run) and leaf.parent.type in (symbols.simple_stmt, symbols.file_input),
                subscript=is_subscript((leaf,)),
            )  # fmt: skip
        elif is_variable(leaf):
            following = leaf.next_sibling
            dotted = following is not None and str(following).lstrip()[:1] == "."
            names.append(Name(leaf.value, start, end, dotted))
    lists = [_sequence(leaf, hole, holes, tree, shift)
             for leaf in leaves(root) if (hole := holes.get(id(leaf))) is not None]  # fmt: skip
    distinct = tuple(dict.fromkeys(found for found in lists if found is not None))
    parts: list[Part] = [*holes.values(), *quoted, *distinct, *names]
    parts.sort(key=lambda part: (part.start, -part.end, isinstance(part, Hole)))
    expression = _whole(root, kind)
    alone = expression is not None and id(expression) in holes
    code = None if expression is None or alone else code_of((expression,))
    return Template(inner, tuple(parts), code, _breaks(expression), _keywords(root, kind))


def _number(hole: str) -> int:
    return int(hole.strip("_").partition("_")[2])


def _keywords(root: LN, kind: Kind) -> tuple[str, ...]:
    if kind is not Kind.ARGUMENT:
        return ()
    arguments = root.children[0].children[0].children[1].children[1]
    given = [child for child in arguments.children if child.type != token.COMMA]
    return tuple(keyword_of(argument) for argument in given[1:])


def _whole(root: LN, kind: Kind) -> LN | None:
    """The expression that a template is."""
    if kind is not Kind.EXPRESSION:
        return None
    atom: LN = root.children[0].children[0]
    return atom.children[1]


def _breaks(expression: LN | None) -> bool:
    return expression is not None and breaks_off((expression,))


def _is_generator(parent: LN) -> bool:
    """Whether what stands between parentheses is no tuple."""
    last = parent.children[-1] if parent.type == symbols.testlist_gexp else None
    return last is not None and bool(last.type == symbols.comp_for)


def _sequence(
    leaf: LN, hole: Hole, holes: Mapping[int, Hole], tree: Tree, shift: int
) -> Sequence | None:
    """The items that a metavariable is one of, if it is one of several."""
    parent = leaf.parent
    if hole.loops or hole.block or _is_generator(parent):
        return None
    if not hole.run:
        listed = _SEQUENCES.get(parent.type) in ("call", "display", "tuple") and hole.bracketed
        if not listed and parent.type not in (symbols.trailer, symbols.atom):
            return None
        if hole.word or hole.place is None or _is_dictionary(parent) or _is_grouped(parent):
            return None
    if hole.place is None:
        raise ValueError(f"$...{hole.name} is a run of items; write ($...{hole.name}) for a tuple")
    if parent.type == symbols.argument and parent.children[0].type in (
        token.STAR, token.DOUBLESTAR,
    ):  # fmt: skip
        raise ValueError(f"$...{hole.name} stands for items, with the stars that they have")
    if parent.type in _SEQUENCES:
        children, kind = list(parent.children), _SEQUENCES[parent.type]
    elif parent.type in (symbols.trailer, symbols.atom, symbols.parameters) or (
        leaf.prev_sibling is not None and str(leaf.prev_sibling).strip() == "("
    ):
        children, kind = [leaf], _kind_of(leaf)
    else:
        raise ValueError(f"$...{hole.name} is a run of items, and stands where one thing is meant")
    groups: list[list[LN]] = [[]]
    for child in children:
        if child.type == token.COMMA:
            groups.append([])
        else:
            groups[-1].append(child)
    comma = not groups[-1]
    items = tuple(_item(group, holes, tree, shift) for group in groups if group)
    return Sequence(
        kind, tree.start(children[0]) - shift, tree.end(children[-1]) - shift, items, comma
    )


def _item(group: list[LN], holes: Mapping[int, Hole], tree: Tree, shift: int) -> Item:
    hole = holes.get(id(group[-1])) if len(group) == 1 or _is_run_of_dictionary(group) else None
    start, end = tree.span(tuple(group))
    return Item(start - shift, end - shift, hole, keyword_of(group[0]))


def _is_run_of_dictionary(group: list[LN]) -> bool:
    """Whether an item is written as `**` and one more, as a run of a dictionary's is."""
    return len(group) == 2 and group[0].type == token.DOUBLESTAR


def stand_behind_in(nodes: tuple[LN, ...]) -> bool:
    """Whether nodes are all that a comprehension has behind an `in`."""
    parent, before = nodes[0].parent, nodes[0].prev_sibling
    if parent is None or parent.type != symbols.comp_for or before is None:
        return False
    return str(before).strip() == "in" and nodes[-1].next_sibling is None


def is_subscript(nodes: tuple[LN, ...]) -> bool:
    """Whether nodes are all that stands in the brackets of an item."""
    parent = nodes[0].parent if len(nodes) == 1 else None
    if parent is None or parent.type != symbols.trailer or len(parent.children) != 3:
        return False
    return bool(parent.children[0].type == token.LSQB)


def _is_grouped(node: LN) -> bool:
    """Whether parentheses only hold an expression together."""
    return bool(node.type == symbols.atom and node.children[0].type == token.LPAR)


def _is_dictionary(node: LN) -> bool:
    return any(child.type in (token.COLON, token.DOUBLESTAR) for child in node.children)


def keyword_of(item: LN) -> str:
    """The name in front of an argument, or its stars; a colon for what is no argument, nothing for
    one given by position."""
    following = item.next_sibling
    if item.type == symbols.subscript or (following is not None and following.type == token.COLON):
        return ":"
    if item.type in (token.STAR, token.DOUBLESTAR):
        return str(item.value)
    if item.type == symbols.star_expr:
        return "*"
    if item.type != symbols.argument:
        return ""
    first = item.children[0]
    if first.type in (token.STAR, token.DOUBLESTAR):
        return str(first.value)
    return str(first.value) if item.children[1].type == token.EQUAL else ""


_SEQUENCES = {
    symbols.arglist: "call", symbols.listmaker: "display", symbols.testlist_gexp: "tuple",
    symbols.dictsetmaker: "display", symbols.subscriptlist: "subscript",
    symbols.testlist: "tuple", symbols.testlist_star_expr: "tuple", symbols.exprlist: "tuple",
    symbols.typedargslist: "parameters", symbols.varargslist: "parameters",
    symbols.testlist1: "tuple",
}  # fmt: skip


def _kind_of(node: LN) -> str:
    """What the brackets around a node enclose."""
    parent = node.parent
    if parent.type == symbols.parameters:
        return "parameters"
    if parent.type == symbols.trailer:
        return "call" if parent.children[0].type == token.LPAR else "subscript"
    if parent.type == symbols.atom:
        return "tuple" if parent.children[0].type == token.LPAR else "display"
    return "call"


def sequence_kind(node: LN) -> str:
    """What a node is one item of: of a call, a display, a tuple, a subscript …; nothing if it
    stands alone."""
    parent = node.parent
    if parent is None:
        return ""
    return _SEQUENCES.get(parent.type) or (
        _kind_of(node)
        if parent.type in (symbols.trailer, symbols.atom, symbols.parameters, symbols.decorator,
                           symbols.classdef)
        else ""
    )  # fmt: skip


def in_brackets(node: LN, kind: Kind = Kind.CODE) -> bool:
    """Whether a line may end in front of a node, because a bracket is open there. The one that a
    template was put into to be read does not count for an expression."""
    around = list(ancestors(node))
    for parent in around:
        opening = parent.children[0] if parent.children else None
        if parent.type == token.STRING:
            return False
        if parent.type in (symbols.trailer, symbols.atom, symbols.parameters) and (
            opening is not None and opening.type in _OPENING
        ):
            if parent.parent is not None and parent.parent.type == token.STRING:
                return False  # the file has no such parentheses
            outermost = kind is Kind.EXPRESSION and parent is around[-3]
            return not outermost
        if parent.type in (symbols.classdef, symbols.decorator, symbols.import_from):
            return _is_between(node, parent)
        if parent.type == symbols.suite or parent.type == symbols.simple_stmt:
            return False
    return False


_OPENING = {token.LPAR, token.LSQB, token.LBRACE}


def _is_between(node: LN, statement: LN) -> bool:
    """Whether a node stands between parentheses that are a statement's own."""
    child = node
    while child.parent is not statement:
        child = child.parent
    before = child.prev_sibling
    while before is not None:
        if before.type in (token.LPAR, token.RPAR):
            return bool(before.type == token.LPAR)
        before = before.prev_sibling
    return False


def _scope_around(leaf: LN) -> tuple[frozenset[str], frozenset[str]]:
    """What cannot stand where a leaf does, because of lambdas, definitions and comprehensions
    around it, and the names that these bind."""
    bars: set[str] = set()
    hides: set[str] = set()
    child = leaf
    for parent in ancestors(leaf):
        if parent.type in (symbols.lambdef, symbols.old_lambdef) and child is parent.children[-1]:
            bars |= {YIELD, AWAITED, WALRUS}
            hides |= _bound_in(parent.children[1:-2])
        elif parent.type in (symbols.funcdef, symbols.classdef) and child is parent.children[-1]:
            bars |= {YIELD, AWAITED, WALRUS}
        elif parent.type == symbols.comp_for:
            target, iterable = loop_parts(parent)
            if child is iterable:
                bars.add(WALRUS)
            if child is not iterable or parent.parent.type in (symbols.comp_for, symbols.comp_if):
                bars |= {YIELD, AWAITED}
                hides |= _bound_in([target])
        elif child.type != symbols.comp_for:
            for loop in (one for one in parent.children if one.type == symbols.comp_for):
                bars |= {YIELD, AWAITED}
                for inner in (node for node in walk(loop) if node.type == symbols.comp_for):
                    hides |= _bound_in([loop_parts(inner)[0]])
        child = parent
    return frozenset(bars), frozenset(hides)


def _bound_in(targets: Iterable[LN]) -> set[str]:
    return {leaf.value for target in targets for leaf in leaves(target)
            if is_variable(leaf) and not _HOLE.fullmatch(leaf.value)}  # fmt: skip


def _is_word(leaf: LN) -> bool:
    """Whether only a name can stand where a leaf does."""
    parent, before, following = leaf.parent, leaf.prev_sibling, leaf.next_sibling
    if before is not None and before.type == token.DOT:
        return True
    if parent.type == symbols.argument:
        return following is not None and following.type == token.EQUAL
    if before is not None and is_name(before) and before.value in ("def", "class", "as"):
        return bool(parent.type != symbols.with_item)
    return parent.type in _OF_WORDS


_OF_WORDS = {symbols.dotted_name, symbols.dotted_as_name, symbols.import_as_name,
             symbols.import_as_names, symbols.dotted_as_names, symbols.import_from,
             symbols.import_name, symbols.global_stmt}  # fmt: skip


def breaks_off(expression: tuple[LN, ...]) -> bool:
    """Whether a line ends inside the expression where no bracket of its own is open."""
    return any(True for _ in _line_ends(expression))


def needs_brackets(expression: tuple[LN, ...]) -> bool:
    """Whether a line ends so and no backslash says that it goes on."""
    return any(LINE_END.search(_GOES_ON.sub("", prefix)) for prefix in _line_ends(expression))


_GOES_ON = re.compile(r"\\(\r\n?|\n)")


def _line_ends(expression: tuple[LN, ...]) -> Iterator[str]:
    """The prefixes in which lines end outside of the expression's own brackets."""
    depth = 0
    for index, leaf in enumerate(leaf for node in expression for leaf in leaves(node)):
        if index and not depth and LINE_END.search(leaf.prefix):
            yield leaf.prefix
        if leaf.type in (token.RPAR, token.RSQB, token.RBRACE):
            depth -= 1
        if leaf.type in (token.LPAR, token.LSQB, token.LBRACE):
            depth += 1
