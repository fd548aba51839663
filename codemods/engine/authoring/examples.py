"""check_example: a rule's own examples are its tests; each is run twice, as a file of a run is."""

from __future__ import annotations

import difflib
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from pinsetter.analyzer.facts import Facts
from pinsetter.analyzer.messages.problem import Problem
from pinsetter.analyzer.names.module import Module
from pinsetter.analyzer.names.project import Project
from pinsetter.patterns.applying.already_done import is_done
from pinsetter.patterns.edits.edit import Edit, apply
from pinsetter.patterns.packs.pack import Example, Pack, Rule

from ..decide.decisions import Decisions
from ..hunks.hunk import Hunk
from ..hunks.plan import Plan
from ..propose.planning import make_plan
from ..running.pack_query import PackQuery


@dataclass(frozen=True)
class Outcome:
    """What becomes of a text: with every hunk accepted, what is reported, and the warnings."""

    text: str
    reports: tuple[str, ...]
    warnings: tuple[str, ...]


@dataclass(frozen=True)
class Failure:
    """What is wrong with a rule on one of its examples, in words; ``made`` is what it makes of the
    code, if that is what is wrong."""

    rule: Rule
    example: Example
    reason: str
    made: str | None = None

    def __str__(self) -> str:
        return f"{self.rule.path}:{self.example.line}: {self.rule.id}: {self.reason}"


def check_example(pack: Pack, rule: Rule, example: Example) -> Failure | None:
    """What is wrong with the rule on this example.

    The rule alone is applied, without asking whether the example is a program of the pack's kind,
    and then once more to the result, where it must propose nothing.
    """
    try:
        return _check(pack, rule, example)
    except ValueError as error:
        return Failure(rule, example, str(error))


def _check(pack: Pack, rule: Rule, example: Example) -> Failure | None:
    found = outcome_of(pack, rule, example.before, example.options)
    if example.reported and not found.reports:
        return Failure(rule, example, "nothing is reported")
    if not example.reported and found.reports:
        return Failure(rule, example, f"reported: {found.reports[0]}")
    said = [*found.warnings, *found.reports]
    if not any(example.warns in text for text in said or [""]):
        return Failure(rule, example, f"said is {said}, and not {example.warns!r}")
    wanted = example.before if example.after is None else example.after
    if found.text != wanted:
        reason = "differs\n" + "\n".join(_difference(wanted, found.text))
        return Failure(rule, example, reason, found.text)
    again = outcome_of(pack, rule, found.text, example.options).text
    if again != found.text:
        reason = "a second run changes it again:\n" + "\n".join(_difference(found.text, again))
        return Failure(rule, example, reason)
    if rule.done is not None and example.after is not None and not _is_done(pack, rule, again):
        return Failure(rule, example, "`done` does not hold for the result")
    return None


def check_together(pack: Pack, rule: Rule, example: Example) -> Failure | None:
    """What is wrong with the whole pack on what the example changes: with all that its rules
    require, a second run must propose nothing."""
    try:
        once = _made(_without_kind(pack), example.before, example.options)
        again = _made(_without_kind(pack), once.text, example.options)
    except ValueError as error:
        return Failure(rule, example, f"with the other rules: {error}")
    if again.text == once.text:
        return None
    difference = "\n".join(_difference(once.text, again.text))
    return Failure(rule, example, f"with the other rules, a second run changes more:\n{difference}")


def outcome_of(pack: Pack, rule: Rule, code: str, options: Sequence[str] = ()) -> Outcome:
    """What a run with this one rule, which requires no other, makes of the code. Raises ValueError
    for code that is not understood."""
    alone = replace(rule, requires=(), option=None, unless=(), leave=None)
    besides = (other for other in pack.rules if other.is_of_imports)
    return _made(replace(_without_kind(pack), rules=(alone, *besides)), code, options)


def _without_kind(pack: Pack) -> Pack:
    """The pack for any code: an example need not be a program of its kind."""
    return replace(pack, training_apis=frozenset(), refuses={}, essential={})


def _made(pack: Pack, code: str, options: Sequence[str]) -> Outcome:
    with _folder(code) as folder:
        planned = make_plan([PackQuery(pack, [], options)], [folder])
    troubles: list[Problem] = [*planned.problems, *planned.faults]
    if troubles:
        raise ValueError(str(troubles[0]))
    hunks = accepted(planned.plan)
    made = files_of(code)
    edits: dict[Module, list[Edit]] = {}
    for hunk in hunks:
        edits.setdefault(hunk.module, []).extend(hunk.edits)
    for module, changed in edits.items():
        name = module.path.relative_to(folder).as_posix()
        made[name] = apply(module.source.text, changed)
    return Outcome(
        _as_one(made) if _IS_FILE.match(code) else made[_ONLY],
        tuple(report.text for report in planned.reports) + tuple(r.reason for r in planned.refused),
        tuple(warning for hunk in hunks for warning in hunk.warnings),
    )


def accepted(plan: Plan) -> list[Hunk]:
    """What is accepted where everything is: of hunks that contradict each other, the first."""
    decisions = Decisions(plan)
    for hunk in plan.hunks:
        if decisions.verdict(hunk) is None:
            decisions.accept(hunk)
    return decisions.accepted


def _difference(wanted: str, found: str) -> Sequence[str]:
    old, new = wanted.splitlines(), found.splitlines()
    return list(difflib.unified_diff(old, new, "example", "result", lineterm=""))


def _is_done(pack: Pack, rule: Rule, code: str) -> bool:
    with _folder(code) as folder:
        project = Project([folder])
        facts = Facts(project, classes=pack.classes, types=pack.types)
        return any(is_done(pack, rule.id, module, facts) for module in project.given)


_IS_FILE = re.compile(r"# file: (.*)\n")
_PATH = re.compile(r"(?!.*\.\.)[^\s/\\:][^\s\\:]*\.(py|ipynb)")
_ONLY = "main.py"


def files_of(code: str) -> dict[str, str]:
    """The files of an example, by their paths: those that lines such as `# file: a/b.py` begin, or
    only one. Raises ValueError."""
    if not _IS_FILE.match(code):
        return {_ONLY: code}
    found: dict[str, str] = {}
    name = ""
    for line in code.splitlines(keepends=True):
        if (head := _IS_FILE.fullmatch(line)) is not None:
            name = head[1].strip()
            if name in found or _PATH.fullmatch(name) is None:
                raise ValueError(f"{name!r} is no path of a file, or one of two")
            found[name] = ""
        else:
            found[name] += line
    return found


def _as_one(files: Mapping[str, str]) -> str:
    return "".join(f"# file: {name}\n{code}" for name, code in files.items())


@contextmanager
def _folder(code: str) -> Iterator[Path]:
    """A folder with the files of an example and nothing else."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        for path, text in files_of(code).items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(text.encode("utf-8"))
        yield folder
