"""What a key costs in a review of many hunks, and what memory it takes.

    python benchmarks/review.py [--hunks 10000] [--lines 300]

A plan is made directly: modules of so many lines with twenty hunks each, which all require one,
with imports, and a tenth of them alternatives. FORCE_COLOR=1 in the environment has the diffs
highlighted, as in a terminal. Prints for each key the median and the worst CPU time from the answer
to the next question, and the process's memory at its largest.
"""

from __future__ import annotations

import argparse
import builtins
import contextlib
import io
import resource
import statistics
import time
from collections import defaultdict
from pathlib import Path

from keys import most_memory

from pinsetter.analyzer.files.source import Source, decode
from pinsetter.analyzer.names.module import Module, analyse
from pinsetter.codemods.engine.decide.decisions import Decisions
from pinsetter.codemods.engine.hunks.hunk import Hunk
from pinsetter.codemods.engine.hunks.plan import Plan
from pinsetter.codemods.engine.review import Manner, Order, review
from pinsetter.patterns.edits.edit import Edit

_IN_A_FILE = 20


def module(number: int, lines: int) -> Module:
    text = "".join(f"value_{n} = compute({n}, scale={n % 7})  # line {n}\n" for n in range(lines))
    source = decode(Path(f"package/module_{number}.py"), text.encode())
    assert isinstance(source, Source)
    found = analyse(source, f"package.module_{number}")
    assert isinstance(found, Module)
    found.forget()  # as planning does
    return found


def hunks(count: int, lines: int) -> list[Hunk]:
    found: list[Hunk] = []
    for number in range(-(-count // _IN_A_FILE)):
        file = module(number, lines)
        imported = f"{number}-import"
        found.append(Hunk(imported, "import-hvd", "Import", "Used.", file, 1,
                          (Edit(0, 0, "import hvd\n"),), follows=True))  # fmt: skip
        for place in range(_IN_A_FILE):
            line = place * lines // _IN_A_FILE
            at = file.source.text.index(f"compute({line},")
            requires = {imported} if found[1:] == [] else {imported, "0-0"}
            other = {f"{number}-{place - 1}"} if place % 10 == 9 else set()
            found.append(Hunk(f"{number}-{place}", f"rule-{place % 5}", "Scale the value",
                              "The value grows with the number of workers.", file, line + 1,
                              (Edit(at, at + 7, "hvd.compute"),), requires=frozenset(requires),
                              alternatives=frozenset(other)))  # fmt: skip
    return found


class Person:
    """Answers; notes how long each took."""

    def __init__(self, answers: list[str]) -> None:
        self.answers = answers
        self.took: dict[str, list[float]] = defaultdict(list)
        self._last = ""
        self._since = 0.0

    def ask(self, prompt: str) -> str:
        now = time.process_time()
        if self._last:
            self.took[self._last].append(now - self._since)
        if not self.answers:
            raise EOFError
        self._last = self.answers.pop(0)
        self._since = time.process_time()
        return self._last


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--hunks", type=int, default=10_000)
    parser.add_argument("--lines", type=int, default=300)
    parser.add_argument("--by", choices=["hunk", "file", "rule"], default="hunk")
    arguments = parser.parse_args()
    made = hunks(arguments.hunks, arguments.lines)
    plan = Plan(made)
    decisions = Decisions(plan)
    middle, last = arguments.hunks // 2, arguments.hunks - 1
    answers = [
        "j", "J", "k", "K", "y", "y", "n", "u", "u", f"g {middle}", "y", "y", "n", "u", "j", "K",
        "+", "-", "s", "/rule-4", "a", "u", "d", "u", f"g {last}", "y", "u", "k", "/nowhere", "g 1",
    ]  # fmt: skip
    everything = ["A", "u", "D", "u", f"g {middle}", "A", "u", "D", "u"]
    person = Person([*answers, *["y", "n", "j"] * 300, *everything])
    made_with = memory()
    builtins.input = person.ask  # type: ignore[assignment]
    with contextlib.redirect_stdout(io.StringIO()):
        review(plan, decisions, manner=Manner(Order(arguments.by)))
    keys: dict[str, list[float]] = defaultdict(list)
    for answer, times in person.took.items():
        keys[answer[:1]].extend(times)
    print(f"{len(plan.slots)} hunks in {len(plan.by_module())} files of {arguments.lines} lines")
    for key, times in sorted(keys.items()):
        middle_time, worst = statistics.median(times) * 1000, max(times) * 1000
        print(f"{key}  {len(times):4} times  median {middle_time:7.2f} ms  worst {worst:7.2f} ms")
    print(f"memory {made_with:.0f} MB for the plan and its files, {memory():.0f} MB at most")


def memory() -> float:
    """The most that the process had at any time, in MB."""
    # The other figure is that of the process which started this one, if that had more.
    return most_memory("self") or resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main()
