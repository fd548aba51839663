"""What the docstring of each predicate shows: it is run as a rule of a pack is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml

from pinsetter.codemods.engine.authoring.examples import outcome_of
from pinsetter.patterns.packs.pack import Pack, load
from pinsetter.patterns.predicates import PREDICATES
from pinsetter.patterns.predicates.documented import Examples, examples_of, said_of


@pytest.mark.parametrize("name", sorted(PREDICATES))
def test_examples(name: str, tmp_path: Path) -> None:
    examples = examples_of(PREDICATES[name])
    where = examples.rule["where"]
    assert name in str(where)
    assert examples.holds or examples.assumed
    assert len(examples.fails) >= max(2, len(examples.holds) + len(examples.assumed))
    asking = pack_of(examples, tmp_path, where)
    proving = pack_of(examples, tmp_path, [{"proved": {"all": where}}])
    fitting = pack_of(examples, tmp_path, [])
    for code in examples.holds:
        assert reports(asking, code), f"it does not hold:\n{code}"
        assert reports(proving, code), f"it is assumed:\n{code}"
    for code in examples.assumed:
        assert reports(asking, code), f"it does not hold:\n{code}"
        assert not reports(proving, code), f"nothing is assumed:\n{code}"
    for code in examples.fails:
        assert reports(fitting, code), f"the pattern does not fit:\n{code}"
        assert not reports(asking, code), f"it holds:\n{code}"
    if examples.captures:
        saying = pack_of(
            examples, tmp_path, where, " ".join(f"${one}" for one in examples.captures)
        )
        first, *_ = [*examples.holds, *examples.assumed]
        assert reports(saying, first)[0].split() == " ".join(examples.captures.values()).split()


def pack_of(examples: Examples, folder: Path, where: Sequence[Any], said: str = "found") -> Pack:
    """A pack with the one rule of some examples, which reports, with these conditions."""
    head = dict(examples.head)
    if "python" in head:
        (folder / "own.py").write_text(head["python"], "utf-8")
        head["python"] = "own.py"
    rule = {"id": "rule", "title": "A rule", "why": "Because.", "report": said}
    rule |= {**examples.rule, "where": where, "examples": [{"unchanged": "x"}]}
    data = {"pack": "test", "summary": "For a test.", **head, "rules": [rule]}
    path = folder / "pack.yaml"
    path.write_text(yaml.safe_dump(data), "utf-8")
    pack = load(path)
    assert isinstance(pack, Pack), [str(problem) for problem in pack]
    return pack


def reports(pack: Pack, code: str) -> tuple[str, ...]:
    return outcome_of(pack, pack.rules[0], f"{code}\n").reports


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("It holds.", "no mapping"),
        ("It holds.\n\n::\n\n    - f(1)", "no mapping"),
        ("It holds.\n\n::\n\n    match: f($x)\n    were: []", "unknown keys: were"),
        ("It holds.\n\n::\n\n    match: f($x)\n    holds: [f(1)]", "there is no `where`"),
        ("It holds.\n\n::\n\n    where: []\n    holds: [f(1)]", "nor `query`"),
        ("It holds.\n\n::\n\n    match: f\n    where: []\n    holds: [1]", "`holds` is no list"),
        ("It holds.\n\n::\n\n    match: f\n    where: []\n    fails: f", "`fails` is no list"),
        ("It holds.\n\n::\n\n    match: f\n    where: []\n    captures: [x]", "`captures` are no"),
        ("It holds.\n\n::\n\n    match: [", "flow"),
    ],
)
def test_what_is_wrong_with_examples_is_told(text: str, reason: str) -> None:
    with pytest.raises(ValueError, match=f"the examples of asked: [\\s\\S]*{reason}"):
        examples_of(documented_by(text))


def test_what_is_said_is_apart_from_the_examples() -> None:
    text = "``$x``: it\n    holds.\n\n    ::\n\n        match: f($x)\n        where: []\n"
    text += (
        "        holds: [f(1)]\n        fails:\n          - |\n            f(\n              2)\n"
    )
    function = documented_by(text)
    assert said_of(function) == "`$x`: it holds."
    found = examples_of(function)
    assert found.written == "match: f($x)\nwhere: []\n"
    assert (found.holds, found.fails) == (["f(1)"], ["f(\n  2)"])
    assert said_of(documented_by("It holds.")) == "It holds."
    assert said_of(documented_by(None)) == ""


def documented_by(text: str | None) -> Callable[..., Any]:
    def asked() -> None:
        pass

    asked.__doc__ = text
    return asked
