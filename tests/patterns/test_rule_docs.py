"""The pages for people: the rules that they name exist, and so does what they link to."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from pinsetter.codemods.engine.authoring.examples import check_example, check_together
from pinsetter.patterns.packs import pack as packs
from pinsetter.patterns.packs import pack_files
from pinsetter.patterns.packs.pack import Pack

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
ABOUT_RULES = [
    ROOT / "docs" / f"{name}.md" for name in ("formal-rules", "published-tool", "soundness")
]
FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(?<!!)\[([^\]]*)\]\(([^)\s]+)\)")
RULE_PAGE = re.compile(r"rules/([\w-]+)\.md#([\w-]+)")
# What is written as rules are, with hyphens: rules, packs and parts.
HYPHENATED = re.compile(r"`([a-z0-9]+(?:-[a-z0-9]+)+)`")


@cache
def rules() -> dict[str, set[str]]:
    """The rules of each bundled pack and part, by its name."""
    found = {}
    for path in [*pack_files.bundled(), *pack_files.parts()]:
        pack = packs.load(path)
        assert isinstance(pack, Pack), pack
        found[pack.name] = {rule.id for rule in pack.own_rules}
    return found


def links(page: Path) -> list[tuple[str, str]]:
    """The texts and targets of a page's links; those that lead out of the repository are not."""
    found = LINK.findall(FENCE.sub("", page.read_text("utf-8")))
    return [(text, target) for text, target in found if "://" not in target]


def anchors(page: Path) -> set[str]:
    """What links to a page's headings end in."""
    headings = re.findall(r"^#+ (.*)$", FENCE.sub("", page.read_text("utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_what_is_linked_to_exists(page: Path) -> None:
    for text, target in links(page):
        path, _, anchor = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        assert file.exists(), f"[{text}]({target})"
        if anchor:
            assert anchor in anchors(file), f"[{text}]({target})"


@pytest.mark.parametrize("page", ABOUT_RULES, ids=lambda page: page.stem)
def test_rules_are_named_and_linked_where_they_are(page: Path) -> None:
    named = [(text, RULE_PAGE.fullmatch(target)) for text, target in links(page)]
    assert any(found for _, found in named)
    for text, found in named:
        if found is not None:
            home, rule = found.groups()
            assert rule in rules()[home]
            assert text == f"`{rule}`"


@pytest.mark.parametrize("page", ABOUT_RULES, ids=lambda page: page.stem)
def test_nothing_is_named_that_is_no_rule(page: Path) -> None:
    known = set(rules()).union(*rules().values())
    assert set(HYPHENATED.findall(page.read_text("utf-8"))) <= known


def whole_packs() -> list[tuple[str, str]]:
    """The packs that pages write out, with the page."""
    found = []
    for page in PAGES:
        blocks = re.findall(r"^```yaml\n(pack: .*?)^```", page.read_text("utf-8"), re.M | re.S)
        found += [(page.stem, block) for block in blocks]
    return found


def own_python(page: str) -> list[tuple[str, str]]:
    """The Python files that a page writes out, each with its name in the first line."""
    text = next(one for one in PAGES if one.stem == page).read_text("utf-8")
    return re.findall(r"^```python\n# (\w+\.py)\n(.*?)^```", text, re.M | re.S)


@pytest.mark.parametrize(("page", "text"), whole_packs())
def test_packs_that_are_written_out_pass_their_examples(
    page: str, text: str, tmp_path: Path
) -> None:
    path = tmp_path / "pack.yaml"
    path.write_text(text)
    for name, code in own_python(page):
        (tmp_path / name).write_text(code)
    pack = packs.load(path)
    assert isinstance(pack, Pack), pack
    for rule in (rule for rule in pack.rules if not rule.is_of_imports):
        assert len(rule.examples) > 1
        for example in rule.examples:
            assert check_example(pack, rule, example) is None
            assert example.after is None or check_together(pack, rule, example) is None
