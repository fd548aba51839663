"""compiled: what this Python makes of a text, or what it has against it."""

from __future__ import annotations

import ast
from collections.abc import Callable
from types import CodeType
from typing import Any

from pinsetter.analyzer.files.source import BOM

# The compiler compares every keyword of a call with every other: of 90,000 that takes a minute.
_LONG = 100_000
_MANY = 1_000


def compiled(text: str, flags: int = 0) -> CodeType | str:
    """What a text compiles to, or why it does not; ``flags`` are those of ``compile``."""
    code = text.removeprefix(BOM)
    try:
        source: Any = code
        if len(code) >= _LONG:
            source = _compile(code, flags | ast.PyCF_ONLY_AST)
            _check_keywords(source)
        made: CodeType = _compile(source, flags)
        return made
    except SyntaxError as error:
        return f"{error.msg} (line {error.lineno} of the result)"
    except (ValueError, OverflowError, RecursionError, MemoryError) as error:
        return f"{type(error).__name__}: {error}"


def _compile(code: str | ast.AST, flags: int) -> Any:
    compiler: Callable[..., Any] = compile
    return compiler(code, "<result>", "exec", flags, dont_inherit=True)


def _check_keywords(tree: ast.AST) -> None:
    """Compare the keywords of calls that have very many, and give the compiler their values without
    them. Raises SyntaxError for one that is repeated."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call | ast.ClassDef) and len(node.keywords) > _MANY:
            seen: set[str | None] = set()
            for keyword in node.keywords:
                if keyword.arg in seen and keyword.arg is not None:
                    place = "<result>", keyword.lineno, keyword.col_offset + 1, None
                    raise SyntaxError(f"keyword argument repeated: {keyword.arg}", place)
                seen.add(keyword.arg)
            values = node.args if isinstance(node, ast.Call) else node.bases
            values.extend(keyword.value for keyword in node.keywords)
            node.keywords.clear()
