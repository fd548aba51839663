"""Does a change of Pinsetter change what it says? All that it says of many programs, as files.

    python benchmarks/digest.py FOLDER [--program bin/pinsetter] [--jobs 2] PROGRAM_OR_FOLDER...
    diff -r FOLDER OTHER

For each path: the output, the messages and the exit code of ``run distribute --diff``, of a report
as JSON and of ``facts``, with absolute paths and times taken out. Without paths, the fixtures.
Two states of Pinsetter behave the same on these programs if their folders are the same;
``--program`` is the command of the other state, which may be installed anywhere.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures"
COMMANDS = {
    "diff": ("run", "distribute", "--diff"),
    "report": ("run", "distribute", "--check", "--format", "json"),
    "facts": ("facts", "--json"),
    "calls": ("facts", "--calls"),
}
_VARIES = re.compile(
    r'(?<="uri": ")file://[^"\n]*?(?=/patterns/packs/)'  # where that state is installed
    r'|"(?:version|generated|duration|started|seconds)": [^,\n]*|\d+(?:\.\d+)? ?s\b|\d+ MB'
)


def digest_of(program: Path, path: Path, timeout: float) -> str:
    """What the commands say of a program, one after the other."""
    said = []
    with tempfile.TemporaryDirectory() as folder:
        environment = {
            **os.environ, "XDG_STATE_HOME": folder, "XDG_CACHE_HOME": folder, "COLUMNS": "100",
        }  # fmt: skip
        for name, arguments in COMMANDS.items():
            command = [str(program), *arguments, "."]
            try:
                done = subprocess.run(
                    command, cwd=path, env=environment, capture_output=True, timeout=timeout,
                    stdin=subprocess.DEVNULL,
                )  # fmt: skip
            except subprocess.TimeoutExpired:
                said.append(f"===== {name}: not done in {timeout:.0f} seconds\n")
                continue
            said.append(f"===== {name}: exit code {done.returncode}\n")
            for stream in (done.stdout, done.stderr):
                text = stream.decode("utf-8", "backslashreplace").replace(str(path), "PROGRAM")
                said.append(_VARIES.sub("…", text) + "-----\n")
    return "".join(said)


def main() -> None:
    assert __doc__
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("paths", nargs="*", type=Path)
    parser.add_argument("--program", type=Path, default=Path(sys.executable).parent / "pinsetter")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--timeout", type=float, default=1800)
    given = parser.parse_intermixed_args()
    folder: Path = given.folder
    folder.mkdir(parents=True, exist_ok=True)
    paths = [path.resolve() for path in given.paths] or [
        *sorted(path for path in (FIXTURES / "programs").iterdir() if path.is_dir()),
        FIXTURES / "demo",
    ]
    program: Path = given.program.absolute()

    def make(path: Path) -> None:
        (folder / f"{path.name}.txt").write_text(digest_of(program, path, given.timeout), "utf-8")

    with ThreadPoolExecutor(given.jobs) as pool:
        list(pool.map(make, paths))
    print(f"{len(paths)} programs in {folder}")


if __name__ == "__main__":
    main()
