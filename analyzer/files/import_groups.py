"""Components: the files of a run in groups that share no program, so that one can be analysed, and
shown, while the others are still waiting.

Imports are found in the raw bytes (``import_text``). What looks like one and is none only joins two
groups. What a file computes at run time is not followed, here and elsewhere.
"""

from __future__ import annotations

import os
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain, islice
from math import inf
from pathlib import Path

from . import disk
from .import_path import Layout
from .import_text import WORD, import_text, modules_in
from .listing import Listing
from .needed_names import NeededNames
from .needed_text import WordSearch
from .source import python_bytes
from .subset_bytes import SomeOf
from .word_uses import Assumed, SayingSearch, called_too

_PACKAGE = "__init__.py"
# What is kept of a file beside its imports.
_SPEAKS, _NO_TEXT = b"s", b"n"


@dataclass(frozen=True)
class Part:
    """Files to be analysed together: a whole group, or, with ``own``, some of one that follows.
    ``own`` are those of the files that none outside of the part loads, directly or not. ``around``
    are files that are not of the run, but whose programs theirs are (``look_around``). ``speaks``:
    a program of its files may train. ``unsettled`` are those of the files that their bytes do not
    settle, if nothing trains: they were named, cannot be read as text, or speak of training.
    ``group``: the resolved paths of all files that what is found in the part may rest on. A file
    ``alone`` is analysed without any other but those ``near``, and those that it asks about, while
    they are no more than ``most_near``; ``said`` is what some file says of what it would else take
    for granted that none does, and ``called`` what packages are called anywhere."""

    files: list[Path]
    own: frozenset[Path] | None = None
    around: tuple[Path, ...] = ()
    speaks: bool = True
    unsettled: frozenset[Path] = frozenset()
    group: frozenset[str] = frozenset()
    alone: bool = False
    near: tuple[Path, ...] = ()
    most_near: int = 0
    said: frozenset[Assumed] = frozenset()
    called: Mapping[str, frozenset[str]] = field(default_factory=dict)


class Components:
    """The files of a run in groups that import, and are imported by, nothing of another group.

    All are read at once; those that cannot be read stand alone, and who loads them says why. Files
    of the repository that are not of the run, but join two of its files, are read, too.
    """

    def __init__(
        self, listing: Listing, words: Collection[str], trains_by: Collection[str] = ()
    ) -> None:
        """Files that speak of training have one of ``words`` in them; programs that train have
        ``trains_by``, too (``NeededNames``)."""
        self.listing = listing
        self._layout = Layout(
            listing.layout.roots, self._is_file, self._names_in, listing.installed
        )
        self._files = listing.shown
        self._imports: dict[str, bytes] = {}
        """The text of the imports of each file, those outside of the run as they are met."""
        self._looked_around = not listing.is_partial
        self._new: list[str] = []
        """Files of which it is not known yet whether they load what is not listed."""
        self._followed: dict[str, None] = {}
        """Files whose imports may lead to what is not listed under the name that they say."""
        self._loaded: dict[str, frozenset[str]] = {}
        self._known: dict[str, bool] = {}
        self._listed: dict[str, frozenset[str]] = {}
        self._given: set[str] = set()
        self._called_too: Mapping[str, frozenset[str]] = {}
        self.looked_up: frozenset[Assumed] = frozenset()
        """What was looked for in all files: who says it is ``said``, or nobody does."""
        self._others: frozenset[Assumed] = frozenset()
        """What is said by which the names that rules look for have others."""
        self._groups_of: dict[str, frozenset[str]] = {}
        self._around: frozenset[str] = frozenset()
        self._words = [word.encode() for word in words]
        self._question = b"imports" + SomeOf(self._words, repr).question
        self._speakers: set[str] = set()
        """The files that speak of training, those outside of the run as they are met."""
        self._trains: bool | None = None
        self._unsettled = set(listing.named)
        self._needed = NeededNames(trains_by)
        self._asked = 0
        self._said: dict[str, frozenset[str]] = {}
        self._spelled: dict[str, frozenset[str]] = {}
        self._look_at(self._files)
        self._speaking = [path for path in self._files if path in self._speakers]

    def look_around(self, whole: bool = False, only_training: bool = False) -> None:
        """Take the rest of the repositories into account, before parts are asked for: files that
        load files of the run, directly or not; with ``whole`` also those that load the same.
        ``only_training``: unless nothing of all this speaks of training."""
        beside = self.listing.beside
        self._looked_around = True
        if not beside:
            return
        self._look_at(sorted(beside - self._imports.keys()))
        self._forget_importing()
        self._read_outside()
        # Who may train is asked of what is left: a repository has many other programs.
        if only_training and self._speakers.isdisjoint(self._imports):
            return
        users = _reached(self._files, self._importing) or set()
        loaded = _reached(users, self.imported) or set()
        if whole:
            users = _reached(loaded, self._importing) or set()
            loaded = _reached(users, self.imported) or set()
        self._around = beside & (loaded if whole else users)
        for path in self._imports.keys() - self._files.keys() - loaded:
            del self._imports[path]
            self._followed.pop(path, None)
        self._forget_importing()
        self._trains = None

    def may_train(self) -> bool:
        """Whether any program of all these files may train."""
        if self._trains is None:
            self._read_outside()
            self._trains = self._may_train(self._speakers & self._imports.keys())
        return self._trains

    def speaking(self, early: bool = True) -> Iterator[Part]:
        """The parts with a file that speaks of training: first groups of a few files, and of the
        others, if it is to come ``early``, what can be told from a few; then these others."""
        self._read_outside()
        joined: list[str] = []
        many: set[str] = set()
        outside = sorted((self._speakers - self._files.keys()) & self._imports.keys())
        for start in chain(self._speaking, outside):
            if start in self._given:
                continue
            group = _reached([start], self._joined_to, _FEW, many)
            if group is None:
                joined.append(start)
            elif not group.isdisjoint(self._files):
                yield self._taken(group)
        if early:
            yield from self._units(joined)
        yield from self._groups(joined)

    def others(self) -> Iterator[Part]:
        """The groups that were not given yet."""
        return self._groups(self._files)

    def saying(self, search: WordSearch) -> list[str]:
        """The files of the run in which there may be something that needs words, for they, or those
        around them, have these."""
        if search.shared or search.others.wanted:
            self._read_outside()
        around: dict[frozenset[bytes], set[str]] = {}
        if search.shared:
            told = {p: search.imported_in(text, p) for p, text in self._imports.items()}
            for words in search.shared:
                importing = (path for path, found in told.items() if not words.isdisjoint(found))
                around[words] = _reached(importing, self._joined_to) or set()
        search = search.where([words for words in around if around[words]])
        imports = self._imports.values()
        self._called_too = {
            name: called_too(name, imports) for name in search.packages if not self._has(name)
        }
        search.calling(self._called_too)
        self.looked_up = search.others.wanted
        said: dict[str, set[bytes]] = {}
        some, others = search.some, search.others.some

        def say(path: str, data: bytes) -> bytes:
            code = python_bytes(path, data)
            found = some.told(search.found_in(code))
            return found + b";" + others.told(search.others.found_in(code))

        read = self._imports if search.others.wanted else self._files
        for path, answer in disk.made_of(read, b"words" + some.question + others.question, say):
            if answer is None and path in self._files:
                self._unsettled.add(path)  # it was there before
            found, _, contradicted = (answer or b"").partition(b";")
            said[path] = some.meant(found)
            self._others |= others.meant(contradicted)
        return [
            path
            for path in self._files
            if any(
                all(path in around[words] for words in need.shared)
                for need in search.fitting(said[path], self._others)
            )
        ]

    def _has(self, package: str) -> bool:
        """Whether a package may be one of the repository, where nobody has to say its name."""
        folder, file = f"{os.sep}{package}{os.sep}", f"{os.sep}{package}.py"
        return any(folder in path or path.endswith(file) for path in self._imports)

    def alone(self, paths: Collection[str]) -> Iterator[Part]:
        """A part of each file."""
        # If they are many, what some of them ask about is sooner read once for all.
        most = _NEAR if len(paths) * _SPARSE <= len(self.known) else 0
        for path in paths:
            self._given.add(path)
            part = self._part({path}, {path}, True)
            yield replace(
                part, around=(), alone=True, most_near=most, said=self._others,
                called=self._called_too,
            )  # fmt: skip

    def around(self, paths: Collection[str]) -> Iterator[Part]:
        """The groups of some files, as parts of these files alone."""
        self._read_outside()
        left = dict.fromkeys(paths)
        while left:
            group = _reached([next(iter(left))], self._joined_to) or set()
            files = group & left.keys()
            left = {path: None for path in left if path not in group}
            self._given |= files
            part = self._part(files, group, True)
            yield replace(part, around=(*self._paths(group - files), *part.around))

    def contradicting(self, search: SayingSearch) -> Iterator[tuple[str, set[Assumed]]]:
        """All files that may count, with those of the assumptions that they contradict."""
        self._read_outside()
        some = search.some

        def say(path: str, data: bytes) -> bytes:
            return some.told(search.found_in(python_bytes(path, data)))

        for path, told in disk.made_of(self._imports, b"said" + some.question, say):
            yield path, some.meant(told or b"")

    def group_of(self, path: str) -> frozenset[str]:
        """The files that imports join to a file, directly or not, and that file."""
        if path not in self._groups_of:
            group = frozenset(_reached([path], self._joined_to) or ())
            self._groups_of.update(dict.fromkeys(group, group))
        return self._groups_of[path]

    @property
    def known(self) -> frozenset[str]:
        """All files that may count, those outside of the run as far as they were met."""
        return frozenset(self._files.keys() | self._imports.keys())

    @property
    def has_more(self) -> bool:
        """Whether there are files that were not given yet."""
        return not self._given >= self._files.keys()

    def rest(self, training: bool = True) -> Iterator[Part]:
        """All files that were not given yet, in parts of more and more files in which nothing is
        found: for what comes after others, and need not know what belongs together. ``training``:
        what speaks of it is not settled by that."""
        left = [path for path in self._files if path not in self._given]
        self._given.update(left)
        start, size = 0, 1
        while start < len(left):
            files = left[start : start + size]
            part = self._part(set(files), set(), False)
            settled = frozenset() if training else self._paths(self._speakers - self._unsettled)
            yield replace(part, unsettled=part.unsettled.difference(settled))
            start, size = start + size, min(2 * size, _MOST_AT_ONCE)

    def _groups(self, starts: Iterable[str]) -> Iterator[Part]:
        for start in starts:
            if start in self._given:
                continue
            group = _reached([start], self._joined_to) or set()
            if not group.isdisjoint(self._files):
                yield self._taken(group)

    def _units(self, starts: Iterable[str]) -> Iterator[Part]:
        """Parts of groups of many files: what uses one of ``starts``, and all that this loads. Of
        the first ones small ones come first, and of all some only: their groups follow."""
        units = self._disjoint_units(starts)
        first = sorted(islice(units, _COMPARED), key=lambda unit: len(unit.files))
        left = len(self._files) // _SHARE
        for unit in chain(first, units):
            yield unit
            left -= len(unit.files)
            if left <= 0:
                break

    def _disjoint_units(self, starts: Iterable[str]) -> Iterator[Part]:
        known: set[str] = set()
        for start in starts:
            users = None if start in known else _reached([start], self._importing, _FEW)
            files = None if users is None else _reached(users, self.imported, _FEW)
            if users is None or files is None:
                continue
            entered = [
                path for path in files - users
                if any(other not in files for other in self._importing(path))
            ]  # fmt: skip
            own = files - (_reached(entered, self.imported) or set()) - known - self._given
            known |= own
            if not own.isdisjoint(self._files):
                speaks = self._may_train(files)
                part = self._part(files, files, speaks)
                yield replace(part, own=frozenset(self._paths(own)))

    def _taken(self, group: set[str]) -> Part:
        # What is found while groups are explored may join one that was given.
        new = group - self._given
        self._given |= new
        return self._part(new, group, self._may_train(group))

    def _part(self, files: set[str], group: set[str], speaks: bool) -> Part:
        unsettled = frozenset(self._paths(files & (self._unsettled | self._speakers)))
        paths, around = self._paths(files), self._beside(files)
        return Part(paths, None, around, speaks, unsettled, frozenset(group))

    def _may_train(self, files: Collection[str]) -> bool:
        """Whether a program of these files, and no others, may train: one that has a file that
        speaks of it, and says what is needed."""
        users = _reached(self._speakers.intersection(files), self._importing) or set()
        loaded = sorted(_reached(users, self.imported) or ())
        seen: set[str] = set()
        read: dict[str, bytes] = {}
        for path in loaded:
            if path not in self._said:
                code = _read(path) or b""
                self._said[path] = self._needed.seen_in(code, self._imports[path])
                if self._said[path]:
                    read[path] = code
            seen |= self._said[path]
        if not users or not self._needed.suffice(seen):
            return False
        # Comments, and texts for people, speak of training as well. Who trains says most of it.
        spelled: set[str] = set()
        saying = (path for path in loaded if self._said[path])
        for path in sorted(saying, key=lambda path: -len(self._said[path])):
            if self._needed.suffice(spelled):
                return True
            spelled |= self._spelled_in(path, read.pop(path, None))
        return self._needed.suffice(spelled)

    def _spelled_in(self, path: str, code: bytes | None) -> frozenset[str]:
        """What of that a file does not only speak of; its code, if it was just read."""
        if path not in self._spelled:
            code = _read(path) or b"" if code is None else code
            self._spelled[path] = self._needed.spelled_in(
                code, self._imports[path], self._said[path]
            )
        return self._spelled[path]

    def _beside(self, group: Collection[str]) -> tuple[Path, ...]:
        return tuple(Path(path) for path in sorted(self._around.intersection(group)))

    def _paths(self, group: Collection[str]) -> list[Path]:
        paths = sorted(group & self._order.keys(), key=self._order.__getitem__)
        return [Path(self._files[path]) for path in paths]

    @cached_property
    def _order(self) -> dict[str, int]:
        return {path: number for number, path in enumerate(self._files)}

    def _look_at(self, paths: Iterable[str]) -> None:
        """Keep the imports of files, and whether they speak of training."""
        words = self._words

        def say(path: str, data: bytes) -> bytes:
            code = python_bytes(path, data)
            speaks = any(word in code for word in words)
            return (
                (_SPEAKS if speaks else b"")
                + (_NO_TEXT if b"\0" in code else b"")
                + (b";" + import_text(code))
            )

        for path, told in disk.made_of(paths, self._question, say):
            said, _, self._imports[path] = (told or _NO_TEXT).partition(b";")
            self._new.append(path)
            if _NO_TEXT in said:
                self._unsettled.add(path)
            if _SPEAKS in said:
                self._speakers.add(path)

    def _read_outside(self) -> None:
        """Read what files load that is not listed, and what that loads."""
        before = len(self._followed)
        elsewhere = {os.fsencode(name) for name in self.listing.elsewhere}
        while self._new:
            new, self._new = self._new, []
            for path in new:
                if path in self._imports and self._may_say(elsewhere, path):
                    self._followed[path] = None
                    self._look_at(sorted(self.imported(path) - self._imports.keys()))
        if len(self._followed) > before:
            self._forget_importing()

    def _may_say(self, elsewhere: Set[bytes], path: str) -> bool:
        """Whether a file may load what is not listed, or is ``elsewhere``."""
        if not self._looked_around:
            return True  # and ``beside`` would be looked for
        if path not in self._files and path not in self.listing.beside:
            return True
        return bool(elsewhere) and not elsewhere.isdisjoint(WORD.findall(self._imports[path]))

    def _joined_to(self, path: str) -> Iterator[str]:
        return chain(self.imported(path), self._importing(path))

    def imported(self, path: str) -> frozenset[str]:
        """The files that the imports of a file load."""
        if path not in self._loaded:
            if path not in self._imports:
                self._look_at([path])
            folder, targets = os.path.dirname(path), set(modules_in(self._imports[path]))
            located = (self._layout.locate(folder, module, level) for level, module in targets)
            found = {self._real(str(file)) for file in located if file is not None}
            self._loaded[path] = frozenset(found - {path})
        return self._loaded[path]

    def locate(self, folder: str, module: str, level: int) -> Path | None:
        """The file that an import in a folder means, if there is one (``Layout.locate``)."""
        return self._layout.locate(folder, module, level)

    def _importing(self, path: str) -> Iterator[str]:
        """The files whose imports load a file."""
        yield from self._loaders.get(path, ())
        folder, name = os.path.split(path)
        if name == _PACKAGE:
            name = os.path.basename(folder)
            # `from . import x` does not say the package's name.
            inside = folder + os.sep
            first = bisect_left(self._in_order, inside)
            last = bisect_left(self._in_order, folder + chr(ord(os.sep) + 1), first)
            beside: Iterable[str] = self._in_order[first:last]
        else:
            name, beside = os.path.splitext(name)[0], ()
        # They are many where all use the same, and few are asked for.
        for other in chain(self._saying(os.fsencode(name)), beside):
            if path in self.imported(other):
                yield other

    def _saying(self, name: bytes) -> Sequence[str]:
        """Which files may have a word in their imports."""
        if self._asked >= _ASKED:
            return self._importers.get(name, ())
        # Where little trains, few words are asked for: sooner looked for than all noted.
        self._asked += 1
        return [path for path, text in self._imports.items() if name in text]

    @cached_property
    def _loaders(self) -> Mapping[str, list[str]]:
        """What of ``_followed`` loads a file: its name need not be said there."""
        found: defaultdict[str, list[str]] = defaultdict(list)
        for path in self._followed:
            for other in self.imported(path):
                found[other].append(path)
        return found

    def _forget_importing(self) -> None:
        for name in ("_loaders", "_importers", "_in_order"):
            self.__dict__.pop(name, None)

    @cached_property
    def _in_order(self) -> list[str]:
        """The files, so that those of a folder stand together."""
        return sorted(self._imports)

    @cached_property
    def _importers(self) -> Mapping[bytes, list[str]]:
        """Which files have a word in their imports, for each word."""
        found = defaultdict[bytes, list[str]](list)
        for path, text in self._imports.items():
            for word in set(WORD.findall(text)):
                found[word].append(path)
        return found

    def _real(self, path: str) -> str:
        return path if path in self._files else disk.real(path)

    def _is_file(self, path: str) -> bool:
        if path in self._files:
            return True
        if path not in self._known:
            folder, name = os.path.split(path)
            self._known[path] = name in self._names_in(folder) and disk.is_file(path)
        return self._known[path]

    def _names_in(self, folder: str) -> frozenset[str]:
        """What a folder has, listed once: most of what is looked for is not there."""
        if folder not in self._listed:
            self._listed[folder] = frozenset(disk.names_in(folder))
        return self._listed[folder]


def _reached(
    starts: Iterable[str],
    edges: Callable[[str], Iterable[str]],
    most: float = inf,
    many: set[str] | None = None,
) -> set[str] | None:
    """What ``edges`` lead to from ``starts``, themselves included; None if it is more than
    ``most``. Then it is added to ``many``, of each of which that is known."""
    found = set(starts)
    waiting = list(found)
    while waiting:
        for other in edges(waiting.pop()):
            if other not in found:
                found.add(other)
                waiting.append(other)
                if len(found) > most or (many is not None and other in many):
                    if many is not None:
                        many |= found
                    return None
    return found


def _read(path: str) -> bytes | None:
    try:
        return python_bytes(path, disk.read(path))
    except OSError:
        return None


# Words to be looked for in all imports, until it is better to note which are there.
_ASKED = 20
# What is analysed in about a second.
_FEW = 40
# What is quick by itself is told at the latest after so many.
_MOST_AT_ONCE = 200
# How many are read with a file that is analysed alone, if not more than one of so many is.
_NEAR = 12
_SPARSE = 4
# How many are looked at for one that is quick.
_COMPARED = 20
# What comes first is analysed again with its group: this part of all files at most.
_SHARE = 4
