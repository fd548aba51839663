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

    def __init__(self, folder: Path) -> None:
        self.uri = (folder / "mine.yaml").as_uri()
        self.version = 0
        self.process = subprocess.Popen(
            [str(BIN / "pinsetter"), "language-server"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        capabilities: dict[str, Any] = {}
        self.ask("initialize", {"processId": None, "rootUri": None, "capabilities": capabilities})
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

    def at(self, method: str, line: int, character: int) -> Any:
        place = {"line": line, "character": character}
        return self.ask(method, {"textDocument": {"uri": self.uri}, "position": place})


@pytest.fixture
def editor(tmp_path: Path) -> Iterator[Editor]:
    made = Editor(tmp_path)
    yield made
    made.ask("shutdown", {})
    made.tell("exit", {})
    assert made.process.wait(30) == 0


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


def test_predicates_are_completed_and_explained(editor: Editor) -> None:
    editor.write(PACK)
    found = {one["label"]: one for one in editor.at("textDocument/completion", 8, 8)}
    assert {"isa", "matches", "every", "replace", "removes_imports"} <= found.keys()
    assert "literal number or string" in found["constant"]["documentation"]
    shown = editor.at("textDocument/hover", 8, 10)
    assert "literal number or string" in shown["contents"]["value"]
    assert editor.at("textDocument/hover", 12, 12) is None
    assert editor.at("textDocument/hover", 999, 0) is None
