"""What linking says of random repositories is what Python finds when it imports them; and it
depends on nothing but the files' bytes.

PINSETTER_FUZZ=10000 makes as many repositories, instead of 100.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from random import Random

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from repositories import imported, module_of, repositories

from pinsetter.analyzer import source, syntax
from pinsetter.analyzer.classes import Base, bases_by_name, named_hierarchy
from pinsetter.analyzer.library import load
from pinsetter.analyzer.link import Linked, link
from pinsetter.analyzer.naming import Naming
from pinsetter.analyzer.outline import Outline
from pinsetter.analyzer.outlining import outline
from pinsetter.analyzer.scopes import Scopes

EXAMPLES = int(os.environ.get("PINSETTER_FUZZ", "100"))
ROOT = Path("/repository").resolve()
LIBRARY = load()
RANDOM = settings(
    max_examples=EXAMPLES, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)


def outlined(text: str) -> Outline:
    tree = syntax.parse(text)
    return outline(tree, Scopes(tree), text)


def linked(files: dict[str, str]) -> Linked:
    return link({ROOT / name: outlined(text) for name, text in files.items()}, ROOT)


def answers(found: Linked) -> object:
    """All that linking says."""
    naming = Naming(found, LIBRARY)
    graph = found.import_graph
    hierarchy = named_hierarchy(naming)
    classes = bases_by_name(naming)
    return (
        [(path, file.name) for path, file in found.files.items()],
        [(a, b, graph.edges[a, b]["when"]) for a, b in graph.edges],
        found.entries,
        [found.reached(path) for path in found.files],
        [
            naming.member(path, name)
            for path, file in found.files.items()
            for name in file.outline.scopes[0].by_name
        ],
        classes,
        [hierarchy.ancestors(name) for name in classes],
    )


@RANDOM
@given(repositories(), st.randoms(use_true_random=False))
def test_the_order_of_files_does_not_matter(files: dict[str, str], random: Random) -> None:
    names = list(files)
    random.shuffle(names)
    assert answers(linked(files)) == answers(linked({name: files[name] for name in names}))


@RANDOM
@given(repositories())
def test_the_order_of_questions_does_not_matter(files: dict[str, str]) -> None:
    found = linked(files)
    questions = [(path, name) for path in found.files for name in ("A", "B", "C", "f", "m0")]
    there, back = Naming(found, LIBRARY), Naming(found, LIBRARY)
    ahead = [there.member(*question) for question in questions]
    assert ahead == [back.member(*question) for question in reversed(questions)][::-1]
    assert ahead == [Naming(found, LIBRARY).member(*question) for question in questions]


@RANDOM
@given(repositories())
def test_outlines_serialise(files: dict[str, str]) -> None:
    for text in files.values():
        found = outlined(text)
        assert Outline.from_json(found.to_json()) == found
        assert outlined(text).to_json() == found.to_json()


@RANDOM
@given(repositories())
def test_neighbours_do_not_change_an_outline(files: dict[str, str]) -> None:
    from pinsetter.analyzer.project import Project

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write(folder, files)
        project = Project([folder])
        project.linked  # noqa: B018 -- reads all
        for module in project.modules:
            read = source.read(module.path)
            assert isinstance(read, source.Source)
            assert module.outline == outlined(read.text)


@RANDOM
@given(repositories())
def test_linking_says_what_python_finds(files: dict[str, str]) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        write(folder, files)
        names, orders = imported(folder, files)
    found = linked(files)
    naming = Naming(found, LIBRARY)
    paths = {module_of(file): ROOT / file for file in files}
    for key, actual in names.items():
        module, name = key.split(":")
        values = naming.member(paths[module], name)
        if values.complete:
            assert actual in values.names, (key, actual, values, files)
    hierarchy, declared = named_hierarchy(naming), bases_by_name(naming)
    for name, lines in orders.items():
        for line in lines:
            if all(is_certain(declared.get(ancestor)) for ancestor in line[:-1]):
                assert hierarchy.ancestors(name) in (line, line[:-1]), (name, line, files)
            for ancestor in hierarchy.ancestors(name):
                if hierarchy.proves(name, ancestor):
                    assert ancestor in line, (name, ancestor, line, files)


def is_certain(statements: list[tuple[Base, ...]] | None) -> bool:
    """Whether a class is of the repository, and has one statement and one base in each place."""
    return (
        statements is not None
        and len(statements) == 1
        and all(base.certain for base in statements[0])
    )


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
