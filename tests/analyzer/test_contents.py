"""contents: what lists, tuples and mappings hold, wherever they are made and added to."""

from __future__ import annotations

import textwrap

import pytest
from repository import Write

from pinsetter.analyzer.values.contents import contents


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("ask(one)", ["one"]),
        ("ask(())", ["()"]),
        ("ask([one, (two, three())])", ["one", "three()", "two"]),
        ("ask({'a': one, 'b': [two]})", ["one", "two"]),
        ("ops = [one, two]\nask(ops)", ["one", "two"]),
        ("ops = [one] + [two]\nask(ops)", ["one", "two"]),
        ("ask(one - two)", ["one - two"]),
        ("ask([x for x in y])", ["[x for x in y]"]),
        ("def give():\n    return one, two\nask(give())", ["give()", "one", "two"]),
        ("ops = []\nops.append(one)\nask(ops)", ["[]", "one"]),
        ("ops = [one]\nops.extend([two])\nops.insert(0, three)\nask(ops)", ["one", "three", "two"]),
        ("ops = [one]\nops += [two]\nask(ops)", ["one", "two"]),
        ("def other(ops):\n    ops.append(two)\nops = [one]\nask(ops)", ["one"]),
        ("ops = one\nfor x in y:\n    ops = [ops, two]\nask(ops)", ["one", "two"]),
        ("ops = one\nfor x in y:\n    ops = ops + (ops,)\nask(ops)", ["one"]),
    ],
)
def test_contents(write: Write, code: str, expected: list[str]) -> None:
    repository = write(textwrap.dedent(code))
    module = repository.facts.project.given[0]
    call = next(c for c in module.tree.calls if module.tree.source(c.callee) == "ask")
    found = contents((call.arguments[0].value,), module, repository.facts.evaluator)
    held = (source for each in found for source, _ in each.sources)
    assert sorted(module.tree.source(source) for source in held) == expected


def test_a_name_that_gets_an_item_of_itself_many_times(write: Write) -> None:
    """Each may be of each; this ends."""
    lines = "    df = df[df[a] < df[b]]\n" * 30
    repository = write(f"def f(df, a, b):\n{lines}    return df.set_index(a)\n")
    call = repository.call("set_index")
    assert not repository.evaluator.evaluate(call.receiver, repository.module()).items
