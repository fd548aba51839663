"""What the tests of this folder share: matching, and rewriting with, a rule of a few words."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from pinsetter.analyzer.messages.problem import Problem
from pinsetter.analyzer.syntax import parse
from pinsetter.analyzer.syntax.tree import Tree, walk
from pinsetter.codemods.engine.authoring.examples import outcome_of
from pinsetter.patterns.packs.pack import Pack, load
from pinsetter.patterns.reading.code_pattern import compile_code
from pinsetter.patterns.reading.pattern import Pattern

IMPORTS = {"hvd": "horovod.tensorflow", "tf": "tensorflow"}


def found(
    pattern: Pattern | str, code: str, imports: Mapping[str, str] | None = None
) -> list[dict[str, str]]:
    """The captures of every match in some code, as text."""
    compiled = compile_code(pattern, imports or {}) if isinstance(pattern, str) else pattern
    root = parse(code)
    tree = Tree(root, str(root))
    return [
        {name: tree.source(part) if part else "" for name, part in captures.items()}
        for node in walk(root)
        for captures in compiled.matches(node)
    ]


def matched(pattern: str, code: str, imports: Mapping[str, str] | None = None) -> list[str]:
    return [captures["match"] for captures in found(pattern, code, imports)]


def pack_of(**rule: Any) -> Pack:
    """A pack with one rule."""
    result = load_text(yaml.safe_dump(pack_data(**rule)))
    assert isinstance(result, Pack), result
    return result


def pack_data(**rule: Any) -> dict[str, Any]:
    whole = {"id": "rule", "title": "A rule", "why": "Because.", "examples": [{"unchanged": "x"}]}
    return {"pack": "test", "summary": "For a test.", "imports": IMPORTS, "rules": [whole | rule]}


def load_text(text: str | bytes) -> Pack | list[Problem]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "pack.yaml"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return load(path)


def rewritten(code: str, **rule: Any) -> str:
    """The code after one rule, all applications accepted."""
    pack = pack_of(**rule)
    return outcome_of(pack, pack.rules[0], code).text


def outcome(code: str, **rule: Any) -> tuple[str, list[str], list[str]]:
    """The code after one rule, what is reported, and the warnings."""
    pack = pack_of(**rule)
    found = outcome_of(pack, pack.rules[0], code)
    return found.text, [*found.reports], [*found.warnings]


def guarded(code: str) -> str:
    return rewritten(code, match="report($...args)", edit={"guard": "first()"})


def followed(code: str) -> str:
    return rewritten(code, match="step($...args)", edit={"insert": "done()", "place": "after"})


def preceded(code: str) -> str:
    return rewritten(code, match="step($...args)", edit={"insert": "begin()", "place": "before"})


def wrapped(code: str, template: str = "$it * size()") -> str:
    return rewritten(code, match="f($x)", edit={"wrap": "$x", "with": template})
