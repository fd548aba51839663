"""build: the document of a run, from its outcome."""

from __future__ import annotations

import importlib.metadata
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

from pinsetter.analyzer.files.notebook import SUFFIX
from pinsetter.analyzer.files.source import read
from pinsetter.analyzer.messages.problem import Problem
from pinsetter.analyzer.messages.visible import visible
from pinsetter.analyzer.names.module import Module
from pinsetter.patterns.edits.edit import Edit, replacements
from pinsetter.patterns.packs.pack import Pack, Rule

from ..console.exit_code import ExitCode
from ..hunks.hunk import Hunk
from ..running.mode import Mode
from ..running.run import Outcome
from .document import (
    UNSUCCESSFUL,
    Change,
    Counts,
    Document,
    FailureEntry,
    FileChange,
    FileEntry,
    FileName,
    HunkEntry,
    Kind,
    LeftEntry,
    NoteEntry,
    ProgramEntry,
    RuleEntry,
    Span,
    State,
    SuppressedEntry,
    Why,
)
from .text_places import NotebookPlaces, Places, folder_uri, printable, uri


def document(outcome: Outcome, packs: Sequence[Pack], folder: Path | None = None) -> Document:
    """What a run with ``packs`` found and did. Files below ``folder``, the current one if it is not
    given, are named relative to it."""
    return _Builder(outcome, (folder or Path.cwd()).resolve()).document(packs)


class _Builder:
    def __init__(self, outcome: Outcome, folder: Path) -> None:
        self.outcome = outcome
        self.planned = outcome.planned
        self.folder = folder
        self.hunks = self.planned.plan.hunks
        self.by_id = {hunk.id: hunk for hunk in self.hunks}
        self.order = {hunk.id: number for number, hunk in enumerate(self.hunks)}
        self.accepted = {hunk.id for hunk in outcome.decisions.accepted}
        self.written = set(outcome.written)
        self.failed = {problem.path for problem in outcome.failures}
        self._names: dict[Path, FileName] = {}
        self._places: dict[int, Places | NotebookPlaces] = {}

    def document(self, packs: Sequence[Pack]) -> Document:
        failures = [
            *self._failures(Kind.REFUSED, self.planned.refused),
            *self._failures(Kind.NOT_UNDERSTOOD, self.planned.problems),
            *self._failures(Kind.RULE_FAILED, self.planned.faults),
            *self._failures(Kind.NOT_WRITTEN, self.outcome.failures),
            *self._failures(Kind.WARNING, [*self.planned.notes, *self.outcome.warnings]),
        ]
        hunks = self._hunk_entries()
        notes = tuple(
            NoteEntry(
                r.rule.id,
                self._name(r.module.path),
                r.module.source.file_line(r.line),
                visible(r.text),
            )
            for r in self.planned.reports
        )
        code = self.outcome.exit_code
        counts = self._counts(hunks, failures, len(notes))
        return Document(
            version=importlib.metadata.version("pinsetter"),
            codemods=tuple(pack.name for pack in packs),
            mode=self.outcome.mode.value,
            folder_uri=folder_uri(self.folder),
            exit_code=int(code),
            verdict=_verdict(code, self.outcome.mode, counts),
            counts=counts,
            rules=tuple(self._rules(packs, hunks, notes)),
            files=tuple(self._files()),
            hunks=hunks,
            notes=notes,
            suppressed=tuple(
                SuppressedEntry(
                    rule=one.rule.id,
                    file=self._name(one.module.path),
                    line=one.module.source.file_line(one.line),
                    by=one.module.source.file_line(one.by.line),
                    reason=visible(one.by.reason),
                )
                for one in self.planned.suppressed
            ),
            failures=tuple(failures),
            programs=tuple(
                ProgramEntry(
                    entry=self._name(program.entry.path),
                    because=visible(program.because),
                    training_apis=tuple(sorted(program.apis)),
                    modules=tuple(self._name(module.path) for module in program.modules),
                )
                for program in self.planned.programs
            ),
            left_alone=(
                *(LeftEntry(self._name(p), Why.NO_PROGRAM) for p in self.planned.unreached),
                *(LeftEntry(self._name(p), Why.IGNORED) for p in self.planned.ignored),
            ),
        )

    def _hunk_entries(self) -> tuple[HunkEntry, ...]:
        required_by: dict[str, list[str]] = defaultdict(list)
        for hunk in self.hunks:
            for required in hunk.requires:
                required_by[required].append(hunk.id)
        return tuple(self._hunk(hunk, required_by[hunk.id]) for hunk in self.hunks)

    def _hunk(self, hunk: Hunk, required_by: Sequence[str]) -> HunkEntry:
        return HunkEntry(
            id=hunk.id,
            rule=hunk.rule,
            title=visible(hunk.title),
            why=visible(hunk.why),
            file=self._name(hunk.module.path),
            span=self._span(hunk),
            state=self._state(hunk),
            comes_along=hunk.follows,
            warnings=tuple(visible(warning) for warning in hunk.warnings),
            requires=tuple(self._ordered(hunk.requires)),
            required_by=tuple(required_by),
            alternatives=tuple(self._alternatives(hunk)),
            changes=self._changes(hunk.module, hunk.edits),
            diff=tuple(printable(line) for line in hunk.lines[2:]),
            fix=tuple(self._fix(hunk)),
        )

    def _ordered(self, ids: Iterable[str]) -> list[str]:
        """Those ids that are hunks' of this run, in the order of a review."""
        return sorted((id for id in ids if id in self.order), key=self.order.__getitem__)

    def _span(self, hunk: Hunk) -> Span:
        """The code that the rule matched; else the text of the hunk's line."""
        places, found = self._places_of(hunk.module), hunk.application
        if found is not None and found.code:
            end = found.start + len(found.code)
            if hunk.module.source.text[found.start : end] == found.code:
                return places.span(found.start, end)
        return places.line(hunk.line)

    def _alternatives(self, hunk: Hunk) -> Iterable[str]:
        return (other.id for other in self.planned.plan.alternatives_of(hunk))

    def _state(self, hunk: Hunk) -> State:
        if not self.accepted.isdisjoint(self._alternatives(hunk)):
            return State.ALTERNATIVE
        if self.outcome.mode is Mode.WRITE:
            if hunk.id in self.accepted and hunk.module.path in self.written:
                return State.WRITTEN
            if hunk.module.path in self.failed:
                return State.NOT_WRITTEN
        if hunk.id in self.accepted:
            return State.PROPOSED if self.outcome.session is None else State.ACCEPTED
        return State.REJECTED if self._is_rejected(hunk) else State.PROPOSED

    def _is_rejected(self, hunk: Hunk) -> bool:
        """Whether somebody decided so; of what comes along, whether nothing is left to need it."""
        if hunk.follows:
            dependents = self.planned.plan.dependents_of(hunk)
            return all(self._is_rejected(other) for other in dependents if not other.follows)
        return self.outcome.decisions.verdict(hunk) is False

    def _fix(self, hunk: Hunk) -> Iterable[FileChange]:
        """What accepting a hunk does; nothing if it or what it requires was rejected."""
        ids: dict[str, None] = {}
        waiting = [hunk.id]
        while waiting:
            id = waiting.pop()
            if id in ids or id not in self.by_id:
                continue
            ids[id] = None
            waiting.extend(self.by_id[id].requires)
        if any(self.outcome.decisions.verdict(self.by_id[id]) is False for id in ids):
            return
        if any(self.by_id[id].module.source.notebook is not None for id in ids):
            return
        edits: dict[Module, list[Edit]] = {hunk.module: []}
        for id in self._ordered(ids):
            other = self.by_id[id]
            edits.setdefault(other.module, []).extend(other.edits)
        for module, made in edits.items():
            yield FileChange(self._name(module.path), self._changes(module, made))

    def _files(self) -> Iterable[FileEntry]:
        by_path = {module.path: (module, hunks)
                   for module, hunks in self.planned.plan.by_module().items()}  # fmt: skip
        for file in sorted(self.planned.parsed, key=lambda file: file.path):
            module, hunks = by_path.get(file.path, (None, []))
            edits = [e for hunk in hunks if hunk.id in self.accepted for e in hunk.edits]
            yield FileEntry(
                name=self._name(file.path),
                encoding=file.encoding,
                newline=file.newline,
                bom=file.bom,
                written=file.path in self.written,
                hunks=tuple(hunk.id for hunk in hunks),
                changes=self._changes(module, edits) if module is not None else (),
            )

    def _rules(
        self, packs: Sequence[Pack], hunks: Iterable[HunkEntry], notes: Iterable[NoteEntry]
    ) -> Iterable[RuleEntry]:
        counts = Counter(hunk.rule for hunk in hunks if not hunk.comes_along)
        quiet = (one.rule.id for one in self.planned.suppressed)
        used = {*counts, *(note.rule for note in notes), *quiet}
        rules: dict[str, Rule] = {}
        for pack in packs:
            for rule in pack.rules:
                if rule.id in used:
                    rules.setdefault(rule.id, rule)
        for id, rule in rules.items():
            where = f"{folder_uri(rule.path.resolve()).rstrip('/')}#L{rule.line}"
            yield RuleEntry(id, visible(rule.title), visible(rule.why), where, counts[id])

    def _counts(
        self, hunks: Iterable[HunkEntry], failures: Sequence[FailureEntry], notes: int
    ) -> Counts:
        asked = [hunk for hunk in hunks if not hunk.comes_along]
        kinds = Counter(failure.kind for failure in failures)
        accepted = sum(hunk.id in self.accepted for hunk in asked)
        rejected = len(self.outcome.decisions.rejected)
        return Counts(
            seen=len(self.planned.files),
            parsed=len(self.planned.parsed),
            matched=self.planned.matched,
            written=len(self.outcome.written),
            proposed=len(asked),
            accepted=accepted,
            rejected=rejected,
            undecided=len(asked) - accepted - rejected,
            suppressed=len(self.planned.suppressed),
            refused=kinds[Kind.REFUSED],
            failed=sum(kinds[kind] for kind in UNSUCCESSFUL),
            notes=notes,
        )

    def _failures(self, kind: Kind, problems: Iterable[Problem]) -> Iterable[FailureEntry]:
        for problem in problems:
            yield FailureEntry(
                kind=kind,
                file=self._name(problem.path),
                line=_file_line(problem),
                column=problem.column + 1 if problem.line else 0,
                reason=visible(problem.reason),
                hint=visible(problem.hint),
            )

    def _changes(self, module: Module, edits: Iterable[Edit]) -> tuple[Change, ...]:
        text, places = module.source.text, self._places_of(module)
        if module.source.notebook is not None:
            return ()  # what is edited is the text of its cells, not the file
        return tuple(
            Change(places.span(start, end), printable(text[start:end]), printable(new))
            for start, end, new in replacements(text, edits)
        )

    def _places_of(self, module: Module) -> Places | NotebookPlaces:
        if id(module) not in self._places:
            source = module.source
            is_text = source.notebook is None
            self._places[id(module)] = Places(source.text) if is_text else NotebookPlaces(source)
        return self._places[id(module)]

    def _name(self, path: Path) -> FileName:
        if path not in self._names:
            self._names[path] = FileName(visible(str(path)), *uri(path, self.folder))
        return self._names[path]


def _file_line(problem: Problem) -> int:
    if problem.path.suffix != SUFFIX or not problem.line:
        return problem.line
    source = read(problem.path)
    return problem.line if isinstance(source, Problem) else source.file_line(problem.line)


def _verdict(code: ExitCode, mode: Mode, counts: Counts) -> str:
    if code is ExitCode.INTERRUPTED:
        return "Interrupted."
    if code is ExitCode.FAILED:
        return "Something was refused or failed."
    if not counts.proposed:
        return "Nothing to do."
    if mode is Mode.WRITE:
        return "Written." if counts.written else "Nothing written: no hunk is accepted."
    if mode is Mode.CHECK and code is ExitCode.OK:
        return "Every hunk is decided."
    return "Hunks are proposed."
