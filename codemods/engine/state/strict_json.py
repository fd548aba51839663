"""strict_json: JSON from anywhere, with nothing in it that would surprise whoever reads it on."""

from __future__ import annotations

import json
import re
from typing import Any

# More than anything that is stored here has.
_DEEPEST = 30
_DIGITS = 18
_TOKENS = re.compile(r'"(?:[^"\\]|\\.)*"|[\[{]|[\]}]', re.DOTALL)
_HALF = re.compile(r"\\u[dD][89a-fA-F]")


class NotStrict(ValueError):
    """What is wrong with a text; ``at`` is the place in it."""

    def __init__(self, reason: str, at: int) -> None:
        super().__init__(reason)
        self.reason, self.at = reason, at


class _NoNumber(str):
    """A number that is none of those that can be stored; shown as it was written."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self) if len(self) <= _DIGITS else f"a number of {len(self)} characters"


def parse(text: str) -> Any:
    """The value of a text. Numbers that are no integers of up to 18 digits become a ``str``, so
    that a schema finds them. Raises NotStrict: it is no JSON, is nested too deeply, or has half of
    a character."""
    _look_over(text)
    try:
        return json.loads(text, parse_int=_integer, parse_float=_NoNumber,
                          parse_constant=_NoNumber)  # fmt: skip
    except json.JSONDecodeError as error:
        raise NotStrict(f"not JSON: {error.msg}", error.pos) from error


def _look_over(text: str) -> None:
    """Before it is parsed: a parser may fail where it is nested deeply."""
    depth = 0
    for token in _TOKENS.finditer(text):
        first = token[0][0]
        if first == '"':
            if _HALF.search(token[0]) and _has_half(token[0]):
                raise NotStrict("half of a character (a lone surrogate)", token.start())
        else:
            depth += 1 if first in "[{" else -1
            if depth > _DEEPEST:
                raise NotStrict("nested too deeply", token.start())


def _has_half(literal: str) -> bool:
    try:
        json.loads(literal).encode("utf-8")
    except UnicodeEncodeError:
        return True
    except ValueError:
        return False  # the whole will not parse, either
    return False


def _integer(digits: str) -> int | str:
    return int(digits) if len(digits) <= _DIGITS else _NoNumber(digits)
