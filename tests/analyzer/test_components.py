"""Components: files that share a program stand in one group, whatever their imports look like."""

from __future__ import annotations

import email
import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from pinsetter.analyzer.components import Components
from pinsetter.analyzer.layout import Layout
from pinsetter.analyzer.link import LinkedFile, imported_files
from pinsetter.analyzer.module import Module, load
from pinsetter.analyzer.project import python_files


def groups_of(folder: Path, files: Mapping[str, str], words: list[bytes]) -> list[list[str]]:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, newline="")
    found = sorted(folder / name for name in files)
    groups = all_of(Components(found, Layout([folder.resolve()])), words)
    return [[str(path.relative_to(folder)) for path in group] for group in groups]


def all_of(components: Components, words: list[bytes]) -> list[list[Path]]:
    return [*components.containing(words), *components.others()]


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
        ["a/__init__.py", "a/b.py", "m.py"], ["a/c.py"], ["n.py"],
    ]  # fmt: skip


def test_a_relative_import_loads_the_package(tmp_path: Path) -> None:
    files = {"a/__init__.py": "", "a/b.py": "from . import x\n", "a/c.py": ""}
    assert groups_of(tmp_path, files, [])[0] == ["a/__init__.py", "a/b.py"]


def test_groups_that_speak_of_something_come_first(tmp_path: Path) -> None:
    files = {"a.py": "", "b.py": "import c", "c.py": "import keras", "d.py": "x", "e.py": "keras"}
    assert groups_of(tmp_path, files, [b"keras"]) == [
        ["b.py", "c.py"],
        ["e.py"],
        ["a.py"],
        ["d.py"],
    ]


def test_what_joins_two_may_lie_outside_of_the_run(tmp_path: Path) -> None:
    (tmp_path / "common.py").write_text("import part\n")
    files = {"run/a.py": "import common\n", "part.py": ""}
    assert groups_of(tmp_path, files, []) == [["part.py", "run/a.py"]]


def test_files_that_cannot_be_read_stand_alone(tmp_path: Path) -> None:
    files = [tmp_path / "missing.py", tmp_path / "a.py"]
    files[1].write_text("x = 1\n")
    assert all_of(Components(files, Layout([tmp_path])), [b"x"]) == [files[1:], files[:1]]


def test_a_file_is_named_by_its_own_name_rather_than_a_link_s(tmp_path: Path) -> None:
    (tmp_path / "b.py").write_text("x = 1\n")
    for name in ("a.py", "c.py"):
        (tmp_path / name).symlink_to("b.py")
    files = [tmp_path / name for name in ("a.py", "b.py", "c.py")]
    assert list(Components(files, Layout([tmp_path])).others()) == [[tmp_path / "b.py"]]


def test_a_link_is_the_file_that_it_leads_to(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("import b\n")
    (tmp_path / "c.py").write_text("")
    (tmp_path / "b.py").symlink_to(tmp_path / "c.py")
    files = [tmp_path / name for name in ("a.py", "b.py", "c.py")]
    assert len(all_of(Components(files, Layout([tmp_path.resolve()])), [])) == 1


@pytest.mark.parametrize("package", [email, json], ids=lambda package: package.__name__)
def test_no_import_of_real_code_is_missed(package: object) -> None:
    folder = Path(str(package.__file__)).resolve().parent  # type: ignore[attr-defined]
    layout = Layout([folder.parent])
    files = list(python_files(folder))
    group_of = {
        path: number
        for number, group in enumerate(all_of(Components(files, layout), []))
        for path in group
    }
    for file in files:
        module = load(file, "m")
        assert isinstance(module, Module)
        for imported, _ in imported_files(LinkedFile(file, "m", module.outline), layout):
            assert group_of[file] == group_of.get(imported, group_of[file])
