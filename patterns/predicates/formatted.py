"""Texts with fields that can be said in another way: by ``%``, ``str.format``, an f-string."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from fissix.pgen2 import token
from fissix.pygram import python_symbols as symbols

from pinsetter.analyzer.files.source import LINE_END
from pinsetter.analyzer.syntax.fstring import fields_of, is_fstring
from pinsetter.analyzer.syntax.own_reading import expression_of
from pinsetter.analyzer.syntax.tree import (
    LN,
    Call,
    Expression,
    Tree,
    ancestors,
    between_commas,
    literals_of,
    outer_call,
    plain_string,
    unwrap,
)
from pinsetter.analyzer.values.value import Certainty

from ..edits.fragment import Fragment, Slot, joined
from ..edits.text_fields import (
    FORMAT,
    FSTRING,
    PERCENT,
    STYLES,
    Field,
    Literal,
    NoText,
    read_text,
    written_text,
)
from ..matching.match import Match
from .arguments import CAPTURE, GIVEN, keys, one_of
from .registry import predicate


@dataclass(frozen=True)
class _Value:
    """What a field is given: its code, by name if it has one; an f-string's stand in it."""

    code: str
    nodes: Expression = ()
    name: str = ""


@dataclass(frozen=True)
class _Text:
    """A text that is written in a style. ``whole`` are its literals and what is between them;
    ``run`` what the fields are given, where that can stand as the arguments of a call."""

    style: str
    whole: Expression
    literals: Sequence[LN]
    values: Sequence[_Value]
    run: Expression | None = None


@predicate(keys({"of": CAPTURE, "to": one_of(*STYLES)}, {"text": GIVEN, "values": GIVEN}))
def formatted(match: Match, argument: Any) -> Match | None:
    """``{of, to, text?, values?}``: $of is a text with fields, ``"…" % values``, ``"…".format(…)``
    or an f-string, and can be said in the other way, percent, format or f-string: $text is the
    literal then, $...values what its fields are given, in an f-string nothing. Values that are
    asked for format() and not str(), or the other way round, are assumed to give the same.

    ::

        match: log($text)
        where: [{formatted: {of: $text, to: percent, text: message, values: values}}]
        holds:
          - log('{} of {}'.format('a', 1))
          - log(f'{1}')
        assumed:
          - 'log(f"a: {a}")'
          - log('{:.2f}'.format(a.b))
        captures: {message: "'%s of %s'", values: "'a', 1"}
        fails:
          - log('a')
          - 'log(f"{a:>{width}}")'
          - log('{0} {0}'.format(a))
          - log(text.format(a))
    """
    try:
        nodes = unwrap(match.capture(argument["of"]))
        text = _read(match, nodes)
        _check_lines(match, nodes, text, argument["to"])
        new, values, warnings = _said(match, text, argument["to"])
        if "text" in argument:
            _check_between(text)
    except NoText:
        return None
    found = match.with_captures({}, *warnings)
    if "text" in argument:
        found = found.with_texts({argument["text"]: new})
    if "values" not in argument:
        return found
    if isinstance(values, Fragment):
        return found.with_texts({argument["values"]: values})
    return found.with_captures({argument["values"]: values})


def _said(
    match: Match, text: _Text, style: str
) -> tuple[Fragment, Fragment | Expression, Sequence[str]]:
    """The literal in another style, what its fields are given, and what has to be assumed.
    Raises NoText."""
    read = [read_text(leaf.value, text.style) for leaf in text.literals]
    fields = [field for literal in read for field in literal.fields]
    if style == text.style:
        return _unnumbered(match, text, read, style), text.run or (), ()
    by_name = text.style == PERCENT and style == FORMAT
    values = _by_field(text, fields, ordered=not by_name)
    warnings = _assumed(match, fields, values, PERCENT in (style, text.style))
    given: Fragment | Expression = Fragment()
    if not fields and not by_name:
        raise NoText("it has no fields")
    tree = match.module.tree
    if by_name:
        named = [f"{value.name}=" + _taken(value, tree) for value in text.values]
        given = text.run if text.run is not None else joined(named, ", ")
        new = _between(match, text, [Fragment(written_text(one, style)) for one in read])
    elif style == FSTRING:
        keys = [f"{_VALUE}{number}{_VALUE}" for number in range(len(fields))]
        written = [written_text(one, style) for one in _with_keys(read, keys)]
        inside = [_with_path(_taken(v, tree, quoted=True), f.path)
                  for v, f in zip(values, fields, strict=True)]  # fmt: skip
        new = _between(match, text, [_filled(one, inside) for one in written])
        quotes = {literal.quote[0] for literal in read}
        _check_inside(new.text, quotes, [*zip(values, fields, strict=True)])
    else:
        codes = [_with_path(_taken(v, tree), f.path) for v, f in zip(values, fields, strict=True)]
        given = joined([one if _is_one(one.text) else "(" + one + ")" for one in codes], ", ")
        bare = _with_keys(read, [""] * len(fields))
        new = _between(match, text, [Fragment(written_text(one, style)) for one in bare])
    return new, given, warnings


# It stands for a value until that is put there.
_VALUE = "__value__"
_VALUES = re.compile(f"{_VALUE}(\\d+){_VALUE}")


def _taken(value: _Value, tree: Tree, quoted: bool = False) -> Fragment:
    """The code of a value, as the file has it; what stands in a string has no slot."""
    if not value.nodes or any(n.type == token.STRING for n in ancestors(value.nodes[0])):
        return Fragment(value.code)
    span = tree.span(value.nodes)
    return Fragment(value.code, (Slot(0, len(value.code), span, quoted=quoted),))


def _filled(written: str, values: Sequence[Fragment]) -> Fragment:
    """A literal with the values in the places of their numbers."""
    found, at = Fragment(), 0
    for place in _VALUES.finditer(written):
        found = found + written[at : place.start()] + values[int(place[1])]
        at = place.end()
    return found + written[at:]


def _unnumbered(match: Match, text: _Text, read: Sequence[Literal], style: str) -> Fragment:
    """The literal for ``format`` without the numbers of its fields. Raises NoText if it has none,
    or not 0, 1 and so on."""
    fields = [field for literal in read for field in literal.fields]
    numbers = [field.key for field in fields if not field.key.isidentifier()]
    if style != FORMAT or not numbers or numbers != [*map(str, range(len(numbers)))]:
        raise NoText("it is that already")
    keys = ["" if field.key in numbers else field.key for field in fields]
    shorter = _with_keys(read, keys, with_path=True)
    return _between(match, text, [Fragment(written_text(one, style)) for one in shorter])


def _check_lines(match: Match, nodes: Expression, text: _Text, style: str) -> None:
    """Raise NoText if values have lines of their own, and an f-string would be one long line."""
    tree = match.module.tree
    behind = tree.text[tree.span(text.whole)[1] : tree.span(nodes)[1]]
    if style == FSTRING and LINE_END.search(behind):
        raise NoText("values on lines of their own")


def _with_keys(
    read: Sequence[Literal], keys: Sequence[str], with_path: bool = False
) -> Iterator[Literal]:
    """The literals with other keys for their fields, one after the other."""
    left = iter(keys)
    for literal in read:
        parts = (
            replace(part, key=next(left), path=part.path if with_path else "")
            if isinstance(part, Field) else part
            for part in literal.parts
        )  # fmt: skip
        yield replace(literal, parts=tuple(parts))


def _between(match: Match, text: _Text, written: Sequence[Fragment]) -> Fragment:
    """The new literals with what stands between the old ones; what stays is the file's own."""
    tree = match.module.tree
    start, end = tree.span(text.whole)
    found, at = Fragment(), start
    for leaf, new in zip(text.literals, written, strict=True):
        first = tree.start(leaf)
        behind = first + len(leaf.value)
        stays = new.text == leaf.value
        found = found + _of_file(tree, at, behind if stays else first)
        found, at = found if stays else found + new, behind
    return found + _of_file(tree, at, end)


def _of_file(tree: Tree, start: int, end: int) -> Fragment:
    slots = (Slot(0, end - start, (start, end)),) if start < end else ()
    return Fragment(tree.text[start:end], slots)


def _check_between(text: _Text) -> None:
    """Raise NoText if what is between literals would not stay if they are put elsewhere: a comment,
    a backslash at the end of a line."""
    if any({"#", "\\"} & {*leaf.prefix} for leaf in text.literals[1:]):
        raise NoText("a comment, or a line that goes on")


def _with_path(code: Fragment, path: str) -> Fragment:
    if not path:
        return code
    plain = all(part.isidentifier() for part in code.text.split("."))
    return (code if plain else "(" + code + ")") + path


def _is_one(code: str) -> bool:
    """Whether code is one argument of a call among several."""
    try:
        call = expression_of(f"f(0, {code})")
    except ValueError:
        return False
    if not isinstance(call, ast.Call) or len(call.args) != 2 or call.keywords:
        return False
    return not isinstance(call.args[1], ast.Starred | ast.NamedExpr)


def _check_inside(new: str, quotes: set[str], given: Sequence[tuple[_Value, Field]]) -> None:
    """Raise NoText if an f-string would not have these values as they are, for any Python: before
    3.12 none of its quotes stands in them."""
    for value, _ in given:
        if {*value.code} & {*quotes, *"\\#\r\n"}:
            raise NoText("it has something that cannot stand in an f-string")
    try:
        literal = expression_of(new)
        expected = [
            (ast.dump(expression_of(_with_path(Fragment(value.code), field.path).text)),
             ord(field.conversion) if field.conversion else -1, field.spec)
            for value, field in given
        ]  # fmt: skip
    except ValueError:
        raise NoText("it would be none") from None
    if not isinstance(literal, ast.JoinedStr) or [*_fields(literal)] != expected:
        raise NoText("it would be another")


def _fields(literal: ast.JoinedStr) -> Iterator[tuple[str, int, str]]:
    for part in literal.values:
        if isinstance(part, ast.FormattedValue):
            spec = part.format_spec
            texts = spec.values if isinstance(spec, ast.JoinedStr) else []
            text = "".join(str(t.value) for t in texts if isinstance(t, ast.Constant))
            yield ast.dump(part.value), part.conversion, text


def _read(match: Match, nodes: Expression) -> _Text:
    call = outer_call(nodes)
    if call is not None and call.method == "format":
        return _of_call(match, call)
    if len(nodes) == 1 and nodes[0].type == symbols.term and len(nodes[0].children) == 3:
        left, sign, right = nodes[0].children
        if sign.type == token.PERCENT:
            return _of_percent(match, left, right)
    literals = _literals(nodes)
    if not any(map(is_fstring, literals)):
        raise NoText("no text with fields")
    inside = [field for leaf in literals if is_fstring(leaf) for field in fields_of(leaf) or ()]
    return _Text(FSTRING, nodes, literals, [_Value("", (node,)) for _, _, node in inside])


def _literals(expression: Expression) -> Sequence[LN]:
    found = literals_of(expression)
    if not found or any(part.type != token.STRING for part in found):
        raise NoText("no literal")
    return found


def _of_percent(match: Match, left: LN, right: LN) -> _Text:
    literals = _literals((left,))
    inner = right.children[1] if right.type == symbols.atom else right
    run: Expression | None
    values: Sequence[_Value]
    if right.type == symbols.atom and right.children[0].type == token.LBRACE:
        run, values = None, [*_items(match, inner)]
    elif right.type == symbols.atom and inner.type == token.RPAR:
        run, values = (), []
    elif right.type == symbols.atom and inner.type == symbols.testlist_gexp:
        items = between_commas(inner.children)
        run, values = (inner,), [_Value(match.source(item), item) for item in items]
        if inner.children[-1].type == symbols.comp_for or any(
            item[0].type == symbols.star_expr for item in items
        ):
            raise NoText("how many values there are is not written")
    elif _is_scalar(match, (right,)):
        run, values = (right,), [_Value(match.source((right,)), (right,))]
    else:
        raise NoText("it may be a tuple, or a mapping")
    return _Text(PERCENT, (left,), literals, values, run)


def _items(match: Match, inner: LN) -> Iterator[_Value]:
    """The items of a dictionary whose keys are literals that may be the names of arguments."""
    names = set[str]()
    for item in between_commas(inner.children if inner.type == symbols.dictsetmaker else ()):
        if len(item) != 3 or item[0].type != token.STRING or item[1].prefix:
            raise NoText("no key that is written out")
        name = plain_string(item[0])
        try:
            expression_of(f"f({name}=0)")
        except ValueError:
            raise NoText("a key that is no name") from None
        if name in names or not name.isidentifier():
            raise NoText("a key twice")
        names.add(name)
        yield _Value(match.source(item[2:]), item[2:], name)
    if not names:
        raise NoText("nothing is written out")


def _of_call(match: Match, call: Call) -> _Text:
    literals = _literals(call.receiver)
    given = call.arguments
    if len(given) == 1 and given[0].star == "**" and _is_locals(match, given[0].value):
        read = [read_text(leaf.value, FORMAT) for leaf in literals]
        names = {field.key: None for literal in read for field in literal.fields}
        values = [_Value(name, (), name) for name in names]
        if not all(name.isidentifier() for name in names):
            raise NoText("what locals() has is named")
        return _Text(FORMAT, call.receiver, literals, values)
    if any(argument.star for argument in given):
        raise NoText("what it is given is not written")
    values = [_Value(match.source((a.value,)), (a.value,), a.name or "") for a in given]
    return _Text(FORMAT, call.receiver, literals, values, tuple(call.trailer.children[1:-1]))


def _is_locals(match: Match, value: LN) -> bool:
    call = outer_call((value,))
    if call is None or call.arguments:
        return False
    return match.facts.evaluator.names(call.callee, match.module) == {"builtins.locals"}


def _by_field(text: _Text, fields: Sequence[Field], ordered: bool) -> list[_Value]:
    """The value of each field. Raises NoText if one is used twice or never, or if they are to be
    evaluated in the order of the fields, which is another, and that may matter."""
    if text.style == FSTRING:
        if len(fields) != len(text.values):
            raise NoText("a field inside a field")
        return [replace(v, code=f.key) for v, f in zip(text.values, fields, strict=True)]
    if len({field.key == "" for field in fields if not field.key.isidentifier()}) > 1:
        raise NoText("some are numbered")
    numbers = map(str, range(len(fields)))
    called = [field.key or next(numbers) for field in fields]
    places = map(str, range(len(text.values)))
    known = {value.name or next(places): value for value in text.values}
    if sorted(called) != sorted(known):
        raise NoText("one is used twice, or never")
    found = [known[key] for key in called]
    if ordered and found != [*text.values] and not all(map(_is_still, found)):
        raise NoText("they would be evaluated in another order")
    return found


def _is_still(value: _Value) -> bool:
    """Whether it does not matter when it is evaluated."""
    nodes = value.nodes
    alone = len(nodes) == 1 and nodes[0].type in (token.NAME, token.NUMBER, token.STRING)
    return not nodes or (alone and not is_fstring(nodes[0]))


def _assumed(
    match: Match, fields: Sequence[Field], values: Sequence[_Value], otherwise: bool
) -> list[str]:
    """What is assumed of values, if one style asks str(), or float(), and the other format() for
    their text. Raises NoText for a field that is not for all of them."""
    texts: list[str] = []
    numbers: list[str] = []
    for field, value in zip(fields, values, strict=True):
        if field.only and not _is(match, value.nodes, field.only):
            raise NoText("another style has this for some values only")
        if otherwise and not (field.only or field.conversion or _is_scalar(match, value.nodes)):
            (numbers if field.spec else texts).append(value.code + field.path)
    found = []
    if texts:
        names = ", ".join(dict.fromkeys(texts))
        found.append(f"Assumed: str() and format() make the same of {names}.")
    if numbers:  # an array of one number is formatted by %, and not by format()
        names = ", ".join(dict.fromkeys(numbers))
        found.append(f"Assumed: format() takes {names} for a number, as % does.")
    return found


def _is_scalar(match: Match, nodes: Expression) -> bool:
    """Whether it is known to be text or a number: what % takes as it is."""
    return any(_is(match, nodes, name) for name in ("str", "number"))


def _is(match: Match, nodes: Expression, builtin: str) -> bool:
    if not nodes:
        return False
    if builtin == "int" and len(nodes) == 1 and nodes[0].type == token.NUMBER:
        return str(nodes[0]).strip().isdigit()
    evaluator, module = match.facts.evaluator, match.module
    return evaluator.isa(nodes, f"builtins.{builtin}", module) is Certainty.PROVED
