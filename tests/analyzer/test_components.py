"""Components: files that share a program stand in one group, whatever their imports look like."""

from __future__ import annotations

import email
import json
from collections.abc import Collection, Mapping
from pathlib import Path

import pytest

from pinsetter.analyzer.files import import_groups
from pinsetter.analyzer.files.import_groups import Components
from pinsetter.analyzer.files.import_path import Layout
from pinsetter.analyzer.files.listing import Listing
from pinsetter.analyzer.files.needed_names import NeededNames
from pinsetter.analyzer.names.linked import LinkedFile, imported_files
from pinsetter.analyzer.names.module import Module, load


@pytest.fixture(autouse=True, params=[0, 2, import_groups._ASKED], ids=["noted", "both", "few"])
def asked(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Words are looked for in the imports, or it is noted which are there: that makes no odds."""
    monkeypatch.setattr(import_groups, "_ASKED", request.param)


def groups_of(folder: Path, files: Mapping[str, str], words: Collection[str]) -> list[list[str]]:
    write(folder, files)
    return [[str(path.relative_to(folder)) for path in group] for group in all_of(folder, words)]


def write(folder: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, newline="")


def all_of(path: Path, words: Collection[str] = ()) -> list[list[Path]]:
    found = Components(Listing([path]), words)
    return [part.files for part in (*found.speaking(), *found.others())]


@pytest.mark.parametrize(
    "text",
    [
        "", "x = 1\n", "import os\n", "import os, sys\n", "b = 'c'\n", "from c import b\n",
        "from os import b as c\n", "imported = 'b'\n", "from . import c\n", "import b2\n",
        "import c.b\n", "# imp0rt b\n", "import c\\", "import c, \\\n", "\\", "import\\\n",
    ],
)  # fmt: skip
def test_files_that_share_nothing(tmp_path: Path, text: str) -> None:
    assert groups_of(tmp_path, {"a.py": text, "b.py": ""}, []) == [["a.py"], ["b.py"]]


@pytest.mark.parametrize(
    "text",
    [
        "import b", "import b as c\n", "import os, b\n", "import os;import b\n",
        "try: import b\n",
        "from b import c\n", "from . import b\n", "from .b import (\n  c)\n",
        "from . import (\n b)", "from . import (x,  # and (\n  b)\n", "def f():\n\timport b",
        "from \\\n  . import c, \\\n  b\n",
        "from\\\r\nb import c\r\n", "import os\rimport b\r", "from .  b import *\n",
        "importlib.import_module('b')\n", "__import__( \"b\" )\n",
        "import_module('.b', __name__)\n",
        "# coding: latin-1\nx = '\xe9'\nimport b\n", "from .import b\n",
    ],
)  # fmt: skip
def test_one_imports_the_other(tmp_path: Path, text: str) -> None:
    assert groups_of(tmp_path, {"a.py": text, "b.py": ""}, []) == [["a.py", "b.py"]]


def test_packages_are_loaded_with_their_modules(tmp_path: Path) -> None:
    files = {"a/__init__.py": "", "a/b.py": "", "a/c.py": "", "m.py": "import a.b", "n.py": ""}
    assert groups_of(tmp_path, files, []) == [
        ["m.py", "a/__init__.py", "a/b.py"], ["n.py"], ["a/c.py"],
    ]  # fmt: skip


def test_a_relative_import_loads_the_package(tmp_path: Path) -> None:
    files = {"a/__init__.py": "", "a/b.py": "from . import x\n", "a/c.py": ""}
    assert groups_of(tmp_path, files, [])[0] == ["a/__init__.py", "a/b.py"]


def test_groups_that_speak_of_something_come_first(tmp_path: Path) -> None:
    files = {"a.py": "", "b.py": "import c", "c.py": "import keras", "d.py": "x", "e.py": "keras"}
    assert groups_of(tmp_path, files, ["keras"]) == [
        ["b.py", "c.py"],
        ["e.py"],
        ["a.py"],
        ["d.py"],
    ]


def test_what_joins_two_may_lie_outside_of_the_run(tmp_path: Path) -> None:
    files = {"setup.cfg": "", "common.py": "import run.part\n"}
    write(tmp_path, {**files, "run/a.py": "import common\n", "run/part.py": ""})
    assert all_of(tmp_path / "run") == [[tmp_path / "run" / "a.py", tmp_path / "run" / "part.py"]]


def test_what_joins_two_from_outside_is_found_from_either(tmp_path: Path) -> None:
    files = {"setup.cfg": "", "common.py": "import run.a\n"}
    write(tmp_path, {**files, "run/a.py": "", "run/z.py": "import common\n"})
    assert all_of(tmp_path / "run") == [[tmp_path / "run" / "a.py", tmp_path / "run" / "z.py"]]


def around(folder: Path, path: str, files: Mapping[str, str]) -> list[str]:
    """The files that are taken into account with those of a part of a repository."""
    (folder / ".git").mkdir()
    write(folder, files)
    found = Components(Listing([folder / path]), ["x"])
    found.look_around()
    parts = [*found.speaking(), *found.others()]
    return sorted({str(one.relative_to(folder)) for part in parts for one in part.around})


@pytest.fixture
def code_asked(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """The code that is parsed to tell whether it trains."""
    asked: list[bytes] = []
    spelled_in = NeededNames.spelled_in

    def noted(
        self: NeededNames, data: bytes, imports: bytes, seen: frozenset[str]
    ) -> frozenset[str]:
        asked.append(data)
        return spelled_in(self, data, imports, seen)

    monkeypatch.setattr(NeededNames, "spelled_in", noted)
    return asked


TRAINS = "import keras\nmodel.fit(x)\n"


def training_of(path: Path, only_training: bool = True) -> bool:
    found = Components(Listing([path]), ["keras"], [".fit .compile", ".fit keras"])
    found.look_around(only_training=only_training)
    return found.may_train()


def test_who_trains_elsewhere_in_the_repository_is_not_asked(
    tmp_path: Path, code_asked: list[bytes]
) -> None:
    others = {f"other/{number}.py": TRAINS for number in range(9)}
    write(tmp_path, {**others, "setup.py": "", "mine.py": "import keras\n", "its.py": TRAINS})
    assert not training_of(tmp_path / "mine.py")
    assert code_asked == []
    assert training_of(tmp_path / "its.py")
    assert code_asked == [TRAINS.encode()]


def test_who_loads_a_file_and_trains_is_asked(tmp_path: Path, code_asked: list[bytes]) -> None:
    write(tmp_path, {"setup.py": "", "mine.py": "x = 1\n", "its.py": f"import mine\n{TRAINS}"})
    assert training_of(tmp_path / "mine.py")
    assert len(code_asked) == 1


def test_who_says_most_of_training_is_parsed_first(tmp_path: Path, code_asked: list[bytes]) -> None:
    speaking = {f"{number}.py": "import keras\n" for number in range(9)}
    write(tmp_path, {**speaking, "train.py": TRAINS, "util.py": "model.compile()\n"})
    assert training_of(tmp_path)
    assert code_asked == [TRAINS.encode()]


def test_what_loads_a_file_through_what_is_ignored_is_around(tmp_path: Path) -> None:
    files = {".gitignore": "made/\n", "made/one.py": "import run.a\n", "b.py": "import made.one\n",
             "c.py": "import os\n", "run/a.py": "x"}  # fmt: skip
    assert around(tmp_path, "run", files) == ["b.py"]


def test_what_loads_a_file_by_the_link_that_is_named_is_around(tmp_path: Path) -> None:
    write(tmp_path, {"lib/a.py": "x"})
    (tmp_path / "linked.py").symlink_to("lib/a.py")
    assert around(tmp_path, "linked.py", {"b.py": "import linked\n", "c.py": ""}) == ["b.py"]


def test_what_is_ignored_and_not_loaded_may_load_what_is_not_either(tmp_path: Path) -> None:
    files = {".gitignore": "made/\n", "made/__init__.py": "", "made/a.py": "",
             "made/d.py": "import made.a, lone\nx\n", "lone.py": "import made\n",
             "b.py": "import made.d\n", "run/a.py": "import made.a\nx\n"}  # fmt: skip
    assert around(tmp_path, "run", files) == []


@pytest.mark.parametrize("ignored", ["settings.py", "made/"])
def test_what_joins_two_may_be_ignored(ignored: str, tmp_path: Path) -> None:
    name = "settings.py" if ignored == "settings.py" else "made/settings.py"
    module = name.removesuffix(".py").replace("/", ".")
    write(tmp_path, {".gitignore": ignored, name: "import a\n"})
    (tmp_path / ".git").mkdir()
    files = {"a.py": "x", "b.py": f"import {module}\n", "c.py": ""}
    write(tmp_path, files)
    assert groups_of(tmp_path, {}, ["x"]) == [["a.py", "b.py"], ["c.py"]]


@pytest.mark.parametrize("files", [
    {"node_modules/s.py": "import a\n", "b.py": "import node_modules.s\n"},
    {"venv/s.py": "import a\n", "venv/pyvenv.cfg": "", "b.py": "from venv import s\n"},
    {"venv/s.py": "from t import x", "venv/pyvenv.cfg": "", "b.py": "import venv.s\n",
     "venv/t.py": "import a\n"},
])  # fmt: skip
def test_what_joins_two_may_be_in_a_folder_that_is_not_entered(
    files: Mapping[str, str], tmp_path: Path
) -> None:
    given = {**files, "a.py": "x", "c.py": ""}
    assert groups_of(tmp_path, given, ["x"]) == [["a.py", "b.py"], ["c.py"]]


@pytest.mark.parametrize(("link", "target", "text", "loaded"), [
    ("linked.py", "lib/a.py", "import linked\n", "lib/a.py"),
    ("deep/linked.py", "../lib/a.py", "from deep.linked import x\n", "lib/a.py"),
    ("linked", "lib", "from linked import a\n", "lib/a.py"),
    ("linked", "lib", "import linked\n", "lib/__init__.py"),
    ("linked.py", "b.py", "from . import linked\n", "b.py"),
])  # fmt: skip
def test_a_file_may_be_imported_by_the_name_of_a_link(
    link: str, target: str, text: str, loaded: str, tmp_path: Path
) -> None:
    files = {"lib/__init__.py": "x", "lib/a.py": "x", "deep/m.py": "", "b.py": "", "main.py": text}
    write(tmp_path, files)
    (tmp_path / link).symlink_to(target)
    assert any({"main.py", loaded} <= {*group} for group in groups_of(tmp_path, {}, ["x"]))


def test_files_with_names_that_links_have_are_told_apart(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": "x", "lib/b.py": "", "c.py": "import os, linked.sub\n", "d.py": ""})
    (tmp_path / "linked.py").symlink_to("lib/b.py")
    assert groups_of(tmp_path, {}, []) == [["a.py"], ["c.py", "lib/b.py"], ["d.py"]]


USED = {f"lib/m{number}.py": "import common\n" for number in range(2 * import_groups._FEW)}


def units_of(folder: Path, files: Mapping[str, str]) -> list[tuple[list[str], list[str]]]:
    """The names of the files of parts of a large group, all of them and their own."""
    write(folder, {**USED, "common.py": "", **files})
    parts = [*Components(Listing([folder]), ["x"]).speaking()]
    assert parts[-1].own is None
    return [
        ([path.name for path in part.files], sorted(path.name for path in part.own))
        for part in parts
        if part.own is not None
    ]


def test_programs_of_a_large_group_come_alone_the_smallest_first(tmp_path: Path) -> None:
    files = {
        "a.py": "import b, common # x", "b.py": "x", "c.py": "import common # x",
        "d.py": "import common, shared # x", "shared.py": "", "lib/e.py": "import shared, common",
    }  # fmt: skip
    assert units_of(tmp_path, files) == [
        (["c.py", "common.py"], ["c.py"]),
        (["a.py", "b.py", "common.py"], ["a.py", "b.py"]),
        (["common.py", "d.py", "shared.py"], ["d.py"]),
    ]


def test_they_come_alone_as_long_as_they_are_few(tmp_path: Path) -> None:
    programs = {f"p{number}.py": "import common # x" for number in range(60)}
    whole = len(USED) + 1 + len(programs)
    units = units_of(tmp_path, programs)
    assert 2 * (len(units) - 1) < whole / import_groups._SHARE <= 2 * len(units)


def test_what_too_many_use_comes_with_its_group(tmp_path: Path) -> None:
    assert units_of(tmp_path, {"common.py": "x"}) == []


def test_files_that_cannot_be_read_stand_alone(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": "x = 1\n"})
    (tmp_path / "lost.py").symlink_to("nowhere.py")
    assert groups_of(tmp_path, {}, ["x"]) == [["a.py"], ["lost.py"]]


def test_a_file_is_named_by_its_own_name_rather_than_a_link_s(tmp_path: Path) -> None:
    write(tmp_path, {"b.py": "x = 1\n"})
    for name in ("a.py", "c.py"):
        (tmp_path / name).symlink_to("b.py")
    assert all_of(tmp_path) == [[tmp_path / "b.py"]]


def test_a_link_is_the_file_that_it_leads_to(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": "import b\n", "c.py": ""})
    (tmp_path / "b.py").symlink_to(tmp_path / "c.py")
    assert len(all_of(tmp_path)) == 1


@pytest.mark.parametrize("package", [email, json], ids=lambda package: package.__name__)
def test_no_import_of_real_code_is_missed(package: object) -> None:
    folder = Path(str(package.__file__)).resolve().parent  # type: ignore[attr-defined]
    layout = Layout([folder.parent])
    group_of = {path: number for number, group in enumerate(all_of(folder)) for path in group}
    for file in group_of:
        module = load(file, "m")
        assert isinstance(module, Module)
        for imported, _ in imported_files(LinkedFile(file, "m", module.loads), layout):
            assert group_of[file] == group_of.get(imported, group_of[file])


def test_folders_that_are_nested_deeply() -> None:
    """More deeply than calls may be."""
    top = "/r"
    folder = top + "/d" * 1500
    there = {"/r/lib.py"}
    layout = Layout(
        [Path(top)], there.__contains__, lambda one: ["lib.py"] if one == top else ["d"]
    )  # fmt: skip
    assert layout.locate(folder, "lib") == Path("/r/lib.py")
    assert layout.locate(folder, "none") is None
    assert len(layout.folders(Path(folder, "x.py"))) == 1501
    assert layout.library_source(Path(folder, "x.py")) is None
