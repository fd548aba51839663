"""Tokens: the regular expression that finds them, and what each one is to the parser.

One match is one token with the blanks before it, or the end of a line with all empty and comment
lines after it and the next line's indentation. What lies between two leaves is the prefix of the
second, so nothing of the source can be lost.
"""

from __future__ import annotations

import re
import unicodedata

from fissix.pgen2 import token
from fissix.pgen2.grammar import opmap

from .automaton import SOFT
from .grammar import Grammar
from .strings import FORMAT_PREFIX, PLAIN, PREFIX

# A lone CR ends a line as well: Python reads files with universal newlines.
NEWLINE = r"(?:\r\n|\r(?!\n)|\n)"
# Letters beyond ASCII are looked at one by one, in is_identifier: the set differs between hosts.
_NAME = r"[A-Za-z_\x80-\U0010ffff][0-9A-Za-z_\x80-\U0010ffff]*"
_OPERATOR = r"[()\[\]{},;`~]|:=?|\.(?![0-9])|->|<>|\*\*?=?|//?=?|<<?=?|>>?=?|[-+%&|^@=]=?|!="
# PEP 515; Python 2's 0777 and 10L. What follows without a blank is the next token: 1if x else y.
_DIGITS = r"[0-9](?:_?[0-9])*"
_NUMBER = (
    r"0[xX](?:_?[0-9a-fA-F])+[lL]?|0[oO](?:_?[0-7])+[lL]?|0[bB](?:_?[01])+[lL]?"
    rf"|(?:{_DIGITS}(?:\.(?:{_DIGITS})?)?|\.{_DIGITS})(?:[eE][-+]?{_DIGITS})?[jJlL]?"
)
_CONTINUATION = rf"\\(?:{NEWLINE}|\Z)"
_BLANKS = rf"[ \t\f]*(?:{_CONTINUATION}[ \t\f]*)*"
_BLANK_LINES = rf"(?:{_BLANKS}(?:#[^\r\n]*)?{NEWLINE})*(?:{_BLANKS}(?:#[^\r\n]*)?\Z)?"

# Group 1: a token; groups 2, 3, 4: a newline, the lines without code after it, the indentation.
# Group 5: a character that begins nothing. No group: the end of the file.
TOKEN = re.compile(
    r"[ \t\f]*(?:("
    rf"(?!{PREFIX}[\"']){_NAME}|{_OPERATOR}|{_NUMBER}|{PREFIX}?(?:{PLAIN})"
    rf"|{FORMAT_PREFIX}(?:\"\"\"|'''|\"|')|{_CONTINUATION})"
    rf"|(?:#[^\r\n]*)?(?:({NEWLINE})({_BLANK_LINES})([ \t\f]*)|\Z)"
    r"|([\s\S]))"
)
# What comes before the first token, a byte-order mark too, and that token's indentation.
START_OF_FILE = re.compile(rf"(\ufeff?{_BLANK_LINES})([ \t\f]*)")

# A token's value (shared between equal leaves), its label, and the type of its leaf; brackets have
# their type negated, for the parser counts them.
Word = tuple[str, str, int]
_BRACKETS = "()[]{}"


def words(grammar: Grammar, without: frozenset[str]) -> dict[str, Word]:
    """What is known of tokens before a file is read; the words of ``without`` are plain names."""
    known: dict[str, Word] = {}
    for operator, kind in opmap.items():
        label = operator + "?" if operator + "?" in SOFT else operator
        known[operator] = (operator, label, -kind if operator in _BRACKETS else kind)
    labels = {label for states in grammar.states.values() for s in states for label in s.arcs}
    for word in labels - grammar.states.keys() - without:
        if word.isalpha() and word.islower():
            known[word] = (word, word, token.NAME)
    for label in SOFT:
        word = label[:-1]
        if word.isalpha():
            known[word] = (word, label, token.NAME)
    return known


def count_lines(text: str) -> int:
    """The number of line ends in ``text``."""
    return text.count("\n") + text.count("\r") - text.count("\r\n")


def is_identifier(name: str) -> bool:
    """Whether ``name`` is one in some Python; characters that this host's Unicode lacks may be."""
    return name.isidentifier() or all(
        f"_{char}".isidentifier() or unicodedata.category(char) == "Cn" for char in name
    )
