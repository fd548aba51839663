"""Edit: a span of the original text and what stands there instead; apply puts several together."""

from __future__ import annotations

import itertools
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from pinsetter.analyzer.files.source import LINE_END

from .blocks import Block, blocks_joined
from .deletions import Deleted, Removed, emptied, gaps_left, items_left
from .fragment import Slot, Span
from .guards import Shared, shared
from .line_tokens import STRING
from .precedence import Code, Place
from .wrapping import Style, wrapped

# How edits at one offset follow each other: what ends there before what begins there.
CLOSE, AFTER, BEFORE, OPEN = range(4)


@dataclass(frozen=True)
class Edit:
    """Replace ``text[start:end]`` of the original by ``text``; an insertion where they are equal.

    ``side`` and ``outer``, the construct that the edit belongs to, order insertions at one offset:
    an inner construct closes before an outer one, and opens after it. ``rank`` breaks ties, and
    is the same for all edits of one application.
    ``indent`` is what the lines of the construct gain in indentation by this edit: the lines that
    other edits put inside it gain it, too; a backspace is one white space less. ``between``
    separates it from another that adds to the same, empty place.

    ``slots`` are what of the new text is taken from the file: what other edits change there they
    change in the new text as well. ``kept`` are the spans that the application has taken so, into
    this edit or another of its own; edits inside them do not contradict it, but for some in those
    that are ``quoted`` then. ``code`` is what the
    construct is then, as an expression; ``place`` what may stand inside a construct that is put
    around it. ``loose``: if another edit replaces what is around, this one is not needed, unless
    the new text still has the ``word`` that it replaces.
    ``shared``: it is part of a guard, which neighbours may have in common. ``behind_brace``: it
    begins an expression in an f-string, where two braces would begin none. ``block``: what of the
    text is shared with others at this place; ``once``: all of it is. ``deleted``: what it deletes
    of a block, which must not be empty then; ``removed``: of what it removes an item; ``silent``:
    its comments are not kept. ``style`` is how the file is written, which lines that become too
    long are broken for.
    """

    start: int
    end: int
    text: str
    side: int = AFTER
    outer: Span = (0, 0)
    rank: tuple[int, ...] = ()
    indent: str = ""
    between: str = ""
    slots: tuple[Slot, ...] = ()
    kept: tuple[Span, ...] = ()
    quoted: tuple[Span, ...] = ()
    code: Code | None = None
    place: Place | None = None
    loose: bool = False
    word: str = ""
    behind_brace: bool = False
    shared: Shared | None = None
    block: Block | None = None
    once: bool = False
    deleted: Deleted | None = None
    removed: Removed | None = None
    silent: bool = False
    style: Style | None = field(default=None, compare=False, repr=False)

    @property
    def encloses(self) -> bool:
        """Whether it begins or ends a construct."""
        return self.side in (OPEN, CLOSE)

    @property
    def key(self) -> tuple[object, ...]:
        inner_first = -self.outer[0] if self.side in (CLOSE, AFTER) else -self.outer[1]
        rank = self.rank
        if self.side == CLOSE:
            # What is put around one thing twice closes in the opposite order.
            rank = (*(-number for number in rank), 1)
        return (self.start, self.end != self.start, self.side, inner_first, rank)

    def contradicts(self, other: Edit) -> bool:
        """Whether both cannot be made; equal edits are one edit."""
        if (self.start, self.end, self.text) == (other.start, other.end, other.text):
            return False
        if self.within(other) or other.within(self):
            return False
        if self.start == self.end or other.start == other.end:
            point, span = (self, other) if self.start == self.end else (other, self)
            return span.start < point.start < span.end and not point.loose
        if self.loose or other.loose:
            return self.is_left_by(other) or other.is_left_by(self)
        return self.start < other.end and other.start < self.end

    def is_left_by(self, around: Edit) -> bool:
        """Whether another replaces what this one is in and leaves its word."""
        inside = around.start <= self.start and self.end <= around.end
        word = rf"(?<!\w){re.escape(self.word)}(?!\w)"
        return bool(self.word) and inside and re.search(word, around.text) is not None

    def within(self, other: Edit) -> bool:
        """Whether it changes what ``other`` takes from here into its new text."""
        if other.rank == self.rank and self.rank:
            return False
        whole = (other.start, other.end)
        around = [span for span in other.kept if self.inside(span) and self.construct != whole]
        return bool(around) and not (
            _NOT_IN_STRINGS & {*self.text} and any(span in other.quoted for span in around)
        )

    def inside(self, span: Span) -> bool:
        """Whether it changes something inside a span of the original, or all of it."""
        start, end = self.construct
        if start < end and span[0] <= start and end <= span[1]:
            return True
        return self.start == self.end and span[0] < self.start < span[1]

    @property
    def construct(self) -> Span:
        return (self.start, self.end) if self.start < self.end else self.outer

    def moved(self, by: int) -> Edit:
        """The same edit of a text that has ``by`` more characters in front; not for one of a guard
        that neighbours may share, and without the style of the file."""
        return replace(
            self,
            style=None,
            start=self.start + by,
            end=self.end + by,
            outer=_moved(self.outer, by),
            slots=tuple(replace(slot, source=_moved(slot.source, by)) for slot in self.slots),
            kept=tuple(_moved(span, by) for span in self.kept),
            quoted=tuple(_moved(span, by) for span in self.quoted),
        )

    def styled(self, style: Style, in_string: bool = False) -> Edit:
        """The same edit for a file of that style; its own strings get the file's quotes, but for
        one ``in_string``."""
        edit = replace(self, style=style)
        if not style.quote or in_string:
            return edit
        taken = [(slot.start, slot.end) for slot in self.slots]

        def quoted(match: re.Match[str]) -> str:
            plain = _PLAIN.fullmatch(match[0])
            if plain is None or any(
                start < match.end() and match.start() < end for start, end in taken
            ):
                return match[0]
            return f"{plain[1]}{style.quote}{plain[2]}{style.quote}"

        return replace(edit, text=_STRING_OR_COMMENT.sub(quoted, self.text))


# What may end an expression in an f-string, or the string itself, in some Python.
_NOT_IN_STRINGS = frozenset("\"'\\#\r\n{}:!")
_STRING_OR_COMMENT = re.compile(rf"#[^\r\n]*|{STRING}")
# Without quotes and backslashes in it.
_PLAIN = re.compile(r"([bBrRuU]?)[\"']([^\"'\\\r\n]*)[\"']")


def _moved(span: Span, by: int) -> Span:
    return span[0] + by, span[1] + by


def apply(text: str, edits: Iterable[Edit]) -> str:
    """``text`` with the edits made. They must not contradict each other."""
    return _applied(text, (0, len(text)), replacements(text, edits))


def _applied(text: str, span: Span, made: Iterable[tuple[int, int, str]]) -> str:
    parts: list[str] = []
    at, stop = span
    for start, end, new in made:
        parts += [text[at:start], new]
        at = end
    parts.append(text[at:stop])
    return "".join(parts)


def replacements(text: str, edits: Iterable[Edit]) -> list[tuple[int, int, str]]:
    """What ``apply`` puts in the place of which spans of ``text``: start, end and new text, in
    order and apart from each other."""
    given = list(edits)
    style = next((edit.style for edit in given if edit.style is not None), None)
    made = _made(text, given)
    return made if style is None else wrapped(text, made, style)


def _made(text: str, edits: Iterable[Edit]) -> list[tuple[int, int, str]]:
    return _flat(text, settled(text, edits))


def settled(text: str, edits: Iterable[Edit]) -> list[Edit]:
    """Edits of which none is inside another: what they change in code that another takes to its
    new text is changed there."""
    given = sorted(
        gaps_left(text, items_left(emptied(blocks_joined(shared(text, list(edits)))))),
        key=lambda edit: edit.start,
    )
    if any(edit.slots for edit in given):
        outer = _not_within(given)
        given = [_composed(text, edit, given) for edit in outer]
    if any(edit.loose for edit in given):
        replacing = [edit for edit in given if edit.start < edit.end and not edit.loose]
        given = [e for e in given if not (e.loose and _replaced(e, replacing, text))]
    return _separated(given)


def _not_within(edits: Sequence[Edit]) -> list[Edit]:
    """Those of edits, in the order of their starts, that are within no other. Each is compared only
    with those whose spans may reach it: a file may have thousands."""
    spans = sorted((span, number) for number, edit in enumerate(edits) for span in edit.kept)
    starts = [span[0] for span, _ in spans]
    reach = list(itertools.accumulate((span[1] for span, _ in spans), max))

    def is_within(edit: Edit) -> bool:
        place = bisect_right(starts, edit.start) - 1
        while place >= 0 and reach[place] >= edit.start:
            if edit.within(edits[spans[place][1]]):
                return True
            place -= 1
        return False

    return [edit for edit in edits if not is_within(edit)]


def _replaced(loose: Edit, edits: Iterable[Edit], text: str) -> bool:
    """Whether others replace what an edit changes; whole lines with what stands before them."""
    if loose.start < loose.end:
        return any(edit.start <= loose.start and loose.end <= edit.end for edit in edits)
    at = loose.start
    return any(
        edit.start < at < edit.end
        or (edit.start == at and text[: edit.end].endswith(("\n", "\r")))
        for edit in edits
    )  # fmt: skip


def _composed(text: str, edit: Edit, edits: Sequence[Edit]) -> Edit:
    """The edit with what others change in the code that it takes from the file; ``edits`` are in
    the order of their starts."""
    if not edit.slots:
        return edit
    new, at = "", 0
    slots: list[Slot] = []
    for slot in edit.slots:
        first = bisect_left(edits, slot.source[0], key=_start)
        last = bisect_right(edits, slot.source[1], key=_start)
        others = [
            e for e in edits[first:last]
            if e.inside(slot.source) and e is not edit and (e.rank != edit.rank or not e.rank)
            and e.construct != (edit.start, edit.end)
        ]  # fmt: skip
        new += edit.text[at : slot.start]
        taken = _in_slot(text, slot, others) if others else edit.text[slot.start : slot.end]
        slots.append(replace(slot, start=len(new), end=len(new) + len(taken)))
        new += taken
        at = slot.end
    return replace(edit, text=new + edit.text[at:], slots=tuple(slots))


def _start(edit: Edit) -> int:
    return edit.start


def _in_slot(text: str, slot: Slot, edits: Sequence[Edit]) -> str:
    """The code of a slot with the edits inside it made; in parentheses, if what it became by them
    needs some."""
    made = _made(text, edits)
    new = _applied(text, slot.source, made)
    whole = _outermost(slot.source, edits)
    fits = slot.place is None or whole is None or slot.place.takes(whole)
    breaks = not slot.bracketed and any(LINE_END.search(part) for _, _, part in made)
    return new if fits and not breaks else f"({new})"


def _outermost(span: Span, edits: Iterable[Edit]) -> Code | None:
    """What edits make of an expression as a whole."""
    around = [edit for edit in edits if edit.construct == span and edit.code is not None]
    return min(around, key=_depth).code if around else None


def _depth(edit: Edit) -> tuple[bool, tuple[int, ...]]:
    """Orders what is made of one expression from the outside in."""
    return edit.end > edit.start, edit.rank


def _separated(edits: list[Edit]) -> list[Edit]:
    """The edits, with parentheses between constructs around one expression that need them."""
    around: dict[Span, list[Edit]] = {}
    for edit in edits:
        if edit.code is not None:
            around.setdefault(edit.construct, []).append(edit)
    added: list[Edit] = []
    for span, constructs in around.items():
        outside_in = list(_by_rank(sorted(constructs, key=_depth)))
        for outer, inner in itertools.pairwise(outside_in):
            if outer.place is not None and inner.code is not None:
                if not outer.place.takes(inner.code):
                    added += _parentheses(span, outer)
    return edits + added


def _by_rank(edits: Iterable[Edit]) -> Iterator[Edit]:
    """One of the edits of each construct."""
    for _, same in itertools.groupby(edits, _depth):
        yield next(same)


def _parentheses(span: Span, around: Edit) -> list[Edit]:
    """A pair of them directly inside a construct."""
    start, end = span
    rank = (*around.rank, 0)
    return [
        Edit(start, start, "(", OPEN, span, rank),
        Edit(end, end, ")", CLOSE, span, rank),
    ]


def _flat(text: str, edits: Iterable[Edit]) -> list[tuple[int, int, str]]:
    found: list[tuple[int, int, str]] = []
    done: set[tuple[int, int, str]] = set()
    ordered = sorted(edits, key=lambda edit: edit.key)
    last: Edit | None = None
    indenting = _Indenting(ordered)
    for number, edit in enumerate(ordered):
        if edit.end > edit.start:
            if (edit.start, edit.end, edit.text) in done:
                continue
            done.add((edit.start, edit.end, edit.text))
        new = ""
        if edit.between and last is not None and (last.start, last.between) == (
            edit.start, edit.between
        ):  # fmt: skip
            new = edit.between
        last = edit
        # Most edits are one line, which is not moved.
        around = indenting.around(edit, number) if LINE_END.search(edit.text) else ()
        new += _indented(edit, "".join(around), text)
        if found and found[-1][1] == edit.start:
            start, _, before = found.pop()
            found.append((start, edit.end, before + new))
        else:
            found.append((edit.start, edit.end, new))
    fields = {edit.start for edit in ordered if edit.behind_brace}
    return [
        (start, end, f" {new}" if start in fields and _begins(text, end, new) == "{" else new)
        for start, end, new in found
    ]


def _begins(text: str, end: int, new: str) -> str:
    """The first character of new text, or of what comes behind it if it is none."""
    return new[:1] or text[end : end + 1]


class _Indenting:
    """Those of ordered edits that indent what is inside their construct. Each edit asks only those
    whose constructs may reach it: a file may have thousands."""

    def __init__(self, ordered: Sequence[Edit]) -> None:
        edits = [(number, edit) for number, edit in enumerate(ordered) if edit.indent]
        self._edits = sorted(edits, key=lambda one: one[1].outer)
        self._starts = [edit.outer[0] for _, edit in self._edits]
        self._reach = list(itertools.accumulate((e.outer[1] for _, e in self._edits), max))

    def around(self, edit: Edit, number: int) -> Iterator[str]:
        """What each of them adds to the lines of one of the edits, the first one first."""
        start, end = edit.outer
        found: list[tuple[int, str]] = []
        place = bisect_right(self._starts, start) - 1
        while place >= 0 and self._reach[place] >= end:
            other, around = self._edits[place]
            if _is_inside(edit, number, around, other):
                found.append((other, around.indent))
            place -= 1
        return (indent for _, indent in sorted(found))


def _is_inside(edit: Edit, number: int, around: Edit, place: int) -> bool:
    """Whether ``edit`` belongs inside the construct that ``around`` indents."""
    if edit is around:
        return False
    if edit.outer == around.outer:
        # Lines before and after a statement are no part of it.
        return edit.side in (OPEN, CLOSE) and place < number
    return around.outer[0] <= edit.outer[0] and edit.outer[1] <= around.outer[1]


def _indented(edit: Edit, indent: str, text: str) -> str:
    """The edit's text with its lines moved; those that begin in code of the file have been moved
    where that stands, if they could."""
    if not indent:
        return edit.text
    whole_lines = text[: edit.start].endswith(("\n", "\r"))
    whole_lines = whole_lines and (edit.start == edit.end or edit.text.endswith(("\n", "\r")))
    ends = [0, *(end.end() for end in LINE_END.finditer(edit.text)), len(edit.text)]
    moved = []
    for start, end in itertools.pairwise(ends):
        line = edit.text[start:end]
        taken = any(slot.start < start <= slot.end for slot in edit.slots)
        # After whole lines the original goes on at the beginning of a line of its own.
        stays = whole_lines and not line.strip("\r\n")
        if taken or stays or (start == 0 and not whole_lines):
            moved.append(line)
        else:
            moved.append(_shifted(line, indent))
    return "".join(moved)


def _shifted(line: str, indent: str) -> str:
    """A line with more in front of it, and, for each backspace in that, one white space less."""
    less = indent.count("\b")
    line = indent.replace("\b", "") + line
    spaces = len(line) - len(line.lstrip(" \t"))
    return line[min(less, spaces) :]
