"""Every rule's examples, of every pack that comes with the package."""

import pytest

from pinsetter.patterns import pack as packs
from pinsetter.patterns.examples import check_example
from pinsetter.patterns.pack import Example, Pack, Rule


def _cases() -> list[object]:
    cases = []
    for path in packs.bundled():
        pack = packs.load(path)
        assert isinstance(pack, Pack), pack
        for rule in pack.rules:
            for number, example in enumerate(rule.examples, 1):
                cases.append(pytest.param(pack, rule, example, id=f"{rule.id}-{number}"))
    return cases


@pytest.mark.parametrize(("pack", "rule", "example"), _cases())
def test_example(pack: Pack, rule: Rule, example: Example) -> None:
    problems = check_example(pack, rule, example)
    assert not problems, "\n".join(problems)


@pytest.mark.parametrize("path", packs.bundled(), ids=lambda path: path.stem)
def test_what_must_not_change_comes_first(path: object) -> None:
    pack = packs.load(path)  # type: ignore[arg-type]
    assert isinstance(pack, Pack)
    for rule in pack.rules:
        kinds = [example.after is not None or example.reported for example in rule.examples]
        assert kinds == sorted(kinds), f"{rule.id}: examples of no change come first"
        assert not kinds[0], f"{rule.id} has no example of what it leaves alone"
