"""tables: rules that are written once and stand for many, one for each row of an ``each:``.

A row gives texts to names; ``<<name>>`` in any text of the rule stands for them. A mapping has rows
of ``key`` and ``value``; a list has mappings; a name of a CSV file beside the pack, its lines, with
the names in the first.
"""

from __future__ import annotations

import csv
import difflib
import io
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Row = Mapping[str, str]
_EACH = "each"
_PLACEHOLDER = re.compile(r"<<(\w+)>>")
# What a rule may become.
_MOST = 2_000


@dataclass(frozen=True)
class TableMistake:
    """What is wrong, and the keys and indices that lead there."""

    spot: tuple[Any, ...]
    reason: str
    hint: str


def with_rows(
    data: Any, read: Callable[[str], str]
) -> tuple[Any, tuple[int, ...], list[TableMistake]]:
    """A pack's data with its rules for each row, the index of the rule that each of them was
    written as, and what is wrong. ``read`` gives the text of a file beside the pack, or raises
    OSError or ValueError."""
    rules = data.get("rules") if isinstance(data, dict) else None
    if not isinstance(rules, list) or not any(isinstance(r, dict) and _EACH in r for r in rules):
        return data, (), []
    made: list[Any] = []
    origins: list[int] = []
    mistakes: list[TableMistake] = []
    for at, rule in enumerate(rules):
        if not isinstance(rule, dict) or _EACH not in rule:
            found = [rule]
        else:
            rows = _rows(rule[_EACH], read)
            if isinstance(rows, TableMistake):
                mistakes.append(_moved(rows, ("rules", at, _EACH)))
                continue
            plain = {key: value for key, value in rule.items() if key != _EACH}
            mistakes += (_moved(one, ("rules", at)) for one in _wrong(plain, rows))
            found = [_filled(plain, row) for row in rows]
        made += found
        origins += [at] * len(found)
    return {**data, "rules": made}, tuple(origins), mistakes


def _moved(mistake: TableMistake, spot: tuple[Any, ...]) -> TableMistake:
    return TableMistake((*spot, *mistake.spot), mistake.reason, mistake.hint)


def _rows(table: Any, read: Callable[[str], str]) -> Sequence[Row] | TableMistake:
    if isinstance(table, str):
        try:
            lines = list(csv.DictReader(io.StringIO(read(table)), strict=True))
        except (OSError, ValueError, csv.Error) as error:
            reason = f"{table} cannot be read: {getattr(error, 'strerror', None) or error}"
            return TableMistake((), reason, "give a CSV file, from this file's folder")
        if any(None in line or None in line.values() for line in lines):
            return TableMistake((), f"a line of {table} has other columns than the first",
                                "each line has as many cells as the first")  # fmt: skip
        rows: Sequence[Row] = lines
    elif isinstance(table, dict):
        rows = [{"key": str(key), "value": str(value)} for key, value in table.items()]
    elif isinstance(table, list) and all(isinstance(row, dict) for row in table):
        rows = [{str(key): str(value) for key, value in row.items()} for row in table]
    else:
        return TableMistake((), "no table", "a mapping, a list of mappings, or a CSV file's name")
    if not rows:
        return TableMistake((), "the table has no row", "give it one, or leave the rule out")
    if len(rows) > _MOST:
        return TableMistake((), f"the table has more than {_MOST:,} rows", "divide it")
    names = set(rows[0])
    odd = next((at for at, row in enumerate(rows) if set(row) != names), None)
    if odd is not None:
        return TableMistake((odd,), "the row has other names than the first",
                            f"each has {', '.join(sorted(names))}")  # fmt: skip
    return rows


def _wrong(rule: Mapping[Any, Any], rows: Sequence[Row]) -> Iterator[TableMistake]:
    known = sorted(rows[0])
    for path, text in _texts(rule, ()):
        for name in _PLACEHOLDER.findall(text):
            if name not in known:
                close = difflib.get_close_matches(name, known, 1)
                listed = ", ".join(f"<<{one}>>" for one in known)
                hint = f"did you mean <<{close[0]}>>?" if close else f"the table has {listed}"
                yield TableMistake(path, f"the table has no <<{name}>>", hint)
    own = rule.get("id")
    if isinstance(own, str) and len(rows) > 1 and not _PLACEHOLDER.search(own):
        listed = " or ".join(f"{own}-<<{one}>>" for one in known)
        yield TableMistake(("id",), "rules of a table need an id each", f"as in {listed}")


def _texts(data: Any, path: tuple[Any, ...]) -> Iterator[tuple[tuple[Any, ...], str]]:
    if isinstance(data, str):
        yield path, data
    items: Iterable[tuple[Any, Any]] = ()
    if isinstance(data, dict):
        items = data.items()
    elif isinstance(data, list):
        items = enumerate(data)
    for key, value in items:
        if isinstance(key, str):
            yield from ((path, key) for _ in _PLACEHOLDER.findall(key)[:1])
        yield from _texts(value, (*path, key))


def _filled(data: Any, row: Row) -> Any:
    if isinstance(data, str):
        return _PLACEHOLDER.sub(lambda found: row.get(found[1], found[0]), data)
    if isinstance(data, dict):
        return {_filled(key, row): _filled(value, row) for key, value in data.items()}
    if isinstance(data, list):
        return [_filled(value, row) for value in data]
    return data
