"""The JSON of a run: valid by its schema, exact in its spans, whatever files are called."""

from __future__ import annotations

import importlib.resources
import json
from pathlib import Path
from typing import Any
from urllib.parse import unquote_to_bytes

import jsonschema
import pytest
from commands import HUNKS, MIXED, PLAIN, TRAIN, all_packs, run
from hypothesis import given
from hypothesis import strategies as st
from reports import document_of, hostile_tree, outcome_of

from pinsetter.analyzer.files.source import LINE_END
from pinsetter.codemods.engine.report import sarif
from pinsetter.codemods.engine.report.as_json import as_json
from pinsetter.codemods.engine.report.as_text import as_text
from pinsetter.codemods.engine.report.build import document
from pinsetter.codemods.engine.report.html import as_html
from pinsetter.codemods.engine.report.text_places import Places, printable, uri
from pinsetter.codemods.engine.running.mode import Mode
from pinsetter.codemods.engine.running.pack_query import PackQuery
from pinsetter.codemods.engine.running.run import RunRequest
from pinsetter.codemods.engine.running.run import run as run_packs

SCHEMA = json.loads(
    importlib.resources.files("pinsetter.codemods.engine.report")
    .joinpath("report.schema.json")
    .read_text("utf-8")
)


def strict(schema: Any) -> Any:
    """The schema, in which no object may have a member that it does not name."""
    if isinstance(schema, list):
        return [strict(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    made = {key: strict(value) for key, value in schema.items()}
    return {**made, "additionalProperties": False} if "properties" in made else made


STRICT = jsonschema.Draft202012Validator(strict(SCHEMA))


def report(folder: Path, mode: Mode = Mode.CHECK) -> dict[str, Any]:
    data = json.loads(as_json(document_of(folder, mode)))
    STRICT.validate(data)
    assert isinstance(data, dict)
    return data


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return hostile_tree(tmp_path_factory.mktemp("tree"))


@pytest.fixture(scope="module")
def data(tree: Path) -> dict[str, Any]:
    return report(tree)


def test_the_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


def test_an_empty_folder(tmp_path: Path) -> None:
    found = report(tmp_path)
    assert (found["exit_code"], found["files"], found["hunks"]) == (0, [], [])


def test_a_file_with_nothing_to_do(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(f"import keras\n{PLAIN}")
    found = report(tmp_path)
    assert found["verdict"] == "Nothing to do."
    assert found["counts"]["proposed"] == 0
    (file,) = found["files"]
    assert (file["uri"], file["hunks"], file["changes"]) == ("a.py", [], [])


def test_what_is_refused_is_told(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(MIXED)
    found = report(tmp_path)
    assert found["exit_code"] == 2
    (refusal,) = found["refusals"]
    assert refusal["uri"] == "a.py"
    assert refusal["hint"]


def test_every_file_is_told(tree: Path, data: dict[str, Any]) -> None:
    assert data["exit_code"] == 2
    assert data["counts"]["seen"] == 8
    assert len(data["problems"]) == len(data["refusals"]) == 1
    assert data["counts"]["proposed"] == 4 * HUNKS
    assert {"gradient_tape"} in [set(program["training_apis"]) for program in data["programs"]]
    told = {
        one["uri"] for kind in ("files", "left_alone", "problems") for one in data[kind]
    }  # fmt: skip
    assert {tree / Path(_path(uri)) for uri in told} == set(tree.rglob("*.py"))


def _path(uri: str) -> str:
    return unquote_to_bytes(uri).decode("utf-8", "surrogateescape")


def test_text_is_text(data: dict[str, Any]) -> None:
    json.dumps(data, ensure_ascii=False).encode("utf-8")
    assert any("\\xff" in file["path"] for file in data["files"])


def test_changes_make_what_write_makes(tmp_path: Path) -> None:
    proposed, written = hostile_tree(tmp_path / "a"), hostile_tree(tmp_path / "b")
    found = report(proposed)
    for file in found["files"]:
        path = proposed / _path(file["uri"])
        path.write_bytes(changed(path.read_bytes().decode("utf-8"), file["changes"]).encode())
    after = report(written, Mode.WRITE)
    assert {hunk["state"] for hunk in after["hunks"]} == {"written"}
    assert after["counts"]["written"] == 4
    for path in proposed.rglob("*.py"):
        assert path.read_bytes() == (written / path.relative_to(proposed)).read_bytes()


def changed(text: str, changes: list[dict[str, Any]]) -> str:
    for change in reversed(changes):
        start, end = change["start"]["offset"], change["end"]["offset"]
        assert text[start:end] == change["old"]
        text = text[:start] + change["new"] + text[end:]
    return text


def test_places_are_those_of_an_editor(tree: Path, data: dict[str, Any]) -> None:
    for hunk in data["hunks"]:
        lines = LINE_END.split((tree / _path(hunk["uri"])).read_bytes().decode("utf-8"))
        start, end = hunk["start"], hunk["end"]
        line = lines[start["line"] - 1].removeprefix("\ufeff")
        assert start["line"] <= end["line"] <= len(lines)
        if hunk["rule"] == "average-gradients":
            assert line[start["column"] - 1 :].startswith("tf.GradientTape()")
            assert line[: end["column"] - 1].endswith("tf.GradientTape()")
        assert line[: start["column"] - 1].strip() == "" or not line[: start["column"]].isspace()


def test_requirements_are_told_from_both_sides(data: dict[str, Any]) -> None:
    hunks = {hunk["id"]: hunk for hunk in data["hunks"]}
    assert any(hunk["requires"] for hunk in hunks.values())
    for hunk in hunks.values():
        for required in hunk["requires"]:
            assert hunk["id"] in hunks[required]["required_by"]
        for other in hunk["required_by"]:
            assert hunk["id"] in hunks[other]["requires"]


def test_ids_stay(tree: Path, data: dict[str, Any]) -> None:
    assert [hunk["id"] for hunk in report(tree)["hunks"]] == [h["id"] for h in data["hunks"]]


def test_files_outside_have_absolute_uris(tmp_path: Path) -> None:
    inside, outside = tmp_path / "in", tmp_path / "a b%é" / "c.py"
    assert uri(inside / "a:b.py", inside) == ("a%3Ab.py", True)
    assert uri(outside, inside) == (f"file://{tmp_path}/a%20b%25%C3%A9/c.py", False)


def test_the_command_prints_the_document_alone(script: Path) -> None:
    result = run("--check", "--format", "json", "train.py", cwd=script.parent)
    assert result.code == 1
    found = json.loads(result.out)
    STRICT.validate(found)
    assert found["exit_code"] == 1
    assert found["counts"]["proposed"] == HUNKS
    assert f"hunks      {HUNKS} proposed" in result.err
    assert script.read_text() == TRAIN


@given(st.text(st.sampled_from("a\n\r\t\ufeffé"), max_size=20))
def test_every_offset_has_a_place(text: str) -> None:
    places = Places(text)
    lines = LINE_END.split(text)
    for offset in range(len(text) + 1):
        place = places.position(offset)
        assert place.line <= len(lines)
        assert 1 <= place.column <= len(lines[place.line - 1]) + 2
    for number in range(1, len(lines) + 1):
        span = places.line(number)
        assert span.start.line == span.end.line == number
        assert span.start.offset <= span.end.offset


@given(st.text(st.characters()))
def test_what_is_printable_can_be_encoded(text: str) -> None:
    printable(text).encode("utf-8")
    if not any("\ud800" <= char <= "\udfff" for char in text):
        assert printable(text) == text


QUIET = TRAIN.replace(
    "print(number)", "print(number)  # pinsetter: ignore[print-on-first-worker] wanted <here>"
)


def test_what_comments_suppress_is_told_in_every_format(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(QUIET)
    found = report(tmp_path)
    (one,) = found["suppressed"]
    assert (one["rule"], one["uri"]) == ("print-on-first-worker", "a.py")
    assert (one["line"], one["comment_line"], one["reason"]) == (17, 17, "wanted <here>")
    assert found["counts"]["suppressed"] == 1
    assert found["counts"]["proposed"] == HUNKS - 1
    made = document_of(tmp_path)
    (result,) = [r for r in sarif.data(made)["runs"][0]["results"] if "suppressions" in r]
    assert result["suppressions"][0]["kind"] == "inSource"
    assert result["suppressions"][0]["justification"] == "wanted <here>"
    assert b"wanted &lt;here&gt;" in as_html(made)
    assert b": suppressed: print-on-first-worker: " in as_text(made)


def test_what_a_hook_rejects_is_rejected(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(TRAIN)
    queries = [PackQuery(pack, []) for pack in all_packs()]
    for query in queries:
        query.process(lambda name, lines: lines.hunk.rule != "pin-gpu")
    outcome = run_packs(RunRequest(queries, [tmp_path], Mode.CHECK))
    found = json.loads(as_json(document(outcome, all_packs(), tmp_path)))
    STRICT.validate(found)
    states = {hunk["rule"]: hunk["state"] for hunk in found["hunks"]}
    assert states.pop("pin-gpu") == "rejected"
    assert set(states.values()) == {"proposed"}
    assert found["counts"]["rejected"] == 1
    assert "set_memory_growth" not in str(found["files"])


def test_a_hook_that_rejects_all_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(TRAIN)
    queries = [PackQuery(pack, []) for pack in all_packs()]
    for query in queries:
        query.process(lambda name, lines: False)
    outcome = run_packs(RunRequest(queries, [tmp_path], Mode.DIFF, show=lambda *shown: None))
    found = json.loads(as_json(document(outcome, all_packs(), tmp_path)))
    STRICT.validate(found)
    assert {hunk["state"] for hunk in found["hunks"]} == {"rejected"}
    assert found["files"][0]["changes"] == []


def test_an_interrupted_run_says_so(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(TRAIN)
    outcome, packs = outcome_of([tmp_path])
    outcome.interrupted = True
    found = json.loads(as_json(document(outcome, packs, tmp_path)))
    STRICT.validate(found)
    assert (found["exit_code"], found["verdict"]) == (130, "Interrupted.")
