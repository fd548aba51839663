"""Suppression: comments that keep a rule from a place, ``# pinsetter: ignore[rule] reason``.

- At the end of a line it holds for what begins on that line; at the end of a statement (or of the
  head of a block) of several lines, for all of those.
- On a line of its own it holds for the code directly below: if a statement begins there, for all
  its lines, the body of a block left out.
- ``ignore-file`` stands on a line of its own before the first statement other than the docstring
  and holds for the whole file.

Without ``[…]`` it holds for every rule.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import TYPE_CHECKING

from fissix.pgen2 import token

from pinsetter.analyzer.files.source import BOM
from pinsetter.analyzer.messages.problem import Problem
from pinsetter.analyzer.names.file_head import head_end
from pinsetter.analyzer.names.module import Module, analyse
from pinsetter.analyzer.syntax.tree import leaves
from pinsetter.patterns.edits.edit import AFTER, CLOSE, Edit, apply

if TYPE_CHECKING:  # every Bowler script imports this module, and few need what these bring along
    from pinsetter.patterns.applying.application import Application, Report
    from pinsetter.patterns.packs.pack import Rule

    from .hunk import Hunk

_HERE, _FILE = "ignore", "ignore-file"
_MARK = re.compile(r"pinsetter:", re.IGNORECASE)
"""What files with such comments say."""
_COMMENT = re.compile(r"#[^\r\n]*")
# A comment may hold several, and others' (such as noqa): each begins with a number sign.
_DIRECTIVE = re.compile(
    r"(?:^|(?<=\s))#+\s*pinsetter:\s*(?P<word>[\w-]+)\s*(?P<rules>\[[^\]]*\]?)?(?P<reason>.*?)"
    r"(?=\s#|$)",
    re.IGNORECASE,
)
_INVISIBLE = {token.INDENT, token.DEDENT, token.ENDMARKER, token.NEWLINE}


@dataclass(frozen=True)
class Suppression:
    """One comment. ``rules`` is empty for all of them; ``lines`` is None for the whole file."""

    line: int
    rules: tuple[str, ...]
    reason: str
    lines: range | None

    def covers(self, rule: str, lines: Collection[int]) -> bool:
        """Whether it suppresses ``rule`` at one of ``lines``."""
        if self.rules and rule not in self.rules:
            return False
        return self.lines is None or any(line in self.lines for line in lines)


@dataclass(frozen=True, eq=False)
class Suppressed:
    """An application or a report that a comment left out; ``start`` is an application's offset."""

    rule: Rule
    module: Module
    line: int
    by: Suppression
    start: int | None = None

    @property
    def key(self) -> tuple[object, ...]:
        """What is the same of two that several packs made of one place."""
        return (self.rule.id, self.module.path, self.line, self.start)


@dataclass(frozen=True)
class Sifted:
    """What a module's suppressions leave of what was found in it, and what they leave out."""

    applications: list[Application]
    reports: list[Report]
    suppressed: list[Suppressed]


def sift(
    module: Module,
    applications: Iterable[Application],
    reports: Iterable[Report],
    of_modules: Collection[str] = (),
) -> Sifted:
    """Separate what comments in ``module`` suppress; ``of_modules`` are the rules for modules as a
    whole (``Pack.of_modules``)."""
    comments, _ = suppressions(module)
    sifted = Sifted([], [], [])
    around: dict[int, Suppression] = {}
    for application in applications:
        lines = _lines(module, application.line, application.edits)
        by = _first(comments, application.rule, lines)
        name = application.rule.provides
        if by is None and name in of_modules and name != application.rule.id:
            by = next((c for c in comments if c.rules and name in c.rules), None)
        if by is None and application.rule.lifts:
            # What stands inside a statement is written for that one's being lifted.
            by = next((around[id(a)] for a in application.after if id(a) in around), None)
        if by is not None:
            around[id(application)] = by
        if by is None:
            sifted.applications.append(application)
        else:
            one = Suppressed(application.rule, module, application.line, by, application.start)
            sifted.suppressed.append(one)
    for report in reports:
        by = _first(comments, report.rule, {report.line})
        if by is None:
            sifted.reports.append(report)
        else:
            sifted.suppressed.append(Suppressed(report.rule, module, report.line, by))
    return sifted


def is_suppressed(hunk: Hunk) -> bool:
    """Whether a comment in its file suppresses a hunk that no pack made."""
    lines = _lines(hunk.module, hunk.line, hunk.edits)
    return _first(suppressions(hunk.module)[0], hunk.rule, lines) is not None


def complaints(
    tried: Mapping[Module, Collection[str]],
    suppressed: Iterable[Suppressed],
    every: Callable[[], Collection[str]],
    proposed: Iterable[Hunk] = (),
) -> list[Problem]:
    """Notes about suppressions that suppress nothing, name no rule or are not understood.

    ``tried`` has the ids of the rules that were tried on each module, ``every`` gives those of all
    known packs: a suppression for a pack that is not for this module, or does not run now, is in
    order. Where the rule has a hunk in ``proposed`` the note says on which line.
    """
    used: set[tuple[int, Suppression, str]] = set()
    for one in suppressed:
        used.update((id(one.module), one.by, name) for name in (one.rule.id, one.rule.provides, ""))
    found: list[Problem] = []
    hunks = [hunk for hunk in proposed if not hunk.follows]
    for module, run in tried.items():
        comments, notes = suppressions(module)
        found.extend(notes)
        for comment in comments:
            for name in comment.rules or ("",):
                if (id(module), comment, name) in used:
                    continue
                if name and name not in run:
                    known = every()
                    if name not in known:
                        close = get_close_matches(name, known, 1)
                        hint = f"did you mean {close[0]}?" if close else "remove it"
                        reason = f"there is no rule {name!r} to suppress"
                        found.append(Problem(module.path, reason, comment.line, hint=hint))
                    continue
                near = [h.line for h in hunks if h.module is module and h.rule == name]
                found.append(_unused(module, comment, name, near))
    return found


def suppressions(module: Module) -> tuple[list[Suppression], list[Problem]]:
    """The suppressions in a module's comments, and notes about those not understood."""
    if _MARK.search(module.source.text) is None:
        return [], []
    found: list[Suppression] = []
    notes: list[Problem] = []
    top = head_end(module)
    for start, text, lines in _comments(module):
        line = module.tree.line(start)
        for match in _DIRECTIVE.finditer(text):
            read = _read(match)
            if isinstance(read, str):
                if read:
                    notes.append(Problem(module.path, read, line))
                continue
            whole_file, rules, reason = read
            if whole_file and (start >= top or not _alone(module, start)):
                why = f"{_FILE} holds only on a line of its own before the first statement"
                notes.append(Problem(module.path, why, line, hint="move it up"))
                continue
            found.append(Suppression(line, rules, reason, None if whole_file else lines))
    return found, notes


def comment_edit(module: Module, hunk: Hunk, reason: str) -> Edit | Problem:
    """The comment that suppresses ``hunk``'s rule where the hunk stands, as an edit of the module.

    It is appended to the hunk's first line, or stands above the statement on a line of its own
    where a comment at the end of that line would be none (within a string, after a backslash).
    Which holds is found out by reading the result: it has the same code, and the comment covers
    the hunk's place, so that the next run leaves the hunk out. The Problem says why neither holds.
    """
    text = module.source.text
    comment = f"# pinsetter: {_HERE}[{hunk.rule}] {' '.join(reason.split())}".rstrip()
    try:
        comment.encode(module.source.encoding)
    except UnicodeEncodeError:
        return Problem(module.path, f"the reason does not fit {module.source.encoding}", hunk.line)
    code = [leaf.value for leaf in leaves(module.tree.root)]
    for edit, moved in _candidates(module, hunk, comment):
        changed = apply(text, [edit])
        try:
            data = module.source.encode(changed)
        except UnicodeEncodeError:  # between two cells of a notebook
            continue
        result = analyse(replace(module.source, text=changed, size=len(data)), module.name)
        if isinstance(result, Problem):
            continue
        lines = {line + moved for line in _lines(module, hunk.line, hunk.edits)}
        holds = _first(suppressions(result)[0], hunk.rule, lines) is not None
        if holds and [leaf.value for leaf in leaves(result.tree.root)] == code:
            return edit
    return Problem(module.path, "no comment can be put here", hunk.line,
                   hint=f"write `# pinsetter: {_FILE}[{hunk.rule}]` at the file's top")  # fmt: skip


def _candidates(module: Module, hunk: Hunk, comment: str) -> Iterator[tuple[Edit, int]]:
    """Edits to try, each with the number of lines by which it moves the hunk down."""
    tree, text = module.tree, module.source.text
    start = tree.line_start(_offset(module, hunk.line))
    line = tree.text_of_line(hunk.line) if start < len(text) else ""
    if line.strip() and not line.lstrip().startswith("#"):
        end = start + len(line) + (len(BOM) if text.startswith(BOM, start) else 0)
        gap = "" if line.endswith("  ") else "  "
        yield Edit(end, end, f"{gap}{comment}"), 0
    above = next((r.start for r in _statements(module) if hunk.line in r), hunk.line)
    for number in dict.fromkeys((above, hunk.line)):
        start = tree.line_start(_offset(module, number))
        line = tree.text_of_line(number) if start < len(text) else ""
        start += len(BOM) if text.startswith(BOM, start) else 0
        indentation = line[: len(line) - len(line.lstrip())]
        if start == len(text) and not text.endswith(("\n", "\r")):
            yield Edit(start, start, f"{module.source.newline}{comment}"), 0
        else:
            yield Edit(start, start, f"{indentation}{comment}{module.source.newline}"), 1


def _offset(module: Module, line: int) -> int:
    """Where a line begins; the end of the text for the line after the last."""
    starts = [0, *module.tree.lines_in(0, len(module.source.text))]
    return starts[line - 1] if line <= len(starts) else len(module.source.text)


def _lines(module: Module, line: int, edits: Sequence[Edit]) -> set[int]:
    """Where a comment may stand that means this hunk: the line it is shown at, or the one where
    its first edit begins. What is inserted between two lines belongs to the one that it follows."""
    first = min(edits, key=lambda edit: edit.start)
    at = module.tree.line(first.start)
    between = first.start == first.end and first.start == module.tree.line_start(first.start)
    if not between or first.side not in (CLOSE, AFTER):
        return {line, at}
    return {line, at - 1} if at == line else {line}


def _first(
    comments: Iterable[Suppression], rule: Rule | str, lines: Collection[int]
) -> Suppression | None:
    """The comment that suppresses a rule on one of the lines: one that names it rather than one
    for all, so that this one is not thought unused."""
    name = rule if isinstance(rule, str) else rule.id
    found = [comment for comment in comments if comment.covers(name, lines)]
    return min(found, key=lambda comment: (not comment.rules, comment.lines is None), default=None)


def _unused(module: Module, comment: Suppression, name: str, near: Sequence[int]) -> Problem:
    place = "in this file" if comment.lines is None else "here"
    what = f"{name} has nothing" if name else "no rule has anything"
    reason = f"unused suppression: {what} to suppress {place}"
    places = ", ".join(map(str, sorted(set(near))))
    hint = f"its hunks are on line {places}" if near else "remove it"
    return Problem(module.path, reason, comment.line, hint=hint)


def _read(match: re.Match[str]) -> tuple[bool, tuple[str, ...], str] | str:
    """Whether it is for the file, the rules and the reason; or what is wrong with it, "" if it was
    not meant for us."""
    word, listed = match["word"], match["rules"]
    if word not in (_HERE, _FILE):
        close = get_close_matches(word.lower(), (_HERE, _FILE), 1)
        return f"`pinsetter: {word}` is not known (did you mean {close[0]}?)" if close else ""
    if listed is None:
        return word == _FILE, (), match["reason"].strip()
    rules = tuple(dict.fromkeys(name.strip() for name in listed.strip("[]").split(",")))
    if not listed.endswith("]"):
        return f"`pinsetter: {word}{listed}`: the bracket is not closed"
    if not all(rules):
        return f"`pinsetter: {word}{listed}` names no rule (write {word} without brackets for all)"
    return word == _FILE, rules, match["reason"].strip()


def _comments(module: Module) -> Iterator[tuple[int, str, range]]:
    """Each comment for us with its offset and the lines that a suppression in it is for."""
    tree = module.tree
    statements = _statements(module)
    begins = {lines.start: lines for lines in statements}
    ends = {lines.stop - 1: lines for lines in statements}
    code = _code_lines(module)
    offset = 0
    for leaf in leaves(tree.root):
        for match in _COMMENT.finditer(str(leaf.prefix)):
            if _MARK.search(match.group()) is None:
                continue
            start = offset + match.start()
            line = tree.line(start)
            if _alone(module, start):
                below = line + 1
                while below not in code and _is_comment(module, below):
                    below += 1
                lines = begins.get(below, range(below, below + 1 if below in code else below))
                yield start, match.group(), range(line, lines.stop)
            elif leaf.type == token.NEWLINE:
                yield start, match.group(), ends.get(line, range(line, line + 1))
            else:
                yield start, match.group(), range(line, line + 1)
        offset += len(leaf.prefix) + len(leaf.value)


def _statements(module: Module) -> list[range]:
    """The lines of each statement, of a block's those of its head."""
    found: list[range] = []
    first = 0
    for leaf in leaves(module.tree.root):
        if leaf.type == token.NEWLINE:
            if first:
                found.append(range(first, module.tree.line(module.tree.start(leaf)) + 1))
            first = 0
        elif leaf.type not in _INVISIBLE and not first:
            first = module.tree.line_of(leaf)
    return found


def _code_lines(module: Module) -> set[int]:
    return {
        module.tree.line_of(leaf)
        for leaf in leaves(module.tree.root)
        if leaf.type not in _INVISIBLE
    }


def _is_comment(module: Module, line: int) -> bool:
    count = len(module.tree.lines_in(0, len(module.source.text))) + 1
    return line <= count and module.tree.text_of_line(line).lstrip(" \t\f").startswith("#")


def _alone(module: Module, offset: int) -> bool:
    before = module.source.text[module.tree.line_start(offset) : offset]
    return not before.removeprefix(BOM).strip()
