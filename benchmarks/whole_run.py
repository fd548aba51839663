"""What a whole run costs, as a ratio to fissix parsing the same files in the same process.

    python benchmarks/whole_run.py FOLDER [--pack tf2-gradient-tape]

Prints files, lines, and for each stage the CPU time as a multiple of fissix's own parse.
"""

from __future__ import annotations

import argparse
import gc
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from fissix import pygram, pytree
from fissix.pgen2 import driver

from pinsetter.analyzer.files.find import python_files
from pinsetter.analyzer.names.project import Project
from pinsetter.codemods.engine.propose.planning import make_plan
from pinsetter.codemods.engine.running.pack_query import PackQuery
from pinsetter.patterns.packs import pack as packs
from pinsetter.patterns.packs import pack_files
from pinsetter.patterns.packs.pack import Pack

T = TypeVar("T")


def timed(work: Callable[[], T]) -> tuple[T, float]:
    """The result and the CPU seconds it took, garbage collector off."""
    gc.collect()
    gc.disable()
    start = time.process_time()
    try:
        return work(), time.process_time() - start
    finally:
        gc.enable()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pack", default="tf2-gradient-tape")
    arguments = parser.parse_args()
    path = pack_files.find(arguments.pack)
    pack = packs.load(path) if path else None
    if not isinstance(pack, Pack):
        raise SystemExit(f"no pack {arguments.pack}")
    grammar = pygram.python_grammar_no_print_and_exec_statement
    peer = driver.Driver(grammar, convert=pytree.convert)
    texts: list[str] = []
    for file in python_files(arguments.folder):
        text = file.read_text("utf-8", errors="replace") + "\n"
        try:
            peer.parse_string(text)
        except Exception:
            continue  # not Python for the peer: left out of its side, so the ratio is against us
        texts.append(text)
    _, parse = timed(lambda: [peer.parse_string(text) for text in texts])
    _, read = timed(lambda: Project([arguments.folder]))
    planned, whole = timed(lambda: make_plan([PackQuery(pack, [])], [arguments.folder]))
    lines = sum(text.count("\n") for text in texts)
    print(f"files {len(texts)}, lines {lines}, hunks {len(planned.plan.hunks)}")
    print(f"fissix parses them      1.00  ({lines / parse:,.0f} lines/s)")
    print(f"read and bind           {read / parse:.2f}")
    print(f"whole run               {whole / parse:.2f}")


if __name__ == "__main__":
    main()
