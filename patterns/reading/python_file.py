"""definition_of: what a pack inserts into programs, from the Python file in which it stands.

There it can be linted, checked for types (in comments, for programs may be of Python 2) and tested.
"""

from __future__ import annotations

import ast
import errno
import re
import warnings
from pathlib import Path

_IS_FILE = re.compile(r"[\w./-]+\.py")
_TYPE_COMMENT = re.compile(r"^[ \t]*# type: .*\n|[ \t]+# type: .*$", re.MULTILINE)


def is_python_file(value: object) -> bool:
    """Whether the value of a definition is not code, but the name of a file."""
    return isinstance(value, str) and _IS_FILE.fullmatch(value.strip()) is not None


def definition_of(name: str, path: Path) -> str:
    """The code of a function or class of the file. Raises ValueError, with what is wrong."""
    try:
        if path.is_fifo():
            raise OSError(errno.EINVAL, "it is no regular file")  # reading it may never end
        text = path.read_text("utf-8-sig")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of escapes in strings
            tree = ast.parse(text)
    except OSError as error:
        raise ValueError(f"cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ValueError("it is not UTF-8 text") from None
    except SyntaxError as error:
        raise ValueError(f"it is not Python: {error.msg} (its line {error.lineno})") from None
    except (ValueError, RecursionError, MemoryError) as error:
        raise ValueError(f"it is not Python: {error or type(error).__name__}") from None
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name == name:
            lines = text.splitlines(keepends=True)
            first = min([node.lineno, *(d.lineno for d in node.decorator_list)]) - 1
            return _TYPE_COMMENT.sub("", "".join(lines[first : node.end_lineno]))
    raise ValueError(f"it defines no {name!r}")
