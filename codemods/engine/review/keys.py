"""keys: what may be answered at the prompt. Bowler's keys mean what they mean in Bowler."""

from __future__ import annotations

from dataclasses import dataclass

BOWLER = "ynqad"
UNANSWERED = "Nothing is decided; ? shows how."
_KEYS = f"[{','.join(BOWLER)},?]? "
PROMPT = f"Apply this hunk {_KEYS}"


def prompt_for(count: int) -> str:
    """The question about so many hunks."""
    return PROMPT if count == 1 else f"Apply these {count} hunks {_KEYS}"


HELP = {
    "y": "apply this hunk, or all of this group",
    "n": "skip it, or them",
    "a": "apply this and all remaining hunks for this file",
    "d": "skip this and all remaining hunks for this file",
    "q": "quit; do not apply this hunk or any remaining hunks",
    "A": "apply this and all undecided hunks of this rule, in all files",
    "D": "skip this and all undecided hunks of this rule, in all files",
    "P": "apply all undecided hunks for which nothing had to be assumed",
    "L": "apply all that is left",
    "j": "leave it as it is, see what is undecided next",
    "J": "leave it as it is, see the next one",
    "k": "leave it as it is, see what is undecided before",
    "K": "leave it as it is, see the previous one",
    "g": "go to a hunk: its number, or a word of its rule, file or code (g 12, g train.py, /tape)",
    "s": "decide the hunks of this group one by one, or split this hunk into parts",
    "o": "ask rule by rule, and all equal hunks at once, or file by file again",
    "O": "begin again with the option that is offered, and with what is decided",
    "e": "edit what this hunk writes, in $VISUAL or $EDITOR",
    "u": "undo the last answer, with all that went along",
    "U": "choose an answer to undo",
    "i": "ignore: skip this hunk and write a comment that suppresses its rule here",
    "r": "show the rule, and the facts that it was applied for",
    "t": "show the table of rules, with what is decided and left",
    "f": "show the whole change, page by page",
    "p": "show what this file's changes are, as decided so far",
    "v": "show the whole patch, as decided so far",
    "w": "keep the decisions so far",
    "+": "show more lines around the changes",
    "-": "show fewer lines around the changes",
    "?": "show help",
}
# These take the rest of the answer as what they are about.
_WITH_ARGUMENT = "gi/"


@dataclass(frozen=True)
class Answer:
    """A key, and what was written behind it."""

    key: str
    argument: str = ""


def read(text: str) -> Answer | None:
    """The answer that a key or a line means; None if it means none. A capital letter that has no
    meaning of its own means the small one."""
    text = text.strip()
    if not text:
        return None
    key, argument = text[0], text[1:].strip()
    if key in _WITH_ARGUMENT:
        # `gx` would be a slip more often than a search.
        if argument and key.isalpha() and not text[1].isspace() and not text[1].isdigit():
            return None
        return Answer(key, argument)
    if len(text) > 1:
        return None
    if key not in HELP:
        key = key.lower()
    return Answer(key) if key in HELP else None
