"""tables: rules that are written once and stand for many, one for each row of an ``each:``; and
packs that a run gives values.

A row gives texts to names; ``<<name>>`` in any text of the rule stands for them. A mapping has rows
of ``key`` and ``value``; a list has mappings; a name of a CSV file beside the pack, its lines, with
the names in the first. ``parameters:`` give texts to names in the whole file, which a run may set;
a row's own names come first.
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
_EACH, _RULES, _PARAMETERS = "each", "rules", "parameters"
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
    data: Any, read: Callable[[str], str], given: Mapping[str, str]
) -> tuple[Any, tuple[int, ...], list[TableMistake]]:
    """A pack's data with its rules for each row, the index of the rule that each of them was
    written as, and what is wrong. ``read`` gives the text of a file beside the pack, or raises
    OSError or ValueError; ``given`` are values of parameters."""
    if not isinstance(data, dict):
        return data, (), []
    values = _values(data.get(_PARAMETERS), given)
    mistakes: list[TableMistake] = []
    if values:
        head = {key: value for key, value in data.items() if key not in (_PARAMETERS, _RULES)}
        mistakes += _unknown(head, values, "there is no parameter")
        data = {**data, **_filled(head, values)}
    rules = data.get(_RULES)
    if not isinstance(rules, list) or not (
        values or any(isinstance(rule, dict) and _EACH in rule for rule in rules)
    ):
        return data, (), mistakes
    made: list[Any] = []
    origins: list[int] = []
    for at, rule in enumerate(rules):
        if not isinstance(rule, dict) or _EACH not in rule:
            wrong = _unknown(rule, values, "there is no parameter") if values else ()
            mistakes += (_moved(one, (_RULES, at)) for one in wrong)
            found = [_filled(rule, values)]
        else:
            rows = _rows(rule[_EACH], read)
            if isinstance(rows, TableMistake):
                mistakes.append(_moved(rows, (_RULES, at, _EACH)))
                continue
            plain = {key: value for key, value in rule.items() if key != _EACH}
            mistakes += (_moved(one, (_RULES, at)) for one in _wrong(plain, rows, values))
            found = [_filled(plain, {**values, **row}) for row in rows]
        made += found
        origins += [at] * len(found)
    return {**data, _RULES: made}, tuple(origins), mistakes


def _values(parameters: Any, given: Mapping[str, str]) -> Row:
    """The text of each parameter: a run's, or else the default, or that of the examples; none of
    them if one of them is wrong, which the schema says."""
    named = parameters if isinstance(parameters, dict) else {}
    found: dict[Any, Any] = {
        name: given.get(name, one.get("default", one.get("example")))
        for name, one in named.items() if isinstance(one, dict)
    }  # fmt: skip
    are_texts = all(isinstance(one, str) for pair in found.items() for one in pair)
    return found if are_texts and len(found) == len(named) else {}


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


def _wrong(rule: Mapping[Any, Any], rows: Sequence[Row], values: Row) -> Iterator[TableMistake]:
    yield from _unknown(rule, {**values, **rows[0]}, "the table has no")
    own = rule.get("id")
    if isinstance(own, str) and len(rows) > 1 and not _PLACEHOLDER.search(own):
        listed = " or ".join(f"{own}-<<{one}>>" for one in sorted(rows[0]))
        yield TableMistake(("id",), "rules of a table need an id each", f"as in {listed}")


def _unknown(data: Any, names: Iterable[str], reason: str) -> Iterator[TableMistake]:
    known = sorted(names)
    for path, text in _texts(data, ()):
        for name in _PLACEHOLDER.findall(text):
            if name not in known:
                close = difflib.get_close_matches(name, known, 1)
                listed = ", ".join(f"<<{one}>>" for one in known)
                hint = f"did you mean <<{close[0]}>>?" if close else f"known are {listed}"
                yield TableMistake(path, f"{reason} <<{name}>>", hint)


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
