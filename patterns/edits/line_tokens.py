"""Tokens of new lines: what they are, and where lines may be divided."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from pinsetter.analyzer.files.source import LINE_END

# A string, a comment, an end of line, a line that goes on, or any other token with its blanks.
STRING = (
    r"[A-Za-z]{0,3}(?:\"\"\"(?:\\[\s\S]|[^\\])*?\"\"\"|'''(?:\\[\s\S]|[^\\])*?'''"
    r"|\"(?:\\[\s\S]|[^\"\\\r\n])*\"|'(?:\\[\s\S]|[^'\\\r\n])*')"
)
_TOKEN = re.compile(
    rf"([ \t\f]*)({STRING}|#[^\r\n]*|\r\n|\r|\n|\\(?:\r\n|\r|\n)|[\w.]+(?<!\.)"
    r"|\*\*=?|//=?|<<=?|>>=?|->|:=|[-+*/%&|^@<>=!]=|\.\.\.|[^\s])"
)
OPENING, CLOSING = "([{", ")]}"


@dataclass(frozen=True)
class Token:
    """A token, with what stands before it on its line."""

    before: str
    text: str

    def __str__(self) -> str:
        return self.before + self.text


def logical_lines(text: str) -> list[str]:
    """The lines of a text, those that brackets, strings or backslashes join as one."""
    ends, depth = [0], 0
    for match in _TOKEN.finditer(text):
        token = match[2]
        if token in OPENING:
            depth += 1
        elif token in CLOSING:
            depth -= 1
        elif token[0] in "\r\n" and depth <= 0:
            ends.append(match.end())
            depth = 0
    if ends[-1] < len(text):
        ends.append(len(text))
    return [text[start:end] for start, end in pairwise(ends)]


def rows_of(line: str) -> list[tuple[list[Token], str]] | None:
    """The tokens of each line, with what ends it; None where a string has several lines."""
    rows: list[tuple[list[Token], str]] = []
    tokens: list[Token] = []
    at = 0
    for match in _TOKEN.finditer(line):
        if match.start() != at:
            return None
        at = match.end()
        if match[2][0] in "\r\n\\":
            rows.append((tokens, match[0]))
            tokens = []
        elif LINE_END.search(match[2]) or _follows_string(tokens, match[1], match[2]):
            return None
        else:
            tokens.append(Token(match[1], match[2]))
    if tokens:
        rows.append((tokens, line[at:]))
    return rows


def _follows_string(tokens: list[Token], before: str, text: str) -> bool:
    """Whether a token stands right behind a string, as the rest of an f-string does in whose fields
    its own quotes stand."""
    quoted = bool(tokens) and tokens[-1].text[-1] in "\"'" and len(tokens[-1].text) > 1
    return quoted and not before and (text[0].isalnum() or text[0] in "_\"'{\\$?!")


def text_of(tokens: Sequence[Token], bare: bool = False) -> str:
    """The code; ``bare`` without what stands before its first token."""
    text = "".join(map(str, tokens))
    return text.lstrip(" \t") if bare else text


def depths_of(tokens: Sequence[Token]) -> list[int]:
    """How many brackets are open behind each token."""
    found, depth = [], 0
    for token in tokens:
        depth += (token.text in OPENING) - (token.text in CLOSING)
        found.append(depth)
    return found


def pairs_of(tokens: Sequence[Token]) -> list[tuple[int, int]]:
    """The outermost brackets that have something in them and are closed."""
    found: list[tuple[int, int]] = []
    opened: list[int] = []
    for number, token in enumerate(tokens):
        if token.text in OPENING:
            opened.append(number)
        elif token.text in CLOSING and opened:
            start = opened.pop()
            if not opened and number > start + 1:
                found.append((start, number))
    return found


def outer_of(tokens: Sequence[Token]) -> list[Token]:
    """The tokens that are in no bracket."""
    depths = depths_of(tokens)
    return [t for t, d in zip(tokens, depths, strict=True) if d == 0 and t.text not in CLOSING]


def outer_words(tokens: Sequence[Token]) -> set[str]:
    return {token.text for token in outer_of(tokens)}


# What a line may end before, or behind in the case of a comma; what binds least comes first.
_LEVELS = (
    ("for", "async"), (",",), ("if", "else"), ("or",), ("and",), ("|",), ("&",), ("+", "-"),
    ("*", "/", "//", "%", "@"),
)  # fmt: skip


def parts_of(tokens: list[Token]) -> list[list[Token]]:
    """Code in a bracket, divided at the operators that bind least."""
    words = outer_words(tokens)
    # What is behind a lambda belongs to it, but for a comma.
    for level in _LEVELS if "lambda" not in words else ((",",),):
        parts = split_at(tokens, level) if words.intersection(level) else [tokens]
        if len(parts) == 1:
            continue
        if "for" not in level:
            return parts
        return [parts[0], *(part for each in parts[1:] for part in split_at(each, ("if",)))]
    return [tokens]


def split_at(tokens: list[Token], words: Sequence[str]) -> list[list[Token]]:
    """Code divided behind commas, or before other operators, outside of brackets and of what a
    lambda takes."""
    parts: list[list[Token]] = [[]]
    taking = False
    for number, (token, depth) in enumerate(zip(tokens, depths_of(tokens), strict=True)):
        if depth == 0 and token.text in ("lambda", ":"):
            taking = token.text == "lambda"
        here = depth == 0 and token.text in words and not taking
        if here and token.text != "," and _is_binary(tokens, number):
            parts.append([])
        parts[-1].append(token)
        if here and token.text == "," and number + 1 < len(tokens):
            parts.append([])
    return [part for part in parts if part]


def statements_of(tokens: list[Token]) -> list[list[Token]]:
    """The statements of a line that has several."""
    found: list[list[Token]] = [[]]
    for token, depth in zip(tokens, depths_of(tokens), strict=True):
        if token.text == ";" and depth == 0:
            found.append([])
        else:
            found[-1].append(token if found[-1] else Token("", token.text))
    return [statement for statement in found if statement]


def _is_binary(tokens: list[Token], number: int) -> bool:
    """Whether an operator has something on its left, and is no sign or star of an argument."""
    if number == 0:
        return False
    before = tokens[number - 1].text
    return before[-1].isalnum() or before[-1] in "_)]}\"'"


_STRING = re.compile(r"([rbufRBUF]{0,2})([\"'])(?!\2)(.*)\2")
# What belongs together in a string: an escape, a doubled brace, or one character.
_UNIT = re.compile(r"\\[\s\S]|\{\{|\}\}|[\s\S]")


def divided(string: str, width: int) -> tuple[str, str] | tuple[()]:
    """A string in two behind a blank, so that the first has at most so many columns: none where
    that cannot be, or it is no string of one line. Fields of f-strings stay whole; what has none is
    no f-string."""
    match = _STRING.fullmatch(string)
    if match is None or "\\N{" in string or "\n" in string:
        return ()
    prefix, quote, text = match.groups()
    formatted = "f" in prefix.lower()
    without = prefix.replace("f", "").replace("F", "")
    room = width - len(prefix) - 2
    at = depth = 0
    for unit in _UNIT.finditer(text):
        if formatted:
            depth += (unit[0] == "{") - (unit[0] == "}" and depth > 0)
        if unit.end() > room:
            break
        # Not between blanks: a line that begins with one is easily read over.
        if unit[0] == " " and depth == 0 and text[unit.end() : unit.end() + 1] != " ":
            at = unit.end()
    if not text[:at].strip() or not text[at:].strip():
        return ()
    first, second = (
        f"{prefix if '{' in part or '}' in part else without}{quote}{part}{quote}"
        for part in (text[:at], text[at:])
    )
    return first, second


_ASSIGNING = ("=", "+=", "-=", "*=", "/=", "//=", "%=", "**=", "|=", "&=", "^=", ">>=", "<<=")


def value_of(tokens: list[Token]) -> tuple[int, int] | None:
    """Where the value of a statement begins and ends that parentheses may be put around."""
    first, end = tokens[0].text, len(tokens)
    if ";" in outer_words(tokens):
        return None
    if first in ("if", "elif", "while"):
        return (1, end - 1) if tokens[-1].text == ":" else None
    if first == "return":
        return 1, end
    depths = depths_of(tokens)
    places = [n for n, t in enumerate(tokens) if t.text in _ASSIGNING and depths[n] == 0]
    if not places:
        return None
    in_head = first in ("if", "for", "while") and ":" in outer_words(tokens[: places[0]])
    return None if in_head else (places[-1] + 1, end)
