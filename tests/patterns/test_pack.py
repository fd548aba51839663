"""A pack's mistakes are Problems with file, line and a hint; loading runs no code."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from snippets import load_text, pack_data, pack_of

from pinsetter.patterns.packs import pack_files
from pinsetter.patterns.packs.pack import Pack, load

GOOD = """\
pack: test
summary: For a test.
rules:
  - id: rule
    title: A rule
    why: Because.
    match: f($x)
    edit: {insert: g($x), place: after}
    examples:
      - unchanged: x
"""
SECOND = GOOD[GOOD.index("  - id") :]


def put(old: str, new: str) -> str:
    assert GOOD.count(old) == 1
    return GOOD.replace(old, new)


def also(lines: str) -> str:
    return put("    edit:", f"{lines}\n    edit:")


def test_the_good_pack_loads() -> None:
    assert isinstance(load_text(GOOD), Pack)
    assert isinstance(load_text("\ufeff" + GOOD), Pack)


@pytest.mark.parametrize("path", pack_files.bundled(), ids=lambda path: path.stem)
def test_bundled_packs_are_found_by_name(path: Path) -> None:
    assert pack_files.find(path.stem) == path
    assert isinstance(load(path), Pack)


def test_there_is_no_pack_of_another_name() -> None:
    assert pack_files.find("no-such-pack") is None


MISTAKES = {
    "not YAML": ("pack: [a\nsummary: b", 2, "not YAML", "brackets"),
    "tabs": ("pack: a\nrules:\n\t- b", 3, "not YAML", "spaces"),
    "a control character": ("pack: a\nsummary: \0", 2, "U+0000", "remove"),
    "two documents": (GOOD + "---\n" + GOOD, 11, "another document", ""),
    "an empty file": ("", 1, "a mapping", "pack, summary, rules"),
    "comments only": ("# a\n", 1, "a mapping", "pack, summary, rules"),
    "a list": ("- a\n", 1, "a mapping", "pack, summary, rules"),
    "a text": ("a\n", 1, "a mapping", "pack, summary, rules"),
    "not UTF-8": (b"pack: a\nsummary: \xff", 2, "UTF-8", "UTF-8"),
    "a missing key": (put("summary: For a test.\n", ""), 1, "'summary'", "sentence"),
    "a missing key of a rule": (put("    why: Because.\n", ""), 4, "'why'", "reviewer"),
    "no pattern": (put("    match: f($x)\n", ""), 4, "'match' or 'query'", "match | query"),
    "two patterns": (also("    query: any"), 4, "exclude each other", "match | query"),
    "neither edit nor report": (
        put("    edit: {insert: g($x), place: after}\n", ""), 4, "'edit' or 'report'", "edit"),
    "half an edit": (put(", place: after", ""), 8, "'place'", "insert + place"),
    "an unknown place": (put("after}", "afetr}"), 8, "'afetr'", "'after'"),
    "an unknown key": (also("    requiers: []"), 8, "'requiers'", "'requires'"),
    "a number for a key": (GOOD + "1: a\n", 11, "unknown key 1", "known are"),
    "a truth value for a key": (GOOD + "true: a\n", 11, "unknown key True", ""),
    "a list for a key": (GOOD + "? [a]\n: b\n", 11, "unhashable", ""),
    "a key given twice": (put("summary:", "pack: b\nsummary:"), 2, "given twice", "one"),
    "a number for a text": (put("For a test.", "1"), 2, "text", "sentence"),
    "an unknown predicate": (also("    where:\n      - isaa: [$x, y]"), 9, "'isaa'", "'isa'"),
    "an unknown predicate of an edit": (
        put("{insert", "{if: [{isaa: [$x, y]}], insert"), 8, "'isaa'", "'isa'"),
    "a predicate without a capture": (also("    where:\n      - number: x"), 9, "'x'", ""),
    "two predicates in one": (
        also("    where:\n      - {number: $x, constant: $x}"), 9, "too many", "predicate"),
    "an unknown capture in a condition": (
        also("    where:\n      - not: {number: $y}"), 9, "$y", "$x"),
    "a bad pattern": (put("f($x)\n", "f(\n"), 7, "not Python", "pattern"),
    "a bad query": (put("match: f($x)", "query: foo<"), 7, "lib2to3", "power<"),
    "a bad pattern in a condition": (
        also("    where:\n      - any:\n          - present: {code: 'f(', in: module}"),
        10, "not Python", "pattern"),
    "a bad pattern in a match": (
        also("    where:\n      - matches: {$x: 'f('}"), 9, "not Python", "pattern"),
    "an unknown required rule": (also("    requires: [ruel]"), 8, "'ruel'", "'rule'"),
    "the same id twice": (GOOD + SECOND, 11, "used twice", "line 4"),
    "an id with spaces": (put("id: rule", "id: a rule"), 4, "'a rule'", ""),
    "no rules": (GOOD[: GOOD.index("  - id")] + "  []\n", 3, "", ""),
    "a template that is not Python": (put("g($x)", "g($x"), 8, "not Python", "g($x"),
    "a template that is a statement": (
        put("{insert: g($x), place: after}", "{guard: a = 1}"), 8, "not an expression", "a = 1"),
    "a template of a let that is not Python": (
        also("    let: {v: [{is: 'g('}]}"), 8, "not Python", "g("),
    "a join of no guard": (
        put("{insert: g($x), place: after}", "{append: $x, join: true}"), 8, "join", "condition"),
    "an unknown name in a template": (put("g($x)", "g($y)"), 8, "$y", "$x"),
    "an unknown name in a let": (also("    let: {v: [{is: $y}]}"), 8, "$y", "$x"),
    "an unknown name in a warning": (also("    warn: [{say: about $y}]"), 8, "$y", "$x"),
    "an unknown name in a report": (
        put("edit: {insert: g($x), place: after}", "report: about $y"), 8, "$y", "$x"),
    "an edit and a report": (also("    report: about $x"), 4, "exclude each other", "edit"),
    "a capture that another edit's condition adds": (
        put("{insert: g($x), place: after}",
            "[{insert: a($y), place: after},\n"
            "      {if: [{matches: {$x: h($y)}}], insert: b($y), place: after}]"), 8, "$y", "$x"),
    "an unknown capture to wrap": (
        put("{insert: g($x), place: after}", "{wrap: $y, with: g($it)}"), 8, "$y", "$x"),
    "a wrap that drops the code": (
        put("{insert: g($x), place: after}", "{wrap: $x, with: g()}"), 8, "$it once", "kept"),
    "a wrap that doubles the code": (
        put("{insert: g($x), place: after}", "{wrap: $x, with: $it + $it}"), 8, "$it", "kept"),
    "a replacement that keeps the code": (
        put("{insert: g($x), place: after}", "{replace: $x, with: g($it)}"), 8, "$it", "$x"),
    "a let that may have no value": (
        also("    let:\n      v:\n        - if: [{number: $x}]\n          is: a"),
        10, "no case", "no `if`"),
    "an argument that is none": (
        put("{insert: g($x), place: after}", "{append: 'a b'}"), 8, "not an argument", "a b"),
    "a class of Python": ("pack: !!python/name:os.system\n", 1, "not YAML", "data"),
    "a number that is none": ("pack: !!int x\n", 1, "not YAML", "tag"),
    "an alias inside itself": ("pack: &a [*a]\n", 1, "inside its own anchor", "write"),
    "conditions inside themselves": (also("    where: &a\n      - all: *a"), 8, "anchor", "write"),
    "nested without end": ("[" * 5000, 1, "deeply", "levels"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "line", "reason", "hint"), MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_is_reported(text: str | bytes, line: int, reason: str, hint: str) -> None:
    problems = load_text(text)
    assert isinstance(problems, list)
    first = problems[0]
    assert first.path.name == "pack.yaml"
    assert (first.line, reason in first.reason) == (line, True), first
    assert first.hint
    assert hint in first.hint, first


def test_no_damage_is_an_exception() -> None:
    for at in range(0, len(GOOD), 2):
        for text in (GOOD[:at], GOOD[:at] + GOOD[at + 1 :], GOOD[:at] + "{$: " + GOOD[at:]):
            result = load_text(text)
            assert isinstance(result, Pack) or all(p.line and p.hint for p in result), result


def test_every_mistake_is_reported_at_once() -> None:
    text = put("f($x)\n", "f(\n").replace("summary:", "summery:")
    problems = load_text(text)
    assert isinstance(problems, list)
    assert [p.line for p in problems] == sorted(p.line for p in problems)
    assert len(problems) == 3


@pytest.mark.parametrize("name", ["missing.yaml", "."])
def test_what_is_no_file_is_reported(tmp_path: Path, name: str) -> None:
    problems = load(tmp_path / name)
    assert isinstance(problems, list)
    assert "cannot be read" in problems[0].reason


@pytest.mark.parametrize(
    "tag", ["!!python/object/apply:os.mkdir [{0}]", "!!python/object/new:os.mkdir [{0}]"]
)
def test_loading_runs_no_code(tmp_path: Path, tag: str) -> None:
    victim = tmp_path / "made"
    problems = load_text("pack: " + tag.format(victim) + os.linesep)
    assert isinstance(problems, list)
    assert not victim.exists()


def test_a_date_is_text() -> None:
    data = load_text(put("For a test.", "2024-13-45"))
    assert isinstance(data, Pack)
    assert data.summary == "2024-13-45"


def test_metavariables_may_be_keywords_of_python() -> None:
    edit = {"wrap": "$class", "with": "g($it)"}
    assert pack_of(match="$class($...args)", edit=edit).rule("rule")


def test_names_that_conditions_add_may_be_used() -> None:
    argument = {"argument": {"name": "rate", "as": "rate"}}
    pack = pack_of(
        match="f($...args)",
        where=[argument, {"matches": {"$rate": "g($inner)"}}],
        fresh={"new": "new"},
        let={"v": [{"if": [{"number": "$inner"}], "is": "$inner"}, {"is": "$new"}]},
        edit={"insert": "$new = $v + $rate", "place": "before"},
        warn=[{"say": "$rate"}],
    )
    assert pack.rule("rule") is not None
    assert pack_data()["rules"]


def test_each_missing_key_is_named_once() -> None:
    problems = load_text("pack: x\nrulez: []\n")
    assert isinstance(problems, list)
    missing = sorted(p.reason for p in problems if "missing" in p.reason)
    assert missing == ["the key 'rules' is missing", "the key 'summary' is missing"]
