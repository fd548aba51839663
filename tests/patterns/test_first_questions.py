"""What is asked first leaves out no rule that fits, and most of those that do not."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest

from pinsetter.analyzer.facts import Facts
from pinsetter.analyzer.names.module import Module
from pinsetter.analyzer.names.project import Project
from pinsetter.analyzer.syntax.tree import Expression
from pinsetter.codemods.engine.propose.rule_query import by_shape
from pinsetter.patterns.applying.first_questions import FirstQuestions
from pinsetter.patterns.applying.module_rules import ModuleRules
from pinsetter.patterns.packs import pack_files
from pinsetter.patterns.packs.pack import Pack, Rule, load_all

PROGRAMS = Path(__file__).parents[2] / "fixtures" / "programs"


@pytest.fixture(scope="module")
def packs() -> tuple[Pack, ...]:
    found = load_all(pack_files.find("distribute") or Path())
    assert isinstance(found, tuple)
    return found


def matches(program: str, packs: Iterable[Pack]) -> list[tuple[str, str, int, int]]:
    """What the rules of the packs fit, where, and with how many warnings."""
    project = Project(sorted((PROGRAMS / program).rglob("*.py")))
    facts = Facts(project, classes={name for pack in packs for name in pack.classes})
    found = []
    for pack in packs:
        groups = [alike for shape in by_shape(pack.rules).values() for alike in shape]
        for module in project.given:
            rules = ModuleRules(pack, module, facts)
            for node in module.tree.nodes():
                for alike in groups:
                    if alike[0].pattern.may_fit(node):
                        found += rules.matches(node, *alike)
    return [
        (m.rule.id, str(m.module.path), m.module.tree.start(m.node), len(m.warnings)) for m in found
    ]


@pytest.mark.parametrize(
    "program", ["traced_gan", "session_class", "keras_callbacks", "estimator_model_fn"]
)
def test_no_rule_is_left_out(
    program: str, packs: tuple[Pack, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    found = matches(program, packs)
    tried: list[tuple[int, int]] = []
    as_it_is = FirstQuestions.worth_a_try

    def all_of_them(
        self: FirstQuestions, captures: Mapping[str, Expression], module: Module
    ) -> Iterable[Rule]:
        worth = [*as_it_is(self, captures, module)]
        tried.append((len(worth), len(self._rules)))
        return self._rules

    monkeypatch.setattr(FirstQuestions, "worth_a_try", all_of_them)
    assert matches(program, packs) == found
    few, every = map(sum, zip(*tried, strict=True))
    assert few < every / 4, (few, every)
