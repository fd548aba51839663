"""By the types of nodes nothing is left out that a pattern fits."""

from __future__ import annotations

from pathlib import Path

import pytest

from pinsetter.analyzer.names.project import Project
from pinsetter.patterns.packs import pack_files
from pinsetter.patterns.packs.pack import load
from pinsetter.patterns.reading.code_pattern import compile_query

PROGRAMS = Path(__file__).parents[2] / "fixtures" / "programs"


@pytest.mark.parametrize("program", ["traced_gan", "session_class", "keras_callbacks"])
def test_what_a_pattern_fits_is_of_its_kinds(program: str) -> None:
    project = Project(sorted((PROGRAMS / program).rglob("*.py")))
    packs = [load(path) for path in [*pack_files.bundled(), *pack_files.parts()]]
    patterns = {rule.pattern.text: rule.pattern for pack in packs for rule in pack.rules}
    assert sum(pattern.kinds is not None for pattern in patterns.values()) > len(patterns) / 2
    for module in project.given:
        for node in module.tree.nodes():
            for pattern in patterns.values():
                fits = any(True for _ in pattern.matches(node))
                assert pattern.may_fit(node) or not fits, (pattern.text, str(node))


@pytest.mark.parametrize(
    "query",
    ["any", "any+", "'a'*", "('a' | any)", "('a' 'b' | 'c')", "['a']", "not 'a'", "'a'{1,3}"],
)
def test_a_pattern_that_may_fit_anything(query: str) -> None:
    assert compile_query(query).kinds is None
