"""Are whole programs distributed right, without a hand? Rewrite them, run them, print a table.

    python benchmarks/models.py FOLDER [--list FILE] [--only NAME] [--tensorflow 2.15] [--jobs 1]
                                       [--timeout 300] [--keep DIR] [--transformed DIR]

Each sub-folder of FOLDER is a program. A copy is rewritten by codemods/distribute.py, twice: the
second run must propose nothing. Then the original, the copy with one worker and the copy with two,
which are seeded and fed differently, are run and judged by tests/e2e/harness.py. Nothing is
fetched: data sets are synthetic, Horovod is what `make horovod` has built.

A program may say how it is run, in a `program.yaml` of its own or under its name in the FILE,
whose programs are then the ones that are run (models/sixteen.yaml is one):

    script: main.py            # or several names, of which the first that exists is taken
    tensorflow: ["2.15"]       # each of these versions is run
    arguments: [--epochs, "2"]
    max_updates: 6             # every run ends after so many
    ignore: "[0-9.]+ seconds"  # printed text that differs from run to run
    timeout: 300               # seconds for each run
    data: [data/*.csv]         # files that each worker fetches for itself, and may write
    source: …                  # where the program comes from, for people

With --transformed DIR the programs in DIR, of the same names, are judged in place of rewritten
copies: what somebody else's tool, or a person, made of the same originals.

Exit code 1 if any program is wrong.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from array import array
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, fields, replace
from fnmatch import fnmatch
from itertools import zip_longest
from pathlib import Path
from typing import Any

import yaml

REPOSITORY = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(REPOSITORY / "tests" / "e2e"))

from harness import ENVIRONMENTS, distributed_problems, same_training_problems  # noqa: E402
from worker_runs import Environment, Rank, Reason, Run, available, run_plain, run_workers  # noqa: E402

CODEMOD = REPOSITORY / "codemods" / "distribute.py"
SETTINGS = "program.yaml"
USUAL_SCRIPTS = ("main.py", "train.py")


@dataclass(frozen=True)
class Program:
    """A program and how it is run; the fields with defaults are the keys of its settings."""

    name: str
    folder: Path
    script: Sequence[str] = USUAL_SCRIPTS
    tensorflow: Sequence[str] = ("2.15",)
    arguments: Sequence[str] = ()
    max_updates: int = 6
    ignore: str | None = None
    timeout: float | None = None
    data: Sequence[str] = ()
    source: str = ""

    def script_in(self, folder: Path) -> Path | None:
        """Its entry script in a folder: by name, or the only file there."""
        named = (folder / name for name in self.script)
        alone = list(folder.glob("*.py"))
        return next(filter(Path.is_file, named), alone[0] if len(alone) == 1 else None)


@dataclass(frozen=True)
class Summary:
    """What a run of the codemod says at its end, and what it said besides."""

    exit_code: int
    api: str
    hunks: int
    notes: int
    said: tuple[str, ...]


@dataclass
class Verdict:
    """What was seen of a program with one version of TensorFlow, and all that is wrong."""

    program: str
    tensorflow: str
    api: str = "-"
    notes: str = "-"
    hunks: str = "-"
    again: str = "-"
    updates: str = "-"
    broadcasts: str = "-"
    first: str = "-"
    alone: str = "-"
    spread: str = "-"
    silent: str = "-"
    seconds: float = 0.0
    problems: list[str] = field(default_factory=list)

    def row(self) -> tuple[str, ...]:
        return (
            self.program, self.tensorflow, self.api, self.notes, self.hunks, self.again,
            self.updates, self.broadcasts, self.first, self.alone, self.spread, self.silent,
            f"{self.seconds:.0f}", "WRONG" if self.problems else "right",
        )  # fmt: skip


HEAD = (
    "program", "TF", "API", "notes", "hunks", "again", "updates", "broadcasts", "first", "alone",
    "spread", "silent", "s", "verdict",
)  # fmt: skip
LEGEND = """\
notes: what was said and not rewritten. again: hunks of a second run. updates: original/1 worker/
each of 2 workers. broadcasts: of each of the 2 workers. first: whether both took their first step
from equal values. alone: the largest difference between the parameters that one worker and the
original trained. spread: that between two workers. silent: whether rank 1 printed nothing and
wrote no file."""


def main(argv: Sequence[str]) -> int:
    options = _options(argv)
    listed = yaml.safe_load(options.list.read_text("utf-8")) if options.list else None
    programs = [
        program
        for program in _programs(options.folder.resolve(), listed)
        if not options.only or program.name in options.only
    ]
    if not programs:
        print("no such program", file=sys.stderr)
        return 1
    todo = [
        (program, version)
        for program in programs
        for version in ([options.tensorflow] if options.tensorflow else program.tensorflow)
    ]
    with tempfile.TemporaryDirectory(prefix="pinsetter-models-") as temporary:
        folder = (options.keep or Path(temporary)).resolve()

        def judged(job: tuple[Program, str]) -> Verdict:
            verdict = judge(
                *job,
                folder,
                codemod=options.codemod,
                timeout=options.timeout,
                transformed=options.transformed,
                several_only=options.several_only,
            )
            outcome = "WRONG" if verdict.problems else "right"
            print(f"{verdict.program} {verdict.tensorflow}: {outcome}", file=sys.stderr)
            return verdict

        with ThreadPoolExecutor(options.jobs) as pool:
            verdicts = list(pool.map(judged, todo))
    print(table([HEAD, *(verdict.row() for verdict in verdicts)]))
    print(LEGEND)
    for verdict in verdicts:
        for problem in verdict.problems:
            print(f"{verdict.program} {verdict.tensorflow}: {problem}")
    right = sum(not verdict.problems for verdict in verdicts)
    print(f"{right} of {len(verdicts)}")
    return 0 if right == len(verdicts) else 1


def judge(
    program: Program,
    version: str,
    folder: Path,
    *,
    codemod: Path = CODEMOD,
    timeout: float,
    transformed: Path | None = None,
    several_only: bool = False,
) -> Verdict:
    """Rewrite the program in ``folder``, unless it has been, and run it."""
    verdict = Verdict(program.name, version)
    environment = available(ENVIRONMENTS[version])
    script = program.script_in(program.folder)
    if isinstance(environment, Reason):
        verdict.problems.append(environment.text)
        return verdict
    if script is None:
        verdict.problems.append(f"no script {' or '.join(program.script)}")
        return verdict
    place = folder / f"{program.name}-{version}"
    if transformed is None:
        rewritten: Path | None = place / "program" / script.name
        transform(script.parent, place / "program", codemod, verdict)
    else:
        rewritten = program.script_in(transformed.resolve() / program.name)
        if rewritten is None:
            verdict.problems.append("it was not transformed")
    if rewritten is not None and not verdict.problems:
        measure(program, script, rewritten, place, environment, timeout, several_only, verdict)
    return verdict


def transform(source: Path, into: Path, codemod: Path, verdict: Verdict) -> None:
    """Copy a folder and rewrite the copy, twice."""
    ignored = shutil.ignore_patterns("__pycache__", ".git", SETTINGS)
    shutil.copytree(source, into, ignore=ignored)
    first = distribute(codemod, into)
    verdict.api, verdict.hunks, verdict.notes = first.api, str(first.hunks), str(first.notes)
    if first.hunks == 0 or first.exit_code:
        said = " | ".join(first.said[-3:]) or "nothing was rewritten"
        verdict.problems.append(f"exit code {first.exit_code}: {said}")
        return
    again = distribute(codemod, into).hunks
    verdict.again = str(again)
    if again:
        verdict.problems.append(f"a second run proposes {again} hunks")


def distribute(codemod: Path, folder: Path) -> Summary:
    """Rewrite the programs in a folder, and read what the codemod says of it."""
    command = [sys.executable, str(codemod), str(folder), "--write"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    api, hunks, notes, said = "-", 0, 0, []
    for line in done.stderr.splitlines():
        if found := re.match(r"programs +\d* ?(.*)", line):
            api = found[1]
        elif found := re.match(r"hunks +(\d+) proposed", line):
            hunks = int(found[1])
        elif ": note: " in line:
            notes += 1
        elif not re.match(r"(files|written|refused|failed) +\S", line):
            said.append(line)
    return Summary(done.returncode, api, hunks, notes, tuple(said))


def measure(
    program: Program,
    script: Path,
    rewritten: Path,
    place: Path,
    environment: Environment,
    timeout: float,
    several_only: bool,
    verdict: Verdict,
) -> None:
    """Run two workers, before them the original and one worker, and write down what they did."""
    how: dict[str, Any] = {
        "arguments": program.arguments,
        "environment": environment,
        "max_updates": program.max_updates,
        "timeout": program.timeout or timeout,
    }
    runs: list[Run] = []
    if not several_only:
        runs.append(run_plain(script, place / "original", **how))
        runs.append(run_workers(rewritten, place / "workers-1", workers=1, **how))
        same = same_training_problems(runs[0], runs[1], program.ignore)
        verdict.problems += [f"one worker: {problem}" for problem in same]
        verdict.alone = _spread([run.ranks[0] for run in runs])
    several = run_workers(rewritten, place / "workers-2", workers=2, **how)
    several = replace(several, ranks=tuple(without(rank, program.data) for rank in several.ranks))
    runs.append(several)
    problems = distributed_problems(several)
    from_first = distributed_problems(several, equal_from_first_step=True)
    verdict.problems += [f"two workers: {problem}" for problem in problems]
    verdict.spread = _spread(several.ranks)
    if verdict.spread != "-":
        verdict.first = "yes" if len(from_first) == len(problems) else "no"
    verdict.seconds = sum(run.seconds for run in runs)
    verdict.updates = "/".join(_counted(run, "updates") for run in runs)
    verdict.broadcasts = _counted(several, "broadcasts")
    heard = any(rank.stdout or rank.files for rank in several.ranks[1:])
    verdict.silent = "no" if heard else "yes"


def without(rank: Rank, data: Sequence[str]) -> Rank:
    """The rank as if it had not written such files."""
    if rank.report is None:
        return rank
    files = [name for name in rank.files if not any(fnmatch(name, each) for each in data)]
    return replace(rank, report={**rank.report, "files": files})


def _spread(ranks: Sequence[Rank]) -> str:
    return f"{spread(ranks):.2g}" if all(rank.parameters for rank in ranks) else "-"


def spread(ranks: Sequence[Rank]) -> float:
    """How far the trained parameters are apart at the end."""
    largest = 0.0
    for rank in ranks[1:]:
        for mine, other in zip_longest(ranks[0].parameters, rank.parameters):
            if mine is None or other is None or len(mine.final) != len(other.final):
                return float("inf")
            pairs = zip(array("d", mine.final), array("d", other.final), strict=True)
            apart = max((abs(left - right) for left, right in pairs if left != right), default=0.0)
            largest = apart if apart != apart else max(largest, apart)
    return largest


def table(rows: Sequence[Sequence[str]]) -> str:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    )


def _counted(run: Run, key: str) -> str:
    """One number if all ranks say the same."""
    counts = [str(rank.said(key, "-")) for rank in run.ranks]
    return counts[0] if len(set(counts)) == 1 else "+".join(counts)


def _programs(folder: Path, listed: Mapping[str, Any] | None) -> Iterable[Program]:
    """The listed programs, else those of the folder."""
    if listed is not None:
        for name, settings in listed["programs"].items():
            yield _program(name, folder / name, settings or {})
        return
    for place in sorted(path for path in folder.iterdir() if path.is_dir()):
        own = place / SETTINGS
        settings = yaml.safe_load(own.read_text("utf-8")) if own.is_file() else None
        yield _program(place.name, place, settings or {})


def _program(name: str, folder: Path, settings: Mapping[str, Any]) -> Program:
    known = {each.name for each in fields(Program)} - {"name", "folder"}
    unknown = set(settings) - known
    if unknown:
        raise SystemExit(f"{name}: unknown settings {', '.join(sorted(unknown))}")
    given = dict(settings)
    for key in ("script", "tensorflow"):
        if isinstance(given.get(key), str):
            given[key] = [given[key]]
    return Program(name, folder, **given)


def _options(argv: Sequence[str]) -> argparse.Namespace:
    assert __doc__
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="its sub-folders are the programs")
    parser.add_argument("--list", type=Path, metavar="FILE", help="which programs, and how to run")
    parser.add_argument("--only", action="append", metavar="NAME", help="may be repeated")
    parser.add_argument("--tensorflow", choices=ENVIRONMENTS, help="this version instead")
    parser.add_argument("--jobs", type=int, default=1, help="programs at a time; %(default)s")
    parser.add_argument("--timeout", type=float, default=300.0, help="seconds for each run")
    parser.add_argument("--codemod", type=Path, default=CODEMOD, metavar="SCRIPT")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="keep copies and all output")
    parser.add_argument("--transformed", type=Path, metavar="DIR", help="judge these instead")
    parser.add_argument(
        "--several-only", action="store_true", help="run two workers only, and compare them only"
    )
    return parser.parse_args(argv)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
