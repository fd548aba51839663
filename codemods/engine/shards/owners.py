"""owners: whose files are, as a repository's CODEOWNERS says."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from codeowners import CodeOwners, parse_owner

from pinsetter.analyzer.files import disk
from pinsetter.analyzer.messages.problem import Problem

# Where GitHub looks first; then GitLab.
PLACES = (".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS", ".gitlab/CODEOWNERS")
# GitHub reads no more of one.
_MOST = 3_000_000
_COMMENT = re.compile(r"(?:^|\s)#.*$")
_SECTION = re.compile(r"\^?\[[^\]]+\](?:\[\d+\])?")
_LEFT_OUT = "the line is left out"


@dataclass(frozen=True)
class Owners:
    """``problems`` are lines that say nothing, which are left out."""

    rules: CodeOwners | None = None
    problems: tuple[Problem, ...] = ()

    def of(self, path: bytes) -> tuple[str, ...]:
        """Who owns a file, whose path is relative to the repository; nobody may."""
        if self.rules is None:
            return ()
        name = os.fsdecode(path).replace(os.sep, "/")
        return tuple(owner for _, owner in self.rules.of(name))


def owners_of(tree: Path) -> Owners:
    """What the CODEOWNERS of a tree says; nothing where it has none."""
    for place in PLACES:
        file = tree / place
        if disk.is_file(file) and not disk.is_link(file):
            return _read(file)
    return Owners()


def _read(file: Path) -> Owners:
    try:
        data = disk.read(file)
        text = data.decode("utf-8")
    except OSError as error:
        return Owners(problems=(Problem(file, f"cannot be read: {error.strerror}"),))
    except UnicodeDecodeError:
        return Owners(problems=(Problem(file, "is not UTF-8; it says of no file whose it is"),))
    if len(data) > _MOST:
        return Owners(problems=(Problem(file, "is larger than 3 MB; it says nothing"),))
    problems: list[Problem] = []
    lines = []
    for number, line in enumerate(text.splitlines(), start=1):
        line = _COMMENT.sub("", line)
        found = list(_wrong(line))
        problems += (Problem(file, f"{reason}; {_LEFT_OUT}", number) for reason in found)
        lines.append("" if found else line)
    return Owners(CodeOwners("\n".join(lines)), tuple(problems))


def _wrong(line: str) -> Iterator[str]:
    words = line.replace("\\ ", "_").split()
    if not words:
        return
    section = _SECTION.match(line.strip())
    if section is not None:
        if section.end() < len(line.strip()):
            yield "a section with owners of its own (GitLab's) is not understood"
        return
    if words[0].startswith("!"):
        yield f"{words[0]!r} excludes, which CODEOWNERS cannot"
        return
    try:
        CodeOwners(line)
    except (ValueError, re.error) as error:
        yield f"{words[0]!r} is no pattern: {error}"
        return
    strange = [word for word in words[1:] if parse_owner(word) is None]
    if strange:
        yield f"{strange[0]!r} is no owner: @name, @team/name or an address"
