"""Rules that are written once and stand for many."""

from __future__ import annotations

from pathlib import Path

import pytest
from snippets import load_text

from pinsetter.analyzer.messages.problem import Problem
from pinsetter.codemods.engine.authoring.examples import check_example, outcome_of
from pinsetter.patterns.packs.pack import Pack, load

PACK = """\
pack: names
summary: A table.
imports: {np: numpy}
rules:
  - id: plain
    title: Plain
    why: Because.
    match: np.take($x)
    edit: {replace: $match, with: $x}
    examples: [{unchanged: x}]
  - id: rename-<<key>>
    each: EACH
    title: <<key>> is <<value>>
    why: There is no <<key>>.
    match: np.<<key>>
    edit: {rename: $match, to: np.<<value>>}
    examples:
      - unchanged: |
          import numpy as np
          np.<<value>>
      - before: |
          import numpy as np
          np.<<key>>
        after: |
          import numpy as np
          np.<<value>>
"""


def made(each: str) -> Pack:
    pack = load_text(PACK.replace("EACH", each))
    assert isinstance(pack, Pack), pack
    return pack


@pytest.mark.parametrize(
    "each",
    ["{float_: float64, Inf: inf}",
     "[{key: float_, value: float64}, {key: Inf, value: inf}]",
     "{float_: float64, Inf: inf} # why"],
)  # fmt: skip
def test_a_rule_for_each_row(each: str) -> None:
    pack = made(each)
    assert [rule.id for rule in pack.rules] == ["plain", "rename-float_", "rename-Inf"]
    assert pack.rules[1].title == "float_ is float64"
    for rule in pack.rules[1:]:
        for example in rule.examples:
            assert check_example(pack, rule, example) is None
    code = "import numpy as np\nnp.Inf, np.float_\n"
    assert outcome_of(pack, pack.rules[2], code).text == code.replace("Inf", "inf")


def test_shifts_in_rules_without_a_table_are_shifts() -> None:
    rule = PACK[: PACK.index("  - id: rename")].replace("unchanged: x", 'unchanged: "a<<x>>b"')
    pack = load_text(rule)
    assert isinstance(pack, Pack), pack
    assert pack.rules[0].examples[0].before == "a<<x>>b"


def test_numbers_and_truths_are_text() -> None:
    text = PACK.replace("np.<<value>>", "np.v").replace("EACH", "{a: 1, b: -0.5, c: true}")
    pack = load_text(text)
    assert isinstance(pack, Pack), pack
    assert [rule.title for rule in pack.rules[1:]] == ["a is 1", "b is -0.5", "c is True"]


@pytest.mark.parametrize(
    ("each", "reason", "line"),
    [
        ("{}", "", 12),
        ("[]", "", 12),
        ("7", "no table", 12),
        ("[1, 2]", "no table", 12),
        ("other.csv", "other.csv cannot be read: there is no such file", 12),
        ("[{key: a, value: b}, {key: c}]", "the row has other names than the first", 12),
        ("[{ky: a, value: b}]", "the table has no <<key>>", 11),
        ("{a b: c}", "not Python", 15),
        ("{a: b, a: c}", "the key 'a' is given twice", 12),
    ],
)
def test_mistakes_have_their_line(each: str, reason: str, line: int) -> None:
    found = load_text(PACK.replace("EACH", each))
    assert isinstance(found, list)
    said = "\n".join(map(str, found))
    assert reason in said
    assert f":{line}:" in said, said


def test_ids_have_to_differ() -> None:
    text = PACK.replace("EACH", "{a: b, c: d}").replace("rename-<<key>>", "rename")
    found = load_text(text)
    assert isinstance(found, list)
    assert "as in rename-<<key>> or rename-<<value>>" in str(found[0])


def test_a_mistake_in_the_rule_is_said_once() -> None:
    text = PACK.replace("EACH", "{a: b, c: d}").replace("rename: $match", "renam: $match")
    found = load_text(text)
    assert isinstance(found, list)
    (problem,) = found
    assert "rules.1.edit: the key 'rename' is missing" in str(problem)


def test_a_file_of_rows_beside_the_pack(tmp_path: Path) -> None:
    path = tmp_path / "names.yaml"
    path.write_text(PACK.replace("EACH", "names.csv"))
    (tmp_path / "names.csv").write_text("key,value\nfloat_,float64\n")
    pack = load(path)
    assert isinstance(pack, Pack), pack
    assert [rule.id for rule in pack.rules] == ["plain", "rename-float_"]
    (tmp_path / "names.csv").write_text("key,value\nfloat_,float64\nInf,inf\n")
    again = load(path)
    assert isinstance(again, Pack), again
    assert len(again.rules) == 3, "a changed table is another pack"
    (tmp_path / "names.csv").write_text("key,value\nfloat_\n")
    found = load(path)
    assert isinstance(found, list)
    assert "other columns than the first" in str(found[0])


def test_a_table_from_elsewhere_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "names.csv").write_text("key,value\nfloat_,float64\n")
    inside = tmp_path / "inside"
    inside.mkdir()
    (inside / "names.yaml").write_text(PACK.replace("EACH", "../names.csv"))
    found = load(inside / "names.yaml")
    assert isinstance(found, list)


PARAMETERS = """\
pack: names
summary: A library of one's own.
parameters:
  library: {summary: The library., example: numpy}
  new: {summary: What it is called., default: load}
imports: {lib: <<library>>}
rules:
  - id: renamed
    title: Now <<new>>
    why: Because.
    match: lib.fetch
    edit: {rename: $match, to: lib.<<new>>}
    examples:
      - unchanged: |
          fetch(1 <<2>> 1)
      - before: |
          from <<library>> import fetch
          fetch(1)
        after: |
          from <<library>> import <<new>>
          <<new>>(1)
"""


def with_parameters(tmp_path: Path, text: str, **given: str) -> Pack | list[Problem]:
    path = tmp_path / "names.yaml"
    path.write_text(text)
    return load(path, given)


@pytest.mark.parametrize(("given", "meant", "title"), [
    ({}, "numpy", "Now load"),
    ({"library": "scipy"}, "scipy", "Now load"),
    ({"new": "take", "library": "scipy"}, "scipy", "Now take"),
])  # fmt: skip
def test_parameters_have_what_is_given(
    tmp_path: Path, given: dict[str, str], meant: str, title: str
) -> None:
    pack = with_parameters(tmp_path, PARAMETERS.replace("1 <<2>> 1", "1"), **given)
    assert isinstance(pack, Pack), pack
    assert pack.imports["lib"] == (meant,)
    (rule,) = pack.rules
    assert rule.title == title
    assert pack.parameters["library"].default is None
    assert not [f for e in rule.examples if (f := check_example(pack, rule, e)) is not None]


def test_rows_come_before_parameters(tmp_path: Path) -> None:
    text = PACK.replace("EACH", "{Inf: inf}").replace(
        "imports:", "parameters: {value: {summary: S., default: x}}\nimports:"
    )
    pack = with_parameters(tmp_path, text)
    assert isinstance(pack, Pack), pack
    assert pack.rules[1].title == "Inf is inf"


@pytest.mark.parametrize(("old", "new", "reason", "line"), [
    ("1 <<2>> 1", "1 <<2>> 1", "there is no parameter <<2>>", 14),
    ("Now <<new>>", "Now <<nw>>", "there is no parameter <<nw>>", 9),
    ("{lib: <<library>>}", "{lib: <<libary>>}", "there is no parameter <<libary>>", 6),
    ("default: load", "default: 3.10", "should be text", 5),
    ("default: load", "default: load, example: x", "", 5),
    ("example: numpy", "one_of: [numpy]", "", 4),
])  # fmt: skip
def test_wrong_parameters_are_told(
    tmp_path: Path, old: str, new: str, reason: str, line: int
) -> None:
    text = PARAMETERS if old.startswith("1") else PARAMETERS.replace("1 <<2>> 1", "1")
    problems = with_parameters(tmp_path, text.replace(old, new))
    assert isinstance(problems, list)
    assert any(reason in problem.reason and problem.line == line for problem in problems), problems


def test_without_parameters_shifts_are_code(tmp_path: Path) -> None:
    pack = with_parameters(
        tmp_path, PACK.replace("EACH", "{a: b}").replace("unchanged: x", "unchanged: 1 <<x>> 1")
    )
    assert isinstance(pack, Pack), pack
