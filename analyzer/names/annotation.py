"""named_classes: the classes that an annotation names."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import lru_cache

from fissix.pgen2 import token
from fissix.pygram import python_symbols as symbols

from ..syntax.own_reading import expression_of
from ..syntax.tree import LN, is_name

# What is in their brackets is what is meant; of the first item alone for those with more.
_AROUND = {"Optional", "Union", "Annotated", "Final", "ClassVar", "Required", "NotRequired",
           "ReadOnly"}  # fmt: skip
_REMEMBERED = 4096


@dataclass(frozen=True)
class Annotation:
    """``classes`` are the parts of the dotted names of the classes of one of which the value is an
    instance; none where nothing is known. ``optional`` if it may be None, or more, instead."""

    classes: tuple[tuple[str, ...], ...] = ()
    optional: bool = False


def named_classes(node: LN) -> Annotation:
    """What ``C``, ``a.C``, ``C[int]``, ``Optional[C]``, ``C | D`` and ``Annotated[C, …]`` name, as
    code or in a string."""
    if is_name(node):
        return Annotation(((node.value,),))
    return _of_text(str(node).strip())


def annotation_of(target: LN) -> LN | None:
    """The annotation of what is assigned, or of a parameter; None if there is none."""
    parent = target.parent
    if parent is None:
        return None
    if parent.type in (symbols.tname, symbols.vname) and target is parent.children[0]:
        return parent.children[2]
    if parent.type == symbols.expr_stmt and target is parent.children[0]:
        following = parent.children[1]
        if following.type == symbols.annassign:
            return following.children[1]
    return None


def annotated_result(function: LN) -> LN | None:
    """What stands behind ``->``; None for what has none."""
    arrow = next((child for child in function.children if child.type == token.RARROW), None)
    return arrow.next_sibling if arrow is not None else None


@lru_cache(maxsize=_REMEMBERED)
def _of_text(text: str) -> Annotation:
    try:
        code = expression_of(text)
    except ValueError:
        return Annotation()
    found: list[tuple[str, ...]] = []
    known = _collect(code, found)
    return Annotation(tuple(dict.fromkeys(found)), not known)


def _collect(code: ast.expr, into: list[tuple[str, ...]]) -> bool:
    """Add the classes that an annotation names; whether it names nothing else."""
    if isinstance(code, ast.Constant):
        if not isinstance(code.value, str):
            return False
        inner = _of_text(code.value.strip())
        into += inner.classes
        return not inner.optional
    if isinstance(code, ast.BinOp) and isinstance(code.op, ast.BitOr):
        sides = [_collect(side, into) for side in (code.left, code.right)]
        return all(sides)
    if isinstance(code, ast.Subscript):
        head = _dotted(code.value)
        items = code.slice.elts if isinstance(code.slice, ast.Tuple) else [code.slice]
        if head and head[-1] in _AROUND:
            meant = items[:1] if head[-1] == "Annotated" else items
            known = [_collect(item, into) for item in meant]
            return all(known) and head[-1] != "Optional"
        if head and head[-1] not in ("Literal", "Type", "type", "Callable"):
            into.append(head)
            return True
        return False
    name = _dotted(code)
    if not name:
        return False
    into.append(name)
    return True


def _dotted(code: ast.expr) -> tuple[str, ...]:
    if isinstance(code, ast.Name):
        return (code.id,)
    if isinstance(code, ast.Attribute):
        before = _dotted(code.value)
        return (*before, code.attr) if before else ()
    return ()
