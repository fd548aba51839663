"""The JUnit XML of a run: well-formed whatever is in it, and counted right."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree as xml

import pytest
from commands import HUNKS, PLAIN, TRAIN
from hypothesis import given
from hypothesis import strategies as st
from reports import document_of, hostile_tree

from pinsetter.codemods.engine.report.junit import _valid, as_junit
from pinsetter.codemods.engine.running.mode import Mode


def report(folder: Path, mode: Mode = Mode.CHECK) -> xml.Element:
    root = xml.fromstring(as_junit(document_of(folder, mode)))
    assert root.tag == "testsuites"
    (suite,) = root
    cases = suite.findall("testcase")
    for element in (root, suite):
        assert element.get("tests") == str(len(cases))
        assert element.get("failures") == str(len(suite.findall("testcase/failure")))
        assert element.get("errors") == str(len(suite.findall("testcase/error")))
    for case in cases:
        assert case.get("name")
        assert case.get("classname")
    return suite


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> xml.Element:
    return report(hostile_tree(tmp_path_factory.mktemp("tree")))


def test_a_file_with_nothing_to_do_passes(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(f"import keras\n{PLAIN}")
    (case,) = report(tmp_path)
    assert (case.get("name"), list(case)) == ("nothing to do", [])


def test_an_empty_folder_is_said_and_fails_nothing(tmp_path: Path) -> None:
    found = report(tmp_path)
    assert found.get("failures") == found.get("errors") == "0"
    assert "there is no Python file in it" in xml.tostring(found, "unicode")


@pytest.mark.parametrize("mode", [Mode.DIFF, Mode.WRITE])
def test_hunks_fail_only_a_check(tmp_path: Path, mode: Mode) -> None:
    (tmp_path / "a.py").write_text(TRAIN)
    found = report(tmp_path, mode)
    assert found.get("failures") == found.get("errors") == "0"
    said = [case.findtext("system-out") or "" for case in found]
    assert len([text for text in said if "@@" in text]) == HUNKS


def test_a_rule_fails_in_a_file(suite: xml.Element) -> None:
    failing = [case for case in suite if case.find("failure") is not None]
    assert len(failing) == 4 * HUNKS
    for case in failing:
        failure = case.find("failure")
        assert failure is not None
        assert failure.get("message")
        assert failure.get("type") == case.get("name")
        assert "@@" in (failure.text or "")
        assert case.get("file")
        assert case.get("line")


def test_what_could_not_be_read_or_was_refused_is_an_error(suite: xml.Element) -> None:
    errors = {case.get("name") for case in suite if case.find("error") is not None}
    assert errors == {"refused", "not-understood"}


@given(st.text(st.characters()))
def test_any_text_is_valid(text: str) -> None:
    element = xml.Element("a", {"b": _valid(text)})
    element.text = _valid(text)
    again = xml.fromstring(xml.tostring(element, encoding="unicode").encode("utf-8"))
    assert (again.text or "", again.get("b")) == (_valid(text), _valid(text))
