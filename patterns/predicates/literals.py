"""What is written out: constants, their texts and numbers."""

from __future__ import annotations

from typing import Any

from fissix.pgen2 import token

from pinsetter.analyzer.files.linear_regex import regular
from pinsetter.analyzer.syntax.fstring import is_fstring
from pinsetter.analyzer.syntax.own_reading import literal_value
from pinsetter.analyzer.syntax.tree import (
    ARITHMETIC,
    Expression,
    flat,
    leaves,
    literals_of,
    plain_string,
    unwrap,
)
from pinsetter.analyzer.values.questions import sources

from ..matching.match import Match
from .arguments import (
    CAPTURE,
    CAPTURE_AND_REGEXES,
    CAPTURE_AND_TEXTS,
    NUMBER,
    TEXT,
    list_of,
    one_of,
    pair,
)
from .registry import predicate


@predicate(CAPTURE)
def calculated(match: Match, capture: Any) -> Match | None:
    """$x, followed back to where it comes from, may be what an arithmetic operator gives.

    ::

        match: f($x)
        where: [{calculated: $x}]
        holds:
          - f(a * 2)
          - f(a ** 2)
          - |
            n = -a
            f(n)
        fails: [f(a), f(g(a * 2)), "f([a * 2])"]
    """
    found = sources(match.capture(capture), match.module, match.facts.evaluator)
    return match if any(_is_calculated(flat(source)) for source, _ in found) else None


def _is_calculated(nodes: Expression) -> bool:
    if any(node.type == token.DOUBLESTAR for node in nodes):
        return True
    return len(nodes) == 1 and nodes[0].type in ARITHMETIC


@predicate(CAPTURE)
def constant(match: Match, capture: Any) -> Match | None:
    """$x is a literal number or string: one, without a sign.

    ::

        match: f($x)
        where: [{constant: $x}]
        holds: [f(1), "f('a')", "f(b'a')"]
        fails: [f(n), f(None), "f(f'{n}')", "f(-1)"]
    """
    nodes = unwrap(match.capture(capture))
    literal = len(nodes) == 1 and nodes[0].type in (token.NUMBER, token.STRING)
    return match if literal and not is_fstring(nodes[0]) else None


@predicate(list_of(one_of("bool", "bytes", "complex", "float", "int", "str"), first=CAPTURE))
def literal(match: Match, argument: Any) -> Match | None:
    """``[$x, kind, …]``: $x is written as a literal of one of the kinds (str, bytes, int, float,
    complex or bool), without parts that are evaluated.

    ::

        match: f($x)
        where: [{literal: [$x, int, str]}]
        holds: [f(1), f(-1), "f('a' 'b')"]
        fails: [f(1.5), f(True), "f(b'a')", "f(f'{n}')"]
    """
    capture, *kinds = argument
    try:
        value = _literal(match, capture)
    except ValueError:
        return None
    return match if type(value).__name__ in kinds else None


@predicate(CAPTURE_AND_TEXTS)
def text(match: Match, argument: Any) -> Match | None:
    """``[$x, text, …]``: $x is a literal string with one of the texts.

    ::

        match: open($path, $mode)
        where: [{text: [$mode, r, rt]}]
        holds:
          - open(path, 'r')
          - open(path, "r" "t")
        fails:
          - open(path, 'rb')
          - open(path, b'r')
          - open(path, "'r'")
          - open(path, mode)
    """
    capture, *texts = argument
    try:
        said = _literal(match, capture)
    except ValueError:
        return None
    return match if isinstance(said, str) and said in texts else None


def _literal(match: Match, capture: str) -> object:
    """What a literal means. Raises ValueError if it is none, or one with fields."""
    nodes = unwrap(match.capture(capture))
    if any(is_fstring(leaf) for node in nodes for leaf in leaves(node)):
        raise ValueError("not all of it is written")
    code = match.source(nodes)
    return literal_value(f"({code})" if "\n" in code else code)


@predicate(CAPTURE_AND_REGEXES)
def spelled(match: Match, argument: Any) -> Match | None:
    """``[$x, pattern, …]``: all that $x may be, followed back through names, parameters and
    choices, are literal strings each of which fits one of the regular expressions as a whole.

    ::

        match: open($path, $mode)
        where: [{spelled: [$mode, "[rwa]b"]}]
        holds:
          - open(path, 'rb')
          - |
            mode = 'rb' if old else 'wb'
            open(path, mode)
        fails:
          - open(path, 'r')
          - open(path, mode)
          - |
            mode = 'rb' if old else 'r'
            open(path, mode)
    """
    capture, *patterns = argument
    found = list(sources(match.capture(capture), match.module, match.facts.evaluator))
    texts = [plain_string(nodes[0]) if len(nodes) == 1 else "" for nodes, _ in found]
    fits = (any(regular(p).fits(text) for p in patterns) for text in texts)
    return match if texts and all(texts) and all(fits) else None


@predicate(CAPTURE_AND_REGEXES)
def written(match: Match, argument: Any) -> Match | None:
    """``[$x, pattern, …]``: the code of $x, as it stands in the file, fits one of the regular
    expressions as a whole; a dot is for the end of a line, too.

    ::

        match: f($x)
        where: [{written: [$x, "[uU].*", "0[0-7]+"]}]
        holds: ["f(u'a')", f(017)]
        fails: ["f('u')", f(0o17)]
    """
    capture, *patterns = argument
    code = match.source(match.capture(capture))
    fits = code and any(regular(f"(?s:{pattern})").fits(code) for pattern in patterns)
    return match if fits else None


@predicate(pair(CAPTURE, TEXT))
def bytes_of(match: Match, argument: Any) -> Match | None:
    """``[$x, encoding]``: $x is a literal string, or several side by side, and with ``b`` before
    each the same, in that encoding: one by its name, or a capture that is a literal string.

    ::

        match: $text.encode($encoding)
        where: [{bytes_of: [$text, $encoding]}]
        holds:
          - "'abc'.encode('ascii')"
          - "('a' 'b').encode('utf-8')"
        fails:
          - "'é'.encode('utf-8')"
          - "'abc'.encode('utf-16')"
          - "name.encode('ascii')"
          - "'abc'.encode(encoding)"
    """
    code, encoding = match.capture(argument[0]), argument[1]
    if encoding.startswith("$"):
        nodes = unwrap(match.capture(encoding))
        encoding = plain_string(nodes[0]) if len(nodes) == 1 else ""
    strings = literals_of(code)
    if any(leaf.type != token.STRING or is_fstring(leaf) for leaf in strings):
        return None
    try:
        values = [(literal_value(leaf.value), literal_value(f"b{leaf.value.lstrip('uU')}"))
                  for leaf in strings]  # fmt: skip
        same = all(isinstance(text, str) and text.encode(encoding) == data for text, data in values)
    except (ValueError, LookupError):
        return None
    return match if strings and same else None


@predicate(pair(CAPTURE, NUMBER))
def below(match: Match, argument: Any) -> Match | None:
    """``[$x, n]``: $x is a literal number below n; ``False`` is 0, and ``True`` is 1.

    ::

        match: f($n)
        where: [{below: [$n, 2]}]
        holds: [f(1), f(-1), f(1.5), f(True)]
        fails: [f(2), f(n), "f('1')", f(10 ** 9)]
    """
    capture, limit = argument
    try:
        value = _literal(match, capture)
    except ValueError:
        return None
    return match if isinstance(value, int | float) and value < limit else None
