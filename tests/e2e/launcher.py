"""Run one program as one worker, watch it, and leave a report.

    launcher.py SCRIPT --out DIR --seed N [--max-updates N] [--distinct-ranks] [-- ARGUMENTS]

Runs with the TensorFlow environment's Python, alone or under horovodrun. Everything about rank k
lands in DIR/rank<k>/: the program's working directory `cwd`, stdout.txt, stderr.txt,
parameters.npz and report.json. The exit code is the program's.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import platform
import sys
import traceback
import types
from dataclasses import dataclass
from pathlib import Path
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
os.environ["CUDA_VISIBLE_DEVICES"] = "-1"


@dataclass(frozen=True)
class Job:
    script: Path
    arguments: tuple[str, ...]
    folder: Path
    rank: int
    seed: int
    offset: int
    max_updates: int | None


@dataclass(frozen=True)
class Ending:
    code: int
    status: str  # finished, stopped (enough updates) or failed
    error: str | None = None


def main(argv: list[str]) -> int:
    job = _job(argv)
    cwd = job.folder / "cwd"
    (cwd / "tmp").mkdir(parents=True)
    temporary = job.folder / "tmp"
    temporary.mkdir()
    os.environ["TMPDIR"] = str(temporary)
    for beside in job.script.resolve().parent.iterdir():
        # Programs write into folders that their repositories bring along.
        if beside.is_dir() and not any(beside.rglob("*.py")):
            (cwd / beside.name).mkdir(exist_ok=True)
    # horovodrun may be killed together with its output: the harness finds this process by its id.
    (job.folder / "pid").write_text(str(os.getpid()))
    _redirect(1, job.folder / "stdout.txt", sys.stdout)
    _redirect(2, job.folder / "stderr.txt", sys.stderr)
    os.chdir(cwd)
    try:
        notes = _prepare(job)
        ending = _run(job, notes)
        _leave_report(job, ending, notes)
    except Exception:
        traceback.print_exc()
        return 70
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
    return ending.code


def _job(argv: list[str]) -> Job:
    cut = argv.index("--") if "--" in argv else len(argv)
    parser = argparse.ArgumentParser(prog="launcher.py", description="Run and watch one worker.")
    parser.add_argument("script", type=Path)
    parser.add_argument("--out", type=Path, required=True, help="folder for everything it leaves")
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--max-updates", type=int, help="end the program after so many updates")
    parser.add_argument("--distinct-ranks", action="store_true", help="add the rank to all seeds")
    options = parser.parse_args(argv[:cut])
    rank = int(os.environ.get("HOROVOD_RANK", "0"))
    return Job(
        script=options.script.resolve(),
        arguments=tuple(argv[cut + 1 :]),
        folder=options.out.resolve() / f"rank{rank}",
        rank=rank,
        seed=options.seed,
        offset=rank if options.distinct_ranks else 0,
        max_updates=options.max_updates,
    )


def _redirect(descriptor: int, path: Path, stream: Any) -> None:
    """Below Python, so that what TensorFlow's C++ prints goes the same way."""
    stream.flush()
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    os.dup2(file, descriptor)
    os.close(file)
    stream.reconfigure(encoding="utf-8", line_buffering=True)


def _prepare(job: Job) -> Any:
    from e2e_worker import datasets, recorder, seeds, sessions, stubs

    sessions.limit_threads()
    datasets.install(job.seed + job.offset)
    stubs.install()
    seeds.install(job.seed, job.offset)
    watcher = recorder.Recorder(job.max_updates)
    watcher.install()
    return watcher.notes


def _run(job: Job, notes: Any) -> Ending:
    from e2e_worker import relocation
    from e2e_worker.notes import UpdatesReached

    program = types.ModuleType("__main__")
    program.__dict__.update(__file__=str(job.script), __builtins__=__builtins__)
    sys.modules["__main__"] = program
    relocation.install(job.script.parent, Path.cwd() / "tmp")
    sys.argv = [str(job.script), *job.arguments]
    sys.path[0] = str(job.script.parent)
    try:
        code = relocation.compiled(job.script.read_bytes(), str(job.script), Path.cwd() / "tmp")
        exec(code, program.__dict__)
    except UpdatesReached:
        return Ending(0, "stopped")
    except SystemExit as exit_:
        code = exit_.code if isinstance(exit_.code, int) else int(exit_.code is not None)
        if code:
            return Ending(code, "failed", f"SystemExit: {exit_.code}")
        return Ending(0, "finished")
    except BaseException as error:
        if notes.stopping:  # it came out of a graph, as TensorFlow's kind of error
            return Ending(0, "stopped")
        traceback.print_exc()
        return Ending(1, "failed", f"{type(error).__name__}: {error}")
    return Ending(0, "finished")


def _leave_report(job: Job, ending: Ending, notes: Any) -> None:
    import numpy as np

    arrays: dict[str, Any] = {}
    variables: list[dict[str, Any]] = []
    for index, values in enumerate(notes.trained()):
        final = np.asarray(values.final)
        variables.append(
            {
                "name": values.name,
                "shape": list(final.shape),
                "dtype": str(final.dtype),
                "first": values.first,
            }
        )
        # One type throughout: the harness reads these without NumPy.
        arrays[f"final_{index}"] = np.asarray(final, dtype="<f8")
        if values.initial is not None:
            arrays[f"initial_{index}"] = np.asarray(values.initial, dtype="<f8")
    np.savez(job.folder / "parameters.npz", **arrays)

    cwd = job.folder / "cwd"
    horovod = sys.modules.get("horovod")
    report = {
        "status": ending.status,
        "exit_code": ending.code,
        "error": ending.error,
        "rank": job.rank,
        "size": int(os.environ.get("HOROVOD_SIZE", "1")),
        "seed": job.seed + job.offset,
        "updates": notes.updates,
        "variables": variables,
        "first_values": _digest([variable["first"] for variable in variables]),
        "gradients": notes.gradients,
        "sent": notes.sent,
        "broadcasts": notes.broadcasts,
        "object_broadcasts": notes.object_broadcasts,
        "applied": notes.applied,
        "distributed_tapes": notes.distributed_tapes,
        "distributed_optimizers": notes.distributed_optimizers,
        "files": sorted(str(p.relative_to(cwd)) for p in cwd.rglob("*") if p.is_file()),
        "versions": {
            "python": platform.python_version(),
            "tensorflow": sys.modules["tensorflow"].__version__,
            "horovod": getattr(horovod, "__version__", None),
        },
    }
    temporary = job.folder / "report.json.part"
    temporary.write_text(json.dumps(report, indent=1))
    temporary.replace(job.folder / "report.json")


def _digest(parts: list[str | None]) -> str | None:
    """One for all; none if any part is missing."""
    known = [part for part in parts if part is not None]
    if not known or len(known) < len(parts):
        return None
    return hashlib.sha256(" ".join(known).encode()).hexdigest()[:16]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
