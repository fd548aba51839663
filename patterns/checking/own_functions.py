"""own_functions: whether the Python beside a pack has what its rules call; it is read, not run."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ..reading.parsed_names import parsed
from ..reading.wording import suggestion
from .complaints import Complaint


def own_functions(head: Mapping[str, Any], folder: Path) -> Iterator[Complaint]:
    """What is wrong with the file, and with the names of its functions."""
    called = [(("rules", at, *spot), name) for at, rule in enumerate(head.get("rules", ()))
              for spot, name in _called(rule, ())]  # fmt: skip
    if "python" not in head:
        for spot, _ in called:
            yield Complaint(spot, "the pack has no Python of its own",
                            "name the file in the head, as python: mine.py")  # fmt: skip
        return
    try:
        text = (folder / head["python"]).read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        yield Complaint(("python",), f"cannot be read: {why}", "give a file beside this one")
        return
    tree = parsed(text)
    if tree is None:
        yield Complaint(("python",), "it is not Python", "see what `python` says of it")
        return
    known = [node.name for node in tree.body if isinstance(node, ast.FunctionDef)]
    for spot, name in called:
        if name not in known:
            hint = suggestion(name, known) if known else "define it there"
            yield Complaint(spot, f"{head['python']} defines no function {name!r}", hint, name)


def _called(data: Any, path: tuple[Any, ...]) -> Iterator[tuple[tuple[Any, ...], str]]:
    items = data.items() if isinstance(data, dict) else enumerate(data)
    for key, value in items:
        if key == "python" and isinstance(value, str):
            yield (*path, key), value
        elif isinstance(value, dict | list) and key != "examples":
            yield from _called(value, (*path, key))
