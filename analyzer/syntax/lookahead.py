"""Lookahead: what a soft keyword, or a token of which only what follows tells its meaning, is here.

Asked only in states in which the grammar has a use for both meanings, or for the softer one. The
rule is the same everywhere: the new meaning is taken only where the old one cannot hold, so that
what fissix could parse keeps its tree.
"""

from __future__ import annotations

import keyword
from collections.abc import Callable, Iterator

from .strings import end_of_string
from .tokens import TOKEN

_OPEN, _CLOSE = "([{", ")]}"
# Words that continue an expression; a name cannot be followed by any other.
_CONTINUING = frozenset(
    {"and", "or", "not", "in", "is", "if", "else", "for", "async", "as", "from"}
)
_NEWLINE = "\n"


def decide(soft: str, text: str, at: int, in_async: bool) -> bool:
    """Whether the token that ends at ``at`` is what the label ``soft`` stands for."""
    return (in_async and soft == "AWAIT") or _DECISIONS[soft](text, at)


def next_word(text: str, at: int) -> str:
    """The token after ``at``; "" at the end of the file."""
    return next(_ahead(text, at), "")


def _ahead(text: str, at: int) -> Iterator[str]:
    """The tokens after ``at`` on this logical line, then ``_NEWLINE``, then the next line's."""
    depth = 0
    while (match := TOKEN.match(text, at)) is not None and match.end() > at:
        at = match.end()
        value = match[1]
        if value is None:
            if match[2] is None:
                return
            if depth == 0:
                yield _NEWLINE
        elif value[0] != "\\":
            if value[-1] in "\"'":
                end = end_of_string(text, match.start(1))
                if end is None:
                    return
                at = end
            depth += (value in _OPEN) - (value in _CLOSE)
            yield value


def _match(text: str, at: int) -> bool:
    """``match`` when its logical line ends in a colon and the next one starts with ``case``."""
    before, tokens = "", _ahead(text, at)
    for value in tokens:
        if value == _NEWLINE:
            return before == ":" and next(tokens, "") == "case"
        before = value
    return False


def _type(text: str, at: int) -> bool:
    return _is_name(next_word(text, at))


def _nonlocal(text: str, at: int) -> bool:
    return _is_name(next_word(text, at))


def _async(text: str, at: int) -> bool:
    return next_word(text, at) in ("def", "for", "with")


def _await(text: str, at: int) -> bool:
    """Outside ``async def`` it was a name once: a keyword only before what cannot follow a name."""
    value = next_word(text, at)
    if value[:1].isalpha() or value[:1] == "_":
        return value not in _CONTINUING
    return value[:1].isdigit() or value[-1:] in ("'", '"')


def _with(text: str, at: int) -> bool:
    """``with (a as b, …):``: an ``as`` directly inside the parentheses."""
    depth = 1
    for value in _ahead(text, at):
        depth += (value in _OPEN) - (value in _CLOSE)
        if depth == 0:
            return False
        if depth == 1 and value == "as":
            return True
    return False


def _group(text: str, at: int) -> bool:
    """A parenthesised pattern with neither nothing nor a comma in it."""
    depth, empty = 1, True
    for value in _ahead(text, at):
        depth += (value in _OPEN) - (value in _CLOSE)
        if depth == 0:
            return not empty
        if depth == 1 and value == ",":
            return False
        empty = False
    return False


def _except_star(text: str, at: int) -> bool:
    return next_word(text, at) == "*"


def _decorator(text: str, at: int) -> bool:
    """Whether a decorator is more than ``@dotted.name`` or ``@dotted.name(arguments)``."""
    tokens = _ahead(text, at)
    value = next(tokens, "")
    while _is_name(value):
        value = next(tokens, "")
        if value != ".":
            break
        value = next(tokens, "")
    else:
        return True
    if value == "(":
        depth = 1
        while depth and value:
            value = next(tokens, "")
            depth += (value in _OPEN) - (value in _CLOSE) if value else 0
        value = next(tokens, "")
    return value != _NEWLINE


def _is_name(value: str) -> bool:
    return (value.isidentifier() and not keyword.iskeyword(value)) or value in ("async", "await")


_DECISIONS: dict[str, Callable[[str, int], bool]] = {
    "match": _match,
    "case": lambda text, at: True,
    "type": _type,
    "nonlocal": _nonlocal,
    "ASYNC": _async,
    "AWAIT": _await,
    "with(": _with,
    "group(": _group,
    "except*": _except_star,
    "decorator@": _decorator,
}
