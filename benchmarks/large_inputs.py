"""Files of up to a megabyte that are one thing very often: seconds of the processor and memory.

    python benchmarks/large_inputs.py [--only WORD] [--size BYTES] [--codemod NAME | --facts]

Each kind is a training program that has one construct so often that the file has ``--size`` bytes.
The whole command is run on it, with a bound of ``--seconds`` a file, and timed from start to end.
Prints a line for each, with the exit code.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

HEAD = """import tensorflow as tf
optimizer = tf.keras.optimizers.Adam(0.01)
x = tf.Variable(1.0)
"""
TAIL = """for step in range(100):
    with tf.GradientTape() as tape:
        loss = x * x
    gradients = tape.gradient(loss, [x])
    optimizer.apply_gradients(zip(gradients, [x]))
"""


def _each(line: Callable[[int], str]) -> Callable[[int], str]:
    def made(size: int) -> str:
        parts, length, number = [HEAD], len(HEAD) + len(TAIL), 0
        while length < size:
            new = line(number)
            parts.append(new)
            length += len(new)
            number += 1
        return "".join([*parts, TAIL])

    return made


def _within(before: str, item: Callable[[int], str], after: str) -> Callable[[int], str]:
    def made(size: int) -> str:
        parts, length, number = [HEAD, before], len(HEAD) + len(TAIL) + len(before + after), 0
        while length < size:
            new = item(number)
            parts.append(new)
            length += len(new)
            number += 1
        return "".join([*parts, after, TAIL])

    return made


KINDS: dict[str, Callable[[int], str]] = {
    "functions": _each(lambda n: f"def f{n}(a):\n    b = a + {n}\n    return b\n"),
    "assignments": _each(lambda n: f"name{n} = {n} + 1\n"),
    "rebinding": _each(lambda n: f"y = {n} + 1\n"),
    "calls of each other": _each(lambda n: f"def f{n}(a):\n    return f{max(n - 1, 0)}(a)\n"),
    "imports": _each(lambda n: f"import package{n}.module as m{n}\n"),
    "imports from one": _each(lambda n: f"from package import name{n}\n"),
    "classes": _each(lambda n: f"class C{n}:\n    def f(self):\n        self.x = {n}\n"),
    "keras classes": _each(
        lambda n: f"class C{n}(tf.keras.Model):\n    def call(self, x):\n        return x\n"
    ),
    "a line of subclasses": _each(
        lambda n: f"class C{n}({f'C{n - 1}' if n % 50 else 'tf.keras.Model'}):\n    a = {n}\n"
    ),
    "optimizers": _each(lambda n: f"opt{n} = tf.keras.optimizers.SGD(0.{n})\n"),
    "prints": _each(lambda n: f"print('step', {n})\n"),
    "guarded prints": _each(lambda n: f"if x > {n}:\n    print('step', {n})\n"),
    "prints in loops": _each(lambda n: f"for i in range({n}):\n    print(i)\n"),
    "fits": _each(lambda n: f"m{n} = tf.keras.Sequential([])\nm{n}.compile('sgd')\nm{n}.fit(x)\n"),
    "fits of one": _each(lambda n: f"tf.keras.Sequential([]).fit(x, epochs={n})\n"),
    "datasets": _each(lambda n: f"d{n} = tf.data.Dataset.range({n}).batch(2)\n"),
    "saves": _each(lambda n: f"x.save('model{n}')\n"),
    "tapes": _each(
        lambda n: f"with tf.GradientTape() as t{n}:\n    l{n} = x\ng{n} = t{n}.gradient(l{n}, x)\n"
    ),
    "withs": _each(lambda n: f"with open('a{n}') as f{n}:\n    pass\n"),
    "attributes": _each(lambda n: f"x.a{n}.b = x.a{max(n - 1, 0)}.b\n"),
    "strings": _each(lambda n: f"s{n} = 'text {n} {{}}'.format(x)\n"),
    "f-strings": _each(lambda n: f"s{n} = f'text {{x + {n}}}'\n"),
    "comments": _each(lambda n: f"# a comment with the number {n}\n"),
    "ifs in one another": _each(
        lambda n: "".join(f"{' ' * i}if x > {n}:\n" for i in range(18)) + " " * 18 + "pass\n"
    ),
    "elifs": _within("if x:\n    pass\n", lambda n: f"elif x == {n}:\n    y = {n}\n", ""),
    "dict": _within("d = {\n", lambda n: f"    'key{n}': [{n}, x],\n", "}\n"),
    "list of calls": _within("d = [\n", lambda n: f"    f({n}, x),\n", "]\n"),
    "list of names": _within("d = [", lambda n: f"n{n}, ", "]\n"),
    "layers": _within(
        "m = tf.keras.Sequential([\n", lambda n: f"    tf.keras.layers.Dense({n}),\n", "])\n"
    ),
    "keyword arguments": _within("f(", lambda n: f"a{n}={n}, ", ")\n"),
    "sum": _within("d = (", lambda n: f"a{n} + ", "0)\n"),
    "one function": _within("def f(a):\n", lambda n: f"    b{n} = a + {n}\n", "    return a\n"),
    "one loop": _within("for i in range(9):\n", lambda n: f"    b{n} = i + {n}\n", ""),
    "one class": _within("class C:\n", lambda n: f"    def f{n}(self):\n        self.a{n}()\n", ""),
    "parameters": _within("def f(", lambda n: f"a{n}={n}, ", "):\n    return a0\n"),
    "names from one": _within("from package import (", lambda n: f"n{n}, ", "last)\n"),
    "bases": _within("class C(", lambda n: f"package.B{n}, ", "object):\n    pass\n"),
    "decorators": _within("", lambda n: f"@decorate({n})\n", "def f():\n    pass\n"),
    "dict of one line": _within("d = {", lambda n: f"'k{n}': {n}, ", "}\n"),
    "calls in a row": _within("d = x", lambda n: f".f{n % 7}()" if n % 400 else "\nd = x", "\n"),
    "strings side by side": _within("d = (", lambda n: f"'text {n}' ", ")\n"),
    "comparisons": _within("d = (x", lambda n: f" == y{n}", ")\n"),
    "globals": _within("def f():\n", lambda n: f"    global g{n}\n    g{n} = {n}\n", ""),
    "lambdas": _each(lambda n: f"f{n} = lambda a, b={n}: a + b\n"),
    "comprehensions": _each(lambda n: f"l{n} = [i + {n} for i in range({n}) if i]\n"),
    "tries": _each(lambda n: f"try:\n    a{n} = x\nexcept ValueError:\n    a{n} = {n}\n"),
    "matches": _each(lambda n: f"match x:\n    case [a, {n}]:\n        b{n} = a\n"),
    "deletions": _each(lambda n: f"z = {n}\ndel z\n"),
    "training loops": _each(lambda n: TAIL.replace("step", f"step{n}")),
    "step functions": _each(
        lambda n: f"def train{n}(o):\n" + "".join("    " + t + "\n" for t in TAIL.splitlines())
    ),
}


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--only", default="", help="the kinds whose names have this word")
    options.add_argument("--size", type=int, default=1_000_000, help="bytes of each file")
    options.add_argument("--codemod", default="distribute")
    options.add_argument("--facts", action="store_true", help="the command facts instead of run")
    options.add_argument("--seconds", type=int, default=5, help="what a file may take")
    given = options.parse_args()
    print(f"{'kind':24}{'KB':>6}{'lines':>8}{'CPU s':>8}{'MB':>7}{'exit':>6}  last line")
    for kind, made in KINDS.items():
        if given.only in kind:
            print(f"{kind:24}" + _measured(made(given.size), given), flush=True)
    return 0


def _measured(code: str, given: argparse.Namespace) -> str:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "train.py")
        path.write_text(code)
        program = Path(sys.executable).with_name("pinsetter")
        command = ["run", given.codemod, path, "--diff", "--max-hunks", "0", "--no-cache"]
        if given.facts:
            command = ["facts", path]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        begun = time.monotonic()
        done = subprocess.run(
            [program, *command, "--timeout", str(given.seconds)],
            capture_output=True, check=False, cwd=folder,
        )  # fmt: skip
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    lines = done.stderr.decode(errors="replace").strip().splitlines() or [""]
    told = next((line for line in lines if "not done" in line), lines[-1])[-60:]
    return (
        f"{len(code) // 1000:6}{code.count(chr(10)):8}{seconds:8.1f}"
        f"{after.ru_maxrss // 1000:7}{done.returncode:6}  {told} ({time.monotonic() - begun:.0f} s)"
    )


if __name__ == "__main__":
    sys.exit(main())
