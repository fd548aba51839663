"""A plugin for pytest, `-p pinsetter.codemods.engine.authoring.pytest_plugin`: the packs among the
files that are collected, each example of each rule as a test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pinsetter.patterns.packs.pack import Example, Pack, Rule, load

from .examples import Failure, check_example, check_together

_ENDS = (".yaml", ".yml")
_HEADS = ("pack:", "part:")


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """The rules of a pack; None for what is no pack."""
    if file_path.suffix not in _ENDS or not _is_pack(file_path):
        return None
    found: PackFile = PackFile.from_parent(parent, path=file_path)
    return found


def _is_pack(path: Path) -> bool:
    try:
        lines = path.read_text("utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError):
        return False
    return any(line.startswith(_HEADS) for line in lines)


class PackFile(pytest.File):
    """A pack, or a part, whose rules are tested."""

    def collect(self) -> Iterator[pytest.Item]:
        """Raises CollectError for a pack that is broken."""
        pack = load(self.path)
        if not isinstance(pack, Pack):
            raise self.CollectError("\n".join(map(str, pack)))
        for rule in pack.own_rules:
            for number, example in enumerate(rule.examples, 1):
                yield ExampleItem.from_parent(
                    self, name=f"{rule.id}-{number}", pack=pack, rule=rule, example=example
                )


class _Failed(Exception):
    """An example that is not as it should be."""


class ExampleItem(pytest.Item):
    """One example, for its rule, and where it is changed for the whole pack."""

    def __init__(self, *, pack: Pack, rule: Rule, example: Example, **given: Any) -> None:
        super().__init__(**given)
        self.pack = pack
        self.rule = rule
        self.example = example

    def runtest(self) -> None:
        failure: Failure | None = check_example(self.pack, self.rule, self.example)
        if failure is None and self.example.after is not None and not self.pack.is_part:
            failure = check_together(self.pack, self.rule, self.example)
        if failure is not None:
            raise _Failed(str(failure))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> str:
        if isinstance(excinfo.value, _Failed):
            return str(excinfo.value)
        return str(super().repr_failure(excinfo, style))

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, self.example.line - 1, f"{self.rule.id}: an example"
