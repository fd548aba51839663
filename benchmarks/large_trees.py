"""Repositories of hundreds of files that have to do with each other, and twice as large ones.

    python benchmarks/large_trees.py [--only WORD] [--files NUMBER] [--codemod NAME]

Each shape is a repository of about ``--files`` files. The whole command is run on it and on one of
twice as many. Prints for each shape the seconds of the processor and the megabytes of the largest
process of both, and how many times as much the larger one takes: 2 is what growth with the files
would give. How many hunks the command says of the larger one stands beside it, so that it can be
seen whether all was done.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

TRAINER = """import tensorflow as tf


class Trainer:
    def __init__(self, model, rate=0.01):
        self.model = model
        self.optimizer = tf.keras.optimizers.Adam(rate)

    def step(self, x, y):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((self.model(x) - y) ** 2)
        variables = self.model.trainable_variables
        self.optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
        return loss

    def train(self, data, log="log.txt"):
        for number, (x, y) in enumerate(data):
            loss = self.step(x, y)
            print("step", number, float(loss))
        with open(log, "w") as file:
            file.write(str(loss))
"""
MODEL = """import tensorflow as tf

{imports}

class Model{n}(tf.keras.Model):
    def __init__(self, units={n}):
        super().__init__()
        self.dense = tf.keras.layers.Dense(units)

    def call(self, x):
        return self.dense(x)

    def write(self, path):
        print("writing", path)
        with open(path, "w") as file:
            file.write(repr(self.get_config()))
"""
SCRIPT = """import tensorflow as tf

{imports}

def main():
    data = tf.data.Dataset.range(64).map(lambda n: (tf.ones((4, n)), tf.ones((4, 1)))).batch(8)
    model = {model}
    Trainer(model).train(data, "{n}.txt")
    model.write("{n}.json")


if __name__ == "__main__":
    main()
"""
Tree = Mapping[str, str]


def _script(n: int, model: str, *imports: str) -> str:
    lines = ("from core.trainer import Trainer", *imports)
    return SCRIPT.format(n=n, model=model, imports="\n".join(lines))


def _core(models: Mapping[int, str]) -> dict[str, str]:
    files = {"core/__init__.py": "", "core/trainer.py": TRAINER}
    for n, imports in models.items():
        files[f"core/model{n}.py"] = MODEL.format(n=n, imports=imports)
    return files


def one_trainer(files: int) -> Tree:
    """Scripts that have one trainer and one model in common."""
    scripts = {f"train{n}.py": _script(n, "Model0()", "from core.model0 import Model0")
               for n in range(files)}  # fmt: skip
    return _core({0: ""}) | scripts


def many_in_common(files: int) -> Tree:
    """As many scripts as modules; each loads the first half of these, and a few of the others."""
    half, count = files // 4, files // 2
    models = dict.fromkeys(range(count), "")
    tree = _core(models)
    tree["core/all.py"] = "".join(f"from core.model{n} import Model{n}\n" for n in range(half))
    for n in range(count):
        own = sorted({half + (n * step) % (count - half) for step in (1, 2, 3)})
        imports = [f"from core.model{m} import Model{m}" for m in own]
        model = f"all.Model{n % half}() if tf.executing_eagerly() else Model{own[-1]}()"
        tree[f"train{n}.py"] = _script(n, model, "from core import all", *imports)
    return tree


def by_name(files: int) -> Tree:
    """Scripts that look up their model by its name, in a package that imports all of them."""
    count = files // 2
    tree = _core(dict.fromkeys(range(count), ""))
    tree["core/all.py"] = "".join(f"from core.model{n} import Model{n}\n" for n in range(count))
    for n in range(count):
        tree[f"train{n}.py"] = _script(
            n, f'getattr(all, "Model{n}")()', "from core import all"
        )  # fmt: skip
    return tree


def in_a_row(files: int) -> Tree:
    """Modules of which each imports the one before, and one script for each ten of them."""
    count = files * 10 // 11
    row = {n: f"from core.model{n - 1} import Model{n - 1}\n" if n else "" for n in range(count)}
    tree = _core(row)
    for n in range(9, count, 10):
        tree[f"train{n}.py"] = _script(n, f"Model{n}()", f"from core.model{n} import Model{n}")
    return tree


def all_import_all(files: int) -> Tree:
    """Modules each of which imports all others, when a function of it is called, and a script.
    With twice the files there are four times as many imports."""
    line = "    from core.model{m} import Model{m}\n"
    tree = _core(dict.fromkeys(range(files), ""))
    for n in range(files):
        lines = "".join(line.format(m=m) for m in range(files) if m != n)
        tree[f"core/model{n}.py"] += f"\n\ndef others{n}():\n{lines}    return Model{n - 1 or 1}\n"
    tree["train.py"] = _script(0, "Model1()", "from core.model1 import Model1")
    return tree


def apart(files: int) -> Tree:
    """Folders of a trainer, a model and a script each, that have nothing to do with each other."""
    tree: dict[str, str] = {}
    for n in range(files // 4):
        small = {**_core({0: ""}), "train.py": _script(n, "Model0()", "from core.model0 import *")}
        tree |= {f"project{n}/{path}": text for path, text in small.items()}
    return tree


SHAPES: dict[str, Callable[[int], Tree]] = {
    "one trainer": one_trainer,
    "many in common": many_in_common,
    "models by name": by_name,
    "in a row": in_a_row,
    "apart": apart,
    "all import all": all_import_all,
}


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--only", default="", help="the shapes whose names have this word")
    options.add_argument("--files", type=int, default=300, help="of the smaller tree")
    options.add_argument("--codemod", default="distribute")
    options.add_argument("--program", default=Path(sys.executable).with_name("pinsetter"))
    given = options.parse_args()
    columns = 2 * f"{'files':>8}{'CPU s':>8}{'MB':>7}"
    print(f"{'shape':18}{columns}{'times':>8}  hunks")
    for shape, made in SHAPES.items():
        if given.only not in shape:
            continue
        columns, last, spent = "", "", []
        for files in (given.files, 2 * given.files):
            tree = made(files)
            seconds, memory, last = _measured(tree, given)
            spent.append(seconds)
            columns += f"{len(tree):8}{seconds:8.1f}{memory:7}"
        print(f"{shape:18}{columns}{spent[1] / spent[0]:8.1f}  {last}", flush=True)
    return 0


def _measured(tree: Tree, given: argparse.Namespace) -> tuple[float, int, str]:
    """Seconds of the processor, megabytes of the largest process, and what it says of hunks."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in tree.items():
            path = Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        command = [given.program, "run", given.codemod, folder, "--diff", "--no-cache"]
        # A process of its own, for the memory of the largest child is all that is kept of them.
        done = subprocess.run(
            [sys.executable, "-c", _CHILD, *command],
            capture_output=True, check=False, text=True, cwd=folder,
        )  # fmt: skip
    seconds, memory = done.stdout.split()[-2:]
    told = re.search(r"^hunks +(.*)", done.stderr, re.MULTILINE)
    return float(seconds), int(memory) // 1000, told[1] if told else done.stderr.strip()[-60:]


_CHILD = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(used.ru_utime + used.ru_stime, used.ru_maxrss)
"""

if __name__ == "__main__":
    sys.exit(main())
