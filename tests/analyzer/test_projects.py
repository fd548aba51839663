"""Packages of projects in folders of their own, which are imported from all over the repository."""

from __future__ import annotations

from pathlib import Path

import pytest

from pinsetter.analyzer.files.listing import Listing
from pinsetter.analyzer.names.project import Project

SETUP = {"libs/core/setup.py": "from setuptools import setup\nsetup(name='core')\n"}
OLD = {"old/setup.py": "", "old/core/__init__.py": "", "old/core/a.py": ""}
SOURCES = {"libs/core/src/core/__init__.py": "", "libs/core/src/core/a.py": ""}
CORE = {"libs/core/core/__init__.py": "", "libs/core/core/a.py": "def f(): pass\n"}
USES = "import core.a\nfrom core import a\n"


def written(folder: Path, files: dict[str, str], script: str = USES) -> Path:
    (folder / ".git").mkdir()
    for name, text in {**files, "services/train/main.py": script}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder.resolve()


def loaded(folder: Path, given: Path | None = None) -> list[str]:
    """What the script loads, below the folder."""
    script = folder / "services/train/main.py"
    linked = Project([given or folder]).linked
    return [str(path.relative_to(folder)) for path in linked.reached(script)][1:]


@pytest.mark.parametrize(
    ("files", "script"),
    [
        (CORE, USES),
        ({**SETUP, "libs/core/core/a.py": "x = 1\n"}, USES),
        ({**SETUP, "libs/core/core.py": "a = 1\n"}, USES),
        # Which of the two is meant?
        ({**SETUP, **CORE, **OLD}, USES),
        ({**SETUP, "libs/core/json/__init__.py": "", "libs/core/json/a.py": ""}, "import json.a\n"),
        ({**SETUP, "libs/core/tests/__init__.py": ""}, "import tests\n"),
        ({**SETUP, "libs/core/all/core/__init__.py": "", "libs/core/all/core/a.py": ""}, USES),
        ({**SETUP, **CORE}, "from . import core\nfrom .core import a\n"),
    ],
    ids=["no project", "no package", "module", "two", "python", "tests", "below", "relative"],
)  # fmt: skip
def test_what_is_not_meant(tmp_path: Path, files: dict[str, str], script: str) -> None:
    assert loaded(written(tmp_path, files, script)) == []


def test_what_is_nearer_comes_first(tmp_path: Path) -> None:
    near = {"services/core/__init__.py": "", "services/core/a.py": ""}
    folder = written(tmp_path, {**SETUP, **CORE, **near})
    assert loaded(folder) == ["services/core/__init__.py", "services/core/a.py"]


@pytest.mark.parametrize(
    "files",
    [
        {**SETUP, **CORE},
        {"libs/core/pyproject.toml": "", **CORE},
        {"libs/core/setup.cfg": "", **SOURCES},
        {**SETUP, **CORE, "old/core/__init__.py": "", "old/core/a.py": ""},
    ],
    ids=["setup.py", "pyproject.toml", "src", "another that is none"],
)  # fmt: skip
@pytest.mark.parametrize("given", ["", "services/train/main.py"])
def test_what_projects_have_is_found(tmp_path: Path, files: dict[str, str], given: str) -> None:
    folder = written(tmp_path, files)
    home = "libs/core/src/core" if "libs/core/setup.cfg" in files else "libs/core/core"
    listing = Listing([folder / given])
    for module, name in (("core.a", "a.py"), ("core", "__init__.py")):
        found = listing.layout.locate(str(folder / "services/train"), module)
        assert found == folder / home / name
    if not given:
        assert loaded(folder) == [f"{home}/__init__.py", f"{home}/a.py"]


def test_projects_import_each_other(tmp_path: Path) -> None:
    other = {"libs/other/setup.py": "", "libs/other/other/__init__.py": "import core.a\n"}
    folder = written(tmp_path, {**SETUP, **CORE, **other}, "import other\n")
    assert [path.split("/")[1] for path in loaded(folder)] == ["core", "core", "other"]
