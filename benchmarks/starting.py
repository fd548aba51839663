"""What does the .pth file cost each time Python starts?

    python benchmarks/starting.py [--starts 400]

Two virtual environments are made, alike but for the .pth file, which only one has. Python is
started in each in turn, and says in nanoseconds how long its ``site`` took, which is what reads
such files; the line itself is timed in processes that do nothing else. Printed are medians, what 95
of 100 medians of samples drawn anew from the same starts lie between, and the least of all, which
other processes on the machine have slowed down the least.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import statistics
import subprocess
import tempfile
import venv
from collections.abc import Sequence
from pathlib import Path

PTH = Path(__file__).parents[1] / "codemods" / "engine" / "bowler" / "pinsetter-bowler.pth"
# -S: site is imported by the program itself, which can look at the clock.
WHOLE = (
    "import site, time; t = time.perf_counter_ns(); site.main(); print(time.perf_counter_ns() - t)"
)
LINE = (
    "import os, sys, time; line = open(sys.argv[1]).read(); t = time.perf_counter_ns(); "
    "exec(line); print(time.perf_counter_ns() - t)"
)


def nanoseconds(python: Path, *arguments: str) -> int:
    command = [str(python), "-S", "-E", "-c", *arguments]
    return int(subprocess.run(command, check=True, capture_output=True).stdout)


def middle(samples: Sequence[float]) -> str:
    chance = random.Random(0)
    medians = sorted(
        statistics.median(chance.choices(samples, k=len(samples))) for _ in range(1000)
    )
    middle, low, high = statistics.median(samples), medians[25], medians[975]
    least = min(samples)
    return f"{middle / 1e3:8.1f} µs  [{low / 1e3:.1f}, {high / 1e3:.1f}]  {least / 1e3:8.1f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--starts", type=int, default=400)
    starts = parser.parse_args().starts
    with tempfile.TemporaryDirectory() as base:
        pythons = {}
        for name in ("without", "with"):
            folder = Path(base, name)
            venv.create(folder, symlinks=os.name != "nt")
            pythons[name] = next(p for p in folder.glob("*/python*") if p.is_file())
        site = next(Path(base, "with").rglob("site-packages"))
        shutil.copy(PTH, site)
        found: dict[str, list[int]] = {name: [] for name in pythons}
        for number in range(starts):
            for name in sorted(pythons, reverse=bool(number % 2)):
                found[name].append(nanoseconds(pythons[name], WHOLE))
        lines = [nanoseconds(pythons["without"], LINE, str(PTH)) for _ in range(starts)]
    pairs = [b - a for a, b in zip(found["without"], found["with"], strict=True)]
    print(f"site without it   {middle(found['without'])}")
    print(f"site with it      {middle(found['with'])}")
    print(f"difference        {middle(pairs)}")
    print(f"the line alone    {middle(lines)}")


if __name__ == "__main__":
    main()
