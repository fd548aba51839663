"""The SARIF of a run has the structure that its readers rely on."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import unquote_to_bytes, urlsplit

import pytest
from commands import HUNKS, PLAIN
from reports import document_of, hostile_tree

from pinsetter.analyzer.files.source import BOM
from pinsetter.codemods.engine.report.sarif import _message, as_sarif
from pinsetter.codemods.engine.running.mode import Mode
from pinsetter.patterns.edits.edit import Edit, apply

LINES = re.compile("\r\n|\n|\r")


def report(folder: Path, mode: Mode = Mode.CHECK) -> dict[str, Any]:
    log = json.loads(as_sarif(document_of(folder, mode)))
    assert log["version"] == "2.1.0"
    assert log["$schema"].endswith("sarif-2.1.0.json")
    (found,) = log["runs"]
    check(found)
    assert isinstance(found, dict)
    return found


def check(run: dict[str, Any]) -> None:
    """The parts of the standard that every reader needs."""
    driver = run["tool"]["driver"]
    assert driver["name"] == "Pinsetter"
    for rule in driver["rules"]:
        assert rule["shortDescription"]["text"]
        assert rule["fullDescription"]["text"]
        assert rule["help"]["text"]
        assert "helpUri" not in rule, "a file of this machine is none elsewhere"
    ids = [rule["id"] for rule in driver["rules"]]
    assert len(set(ids)) == len(ids)
    (invocation,) = run["invocations"]
    assert isinstance(invocation["executionSuccessful"], bool)
    for base in run["originalUriBaseIds"].values():
        assert base["uri"].startswith("file:///")
        assert base["uri"].endswith("/")
    for number, artifact in enumerate(run["artifacts"]):
        check_artifact(run, artifact["location"])
        assert artifact["location"]["index"] == number
    for result in run["results"]:
        assert ids[result["ruleIndex"]] == result["ruleId"]
        assert result["level"] in ("note", "warning", "error", "none")
        assert (result["level"] == "none") == (result.get("kind", "fail") != "fail")
        assert result["message"]["text"]
        assert all(isinstance(v, str) for v in result["partialFingerprints"].values())
        for location in [*result["locations"], *result.get("relatedLocations", [])]:
            place = location["physicalLocation"]
            check_artifact(run, place["artifactLocation"])
            check_region(place.get("region", {"startLine": 1}))
        for fix in result.get("fixes", []):
            for change in fix["artifactChanges"]:
                check_artifact(run, change["artifactLocation"])
                assert change["replacements"]
                for replacement in change["replacements"]:
                    check_region(replacement["deletedRegion"])
                    assert isinstance(replacement["insertedContent"]["text"], str)


def check_artifact(run: dict[str, Any], location: dict[str, Any]) -> None:
    assert re.fullmatch(r"(?:[A-Za-z0-9._~/:-]|%[0-9A-F]{2})+", location["uri"])
    if "uriBaseId" in location:
        assert location["uriBaseId"] in run["originalUriBaseIds"]
        assert not urlsplit(location["uri"]).scheme
        assert not location["uri"].startswith("/")
    else:
        assert urlsplit(location["uri"]).scheme == "file"
    assert run["artifacts"][location["index"]]["location"] == location


def check_region(region: dict[str, int]) -> None:
    assert region["startLine"] >= 1
    assert region.get("startColumn", 1) >= 1
    start = (region["startLine"], region.get("startColumn", 1))
    assert start <= (region.get("endLine", start[0]), region.get("endColumn", 10**9))


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return hostile_tree(tmp_path_factory.mktemp("tree"))


@pytest.fixture(scope="module")
def found(tree: Path) -> dict[str, Any]:
    return report(tree)


def test_nothing_to_do_has_no_results(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(PLAIN)
    found = report(tmp_path)
    assert found["results"] == []
    assert found["tool"]["driver"]["rules"] == []
    assert found["invocations"][0] == {
        "executionSuccessful": True,
        "exitCode": 0,
        "exitCodeDescription": "Nothing to do.",
        "toolExecutionNotifications": [],
    }


def test_levels_tell_hunks_from_refusals(found: dict[str, Any]) -> None:
    by_rule = {result["ruleId"]: result["level"] for result in found["results"]}
    assert by_rule["refused"] == by_rule["not-understood"] == "error"
    assert by_rule["initialise-horovod"] == "note"
    for result in found["results"]:
        if "hunk" in result.get("properties", {}):
            warned = "Warning: " in result["message"]["text"]
            assert result["level"] == ("warning" if warned else "note")


def test_files_that_are_not_understood_make_no_success(found: dict[str, Any]) -> None:
    (invocation,) = found["invocations"]
    assert invocation["executionSuccessful"] is False
    assert invocation["exitCode"] == 2
    assert len(invocation["toolExecutionNotifications"]) == 1


def test_fingerprints_are_the_ids_of_hunks(found: dict[str, Any]) -> None:
    hunks = [r for r in found["results"] if "hunk" in r.get("properties", {})]
    assert len(hunks) == 4 * HUNKS
    prints = [one["partialFingerprints"]["pinsetterHunk/v1"] for one in hunks]
    assert prints == [one["properties"]["hunk"] for one in hunks]
    assert len(set(prints)) == len(prints)


def test_a_fix_is_whole(tree: Path, found: dict[str, Any]) -> None:
    """Made alone, the fix of any hunk gives a file that compiles and has what it uses."""
    fixes = 0
    for result in found["results"]:
        for fix in result.get("fixes", []):
            for change in fix["artifactChanges"]:
                location = change["artifactLocation"]
                path = tree / unquote_to_bytes(location["uri"]).decode("utf-8", "surrogateescape")
                text = fixed(path.read_bytes().decode("utf-8"), change["replacements"])
                compile(text.removeprefix(BOM), "fixed.py", "exec")
                assert "import horovod.tensorflow as hvd" in text
                fixes += 1
    assert fixes == 4 * HUNKS


def fixed(text: str, replacements: list[dict[str, Any]]) -> str:
    starts = [0, *(end.end() for end in LINES.finditer(text))]
    mark = len(BOM) if text.startswith(BOM) else 0

    def offset(line: int, column: int) -> int:
        return starts[line - 1] + column - 1 + (mark if line == 1 else 0)

    edits = []
    for one in replacements:
        region = one["deletedRegion"]
        start = offset(region["startLine"], region["startColumn"])
        end = offset(region["endLine"], region["endColumn"])
        edits.append(Edit(start, end, one["insertedContent"]["text"]))
    return apply(text, edits)


def test_what_is_written_needs_no_fix(tmp_path: Path) -> None:
    results = report(hostile_tree(tmp_path), Mode.WRITE)["results"]
    hunks = [result for result in results if "hunk" in result.get("properties", {})]
    assert len(hunks) == 4 * HUNKS
    assert all(h["kind"] == "informational" and "fixes" not in h for h in hunks)


def test_code_in_messages_is_no_link() -> None:
    assert _message("a [b] (c)")["text"] == "a [b] (c)"
    assert _message("x[0](y)")["text"] == "x\\[0](y)"
