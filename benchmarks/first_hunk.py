"""How soon is the first hunk shown? A review in a terminal, against the whole run over its tree.

    python benchmarks/first_hunk.py [--files 20000] [--turns 3] [--joined]

The tree has packages whose modules import each other, and in its last folder 300 training programs
from fixtures/programs; with --joined all of them import one module besides, so that no package can
be looked at alone. The ratio is that of the first question to `--check` on the same machine.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pexpect

REPOSITORY = Path(__file__).resolve().parents[1]
PROGRAMS = REPOSITORY / "fixtures" / "programs"
COMMAND = [str(Path(sys.executable).parent / "pinsetter"), "run", "distribute", "--no-cache"]
IN_PACKAGE = 50
TRAINING = 300


def make_tree(folder: Path, files: int, joined: bool = False) -> None:
    common = "from common import log\n" if joined else ""
    if joined:
        (folder / "common.py").write_text("def log(text):\n    print(text)\n")
    for number in range(files // IN_PACKAGE):
        package = folder / f"team{number // 20:03d}" / f"package{number:03d}"
        package.mkdir(parents=True)
        (package / "__init__.py").touch()
        for module in range(IN_PACKAGE - 1):
            functions = "".join(
                f"def f{n}(a, b={n}):\n    return [a + x for x in range(b) if x % 3]\n\n\n"
                for n in range(12)
            )
            after = (module * 7 + 1) % (IN_PACKAGE - 1)
            head = f"{common}import os\nimport sys\nfrom .module{after} import f0\n\n\n"
            (package / f"module{module}.py").write_text(head + functions)
    names = ("keras_gan", "linear_regression")
    texts = [(PROGRAMS / name / "main.py").read_text() for name in names]
    for number in range(TRAINING):
        program = folder / "z" / f"experiment{number:03d}"
        program.mkdir(parents=True)
        text = texts[number % len(texts)].replace("import ", f"{common}import ", 1)
        (program / "train.py").write_text(text)


def first_question(folder: Path) -> float:
    """Seconds from the start of the command to its first question."""
    start = time.perf_counter()
    child = pexpect.spawn(COMMAND[0], [*COMMAND[1:], str(folder)], timeout=600)
    child.expect("Apply th(is|ese)")
    seconds = time.perf_counter() - start
    child.sendintr()
    child.expect(pexpect.EOF)
    child.close()
    return seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--files", type=int, default=20_000)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--joined", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_tree(folder, arguments.files, arguments.joined)
        first = statistics.median(first_question(folder) for _ in range(arguments.turns))
        start = time.perf_counter()
        subprocess.run([*COMMAND, str(folder), "--check"], capture_output=True, check=False)
        whole = time.perf_counter() - start
    print(f"files {arguments.files + TRAINING}")
    print(f"first question {first:.2f} s (median of {arguments.turns})")
    print(f"whole run      {whole:.1f} s, ratio {first / whole:.3f}")


if __name__ == "__main__":
    main()
