"""Is a rewritten training program right? Run it with real Horovod workers, and judge.

    python tests/e2e/harness.py SCRIPT [--codemod tf2_gradient_tape] [--tensorflow 2.15]
                                       [--workers 2] [--max-updates 6] [--keep DIR] [-- ARGUMENTS]

takes any program: it transforms a copy of the script's folder, runs the original, the copy with one
worker and the copy with several, and says what is wrong. Exit code 0: nothing; 1: something.

Each check returns problems, in words; an empty list means right. With scaled learning rates a
distributed run is not comparable number by number to the single process, so the invariants are
checked: workers that start differently end with equal parameters, only rank 0 prints and writes,
and one worker alone trains exactly like the original.
"""

from __future__ import annotations

import argparse
import itertools
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from worker_runs import (
    Environment,
    Exchange,
    Parameter,
    Rank,
    Reason,
    Run,
    available,
    comparable,
    run_plain,
    run_workers,
)

TOLERANCE = 1e-6
ENVIRONMENTS = {"2.15": "tf215", "1.15": "tf115"}
CLI = "pinsetter.codemods.engine.cli"


class TransformFailed(Exception):
    """The codemod's command line did not end well."""


def transform(
    program: Path,
    into: Path,
    *,
    codemod: str,
    skip: Sequence[str] = (),
    options: Sequence[str] = (),
) -> Path:
    """Copy the folder of a script, rewrite the copy, and return the copied script; ``options`` are
    those of the codemod, as ``--shard``."""
    shutil.copytree(
        program.resolve().parent, into, ignore=shutil.ignore_patterns("__pycache__", ".git")
    )
    skips = [word for rule in skip for word in ("--skip", rule)]
    command = [sys.executable, "-m", CLI, "run", codemod, str(into), "--write", *skips, *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    # Exit codes tell outcomes apart; what must hold for a test is that something was written.
    if _same_sources(program.resolve().parent, into):
        raise TransformFailed(
            f"nothing was rewritten ({' '.join(command)}: exit code {done.returncode})\n"
            f"{done.stdout}{done.stderr}"
        )
    return into / program.name


def _same_sources(left: Path, right: Path) -> bool:
    return all(
        (right / source.relative_to(left)).read_bytes() == source.read_bytes()
        for source in left.rglob("*.py")
    )


def distributed_problems(run: Run, *, equal_from_first_step: bool = False) -> list[str]:
    """What is wrong with a run of several workers, or missing from its evidence.

    Workers may take their first step from values of their own, if the broadcast follows it;
    equal_from_first_step asks for more.
    """
    unfinished = finished_problems(run)
    if unfinished:
        return unfinished
    return [
        *_evidence_problems(run.ranks),
        *_parameter_problems(run.ranks),
        *_silence_problems(run.ranks[1:]),
        *(_first_step_problems(run.ranks) if equal_from_first_step else ()),
    ]


def exchange_problems(run: Run, steps_an_update: int = 1) -> list[str]:
    """What the workers sent each other more often than they had to, by Horovod's own timeline."""
    problems = []
    applied = run.ranks[0].said("applied", 0) * steps_an_update
    averaging = [run.ranks[0].said(f"distributed_{kind}", 0) for kind in ("tapes", "optimizers")]
    if applied and run.reductions() > applied:
        problems.append(f"{run.reductions()} gradients were averaged, and {applied} applied")
    if applied and any(averaging) and not run.reductions():
        problems.append("no gradient is known to have been averaged")
    if not run.exchanges:
        problems.append("Horovod has written down no exchange at all")
    for exchange in run.exchanges:
        # Values that are no variables have no name of their own.
        if exchange.kind == "BROADCAST" and exchange.times > 1 and not _is_unnamed(exchange):
            problems.append(f"{exchange.name} was broadcast {exchange.times} times")
    return problems


def _is_unnamed(exchange: Exchange) -> bool:
    return exchange.name.rpartition("/")[2].startswith("HorovodBroadcast")


def finished_problems(run: Run) -> list[str]:
    problems = [f"no end within {run.seconds:.0f} s: workers were stopped"] if run.timed_out else []
    for rank in run.ranks:
        if rank.report is None:
            last = _last_line(rank.stderr) or _last_line(run.console)
            problems.append(f"rank {rank.number} was stopped, or never ran: {last}")
        elif not rank.finished:
            problems.append(f"rank {rank.number} failed: {rank.said('error')}")
    if not problems and run.exit_code:
        problems.append(f"exit code {run.exit_code}: {_last_line(run.console)}")
    return problems


def same_losses_problems(plain: Run, single: Run, ignore: str | None = None) -> list[str]:
    """Whether one worker prints, line by line, what the original program prints."""
    unfinished = finished_problems(plain) + finished_problems(single)
    if unfinished:
        return unfinished
    expected = comparable(plain.ranks[0], plain, ignore)
    printed = comparable(single.ranks[0], single, ignore)
    if not expected:
        return ["the original prints nothing to compare (do more updates make it print?)"]
    for number, (left, right) in enumerate(itertools.zip_longest(expected, printed), 1):
        if left != right:
            return [f"line {number} differs: original {left!r}, one worker {right!r}"]
    return []


def same_training_problems(plain: Run, single: Run, ignore: str | None = None) -> list[str]:
    """Whether one worker trains like the original; many programs print nothing to tell by."""
    unfinished = finished_problems(plain) + finished_problems(single)
    if unfinished:
        return unfinished
    printed = plain.ranks[0].stdout or single.ranks[0].stdout
    return [
        *same_parameters_problems(plain, single),
        *(same_losses_problems(plain, single, ignore) if printed else ()),
    ]


def same_parameters_problems(plain: Run, single: Run) -> list[str]:
    """Whether worker 0 ends with the parameters that the original ends with."""
    left, right = plain.ranks[0].parameters, single.ranks[0].parameters
    if not left:
        return ["the original trained no variable that could be recorded"]
    if [p.shape for p in left] != [p.shape for p in right]:
        return ["it trained other variables than the original"]
    worst = _worst_difference(left, right)
    return [f"trained parameters differ from the original's by {worst}"] if worst else []


def _evidence_problems(ranks: Sequence[Rank]) -> list[str]:
    """A run in which nothing could have gone wrong proves nothing."""
    if len(ranks) < 2:
        return ["one worker proves nothing about several"]
    problems = []
    for rank in ranks:
        if not rank.parameters:
            problems.append(f"rank {rank.number}: no trained parameters were recorded")
    if problems:
        return problems
    names = [[(p.name, p.shape) for p in rank.parameters] for rank in ranks]
    if any(other != names[0] for other in names[1:]):
        return ["the ranks trained different lists of variables"]
    starts = [[p.initial for p in rank.parameters] for rank in ranks]
    differ = any(None not in v and len(set(v)) > 1 for v in zip(*starts, strict=True))
    if not differ and len({tuple(rank.said("sent", [])) for rank in ranks}) < 2:
        problems.append("all ranks started from equal values: the broadcast is not proved")
    if _late_gradients_agree(ranks):
        problems.append("all ranks computed equal gradients: the averaging is not proved")
    return problems


def _late_gradients_agree(ranks: Sequence[Rank]) -> bool:
    """Early gradients differ because the weights still do; the later ones only by their samples."""
    recorded = [rank.said("gradients", []) for rank in ranks]
    shortest = min(map(len, recorded))
    late = [gradients[shortest // 2 : shortest] for gradients in recorded]
    return shortest > 1 and all(other == late[0] for other in late[1:])


def _parameter_problems(ranks: Sequence[Rank]) -> list[str]:
    for rank in ranks[1:]:
        worst = _worst_difference(ranks[0].parameters, rank.parameters)
        if worst:
            return [f"trained parameters differ by {worst} of ranks 0 and {rank.number}"]
    return []


def _worst_difference(left: Sequence[Parameter], right: Sequence[Parameter]) -> str | None:
    pairs = zip(left, right, strict=False)
    differences = [(_difference(*pair), pair[0].name) for pair in pairs]
    amount, name = max(differences, default=(0.0, ""))
    return None if amount <= TOLERANCE else f"{amount:.3g}, most in {name}"


def _difference(left: Parameter, right: Parameter) -> float:
    if left.final == right.final:
        return 0.0
    if len(left.final) != len(right.final):
        return float("inf")
    pairs = zip(memoryview(left.final).cast("d"), memoryview(right.final).cast("d"), strict=True)
    differences = [abs(a - b) for a, b in pairs]
    return float("inf") if any(d != d for d in differences) else max(differences)


def _silence_problems(ranks: Sequence[Rank]) -> list[str]:
    problems = []
    for rank in ranks:
        if rank.stdout:
            first = rank.stdout.splitlines()[0]
            problems.append(f"rank {rank.number} printed: {first!r}")
        if rank.files:
            problems.append(f"rank {rank.number} wrote files: {', '.join(rank.files[:5])}")
    return problems


def _first_step_problems(ranks: Sequence[Rank]) -> list[str]:
    others = [[p.first for p in rank.parameters] for rank in ranks[1:]]
    for parameter, *firsts in zip(ranks[0].parameters, *others, strict=True):
        if parameter.first is None or any(first != parameter.first for first in firsts):
            return [f"the first update started from values that differ: {parameter.name}"]
    return []


def _first(run: Run, rank: Rank) -> str:
    """Whether this rank took its first step from what rank 0 has, for the table."""
    known = [each.said("first_values") for each in (run.ranks[0], rank)]
    if len(run.ranks) < 2 or None in known:
        return "-"
    return "yes" if known[0] == known[1] else "no"


def _last_line(text: str) -> str:
    lines = text.strip().splitlines()
    return lines[-1] if lines else "(it said nothing)"


def _table(runs: Sequence[tuple[str, Run]]) -> str:
    counted = ("updates", "broadcasts", "distributed_tapes", "distributed_optimizers")
    head = (
        "run", "rank", "end", "updates", "broadcasts", "tapes", "optimizers", "first", "lines",
        "files", "seconds",
    )  # fmt: skip
    rows = [head]
    for title, run in runs:
        for rank in run.ranks:
            rows.append(
                (
                    title,
                    str(rank.number),
                    rank.said("status", "no report"),
                    *(str(rank.said(key, "-")) for key in counted),
                    _first(run, rank),
                    str(len(rank.stdout.splitlines())),
                    str(len(rank.files)),
                    f"{run.seconds:.1f}",
                )
            )
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    )


def _options(argv: Sequence[str]) -> tuple[argparse.Namespace, list[str]]:
    words = list(argv)
    cut = words.index("--") if "--" in words else len(words)
    parser = argparse.ArgumentParser(
        prog="harness.py",
        description="Rewrite a copy of a training program and run it on real Horovod workers.",
        epilog="Arguments for the program itself follow after --.",
    )
    parser.add_argument("script", type=Path, help="the program's entry script")
    parser.add_argument("--codemod", default="tf2_gradient_tape", help="default: %(default)s")
    parser.add_argument("--skip", action="append", default=[], metavar="RULE", help="leave out")
    parser.add_argument("--transformed", type=Path, metavar="SCRIPT", help="already rewritten")
    parser.add_argument("--tensorflow", choices=ENVIRONMENTS, default="2.15", help="%(default)s")
    parser.add_argument("--workers", type=int, default=2, help="default: %(default)s")
    parser.add_argument("--max-updates", type=int, help="end every run after so many updates")
    parser.add_argument("--timeout", type=float, default=150.0, help="seconds for each run")
    parser.add_argument("--ignore", metavar="REGEX", help="printed text not to compare (times)")
    parser.add_argument(
        "--from-first-step",
        action="store_true",
        help="ask for equal values before the first update, too",
    )
    parser.add_argument("--keep", type=Path, metavar="DIR", help="keep the copy and all output")
    return parser.parse_args(words[:cut]), words[cut + 1 :]


def main(argv: Sequence[str]) -> int:
    options, arguments = _options(argv)
    environment = available(ENVIRONMENTS[options.tensorflow])
    if isinstance(environment, Reason):
        print(environment.text, file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory(prefix="pinsetter-e2e-") as temporary:
        folder = options.keep or Path(temporary)
        try:
            return _judge(options, arguments, environment, folder)
        except TransformFailed as failure:
            print(failure, file=sys.stderr)
            return 1


def _judge(
    options: argparse.Namespace, arguments: list[str], environment: Environment, folder: Path
) -> int:
    rewritten = options.transformed or transform(
        options.script, folder / "program", codemod=options.codemod, skip=options.skip
    )
    how: dict[str, Any] = {
        "arguments": arguments,
        "environment": environment,
        "max_updates": options.max_updates,
        "timeout": options.timeout,
    }
    original = run_plain(options.script, folder / "original", **how)
    single = run_workers(rewritten, folder / "workers-1", workers=1, **how)
    several = run_workers(
        rewritten, folder / f"workers-{options.workers}", workers=options.workers, **how
    )
    runs = (("original", original), ("1 worker", single), (f"{options.workers} workers", several))
    print(_table(runs))
    problems = [
        *(f"one worker: {p}" for p in same_training_problems(original, single, options.ignore)),
        *(
            f"{options.workers} workers: {p}"
            for p in distributed_problems(several, equal_from_first_step=options.from_first_step)
        ),
    ]
    print("\n".join(problems) if problems else "no problems")
    if options.keep:
        print(f"kept in {folder}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
