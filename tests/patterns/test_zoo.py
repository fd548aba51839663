"""The expression zoo over every rule of the bundled packs and parts.

Here some of the kinds stand in some of each rule's captures, every kind somewhere;
PINSETTER_ZOO=all puts each in all of them, as `make laws` does.
"""

import os

import pytest
from zoo import ZOO, Spot, expression, spots

from pinsetter.patterns.packs import pack as packs
from pinsetter.patterns.packs import pack_files
from pinsetter.patterns.packs.pack import Pack, Rule

ALL = os.environ.get("PINSETTER_ZOO") == "all"
SPOTS, KINDS = 1, 3


def _rules() -> list[tuple[Pack, Rule]]:
    cases = []
    for path in [*pack_files.bundled(), *pack_files.parts()]:
        pack = packs.load(path)
        assert isinstance(pack, Pack), pack
        for rule in pack.own_rules:
            if rule.edits and any(example.after is not None for example in rule.examples):
                cases.append((pack, rule))
    return cases


CASES = _rules()


def _some(number: int, found: list[Spot]) -> list[tuple[Spot, str]]:
    """Some of a rule's captures, with some kinds each: others for each rule and capture."""
    if not found:
        return []
    if ALL:
        return [(spot, kind) for spot in found for kind in ZOO]
    kinds = list(ZOO)
    some = [found[(number + at) % len(found)] for at in range(min(SPOTS, len(found)))]
    return [
        (spot, kinds[(number * 11 + at * 53 + step * 19) % len(kinds)])
        for at, spot in enumerate(some)
        for step in range(KINDS)
    ]


@pytest.mark.parametrize(
    "number", range(len(CASES)), ids=[f"{pack.name}-{rule.id}" for pack, rule in CASES]
)
def test_rule_with_other_expressions(number: int) -> None:
    pack, rule = CASES[number]
    wrong = [
        one
        for spot, kind in _some(number, spots(pack, rule))
        for one in spot.show(kind, again=ALL).wrong
    ]
    assert not wrong, "\n\n".join(
        f"{one.law}, {one.kind}:\n{one.code}\nbecomes\n{one.result}\nnot\n{one.wanted}"
        for one in wrong
    )


@pytest.mark.parametrize("kind", ZOO)
def test_every_kind_is_an_expression(kind: str) -> None:
    assert expression(ZOO[kind].replace("X", "own")) is not None
