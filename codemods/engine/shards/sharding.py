"""sharding: files with hunks, put together into shards of which each is one change."""

from __future__ import annotations

import hashlib
import os
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from pathlib import PurePosixPath

import networkx as nx

_NOBODY = "no-owner"
_UNREADABLE = re.compile(r"[^A-Za-z0-9._-]+")


class By(Enum):
    """By what a shard is made."""

    OWNER = "owner"
    FOLDER = "folder"
    PROGRAM = "program"
    SIZE = "size"


@dataclass(frozen=True)
class Unit:
    """Files of which none can be changed without the others."""

    files: tuple[bytes, ...]
    owners: tuple[str, ...] = ()
    program: str = ""


@dataclass
class Shard:
    name: str
    owners: tuple[str, ...]
    files: set[bytes] = field(default_factory=set)


def units(
    files: Iterable[bytes],
    together: Iterable[Collection[bytes]],
    owners: Mapping[bytes, tuple[str, ...]],
    programs: Mapping[bytes, str],
) -> list[Unit]:
    """The files, in groups of what stands ``together``: what requires each other, programs.
    ``programs`` names the one that a file is of."""
    graph: nx.Graph[bytes] = nx.Graph()
    graph.add_nodes_from(sorted(files))
    for group in together:
        first, *others = sorted(file for file in group if file in graph) or [b""]
        graph.add_edges_from((first, other) for other in others)
    found = []
    for component in nx.connected_components(graph):
        names = tuple(sorted(component))
        whose = {owner for name in names for owner in owners.get(name, ())}
        program = next((programs[name] for name in names if name in programs), "")
        found.append(Unit(names, tuple(sorted(whose)), program))
    return sorted(found, key=lambda unit: unit.files)


def sharded(
    found: Sequence[Unit],
    by: By,
    size: int | None,
    there: Iterable[Shard] = (),
    closed: Collection[str] = (),
) -> list[Shard]:
    """All shards: those that are ``there`` keep their files, what belongs to these goes to them,
    and the rest to the last one of its kind, or a new one. A shard has at most ``size`` files,
    unless one unit has more; nothing is added to those that are ``closed`` but what belongs there,
    and what got other owners stays only there.
    """
    shards = {shard.name: Shard(shard.name, shard.owners) for shard in there}
    home = {file: shard.name for shard in there for file in shard.files}
    rest: list[Unit] = []
    for unit in found:
        known = Counter(home[file] for file in unit.files if file in home)
        if known:
            most = max(known.values())
            name = min(name for name, count in known.items() if count == most)
            if by is not By.OWNER or name in closed or _is_whose(shards[name], unit):
                shards[name].files.update(unit.files)
                continue
        rest.append(unit)
    kinds: dict[tuple[str, ...], list[Unit]] = defaultdict(list)
    for unit in rest:
        kinds[unit.owners if by is By.OWNER else ()].append(unit)
    for alike in kinds.values():
        named: dict[str, list[Unit]] = defaultdict(list)
        for unit in alike:
            named[_kind(unit, by, shards)].append(unit)
        for kind, members in named.items():
            _fill(shards, kind, members, size, closed)
    return list(shards.values())


def _is_whose(shard: Shard, unit: Unit) -> bool:
    """Whether a unit may stay in a shard of owners: who comes to stand beside them changes
    nothing."""
    return bool(shard.owners or not unit.owners) and {*shard.owners} <= {*unit.owners}


def _fill(
    shards: dict[str, Shard],
    kind: str,
    members: Sequence[Unit],
    size: int | None,
    closed: Collection[str],
) -> None:
    number = max((number for name in shards if (number := _number(name, kind))), default=0)
    current = shards.get(_numbered(kind, number)) if number else None
    if current is not None and current.name in closed:
        current = None
    for unit in members:
        if current is None or (
            size is not None and current.files and len(current.files) + len(unit.files) > size
        ):
            number += 1
            name = _numbered(kind, number)
            current = shards[name] = Shard(name, unit.owners)
        current.files.update(unit.files)


def _numbered(kind: str, number: int) -> str:
    return kind if number == 1 else f"{kind}-{number}"


def _number(name: str, kind: str) -> int:
    """Which shard of a kind has a name; 0 if none has."""
    if name == kind:
        return 1
    number = name.removeprefix(f"{kind}-") if name.startswith(f"{kind}-") else ""
    return int(number) if number.isdecimal() else 0


def _kind(unit: Unit, by: By, shards: Mapping[str, Shard]) -> str:
    first = PurePosixPath(os.fsdecode(unit.files[0]))
    if by is By.OWNER:
        kind = "+".join(map(readable, unit.owners)) or _NOBODY
        others = (one for name, one in shards.items() if _number(name, kind))
        if any(one.owners != unit.owners for one in others):
            # Whoever is called nearly the same is somebody else.
            kind += "-" + hashlib.sha256("\0".join(unit.owners).encode()).hexdigest()[:6]
        return kind
    if by is By.FOLDER:
        return readable(first.parts[0]) if len(first.parts) > 1 else "top"
    if by is By.PROGRAM:
        return readable(unit.program) if unit.program else "no-program"
    return "part"


def readable(name: str) -> str:
    """A name as it can stand in that of a branch."""
    found = _UNREADABLE.sub("-", name.replace("/", ".")).strip("-.")
    while ".." in found:
        found = found.replace("..", ".")
    return found.removesuffix(".lock") or "unnamed"
