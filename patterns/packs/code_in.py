"""pattern_in: code in a pack's conditions, compiled with what its imports mean."""

from __future__ import annotations

from functools import cache

from ..reading.code_pattern import compile_code
from ..reading.pattern import Pattern
from .pack import Pack


def pattern_in(pack: Pack, code: str) -> Pattern:
    """The pattern that code is in a pack."""
    meanings = ((alias, names[0]) for alias, names in pack.imports.items())
    return _compiled(code, tuple(sorted(meanings)))


@cache
def _compiled(code: str, imports: tuple[tuple[str, str], ...]) -> Pattern:
    return compile_code(code, dict(imports))
