"""The Python files of the wheels in corpus.txt, as a monorepo of other people's code.

    python benchmarks/corpus.py [--into build/corpus] [NAME...]

Gets the wheels with pip, on any machine those for Python 3.11 on Linux, and unpacks their ``.py``
files into a folder for each; with names, only these. A folder that is there is left as it is.
Nothing in the wheels is run.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
PINNED = HERE / "corpus.txt"
_ANYWHERE = (
    "--only-binary=:all:", "--python-version=3.11", "--platform=manylinux2014_x86_64",
)  # fmt: skip


def pinned() -> dict[str, str]:
    """The requirement of each package, by its name."""
    lines = (line.partition("#")[0].strip() for line in PINNED.read_text().splitlines())
    return {line.partition("==")[0]: line for line in lines if line}


def unpack(requirement: str, folder: Path) -> int:
    """Put a package's Python files into a new folder; how many there are.

    Raises CalledProcessError if pip, which says why, does not get the wheel.
    """
    with tempfile.TemporaryDirectory() as wheels:
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", wheels]
        subprocess.run([*pip, *_ANYWHERE, requirement], check=True)
        (wheel,) = Path(wheels).glob("*.whl")
        beside = folder.with_name(f"{folder.name}.part{os.getpid()}")
        with zipfile.ZipFile(wheel) as opened:
            files = [name for name in opened.namelist() if name.endswith(".py")]
            opened.extractall(beside, files)
        beside.rename(folder)  # what is there is there as a whole
    return len(files)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--into", type=Path, default=HERE.parent / "build" / "corpus")
    parser.add_argument("names", nargs="*", metavar="NAME")
    asked = parser.parse_args()
    known = pinned()
    if unknown := set(asked.names) - known.keys():
        parser.error(f"not in {PINNED.name}: {', '.join(sorted(unknown))}")
    asked.into.mkdir(parents=True, exist_ok=True)
    for name in asked.names or known:
        folder = asked.into / name
        if folder.exists():
            print(f"{name}: there already")
        else:
            try:
                print(f"{name}: {unpack(known[name], folder)} files")
            except subprocess.CalledProcessError:
                sys.exit(f"{known[name]}: pip did not get its wheel (see above)")


if __name__ == "__main__":
    main()
