"""Formatting: which tool formats what a run writes, and the edits as it writes their lines."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from pinsetter.analyzer.files.import_path import root_of
from pinsetter.analyzer.messages.problem import Problem

if TYPE_CHECKING:
    from pinsetter.analyzer.names.module import Module
    from pinsetter.patterns.edits.edit import Edit

    from .formatter import Formatter, Setting

AUTO, NONE = "auto", "none"


@dataclass(eq=False)
class Formatting:
    """``wanted`` is the tool that a person names, ``auto`` for that of each file's repository, or
    ``none``. ``remarks`` say what was not formatted, and why. A file's settings are looked for
    around ``place`` of its path: not every file is where it is said to be."""

    wanted: str = NONE
    place: Callable[[Path], Path] = Path
    remarks: list[Problem] = field(default_factory=list)
    _tools: dict[tuple[str, Path | None], Formatter | None] = field(default_factory=dict)
    _known: dict[Module, tuple[list[Edit], list[Edit]]] = field(default_factory=dict)

    @property
    def unfound(self) -> str | None:
        """The tool that a person names, if it is not installed."""
        named = self.wanted not in (AUTO, NONE)
        return self.wanted if named and self._installed(self.wanted, None) is None else None

    def edits(self, module: Module, edits: Sequence[Edit]) -> list[Edit]:
        """The edits, with their lines as the formatter writes them, and no others: of a file that
        was formatted before, that is the whole file."""
        given = list(edits)
        if self.wanted == NONE or not given:
            return given
        known = self._known.get(module)
        if known is None or known[0] != given:
            known = self._known[module] = given, self._formatted(module, given)
        return known[1]

    def _formatted(self, module: Module, edits: list[Edit]) -> list[Edit]:
        from .formatted_edits import formatted
        from .formatter import setting_for

        path = self.place(module.path)
        setting = setting_for(path) if self.wanted == AUTO else None
        tool = self._tool(module.path, setting)
        if tool is None:
            return edits
        maybe = setting is not None and setting.maybe
        return formatted(module, edits, path, tool, maybe, self.remarks)

    def _tool(self, file: Path, setting: Setting | None) -> Formatter | None:
        if self.wanted != AUTO:
            return self._installed(self.wanted, None)
        if setting is None:
            return None
        tool = self._installed(setting.tool, root_of(file))
        if tool is None and not setting.maybe:
            reason = (
                f"formats with {setting.tool}, which is not installed: new lines stay as they are"
            )
            problem = Problem(setting.path, reason, hint="install it beside Pinsetter")
            if problem not in self.remarks:
                self.remarks.append(problem)
        return tool

    def _installed(self, tool: str, outside: Path | None) -> Formatter | None:
        key = (tool, outside)
        if key not in self._tools:
            from .formatter import installed

            self._tools[key] = installed(tool, outside)
        return self._tools[key]


UNFORMATTED = Formatting()
