"""How long it takes from an edit to what it makes of code, where a run is watched.

python benchmarks/edit_to_effect.py [FOLDER [CODEMOD]]

A pack, or a file of the code, is written; the clock stops at the end of what `run --watch` prints.
Without FOLDER the code is one file of three lines; CODEMOD is lazy-logging if it is not given.
"""

from __future__ import annotations

import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pexpect

from pinsetter.patterns.packs.pack_files import find

TURNS = 10
_CODE = 'import logging\nlog = logging.getLogger()\nlog.warn("%s" % 1)\n'
_DONE = r"hunks +\d+ proposed"
_REST = 0.6


def measured(pack: Path, code: Path) -> Iterator[tuple[str, list[float]]]:
    """Seconds, for edits of a file of the code and of the pack."""
    file = code if code.suffix else code / "edited.py"
    file.write_text(_CODE)
    command = str(Path(sys.executable).parent / "pinsetter")
    arguments = ["run", str(pack), str(code), "--diff", "--watch"]
    run = pexpect.spawn(command, arguments, encoding="utf-8", timeout=600)
    run.expect(_DONE)

    def timed(edit: Callable[[], object]) -> float:
        time.sleep(_REST)
        start = time.monotonic()
        edit()
        run.expect(_DONE)
        return time.monotonic() - start

    text = pack.read_text("utf-8")
    yield "code", [timed(lambda n=n: file.write_text(f"{_CODE}x = {n}\n")) for n in range(TURNS)]
    yield "pack", [timed(lambda n=n: pack.write_text(f"{text}# {n}\n")) for n in range(TURNS)]
    run.sendintr()
    run.expect(pexpect.EOF)


def main(folder: str = "", codemod: str = "lazy-logging") -> None:
    found = find(codemod)
    assert found is not None, codemod
    with tempfile.TemporaryDirectory() as place:
        pack, code = Path(place) / "packs" / "mine.yaml", Path(place) / "code"
        pack.parent.mkdir()
        shutil.copy(found, pack)
        if folder:
            shutil.copytree(folder, code)
        else:
            code.mkdir()
            code = code / "main.py"
        for what, seconds in measured(pack, code):
            middle = statistics.median(seconds)
            print(f"{what}: {middle:.2f} s (from {min(seconds):.2f} to {max(seconds):.2f})")


if __name__ == "__main__":
    main(*sys.argv[1:])
