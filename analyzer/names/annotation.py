"""named_class: the class that an annotation names."""

from __future__ import annotations

import re
from dataclasses import dataclass

from fissix.pgen2 import token
from fissix.pygram import python_symbols as symbols

from ..syntax.tree import LN, dotted, is_name

_DOTTED = re.compile(r"[^\W\d]\w*(\s*\.\s*[^\W\d]\w*)*")
_OR_NONE = re.compile(r"(?:(?:typing\.)?Optional\[(?P<inside>.*)\]|(?P<before>.*)\|\s*None"
                      r"|None\s*\|(?P<after>.*))")  # fmt: skip


@dataclass(frozen=True)
class Annotation:
    """``parts`` of the dotted name of a class, none where an annotation names no single one;
    ``optional`` if it may be None instead."""

    parts: tuple[str, ...] = ()
    optional: bool = False


def named_class(node: LN) -> Annotation:
    """What ``C``, ``a.C``, ``Optional[C]`` and ``C | None`` name, as code or in a string."""
    if is_name(node):
        return Annotation((node.value,))
    text = str(node).strip()
    if node.type == token.STRING:
        if text[:1] not in "'\"":
            return Annotation()
        text = text.strip("'\"").strip()
    elif node.type == symbols.power:
        parts = dotted((node,))
        if parts:
            return Annotation(tuple(parts))
    optional = _OR_NONE.fullmatch(text)
    if optional is not None:
        text = next(part for part in optional.groups() if part is not None).strip(" '\"")
    if _DOTTED.fullmatch(text) is None:
        return Annotation()
    return Annotation(tuple(part.strip() for part in text.split(".")), optional is not None)
