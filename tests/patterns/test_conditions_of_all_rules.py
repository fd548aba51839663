"""What the head of a file says must hold for each of its rules, and functions that it defines."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from snippets import load_text, pack_data

from pinsetter.codemods.engine.authoring.examples import outcome_of
from pinsetter.patterns.packs.pack import Pack, load, load_all

IN_LOOP = {"in_loop": {"as": "loop"}}
EDIT = {"wrap": "$x", "with": "g($it)"}


def pack(head: list[Any], own: list[Any]) -> Pack:
    data = pack_data(match="f($x)", edit=EDIT, where=own)
    result = load_text(yaml.safe_dump(data | {"where": head}))
    assert isinstance(result, Pack), result
    return result


@pytest.mark.parametrize(
    ("where", "own", "code", "after"),
    [
        ([IN_LOOP], [], "f(1)\n", "f(1)\n"),
        ([IN_LOOP], [], "for i in x:\n    f(1)\n", "for i in x:\n    f(g(1))\n"),
        ([IN_LOOP], [{"string": "$x"}], "for i in x:\n    f(i)\n", None),
        ([{"not": IN_LOOP}], [{"number": "$x"}], "f(1)\n", "f(g(1))\n"),
        ([], [], "f(1)\n", "f(g(1))\n"),
    ],
)
def test_a_rule_needs_both(where: list[Any], own: list[Any], code: str, after: str | None) -> None:
    made = pack(where, own)
    assert outcome_of(made, made.rules[0], code).text == (after or code)


def files(folder: Path, part: dict[str, Any]) -> tuple[Path, Path]:
    """A pack, with a rule of its own, and the part that it includes."""
    own = pack_data(match="h($x)", edit=EDIT) | {"include": ["part.yaml"]}
    own["rules"][0]["id"] = "own"
    (folder / "part.yaml").write_text(yaml.safe_dump(part))
    (folder / "pack.yaml").write_text(yaml.safe_dump(own))
    return folder / "pack.yaml", folder / "part.yaml"


def part_of(**rule: Any) -> dict[str, Any]:
    data = pack_data(match="f($x)", edit=EDIT, **rule)
    return {"part": data.pop("pack"), **data}


def test_it_is_for_the_rules_of_the_file_alone(tmp_path: Path) -> None:
    made = load(files(tmp_path, part_of() | {"where": [IN_LOOP]})[0])
    assert isinstance(made, Pack), made
    assert [rule.where for rule in made.rules] == [(IN_LOOP,), ()]


@pytest.mark.parametrize(
    ("where", "reason"),
    [
        ([{"number": "$x"}], "nothing is called $x here"),
        ([{"in_lop": True}], "in_lop"),
        ([{"is_class": ["$match", "loging.Logger"]}], "loging"),
        ("in_loop", "where"),
    ],
)
def test_mistakes_are_told_at_the_head(where: Any, reason: str) -> None:
    found = load_text(yaml.safe_dump(pack_data(match="f($x)", edit=EDIT) | {"where": where}))
    assert isinstance(found, list)
    (problem,) = found
    assert reason in problem.reason
    assert problem.line > 15  # where the head's conditions stand


def test_a_part_with_a_mistake_says_that_first(tmp_path: Path) -> None:
    """Whoever tests a part wants to know what is wrong with it, and not that it is a part."""
    path = files(tmp_path, part_of(where=[{"number": "$y"}]))[1]
    (problem,) = load_all(path)
    assert "$y" in problem.reason
    (whole,) = load_all(files(tmp_path, part_of())[1])
    assert "a part is no pack of its own" in whole.reason


DEFINED = "def g(x):\n    return x\n"


@pytest.mark.parametrize(
    ("code", "after"),
    [
        (f"{DEFINED}f(g(1))\n", f"{DEFINED}f(g(1))\n"),
        (f"{DEFINED}f(1)\n", f"{DEFINED}f(g(1))\n"),
        # Who calls another function so has none of these.
        ("from other import g\nf(g(1))\n", None),
    ],
)
def test_a_function_that_the_pack_defines_is_the_programs(code: str, after: str | None) -> None:
    rule = {"match": "f($x)", "edit": EDIT, "where": [{"not": {"made_by": ["$x", "wrappers"]}}]}
    data = pack_data(**rule) | {"functions": {"wrappers": ["g"]}, "definitions": {"g": DEFINED}}
    made = load_text(yaml.safe_dump(data))
    assert isinstance(made, Pack), made
    text = outcome_of(made, made.rules[0], code).text
    if after is None:
        assert text != code
    else:
        assert text == after


def test_a_name_that_is_defined_nowhere_is_no_function() -> None:
    data = pack_data(match="f($x)", edit=EDIT) | {"functions": {"wrappers": ["gg"]}}
    (problem,) = load_text(yaml.safe_dump(data))
    assert "'gg' is no qualified name" in problem.reason
