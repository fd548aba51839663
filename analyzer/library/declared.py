"""declared: what the domains say of their libraries, as data: each folder's ``domain.yaml``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from functools import cache, cached_property
from importlib import resources
from typing import Any

import yaml

_DOMAINS = "pinsetter.analyzer.domains"
_NOTHING: frozenset[str] = frozenset()
# libyaml's, ten times as quick, where PyYAML was built with it.
_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(frozen=True)
class Declared:
    """All domains' words for what ``domain.yaml`` describes. ``data`` has the files of the library
    data, each with its domain, in the order in which they count."""

    plain_decorators: frozenset[str] = _NOTHING
    transparent: frozenset[str] = _NOTHING
    keeping: frozenset[str] = _NOTHING
    calling: frozenset[str] = _NOTHING
    inert: frozenset[str] = _NOTHING
    apart: frozenset[str] = _NOTHING
    changed_by_calls: frozenset[str] = _NOTHING
    settings: frozenset[str] = _NOTHING
    entry: frozenset[str] = _NOTHING
    main: frozenset[str] = _NOTHING
    differentiating: frozenset[str] = _NOTHING
    words: frozenset[str] = _NOTHING
    trains_by: frozenset[str] = _NOTHING
    helpers: frozenset[str] = _NOTHING
    faces: frozenset[str] = _NOTHING
    of_all_faces: frozenset[str] = _NOTHING
    packages: frozenset[str] = _NOTHING
    well_known: frozenset[str] = _NOTHING
    aliases: Mapping[str, str] = field(default_factory=dict)
    called: Mapping[str, str] = field(default_factory=dict)
    moved: Mapping[str, str] = field(default_factory=dict)
    classes: Mapping[str, str] = field(default_factory=dict)
    data: Mapping[str, str] = field(default_factory=dict)
    unlisted: Mapping[str, frozenset[str]] = field(default_factory=dict)

    @cached_property
    def described(self) -> frozenset[str]:
        """The packages that there is library data of."""
        return frozenset(file.partition("-")[0] for file in self.data)


@cache
def declared() -> Declared:
    """Read once. Raises ValueError for a key that there is none of."""
    found: dict[str, Any] = {}
    for domain, said in _said("domain.yaml"):
        if unknown := said.keys() - {one.name for one in fields(Declared)}:
            raise ValueError(f"{domain}/domain.yaml: {sorted(unknown)}")
        for key, value in said.items():
            if key == "data":
                value = dict.fromkeys(value, domain)
            elif key == "classes":
                value = {name: base for base, names in value.items() for name in names}
            elif key == "unlisted":
                value = {module: frozenset(names) for module, names in value.items()}
            if isinstance(value, dict):
                found[key] = {**found.get(key, {}), **value}
            else:
                found[key] = frozenset(value).union(found.get(key, ()))
    return Declared(**found)


def domain_data(name: str) -> list[dict[str, Any]]:
    """What the YAML files of one name say, domain by domain, in the order of the domains' names."""
    return [said for _, said in _said(name)]


def library_text(file: str, folder: str = "") -> str:
    """The text of a file of library data, or of what has its name in a folder beside it."""
    place = resources.files(_DOMAINS)
    for part in (declared().data[file], "data", *([folder] if folder else []), f"{file}.json"):
        place = place.joinpath(part)
    return place.read_text("utf-8")


def moved(name: str) -> str:
    """Where a later release has what a first one called so, as far as it moved."""
    for old, new in declared().moved.items():
        if f"{name}.".startswith(f"{old}.") and not f"{name}.".startswith(f"{new}."):
            return new + name.removeprefix(old)
    return name


def first_name(name: str) -> str:
    """What a first release called what has moved since."""
    for old, new in declared().moved.items():
        if name.startswith(f"{new}."):
            return old + name.removeprefix(new)
    return name


def _said(name: str) -> Iterator[tuple[str, dict[str, Any]]]:
    folders = sorted(resources.files(_DOMAINS).iterdir(), key=lambda folder: folder.name)
    for folder in folders:
        file = folder.joinpath(name)
        if folder.is_dir() and file.is_file():
            yield folder.name, yaml.load(file.read_text("utf-8"), Loader=_Loader)
