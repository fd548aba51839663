"""The laws on programs made by chance, for every general rule; hypothesis finds the smallest one.

They run where PINSETTER_FUZZ says how many programs in all, as `make laws` does.
"""

import os

import pytest
from hypothesis import HealthCheck, Phase, assume, given, note, settings
from hypothesis import strategies as st
from law_rules import SETTLED, LawRule
from random_code import programs
from rule_laws import opened, tried

from pinsetter.patterns.reading.emitter import METAVARIABLE

pytestmark = pytest.mark.skipif(
    "PINSETTER_FUZZ" not in os.environ, reason="set PINSETTER_FUZZ to the number of programs"
)
# What is taken twice doubles with each match around it: by chance there are many.
ONCE = [
    rule
    for rule in SETTLED
    if len(found := METAVARIABLE.findall(rule.edit.get("with", ""))) == len(set(found))
]
EXAMPLES = max(5, int(os.environ.get("PINSETTER_FUZZ", "300")) // len(ONCE))


@pytest.mark.parametrize("rule", ONCE, ids=lambda rule: rule.id)
@given(data=st.data())
@settings(
    max_examples=EXAMPLES, deadline=None,
    suppress_health_check=list(HealthCheck), phases=(Phase.explicit, Phase.generate),
)  # fmt: skip
def test_random_program(rule: LawRule, data: st.DataObject) -> None:
    code = data.draw(programs(rule))
    file = opened(code) if code else None
    assume(file is not None)
    assert file is not None
    note(code)
    broken = tried(file, rule, "program").broken
    assert not broken, "\n".join(str(one) for one in broken)
