"""Mutated sources through parser and analyzer: what crashes, changes bytes, or takes too long.

    python benchmarks/fuzz_parser.py --seconds 900 [--lines 120]

Sources are windows of the standard library, the tests and the fixtures; a mutation flips bytes,
moves, repeats or removes tokens, or puts a piece of another source in. Everything that parses must
give its own text back; one in some of it goes through all of the analyzer. Prints what went wrong
with the seed that makes it again (--seed N --count 1), and the figures. Exits with 1 if something
went wrong.
"""

from __future__ import annotations

import argparse
import faulthandler
import random
import re
import resource
import sys
import sysconfig
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path

from pinsetter.analyzer.domains.tensorflow.restrictions import check
from pinsetter.analyzer.facts import Facts
from pinsetter.analyzer.files.bounds import Bounds
from pinsetter.analyzer.files.source import decode
from pinsetter.analyzer.messages.problem import Problem
from pinsetter.analyzer.names.module import Module, analyse
from pinsetter.analyzer.names.project import Project
from pinsetter.codemods.engine.watchdog.watch import ExceededError, watched

ROOT = Path(__file__).parents[1]
_LARGEST = 1_000_000
_TOKEN = re.compile(rb"\w+|\s+|[^\w\s]")
# What parsers trip over.
_SPICE = [
    b"(", b")", b"[", b"]", b"{", b"}", b":", b":=", b"*", b"**", b"\\\n", b"\\", b"\n", b"\r",
    b"\t", b"\x0c", b"\x00", b"\xff", b"\xef\xbb\xbf", b"\xc2\xa0", b"\xe2\x80\xa8", b"'", b'"""',
    b'f"{', b'}"', b"f'{x!r:{y}}'", b"lambda", b"await ", b"async ", b"match ", b"case ",
    b"type X[T]=", b"print ", b"exec ", b"`", b"<>", b"@", b"->", b"...", b";", b"not ",
    b"yield ", b"from a import *", b"global x", b"del ", b"if x else ", b"for x in ", b"with (",
    b"except* E:", b"# coding: latin-1\n", b"tf.GradientTape()", b"optimizer.apply_gradients",
    b"model.fit", b"self.", b"0x", b"1_", b"1e",
]  # fmt: skip
_TRAINING = b"""import tensorflow as tf
optimizer = tf.keras.optimizers.Adam(0.01)
x = tf.Variable(1.0)
for step in range(100):
    with tf.GradientTape() as tape:
        loss = x * x
    gradients = tape.gradient(loss, [x])
    optimizer.apply_gradients(zip(gradients, [x]))
"""


def corpus() -> list[Path]:
    library = Path(sysconfig.get_path("stdlib"))
    files = [path for path in library.rglob("*.py") if "site-packages" not in path.parts]
    files += [*(ROOT / "fixtures").rglob("*.py"), *(ROOT / "tests").rglob("*.py")]
    return sorted(files)


@lru_cache(maxsize=500)
def _lines_of(path: Path) -> list[bytes]:
    return path.read_bytes().splitlines(keepends=True)


def _window(chance: random.Random, files: Sequence[Path], size: int) -> bytes:
    lines = _lines_of(chance.choice(files))
    start = chance.randrange(max(1, len(lines)))
    start -= start % 2 and min(start, chance.randrange(size))
    lines = lines[start : start + chance.randrange(1, size)]
    first = lines[0] if lines else b""
    margin = first[: len(first) - len(first.lstrip(b" "))]
    return b"".join(line.removeprefix(margin) for line in lines)


def mutated(chance: random.Random, files: Sequence[Path], size: int) -> bytes:
    """A source that differs from a window of less than ``size`` lines of ``files`` by some
    mutations."""
    data = _window(chance, files, size)
    if chance.random() < 0.3:
        at = _TRAINING.index(b"for") if chance.random() < 0.5 else len(_TRAINING)
        data = _TRAINING[:at] + data + _TRAINING[at:]
    for _ in range(chance.choice((1, 1, 1, 2, 3, 8))):
        tokens = _TOKEN.findall(data) or [b"\n"]
        at, other = chance.randrange(len(tokens)), chance.randrange(len(tokens))
        match chance.randrange(7):
            case 0:
                some = bytearray(data or b" ")
                some[chance.randrange(len(some))] ^= 1 << chance.randrange(8)
                data = bytes(some)
                continue
            case 1:
                tokens[at], tokens[other] = tokens[other], tokens[at]
            case 2:
                del tokens[at : at + chance.choice((1, 1, 2, 20))]
            case 3:
                tokens[at:at] = [tokens[at]] * chance.choice((1, 2, 50, 2000))
            case 4:
                tokens.insert(at, chance.choice(_SPICE) * chance.choice((1, 1, 1, 3, 100, 3000)))
            case 5:
                tokens[at:at] = _TOKEN.findall(_window(chance, files, size))
            case 6:
                low, high = sorted((at, other))
                tokens[at:at] = tokens[low : min(high, low + 200)] * chance.choice((1, 2, 10))
        data = b"".join(tokens)[:_LARGEST]
    return data


def _parsed(path: Path, data: bytes) -> Module | None:
    source = decode(path, data)
    if isinstance(source, Problem):
        return None
    module = analyse(source, "fuzzed")
    if isinstance(module, Problem):
        assert not module.reason.startswith("not understood"), module.reason
        return None
    assert str(module.tree.root) == source.text, "the tree has another text than the file"
    return module


def _analysed(path: Path, data: bytes) -> None:
    path.write_bytes(data)
    facts = Facts(Project([path]))
    _ = facts.programs.all
    _ = list(check(facts))
    for module in facts.project.given:
        _ = list(facts.sigma.bindings(module))


def fuzz(
    seeds: Sequence[int] | range,
    seconds: float,
    every: int,
    size: int,
    say: Callable[[str], object],
) -> Counter[str]:
    """Try one source for each seed, until ``seconds`` are over; the figures, ``wrong`` among them.
    One in ``every`` that parses is analysed."""
    counts: Counter[str] = Counter()
    files = corpus()
    end = time.monotonic() + seconds
    slowest = 0.0
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "fuzzed.py")
        for seed in seeds:
            if time.monotonic() > end:
                break
            data = mutated(random.Random(seed), files, size)
            begun = time.process_time()
            counts["tried"] += 1
            try:
                with watched(Bounds(seconds=10, memory=1_000)):
                    if _parsed(path, data) is not None:
                        counts["parsed"] += 1
                        if seed % every == 0:
                            counts["analysed"] += 1
                            _analysed(path, data)
            except ExceededError as error:
                counts["wrong"] += 1
                say(f"seed {seed}: {len(data)} bytes: {error.reason}")
            except Exception as error:
                counts["wrong"] += 1
                place = traceback.extract_tb(error.__traceback__)[-1]
                what = f"{type(error).__name__}: {error}"[:120]
                say(f"seed {seed}: {what} ({Path(place.filename).name}:{place.lineno})")
            slowest = max(slowest, time.process_time() - begun)
    counts["slowest, ms"] = int(slowest * 1000)
    counts["most memory, MB"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1000
    return counts


def main() -> None:
    faulthandler.enable()
    parser = argparse.ArgumentParser(description="Fuzz parser and analyzer.")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=10**9)
    parser.add_argument("--seconds", type=float, default=900)
    parser.add_argument("--every", type=int, default=10, help="analyse one in so many that parse")
    parser.add_argument("--lines", type=int, default=120, help="a window has fewer")
    given = parser.parse_args()
    seeds = range(given.seed, given.seed + given.count)
    counts = fuzz(
        seeds, given.seconds, given.every, given.lines, lambda text: print(text, flush=True)
    )
    print(", ".join(f"{name} {count}" for name, count in counts.items()))
    sys.exit(bool(counts["wrong"]))


if __name__ == "__main__":
    main()
