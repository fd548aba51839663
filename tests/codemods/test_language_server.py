"""The language server, over its real streams."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from commands import BIN

pytest.importorskip("pygls")

PACK = """\
pack: mine
summary: For a test.
rules:
  - id: take
    title: Take
    why: Because.
    match: take($x)
    where:
      - constant: $x
    edit: {replace: $match, with: took($x)}
    examples:
      - before: |
          take(1)
        after: |
          took(1)
"""


class Editor:
    """The other side of a server."""

    def __init__(self, folder: Path, root: Path | None = None, **options: Any) -> None:
        self.uri = (folder / "mine.yaml").as_uri()
        self.version = 0
        self.process = subprocess.Popen(
            [str(BIN / "pinsetter"), "language-server"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        begin = {"processId": None, "rootUri": root and root.as_uri(), "capabilities": {}}
        self.ask("initialize", {**begin, "initializationOptions": options})
        self.tell("initialized", {})

    def _send(self, **message: Any) -> None:
        assert self.process.stdin is not None
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
        self.process.stdin.flush()

    def _receive(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        length = 0
        while line := self.process.stdout.readline().strip():
            name, _, value = line.partition(b": ")
            length = int(value) if name == b"Content-Length" else length
        found: dict[str, Any] = json.loads(self.process.stdout.read(length))
        return found

    def tell(self, method: str, told: dict[str, Any]) -> None:
        self._send(method=method, params=told)

    def ask(self, method: str, told: dict[str, Any]) -> Any:
        self._send(method=method, params=told, id=1)
        while (found := self._receive()).get("id") != 1:
            pass
        return found["result"]

    def write(self, text: str) -> list[dict[str, Any]]:
        """What is said of a text."""
        self.version += 1
        if self.version == 1:
            document = {"uri": self.uri, "languageId": "yaml", "version": 1, "text": text}
            self.tell("textDocument/didOpen", {"textDocument": document})
        else:
            document = {"uri": self.uri, "version": self.version}
            changes = {"textDocument": document, "contentChanges": [{"text": text}]}
            self.tell("textDocument/didChange", changes)
        while (found := self._receive()).get("method") != "textDocument/publishDiagnostics":
            pass
        said: list[dict[str, Any]] = found["params"]["diagnostics"]
        return said

    def said_of(self, path: Path) -> list[dict[str, Any]]:
        """What is said next of a file."""
        while True:
            found = self._receive()
            said = found.get("params", {})
            if "diagnostics" in said and said["uri"] == path.as_uri():
                return [*said["diagnostics"]]

    def saved(self, path: Path) -> None:
        self.tell("textDocument/didSave", {"textDocument": {"uri": path.as_uri()}})

    def at(self, method: str, line: int, character: int) -> Any:
        place = {"line": line, "character": character}
        return self.ask(method, {"textDocument": {"uri": self.uri}, "position": place})


@pytest.fixture
def editor(tmp_path: Path) -> Iterator[Editor]:
    made = Editor(tmp_path)
    yield made
    ended(made)


def test_a_pack_is_checked_as_it_is_written(editor: Editor) -> None:
    assert editor.write(PACK) == []
    (said,) = editor.write(PACK.replace("constant:", "constnt:"))
    assert "constant" in said["message"]
    assert (said["range"]["start"]["line"], said["severity"], said["source"]) == (8, 1, "pinsetter")
    assert editor.write(PACK.replace("took($x)", "took($y)"))
    (said,) = editor.write(PACK + "  - [\n")
    assert "not YAML" in said["message"]
    assert editor.write("a: b\n") == []
    (said,) = editor.write(PACK.replace("rules:", "imports: {shop: shop}\nrules:"))
    assert said["severity"] == 3
    assert "not known here" in said["message"]
    assert editor.write(PACK) == []


def ended(editor: Editor) -> None:
    editor.ask("shutdown", {})
    editor.tell("exit", {})
    assert editor.process.wait(30) == 0


def test_matches_are_shown_while_a_pack_is_written(tmp_path: Path) -> None:
    root = tmp_path / "repo"
    root.mkdir()
    pack, one, two = tmp_path / "mine.yaml", root / "one.py", root / "two.py"
    pack.write_text(PACK)
    one.write_text("take(x)\n\nif x:\n    y = take(5)\n")
    two.write_text("take(x)\n")
    editor = Editor(tmp_path, root)
    assert editor.write(PACK) == []
    (said,) = editor.said_of(one)
    assert (said["message"], said["code"], said["severity"]) == ("Take: took(5)", "take", 3)
    assert said["range"]["start"] == {"line": 3, "character": 8}
    (lens,) = editor.ask("textDocument/codeLens", {"textDocument": {"uri": editor.uri}})
    assert lens["command"]["title"] == "1 match in 1 file"
    assert lens["range"]["start"]["line"] == 3
    two.write_text("take(1); take(2)\n")
    editor.saved(two)
    assert len(editor.said_of(two)) == 2
    (lens,) = editor.ask("textDocument/codeLens", {"textDocument": {"uri": editor.uri}})
    assert lens["command"]["title"] == "3 matches in 2 files"
    place = {"textDocument": {"uri": editor.uri}, "position": {"line": 6, "character": 0}}
    found = editor.ask(
        "textDocument/references", {**place, "context": {"includeDeclaration": True}}
    )
    assert [Path(each["uri"]).name for each in found] == ["one.py", "two.py", "two.py"]
    pack.write_text(PACK.replace("take($x)\n    where", "other($x)\n    where"))
    editor.saved(pack)
    assert editor.said_of(one) == []
    assert editor.said_of(two) == []
    ended(editor)


@pytest.mark.parametrize("with_root", [False, True])
def test_matches_are_shown_where_they_are_wanted(tmp_path: Path, with_root: bool) -> None:
    (tmp_path / "mine.yaml").write_text(PACK)
    (tmp_path / "one.py").write_text("take(5)\n")
    editor = Editor(tmp_path, tmp_path if with_root else None, matches=not with_root)
    assert editor.write(PACK) == []
    assert editor.ask("textDocument/codeLens", {"textDocument": {"uri": editor.uri}}) == []
    ended(editor)


def test_a_pack_s_own_python_is_not_run_for_it(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(
        f"open({str(tmp_path / 'ran')!r}, 'w')\ndef is_one(match):\n    return True\n"
    )
    text = PACK.replace("rules:", "python: own.py\nrules:")
    text = text.replace("constant: $x", "python: is_one")
    pack = tmp_path / "mine.yaml"
    pack.write_text(text)
    (tmp_path / "one.py").write_text("take(5)\n")
    editor = Editor(tmp_path, tmp_path)
    editor.write(text)
    title = ""
    while "Python of its own" not in title:
        lenses = editor.ask("textDocument/codeLens", {"textDocument": {"uri": editor.uri}})
        title = "".join(lens["command"]["title"] for lens in lenses)
    assert not (tmp_path / "ran").exists()
    ended(editor)


def test_predicates_are_completed_and_explained(editor: Editor) -> None:
    editor.write(PACK)
    found = {one["label"]: one for one in editor.at("textDocument/completion", 8, 8)}
    assert {"isa", "matches", "every", "replace", "removes_imports"} <= found.keys()
    said = found["constant"]["documentation"]
    assert "literal number or string" in said
    assert "holds:" not in said  # examples are for the page
    shown = editor.at("textDocument/hover", 8, 10)
    assert "literal number or string" in shown["contents"]["value"]
    assert editor.at("textDocument/hover", 12, 12) is None
    assert editor.at("textDocument/hover", 999, 0) is None
