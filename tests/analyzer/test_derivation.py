"""derivation: whether what probe() is given may be computed from what ``size()`` gives."""

from __future__ import annotations

import pytest
from repository import Repository, Write

from pinsetter.analyzer.syntax.tree import is_name
from pinsetter.analyzer.values.derivation import derivation


def derives(repository: Repository) -> bool:
    found = derivation(repository.probe(), repository.module(), repository.evaluator)
    return any(is_name(part) and part.value == "size" for part, _ in found)


NOT = [
    "probe(1)",
    "workers = size()\nprobe(rate)",
    "rate = 1\nrate_2 = size()\nprobe(rate)",
    "settings = {'rate': 1, 'steps': size()}\nprobe(settings['rate'])",
    "class A:\n    def __init__(self):\n        self.rate = 1\n        self.steps = size()\n"
    "    def run(self):\n        probe(self.rate)",
    "def make(rate, steps):\n    probe(rate)\nmake(1, size())",
    "def make(rate, *steps):\n    probe(steps)\nmake(size(), 1)",
    "def make(rate, /, **steps):\n    probe(rate)\nmake(1, rate=size())",
    "class A:\n    def make(self, rate, steps):\n        probe(steps)\nA.make(a, size(), 1)",
    "def f():\n    size()\n    return 1\nprobe(f())",
    "rate, steps = 1, size()\nprobe(rate)",
    "args.rate = 1\nargs.steps = size()\nprobe(args.rate)",
    "args.rate, args.steps = 1, size()\nprobe(args.rate)",
    "args.rate, rest = given()\nsize()\nprobe(args.rate)",
    "class Schedule:\n    def __call__(self):\n        return 1\n    def other(self):\n"
    "        return size()\nprobe(Schedule())",
]
SO = [
    "args.steps, args.rate = 1, size()\nprobe(args.rate)",
    "def f():\n    return 1, 2 * size()\nargs.steps, args.rate = f()\nprobe(args.rate)",
    "class A:\n    def __init__(self):\n        (self.steps, self.rate) = self.f()\n"
    "    def f(self):\n        return 1, size()\na = A()\nprobe(a.rate)",
    "probe(2 * size())",
    "rate = 2 * size()\nprobe(rate + 1)",
    "rate = 1\nrate *= size()\nprobe(rate)",
    "workers = size()\nrate = 2 * workers\nprobe(rate)",
    "steps, rate = 1, size()\nprobe(rate)",
    "probe([rate * size() for rate in rates])",
    "rates = [rate * size() for rate in rates]\nfor rate in rates:\n    probe(rate)",
    "probe(lambda: size())",
    "def f():\n    return size()\nprobe(f())",
    "def f():\n    return size()\nprobe(f)",
    "def f():\n    scaled = 1\n    scaled *= size()\n    return scaled\nprobe(f())",
    "def make(rate):\n    probe(rate)\nmake(size())",
    "def make(rate=size()):\n    probe(rate)",
    "def make(**options):\n    probe(options)\nmake(rate=size())",
    "def make(rate, *steps):\n    probe(steps)\nmake(1, size())",
    "def make(rate, /, **steps):\n    probe(steps)\nmake(1, rate=size())",
    "class A:\n    def make(self, rate, steps):\n        probe(rate)\nA.make(a, size(), 1)",
    "def inner(rate):\n    probe(rate)\ndef outer(value):\n    inner(rate=value)\nouter(size())",
    "class A:\n    def __init__(self, rate):\n        self.rate = rate * size()\n"
    "    def run(self):\n        probe(self.rate)",
    "class A:\n    rate = size()\nprobe(A.rate)",
    "class A:\n    def __init__(self, rate):\n        self.rate = rate\n"
    "    def run(self):\n        probe(self.rate)\nA(size())",
    "args.rate *= size()\nprobe(args.rate)",
    "settings['rate'] = size()\nprobe(settings['rate'])",
    "settings = {'rate': size()}\nprobe(settings['rate'])",
    "settings = dict(rate=size())\nprobe(settings)",
    "class Schedule:\n    def __call__(self):\n        return size()\nprobe(Schedule())",
    "class Schedule:\n    def __init__(self, rate):\n        self.rate = rate\n"
    "    def __call__(self):\n        return self.rate\nprobe(Schedule(size()))",
    "probe(f'{size()}')",
]


@pytest.mark.parametrize("code", NOT)
def test_what_does_not_go_in(write: Write, code: str) -> None:
    assert not derives(write(code + "\n"))


@pytest.mark.parametrize("code", SO)
def test_what_goes_in(write: Write, code: str) -> None:
    assert derives(write(code + "\n"))


def test_what_another_module_holds(write: Write) -> None:
    main = "import settings\nfrom settings import steps\nprobe(settings.rate)\nprobe(steps)\n"
    repository = write({"main.py": main, "settings.py": "rate = size()\nsteps = 1\n"})
    assert derives(repository)
    found = derivation(repository.probe(nth=1), repository.module(), repository.evaluator)
    assert not any(is_name(part) and part.value == "size" for part, _ in found)
