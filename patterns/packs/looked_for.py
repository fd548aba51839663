"""LookedFor: the code that a rule looks for, which is made a pattern when it is asked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..reading.pattern import Pattern


@dataclass(frozen=True)
class LookedFor:
    """``code`` is that of `match`, in which names mean what ``imports`` say, or of `query`; none of
    what no code fits. What ``renames`` is about a name also where that is imported."""

    code: str
    imports: Mapping[str, str] = field(default_factory=dict)
    is_query: bool = False
    renames: bool = False

    @cached_property
    def pattern(self) -> Pattern:
        """Raises PatternProblem, which checking the pack has told."""
        from ..reading.code_pattern import compile_code, compile_query, with_imports
        from ..reading.pattern import NEVER

        if not self.code:
            return NEVER
        found = compile_query(self.code) if self.is_query else compile_code(self.code, self.imports)
        return with_imports(found) if self.renames else found

    @property
    def renamed(self) -> str:
        """The qualified name that is renamed; empty if none is."""
        if not self.renames:
            return ""
        head, *names = (part.strip() for part in self.code.split("."))
        return ".".join((self.imports.get(head, head), *names))
