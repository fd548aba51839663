"""parse_with: the tokens of a text, through the automaton, into fissix's nodes, in one loop.

Written for speed, and therefore as one function: finding tokens, following tables and making leaves
take about a third of the time each, and a call between them would be paid once per token. It is
iterative throughout, so that no depth of nesting exhausts the stack.
"""

from __future__ import annotations

from sys import intern

from fissix.pgen2 import token

from ..files.bounds import MOST_LEVELS
from . import syntax_problem
from .automaton import REDUCE, SHIFT, Automaton, Table
from .depth import MOST_PARTS, ROOM, more_room, too_long
from .grammar import START
from .indents import Indents
from .lookahead import Lookahead
from .parsed import ParsedLeaf, ParsedNode, root_of
from .strings import end_of_string
from .tokens import START_OF_FILE, TOKEN, Word, count_lines, is_identifier

_new = object.__new__
# What two have is exactly their size; Python makes room for five more with the third.
_EXACT = 2
# The numbers of lines, for all files the same.
_MOST_LINES = 10_000
_LINES = (*range(_MOST_LINES),)
# Literals up to this are kept once where they are the same.
_SHORT = 30

Frame = tuple[int, "list[ParsedLeaf | ParsedNode]", Table]


def parse_with(
    automaton: Automaton, known: dict[str, Word], text: str, most: int = MOST_LEVELS
) -> ParsedNode:
    """Return the tree of ``text``, of at most ``most`` levels; ``known`` is what tokens.words
    gives, and names are added to it.

    Raises SyntaxProblem.
    """
    size = len(text)
    indents = Indents()
    lookahead = Lookahead(text)
    brackets: list[tuple[str, int, int]] = []  # the open ones, with line and column
    # The rule whose children are being collected, what may come next, and the rules around it.
    kind: int = automaton.grammar.numbers[START]
    children: list[ParsedLeaf | ParsedNode] = []
    table = automaton.start
    outer: list[Frame] = []
    # Leaves to be fed after the current one, last first.
    waiting: list[tuple[str, ParsedLeaf]] = []
    # White space and comments, each once: mostly the indentation of a block's lines.
    prefixes: dict[str, str] = {}
    room = min(ROOM, most)
    power = automaton.grammar.numbers["power"]

    match = START_OF_FILE.match(text)
    assert match is not None  # it matches the empty string
    before = 0  # where the last leaf ends: the next one's prefix begins there
    line_start, begin = match.span(2)  # of the line, and of its first token
    line = 1 + count_lines(match[1])
    if begin < size:
        indents.first(match[2], line)
    # After a leaf that ends a line or spans several: line, line_start, before, where to go on.
    after: tuple[int, int, int, int] | None = None

    resume = begin
    while 0 <= resume <= size:
        tokens = TOKEN.finditer(text, resume)
        resume = -1
        for match in tokens:
            start, end = match.span(1)
            word = known.get(match[1])
            if word is not None:
                value, label, leaf_kind = word
                if leaf_kind < 0:
                    leaf_kind = -leaf_kind
                    if value in "([{":
                        brackets.append((value, line, start - line_start))
                    elif brackets:
                        brackets.pop()
            elif start >= 0:
                value = match[1]
                char = value[0]
                if value[-1] in "\"'":
                    label, leaf_kind = "STRING", token.STRING
                    if char not in "\"'" and ("{" in value or len(value) < 6):
                        found = end_of_string(text, start)
                        if found is None:
                            raise syntax_problem.no_token(text, start, line, start - line_start)
                        if found != end:
                            value, end = text[start:found], found
                            after = (line, line_start, end, end)
                    if "\n" in value or "\r" in value:
                        last = start + max(value.rfind("\n"), value.rfind("\r")) + 1
                        after = (line + count_lines(value), last, end, after[3] if after else -1)
                    elif char in "\"'" and len(value) <= _SHORT:
                        value = intern(value)
                        known[value] = (value, label, leaf_kind)
                elif char in ".0123456789":
                    label, leaf_kind = "NUMBER", token.NUMBER
                    known[value] = (value, label, leaf_kind)
                elif char == "\\":
                    line, line_start = line + count_lines(value), end
                    continue
                elif value.isascii() or is_identifier(value):
                    label, leaf_kind = "NAME", token.NAME
                    value = intern(value)  # files of a repository have most of theirs in common
                    known[value] = (value, label, leaf_kind)
                else:
                    raise syntax_problem.no_token(text, start, line, start - line_start)
            elif match[2] is not None:
                next_line = line + 1 + count_lines(match[3])
                next_start, next_begin = match.span(4)
                if brackets:
                    line, line_start = next_line, next_start
                    continue
                start, end = match.span(2)
                value, label, leaf_kind = match[2], "NEWLINE", token.NEWLINE
                if match[4] != indents.text and next_begin < size:
                    waiting = indents.change(match[4], text[end:next_start], next_line)
                begin = next_begin
                after = (next_line, next_start, begin if waiting else end, -1)
                indents.new_line()
            else:
                start = end = match.end()
                if match[5] is not None:
                    raise syntax_problem.no_token(text, start - 1, line, start - 1 - line_start)
                if brackets:
                    raise syntax_problem.never_closed(*brackets[-1])
                value = ""
                after = (line, line_start, end, size + 1)  # the end is found but once
                last_line = line + (text[-1:] not in ("", "\r", "\n", "\ufeff"))
                waiting = indents.end(last_line)
                if before > begin:
                    label, leaf_kind = "NEWLINE", token.NEWLINE
                else:
                    label, only = waiting.pop()
                    leaf_kind, line, line_start = only.type, last_line, size

            leaf = _new(ParsedLeaf)
            prefix = text[before:start]
            leaf._prefix = prefixes.setdefault(prefix, prefix) if start - before > 1 else prefix
            leaf.lineno = line
            leaf.column = start - line_start
            leaf.type = leaf_kind
            leaf.value = value
            before = end

            while True:
                action = table[label]
                if action is None:
                    around = (frame[2] for frame in reversed(outer))
                    raise syntax_problem.unexpected(leaf, (table, *around), brackets)
                what, below, following = action
                if what > 0:
                    outer.append((kind, children, below))
                    if len(outer) > room:
                        room = more_room(room, most, leaf)
                    children = [children.pop(), leaf]
                    kind = what
                    table = following
                elif what == SHIFT:
                    children.append(leaf)
                    table = following
                elif what == REDUCE:
                    if len(children) > MOST_PARTS and kind == power:
                        raise too_long(leaf)
                    node = _new(ParsedNode)
                    node.type = kind
                    node.children = children if len(children) <= _EXACT else children[:]
                    for child in children:
                        child.parent = node
                    kind, children, table = outer.pop()
                    children.append(node)
                    continue
                else:  # ASK: which of two labels it is
                    in_async = below == "AWAIT" and indents.in_async
                    newer = in_async or lookahead.decide(below, end, len(brackets))
                    label = below if newer else following
                    if label == "ASYNC":
                        leaf.type = token.ASYNC
                        if lookahead.word(end) == "def":
                            indents.enter_async()
                    elif label == "AWAIT":
                        leaf.type = token.AWAIT
                    continue
                if not waiting:
                    break
                label, leaf = waiting.pop()
            if after is not None:
                line, line_start, before, resume = after
                line = _LINES[line] if line < _MOST_LINES else line
                after = None
                if resume >= 0:
                    break
    return root_of(kind, children)
