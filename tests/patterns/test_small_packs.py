"""Small packs, each about one thing, whose examples are the tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from pinsetter.codemods.engine.authoring.examples import check_example, check_together
from pinsetter.patterns.packs.pack import Pack, load

FOLDER = Path(__file__).parent / "small_packs"


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.yaml")), ids=lambda path: path.stem)
def test_examples(path: Path) -> None:
    pack = load(path)
    assert isinstance(pack, Pack), pack
    assert pack.name == path.stem
    for rule in pack.rules:
        for example in rule.examples:
            assert check_example(pack, rule, example) is None
            assert example.after is None or check_together(pack, rule, example) is None
