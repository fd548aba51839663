"""update: what rules make of their examples, written into the pack that has them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import yaml

from pinsetter.patterns.reading.yaml_file import PackFile, read

from ..files.replace_file import replace
from .examples import Failure


def update(
    failures: Iterable[Failure],
) -> tuple[Mapping[Path, int], list[tuple[Failure, str]]]:
    """Write what rules make of their examples as ``after:``; an example that should change nothing
    stays. Returns the number of examples by file, and what could not be written, with the reason.
    The rest of a file keeps its bytes. Raises OSError.
    """
    problems: list[tuple[Failure, str]] = []
    by_path: dict[Path, list[Failure]] = {}
    for failure in failures:
        if failure.example.after is None:
            problems.append((failure, "not written: it is to leave this as it is"))
        else:
            by_path.setdefault(failure.rule.path, []).append(failure)
    changed: dict[Path, int] = {}
    for path, found in by_path.items():
        file = read(path)
        text = path.read_bytes().decode("utf-8-sig")
        if not isinstance(file, PackFile) or file.places.origins:
            tables = "not written: the pack has rules of a table, whose examples are of several"
            problems += ((failure, tables) for failure in found)
            continue
        new, written = _updated(text, found)
        problems += ((one, "not written: its `after` is not on lines of its own")
                     for one in found if one not in written)  # fmt: skip
        if written:
            replace(path, new.encode("utf-8"))
            changed[path] = len(written)
    return changed, problems


def _updated(text: str, failures: Iterable[Failure]) -> tuple[str, list[Failure]]:
    root = yaml.compose(text, Loader=yaml.SafeLoader)
    written: list[Failure] = []
    edits: list[tuple[int, int, str]] = []
    for failure in failures:
        node = _after(root, failure)
        if node is None or failure.made is None or node.style != "|":
            continue
        first = text.index("\n", node.start_mark.index) + 1
        old = text[first : node.end_mark.index].rstrip()
        line = next(one for one in old.split("\n") if one.strip())
        indent = line[: len(line) - len(line.lstrip())]
        lines = (f"{indent}{one}" if one else "" for one in failure.made.splitlines())
        edits.append((first, first + len(old), "\n".join(lines).rstrip()))
        written.append(failure)
    for start, end, block in sorted(edits, reverse=True):
        text = text[:start] + block + text[end:]
    return text, written


def _after(root: yaml.Node | None, failure: Failure) -> yaml.ScalarNode | None:
    """The text that is the example's ``after``, by where the example stands."""
    found = None
    waiting = [root] if root is not None else []
    while waiting:
        node = waiting.pop()
        if isinstance(node, yaml.MappingNode):
            keys = {key.value: value for key, value in node.value}
            if node.start_mark.line + 1 == failure.example.line and "after" in keys:
                found = keys["after"]
            waiting += (value for _, value in node.value)
        elif isinstance(node, yaml.SequenceNode):
            waiting += node.value
    return found if isinstance(found, yaml.ScalarNode) else None
