"""Lookahead: what a token is of which only what follows tells the meaning, a soft keyword say.

It is asked only in states in which the grammar has a use for both meanings, or for the newer one.
The newer meaning is taken only where the older cannot hold, so that what fissix could parse keeps
its tree.
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


class Lookahead:
    """The decisions in one text."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._groups: dict[int, bool] = {}
        self._decisions: dict[str, Callable[[int, int], bool]] = {
            "match": self._match,
            "case": lambda at, depth: True,
            "type": self._name_follows,
            "nonlocal": self._name_follows,
            "ASYNC": lambda at, depth: self.word(at, depth) in ("def", "for", "with"),
            "AWAIT": self._await,
            "with(": self._with,
            "group(": self._group,
            "except*": lambda at, depth: self.word(at, depth) == "*",
            "decorator@": self._decorator,
        }

    def decide(self, soft: str, at: int, depth: int) -> bool:
        """Whether the token that ends at ``at`` is what the label ``soft`` stands for.

        ``depth``: the brackets that are open there; inside them newlines are blanks.
        """
        return self._decisions[soft](at, depth)

    def word(self, at: int, depth: int = 0) -> str:
        """The token after ``at``; "" at the end of the file."""
        return next(self._ahead(at, depth), ("", at))[0]

    def _ahead(self, at: int, depth: int) -> Iterator[tuple[str, int]]:
        """The tokens after ``at`` with the offset behind each; outside brackets newlines too."""
        while (match := TOKEN.match(self._text, at)) is not None and match.end() > at:
            at = match.end()
            value = match[1]
            if value is None:
                if match[2] is None:
                    return
                if depth == 0:
                    yield _NEWLINE, at
            elif value[0] != "\\":
                if value[-1] in "\"'":
                    end = end_of_string(self._text, match.start(1))
                    if end is None:
                        return
                    at = end
                depth += (value in _OPEN) - (value in _CLOSE)
                yield value, at

    def _match(self, at: int, depth: int) -> bool:
        """``match`` when its logical line ends in a colon and the next one starts with ``case``."""
        before, tokens = "", self._ahead(at, depth)
        for value, _ in tokens:
            if value == _NEWLINE:
                return before == ":" and next(tokens, ("", at))[0] == "case"
            before = value
        return False

    def _name_follows(self, at: int, depth: int) -> bool:
        return _is_name(self.word(at, depth))

    def _await(self, at: int, depth: int) -> bool:
        """Outside ``async def`` it was a name once: a keyword before what cannot follow a name."""
        tokens = self._ahead(at, depth)
        value, _ = next(tokens, ("", at))
        if value[:1].isalpha() or value[:1] == "_":
            return value not in _CONTINUING
        if value in ("[", "."):
            return next(tokens, ("", at))[0] == {"[": "]", ".": "."}[value]
        return value[:1].isdigit() or value[-1:] in ("'", '"') or value[:1] in ("{", ".")

    def _with(self, at: int, depth: int) -> bool:
        """``with (a as b, …):``: an ``as`` directly inside the parentheses."""
        depth = 1
        for value, _ in self._ahead(at, depth):
            depth += (value in _OPEN) - (value in _CLOSE)
            if depth == 0:
                return False
            if depth == 1 and value == "as":
                return True
        return False

    def _group(self, at: int, depth: int) -> bool:
        """A parenthesised pattern with neither nothing nor a comma in it.

        What is inside it is decided with it, or deep nesting would be read again at every level.
        """
        if at in self._groups:
            return self._groups[at]
        opened = [at]
        behind = at  # the last token: a bracket that is closed right there holds nothing
        self._groups[at] = True
        for value, end in self._ahead(at, 1):
            if value in _OPEN:
                opened.append(end)
                self._groups[end] = True
            elif value in _CLOSE:
                if opened[-1] == behind:
                    self._groups[behind] = False
                opened.pop()
                if not opened:
                    break
            elif value == ",":
                self._groups[opened[-1]] = False
            behind = end
        return self._groups[at]

    def _decorator(self, at: int, depth: int) -> bool:
        """Whether a decorator is more than ``@dotted.name`` or ``@dotted.name(arguments)``."""
        tokens = (value for value, _ in self._ahead(at, depth))
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
                depth += (value != "" and value in _OPEN) - (value != "" and value in _CLOSE)
            value = next(tokens, "")
        return value != _NEWLINE


def _is_name(value: str) -> bool:
    return (value.isidentifier() and not keyword.iskeyword(value)) or value in ("async", "await")
