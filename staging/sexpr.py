"""S-expressions: the intermediate language of staged programs, as text and back.

A form is a tuple whose first item is a symbol; numbers, texts, booleans and None stand for
themselves. ``(begin (let x0 (* in1 2)) x0)`` is a block: what is computed in order, and its value.

| form | meaning |
|---|---|
| ``(begin form … value)`` | the forms in order; the value of the last |
| ``(let x form)`` | a name for a value, up to the end of the block |
| ``(def f (x …) block)``, ``(lambda (x …) block)`` | a function, which may call itself |
| ``(f a …)`` | a call of a function that a name stands for |
| ``(if test block block)`` | the value of one of two blocks |
| ``(while block block)`` | the second block as long as the first one is true |
| ``(new)``, ``(set v a)``, ``(get v)`` | a variable |
| ``(+ a b)`` … | operators, and functions of numbers, and of arrays, by their names |
| ``(tuple a …)``, ``(idx a i)``, ``(array-set a i b)``, ``(len a)`` | parts |
| ``(getattr a name)``, ``(setattr a name b)`` | attributes |
| ``(call a name b …)`` | a method |
| ``(print a …)`` | output |

(Document 003, sections 3 to 6.)
"""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, TypeAlias

    Form: TypeAlias = Any


class Symbol(str):
    """A name of a program."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def printed(form: Form, width: int = 88, indent: str = "") -> str:
    """The text of a form; what is longer than ``width`` characters is put on several lines."""
    flat = _flat(form)
    if len(indent) + len(flat) <= width or not isinstance(form, tuple) or not form:
        return flat
    inner = indent + "  "
    head = _flat(form[0])
    kept = 1
    while kept < len(form) and not (isinstance(form[kept], tuple) and _is_long(form[kept])):
        head += f" {_flat(form[kept])}"
        kept += 1
    if kept == len(form):
        return flat
    lines = [printed(part, width, inner) for part in form[kept:]]
    return f"({head}\n" + "\n".join(inner + line for line in lines) + ")"


def _is_long(form: tuple[Form, ...]) -> bool:
    return any(isinstance(part, tuple) for part in form)


def _flat(form: Form) -> str:
    if isinstance(form, tuple):
        return f"({' '.join(map(_flat, form))})"
    if isinstance(form, Symbol):
        return str(form)
    if isinstance(form, str):
        return '"' + form.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
    return repr(form)


_TOKEN = re.compile(
    r"""\s*(?:(?P<open>\()|(?P<close>\))|(?P<text>"(?:[^"\\]|\\.)*")|(?P<atom>[^\s()"]+))"""
)
_NUMBER = re.compile(r"[-+]?(\d+(\.\d*)?(e[-+]?\d+)?|inf)|nan")
_WORDS = {"None": None, "True": True, "False": False}


def parsed(text: str) -> Form:
    """The form of a text. Raises ValueError, with the offset, for what is none."""
    tokens = _tokens(text)
    form = _read(tokens, next(tokens, None))
    if next(tokens, None) is not None:
        raise ValueError("something follows the form")
    return form


def _tokens(text: str) -> Iterator[tuple[str, str, int]]:
    at = 0
    while text[at:].strip():
        found = _TOKEN.match(text, at)
        if found is None:
            raise ValueError(f"no form at character {at}")
        kind = str(found.lastgroup)
        yield kind, found[kind], at
        at = found.end()


def _read(tokens: Iterator[tuple[str, str, int]], token: tuple[str, str, int] | None) -> Form:
    stack: list[list[Form]] = []
    while True:
        if token is None:
            raise ValueError("the form does not end")
        kind, text, at = token
        if kind == "open":
            stack.append([])
        elif kind == "close":
            if not stack:
                raise ValueError(f"unexpected ) at character {at}")
            form: Form = tuple(stack.pop())
            if not stack:
                return form
            stack[-1].append(form)
        else:
            atom = _text(text) if kind == "text" else _atom(text)
            if not stack:
                return atom
            stack[-1].append(atom)
        token = next(tokens, None)


def _text(quoted: str) -> str:
    plain = {"n": "\n"}
    return re.sub(r"\\(.)", lambda found: plain.get(found[1], found[1]), quoted[1:-1])


def _atom(text: str) -> Form:
    if text in _WORDS:
        return _WORDS[text]
    if _NUMBER.fullmatch(text):
        return int(text) if text.lstrip("+-").isdigit() else float(text)
    return Symbol(text)
