"""The rooms: folders that import down only, and in which a module is found by its name alone."""

from __future__ import annotations

import importlib.util
import re
import sys
from collections import Counter
from pathlib import Path
from types import ModuleType

import networkx as nx
import pytest

DOCS = Path(__file__).resolve().parents[1] / "docs"
ROOMS = {"analyzer": {"facts"}, "patterns": set(), "codemods/engine": {"cli"}}
# Expressions call functions, functions run statements, statements have expressions.
MUTUAL = {"builtin", "calls", "expressions", "external", "statements"}


@pytest.fixture(scope="module")
def house() -> ModuleType:
    spec = importlib.util.spec_from_file_location("house", DOCS / "house.py")
    assert spec is not None
    assert spec.loader is not None
    sys.modules["house"] = module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("room", ROOMS)
def test_nothing_stands_beside_the_folders_but_one_door(house: ModuleType, room: str) -> None:
    flat = {path.stem for path in (house.REPOSITORY / room).glob("*.py")}
    assert flat - {"__init__"} == ROOMS[room]


@pytest.mark.parametrize("room", ["analyzer", "patterns", "codemods"])
def test_no_two_modules_of_a_room_share_a_name(house: ModuleType, room: str) -> None:
    names = Counter(path.stem for path in (house.REPOSITORY / room).rglob("*.py"))
    assert [name for name, times in names.items() if times > 1 and name != "__init__"] == []


@pytest.mark.parametrize("room", ROOMS)
def test_folders_do_not_import_each_other(house: ModuleType, room: str) -> None:
    assert nx.is_directed_acyclic_graph(house.arrows(room))


def test_modules_import_each_other_in_no_circle_but_one(house: ModuleType) -> None:
    parts = nx.strongly_connected_components(house.modules_graph())
    circles = [{name[-1] for name in circle} for circle in parts if len(circle) > 1]
    assert circles == [MUTUAL]


@pytest.mark.parametrize("room", ROOMS)
def test_every_folder_says_what_it_is_for(house: ModuleType, room: str) -> None:
    assert [part for part in house.arrows(room) if not house.question(room, part)] == []


_LIBRARY = re.compile(r"tensorflow|keras|horovod|\bhvd\b|\btf\b", re.IGNORECASE)
_TEXTS = {".py", ".yaml", ".txt", ".json"}
# The schema of packs has the predicates of all domains in it.
_OF_ALL = {"patterns/pack.schema.json"}


def test_libraries_are_spoken_of_in_the_folders_of_their_domains(house: ModuleType) -> None:
    found = {
        path.relative_to(house.REPOSITORY).as_posix()
        for room in ROOMS
        for path in (house.REPOSITORY / room).rglob("*")
        if path.suffix in _TEXTS and _LIBRARY.search(path.read_text("utf-8"))
    }
    # Whoever adds a library adds a folder; its packs stand among the packs.
    own = re.compile(r"/domains/|/packs/horovod/|/packs/.*\.yaml$")
    assert {name for name in found - _OF_ALL if not own.search(name)} == set()
