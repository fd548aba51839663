"""What the parser covers, and what it costs beside fissix's own driver on the same files.

    python benchmarks/parsing.py PYTHON... [--speed-lines N]

Each PYTHON is an interpreter; the files are its standard library and tests. Printed: how many of
those that this interpreter compiles parse and round-trip, how many trees equal fissix's (and the
others by name), lines per second and bytes of tree against fissix in the same process, and how long
the grammar's tables take to load.
"""

from __future__ import annotations

import argparse
import gc
import json
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path

from fissix import pygram, pytree
from fissix.pgen2 import driver
from fissix.pytree import Leaf, Node

from pinsetter.analyzer import syntax
from pinsetter.analyzer.files import source
from pinsetter.analyzer.syntax import grammar

# Run by each interpreter, 2.7 too: the files of its library that it compiles itself.
_COMPILES = r"""
from __future__ import print_function
import io, json, os, sys, sysconfig, warnings
warnings.simplefilter("ignore")
good = []
for folder, folders, names in os.walk(sysconfig.get_path("stdlib")):
    folders[:] = sorted(f for f in folders if f not in ("site-packages", "__pycache__"))
    for name in sorted(names):
        path = os.path.join(folder, name)
        if not name.endswith(".py"):
            continue
        try:
            with io.open(path, "rb") as file:
                compile(file.read(), path, "exec", 0, True)
        except (SyntaxError, ValueError, TypeError, MemoryError, RuntimeError):
            continue
        good.append(path)
json.dump(good, sys.stdout)
"""


def compiled_files(python: str) -> list[Path]:
    out = subprocess.run([python, "-c", _COMPILES], check=True, capture_output=True).stdout
    return [Path(path) for path in json.loads(out)]


def peers(text: str) -> Iterator[pytree.Base]:
    """The trees that fissix makes, print and exec being functions or statements."""
    for tables in (
        pygram.python_grammar_no_print_and_exec_statement,
        pygram.python_grammar_no_print_statement,
        pygram.python_grammar,
    ):
        try:
            yield driver.Driver(tables, convert=pytree.convert).parse_string(text)
        except Exception:  # fissix raises many kinds
            continue


def flat(tree: pytree.Base) -> Iterator[tuple[object, ...]]:
    """All nodes in order: type, and for leaves value, prefix, line and column."""
    stack = [tree]
    while stack:
        node = stack.pop()
        if isinstance(node, Leaf):
            yield (node.type, node.value, node.prefix, node.lineno, node.column)
        else:
            yield (node.type, len(node.children))
            stack.extend(reversed(node.children))


def difference(ours: Node, theirs: pytree.Base) -> str:
    for mine, other in zip(flat(ours), flat(theirs), strict=False):
        if mine != other:
            return f"{mine} for {other}"
    return ""


def coverage(python: str) -> list[str]:
    """Print one line for an interpreter; return the texts that fissix parses too."""
    files = compiled_files(python)
    both: list[str] = []
    parsed = theirs = 0
    differences: list[str] = []
    for path in files:
        read = source.read(path)
        if isinstance(read, source.Source):
            text = read.text
            try:
                tree = syntax.parse(text)
            except syntax.SyntaxProblem as problem:
                print(f"  {path}:{problem.line}:{problem.column + 1}: {problem.reason}")
                continue
            if str(tree) != text:
                print(f"  {path}: another text")
                continue
            parsed += 1
            found: list[str] = []
            for other in peers(text) if text.endswith("\n") else ():
                found.append(difference(tree, other))
                if not found[-1]:
                    break
            if found:
                theirs += 1
                both.append(text)
                if found[-1]:
                    differences.append(f"  {path}: {found[0][:120]}")
        else:
            print(f"  {read}")
    share = 100 * parsed / len(files)
    print(
        f"{python}: {parsed} of {len(files)} files parse and round-trip ({share:.2f} %); ", end=""
    )
    print(f"fissix parses {theirs}, of which {theirs - len(differences)} have the same tree")
    print("\n".join(differences), end="\n" if differences else "")
    return both


def timed(parse: Callable[[str], object], texts: list[str]) -> float:
    """CPU seconds, garbage collector off, trees dropped one by one."""
    gc.collect()
    gc.disable()
    start = time.process_time()
    for text in texts:
        parse(text)
    spent = time.process_time() - start
    gc.enable()
    return spent


def memory(parse: Callable[[str], object], texts: list[str]) -> int:
    """Bytes that the trees of ``texts`` hold."""
    gc.collect()
    tracemalloc.start()
    trees = [parse(text) for text in texts]
    gc.collect()
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    del trees
    return held


def load_time() -> float:
    """Milliseconds for the grammar's tables, from the cache."""
    start = time.perf_counter()
    grammar.load()
    return 1000 * (time.perf_counter() - start)


def main() -> None:
    assert __doc__
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("python", nargs="+")
    parser.add_argument("--speed-lines", type=int, default=60_000)
    arguments = parser.parse_args()
    texts = [text for python in arguments.python for text in coverage(python)]
    texts = texts[:: max(1, sum(t.count("\n") for t in texts) // arguments.speed_lines)]
    lines = sum(text.count("\n") for text in texts)
    tables = pygram.python_grammar_no_print_and_exec_statement
    texts = [text for text in texts if "print " not in text and "exec " not in text]
    lines = sum(text.count("\n") for text in texts)
    fissix = driver.Driver(tables, convert=pytree.convert).parse_string
    ratios = []
    for _ in range(5):  # in turns, so that a busy machine disturbs both
        theirs, ours = timed(fissix, texts), timed(syntax.parse, texts)
        ratios.append((theirs / ours, lines / theirs, lines / ours))
    ratio, their_speed, our_speed = sorted(ratios)[2]
    print(
        f"speed on {lines} lines of {len(texts)} files, median of 5 turns: {our_speed:,.0f} lines/s"
    )
    print(f"  fissix {their_speed:,.0f} lines/s: {ratio:.2f} times as fast")
    some = texts[:40]
    print(f"memory of a tree: {memory(syntax.parse, some) / memory(fissix, some):.2f} of fissix's")
    print(f"tables load in {min(load_time() for _ in range(5)):.1f} ms")


if __name__ == "__main__":
    sys.exit(main())
