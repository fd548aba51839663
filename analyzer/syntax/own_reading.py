"""literal_value, expression_of: code as this Python itself reads it, without a word about it.

Python 3.12 and later warn of escapes that are none whenever they read one; that is for whoever
runs the file, not for whoever has it rewritten.
"""

from __future__ import annotations

import ast
import re
import warnings

# A text in which nothing stands for something else; tables have thousands.
_PLAIN = re.compile(r"""'([^'"\\\n\r\0]*)'|"([^'"\\\n\r\0]*)\"""")


def literal_value(code: str) -> object:
    """What a literal means. Raises ValueError for what is none to this Python."""
    text = _PLAIN.fullmatch(code)
    if text is not None:
        return text[1] if text[1] is not None else text[2]
    try:
        if "\\" not in code:
            plain: object = ast.literal_eval(code)
            return plain
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found: object = ast.literal_eval(code)
    except (SyntaxError, ValueError, TypeError, MemoryError, RecursionError) as error:
        raise ValueError(f"no literal: {error}") from None
    return found


def expression_of(code: str) -> ast.expr:
    """The expression that code is. Raises ValueError for what is none to this Python."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(f"({code}\n)", mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        raise ValueError(f"no expression: {error}") from None
