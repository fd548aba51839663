r"""Texts with fields, as ``%``, ``str.format`` and f-strings write them: read_text, written_text.

What stands between the fields is kept as the file has it, with its escapes: only what a style
itself doubles (``%%``, ``{{``) is told apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from fissix.pgen2 import token
from fissix.pytree import Leaf

from pinsetter.analyzer.syntax.fstring import fields_of

PERCENT, FORMAT, FSTRING = STYLES = ("percent", "format", "f-string")


class NoText(Exception):
    """The text cannot be read, or not be said in the other way."""


@dataclass(frozen=True)
class Field:
    """``key`` says which value it is: a name, a number, ``""`` for the next one; in an f-string,
    the expression. ``path`` are attributes of that, with dots; ``conversion`` is s, r, a or empty,
    ``spec`` what ``format`` has behind the colon. ``only``: it means the same in another style for
    values of this builtin class alone."""

    key: str
    path: str = ""
    conversion: str = ""
    spec: str = ""
    only: str = ""


@dataclass(frozen=True)
class Literal:
    """A string literal: ``prefix`` is what stands before its quotes, but for an f."""

    prefix: str
    quote: str
    parts: tuple[str | Field, ...]

    @property
    def fields(self) -> list[Field]:
        return [part for part in self.parts if isinstance(part, Field)]


def read_text(literal: str, style: str) -> Literal:
    """A string literal of a style. Raises NoText."""
    opening = _OPENING.match(literal)
    if opening is None or {"b", "t"} & set(opening[1].lower()):
        raise NoText("no text")
    prefix, quote = opening[1].replace("u", "").replace("U", ""), opening[2]
    raw, is_fstring = "r" in prefix.lower(), "f" in prefix.lower()
    body = literal[opening.end() : -len(quote)]
    if is_fstring:
        if style != FSTRING:
            raise NoText("an f-string")
        parts = [*_of_fstring(literal, opening.end(), len(literal) - len(quote), raw)]
    elif style == FSTRING:
        parts = [body]  # it stands beside one
    else:
        parts = [*(_of_percent(body) if style == PERCENT else _of_format(body, raw))]
    return Literal(re.sub("[fF]", "", prefix), quote, tuple(part for part in parts if part))


def written_text(text: Literal, style: str) -> str:
    """The literal in a style. Raises NoText for a field that this style has not."""
    write = {PERCENT: _percent, FORMAT: _braces, FSTRING: _braces}[style]
    raw = "r" in text.prefix.lower()
    body = "".join(
        write(part) if isinstance(part, Field) else _doubled(part, style, raw)
        for part in text.parts
    )
    with_f = style == FSTRING and any(isinstance(part, Field) for part in text.parts)
    if style == FSTRING and not with_f:
        body = "".join(part for part in text.parts if isinstance(part, str))
    return ("f" if with_f else "") + text.prefix + text.quote + body + text.quote


def _number(flags: str, width: str, precision: str, kind: str) -> str:
    """What ``format`` has for ``%`` with a number: ``-5.2f`` is ``<5.2f``."""
    left, zero = "-" in flags, "0" in flags and "-" not in flags
    sign = "+" if "+" in flags else " " if " " in flags else ""
    point = precision + "0" if precision == "." else precision
    return "".join(("<" if left else "", sign, "#" if "#" in flags else "",
                    "0" if zero else "", width, point, kind))  # fmt: skip


def _of_percent(body: str) -> Iterator[str | Field]:
    at, plain = 0, ""
    while (found := body.find("%", at)) >= 0:
        field = _PERCENT.match(body, found)
        if field is None:
            raise NoText("a % without its letter")
        plain += body[at:found]
        at = field.end()
        if field[0] == "%%":
            plain += "%"
            continue
        yield plain
        plain = ""
        yield _percent_field(field)
    yield plain + body[at:]


def _percent_field(field: re.Match[str]) -> Field:
    key, flags, width, precision, kind = field.groups()
    if key is not None and not key.isidentifier():
        raise NoText("a key that is no name")
    if kind in "sra" and not (flags or width or precision):
        return Field(key or "", conversion="" if kind == "s" else kind)
    if kind in "eEfFgG":
        return Field(key or "", spec=_number(flags, width, precision, kind))
    if kind in "diuxXo" and not precision and "#" not in flags:
        kind = kind if kind in "xXo" else "d" if flags or width else ""
        return Field(key or "", spec=_number(flags, width, "", kind), only="int")
    if kind == "s" and flags in ("", "-"):
        align = ">" if width and not flags else ""
        point = precision + "0" if precision == "." else precision
        return Field(key or "", spec=f"{align}{width}{point}", only="str")
    raise NoText("format has no such field")


def _of_format(body: str, raw: bool) -> Iterator[str | Field]:
    at, plain = 0, ""
    while at < len(body):
        named = None if raw else _NAMED.match(body, at)
        other = named or _NO_BRACE.match(body, at)
        if other is not None:
            plain += other[0]
            at = other.end()
        elif body[at : at + 2] in ("{{", "}}"):
            plain += body[at]
            at += 2
        else:
            field = _BRACES.match(body, at)
            if field is None:
                raise NoText("a field inside a field, an index, or a brace alone")
            yield plain
            plain = ""
            yield Field(field["key"], field["path"], field["conversion"] or "",
                        (field["spec"] or ":")[1:])  # fmt: skip
            at = field.end()
    yield plain


def _of_fstring(literal: str, start: int, end: int, raw: bool) -> Iterator[str | Field]:
    found = fields_of(Leaf(token.STRING, literal))
    if found is None:
        raise NoText("a field that cannot be read")
    at = start
    for first, last, _ in found:
        if first < at:
            raise NoText("a field inside a field")
        opening = literal.rindex("{", at, first)
        rest = _BEHIND.match(literal, last)
        if rest is None or literal[first:last].strip() == "":
            raise NoText("a field with more than an expression")
        yield from _unbraced(literal[at:opening], raw)
        yield Field(literal[first:last].strip(), "", rest[1] or "", rest[2] or "")
        at = rest.end()
    yield from _unbraced(literal[at:end], raw)


def _unbraced(plain: str, raw: bool) -> Iterator[str | Field]:
    for part in _of_format(plain, raw):
        if isinstance(part, Field):
            raise NoText("a brace alone")
        yield part


def _doubled(plain: str, style: str, raw: bool) -> str:
    if style == PERCENT:
        return plain.replace("%", "%%")
    if raw:
        return re.sub("[{}]", r"\g<0>\g<0>", plain)
    return "".join(part if part.startswith("\\N{") else re.sub("[{}]", r"\g<0>\g<0>", part)
                   for part in _NAMED_APART.split(plain))  # fmt: skip


def _braces(field: Field) -> str:
    conversion = f"!{field.conversion}" if field.conversion else ""
    spec = f":{field.spec}" if field.spec else ""
    return "{" + field.key + field.path + conversion + spec + "}"


def _percent(field: Field) -> str:
    if field.path:
        raise NoText("an attribute")
    spec = _SPEC.fullmatch(field.spec)
    if spec is None:
        raise NoText("% has no such format")
    align, sign, sharp, zero, width, precision, kind = (part or "" for part in spec.groups())
    if field.spec and not kind:
        raise NoText("how that is laid out depends on the value")
    flags = ("-" if align == "<" else "") + sign.replace("-", "") + sharp + zero
    kind = kind or field.conversion or "s"
    return f"%{flags}{width}{precision}{kind}"


_OPENING = re.compile(r"(\w*)(\"\"\"|'''|\"|')")
_PERCENT = re.compile(
    r"%%|%(?:\((?P<key>[^()]*)\))?(?P<flags>[#0+ -]*)(?P<width>\d*)(?P<precision>(?:\.\d*)?)"
    r"[hlL]?(?P<kind>[sradiouxXeEfFgGc])"
)
_NAMED = re.compile(r"\\N\{[^{}]*\}")
_NAMED_APART = re.compile(r"(\\N\{[^{}]*\})")
_NO_BRACE = re.compile(r"(?:[^{}\\]|\\(?!N\{)[^{}]|\\(?=[{}]))+", re.DOTALL)
_BRACES = re.compile(
    r"\{(?P<key>[^\W\d]\w*|\d*)(?P<path>(?:\.[^\W\d]\w*)*)(?:!(?P<conversion>[sra]))?"
    r"(?P<spec>:[^{}]*)?\}"
)
_BEHIND = re.compile(r"\s*(?:!([sra]))?(?::([^{}]*))?\}")
_SPEC = re.compile(r"([<>])?([ +-])?(#)?(0)?(\d+)?(\.\d+)?([dxXoeEfFgG])?")
