"""Random small repositories, and what Python itself says of them when it imports them."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path

from hypothesis import strategies as st

_NAMES = ("A", "B", "C", "f")
_FOLDERS = ("", "p/", "p/r/", "q/")
_STATEMENTS = [
    "class {x}: pass", "class {x}({y}): pass", "class {x}({y}, {z}): pass",
    "class {x}(object): pass",
    "class {x}({m}.{y}): pass", "class {x}:\n    class A: pass\n    B = {y}",
    "class {x}({y}.A): pass", "def {x}(): pass", "{x} = {y}", "{x} = {m}.{y}", "{x} = {y}.A",
    "{x} = {y}.B", "{x} = {z} = {y}", "{x}, {y} = {y}, {z}", "{x} = {y} if len('') else {z}",
    "{x} = len('')", "{x} = (lambda: {y})()", "import {d}", "import {d} as {x}",
    "from {d} import {x}", "from {d} import {x} as {y}", "from {d} import {x}, {y}",
    "from {d} import *", "from {r} import {x}", "from {r} import {x} as {y}", "from {r} import *",
    "from . import {m}", "from . import {m} as {x}", "from .. import {m}", "from . import {x}",
    "from collections import OrderedDict as {x}", "import collections as {x}",
    "from collections import *", "__all__ = ['{x}', '{m}']", "__all__ += ['{x}']",
    "{d}.{x} = {y}", "del {x}", "globals()['{x}'] = {y}", "for {x} in ({y}, {z}): pass",
    "@(lambda made: {y})\nclass {x}: pass", "class {x}(metaclass=type): pass", "object = {y}",
    "def g():\n    global {x}\n    {x} = {y}\ng()", "{x}: int", "type.{x} = 1",
    "def g():\n    from {d} import {x}\n    class L({x}): pass\n    return L\n{x} = g()",
]  # fmt: skip
_AROUND = [
    "{}", "{}", "{}", "try:\n{i}\nexcept Exception: pass",
    "try:\n{i}\nexcept Exception:\n    {x} = None",
    "if len(''):\n{i}\nelse:\n{j}", "if TYPE_CHECKING:\n{i}", "try:\n{i}\nexcept Exception:\n{j}",
]  # fmt: skip

# Imports every module; prints the order of each class's ancestors.
_ASK = r"""
import importlib, json, sys, types
sys.path.insert(0, sys.argv[1])
sys.dont_write_bytecode = True
for name in sys.argv[2:]:
    try:
        importlib.import_module(name)
    except Exception:
        pass
def said(value):
    if isinstance(value, types.ModuleType):
        return value.__name__
    if isinstance(value, (type, types.FunctionType)):
        return value.__module__ + "." + value.__qualname__
    return None
orders = {}
for name in sys.argv[2:]:
    module = sys.modules.get(name)
    for key, value in vars(module).items() if module is not None else ():
        if not key.startswith("__") and key != "TYPE_CHECKING":
            if isinstance(value, type):
                orders.setdefault(said(value), []).append([said(base) for base in value.__mro__])
print(json.dumps(orders))
"""


@st.composite
def repositories(draw: st.DrawFn) -> dict[str, str]:
    """Files by their names, in no order."""
    source = draw(st.randoms(use_true_random=False))
    modules = [f"{source.choice(_FOLDERS)}m{number}.py" for number in range(source.randint(1, 5))]
    packages = [f"{folder}__init__.py" for folder in _FOLDERS[1:] if source.random() < 0.9]
    files = modules + packages
    return {file: _text(source, file, files) for file in files}


def module_of(file: str) -> str:
    return file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _text(source: random.Random, file: str, files: list[str]) -> str:
    rows = ["from typing import TYPE_CHECKING"] if source.random() < 0.5 else ["TYPE_CHECKING = 0"]
    rows += [_statement(source, files) for _ in range(source.randint(0, 7))]
    return "\n".join(rows) + "\n"


def _statement(source: random.Random, files: list[str]) -> str:
    def simple() -> str:
        dotted = module_of(source.choice(files))
        last = dotted.rpartition(".")[2]
        return source.choice(_STATEMENTS).format(
            x=source.choice(_NAMES), y=source.choice(_NAMES), z=source.choice(_NAMES),
            m=last, d=dotted, r=f"{source.choice(('.', '.', '..'))}{source.choice((last, ''))}",
        )  # fmt: skip

    inner, other = simple(), simple()
    around = source.choice(_AROUND)
    return around.format(inner, i=_indented(inner), j=_indented(other), x=source.choice(_NAMES))


def _indented(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.split("\n"))


def imported(folder: Path, files: dict[str, str]) -> dict[str, list[list[str | None]]]:
    """What Python says: by class, the orders of its ancestors."""
    modules = sorted(module_of(file) for file in files)
    command = [sys.executable, "-I", "-S", "-W", "ignore", "-c", _ASK, str(folder), *modules]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    orders: dict[str, list[list[str | None]]] = json.loads(done.stdout)
    return orders
