"""sources: back to the expressions that an expression may take its value from."""

from __future__ import annotations

import textwrap

import pytest
from repository import Write

from pinsetter.analyzer.values.sources import sources


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("ask(made())", ["made()"]),
        ("value = made()\nask(value)", ["made()"]),
        ("value = first() if here else second()\nask(value)", ["first()", "second()"]),
        ("a, (b, c) = 1, (2, made())\nask(c)", ["made()"]),
        ("with made() as value:\n    ask(value)", ["made()"]),
        ("def give():\n    return made()\nask(give())", ["give()", "made()"]),
        ("def take(value):\n    ask(value)\ntake(made())", ["made()"]),
        (
            "class A:\n    def take(self, value, other):\n        ask(value)\n"
            "class B(A):\n    def take(self):\n        A.take(self, made(), 1)",
            ["made()"],
        ),
        ("def take(value=made()):\n    ask(value)\ntake()", ["made()"]),
        ("class A:\n    def b(self):\n        self.c = made()\n        ask(self.c)", ["made()"]),
        ("model.init = made()\ndef run(other):\n    ask(other.init)", ["made()"]),
        ("def build():\n    return {'init': made()}\nask(build()['init'])", ["made()"]),
        ("ask(nothing)", ["nothing"]),
        ("value, other = value\nask(value)", ["value"]),
        ("value, other = other\nother, value = value\nask(value)", ["value"]),
        ("def turn(value):\n    value = turn(value)\n    ask(value)", ["turn(value)"]),
    ],
)
def test_sources(write: Write, code: str, expected: list[str]) -> None:
    repository = write(textwrap.dedent(code))
    module = repository.facts.project.given[0]
    call = next(c for c in module.tree.calls if module.tree.source(c.callee) == "ask")
    asked = (call.arguments[0].value,)
    found = sources(asked, module, repository.facts.evaluator)
    assert sorted(where.tree.source(code) for code, where in found) == expected


@pytest.mark.parametrize(
    "code",
    [
        "class A:\n    def __init__(self): self.first = made()\n"
        "def run(other):\n    ask(other.first)\n    ask(other.first)\nlast.first = more()",
        "value = first() if here else second()\nask(value)\nask(value)",
        "value, other = other\nother, value = value\nask(value)\nask(other)\nask(value)",
        "def take(pair):\n    a, b = pair\n    a, b = b, a\n    ask(a)\n    ask(b)\n"
        "take((made(), 1))\ntake(pair)",
        "ask(nothing)\nask(nothing)",
    ],
)
def test_what_was_asked_before_changes_nothing(write: Write, code: str) -> None:
    calls = textwrap.dedent(code).count("ask(")

    def asked(order: list[int]) -> dict[int, list[str]]:
        repository = write(textwrap.dedent(code))
        module = repository.facts.project.given[0]
        every = [c for c in module.tree.calls if module.tree.source(c.callee) == "ask"]
        places = sorted(every, key=lambda c: module.tree.start(c.power))
        found = {}
        for number in order:
            given = (places[number].arguments[0].value,)
            ways = sources(given, module, repository.facts.evaluator)
            found[number] = [where.tree.source(code) for code, where in ways]
        return found

    forwards, backwards = asked([*range(calls)]), asked([*reversed(range(calls))])
    assert forwards == backwards
    assert forwards == {n: asked([n])[n] for n in range(calls)}
