"""Start a program as one or several workers, always under a timeout, and read what they left."""

from __future__ import annotations

import ast
import contextlib
import json
import os
import re
import signal
import struct
import subprocess
import time
import zipfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

LAUNCHER = Path(__file__).with_name("launcher.py")
SETUP = Path(__file__).with_name("setup_horovod.sh")
TIMEOUT = 150.0
SEED = 7
ALL = os.environ.get("PINSETTER_E2E") == "all"


@dataclass(frozen=True)
class Environment:
    """Where TensorFlow and Horovod are installed."""

    folder: Path

    @property
    def python(self) -> Path:
        return self.folder / "bin" / "python"

    @property
    def horovodrun(self) -> Path:
        return self.folder / "bin" / "horovodrun"


@dataclass(frozen=True)
class Reason:
    """Why nothing can be run here."""

    text: str


@dataclass(frozen=True)
class Parameter:
    """One trained variable: values as little-endian doubles; no initial ones if never readable."""

    name: str
    shape: tuple[int, ...]
    initial: bytes | None
    final: bytes
    first: str | None = None  # digest of the value right before the first update


@dataclass(frozen=True)
class Rank:
    number: int
    stdout: str
    stderr: str
    report: dict[str, Any] | None  # None: it was killed, or never started
    parameters: tuple[Parameter, ...]

    @property
    def finished(self) -> bool:
        return self.report is not None and self.report["exit_code"] == 0

    @property
    def files(self) -> tuple[str, ...]:
        return tuple(self.report["files"]) if self.report else ()

    def said(self, key: str, default: Any = None) -> Any:
        return self.report.get(key, default) if self.report else default


@dataclass(frozen=True)
class Exchange:
    """What workers sent each other under one name: ``kind`` as Horovod's timeline calls it."""

    kind: str
    name: str
    times: int

    @property
    def is_gradient(self) -> bool:
        """Horovod's tapes and optimizers name what they average after themselves."""
        return "_Allreduce/" in self.name


@dataclass(frozen=True)
class Run:
    command: tuple[str, ...]
    folder: Path
    ranks: tuple[Rank, ...]
    exit_code: int
    timed_out: bool
    seconds: float
    console: str  # what the launcher or horovodrun itself said
    exchanges: tuple[Exchange, ...] = ()

    def reductions(self) -> int:
        """How often the workers averaged a gradient."""
        return sum(e.times for e in self.exchanges if e.kind == "ALLREDUCE" and e.is_gradient)


def available(name: str = "tf215") -> Reason | Environment:
    """The environment of that name that setup_horovod.sh has built, or why it cannot be used."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "pinsetter-e2e"
    given = os.environ.get("PINSETTER_E2E", "all")  # `all`: every program, in the usual folder
    environment = Environment((cache if given in ("", "all") else Path(given)) / name)
    if os.name != "posix":
        return Reason("Horovod's launcher needs a POSIX system")
    ready = environment.folder / ".pinsetter-ready"
    if not (ready.is_file() and environment.horovodrun.is_file()):
        return Reason(f"no Horovod environment in {environment.folder}; run {SETUP.name} {name}")
    return environment


def run_plain(
    script: Path,
    out: Path,
    *,
    arguments: Sequence[str] = (),
    seed: int = SEED,
    max_updates: int | None = None,
    timeout: float = TIMEOUT,
    environment: Environment | None = None,
) -> Run:
    """One process, no horovodrun: how the program runs before anything is done to it."""
    environment = environment or _environment()
    command = _launch(environment, script, out, arguments, seed, max_updates)
    return _run(command, environment, out, 1, timeout)


def run_workers(
    script: Path,
    out: Path,
    *,
    workers: int = 2,
    arguments: Sequence[str] = (),
    seed: int = SEED,
    max_updates: int | None = None,
    timeout: float = TIMEOUT,
    environment: Environment | None = None,
) -> Run:
    """So many workers on this machine under horovodrun, with a different seed for each."""
    environment = environment or _environment()
    horovodrun = (str(environment.horovodrun), "--gloo", "-np", str(workers))
    command = (
        *horovodrun,
        "-H",
        f"localhost:{workers}",
        *(("--timeline-filename", str(_timeline(out))) if workers > 1 else ()),
        *_launch(environment, script, out, arguments, seed, max_updates, "--distinct-ranks"),
    )
    return _run(command, environment, out, workers, timeout)


def _environment() -> Environment:
    found = available()
    if isinstance(found, Reason):
        raise RuntimeError(found.text)
    return found


def _launch(
    environment: Environment,
    script: Path,
    out: Path,
    arguments: Sequence[str],
    seed: int,
    max_updates: int | None,
    *options: str,
) -> tuple[str, ...]:
    limit = () if max_updates is None else ("--max-updates", str(max_updates))
    paths = (str(LAUNCHER), str(script.resolve()), "--out", str(out.resolve()))
    return (
        str(environment.python),
        *paths,
        "--seed",
        str(seed),
        *limit,
        *options,
        "--",
        *arguments,
    )


def _run(
    command: tuple[str, ...], environment: Environment, out: Path, workers: int, timeout: float
) -> Run:
    out.mkdir(parents=True)
    started = time.monotonic()
    with open(out / "console.txt", "w+b") as console:
        process = subprocess.Popen(
            command,
            cwd=out,
            env=_variables(environment),
            stdin=subprocess.DEVNULL,
            stdout=console,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            process.wait(timeout)
            timed_out = False
        except subprocess.TimeoutExpired:
            timed_out = True
        finally:
            _stop(process, out)
    return Run(
        command=command,
        folder=out,
        ranks=tuple(_read_rank(out / f"rank{number}", number) for number in range(workers)),
        exit_code=process.returncode,
        timed_out=timed_out,
        seconds=time.monotonic() - started,
        console=(out / "console.txt").read_text("utf-8", "replace"),
        exchanges=tuple(_exchanges(_timeline(out))),
    )


def _timeline(out: Path) -> Path:
    return out.resolve() / "timeline.json"


def _exchanges(timeline: Path) -> Iterator[Exchange]:
    """What Horovod itself has written down of what was exchanged; nothing, if it did not."""
    text = timeline.read_text("utf-8", "replace") if timeline.is_file() else ""
    names = dict(re.findall(r'"pid": (\d+), "args": \{"name": "([^"]*)"', text))
    begun = re.findall(r'"ph": "B", "name": "(ALLREDUCE|BROADCAST)", "ts": \d+, "pid": (\d+)', text)
    for (kind, number), times in Counter(begun).items():
        yield Exchange(kind, names.get(number, ""), times)


def _variables(environment: Environment) -> dict[str, str]:
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("HOROVOD_", "PYTHON", "TF_", "KERAS_"))
    }
    return kept | {
        "PATH": f"{environment.python.parent}{os.pathsep}{os.environ.get('PATH', os.defpath)}",
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",  # or the first run would leave files beside the program
        "CUDA_VISIBLE_DEVICES": "-1",
        "TF_CPP_MIN_LOG_LEVEL": "2",
        "TF_ENABLE_ONEDNN_OPTS": "0",
    }


def _stop(process: subprocess.Popen[bytes], out: Path) -> None:
    """End what is left: horovodrun's group, and the workers, which have groups of their own."""
    if process.poll() is None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)
        try:
            process.wait(5)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    for written in out.glob("rank*/pid"):
        pid = int(written.read_text() or 0)
        if pid and _is_worker(pid, out):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


def _is_worker(pid: int, out: Path) -> bool:
    """Whether the process of that id is still the one that was started for this folder."""
    try:
        arguments = Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False
    return os.fsencode(out.resolve()) in arguments


def _read_rank(folder: Path, number: int) -> Rank:
    report_file = folder / "report.json"
    report = json.loads(report_file.read_text()) if report_file.is_file() else None
    return Rank(
        number=number,
        stdout=_read_text(folder / "stdout.txt"),
        stderr=_read_text(folder / "stderr.txt"),
        report=report,
        parameters=_read_parameters(folder / "parameters.npz", report) if report else (),
    )


def _read_text(path: Path) -> str:
    # Not read_text: that makes a new line of each return to the line's start.
    return path.read_bytes().decode("utf-8", "replace") if path.is_file() else ""


def _read_parameters(path: Path, report: dict[str, Any]) -> tuple[Parameter, ...]:
    with zipfile.ZipFile(path) as archive:
        members = set(archive.namelist())

        def values(member: str) -> bytes | None:
            return _array_bytes(archive.read(member)) if member in members else None

        return tuple(
            Parameter(
                name=variable["name"],
                shape=tuple(variable["shape"]),
                initial=values(f"initial_{index}.npy"),
                final=values(f"final_{index}.npy") or b"",
                first=variable.get("first"),
            )
            for index, variable in enumerate(report["variables"])
        )


def _array_bytes(content: bytes) -> bytes:
    """The raw doubles of an .npy file: the tests themselves do without NumPy."""
    (major,) = struct.unpack_from("B", content, 6)
    length, start = struct.unpack_from("<H" if major == 1 else "<I", content, 8)[0], 8
    start += 2 if major == 1 else 4
    header = ast.literal_eval(content[start : start + length].decode("latin-1"))
    if header["descr"] != "<f8":
        raise ValueError(f"expected doubles, found {header['descr']}")
    return content[start + length :]


# Keras draws "3/10 [==>...] - ETA: 1s - loss: 0.5" over itself, as often as there is time to.
_METRICS = r"(?: - [\w/]+: (?:-?[\d.]+(?:e[-+]?\d+)?|nan|inf))*"
_PROGRESS = re.compile(
    r"\r? *\d+/(?:\d+|Unknown) (?:\[[=>.]*\] )?- "
    rf"(?:ETA: [\d:]+s?|(?<=Unknown - )\d+s \d+[mu]?s/step){_METRICS}|[\b\r]"
)
_TIMES = re.compile(
    r" - \d+[mu]?s/(?:step|sample|epoch)| - \d+s(?: \d+[mu]?s/(?:step|sample|epoch))?(?![\w./])"
)


def comparable(rank: Rank, run: Run, ignore: str | None = None) -> list[str]:
    """What it printed, without what differs from run to run: folders, addresses, times."""
    folder = str(run.folder.resolve() / f"rank{rank.number}")
    text = rank.stdout.replace(f"{folder}/cwd", "<cwd>").replace(folder, "<folder>")
    text = re.sub(r"\b0x[0-9a-f]{6,}\b", "<address>", text)
    text = re.sub(r"(<folder>/tmp/tmp)\w{8}\b", r"\1<random>", text)
    text = _TIMES.sub("", _PROGRESS.sub("", text))
    if ignore:
        text = re.sub(ignore, "<ignored>", text)
    # A progress line that became shorter leaves blanks behind.
    return [line.rstrip() for line in text.splitlines()]
