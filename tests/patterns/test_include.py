"""Packs that include parts, choices of packs, and options."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from pinsetter.analyzer.messages.problem import Problem
from pinsetter.patterns.packs import pack_files
from pinsetter.patterns.packs.pack import Pack, load, load_all


def rule(name: str, **more: object) -> dict[str, object]:
    whole = {"id": name, "title": "A rule", "why": "Because.", "match": f"{name}($x)"}
    return {
        **whole,
        "edit": {"wrap": "$x", "with": "($it)"},
        "examples": [{"unchanged": "x"}],
    } | more


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "parts").mkdir()
    return tmp_path


def write(path: Path, **data: object) -> Path:
    path.write_text(yaml.safe_dump({"summary": "For a test.", **data}))
    return path


def loaded(path: Path) -> Pack:
    result = load(path)
    assert isinstance(result, Pack), result
    return result


def mistakes(path: Path) -> list[Problem]:
    result = load(path)
    assert isinstance(result, list)
    assert all(problem.line and problem.hint for problem in result)
    return result


def test_a_pack_has_the_rules_of_its_parts_first(folder: Path) -> None:
    write(folder / "parts/a.yaml", part="a", rules=[rule("one")])
    write(folder / "parts/b.yaml", part="b", rules=[rule("two")], include=["a.yaml"])
    path = write(folder / "p.yaml", pack="p", include=["parts/b.yaml"], rules=[rule("three")])
    pack = loaded(path)
    assert [r.id for r in pack.rules] == ["one", "two", "three"]
    assert [r.id for r in pack.own_rules] == ["three"]
    assert pack.rules[0].path == folder / "parts/a.yaml"


def test_who_includes_has_the_last_word(folder: Path) -> None:
    roles = {"model": ["a.Model"], "data": ["a.Data"]}
    write(folder / "parts/a.yaml", part="a", rules=[rule("one")], roles=roles, imports={"m": "a"})
    path = write(folder / "p.yaml", pack="p", include=["parts/a.yaml"], rules=[rule("two")],
                 roles={"model": ["b.Model"]}, imports={"m": ["b", "c"]})  # fmt: skip
    pack = loaded(path)
    assert pack.roles == {"model": ("b.Model",), "data": ("a.Data",)}
    assert pack.imports == {"m": ("b", "c")}


def test_a_part_alone_may_require_what_others_have(folder: Path) -> None:
    path = write(folder / "parts/a.yaml", part="a", rules=[rule("one", requires=["average"])])
    assert loaded(path).rules[0].requires == ("average",)
    provider = rule("two", provides="average")
    loaded(write(folder / "p.yaml", pack="p", include=["parts/a.yaml"], rules=[provider]))
    (problem,) = mistakes(
        write(folder / "q.yaml", pack="q", include=["parts/a.yaml"], rules=[rule("two")])
    )
    assert problem.path == path
    assert "unknown rule 'average'" in problem.reason


def test_a_part_is_read_once(folder: Path) -> None:
    write(folder / "parts/a.yaml", part="a", rules=[rule("one")], include=["b.yaml"])
    write(folder / "parts/b.yaml", part="b", rules=[rule("two")], include=["a.yaml"])
    includes = ["parts/a.yaml", "parts/b.yaml"]
    pack = loaded(write(folder / "p.yaml", pack="p", include=includes, rules=[rule("three")]))
    assert sorted(r.id for r in pack.rules) == ["one", "three", "two"]


def test_a_rule_of_a_part_cannot_be_there_twice(folder: Path) -> None:
    write(folder / "parts/a.yaml", part="a", rules=[rule("one")])
    path = write(folder / "p.yaml", pack="p", include=["parts/a.yaml"], rules=[rule("one")])
    (problem,) = mistakes(path)
    assert problem.path == path
    assert "used twice" in problem.reason
    assert "a.yaml" in problem.hint


def test_what_is_included_must_be_a_part(folder: Path) -> None:
    write(folder / "parts/a.yaml", part="a", rules=[rule("one")])
    write(folder / "o.yaml", pack="o", rules=[rule("one")])
    includes = ["o.yaml", "parts/aa.yaml"]
    path = write(folder / "p.yaml", pack="p", include=includes, rules=[rule("two")])
    pack, missing = mistakes(path)
    assert "is a pack" in pack.reason
    assert "no file 'parts/aa.yaml'" in missing.reason
    assert "'parts/a.yaml'" in missing.hint


def test_a_mistake_in_a_part_is_reported_there(folder: Path) -> None:
    part = folder / "parts/a.yaml"
    part.write_text("part: a\nsummary: For a test.\nrules: 3\n")
    path = write(folder / "p.yaml", pack="p", include=["parts/a.yaml"], rules=[rule("two")])
    (problem,) = mistakes(path)
    assert (problem.path, problem.line) == (part, 3)


def test_options_leave_rules_out(folder: Path) -> None:
    rules = [rule("one", option="fast"), rule("two", unless="fast"), rule("three")]
    path = write(folder / "p.yaml", pack="p", options={"fast": "Be fast."}, rules=rules)
    pack = loaded(path)
    assert [r.id for r in pack.with_options(()).rules] == ["two", "three"]
    assert [r.id for r in pack.with_options({"fast"}).rules] == ["one", "three"]


def test_options_imply_others_and_several_put_a_rule_off(folder: Path) -> None:
    options = {"new": {"summary": "New.", "implies": ["old"]}, "old": "Old.",
               "newest": {"summary": "Newest.", "implies": ["new"]}}  # fmt: skip
    rules = [rule("one", option="old"), rule("two", unless=["old", "x"]), rule("three", unless="x")]
    path = write(folder / "p.yaml", pack="p", options={**options, "x": "X."}, rules=rules)
    pack = loaded(path)
    assert pack.options["new"] == "New."
    for given, kept in (
        ((), ["two", "three"]), (("old",), ["one", "three"]), (("newest",), ["one", "three"]),
        (("x",), []), (("x", "new"), ["one"]),
    ):  # fmt: skip
        assert [r.id for r in pack.with_options(given).rules] == kept
    path = write(folder / "q.yaml", pack="q", rules=rules[:1],
                 options={"old": {"summary": "Old.", "implies": ["odl"]}})  # fmt: skip
    (problem,) = mistakes(path)
    assert "unknown option 'odl'" in problem.reason


def test_an_unknown_option_is_reported(folder: Path) -> None:
    path = write(
        folder / "p.yaml", pack="p", options={"fast": "x"}, rules=[rule("a", option="fas")]
    )
    (problem,) = mistakes(path)
    assert "unknown option 'fas'" in problem.reason
    assert "'fast'" in problem.hint
    many = {"above": 5, "say": "Faster.", "option": "fats"}
    rules = [rule("a", edit={"append": "1"}, many=many)]
    (problem,) = mistakes(write(folder / "q.yaml", pack="q", options={"fast": "x"}, rules=rules))
    assert "unknown option 'fats'" in problem.reason


def test_a_choice_has_several_packs(folder: Path) -> None:
    write(folder / "p.yaml", pack="p", rules=[rule("one")])
    write(folder / "q.yaml", pack="q", rules=[rule("one")])
    path = write(folder / "c.yaml", choice="c", choose=["p.yaml", "q.yaml"])
    found = load_all(path)
    assert isinstance(found, tuple)
    assert [pack.name for pack in found] == ["p", "q"]


def test_every_mistake_of_a_choice_is_reported(folder: Path) -> None:
    (folder / "p.yaml").write_text("pack: p\n")
    path = write(folder / "c.yaml", choice="c", choose=["p.yaml", "q.yaml"])
    found = load_all(path)
    assert isinstance(found, list)
    assert {problem.path.name for problem in found} == {"p.yaml", "q.yaml"}


def test_a_choice_has_packs_only(folder: Path) -> None:
    write(folder / "parts/a.yaml", part="a", rules=[rule("one")])
    path = write(folder / "c.yaml", choice="c", choose=["c.yaml", "parts/a.yaml"])
    found = load_all(path)
    assert isinstance(found, list)
    assert [problem.reason for problem in found] == [
        "a choice is no pack",
        "'parts/a.yaml' is a part",
    ]
    assert all(problem.line and problem.hint for problem in found)


def test_a_part_is_not_run(folder: Path) -> None:
    path = write(folder / "parts/a.yaml", part="a", rules=[rule("one")])
    (problem,) = load_all(path)
    assert isinstance(problem, Problem)
    assert "a part is no pack" in problem.reason


@pytest.mark.parametrize("path", pack_files.choices(), ids=lambda path: path.stem)
def test_the_choices_that_come_along_load(path: Path) -> None:
    assert isinstance(load_all(path), tuple)
    assert pack_files.find(path.stem) == path
