"""read: a YAML file as data whose mistakes, and places, are known. Reading runs no code."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import importlib.resources
import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import cache, lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

import yaml

from pinsetter.analyzer.files import user_cache
from pinsetter.analyzer.messages.problem import Problem

from .python_file import definition_of, is_python_file
from .tables import with_rows
from .wording import Misfit, innermost, is_grouped, misfits
from .yaml_places import Mistake, Places, SafeLoader, Spot, places_of


@dataclass(frozen=True, eq=False)
class PackFile:
    """A pack, or a part that packs include, as it was read.

    ``data`` is what of it fits the schema; ``problems`` tell of the rest, and ``unread`` has its
    places: paths of one key for the head, of three (``rules``, index, key) for rules.
    """

    path: Path
    data: dict[str, Any]
    places: Places
    problems: tuple[Problem, ...] = ()
    unread: frozenset[tuple[Any, ...]] = frozenset()
    digest: str = ""

    @property
    def is_part(self) -> bool:
        return "part" in self.data

    @property
    def is_bundled(self) -> bool:
        return self.path.is_relative_to(BUNDLED)

    def problem(
        self,
        reason: str,
        *spot: Any,
        hint: str = "",
        word: str = "",
        at: tuple[int, int] | None = None,
    ) -> Problem:
        """A mistake at the keys and indices that ``spot`` leads along; in the value a ``word``, or
        what stands ``at`` a line and column of it."""
        return _problem(self.path, self.places, self.places.spot(*spot, word=word, at=at),
                        reason, hint)  # fmt: skip


NO_VALUES: Mapping[str, str] = MappingProxyType({})


def read(
    path: Path, given: Mapping[str, str] = NO_VALUES, text: bytes | None = None
) -> PackFile | list[Problem]:
    """Read a file; what cannot be read at all are Problems with file and line. ``given`` are values
    of its parameters, ``text`` what it will say once it is saved."""
    if text is not None:
        return _whole(path, text, given)
    try:
        if path.is_fifo():
            raise OSError(errno.EINVAL, "it is no regular file")  # reading it may never end
        raw = path.read_bytes()
    except OSError as error:
        hint = "give the path of a pack, a .yaml file"
        return [Problem(path, f"cannot be read: {error.strerror or error}", hint=hint)]
    return _whole(path, raw, given)


def _whole(path: Path, raw: bytes, given: Mapping[str, str]) -> PackFile | list[Problem]:
    found = _read(path, raw, _tables(path, raw), tuple(sorted(given.items())))
    return _with_definitions(found) if isinstance(found, PackFile) else list(found)


def _with_definitions(file: PackFile) -> PackFile:
    """The file with the code of its definitions that stand in Python files."""
    given = file.data.get("definitions", {})
    named = {name: value.strip() for name, value in given.items() if is_python_file(value)}
    if not named:
        return file
    code: dict[str, str] = {}
    problems = []
    for name, other in named.items():
        try:
            code[name] = definition_of(name, file.path.parent / other)
        except ValueError as error:
            hint = "give a Python file, from this file's folder, that has the definition"
            problems.append(file.problem(f"{other}: {error}", "definitions", name, hint=hint))
    kept = {name: value for name, value in given.items() if name not in named} | code
    return replace(
        file,
        data={**file.data, "definitions": kept},
        problems=(*file.problems, *problems),
        digest=hashlib.sha256(f"{file.digest}\0{sorted(code.items())}".encode()).hexdigest(),
    )


def _tables(path: Path, raw: bytes) -> tuple[tuple[str, bytes], ...]:
    """The CSV files beside a pack that names one."""
    found = []
    for file in sorted(path.parent.glob("*.csv")) if b".csv" in raw else ():
        with contextlib.suppress(OSError):
            if file.is_file():
                found.append((file.name, file.read_bytes()))
    return tuple(found)


# Packs of one choice include the same parts.
@lru_cache(maxsize=128)
def _read(
    path: Path,
    raw: bytes,
    tables: tuple[tuple[str, bytes], ...],
    given: tuple[tuple[str, str], ...],
) -> PackFile | tuple[Problem, ...]:
    own = f"{_FORMAT}\0{_schema_text()}\0{given}\0".encode() + raw
    digest = hashlib.sha256(own + b"\0".join(b"".join((n.encode(), b"\0", c)) for n, c in tables)
                            ).hexdigest()  # fmt: skip
    if not path.is_relative_to(BUNDLED):
        return _checked(path, raw, digest, dict(tables), dict(given))
    file = user_cache.folder() / f"pack-{digest[:16]}.json"
    with contextlib.suppress(OSError, ValueError, TypeError):
        data, lines, origins = json.loads(file.read_bytes())
        text = raw.decode("utf-8-sig")
        places = Places({tuple(spot): line for spot, line in lines}, text, tuple(origins))
        return PackFile(path, dict(data), places, digest=digest)
    found = _checked(path, raw, digest, dict(tables), dict(given))
    if isinstance(found, PackFile) and not found.problems:
        places = found.places
        kept = [found.data, list(places.lines.items()), places.origins]
        user_cache.keep(file, json.dumps(kept))
    return found


def once(files: Sequence[PackFile], check: Callable[[], bool]) -> None:
    """Have files that come with the package checked if they have not been before; the verdict of a
    check that found nothing is kept."""
    if not all(file.is_bundled for file in files):
        check()
        return
    digests = "".join(sorted(file.digest for file in files))
    file = user_cache.folder() / f"checked-{hashlib.sha256(digests.encode()).hexdigest()[:16]}"
    if not file.is_file() and check():
        user_cache.keep(file, "")


def _checked(
    path: Path, raw: bytes, digest: str, tables: Mapping[str, bytes], given: Mapping[str, str]
) -> PackFile | tuple[Problem, ...]:
    try:
        text = raw.decode("utf-8-sig")
        places, data, mistakes = _parsed(text)
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        return (Problem(path, "a pack is UTF-8 text", line, hint="save the file as UTF-8"),)
    except yaml.YAMLError as error:
        return (_yaml_problem(path, text, error),)
    except RecursionError:
        hint = "a pack is a few levels deep"
        return (Problem(path, "not YAML: nested too deeply", 1, hint=hint),)
    except ValueError as error:
        hint = "a value does not fit the tag (!!…) in front of it"
        return (Problem(path, f"not YAML: {error}", 1, hint=hint),)
    if mistakes:
        return tuple(_problem(path, places, m.spot, m.reason, m.hint) for m in mistakes)
    data, origins, wrong = with_rows(data, lambda name: _text_of(tables, name), given)
    if wrong:
        spots = [(m, places.spot(*m.spot)) for m in wrong]
        return tuple(_problem(path, places, spot, m.reason, m.hint) for m, spot in spots)
    places.origins = origins
    import jsonschema  # bundled packs were checked before, and a start should not wait for it

    validator = jsonschema.Draft202012Validator(schema())
    errors = [
        error for error in map(innermost, validator.iter_errors(data))
        if isinstance(error.instance, dict) or not is_grouped(error)  # its type is an error already
    ]  # fmt: skip
    misfitting = (_misfit(path, found, places) for error in errors for found in misfits(error))
    problems = tuple(dict.fromkeys(misfitting))  # a table's rules have the same ones
    if not isinstance(data, dict):
        return problems
    unread = frozenset(key for error in errors for key in _unread(error))
    return PackFile(path, _without(data, unread), places, problems, unread, digest)


def _text_of(tables: Mapping[str, bytes], name: str) -> str:
    if name not in tables:
        raise FileNotFoundError(errno.ENOENT, "there is no such file")
    return tables[name].decode("utf-8-sig")


def _problem(path: Path, places: Places, spot: Spot, reason: str, hint: str) -> Problem:
    text = places.source(spot.line)
    return Problem(path, reason, spot.line, spot.column, hint, text)


def _misfit(path: Path, found: Misfit, places: Places) -> Problem:
    spot = places.key(*found.where) if found.is_key else places.spot(*found.where)
    there, written = found.where[:2], places.written(found.where)[:2]
    reason = found.reason.replace(".".join(map(str, there)), ".".join(map(str, written)), 1)
    return _problem(path, places, spot, reason, found.hint)


def _unread(error: Any) -> Iterator[tuple[Any, ...]]:
    """The keys of the head, or of a rule, that do not fit the schema."""
    path = tuple(error.absolute_path)
    in_rule = len(path) > 1 and path[0] == "rules"
    if len(path) > (2 if in_rule else 0):
        yield path[:3] if in_rule else path[:1]
    if error.validator == "additionalProperties" and len(path) in (0, 2):
        known = error.schema["properties"]
        for key in error.instance:
            if key not in known:
                yield (*path, key)
                # What it was meant to be is not known, either.
                yield from ((*path, near) for near in get_close_matches(str(key), list(known), 1))
    elif in_rule and len(path) == 2:
        yield (*path, "")


def _without(data: dict[Any, Any], unread: Collection[tuple[Any, ...]]) -> dict[str, Any]:
    """The data without what could not be read; a rule that is none becomes an empty one."""
    kept = {key: value for key, value in data.items() if (key,) not in unread}
    rules = kept.get("rules")
    if isinstance(rules, list):
        kept["rules"] = [
            {k: v for k, v in rule.items() if ("rules", at, k) not in unread}
            if isinstance(rule, dict) else {}
            for at, rule in enumerate(rules)
        ]  # fmt: skip
    return kept


@cache
def schema() -> dict[str, Any]:
    """The JSON Schema of a pack."""
    parsed: dict[str, Any] = json.loads(_schema_text())
    return parsed


@cache
def _schema_text() -> str:
    return (BUNDLED / "pack.schema.json").read_text("utf-8")


BUNDLED = Path(str(importlib.resources.files("pinsetter.patterns")))
# What a kept file looks like; to be raised whenever that changes.
_FORMAT = 3


# A pack is a few levels deep; how deep Python itself would go depends on what ran before.
_MAX_LEVELS = 50


class _Loader(SafeLoader):  # type: ignore[misc]
    """YAML without dates: `summary: 2024-01-01` is text."""

    yaml_implicit_resolvers = {  # noqa: RUF012
        first: [(tag, form) for tag, form in resolvers if not tag.endswith(":timestamp")]
        for first, resolvers in SafeLoader.yaml_implicit_resolvers.items()
    }


def _parsed(text: str) -> tuple[Places, Any, list[Mistake]]:
    """The places in a YAML text and its data, None if there are mistakes.

    Raises yaml.YAMLError, worded by PyYAML's own reader; RecursionError for what is nested too
    deeply; ValueError for values that do not fit their tags.
    """
    try:
        _check_levels(text, _Loader)
        loader = _Loader(text)
        root = loader.get_single_node()
    except yaml.YAMLError:
        _check_levels(text, yaml.SafeLoader)  # libyaml may have a limit of its own, said otherwise
        yaml.compose(text, Loader=yaml.SafeLoader)
        raise
    places, mistakes = places_of(root, text)
    data = loader.construct_document(root) if root and not mistakes else None
    return places, data, mistakes


def _check_levels(text: str, loader: type[_Loader | yaml.SafeLoader]) -> None:
    levels = 0
    for event in yaml.parse(text, Loader=loader):
        levels += isinstance(event, yaml.CollectionStartEvent)
        levels -= isinstance(event, yaml.CollectionEndEvent)
        if levels > _MAX_LEVELS:
            raise RecursionError


def _yaml_problem(path: Path, text: str, error: yaml.YAMLError) -> Problem:
    if isinstance(error, yaml.reader.ReaderError):
        line = text.count("\n", 0, error.position) + 1
        column = error.position - text.rfind("\n", 0, error.position) - 1
        reason = f"character U+{ord(text[error.position]):04X} is not allowed"
        return Problem(path, f"not YAML: {reason}", line, column, hint="remove it")
    mark = getattr(error, "problem_mark", None)
    reason = getattr(error, "problem", None) or str(error)
    if "\\t" in reason:
        hint = "indent with spaces"
    elif "tag:" in reason:
        hint = "a pack is data: text, numbers, lists and mappings"
    else:
        hint = "check the quotes, brackets and indentation here and on the line before"
    spot = Spot(mark.line + 1, mark.column) if mark else Spot(1)
    return _problem(path, Places(text=text), spot, f"not YAML: {reason}", hint)
