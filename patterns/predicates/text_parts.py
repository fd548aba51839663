"""Parts of texts, and what becomes of a text: captures that no code of the file is."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping, Sequence
from keyword import iskeyword
from typing import Any

from fissix.pygram import python_symbols as symbols

from pinsetter.analyzer.files.linear_regex import regular
from pinsetter.analyzer.syntax.own_reading import expression_of, literal_value
from pinsetter.analyzer.syntax.tree import is_name, unwrap

from ..edits.text_fields import FSTRING, Field, Literal, NoText, read_text, written_text
from ..matching.match import Match
from .arguments import CAPTURE, GIVEN, REGEX, TEXT, either, keys, list_of, one_of
from .registry import predicate

# Characters of nobody's stand for the fields of an f-string, one for each.
_FIRST, _MOST = 0xE000, 256
_FIELDS = re.compile(f"[{chr(_FIRST)}-{chr(_FIRST + _MOST - 1)}]")
_FIELD = rf"[\x{{{_FIRST:X}}}-\x{{{_FIRST + _MOST - 1:X}}}]"


@predicate(keys({"of": CAPTURE, "like": REGEX, "as": list_of(GIVEN)}))
def parts(match: Match, argument: Any) -> Match | None:
    r"""``{of, like, as}``: what $of says, a literal string, or an f-string with ``\{\}`` for each
    of its fields, fits a regular expression as a whole; its groups, in their order, are texts
    called as in ``as``: a literal or f-string that says that part, or, where it is a field without
    a format and nothing else, the code in that.

    ::

        match: f($x)
        where: [{parts: {of: $x, like: '/static/(.+)\.(\w+)', as: [name, kind]}}]
        holds:
          - f(f"/static/{name}.png")
          - f("/static/logo.png")
        captures: {name: name, kind: "'png'"}
        fails:
          - f("/media/logo.png")
          - f(f"/static/{name}")
          - f(path)
    """
    read = _read(_code_of(match, argument["of"]))
    if read is None:
        return None
    text, fields, quote = read
    found = regular(argument["like"].replace(r"\{\}", _FIELD)).groups(text)
    if found is None:
        return None
    try:
        codes = [_code(part or "", fields, quote) for part in found]
    except NoText:
        return None
    return match.with_texts(dict(zip(argument["as"], codes, strict=False)))


def _snake(text: str) -> str:
    """`HTTPServer` and `myName` as `http_server` and `my_name`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", text).lower()


def _camel(text: str) -> str:
    return "".join(part[:1].upper() + part[1:] for part in text.split("_"))


_NAME = "name"
_CHANGES: Mapping[str, Callable[[str], str]] = {
    "lower": str.lower, "upper": str.upper, "capitalize": str.capitalize, "strip": str.strip,
    "snake_case": _snake, "CamelCase": _camel,
}  # fmt: skip
_SPELLINGS = {
    "type": "object", "minProperties": 1, "propertyNames": REGEX, "additionalProperties": TEXT,
}  # fmt: skip


@predicate(keys({
    "of": CAPTURE, "as": GIVEN, "by": list_of(either(one_of(*_CHANGES, _NAME), _SPELLINGS)),
}))  # fmt: skip
def transformed(match: Match, argument: Any) -> Match | None:
    """``{of, as, by}``: $of is a literal string, a text of ``parts``, or the name of a function or
    class that is defined, and what ``by`` makes of that, one after the other, is called as in
    ``as``: lower, upper, capitalize, strip, snake_case, CamelCase, or regular expressions with what
    is written for all that they fit. Names stay names, and a text becomes one with ``name``: it
    does not hold for what cannot be one.

    ::

        match: f($x)
        where: [{transformed: {of: $x, as: new, by: [snake_case, {"^get_": ""}, name]}}]
        holds: [f("getUserName"), f("HTTPServer")]
        captures: {new: user_name}
        fails: [f("two words"), f("getClass"), f(name)]
    """
    code = _code_of(match, argument["of"])
    stays = _is_of_definition(match, argument["of"])
    try:
        text = code if stays else literal_value(code)
    except ValueError:
        return None
    if not isinstance(text, str):
        return None
    for change in argument["by"]:
        if isinstance(change, str):
            text = _CHANGES[change](text) if change != _NAME else text
        else:
            for pattern, new in change.items():
                text = regular(pattern).replaced(text, new)
    if stays or _NAME in argument["by"]:
        return match.with_texts({argument["as"]: text}) if _is_name(text) else None
    return match.with_texts({argument["as"]: repr(text)})


def _is_name(text: str) -> bool:
    return text.isidentifier() and not iskeyword(text)


def _is_of_definition(match: Match, capture: str) -> bool:
    """Whether it is the name of a function or class where that is defined: another name stands for
    what it holds."""
    if capture.removeprefix("$") in match.texts:
        return False
    nodes = match.capture(capture)
    parent = nodes[0].parent if len(nodes) == 1 and is_name(nodes[0]) else None
    return parent is not None and parent.type in (symbols.funcdef, symbols.classdef)


def _code_of(match: Match, capture: str) -> str:
    text = match.texts.get(capture.removeprefix("$"))
    return match.source(unwrap(match.capture(capture))) if text is None else text


def _read(code: str) -> tuple[str, Sequence[Field], str] | None:
    """What a literal says, its fields, and its quotes; None if it is no text, or an f-string that
    does not say plainly what it says."""
    try:
        if not _IS_FSTRING.match(code):
            said = literal_value(code)
            return (said, (), "") if isinstance(said, str) and not _FIELDS.search(said) else None
        literal = read_text(code, FSTRING)
    except (NoText, ValueError):
        return None
    plain = "".join(part for part in literal.parts if isinstance(part, str))
    if literal.prefix or len(literal.fields) > _MOST or "\\" in plain or _FIELDS.search(plain):
        return None
    numbers = iter(range(_FIRST, _FIRST + _MOST))
    parts = (part if isinstance(part, str) else chr(next(numbers)) for part in literal.parts)
    return "".join(parts), literal.fields, literal.quote


_IS_FSTRING = re.compile(r"\w*[fF]\w*[\"']")


def _code(part: str, fields: Sequence[Field], quote: str) -> str:
    """The code that says a part of a text. Raises NoText."""
    if not _FIELDS.search(part):
        return repr(part)
    pieces: list[str | Field] = []
    for piece in re.split(f"({_FIELDS.pattern})", part):
        is_field = _FIELDS.fullmatch(piece)
        pieces.append(fields[ord(piece) - _FIRST] if is_field else piece)
    said = [piece for piece in pieces if piece]
    (first, *others) = said
    if isinstance(first, Field) and not others and not (first.conversion or first.spec):
        return _alone(first.key)
    return written_text(Literal("", quote, tuple(said)), FSTRING)


def _alone(code: str) -> str:
    """The code of a field as it may stand anywhere. Raises NoText."""
    try:
        expression = expression_of(code)
    except ValueError:
        raise NoText("no expression") from None
    return f"({code})" if isinstance(expression, _BARE) else code


# What has parentheses in a call.
_BARE = (ast.Tuple, ast.NamedExpr, ast.Yield, ast.YieldFrom)
