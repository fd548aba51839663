"""How soon is a key answered in a terminal, in a session of many hunks that is saved?

    python benchmarks/keys.py [--hunks 10000] [--in-a-file 50] [--while-reading]

A tree of scripts is made in a temporary folder, and a pack whose first rule all others require. The
real program runs in a pseudo-terminal. For each key: the median and the worst time to the next
question, the program's own writing to the disk included. ``--while-reading`` asks from the first
hunk on, else it waits until all files were read.
"""

from __future__ import annotations

import argparse
import re
import statistics
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

import pexpect

COMMAND = Path(sys.executable).parent / "pinsetter"
QUESTION, TWICE, WHERE = "Apply this hunk", "Do so", "Go to which hunk"
RULES = 5
START = """\
pack: many
summary: Many hunks.
rules:
  - id: start-log
    title: Start the log
    why: The log is opened once, before anything is scaled.
    query: file_input< any* >
    where: [{not: {present: {code: "open_log()", in: module}}}]
    edit: {insert: open_log(), place: start}
    examples: [{unchanged: open_log()}]
"""
RULE = """\
  - id: scale-%(n)d
    title: Scale the value
    why: The value grows with the number of workers.
    match: compute_%(n)d($first, $second)
    edit: [{wrap: $first, with: scaled($it)}, {wrap: $second, with: scaled($it)}]
    requires: [start-log]
    examples: [{unchanged: other()}]
"""


def make_tree(folder: Path, hunks: int, in_a_file: int) -> None:
    for number in range(-(-hunks // in_a_file)):
        lines = [f"# Script {number}.\n"]
        for line in range(in_a_file - 1):
            lines.append(f"value_{line} = compute_{line % RULES}({line}, {number})\n")
            lines.append(f"note_{line} = describe(value_{line}, 'line {line}')\n")
        (folder / f"script_{number:04}.py").write_text("".join(lines))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--hunks", type=int, default=10_000)
    parser.add_argument("--in-a-file", type=int, default=50)
    parser.add_argument("--while-reading", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        pack, tree = Path(name, "many.yaml"), Path(name, "tree")
        tree.mkdir()
        pack.write_text(START + "".join(RULE % {"n": number} for number in range(RULES)))
        make_tree(tree, arguments.hunks, arguments.in_a_file)
        child = pexpect.spawn(
            str(COMMAND), ["run", str(pack), str(tree), "--by", "hunk", "--yes"],
            encoding="utf-8", timeout=600, dimensions=(50, 160),
        )  # fmt: skip
        child.delaybeforesend = None
        child.expect(QUESTION)
        if not arguments.while_reading:
            ask(child, f"g {arguments.hunks}")
            ask(child, "g 1")
        middle = arguments.hunks // 2
        alone = [*"ynuujJkKsynr", "/line 7", "y", "a", "u"]
        everywhere = ["j", "A", "u", "j", "D", "u"]
        took: dict[str, list[float]] = defaultdict(list)
        answers = [*alone, *["y", "n", "j"] * 100, *everywhere]
        if not arguments.while_reading:
            answers += [f"g {middle}", *alone, *["y", "n"] * 100, *everywhere]
        for answer in answers:
            took[answer[:1]].append(ask(child, answer))
            if arguments.while_reading:
                time.sleep(0.02)
        memory = most_memory(child.pid)
        child.sendintr()
        child.expect(pexpect.EOF)
    for key, times in sorted(took.items()):
        median, worst = statistics.median(times) * 1000, max(times) * 1000
        print(f"{key}  {len(times):4} times  median {median:7.1f} ms  worst {worst:7.1f} ms")
    print(f"memory {memory:.0f} MB at most")


def ask(child: Any, answer: str) -> float:
    """Answer; the seconds until the next question."""
    start = time.perf_counter()
    child.send(answer[0])
    if len(answer) > 1:
        child.expect(WHERE)
        child.sendline(answer[1:])
    if child.expect([QUESTION, TWICE]):
        child.send("y")
        child.expect(QUESTION)
    return time.perf_counter() - start


def most_memory(process: int | str) -> float:
    """The most that a process had at any time, in MB; 0 where that is not known."""
    try:
        found = re.search(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{process}/status").read_text())
    except OSError:
        return 0.0
    return int(found[1]) / 1024 if found else 0.0


if __name__ == "__main__":
    main()
