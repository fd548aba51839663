"""varies: whether what probe() is given differs from turn to turn of a loop."""

from __future__ import annotations

import pytest
from repository import Write

from pinsetter.analyzer.values.varying import varies

THE_SAME = [
    "probe(1)",
    "i = 1\nprobe(i)",
    "for i in range(3):\n    probe(j)",
    "for i in range(3):\n    pass\nprobe(i)",
    "for i in range(3):\n    probe(self.i)",
    "for i in range(3):\n    probe(f'{j}')",
    "for i in range(3):\n    j = 2\n    probe(j)",
    "names = [i for i in range(3)]\nprobe(names[0])",
    "n = 0\nn += 1\nprobe(n)",
    "def f(a):\n    probe(a)\nfor i in range(3):\n    f(1)",
    "def f(a, b):\n    probe(a)\nfor i in range(3):\n    f(1, i)",
    "def f(a, *b):\n    probe(b)\nfor i in range(3):\n    f(i, 1)",
    "class A:\n    def f(self, a, b):\n        probe(b)\nfor i in range(3):\n    A.f(a, i, 1)",
    "def f(a=1):\n    for i in range(3):\n        print(i)\n    probe(a)",
    "def f(i):\n    probe(i)",
    "class A:\n    def __init__(self, i):\n        self.i = i\n"
    "    def run(self):\n        probe(self.i)\nA(1).run()",
]
DIFFERENT = [
    "for i in range(3):\n    probe(i)",
    "for i in range(3):\n    probe('/gpu:%d' % i)",
    "for i in range(3):\n    probe(f'/gpu:{i}')",
    "for i, d in enumerate(names):\n    probe(d)",
    "for i in range(3):\n    name = '/gpu:%d' % i\n    probe(name)",
    "for i in range(3):\n    for j in range(2):\n        probe(i)",
    "[probe(i) for i in range(3)]",
    "i = 0\nwhile i < 3:\n    probe(i)\n    i += 1",
    "def f(a):\n    probe(a)\nfor i in range(3):\n    f(i)",
    "def f(a):\n    probe(a)\ntowers = [f(a=i) for i in range(3)]",
    "def f(a, *b, **c):\n    probe(b)\nfor i in range(3):\n    f(1, i)",
    "def f(a, *b, **c):\n    probe(c)\nfor i in range(3):\n    f(1, d=i)",
    "class A:\n    def f(self, a, b):\n        probe(a)\nfor i in range(3):\n    A.f(a, i, 1)",
    "def f(a):\n    probe(a)\ndef g(b):\n    f(b + 1)\nfor i in range(3):\n    g(i)",
    "class A:\n    def f(self, a):\n        probe(a)\na = A()\nfor i in range(3):\n    a.f(i)",
    "class A:\n    def __init__(self, i):\n        self.i = i\n"
    "    def run(self):\n        probe(self.i)\nfor i in range(3):\n    A(i).run()",
]


@pytest.mark.parametrize("code", THE_SAME)
def test_the_same_in_each_turn(write: Write, code: str) -> None:
    repository = write(code + "\n")
    assert not varies(repository.probe(), repository.module(), repository.evaluator)


@pytest.mark.parametrize("code", DIFFERENT)
def test_different_in_each_turn(write: Write, code: str) -> None:
    repository = write(code + "\n")
    assert varies(repository.probe(), repository.module(), repository.evaluator)
