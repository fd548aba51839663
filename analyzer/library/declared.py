"""declared: what the domains say of their libraries, as data: each folder's ``domain.yaml``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache
from importlib import resources
from typing import Any

import yaml

_DOMAINS = "pinsetter.analyzer.domains"
_NOTHING: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Declared:
    """All domains' words for what ``domain.yaml`` describes."""

    plain_decorators: frozenset[str] = _NOTHING
    transparent: frozenset[str] = _NOTHING
    keeping: frozenset[str] = _NOTHING
    changed_by_calls: frozenset[str] = _NOTHING
    settings: frozenset[str] = _NOTHING
    entry: frozenset[str] = _NOTHING
    main: frozenset[str] = _NOTHING
    differentiating: frozenset[str] = _NOTHING
    words: frozenset[str] = _NOTHING
    helpers: frozenset[str] = _NOTHING
    packages: frozenset[str] = _NOTHING
    called: Mapping[str, str] | None = None
    classes: Mapping[str, str] | None = None


@cache
def declared() -> Declared:
    """Read once. Raises ValueError for a key that there is none of."""
    known = {field.name for field in fields(Declared)}
    sets: dict[str, set[str]] = {}
    called: dict[str, str] = {}
    classes: dict[str, str] = {}
    for data in domain_data("domain.yaml"):
        if not data.keys() <= known:
            raise ValueError(f"domain.yaml: {sorted(data.keys() - known)}")
        called.update(data.get("called", {}))
        for base, names in data.get("classes", {}).items():
            classes.update(dict.fromkeys(names, base))
        for key in data.keys() - {"called", "classes"}:
            sets.setdefault(key, set()).update(data[key])
    found = {key: frozenset(names) for key, names in sets.items()}
    return Declared(called=called, classes=classes, **found)


def domain_data(name: str) -> list[dict[str, Any]]:
    """What the YAML files of one name say, domain by domain, in the order of the domains' names."""
    folders = sorted(resources.files(_DOMAINS).iterdir(), key=lambda folder: folder.name)
    files = (folder.joinpath(name) for folder in folders if folder.is_dir())
    return [yaml.safe_load(file.read_text("utf-8")) for file in files if file.is_file()]
