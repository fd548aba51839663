"""SentRun, SentJobs: the work of a run, and its jobs, as bytes for machines that have none of its
files."""

from __future__ import annotations

import os
import pickle
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from hashlib import blake2b
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path

from pinsetter.analyzer.files import disk
from pinsetter.analyzer.files.bounds import usual_memory
from pinsetter.analyzer.files.disk import NotSentError, Sent
from pinsetter.analyzer.files.import_path import ROOT_MARKERS
from pinsetter.analyzer.files.listing import Listing
from pinsetter.analyzer.programs.requirements import LEVELS, requirement_files
from pinsetter.patterns.packs.pack import Rule

from ..hunks.proposed import Planned
from ..workers.in_order import Tell
from ..workers.served import RefusedError
from .by_place import dumped, loaded
from .part_work import Job, PartWork
from .plan_cache import Asked


@dataclass(frozen=True)
class SentRun:
    """What comes first: the work, without cache, and the paths of all files that may count."""

    work: PartWork
    known: frozenset[str]
    program: tuple[str, ...]

    @classmethod
    def of(cls, work: PartWork, known: frozenset[str]) -> SentRun:
        return cls(replace(work, cache=None), known, program())

    def begin(self) -> Callable[[bytes, Tell], bytes]:
        """What does jobs of ``SentJobs``; no bytes for one that needs more than was sent. Raises
        RefusedError where the program is another."""
        if self.program != program():
            here, there = _shown(self.program), _shown(program())
            raise RefusedError(f"here is {here}, and there {there}")
        bounds = self.work.bounds
        memory = min(bounds.memory, usual_memory() or bounds.memory)
        work = replace(self.work, bounds=replace(bounds, memory=memory))
        rules = _rules(work)
        known = Sent(self.known)

        def done(data: bytes, tell: Tell) -> bytes:
            job, sent = pickle.loads(data)
            disk.use(replace(sent, beneath=known))
            try:
                return dumped(work.limited(job, tell), rules)
            except NotSentError:
                return b""

        return done


class SentJobs:
    """Jobs and their results as bytes, on the side that has the files."""

    def __init__(self, work: PartWork) -> None:
        self.work = work
        self._keys: dict[Job, list[str]] = {}

    def sent(self, job: Job) -> bytes:
        """A job with all files that it may need."""
        self._keys[job] = self._keys_of(job)
        return pickle.dumps((job, self._files_of(job)), pickle.HIGHEST_PROTOCOL)

    def received(self, job: Job, data: bytes) -> list[Planned | None]:
        """The result of a job, which is kept in the cache."""
        made: list[Planned | None] = loaded(data, self._rules)
        cache, keys = self.work.cache, self._keys.pop(job)
        # What changed meanwhile was perhaps read before, and perhaps after.
        if cache is not None and not job.lost and keys == self._keys_of(job):
            for key, part, planned in zip(keys, job.parts, made, strict=True):
                cache.keep(key, part, Asked(), planned)
        return made

    def _keys_of(self, job: Job) -> list[str]:
        cache = self.work.cache
        return [cache.key(part, job.done) for part in job.parts] if cache is not None else []

    @cached_property
    def _rules(self) -> list[Rule]:
        return _rules(self.work)

    def _files_of(self, job: Job) -> Sent:
        listing, scope = self.work.listing, self.work.scope
        group = sorted(frozenset[str]().union(*(part.group for part in job.parts)))
        contents = dict(_contents(group))
        marks: set[str] = set()
        for folder in _around(group, listing):
            contents |= _contents(map(str, requirement_files(folder)))
            marks |= {str(mark) for name in ROOT_MARKERS if disk.exists(mark := folder / name)}
        called = {str(path) for part in job.parts for path in (*part.files, *part.around)}
        called |= {listing.called(path) for path in group}
        links = {path: real for path in called if (real := disk.real(path)) != path}
        writable: set[str] = set()
        if scope.writes:
            places = {*group, *map(os.path.dirname, group)}
            writable = {path for path in places if disk.is_writable(path)}
        return Sent(frozenset(marks), contents, links, writable)


def _around(group: Sequence[str], listing: Listing) -> set[Path]:
    """The folders in which something may count beside the files themselves."""
    places = {Path(os.path.dirname(path), "x") for path in group}
    above = {folder for place in places for folder in listing.layout.folders(place)}
    return above | {folder for place in places for folder in place.parents[:LEVELS]}


def _contents(paths: Iterator[str] | Sequence[str]) -> Mapping[str, bytes]:
    found: dict[str, bytes] = {}
    for path in paths:
        try:
            with disk.opened(Path(path)) as (opened, size):
                if size <= _MOST_BYTES:
                    found[path] = opened.read()
        except OSError:  # it is no longer there, or was not to be read
            continue
    return found


# What is larger is analysed where it is.
_MOST_BYTES = 64 << 20


def _rules(work: PartWork) -> list[Rule]:
    return [rule for query in work.queries for rule in query.pack.rules]


@cache
def program() -> tuple[str, ...]:
    """This program, its parser and its Python: what proposes the same anywhere."""
    hashed = blake2b(digest_size=8)
    for room in ("analyzer", "patterns", "codemods"):
        top = Path(str(files(f"pinsetter.{room}")))
        for path in sorted(top.rglob("*")):
            if path.suffix in (".py", ".yaml", ".json", ".txt") and path.is_file():
                hashed.update(repr((path.relative_to(top).as_posix(), path.read_bytes())).encode())
    python = ".".join(map(str, sys.version_info[:2]))
    return (version("pinsetter"), hashed.hexdigest(), python, version("fissix"))


def _shown(program: tuple[str, ...]) -> str:
    own, content, python, parser = program
    return f"Pinsetter {own} ({content}) with Python {python} and fissix {parser}"
