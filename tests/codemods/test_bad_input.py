"""Input of every wrong kind: a message with file, line where there is one, and reason, and the
exit code that the docs promise; never a traceback, never silence, and no file is changed."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from pinsetter.codemods.engine.cli import obeyed, pinsetter

Make = Callable[[Path], object]
PACK = """\
pack: wrong
summary: For tests.
rules:
  - id: keyword
    title: Change
    why: It is better.
    match: how()
    edit: {append: x=1}
    examples: [{before: "how()\\n", after: "how(x=1)\\n"}]
"""
WHY = "It is better."
# Each list has the one before nine times.
LAUGHS = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{after}: &{after} [{', '.join([f'*{before}'] * 9)}]\n"
    for before, after in zip("abcdefgh", "bcdefghi", strict=True)
)


WITH_DECISIONS = "run wrong.yaml tree --diff --decisions d.json"


def text(name: str, content: str | bytes) -> Make:
    data = content if isinstance(content, bytes) else content.encode()
    return lambda folder: (folder / name).write_bytes(data)


def nothing(_: Path) -> None: ...


@dataclass(frozen=True)
class Bad:
    """``make`` puts something into the folder, in which the command is given; ``says`` is part of
    what it says."""

    make: Make
    says: str
    code: int = 2
    command: str = "run wrong.yaml tree --check"


def source(content: str | bytes, says: str, code: int = 2) -> Bad:
    return Bad(text("tree/odd.py", content), f"tree/odd.py{says}" if code == 2 else says, code)


def pack(content: str | bytes, says: str) -> Bad:
    return Bad(text("p.yaml", content), f"p.yaml{says}", 2, "run p.yaml tree --check")


def why(value: str, says: str) -> Bad:
    return pack(PACK.replace(WHY, value), says)


def decisions(content: str | bytes, says: str) -> Bad:
    return Bad(text("d.json", content), f"d.json{says}", 2, WITH_DECISIONS)


def given(name: str, content: str | bytes, says: str) -> Bad:
    return Bad(text(name, content), f"{name}{says}", 2, f"run wrong.yaml {name} --check")


def used(command: str, says: str, code: int = 3) -> Bad:
    return Bad(nothing, says, code, command)


SEEN, ENDED = "2 seen, 2 parsed", "2 seen, 1 parsed"
SOURCES = {
    "undefined": source("# coding: undefined\nx = 1\n", ":1: cannot be decoded as undefined"),
    "iso2022_jp": source(b"# coding: iso2022_jp\nx = '\x1b$B\xff'\n", ":2: cannot be decoded as"),
    "utf-7": source("# coding: utf-7\nx = '+//////'\n", ":2: cannot be decoded as utf-7"),
    "utf-7-twice": source("# coding: utf-7\nx = '+AAA-'\n", ": cannot be written back exactly"),
    "idna": source("# coding: idna\nx = 'é'\n", ":2: cannot be decoded as idna"),
    "punycode": source("# coding: punycode\nx = 1\n", ":1: cannot be decoded as punycode"),
    "escapes": source("# coding: unicode_escape\nx = '\\x'\n", ":2: cannot be decoded as unicode_"),
    "rot13": source("# coding: rot13\nx = 1\n", ":1: cannot be decoded: unknown encoding"),
    "unknown-codec": source("# coding: klingon\nx = 1\n", ":1: cannot be decoded: unknown encod"),
    "latin-1": source(b"x = '\xe9'\n", ":1: cannot be decoded"),
    "two-encodings": source(b"\xef\xbb\xbf# coding: latin-1\nx = 1\n", ":1: cannot be decoded"),
    "nul": source("x\0 = 1\n", ":1:2: NUL"),
    "utf-16": source("x = 1\n".encode("utf-16"), ":1: cannot be decoded"),
    "utf-16-without-mark": source("x = 1\n".encode("utf-16-le"), ":1:2: NUL"),
    "half-a-pair": source(b"x = '\xed\xa0\x80'\n", ":1: cannot be decoded"),
    "half-a-program": source("def how(:\n", ":1:9: cannot be parsed"),
    "open-bracket": source("how = (\n", ":1"),
    "conflict": source("<<<<<<< HEAD\nhow = 1\n", ":1:1: cannot be parsed"),
    "form-feed": source("\fhow()\n", SEEN, 1),
    "lone-returns": source("x = 1\rhow()\r", SEEN, 1),
    "empty": source("", ENDED, 1),
    "only-a-mark": source(b"\xef\xbb\xbf", ENDED, 1),
    "only-comments": source("# nothing\n", ENDED, 1),
}  # fmt: skip
FILES = {
    "notebook": given("a.ipynb", '{"cells": 3}', ": not read as a notebook: it is no notebook"),
    "bytecode": given("a.pyc", b"\xa7\r\r\n\0\0\0\0", ":1: cannot be decoded"),
    "archive": given("a.zip", b"PK\3\4\0\0", ":1:5: NUL"),
    "tarball": given("a.tar.gz", b"\x1f\x8b\x08\0", ":1: cannot be decoded"),
    "prose": given("a.txt", "hello world\n", ":1:7: cannot be parsed"),
    "gone": used("run wrong.yaml gone --check", "gone: no such file", 2),
    "long-name": used(f"run wrong.yaml {'a' * 5000} --check", "no such file", 2),
    "no-python": Bad(lambda f: (f / "sub").mkdir(), "0 seen", 0, "run wrong.yaml sub --check"),
    "pipe": Bad(lambda f: os.mkfifo(f / "odd.py"), "odd.py: cannot be read", 2,
                "run wrong.yaml odd.py --check"),
    "device": used("run wrong.yaml /dev/null --check", "/dev/null: cannot be read", 2),
    "link-to-itself": Bad(lambda f: (f / "tree/odd.py").symlink_to("odd.py"),
                          "odd.py: cannot be read"),
}  # fmt: skip
PACKS = {
    "tab": pack("pack:\n\tx: 1\n", ":2:1: not YAML"),
    "laughs": pack(PACK + LAUGHS, ":14:4: with its aliases written out"),
    "key-twice": pack(f"{PACK}summary: Again.\n", ":10:1: the key 'summary' is given twice"),
    "number-as-key": pack(f"{PACK}1: x\n", ":10:1: 1: unknown key"),
    "list-as-key": pack(f"{PACK}[a, b]: x\n", ":10:1: not YAML"),
    "null-as-key": pack(f"{PACK}? null\n: x\n", ":1:1: None: unknown key"),
    "recursion": pack("pack: &a [*a]\n", ":1:7: an alias stands inside its own anchor"),
    "no-text-where-text": why(".nan", ":6:10: rules.0.why: should be text"),
    "no-binary": why("!!binary '%%%'", ":6:10: rules.0.why: should be text"),
    "set": why("!!set {a}", ":6:5: rules.0.why: should be text"),
    "long-number": why("9" * 5000, ":1: not YAML"),
    "surrogate": why('"\\ud800"', ":6:13: not YAML"),
    "python-tag": pack("!!python/object/apply:os.system ['false']\n", ":1:1: not YAML"),
    "two-documents": pack(f"{PACK}---\n{PACK}", ":10:1: not YAML"),
    "nothing": pack("", ":1: should be a mapping"),
    "list": pack("[1]\n", ":1:1: should be a mapping"),
    "not-utf-8": pack(PACK.encode() + b"\xff\xfe", ":10: a pack is UTF-8 text"),
    "utf-16-pack": pack(PACK.encode("utf-16"), ":1: a pack is UTF-8 text"),
    "nul-in-a-pack": pack(f"{PACK}x: a\0b\n", ":10: not YAML"),
    "bad-merge": pack(f"{PACK}<<: 3\n", ":10:5: not YAML"),
    "unknown-key": pack(f"{PACK}    role: x\n", ":10:5: rules.0.role: unknown key"),
    "no-python-pattern": pack(PACK.replace("match: how()", "match: 'how('"), ":7:16: keyword"),
    "includes-a-pack": Bad(lambda f: [
        text("p.yaml", PACK.replace("rules:", "include: [q.yaml]\nrules:"))(f),
        text("q.yaml", PACK.replace("rules:", "include: [p.yaml]\nrules:"))(f),
    ], "p.yaml:3:11: 'q.yaml' is a pack", 2, "run p.yaml tree --check"),
    "folder-as-pack": Bad(lambda f: (f / "p.yaml").mkdir(), "p.yaml: cannot be read: Is a dir", 2,
                          "run p.yaml tree --check"),
    "pipe-as-pack": Bad(lambda f: os.mkfifo(f / "p.yaml"), "p.yaml: cannot be read: it is no", 2,
                          "run p.yaml tree --check"),
    "no-such-pack": used("run p.yaml tree --check", "p.yaml: cannot be read: No such file", 2),
}  # fmt: skip
DECISIONS = {
    "no-json": decisions("{", ":1:2: not JSON"),
    "no-decisions": decisions("", ":1"),
    "decisions-not-utf-8": decisions(b"\xff\xfe{", ":1: decisions are UTF-8 text"),
    "deep": decisions("[" * 100_000, ":1"),
    "another-format": decisions('{"format": "x"}', ":1: not a file of decisions"),
}
COMMANDS = {
    "unknown-option": used("run wrong.yaml tree --whta", "No such option"),
    "unknown-pack-option": used("run wrong.yaml tree --check --option whta", "has no option"),
    "unknown-rule": used("run wrong.yaml tree --check --skip whta", "There is no rule 'whta'"),
    "unknown-codemod": used("run whta tree --check", "There is no codemod 'whta'"),
    "unknown-command": used("whta", "No such command"),
    "unknown-format": used("run wrong.yaml tree --check --format whta", "whta"),
    "two-modes": used("run wrong.yaml tree --check --diff", "exclude each other"),
    "no-paths": used("run wrong.yaml --check", "Give at least one file or folder"),
    "no-such-line": used(f"facts tree tree/good.py:{'9' * 30}", "good.py"),
    "line-0": used("facts tree tree/good.py:0", "good.py"),
    "report-in-a-folder": used("run wrong.yaml tree --diff --output tree", "a folder"),
    "report-nowhere": used("run wrong.yaml tree --check --format json --output no/x", "no/x"),
}  # fmt: skip
CASES = {**SOURCES, **FILES, **PACKS, **DECISIONS, **COMMANDS}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_bad_input(
    case: Bad, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / "good.py").write_text("how()\n")
    (tmp_path / "wrong.yaml").write_text(PACK)
    case.make(tmp_path)
    monkeypatch.chdir(tmp_path)
    try:
        code = int(obeyed(pinsetter, case.command.split(" "), "pinsetter"))
    except SystemExit as end:
        code = int(end.code or 0)
    said = "".join(capsys.readouterr())
    assert case.says in said, said[-2000:]
    assert "internal error" not in said, said[-2000:]
    assert code == case.code, said[-2000:]
    assert (tmp_path / "tree" / "good.py").read_text() == "how()\n"


def test_there_are_enough_kinds() -> None:
    assert len(CASES) >= 40
