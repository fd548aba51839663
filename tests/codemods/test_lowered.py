"""lower-control-flow on functions as they are in public threads, and on loops of each form: what
becomes of them. What the frameworks say to that, `make test-frameworks` asks them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from lowering import lowered

FIXTURES = Path(__file__).parents[2] / "fixtures" / "lowered"
PAIRS = [
    pytest.param(target, one, id=f"{target}-{one['name']}")
    for target in ("torch", "jax", "tf")
    for folder in (FIXTURES, FIXTURES / "loops")
    for one in yaml.safe_load((folder / f"{target}.yaml").read_text())
]


@pytest.mark.parametrize(("target", "pair"), PAIRS)
def test_what_becomes_of_it(target: str, pair: dict[str, Any]) -> None:
    found = lowered(pair["before"], target, pair["lines"])
    assert found.text == pair["after"]
    assert found.said == []
    assert lowered(found.text, target, range(1, 99)).text == found.text
