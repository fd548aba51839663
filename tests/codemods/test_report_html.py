"""The page of a run: everything is in it, and nothing in it is taken for markup."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from commands import HUNKS, PLAIN, TRAIN
from hypothesis import given
from hypothesis import strategies as st
from reports import document_of, hostile_tree

from pinsetter.codemods.engine.hunks.diff import hunk_lines
from pinsetter.codemods.engine.report.document import Document
from pinsetter.codemods.engine.report.html import as_html, lines, shown
from pinsetter.codemods.engine.running.mode import Mode
from pinsetter.patterns.edits.edit import Edit

VOID = {"meta", "link", "input", "br"}


class Reader(HTMLParser):
    """The elements of a page; fails where they are not nested."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self._open: list[str] = []
        self.feed(page)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        if tag not in VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "script" not in self._open and "style" not in self._open:
            self.text += data

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.found if name == tag]


@pytest.fixture(scope="module")
def document(tmp_path_factory: pytest.TempPathFactory) -> Document:
    return document_of(hostile_tree(tmp_path_factory.mktemp("tree")))


@pytest.fixture(scope="module")
def page(document: Document) -> Reader:
    return Reader(as_html(document).decode("utf-8"))


def test_nothing_to_do_is_a_page(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(PLAIN)
    page = Reader(as_html(document_of(tmp_path)).decode("utf-8"))
    assert "Nothing to do." in page.text
    assert "No hunk is proposed." in page.text
    assert page.all("article") == page.all("form") == []


def test_an_empty_folder_is_a_page(tmp_path: Path) -> None:
    assert "Nothing to do." in Reader(as_html(document_of(tmp_path)).decode("utf-8")).text


def test_nothing_comes_from_elsewhere(page: Reader) -> None:
    assert [e for e in page.all("link") if e["href"] != "data:,"] == []
    assert len(page.all("script")) == len(page.all("style")) == 1
    for _, attributes in page.found:
        assert "src" not in attributes
        assert not any(name.startswith("on") or name == "style" for name in attributes)
    assert all((anchor["href"] or "").startswith("#") for anchor in page.all("a"))


def test_every_link_leads_somewhere(page: Reader) -> None:
    ids = [attributes["id"] for _, attributes in page.found if "id" in attributes]
    assert len(ids) == len(set(ids))
    assert {(anchor["href"] or "")[1:] for anchor in page.all("a")} <= set(ids)


def test_every_hunk_is_shown(document: Document, page: Reader) -> None:
    asked = [a for a in page.all("article") if a["data-along"] == "0"]
    assert len(asked) == 4 * HUNKS == document.counts.proposed
    for hunk in document.hunks:
        assert hunk.title in page.text
        assert hunk.why in page.text
    for failure in document.failures:
        assert failure.reason.split("\n")[0] in page.text


def test_names_and_sources_are_text(document: Document, page: Reader) -> None:
    assert {tag for tag, _ in page.found}.isdisjoint({"pre", "b", "img", "iframe", "object"})
    assert len(page.all("script")) == 1
    name = """<script>alert(1)<script> & "quotes" 'more' \\u202e\\x1b[31m"""
    assert name in page.text
    assert "U+000C U+202E" in page.text
    assert "'</pre><script>" in page.text
    assert not re.search("[\u202e\x1b\x0c\ud800-\udfff]", page.text)


def test_what_is_written_says_so(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(TRAIN)
    page = Reader(as_html(document_of(tmp_path, Mode.WRITE)).decode("utf-8"))
    assert page.text.count("written") > HUNKS


def test_changed_lines_mark_what_differs() -> None:
    text = "rate = Adam(0.1)\n"
    found = lines(hunk_lines("a.py", text, [Edit(15, 15, " * size")])[2:])
    assert [(line.kind, line.old, line.new, line.parts) for line in found[1:]] == [
        ("removed", 1, 0, (("rate = Adam(0.1", False), (")", False))),
        ("added", 0, 1, (("rate = Adam(0.1", False), (" * size", True), (")", False))),
    ]


def test_lines_that_have_nothing_in_common_are_not_marked() -> None:
    found = lines(["@@ -1 +1 @@", "-a", "+b"])
    assert [line.parts for line in found[1:]] == [(("a", False),), (("b", False),)]


def test_an_empty_line_is_shown() -> None:
    found = lines(["@@ -1,2 +1,2 @@", "-", "+b", " "])
    assert [line.parts for line in found[1:]] == [(("", False),), (("b", False),), (("", False),)]


def test_a_missing_line_end_is_a_remark() -> None:
    found = lines(hunk_lines("a.py", "a", [Edit(1, 1, "\n")])[2:])
    assert [line.kind for line in found] == ["place", "removed", "remark", "added"]


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_what_is_shown_is_text(text: str) -> None:
    reader = Reader(str(shown(text)))
    assert {tag for tag, _ in reader.found} <= {"span"}
    visible = "".join(char for char in text if char.isprintable() or char in "\t\n")
    assert len(reader.text) >= len(visible)
    assert all(char.isprintable() or char in "\t\n" for char in reader.text)
