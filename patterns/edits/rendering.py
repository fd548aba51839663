"""render: a template with what its metavariables stand for, so that the meaning of both stays.

What is taken from the file brings along where it stood, so that other edits inside it can be made
in the text as well (``fragment.Slot``).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from fissix.pgen2 import token
from fissix.pygram import python_symbols as symbols

from pinsetter.analyzer.files.source import LINE_END
from pinsetter.analyzer.syntax.tree import (
    COMPOUND,
    LN,
    Expression,
    Tree,
    ancestors,
    is_name,
    is_variable,
    walk,
)

from .fragment import NOTHING, Fragment, taken
from .precedence import (
    AWAITED,
    BIT_OR,
    GENERATOR,
    ITEM,
    LAMBDA,
    STARRED,
    TIGHT,
    WALRUS,
    YIELD,
    Code,
    Place,
    code_of,
)
from .template import (
    Hole,
    Kind,
    Name,
    Sequence,
    Template,
    breaks_off,
    is_subscript,
    keyword_of,
    read_template,
    sequence_kind,
    stand_behind_in,
)


class Misfit(Exception):
    """Why a capture cannot stand where a template has it, in words. It never leaves this room: a
    rule that does not fit somewhere is reported."""


@dataclass(frozen=True)
class Filling:
    """What a metavariable stands for. ``code`` is what one expression is, None for what is none;
    ``breaks``: a line ends in it outside of brackets. ``keywords`` are those of a run's items, with
    nothing for what is given by position, ``kind`` what they are items of. What is ``own`` is the
    pack's own text, or was found out. ``before`` and ``after`` are what stands between code of the
    file and the brackets around it, where lines end there.
    """

    text: Fragment
    code: Code | None = None
    breaks: bool = False
    word: bool = False
    keywords: tuple[str, ...] = ("",)
    kind: str = ""
    own: bool = False
    before: Fragment = NOTHING
    after: Fragment = NOTHING
    nodes: Expression = ()


@dataclass(frozen=True)
class Rendered:
    """A text; ``code`` is what it is as an expression, ``breaks`` whether a line ends in it outside
    of brackets. Where it is put around code of the file, ``KEPT`` stands for that, and ``place`` is
    what may stand there without more parentheses than there are."""

    text: Fragment
    code: Code = TIGHT
    breaks: bool = False
    place: Place | None = None


# No Python source has these; the name of a capture stands behind the second.
KEPT = "\0"
BLOCK = "\1"


def captured(expression: Expression, tree: Tree) -> Filling:
    """What code of the file fills in: an expression, or items with commas between them."""
    nodes = expression
    if len(nodes) == 1 and nodes[0].type in _LISTS:
        nodes = tuple(nodes[0].children)
    while nodes and nodes[0].type == token.COMMA:
        nodes = nodes[1:]
    while nodes and nodes[-1].type == token.COMMA:
        nodes = nodes[:-1]
    if not nodes:
        return Filling(NOTHING, keywords=())
    start, end = tree.span(nodes)
    text = taken(tree.text, (start, end))
    items = [node for node, before in zip(nodes, (None, *nodes), strict=False)
             if before is None or before.type == token.COMMA]  # fmt: skip
    blocks = any(node.type in _STATEMENTS for node in nodes)
    loops = len(nodes) > 1 and stand_behind_in(nodes)
    single = len(items) == 1 and not blocks and not loops
    code = code_of(nodes) if single else None
    return Filling(
        text,
        code,
        breaks_off(nodes),
        len(nodes) == 1 and is_name(nodes[0]),
        tuple(keyword_of(item) for item in items if item.type != token.COMMA),
        "block" if blocks else sequence_kind(nodes[0]),
        before=_before(nodes, tree),
        after=_after(nodes, tree),
        nodes=nodes,
    )


def _before(nodes: Expression, tree: Tree) -> Fragment:
    """What stands between an opening bracket and code behind it."""
    bracket = _neighbour(nodes[0], -1)
    if bracket is None or bracket.type not in (token.LPAR, token.LSQB, token.LBRACE):
        return NOTHING
    return _lines(tree.end(bracket), tree.start(nodes[0]), tree)


def _after(nodes: Expression, tree: Tree) -> Fragment:
    """What stands between code and a closing bracket behind it, a comma included."""
    bracket = _neighbour(nodes[-1], 1)
    if bracket is not None and bracket.type == token.COMMA:
        bracket = _neighbour(bracket, 1)
    if bracket is None or bracket.type not in (token.RPAR, token.RSQB, token.RBRACE):
        return NOTHING
    return _lines(tree.end(nodes[-1]), tree.start(bracket), tree)


def _neighbour(node: LN, step: int) -> LN | None:
    """The next leaf, or node, of those around."""
    while node is not None:
        beside = node.prev_sibling if step < 0 else node.next_sibling
        if beside is not None:
            return beside
        node = node.parent
    return None


def _lines(start: int, end: int, tree: Tree) -> Fragment:
    return taken(tree.text, (start, end)) if LINE_END.search(tree.text, start, end) else NOTHING


def around(expression: Expression) -> Filling:
    """What ``$it`` fills in: the code that a template is put around."""
    return Filling(Fragment(KEPT), code_of(expression), breaks_off(expression), nodes=expression)


def plain(text: str) -> Filling:
    """What a name that was made, or a list of them in brackets, fills in."""
    return Filling(Fragment(text), Code(), word=True, own=True)


def written(text: Fragment) -> Filling:
    """What a text of the pack's own, or one that was found out, fills in."""
    plain = text.text.replace("$", "_")
    try:
        template = read_template(plain, Kind.EXPRESSION)
    except ValueError:
        return Filling(text, Code(kind=ITEM), word=True, keywords=_keywords(plain), own=True)
    return Filling(text, template.code, template.breaks, word=True, own=True)


def _keywords(text: str) -> tuple[str, ...]:
    try:
        return read_template(text, Kind.ARGUMENT).keywords
    except ValueError:
        return ("",)


def render(
    template: Template,
    fill: Callable[[str], Filling],
    names: Mapping[str, str],
    text: str = "",
    newline: str = "\n",
    bracketed: bool = False,
) -> Rendered:
    """The template filled in. ``names`` are those of its own that are others in the file, whose
    ``text`` it is; ``bracketed`` says whether lines may end where the whole will stand.

    Raises Misfit.
    """
    return _Renderer(template, fill, names, text, newline, bracketed).whole()


class _Renderer:
    def __init__(
        self,
        template: Template,
        fill: Callable[[str], Filling],
        names: Mapping[str, str],
        text: str,
        newline: str,
        bracketed: bool,
    ) -> None:
        self.template = template
        self.fill = fill
        self.names = names
        self.text = text
        self.newline = newline
        self.bracketed = bracketed
        self.code = template.code
        self.breaks = template.breaks
        self.place: Place | None = None

    def whole(self) -> Rendered:
        text = self._span(0, len(self.template.text))
        return Rendered(text, self.code or TIGHT, self.breaks, self.place)

    def _span(self, start: int, end: int, inside: Sequence | None = None) -> Fragment:
        """The text between two offsets of the template."""
        whole, at = NOTHING, start
        for part in self.template.parts:
            if part.start < at or part.end > end or part is inside:
                continue
            whole = whole + self._literal(at, part.start) + self._part(part)
            at = part.end
        return whole + self._literal(at, end)

    def _literal(self, start: int, end: int) -> str:
        return self.template.text[start:end].replace("\n", self.newline)

    def _part(self, part: Hole | Sequence | Name) -> Fragment:
        if isinstance(part, Sequence):
            return self._sequence(part)
        if isinstance(part, Name):
            return Fragment(self.names.get(part.name, part.name))
        return self._hole(part)

    def _hole(self, hole: Hole) -> Fragment:
        if hole.block:
            filling = self.fill(hole.name)
            if filling.kind != "block" and filling.text.text:
                raise Misfit(f"${hole.name} stands for no statements")
            return Fragment(BLOCK + hole.name)
        filling = self._filling(hole)
        if hole.text:
            return Fragment(_in_string(hole.name, filling))
        if hole.loops:
            if not filling.nodes or not stand_behind_in(filling.nodes):
                raise Misfit(f"${hole.name} is not what a comprehension has behind `in`")
            return filling.text
        if hole.subscript and filling.nodes and is_subscript(filling.nodes):
            return filling.text
        if hole.word:
            if not filling.word:
                raise Misfit(f"${hole.name} is no name, and only a name can stand there")
            return filling.text
        if filling.code is None:
            many = f"{len(filling.keywords)} items" if filling.keywords else "nothing"
            raise Misfit(f"${hole.name} stands for {many}, where one expression is meant")
        if hole.run and filling.own:
            return filling.text
        if hole.place is None:
            self.code, self.breaks = filling.code, filling.breaks
            return self._marked(hole, filling, NOTHING, None, self.bracketed)
        bracketed = hole.bracketed or self.bracketed
        fits = hole.place.takes(filling.code)
        if filling.code.kind in (ITEM, STARRED) and not fits:
            if not filling.own:
                raise Misfit(f"{filling.text.text} cannot stand alone")
            return filling.text
        parentheses = not fits or (filling.breaks and not bracketed)
        before = Fragment("(" if parentheses else "")
        place = None if parentheses else hole.place
        return self._marked(hole, filling, before, place, bracketed or parentheses)

    def _marked(
        self, hole: Hole, filling: Filling, before: Fragment, place: Place | None, bracketed: bool
    ) -> Fragment:
        """The filling, whose slot knows what may stand in it."""
        text = filling.text
        slots = tuple(
            replace(slot, place=place, bracketed=bracketed)
            if (slot.start, slot.end) == (0, len(text.text)) else slot
            for slot in text.slots
        )  # fmt: skip
        if text.text == KEPT:
            self.place = place
        return before + replace(text, slots=slots) + ")" * len(before.text)

    def _filling(self, hole: Hole) -> Filling:
        filling = self.fill(hole.name)
        if filling.kind == "block":
            raise Misfit(f"${hole.name} stands for statements, which cannot be moved")
        if hole.bars or hole.hides:
            _check_scope(hole, filling)
        return filling

    def _sequence(self, sequence: Sequence) -> Fragment:
        """The items, with commas between those that there are."""
        given = [(i, self._filling(i.hole) if i.hole else None) for i in sequence.items]
        names = [
            name for item, filling in given
            for name in (filling.keywords if filling and item.hole else (item.keyword,))
        ]  # fmt: skip
        if sequence.kind == "call":
            check_order(names)
        whole = NOTHING
        last: Filling | None = None
        shown = 0
        for number, (item, filling) in enumerate(given):
            if filling is None or item.hole is None:
                new = self._span(item.start, item.end, sequence)
            elif not filling.keywords and item.hole.run:
                continue
            elif item.hole.run:
                new = self._run(filling, sequence, len(names))
            else:
                new = self._hole(item.hole)
            if shown:
                whole = whole + self._gap(sequence, number, whole, new)
            elif filling is not None and self._in_brackets(sequence):
                new = filling.before + new
            whole, last = whole + new, filling
            shown += 1
        after = last.after if last is not None and self._in_brackets(sequence) else NOTHING
        if not shown:
            self._check_empty(sequence)
        if after.text and last is not None:
            comma = "," if sequence.kind in ("call", "display") and _ends_with_comma(last) else ""
            whole = whole + comma + after
        elif shown and (sequence.comma or (sequence.kind == "tuple" and len(names) == 1)):
            whole = whole + ","
        return whole

    def _check_empty(self, sequence: Sequence) -> None:
        """Raise Misfit where no items are something else: `{}` is no set, `a[]` nothing at all."""
        text = self.template.text
        is_set = text[sequence.start - 1 : sequence.start] == "{" and not text.startswith(
            "**", sequence.start
        )
        if sequence.kind == "subscript" or is_set:
            raise Misfit("there are no items")

    def _in_brackets(self, sequence: Sequence) -> bool:
        """Whether the items are all that stands in brackets of the template."""
        text = self.template.text
        return text[sequence.start - 1 : sequence.start] in ("(", "[", "{") and (
            text[sequence.end : sequence.end + 1] in (")", "]", "}")
        )

    def _gap(self, sequence: Sequence, number: int, left: Fragment, right: Fragment) -> Fragment:
        """What stands in front of an item: what does in the file, if both sides are neighbours
        there, else what does in the template."""
        item, before = sequence.items[number], sequence.items[max(number - 1, 0)]
        gap = self._literal(before.end, item.start) if number else ", "
        if left.slots and right.slots and gap.strip() == "," and self._in_brackets(sequence):
            first, second = left.slots[-1], right.slots[0]
            if first.end == len(left.text) and second.start == 0:
                start, end = first.source[1], second.source[0]
                if start < end and _GAP.fullmatch(self.text, start, end):
                    return taken(self.text, (start, end))
        return Fragment(gap)

    def _run(self, filling: Filling, sequence: Sequence, count: int) -> Fragment:
        generator = filling.code is not None and filling.code.kind == GENERATOR
        if generator and (sequence.kind != "call" or count > 1):
            return "(" + filling.text + ")"
        alike = filling.own or filling.kind == sequence.kind
        is_list = sequence.kind == "display" and self.template.text[sequence.start - 1] == "["
        if is_list and {":", "**"} & {*filling.keywords}:
            alike = False  # what a dictionary has
        if not alike and any(name not in ("", "*") for name in filling.keywords):
            raise Misfit(f"{filling.text.text} cannot stand in a {sequence.kind}")
        if not alike and filling.code is not None and filling.code.kind == ITEM:
            raise Misfit(f"{filling.text.text} cannot stand in a {sequence.kind}")
        if sequence.kind != "call" and filling.kind == "call":
            _check_stars(filling)
        if len(filling.nodes) == 1 and filling.nodes[0].type == symbols.testlist_gexp:
            return _items_of_tuple(filling)
        takes = Place(LAMBDA, frozenset({WALRUS, STARRED, ITEM, GENERATOR}))
        # Of a text of the pack's own what stands between its commas are items.
        if not filling.own and filling.code is not None and not takes.takes(filling.code):
            return "(" + filling.text + ")"
        return filling.text


def _items_of_tuple(filling: Filling) -> Fragment:
    """Without the comma at the end, which what they are put into has or has not."""
    last = filling.nodes[0].children[-1]
    more = len(str(last)) if last.type == token.COMMA else 0
    text, (slot,) = filling.text.text, filling.text.slots
    end = len(text) - more
    taken = replace(slot, end=end, source=(slot.source[0], slot.source[1] - more))
    return Fragment(text[:end], (taken,))


def _in_string(name: str, filling: Filling) -> str:
    """What a capture is in a string of the template: a name, as it is called, an operator, or the
    text of a literal that reads the same in all quotes."""
    text = filling.text.text
    if all(part.isidentifier() for part in text.split(".")):
        return text
    if " ".join(text.split()) in _OPERATORS:
        return " ".join(text.split())
    literal = _PLAIN_TEXT.fullmatch(text)
    if literal is None:
        raise Misfit(f"${name} is neither a name nor a plain text, and stands in a string")
    return literal[2]


_OPERATORS = {"<", "<=", ">", ">=", "==", "!=", "<>", "is not", "not in", *"+-*/%@&|^", "//", "**",
              "<<", ">>"}  # fmt: skip
# It says the same in f-strings and for str.format.
_PLAIN_TEXT = re.compile(r"[uU]?([\"'])([^\"'\\{}%\r\n]*)\1")


def _ends_with_comma(filling: Filling) -> bool:
    """Whether it is the items of a tuple with a comma behind the last, which lines of their own
    have and keep."""
    items = filling.nodes[-1:]
    is_tuple = bool(items) and items[0].type == symbols.testlist_gexp
    return is_tuple and bool(items[0].children[-1].type == token.COMMA)


def _check_stars(filling: Filling) -> None:
    """Raise Misfit for `*a or b`, which only a call takes without parentheses."""
    for node in filling.nodes:
        if keyword_of(node) == "*" and not Place(BIT_OR).takes(code_of((node.children[1],))):
            raise Misfit(f"{filling.text.text} cannot stand outside of a call")


def _check_scope(hole: Hole, filling: Filling) -> None:
    """Raise Misfit for code that would mean something else in a scope of the template's own."""
    for node in _parts(filling):
        kind = _kind(node)
        if kind in hole.bars:
            raise Misfit(
                f"${hole.name} has {_SAID[kind]}, which cannot stand in a scope of its own"
            )
        if node.type == token.NAME and node.value in hole.hides and is_variable(node):
            raise Misfit(f"the name {node.value} would mean something else there")


_KINDS = {token.AWAIT: AWAITED, symbols.yield_expr: YIELD, symbols.namedexpr_test: WALRUS}
_SAID = {AWAITED: "`await`", YIELD: "`yield`", WALRUS: "`:=`"}


def check_left(filling: Filling, replaced: Expression) -> None:
    """Raise Misfit for code that would leave the function or comprehension that it is about, which
    is replaced, or a part of what is."""
    if not filling.nodes:
        return
    around = {id(node) for node in ancestors(replaced[0])}
    child = filling.nodes[0]
    for parent in ancestors(filling.nodes[0]):
        if id(parent) in around:
            return
        loops = any(one.type == symbols.comp_for for one in parent.children)
        if loops or (parent.type in _FUNCTIONS and child is parent.children[-1]):
            kind = next(filter(None, map(_kind, _parts(filling))), "")
            if kind:
                raise Misfit(f"{_SAID[kind]} cannot leave its function or comprehension")
        child = parent


def _parts(filling: Filling) -> Iterator[LN]:
    return (part for one in filling.nodes for part in walk(one))


def _kind(node: LN) -> str:
    """What a node does that is for the scope that it stands in."""
    if is_name(node) and node.value in (YIELD, AWAITED):
        return str(node.value)
    if node.type == symbols.argument and code_of((node,)).kind == WALRUS:
        return WALRUS
    return _KINDS.get(node.type, "")


_FUNCTIONS = {symbols.lambdef, symbols.old_lambdef}


def check_order(keywords: list[str]) -> None:
    """Raise Misfit for arguments that no call can have in this order."""
    seen: set[str] = set()
    for name in keywords:
        named = seen - {"", "*"}
        if name == "" and named:
            raise Misfit("an argument by position would follow one by name")
        if name == "*" and "**" in seen:
            raise Misfit("`*` would follow `**`")
        if name in named - {"**"}:
            raise Misfit(f"the argument {name} would be given twice")
        seen.add(name)


# What may stand between two items: a comma, and comments at the ends of lines.
_GAP = re.compile(r"\s*,(?:\s|\\\r?\n|#[^\r\n]*)*")
_LISTS = {symbols.arglist, symbols.typedargslist, symbols.varargslist}
_STATEMENTS = {symbols.suite, symbols.simple_stmt, *COMPOUND, token.INDENT, token.DEDENT}
