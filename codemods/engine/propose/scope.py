"""Scope: which modules a run may rewrite, and which programs it is asked to."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pinsetter.analyzer.files import disk

from ..hunks.generated import is_generated

if TYPE_CHECKING:
    from pinsetter.analyzer.files.listing import Listing
    from pinsetter.analyzer.names.module import Module
    from pinsetter.analyzer.programs.programs import Program

    from .chosen_lines import Places


@dataclass(frozen=True)
class Obstacle:
    """Why a module is not rewritten, to be read after "the file", and what to do about it."""

    why: str
    hint: str


NOT_GIVEN = Obstacle("was not given", "give it, too, or --whole-program")
IGNORED = Obstacle("is ignored", "give it by its own path, too")
GENERATED = Obstacle("is generated", "change its generator, or --include-generated")
READ_ONLY = Obstacle("is read-only", "make it, and its folder, writable")


@dataclass(frozen=True)
class Scope:
    """``whole_programs``: of the programs that start in given files every module may be rewritten,
    given or not. ``writes``: what cannot be written is not to be rewritten. ``places``:
    what stands elsewhere is left alone."""

    listing: Listing
    include_generated: bool = False
    whole_programs: bool = False
    writes: bool = False
    places: Places | None = None

    def is_given(self, module: Module) -> bool:
        return str(module.real) in self.listing.shown

    def obstacle(self, module: Module) -> Obstacle | None:
        """Why a module of a program that the run is about is not rewritten; None if it may be."""
        path = str(module.real)
        if path not in self.listing.shown:
            if self.listing.is_below(path):
                return IGNORED
            if not self.whole_programs:
                return NOT_GIVEN
            if path not in self.listing.beside:
                return IGNORED
        if is_generated(module) and not self.include_generated:
            return GENERATED
        return None

    def is_read_only(self, module: Module) -> bool:
        """Whether a module is to be written, and cannot be. Where it is all of a program that is to
        be written, there is nothing to be said before it is tried."""
        path = str(module.real)
        folder = os.path.dirname(path)
        return self.writes and not (disk.is_writable(path) and disk.is_writable(folder))

    def asked(self, programs: Sequence[Program]) -> list[Program]:
        """The programs that the run is about: those that start in a given file, and those of given
        files that no such program reaches; with ``whole_programs`` also those that start in a
        module of one of them. Others share files with them at most."""
        ids = {id(p) for p in programs if self.is_given(p.entry)}
        reached = {id(m) for p in programs if id(p) in ids for m in p.modules}
        ids |= {
            id(p) for p in programs
            if any(id(m) not in reached and self.is_given(m) for m in p.modules)
        }  # fmt: skip
        while self.whole_programs:
            taken = {id(m) for p in programs if id(p) in ids for m in p.modules}
            more = {id(p) for p in programs if id(p.entry) in taken}
            if more <= ids:
                break
            ids |= more
        return [p for p in programs if id(p) in ids]
