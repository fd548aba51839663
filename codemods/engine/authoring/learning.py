"""learned: drafts of rules from a file before and after somebody changed it by hand.

Each statement that was changed is narrowed to the smallest expression that differs. What both sides
have is what another place may have otherwise: it becomes a metavariable. Drafts that say the same
become one, and what only one of their places has, if both sides have it there, a metavariable too.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from fissix.pgen2 import token
from fissix.pygram import python_symbols as symbols

from pinsetter.analyzer.names.module import Module
from pinsetter.analyzer.syntax.tree import COMPOUND, LN, Expression, leaves, same_code, walk
from pinsetter.patterns.reading.emitter import METAVARIABLE

from .generalising import Naming, expressions, imports_said, is_imported, replaced, text_of

_MOST = 400
_MOST_PAIRS = 10_000
# Statements that have less in common are not one that was changed.
_LEAST = 0.3
_LAYOUT = {token.NEWLINE, token.SEMI, token.COMMENT}


@dataclass
class Draft:
    """A rule: ``match`` becomes ``replacement``, where ``imports`` are names of modules. ``kept``
    is what both sides have and the pattern asks for; ``metavariables`` what each stood for in the
    first place; ``lines`` are those of the file of before, ``examples`` their statements."""

    match: str
    replacement: str
    imports: dict[str, str]
    metavariables: dict[str, str]
    examples: list[tuple[str, str]]
    lines: list[int]


@dataclass(frozen=True)
class Learned:
    """``left`` are the lines, of one of both files, whose changes make no rule, with why."""

    drafts: list[Draft]
    left: list[tuple[Module, int, str]]


def learned(before: Module, after: Module) -> Learned:
    drafts: dict[tuple[str, ...], Draft] = {}
    left: list[tuple[Module, int, str]] = []
    for one, other in _changes(before, after):
        if all(node is None or _is_import(node) for node in (one, other)):
            continue
        if one is None or other is None:
            module, node = (before, one) if other is None else (after, other)
            assert node is not None
            what = "it was taken away" if other is None else "it was added"
            left.append((module, module.tree.line_of(node), what))
            continue
        draft = _draft(one, other, before, after)
        if isinstance(draft, str):
            left.append((before, before.tree.line_of(one), draft))
            continue
        known = drafts.setdefault(_meaning(draft), draft)
        if known is not draft:
            known.lines += draft.lines
            known.examples += draft.examples
    return Learned(list(drafts.values()), left)


def _meaning(draft: Draft) -> tuple[str, ...]:
    """The same for drafts that differ in what they call their metavariables."""
    numbers: dict[str, str] = {}
    return tuple(
        METAVARIABLE.sub(lambda m: numbers.setdefault(m[0], f"${len(numbers)}"), text)
        for text in (draft.match, draft.replacement)
    )


def _is_import(node: LN) -> bool:
    return node.type in (symbols.import_name, symbols.import_from)


def _changes(before: Module, after: Module) -> Iterator[tuple[LN | None, LN | None]]:
    """The statements that differ, those of before with those of after that they became."""
    old, new = list(_statements(before)), list(_statements(after))
    heads = [[_head(node) for node in nodes] for nodes in (old, new)]
    matcher = difflib.SequenceMatcher(None, heads[0], heads[1], autojunk=False)
    for tag, a, b, c, d in matcher.get_opcodes():
        if tag != "equal":
            yield from _aligned(old[a:b], new[c:d])


def _aligned(old: Sequence[LN], new: Sequence[LN]) -> Iterator[tuple[LN | None, LN | None]]:
    """Which statement became which, by what they have in common; None for what is new or gone."""
    if len(old) * len(new) > _MOST_PAIRS:
        yield from zip_longest(old, new)
        return
    words = [[[leaf.value for leaf in leaves(node)] for node in nodes] for nodes in (old, new)]
    best = [[0.0] * (len(new) + 1) for _ in range(len(old) + 1)]
    alike = [[_likeness(a, b) for b in words[1]] for a in words[0]]
    for i in range(len(old) - 1, -1, -1):
        for j in range(len(new) - 1, -1, -1):
            best[i][j] = max(best[i + 1][j], best[i][j + 1], alike[i][j] + best[i + 1][j + 1])
    i = j = 0
    while i < len(old) or j < len(new):
        if i < len(old) and j < len(new) and alike[i][j] and (
            best[i][j] == alike[i][j] + best[i + 1][j + 1]
        ):  # fmt: skip
            yield old[i], new[j]
            i, j = i + 1, j + 1
        elif i < len(old) and (j == len(new) or best[i][j] == best[i + 1][j]):
            yield old[i], None
            i += 1
        else:
            yield None, new[j]
            j += 1


def _likeness(one: Sequence[str], other: Sequence[str]) -> float:
    found = difflib.SequenceMatcher(None, one, other, autojunk=False).ratio()
    return found if found > _LEAST else 0.0


def _statements(module: Module) -> Iterator[LN]:
    """Statements in their order, those with blocks before what these have."""
    for node in walk(module.tree.root):
        inside = node.parent is not None and node.parent.type == symbols.simple_stmt
        if node.type in COMPOUND or (inside and node.type not in _LAYOUT):
            yield node


def _head(node: LN) -> str:
    """A statement as text, without its blocks."""
    parts = [child for child in node.children if child.type != symbols.suite] or [node]
    return " ".join(leaf.value for part in parts for leaf in leaves(part))


def _draft(old: LN, new: LN, before: Module, after: Module) -> Draft | str:
    """The rule that one change makes, or why it makes none."""
    if old.type in COMPOUND or new.type in COMPOUND:
        pairs = _heads(old, new)
        if pairs is None:
            return "it is a statement with blocks"
        old, new = pairs
    one, other = _without_rest(*_narrowed(old, new), before)
    naming = Naming()
    parts = _shared(one, other, before)
    names = {id(node): f"${naming.name(text_of(node))}" for node, _ in parts}
    match = replaced(one, before, [(node, names[id(node)]) for node, _ in parts])
    made = [(place, names[id(node)]) for node, places in parts for place in places]
    template = replaced(other, after, made)
    if match == template:
        return "only its layout differs"
    if METAVARIABLE.fullmatch(match) or (match.isidentifier() and not is_imported(one[0], before)):
        return "nothing of it is left to tell it by"
    imports = {**imports_said(other, after), **imports_said(one, before)}
    metavariables = {names[id(node)]: text_of(node) for node, _ in parts}
    example = (_example(old, before), _example(new, after, _imports_of(old, before)))
    line = before.tree.line_of(one[0])
    return Draft(match, template, imports, metavariables, [example], [line])


def _without_rest(one: LN, other: LN, module: Module) -> tuple[Expression, Expression]:
    """Of chains, without what follows in both: `a.b().c` and `d().c`. What is not told by an import
    is kept with its call."""
    if one.type != symbols.power or other.type != symbols.power:
        return (one,), (other,)
    left, right = list(one.children), list(other.children)
    rest: list[LN] = []
    while len(left) > 1 and len(right) > 1 and same_code((left[-1],), (right[-1],)):
        rest.append(left.pop())
        right.pop()
    is_name_of_module = len(left) > 1 and is_imported(left[0], module) and _is_dotted(left)
    if not is_name_of_module and not _is_call(left[-1]):
        while rest:
            following = rest.pop()
            left.append(following)
            right.append(other.children[len(right)])
            if _is_call(following):
                break
    is_whole = len(left) == len(one.children) or len(left) < 2 or len(right) < 2
    return ((one,), (other,)) if is_whole else (tuple(left), tuple(right))


def _is_call(node: LN) -> bool:
    return bool(node.type == symbols.trailer and node.children[0].type == token.LPAR)


def _is_dotted(nodes: Sequence[LN]) -> bool:
    return all(node.children and node.children[0].type == token.DOT for node in nodes[1:])


def _heads(old: LN, new: LN) -> tuple[LN, LN] | None:
    """What differs in the heads of two statements with blocks."""
    if old.type != new.type or len(old.children) != len(new.children):
        return None
    pairs = [
        (a, b) for a, b in zip(old.children, new.children, strict=True)
        if a.type != symbols.suite and not same_code((a,), (b,))
    ]  # fmt: skip
    return pairs[0] if len(pairs) == 1 else None


def _narrowed(old: LN, new: LN) -> tuple[LN, LN]:
    """The smallest expressions in which all of the difference lies."""
    found = old, new
    while old.type == new.type and len(old.children) == len(new.children):
        pairs = [
            (a, b) for a, b in zip(old.children, new.children, strict=True)
            if not same_code((a,), (b,))
        ]  # fmt: skip
        if len(pairs) != 1:
            break
        ((old, new),) = pairs
        if _stands_alone(old) and _stands_alone(new):
            found = old, new
    return found


def _stands_alone(node: LN) -> bool:
    """Whether a node is an expression by itself, and more than a word or number."""
    parent = node.parent
    if parent is None or node.type not in (
        symbols.power, symbols.comparison, symbols.arith_expr, symbols.term, symbols.and_test,
        symbols.or_test, symbols.not_test, symbols.atom, symbols.test,
    ):  # fmt: skip
        return False
    return parent.type not in (symbols.trailer, symbols.dotted_name)


def _shared(one: Expression, other: Expression, module: Module) -> list[tuple[LN, list[LN]]]:
    """The largest expressions of ``one`` that are in ``other``, too, and the places there."""
    places: dict[str, list[LN]] = {}
    for node in list(expressions(other))[:_MOST]:
        places.setdefault(text_of(node), []).append(node)
    found: list[tuple[LN, list[LN]]] = []
    taken: set[int] = set()
    used: dict[str, list[LN]] = {}
    # The larger first: of `self.a` the `self` is a part.
    wanted = sorted(list(expressions(one))[:_MOST], key=lambda node: -len(text_of(node)))
    for node in wanted:
        text = text_of(node)
        if id(node) in taken or text not in places or is_imported(node, module):
            continue
        taken |= {id(below) for below in walk(node)}
        free = used.setdefault(text, [p for p in places[text] if id(p) not in taken])
        taken |= {id(below) for place in free for below in walk(place)}
        if free:
            found.append((node, free))
    # What stands twice on the left is named once, and stands for all its places.
    return [(node, places if at == _first(found, node) else []) for at, (node, places)
            in enumerate(found)]  # fmt: skip


def _first(found: Sequence[tuple[LN, list[LN]]], node: LN) -> int:
    text = text_of(node)
    return next(at for at, (other, _) in enumerate(found) if text_of(other) == text)


def _example(node: LN, module: Module, besides: Sequence[str] = ()) -> str:
    """A statement with the imports that it needs, and others, as an example has it."""
    lines = [*besides, *_imports_of(node, module)]
    lines.sort(key=lambda line: line.startswith("from "))
    statement = module.tree.source((node,)).strip()
    return "\n".join([*dict.fromkeys(lines), statement]) + "\n"


def _imports_of(node: LN, module: Module) -> list[str]:
    lines = []
    for name, said in sorted(imports_said((node,), module).items()):
        line = said if said.startswith("from ") else f"import {said}"
        lines.append(line if line.split()[-1] == name else f"{line} as {name}")
    return lines
