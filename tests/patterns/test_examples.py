"""Every rule's examples, of every pack and part that comes with the package.

A part's rules are tested once, with the part's own imports and roles.
"""

from pathlib import Path

import pytest

from pinsetter.codemods.engine.authoring.examples import check_example
from pinsetter.patterns.packs import pack as packs
from pinsetter.patterns.packs import pack_files
from pinsetter.patterns.packs.pack import Example, Pack, Rule

PATHS = [*pack_files.bundled(), *pack_files.parts()]


def _cases() -> list[object]:
    cases = []
    for path in PATHS:
        pack = packs.load(path)
        assert isinstance(pack, Pack), pack
        for rule in pack.own_rules:
            for number, example in enumerate(rule.examples, 1):
                name = f"{pack.name}-{rule.id}-{number}"
                cases.append(pytest.param(pack, rule, example, id=name))
    return cases


@pytest.mark.parametrize(("pack", "rule", "example"), _cases())
def test_example(pack: Pack, rule: Rule, example: Example) -> None:
    failure = check_example(pack, rule, example)
    assert failure is None, str(failure)


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_what_must_not_change_comes_first(path: Path) -> None:
    pack = packs.load(path)
    assert isinstance(pack, Pack)
    for rule in pack.own_rules:
        if rule.is_of_imports:
            continue
        kinds = [example.after is not None or example.reported for example in rule.examples]
        assert kinds == sorted(kinds), f"{rule.id}: examples of no change come first"
        assert not kinds[0], f"{rule.id} has no example of what it leaves alone"
