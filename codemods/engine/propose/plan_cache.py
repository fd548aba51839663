"""PlanCache: what was proposed for parts of a run, kept by all that it follows from.

An entry is found by the content of the part's files and of all that they load, the packs, the
options, and this program, its Python and its parser. Nothing rests on times, but those of this
program's own files. Who reads while another process writes finds a whole entry or none; one that is
damaged is made anew.
"""

from __future__ import annotations

import contextlib
import os
import time
import zlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from pinsetter.analyzer.files import disk, user_cache
from pinsetter.patterns.packs.packs_digest import packs_digest

from ..files.this_program import this_program
from .by_place import dumped, loaded

if TYPE_CHECKING:
    from pinsetter.analyzer.files.import_groups import Components, Part
    from pinsetter.patterns.packs.pack import Pack

    from ..hunks.proposed import Planned
    from .scope import Scope

MOST_BYTES = 256 << 20
"""Of all entries together; those that were not used for longest go first."""
MOST_ENTRIES = 20_000
"""Each of which takes a block of the disk at least."""
LOOKED_OVER = 600.0
"""After so many seconds the entries are counted again, which takes longer than a small run."""


class Asked(NamedTuple):
    """What an analysis asked for: ``files``, there or not, and where modules are (``Project``)."""

    files: Collection[Path] = ()
    modules: Mapping[tuple[str, str, int], Path | None] = {}


class Kept(NamedTuple):
    """``others`` are the digests of files that no import showed to be needed, ``modules`` where
    modules were found, or were not."""

    others: list[tuple[str, str | None]]
    modules: list[tuple[tuple[str, str, int], str | None]]
    planned: Planned | None


class PlanCache:
    """The entries of one run; ``told`` is all that was said to it beside packs and files."""

    def __init__(
        self,
        packs: Sequence[Pack],
        components: Components,
        scope: Scope,
        told: tuple[object, ...],
    ) -> None:
        self._components, self._scope = components, scope
        self._folder = _folder()
        self._packs, self._told = packs, told
        self._rules = [rule for pack in packs for rule in pack.rules]

    @cached_property
    def _base(self) -> str:
        """What is the same for all entries of the run."""
        # Which rules there are, and what they do, depends on the options.
        chosen = [(p.name, sorted(p.chosen), [r.id for r in p.rules]) for p in self._packs]
        asked = (packs_digest(self._packs), chosen)
        listed: list[object] = [self._components.listing.given]
        if any(rule.renamed for rule in self._rules):
            # What such a rule says is about all files.
            listed.append(list(self._components.listing.shown.items()))
        return _hashed([this_program(), asked, self._told, listed])

    def key(self, part: Part, done: Collection[Path]) -> str:
        """What the entry of a part is called. Another name, if anything is different."""
        own = part.own and sorted(part.own)
        shown = sorted(done and {*done}.intersection(part.files))
        called = sorted((package, sorted(names)) for package, names in part.called.items())
        said = (called, sorted(map(str, part.said)))
        given = (part.files, part.around, part.alone, part.near, part.most_near, said, own, shown)
        return _hashed([self._base, given, *self._said_of(part.group)])

    def found(self, key: str) -> Kept | None:
        """What was kept, if it still holds."""
        try:
            data = (self._folder / key).read_bytes()
            if blake2b(data[_SUM:], digest_size=_SUM).digest() != data[:_SUM]:
                return None
            entry = loaded(zlib.decompress(data[_SUM:]), self._rules)
            os.utime(self._folder / key)
        except Exception:  # as of a class that has another form now: it is made anew
            return None
        still = (
            isinstance(entry, Kept)
            and all(disk.digest(path) == kept for path, kept in entry.others)
            and all(_text(self._components.locate(*at)) == kept for at, kept in entry.modules)
        )
        return entry if still else None

    def keep(self, key: str, part: Part, asked: Asked, planned: Planned | None) -> None:
        """Remember what was proposed, if nothing went wrong that might go right another time."""
        failed = planned is not None and (planned.problems or planned.faults)
        if failed or not self._folder.is_absolute():
            return
        others = [str(path) for path in asked.files if str(path) not in part.group]
        digests = [(path, disk.digest(path)) for path in others]
        modules = [(at, _text(path)) for at, path in asked.modules.items()]
        entry = Kept(digests, modules, planned)
        try:
            data = zlib.compress(dumped(entry, self._rules), 1)
            if len(data) < MOST_BYTES:
                user_cache.store(
                    self._folder / key, blake2b(data, digest_size=_SUM).digest() + data
                )
        except Exception:  # a full disk, a file that was deleted by another run: it is only slower
            return

    def _said_of(self, group: Collection[str]) -> Iterator[object]:
        from pinsetter.analyzer.programs.requirements import LEVELS, requirement_files

        listing, layout = self._components.listing, self._components.listing.layout
        folders: set[str] = set()
        for path in sorted(group):
            beside = self._scope.whole_programs and path in listing.beside
            writable = self._scope.writes and (
                disk.is_writable(path), disk.is_writable(os.path.dirname(path))
            )  # fmt: skip
            loaded = sorted(self._components.imported(path))
            yield path, listing.about(path), disk.digest(path), loaded, beside, writable
            folders.add(os.path.dirname(path))
        above = {str(p) for folder in folders for p in layout.folders(Path(folder, "x"))}
        above |= {str(p) for folder in folders for p in Path(folder, "x").parents[:LEVELS]}
        for folder in sorted(above):
            asking = [(str(p), disk.digest(str(p))) for p in requirement_files(Path(folder))]
            yield folder, disk.exists(os.path.join(folder, ".git")), asking


def trim() -> None:
    """Remove the entries that are too many, if nobody has looked for a while."""
    folder = _folder()
    if not folder.is_absolute() or _is_fresh(stamp := folder.with_suffix(".seen")):
        return
    user_cache.keep(stamp, "")
    entries = []
    with contextlib.suppress(OSError), os.scandir(folder) as scanned:
        for entry in scanned:
            with contextlib.suppress(OSError):  # removed by another run meanwhile
                entries.append((entry.stat(), entry.path))
    left, more = sum(found.st_size for found, _ in entries), len(entries)
    for found, path in sorted(entries, key=lambda entry: entry[0].st_mtime):
        if left <= MOST_BYTES and more <= MOST_ENTRIES:
            break
        with contextlib.suppress(OSError):
            os.unlink(path)
        left, more = left - found.st_size, more - 1


def _folder() -> Path:
    return user_cache.folder() / "plans"


def _is_fresh(stamp: Path) -> bool:
    try:
        return 0 <= time.time() - stamp.stat().st_mtime < LOOKED_OVER
    except OSError:
        return False


_SUM = 16


def _text(path: Path | None) -> str | None:
    return None if path is None else str(path)


def _hashed(said: Iterable[object]) -> str:
    hashed = blake2b(digest_size=20)
    for one in said:
        hashed.update(repr(one).encode("utf-8", "backslashreplace") + b"\0")
    return hashed.hexdigest()
