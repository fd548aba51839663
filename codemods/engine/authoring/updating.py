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
    The rest of a file keeps its bytes. Raises OSError, which names the pack.
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
        if not isinstance(file, PackFile):
            problems += ((failure, "not written: the pack cannot be read") for failure in found)
            continue
        of_tables = _of_tables(file)
        raw = path.read_bytes().decode("utf-8")
        new = raw
        written = 0
        # From below, so that the lines of those above stay.
        for failure in sorted(found, key=lambda failure: -failure.example.line):
            if failure.rule.id in of_tables:
                text = "not written: the rule is of a table, and its examples are of several"
                problems.append((failure, text))
                continue
            made = _updated(new, failure)
            if made is None:
                problems.append((failure, "not written: its `after` is no block of lines"))
            else:
                new, written = made, written + 1
        if new != raw:
            try:
                replace(path, new.encode("utf-8"))
            except OSError as error:
                # What it names may be a file beside the pack.
                raise OSError(error.errno, error.strerror, str(path)) from error
            changed[path] = written
    return changed, problems


def _of_tables(file: PackFile) -> set[str]:
    """The ids of the rules that rows of a table make."""
    rules, origins = file.data["rules"], file.places.origins
    return {rule["id"] for rule, at in zip(rules, origins, strict=False) if origins.count(at) > 1}


def _updated(text: str, failure: Failure) -> str | None:
    """The text of a pack with what a rule makes of an example; None where that cannot be."""
    node = _after(text, failure)
    if node is None or failure.made is None or node.style != "|":
        return None
    first = text.index("\n", node.start_mark.index) + 1
    old = text[first : node.end_mark.index].rstrip()
    if "<<" in old:
        return None  # it is of a table of one row
    indent = old[: len(old) - len(old.lstrip(" "))]
    newline = "\r\n" if "\r\n" in text else "\n"
    lines = (f"{indent}{line}" if line else "" for line in failure.made.splitlines())
    new = text[:first] + newline.join(lines).rstrip() + text[first + len(old) :]
    again = _after(new, failure)
    return new if again is not None and again.value == failure.made else None


def _after(text: str, failure: Failure) -> yaml.ScalarNode | None:
    """The text that is the example's ``after``, by where the example stands."""
    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.YAMLError:
        return None
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
