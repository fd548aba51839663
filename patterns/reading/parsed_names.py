"""parsed: code as this Python itself reads it, for questions about names."""

from __future__ import annotations

import ast
import warnings


def parsed(code: str | bytes) -> ast.Module | None:
    """The tree; None if this Python cannot read it, as it cannot Python 2. Nothing is run."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of escapes in strings
            return ast.parse(code)
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return None
