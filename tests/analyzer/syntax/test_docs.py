"""docs/syntax.md: every new symbol has an example, and its pattern matches it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from fissix import pygram
from fissix.patcomp import PatternCompiler

from pinsetter.analyzer.syntax import grammar, parse

PAGE = Path(__file__).resolve().parents[3] / "docs" / "syntax.md"
SECTION = re.compile(r"^### (\w+)\n(.*?)(?=^##)", re.MULTILINE | re.DOTALL)
SECTIONS = dict(SECTION.findall(PAGE.read_text("utf-8")))
INVISIBLE = {"closed_pattern"}


def fenced(section: str, language: str) -> str:
    found = re.search(rf"```{language}\n(.*?)```", section, re.DOTALL)
    assert found is not None
    return found[1]


def test_every_new_symbol_is_on_the_page() -> None:
    fissix = (Path(pygram.__file__).parent / "Grammar.txt").read_text("utf-8")
    ours = {name for name in grammar.load().numbers if not re.search(rf"(?m)^{name}:", fissix)}
    assert set(SECTIONS) == ours


@pytest.mark.parametrize("symbol", sorted(SECTIONS.keys() - INVISIBLE))
def test_an_example_has_its_symbol_and_its_pattern_matches_it(symbol: str) -> None:
    section = SECTIONS[symbol]
    tree = parse(fenced(section, "python"))
    number = getattr(pygram.python_symbols, symbol)
    assert any(node.type == number for node in tree.pre_order())
    text = fenced(section, "pattern")
    assert symbol in text
    pattern = PatternCompiler().compile_pattern(text)
    assert any(pattern.match(node) for node in tree.pre_order())


@pytest.mark.parametrize("symbol", sorted(INVISIBLE))
def test_what_is_said_to_be_invisible_is(symbol: str) -> None:
    number = getattr(pygram.python_symbols, symbol)
    for section in SECTIONS.values():
        for code in re.findall(r"```python\n(.*?)```", section, re.DOTALL):
            assert all(node.type != number for node in parse(code).pre_order())
