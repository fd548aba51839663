"""commit_plan: what packs propose for a commit of a repository, as git has it."""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from pathlib import Path

from pinsetter.analyzer.files import disk
from pinsetter.analyzer.files.source import LINE_END
from pinsetter.patterns.applying.application import Report
from pinsetter.patterns.packs.pack import Pack
from pinsetter.patterns.packs.packs_digest import packs_digest

from ..hunks.hunk import Hunk
from ..hunks.proposed import Planned
from ..hunks.suppression import Suppressed
from ..propose.plan_options import PlanOptions
from ..propose.planning import plans, together
from ..records.recorded import Found, HunkState
from ..running.pack_query import PackQuery

_LEFT_OUT = "a comment leaves it out"


@dataclass(frozen=True)
class Codemod:
    """The packs of a campaign, and what of them is wanted; ``skip`` are rules."""

    packs: tuple[Pack, ...]
    options: tuple[str, ...] = ()
    skip: frozenset[str] = frozenset()
    exclude: tuple[str, ...] = ()
    jobs: int = 1
    executor: str | None = None

    @cached_property
    def digest(self) -> str:
        """Another one where something else may be proposed for the same files."""
        wanted = repr((sorted(self.options), sorted(self.skip), self.exclude))
        return packs_digest(self.packs) + hashlib.sha256(wanted.encode()).hexdigest()[:16]

    def proposed(self, tree: Path, changed: Collection[bytes] | None = None) -> Proposed:
        """What it proposes for all of a tree, or for what is about some files of it."""
        queries = [PackQuery(pack, [str(tree)], self.options) for pack in self.packs]
        options = PlanOptions(
            exclude=self.exclude, jobs=self.jobs, executor=self.executor, cached=True,
            changed=None if changed is None else frozenset(tree / os.fsdecode(n) for n in changed),
        )  # fmt: skip
        # Of all the files in which nothing is found nobody asks.
        found = (
            replace(part, files=[], unreached=[], parsed=[])
            for part, _ in plans(queries, [tree], self.skip, options=options, early=False)
        )
        return Proposed(tree, together(found))


@dataclass(frozen=True)
class Proposed:
    """``planned`` is about the files of ``tree``."""

    tree: Path
    planned: Planned

    def name(self, path: Path) -> bytes:
        """A file's path in the repository."""
        return os.fsencode(os.path.relpath(path, self.tree)).replace(os.sep.encode(), b"/")

    def has(self, name: bytes) -> bool:
        """Whether there is a file."""
        return disk.is_file(self.tree / os.fsdecode(name))

    @cached_property
    def hunks(self) -> list[Hunk]:
        """Those that are asked about."""
        return [hunk for hunk in self.planned.plan.hunks if not hunk.follows]

    @cached_property
    def found(self) -> list[Found]:
        """What is to be kept of it."""
        return [*map(self._hunk, self.hunks), *self._told()]

    @property
    def unread(self) -> set[bytes]:
        """The files of which it is not known what there is to be proposed."""
        planned = self.planned
        return {self.name(one.path) for one in (*planned.problems, *planned.faults)}

    def together(self) -> Iterator[Collection[bytes]]:
        """The files of which none is changed without the others."""
        plan = self.planned.plan
        for hunk in plan.hunks:
            others = {*hunk.requires, *hunk.alternatives}
            modules = {other.module for id in others if (other := plan.get(id)) is not None}
            modules.discard(hunk.module)
            if modules:
                yield {self.name(module.path) for module in (hunk.module, *modules)}
        for program in self.planned.programs:
            yield {self.name(module.path) for module in program.modules}

    def programs(self) -> Mapping[bytes, str]:
        """The program that a file is of, by the name of its entry script."""
        found: dict[bytes, str] = {}
        for program in self.planned.programs:
            for module in program.modules:
                found.setdefault(self.name(module.path), program.entry.path.stem)
        return found

    def _hunk(self, hunk: Hunk) -> Found:
        plan = self.planned.plan
        lines = hunk.lines
        changed = [line for line in lines[2:] if line[:1] in ("-", "+")]
        return Found(
            hunk.id, self.name(hunk.module.path), hunk.rule, hunk.title, hunk.why, hunk.warnings,
            hunk.line, "\n".join(lines[2:]), _digest("\n".join(changed)), hunk.surroundings,
            tuple(sorted(one.id for one in plan.required_by(hunk) if not one.follows)),
            tuple(sorted(one.id for one in plan.alternatives_of(hunk))),
        )  # fmt: skip

    def _told(self) -> Iterator[Found]:
        """What no hunk is made of: what a comment leaves out, what a rule reports."""
        told: list[tuple[HunkState, Suppressed | Report, str]] = []
        told += ((HunkState.SUPPRESSED, one, _LEFT_OUT) for one in self.planned.suppressed)
        told += ((HunkState.REPORTED, one, one.text) for one in self.planned.reports)
        numbers: Counter[str] = Counter()
        for state, one, why in told:
            path, rule = self.name(one.module.path), one.rule
            code = _digest(_line(one.module.source.text, one.line))
            what = f"{state.value} {os.fsdecode(path)} {rule.id} {code}"
            numbers[what] += 1
            key = _digest(f"{what} {numbers[what]}")[:12]
            yield Found(key, path, rule.id, rule.title, why, (), one.line, "", code, code,
                        state=state)  # fmt: skip


def _line(text: str, number: int) -> str:
    lines = _lines(text)
    return lines[number - 1].strip() if 0 < number <= len(lines) else ""


# All that is told of a file comes one after the other.
@lru_cache(maxsize=2)
def _lines(text: str) -> Sequence[str]:
    return LINE_END.split(text)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
