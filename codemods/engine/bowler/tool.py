"""Tool: Bowler's own tool with our parser, review and writer in it, for every Bowler script.

Importing this module puts it in the place that ``bowler.Query`` takes its tool from.
"""

from __future__ import annotations

import os
import re
import sys
import time
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bowler import query
from bowler.tool import BowlerTool, log
from bowler.types import BowlerQuit, RetryFile
from fissix import pygram
from fissix.pgen2.grammar import Grammar
from fissix.pytree import Node
from fissix.refactor import _detect_future_features

from pinsetter.analyzer import syntax
from pinsetter.analyzer.files import source as sources
from pinsetter.analyzer.files.bounds import NONE
from pinsetter.analyzer.files.source import line_of
from pinsetter.analyzer.messages.problem import Problem
from pinsetter.analyzer.messages.visible import visible
from pinsetter.analyzer.names.module import Module, analyse
from pinsetter.patterns.edits.edit import Edit

from ..console.exit_code import ExitCode
from ..console.terminal import echo, echo_problem
from ..decide.decisions import Decisions
from ..files.new_content import write
from ..formatting.formatting import UNFORMATTED, Formatting
from ..hunks.hunk import BowlerHunk, Hunk, hunk_id
from ..hunks.plan import Plan
from ..hunks.suppression import is_suppressed
from .script import leave_with, origin_of, place_of, remember_names
from .script_edits import Region, regions, universal

if TYPE_CHECKING:
    from ..hunks.proposed import FoundProgram
    from ..resume.live_session import LiveSession

_A_MOMENT = 0.05


class Driver:
    """What fissix and Bowler use of ``fissix.pgen2.driver.Driver``.

    ``grammar`` says whether print is a statement, which scripts choose by ``python_version``; exec
    is one wherever it can be, as in fissix, and a name where it cannot.
    """

    def __init__(self, grammar: Grammar) -> None:
        self.grammar = grammar

    def parse_string(self, text: str, debug: bool = False) -> Node:
        """Raises SyntaxProblem."""
        keywords = self.grammar.keywords
        if "print" in keywords:
            return syntax.parse(text, [syntax.STATEMENTS])
        if "exec" in keywords:
            return syntax.parse(text, [syntax.EXEC_STATEMENT, syntax.FUNCTIONS])
        return syntax.parse(text, [syntax.FUNCTIONS])


@dataclass
class _Account:
    decisions: Decisions
    session: LiveSession | None = None
    written: list[Path] = field(default_factory=list)
    failures: list[Problem] = field(default_factory=list)
    warnings: list[Problem] = field(default_factory=list)
    journalled: int | None = None
    interrupted: bool = False
    allowed: set[Path] = field(default_factory=set)
    declined: set[Path] = field(default_factory=set)
    programs: Sequence[FoundProgram] = ()
    formatting: Formatting = UNFORMATTED


class Tool(BowlerTool):  # type: ignore[misc]
    """Reads every Python and every encoding; shows hunks in our review as soon as there are some,
    and writes with our writer, so that what no accepted hunk names keeps its bytes.

    A file that cannot be read, rewritten or written is reported with its place, the others go on,
    and the run fails. In a review nothing is written before it ends.
    """

    def __init__(self, fixers: Sequence[Any], *args: Any, **options: Any) -> None:
        super().__init__(fixers, *args, **options)
        self.driver = Driver(self.grammar)
        self.origin = origin_of(fixers)
        self.suppressed = 0
        self.left: ExitCode = ExitCode.OK
        self._waiting: deque[str] = deque()
        self._queued: set[Path] = set()
        self._decisions = Decisions(Plan())
        self._paths: list[Path] = []
        self._in_test = options.get("in_process") is not None

    def run(self, paths: Sequence[str]) -> int:
        """Bowler's own exit code: 0, or 1 if something failed or was not decided."""
        failed = bool(super().run(paths))
        if failed:
            self.left = ExitCode.FAILED
        if self.suppressed:
            echo(f"suppressed {self.suppressed} by comments", err=True)
        if self._in_test:
            # Bowler's own test case, which alone says where to run, looks for exceptions in a
            # queue right after a run. What is put there takes a moment, which Bowler's loop gives.
            time.sleep(_A_MOMENT)
        leave_with(self.left)
        return int(self.left is not ExitCode.OK)

    def queue_work(self, filename: str) -> None:
        """Take a file, once by whatever names it is given."""
        target = Path(os.path.realpath(filename))
        if target not in self._queued:
            self._queued.add(target)
            self._waiting.append(filename)
            self.queue_count += 1

    def refactor(self, items: Sequence[str], *args: Any, **options: Any) -> None:
        self._paths = [Path(item) for item in items]
        for item in sorted(items):
            if Path(item).is_dir():
                self.refactor_dir(item)
            else:
                self.queue_work(item)
        try:
            try:
                if self.interactive and not self.silent:
                    self._review()
                else:
                    for filename, hunks in self._proposed():
                        self.process_hunks(filename, hunks)
            except BowlerQuit:
                log.debug("A hook ended the run.")
            self._put()
        except KeyboardInterrupt:
            echo("Interrupted; nothing more is written.", err=True)
            sys.exit(ExitCode.INTERRUPTED)

    def process_hunks(self, filename: str, hunks: Sequence[list[str]]) -> None:
        """Print, and have written, where that is to be done without asking."""
        chosen = []
        for shown in hunks:
            if self._allowed(filename, shown):
                chosen.append(shown)
                if not self.silent:
                    from ..review import show_diff

                    show_diff(shown, applied=True)
        if self.write:
            taken = [shown.hunk for shown in chosen if isinstance(shown, BowlerHunk)]
            self._decisions.extend(taken)
            for hunk in taken:
                self._decisions.accept(hunk)

    def refactor_file(self, filename: str, *args: Any, **options: Any) -> list[BowlerHunk]:
        """The hunks for a file; raises what the script's own functions raise."""
        source = sources.read(Path(filename), NONE)
        if isinstance(source, Problem):
            self._fail(source)
            return []
        text = universal(source)
        tree = self.refactor_string(text, filename)
        if tree is None or str(tree) == text:
            return []
        self.processed_file(str(tree), filename, text)  # raises BadTransform
        module = analyse(source, Path(filename).stem)
        if isinstance(module, Problem):
            self._fail(module)
            return []
        return list(self._hunks(module, regions(source, str(tree))))

    def refactor_string(self, data: str, name: str) -> Node | None:
        features = _detect_future_features(data)
        if "print_function" in features:
            self.driver.grammar = pygram.python_grammar_no_print_statement
        try:
            tree = self.driver.parse_string(data)
        except syntax.SyntaxProblem as error:
            line = line_of(data, error.line)
            self._fail(Problem(Path(name), error.reason, error.line, error.column, text=line))
            return None
        finally:
            self.driver.grammar = self.grammar
        tree.future_features = features
        self.refactor_tree(tree, name)
        return tree

    def _review(self) -> None:
        from ..review import End, review  # takes a while, which most scripts need not wait for

        proposed = self._proposed()
        decisions = self._decisions

        def more(wait: bool) -> bool:
            if not wait:
                return True
            try:
                for filename, hunks in proposed:
                    chosen = [hunk.hunk for hunk in hunks if self._allowed(filename, hunk)]
                    if chosen:
                        decisions.extend(chosen)
                        return True
            except BowlerQuit:
                log.debug("A hook ended the search.")
            return False

        ended = review(decisions.plan, decisions, more)
        if ended is End.ABANDONED:
            raise KeyboardInterrupt
        if ended is End.UNANSWERED:
            self.left = ExitCode.PROPOSED

    def _proposed(self) -> Iterator[tuple[str, list[BowlerHunk]]]:
        """Each file with its hunks; files that a transform puts off come again at the end."""
        put_off = 0
        while self._waiting:
            filename = self._waiting.popleft()
            try:
                hunks = self.refactor_file(filename)
            except RetryFile as error:
                put_off += 1
                if put_off > len(self._waiting) + 1:
                    self._fail_in_script(filename, error, "put off, and no file is left before it")
                else:
                    self._waiting.append(filename)
                continue
            except Exception as error:
                self._fail_in_script(filename, error, str(error))
                hunks = []
            put_off = 0
            if hunks:
                yield filename, hunks

    def _hunks(self, module: Module, found: Sequence[Region]) -> Iterator[BowlerHunk]:
        path = str(module.path)
        for number, region in enumerate(found):
            hunk = Hunk(
                id=hunk_id(self.origin.name, path, "\n".join(region.lines[1:]), number),
                rule=self.origin.name,
                title=self.origin.title,
                why=f"Proposed by {self.origin.script}.",
                module=module,
                line=module.tree.line(region.edits[0].start),
                edits=region.edits,
            )
            if is_suppressed(hunk):
                self.suppressed += 1
                continue
            shown = BowlerHunk(hunk)
            shown[:] = [f"--- {path}", f"+++ {path}", *region.lines]
            yield shown

    def _allowed(self, filename: str, hunk: list[str]) -> bool:
        """Whether no hook objects to a hunk, nor fails; raises BowlerQuit as a hook does."""
        try:
            return self.hunk_processor(filename, hunk) is not False
        except BowlerQuit:
            raise
        except Exception as error:
            self._fail_in_script(filename, error, str(error))
            return False

    def _put(self) -> None:
        """Write through the journal. Without a folder to keep that in, and in Bowler's own test
        case, whose files are temporary, write without it."""
        accepted = self._decisions.accepted
        if not accepted:
            return
        from ..git import uncommitted
        from ..journal.destination import Destination
        from ..journal.write_accepted import admission, write_accepted
        from ..state.folder import locate

        folder = locate([path for path in self._paths if os.path.exists(path)])
        if isinstance(folder, Problem) or self._in_test:
            edits: dict[Module, list[Edit]] = {}
            for hunk in accepted:
                edits.setdefault(hunk.module, []).extend(hunk.edits)
            for module, made in edits.items():
                if (failure := write(module, made)) is not None:
                    self._fail(failure)
            return
        if (uncovered := folder.covers(self._paths)) is not None:
            self._fail(uncovered)
            return
        uncommitted.warn(list(dict.fromkeys(hunk.module.path for hunk in accepted)))
        account = _Account(self._decisions)
        with admission(folder) as (problem, notes):
            if problem is not None:
                self._fail(problem)
                return
            write_accepted(account, Destination(folder, self.origin.name))
        for note in (*notes, *account.warnings):
            echo_problem(note, fg="yellow")
        for failure in account.failures:
            self._fail(failure)
        if account.interrupted:
            raise KeyboardInterrupt

    def _fail(self, problem: Problem) -> None:
        self.log_error("%s", "\n".join(map(visible, problem.lines)))
        self.errors.append((str(problem), (), {}))  # RefactoringTool.run fails if there are any

    def _fail_in_script(self, filename: str, error: Exception, reason: str) -> None:
        """The script's author needs to know where it failed; all of the rest with --debug."""
        cause = f": {error.__cause__}" if error.__cause__ is not None else ""
        what = f"{type(error).__name__}: {reason}{cause}{place_of(error)}"
        said = visible(f"{filename}: not rewritten: {what}")
        hunks = getattr(error, "hunks", None)
        if hunks:
            said += "\nGenerated transform:\n" + "\n".join(
                visible(line) for hunk in hunks for line in hunk
            )
        log.error(said)
        log.debug("Where %s was raised:", type(error).__name__, exc_info=error)
        self.exceptions.append(error)


def _with_type_parameters(pattern: str) -> str:
    """A selector's pattern that finds generic functions and classes (PEP 695) too."""
    optional = "[type_params< any* >]"
    pattern = re.sub(r"(function_name='\{name\}')(\s+function_parameters=parameters<)",
                     rf"\1 {optional}\2", pattern)  # fmt: skip
    return re.sub(r"('class' class_name=any) '\('", rf"\1 {optional} '('", pattern)


query.BowlerTool = Tool
query.Query.create_fixer = remember_names(query.Query.create_fixer)
for _name, _pattern in query.SELECTORS.items():
    query.SELECTORS[_name] = _with_type_parameters(_pattern)
