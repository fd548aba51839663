"""Pinsetter beside other tools over the same files, one after the other on this machine.

    python benchmarks/peers.py FOLDER... [--runs 3] [--skip bowler,libcst] [--picture FILE.svg]

Two questions. Sparse: ``distribute``, analysis and hunks included, beside one pattern that is about
as rare (``$X.apply_gradients($$$)``). Dense: every ``print(...)`` call is found and shown. Cold is
a run that finds no plans of earlier ones; warm one after another; "one file changed" one after a
blank line was appended to a file that says ``apply_gradients``, if there is one.

The peers are put into a virtual environment of their own in build/peers; what pip does not get is
left out, and said. Wall and CPU seconds are the best of the runs; memory is the most that all
processes of one had together (what they share counted once), looked at five times a second.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import escape

HERE = Path(__file__).resolve().parent
TOOLS = HERE.parent / "build" / "peers"
PEERS = {
    "ast-grep": "ast-grep-cli", "libcst": "libcst", "bowler": "bowler==0.9.0", "semgrep": "semgrep",
}  # fmt: skip
SPARSE, DENSE = "sparse", "dense"

READING = """
import sys, pathlib, re
words = re.compile(rb"tensorflow|keras|horovod")
paths = (p for f in sys.argv[1:] for p in pathlib.Path(f).rglob("*.py"))
print(sum(bool(words.search(p.read_bytes())) for p in paths))
"""
LIBCST = """
import sys, pathlib, multiprocessing, libcst
class Calls(libcst.CSTVisitor):
    def __init__(self, name): self.name, self.found = name, 0
    def visit_Call(self, node):
        last = getattr(node.func, "attr", node.func)
        self.found += getattr(last, "value", None) == self.name
def count(path):
    calls = Calls(NAME)
    try:
        libcst.parse_module(path.read_bytes()).visit(calls)
    except Exception:
        return 0
    return calls.found
if __name__ == "__main__":
    paths = [p for f in sys.argv[1:] for p in pathlib.Path(f).rglob("*.py")]
    with multiprocessing.Pool(2) as pool:
        print(sum(pool.imap_unordered(count, paths, 50)))
"""
BOWLER = """
import sys
from bowler import Query
Query(sys.argv[1:]).select(PATTERN).modify(lambda *_: None).silent()
"""
SELECTED = {
    SPARSE: "power< any+ trailer< '.' 'apply_gradients' > any* >",
    DENSE: "power< 'print' trailer< '(' any* ')' > any* >",
}
PRINTS = """
pack: prints
summary: Say it by a function of one's own.
names: [report]
rules:
  - id: report-it
    title: Report it
    why: A print goes to nobody.
    match: print($...arguments)
    edit: {replace: $match, with: report($...arguments)}
    examples:
      - {before: print(1), after: report(1)}
"""


@dataclass(frozen=True)
class Task:
    """A command; ``before`` is done ahead of each run of it."""

    kind: str
    name: str
    command: Sequence[str | Path]
    environment: dict[str, str]
    before: Callable[[], object] = lambda: None


@dataclass(frozen=True)
class Measured:
    wall: float
    cpu: float
    megabytes: float
    code: int


def measured(task: Task, limit: float) -> Measured | None:
    """One run of a task; None if it took longer than ``limit`` seconds."""
    task.before()
    begun = time.monotonic()
    looked = held = 0.0
    with tempfile.TemporaryFile() as output:
        child = subprocess.Popen(
            [str(part) for part in task.command],
            stdout=output, stderr=output, stdin=subprocess.DEVNULL, env=task.environment,
            start_new_session=True,
        )  # fmt: skip
        while True:
            done, status, used = os.wait4(child.pid, os.WNOHANG)
            wall = time.monotonic() - begun
            if done:
                break
            if wall > limit:
                os.killpg(child.pid, 9)
                os.wait4(child.pid, 0)
                return None
            if wall - looked > _LOOK:
                looked, held = wall, max(held, held_by(child.pid))
            time.sleep(0.002)
    child.returncode = os.waitstatus_to_exitcode(status)
    cpu = used.ru_utime + used.ru_stime
    return Measured(wall, cpu, held or used.ru_maxrss / 1024, child.returncode)


_LOOK = 0.2


def held_by(session: int) -> float:
    """The megabytes that the processes of a session have, where the system tells."""
    found = 0
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if os.getsid(int(folder.name)) == session:
                said = (folder / "smaps_rollup").read_text()
                found += int(said.partition("\nPss:")[2].split()[0])
        except (OSError, ValueError, IndexError):  # it ended meanwhile
            continue
    return found / 1024


def installed(skipped: Sequence[str]) -> Path:
    """The folder with the programs of the peers."""
    if not TOOLS.exists():
        subprocess.run([sys.executable, "-m", "venv", TOOLS], check=True)
    for name, requirement in PEERS.items():
        pip = [TOOLS / "bin" / "pip", "install", "--quiet", requirement]
        if name not in skipped and subprocess.run(pip, capture_output=True, check=False).returncode:
            print(f"{name}: pip does not get it")
    return TOOLS / "bin"


def tasks(folders: Sequence[Path], tools: Path, work: Path) -> list[Task]:
    python, plain = sys.executable, dict(os.environ)
    home = work / "cache"
    own = {**plain, "XDG_CACHE_HOME": str(home)}
    plans = home / "pinsetter" / "plans"
    pinsetter = Path(python).with_name("pinsetter")
    pack = work / "prints.yaml"
    pack.write_text(PRINTS)
    changed = next((p for f in folders for p in sorted(f.rglob("*.py"))
                    if b"apply_gradients" in p.read_bytes()), None)  # fmt: skip

    def cold() -> None:
        shutil.rmtree(plans, ignore_errors=True)

    def append() -> None:
        if changed is not None:
            changed.write_bytes(changed.read_bytes() + b"\n")

    found = [Task(SPARSE, "reading and searching", [python, "-c", READING, *folders], plain)]
    for kind, codemod, name, pattern in (
        (SPARSE, "distribute", "apply_gradients", "$X.apply_gradients($$$)"),
        (DENSE, pack, "print", "print($$$)"),
    ):
        run = [pinsetter, "run", codemod, *folders, "--diff"]
        found.append(Task(kind, "Pinsetter, cold", run, own, cold))
        found.append(Task(kind, "Pinsetter, warm", run, own))
        if kind == SPARSE and changed is not None:
            found.append(Task(kind, "Pinsetter, one file changed", run, own, append))
        search = [tools / "ast-grep", "run", "--pattern", pattern, "--lang", "python", *folders]
        found.append(Task(kind, "ast-grep", search, plain))
        visit = LIBCST.replace("NAME", repr(name))
        script = work / f"visit_{kind}.py"
        script.write_text(visit)
        libcst = [tools / "python", script, *folders]
        found.append(Task(kind, "LibCST, two processes", libcst, plain))
        script = work / f"{kind}.py"
        script.write_text(BOWLER.replace("PATTERN", repr(SELECTED[kind])))
        found.append(Task(kind, "Bowler 0.9.0", [tools / "python", script, *folders], plain))
        scan = [tools / "semgrep", "--metrics=off", "--quiet", "--lang", "python",
                "--pattern", pattern.replace("$$$", "..."), *folders]  # fmt: skip
        found.append(Task(kind, "Semgrep", scan, plain))
    return found


def picture(rows: Sequence[tuple[str, str, float]], files: int) -> str:
    """Bars of wall seconds, as an SVG."""
    most = max(seconds for _, _, seconds in rows)
    height = 24 * len(rows) + 40
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="760" height="{height}" '
        'font-family="sans-serif" font-size="13">',
        f'<text x="10" y="20">Seconds over {files:,} files, on one machine</text>',
    ]
    for number, (kind, name, seconds) in enumerate(rows):
        y = 36 + 24 * number
        colour = "#2b6cb0" if name.startswith("Pinsetter") else "#a0aec0"
        width = max(1, round(400 * seconds / most))
        lines.append(f'<text x="10" y="{y + 14}">{escape(f"{kind}: {name}")}</text>')
        lines.append(f'<rect x="270" y="{y}" width="{width}" height="18" fill="{colour}"/>')
        lines.append(f'<text x="{276 + width}" y="{y + 14}">{seconds:.1f}</text>')
    return "\n".join([*lines, "</svg>", ""])


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folders", type=Path, nargs="+", metavar="FOLDER")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--limit", type=float, default=600, help="seconds that a run may take")
    parser.add_argument("--skip", default="", help="peers to leave out, with commas between")
    parser.add_argument("--picture", type=Path)
    asked = parser.parse_args()
    tools = installed(asked.skip.split(","))
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        folders = []
        for folder in asked.folders:  # a copy: a file of it is changed
            folders.append(work / "tree" / folder.resolve().name)
            shutil.copytree(folder, folders[-1])
        files = sum(1 for folder in folders for _ in folder.rglob("*.py"))
        # The ratio is to ast-grep.
        print(f"{files} files\n{'':36}{'wall s':>8}{'CPU s':>8}{'MB':>7}{'files/s':>9}{'ratio':>8}")
        rows: list[tuple[str, str, float]] = []
        reference: dict[str, float] = {}
        skipped = tuple(filter(None, asked.skip.lower().split(",")))
        given = [
            task
            for task in tasks(folders, tools, work)
            if Path(str(task.command[0])).exists() and not task.name.lower().startswith(skipped)
        ]
        for task in sorted(given, key=lambda t: (t.kind != SPARSE, t.name != "ast-grep")):
            title = f"{task.kind}: {task.name}"
            done: list[Measured] = []
            while len(done) < asked.runs and (one := measured(task, asked.limit)) is not None:
                done.append(one)
            if not done:
                print(f"{title:36} not done in {asked.limit:g} s", flush=True)
                continue
            wall = min(one.wall for one in done)
            reference.setdefault(task.kind, wall)
            rows.append((task.kind, task.name, wall))
            cpu, memory = min(one.cpu for one in done), max(one.megabytes for one in done)
            ratio = wall / reference[task.kind]
            figures = f"{wall:8.2f}{cpu:8.2f}{memory:7.0f}{files / wall:9.0f}{ratio:8.2f}"
            print(f"{title:36}{figures}  exit {done[-1].code}", flush=True)
    if asked.picture is not None:
        asked.picture.write_text(picture(rows, files))


if __name__ == "__main__":
    main()
