"""What a value may come from is asked of the order in which statements run."""

from __future__ import annotations

import pytest
from repository import Repository, Write

from pinsetter.analyzer.names.module import Module
from pinsetter.analyzer.syntax.tree import Expression, outer_call
from pinsetter.analyzer.values.creating_calls import origins
from pinsetter.analyzer.values.derivation import derivation
from pinsetter.analyzer.values.evaluator import Evaluator
from pinsetter.analyzer.values.sources import sources

CASES = [
    ("x = a()\nx = b()\nprobe(x)\n", {"b"}),
    ("x = a()\nprobe(x)\nx = b()\n", {"a"}),
    ("x = a()\nif c:\n    x = b()\nprobe(x)\n", {"a", "b"}),
    ("if c:\n    x = a()\nelse:\n    x = b()\n    probe(x)\n", {"b"}),
    ("x = a()\nfor i in c:\n    probe(x)\n    x = b()\n", {"a", "b"}),
    ("x = a()\ny = x\nx = b()\nprobe(y)\n", {"a"}),
    ("x = a()\ntry:\n    x = b()\nexcept E:\n    probe(x)\n", {"a"}),
    ("x = a()\ntry:\n    x = b()\n    f()\nexcept E:\n    probe(x)\n", {"a", "b"}),
    ("x = a()\ndef f():\n    probe(x)\nx = b()\nf()\n", {"a", "b"}),
    ("class C:\n    def f(self):\n        self.x = a()\n    def g(self):\n        self.x = b()\n"
     "        probe(self.x)\n", {"a", "b"}),
    ("class C:\n    def f(self):\n        probe(self.x)\nclass D(C):\n    def g(self):\n"
     "        self.x = b()\n", {"b"}),
]  # fmt: skip
ADDED = [
    ("x = a()\nx = b() if c else x\nprobe(x)\n", {"a", "b"}),
    ("x = a()\nx += b()\nprobe(x)\n", {"a", "b"}),
    ("x = a()\nx = b()\nx += c()\nprobe(x)\n", {"b", "c"}),
    ("x = a()\nfor i in c:\n    x += b()\nprobe(x)\n", {"a", "b"}),
]
MAKERS = "".join(f"from lib import {name}\n" for name in "abc")


def asked(repository: Repository) -> tuple[Expression, Module, Evaluator]:
    return repository.probe(), repository.module(), repository.evaluator


@pytest.mark.parametrize(("text", "made"), CASES)
def test_origins(write: Write, text: str, made: set[str]) -> None:
    found = origins(*asked(write(MAKERS + text)))
    assert {str(call.callee[0]).strip() for call, _ in found} == made


@pytest.mark.parametrize(("text", "made"), CASES + ADDED)
def test_sources(write: Write, text: str, made: set[str]) -> None:
    found = [outer_call(nodes) for nodes, _ in sources(*asked(write(MAKERS + text)))]
    assert {str(call.callee[0]).strip() for call in found if call is not None} == made


@pytest.mark.parametrize(("text", "made"), CASES + ADDED)
def test_derivation(write: Write, text: str, made: set[str]) -> None:
    nodes = {str(node).strip() for node, _ in derivation(*asked(write(MAKERS + text)))}
    assert {name for name in "abc" if f"{name}()" in nodes} == made
