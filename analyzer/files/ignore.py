"""Ignoring: what `.gitignore` and `.pinsetterignore` leave out, as git means it.

git asks of each file and folder by itself whether a pattern fits, and enters no ignored folder;
whoever walks a tree has to do so, too. Whether git tracks a file is not asked.
"""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pathspec
from pathspec.pattern import RegexPattern

from ..messages.problem import Problem
from . import disk
from .linear_regex import regular

_GIT, _OURS = ".gitignore", ".pinsetterignore"
# The place of a pattern that the command line gives.
GIVEN = "--exclude"
_BOM = "\ufeff"
_TRAILING = re.compile(r"(?<!\\)(?P<escapes>(?:\\\\)*) +$")
# pathspec also says yes below a folder that fits. A last part that only the pattern and the path
# in question have makes it say whether the pattern fits the path itself.
_SELF = "\x01"

# Named sets of characters, which pathspec does not know.
_CLASSES = {
    "[:alnum:]": "a-zA-Z0-9", "[:alpha:]": "a-zA-Z", "[:blank:]": " \t", "[:digit:]": "0-9",
    "[:lower:]": "a-z", "[:space:]": " \t-\r", "[:upper:]": "A-Z", "[:xdigit:]": "0-9a-fA-F",
}  # fmt: skip

Failed = Callable[[Problem], object]


@dataclass(frozen=True)
class _Patterns:
    """The patterns of one file, for what lies below ``folder``."""

    folder: str
    for_files: pathspec.GitIgnoreSpec
    for_folders: pathspec.GitIgnoreSpec

    def ignores(self, path: str, is_folder: bool) -> bool | None:
        """True, False (negated) or None if no pattern fits."""
        spec = self.for_folders if is_folder else self.for_files
        relative = path[len(self.folder) :].replace(os.sep, "/").lstrip("/")
        return spec.check_file(f"{relative}/{_SELF}").include


@dataclass(frozen=True)
class Ignoring:
    """The patterns in force in a folder, outermost first; those of ``.pinsetterignore`` overrule
    git's, and those that were ``given`` to the run overrule both."""

    git: tuple[_Patterns, ...] = ()
    ours: tuple[_Patterns, ...] = ()
    given: tuple[_Patterns, ...] = ()

    def ignores(self, path: str, is_folder: bool) -> bool:
        """Whether a file or folder that lies in the folder, by its absolute path, is left out."""
        for group in (self.given, self.ours, self.git):
            answer = _last(group, path, is_folder)
            if answer is not None:
                return answer
        return False

    def entered(self, folder: str, failed: Failed) -> Ignoring:
        """What is in force inside a folder; a repository in a repository knows only its own."""
        git = self.git
        if disk.is_there(os.path.join(folder, ".git")):
            git = _added((), _exclude_file(folder), folder, failed, linked=True)
        return Ignoring(
            _added(git, os.path.join(folder, _GIT), folder, failed),
            _added(self.ours, os.path.join(folder, _OURS), folder, failed),
            self.given,
        )

    def excluding(self, patterns: Sequence[str], folder: str, failed: Failed) -> Ignoring:
        """With patterns that are given to the run, relative to ``folder``."""
        if not patterns:
            return self
        made = _patterns("\n".join(patterns), GIVEN, folder, failed)
        return replace(self, given=(*self.given, made))


def ignoring_at(folder: Path, top: Path, failed: Failed) -> Ignoring:
    """What is in force inside ``folder``: from the repository that it lies in, or from ``top``
    where it lies in none. Patterns that ignore the folder itself, or one around it, do not count,
    nor do others of their files: who names it means it."""
    chain = [folder, *folder.parents]
    root = next((p for p in chain if disk.exists(p / ".git")), top)
    between = [p for p in reversed(chain) if p.is_relative_to(root)]
    found = Ignoring()
    for inside in between:
        if inside != root:
            path = str(inside)
            found = Ignoring(
                () if _last(found.git, path, True) else found.git,
                () if _last(found.ours, path, True) else found.ours,
            )
        found = found.entered(str(inside), failed)
    return found


def _last(group: tuple[_Patterns, ...], path: str, is_folder: bool) -> bool | None:
    answers = (patterns.ignores(path, is_folder) for patterns in reversed(group))
    return next((answer for answer in answers if answer is not None), None)


def _added(
    group: tuple[_Patterns, ...], file: str, folder: str, failed: Failed, linked: bool = False
) -> tuple[_Patterns, ...]:
    """The group with a file's patterns, if it is there. git follows no link but to its own file."""
    if not linked and disk.is_link(file):
        return group
    try:
        if not disk.is_regular(file):
            return group  # of a pipe there may be no end
        text = os.fsdecode(disk.read(file))
    except OSError as error:
        failed(Problem(Path(file), f"cannot be read: {error.strerror or error}"))
        return group
    return (*group, _patterns(text, file, folder, failed))


def _patterns(text: str, file: str, folder: str, failed: Failed) -> _Patterns:
    lines: list[tuple[str, bool]] = []
    for made in _lines(text, file):
        if not isinstance(made, Problem):
            lines.append(made)
        elif file.endswith(_OURS) or file == GIVEN:  # what is wrong for git as well fits nothing
            failed(made)
    for_files = [line for line, only_folders in lines if not only_folders]
    every = [line for line, _ in lines]
    return _Patterns(folder, _compiled(for_files), _compiled(every))


# Stars that Python's own expressions try in no time.
_FEW = 2
# Characters of a pattern: Linux knows no longer path.
_LONGEST = 4096
_LONGEST_REASON = 200


def _compiled(lines: list[str]) -> pathspec.GitIgnoreSpec:
    with warnings.catch_warnings():
        # Python's own, about `[[` in the regular expressions that pathspec makes.
        warnings.simplefilter("ignore", FutureWarning)
        spec = pathspec.GitIgnoreSpec.from_lines(lines, backend="simple")
    for pattern in spec.patterns:
        if isinstance(pattern, RegexPattern) and pattern.regex is not None:
            own = str(pattern.pattern).removeprefix("!").removeprefix("**/")
            if own.count("*") > _FEW:
                pattern.regex = regular(pattern.regex.pattern)  # type: ignore[assignment]
    return spec


def _lines(text: str, file: str) -> Iterator[tuple[str, bool] | Problem]:
    """Each pattern, rewritten to fit paths that end in the last part ``_SELF``, and whether it is
    for folders only; or why it is none."""
    for number, line in enumerate(text.split("\n")):
        line = line.removeprefix(_BOM) if number == 0 else line
        line = _TRAILING.sub(r"\g<escapes>", line.removesuffix("\r"))
        if not line or line.startswith("#"):
            continue
        negated = line.startswith("!")
        pattern = line[1:] if negated else line
        if len(pattern) > _LONGEST:
            reason = f"not a pattern, and left out: no path has {len(pattern)} characters"
            yield Problem(Path(file), reason, number + 1)
            continue
        only_folders = pattern.endswith("/")
        pattern = pattern.removesuffix("/")
        anchored = "/" in pattern
        pattern = pattern.removeprefix("/")
        if not pattern:
            continue
        if pattern == "**" or pattern.endswith("/**"):
            pattern = f"{pattern}/*"  # what lies below, not the folder itself
        for name, characters in _CLASSES.items():
            pattern = pattern.replace(name, characters)
        made = f"{'!' if negated else ''}{'/' if anchored else '**/'}{pattern}/{_SELF}"
        try:
            _compiled([made])
        except (ValueError, re.error) as error:
            reason = f"not a pattern, and left out: {str(error).partition(' at position ')[0]}"
            yield Problem(Path(file), reason[:_LONGEST_REASON], number + 1)
            continue
        yield made, only_folders


def _exclude_file(root: str) -> str:
    """``info/exclude`` of a repository; linked work trees and submodules have ``.git`` files that
    say where it lies."""
    git = os.path.join(root, ".git")
    if disk.is_file(git):
        said = _first_line(git).removeprefix("gitdir:").strip()
        git = os.path.join(root, said)
        common = _first_line(os.path.join(git, "commondir"))
        git = os.path.join(git, common) if common else git
    return os.path.join(git, "info", "exclude")


def _first_line(path: str) -> str:
    try:
        with disk.opened(Path(path)) as (opened, _):
            return os.fsdecode(opened.readline()).strip()
    except OSError:
        return ""
