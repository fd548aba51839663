"""Console scripts, as packages declare them."""

from __future__ import annotations

from pathlib import Path

import pytest

from pinsetter.analyzer.programs.packaging import Packaging, read_packaging, toml_tables


def read(folder: Path, **files: str) -> Packaging:
    for name, text in files.items():
        (folder / name.replace("_toml", ".toml").replace("_cfg", ".cfg").replace("_py", ".py")
         ).write_text(text)  # fmt: skip
    return read_packaging(folder)


def scripts(found: Packaging) -> list[tuple[str, str, str]]:
    return [(script.name, script.module, script.function) for script in found.scripts]


# ---------------------------------------------------------------- none


@pytest.mark.parametrize(
    "files",
    [
        {},
        {"setup_cfg": "[metadata]\nname = x\n"},
        {"setup_cfg": "[options.entry_points]\npytest11 =\n    x = a:b\n# console_scripts\n"},
        {"setup_py": "from setuptools import setup\nsetup(name='console_scripts')\n"},
        {"setup_py": "entry_points={'console_scripts': ['a = b:c']}\n"},
        {"setup_py": "setup(entry_points={'other_scripts': ['a = b:c']})\n"},
        {"pyproject_toml": "[project]\nname = 'scripts'\n"},
        {"pyproject_toml": "[tool.other.scripts]\na = 'b:c'\n"},
        {"pyproject_toml": "[tool]\npoetry = 3\nscripts = []\n"},
    ],
)
def test_files_that_declare_no_script(tmp_path: Path, files: dict[str, str]) -> None:
    found = read(tmp_path, **files)
    assert (found.scripts, found.problems) == ([], [])


# ---------------------------------------------------------------- some


@pytest.mark.parametrize(
    "files",
    [
        {"setup_cfg": "[options.entry_points]\nconsole_scripts =\n    train = pkg.cli:main\n"},
        {"setup_cfg": "[options.entry_points]\ngui_scripts = train=pkg.cli:main [extra]\n"},
        {"setup_py": "setup(entry_points={'console_scripts': ['train = pkg.cli:main']})\n"},
        {"setup_py": "setuptools.setup(entry_points={'console_scripts': 'train=pkg.cli:main'})\n"},
        {"setup_py": "E = dict\nP = {'console_scripts': ('train=pkg.cli:main',)}\n"
                     "setup(entry_points=P)\n"},
        {"setup_py": 'setup(entry_points="""\n  [console_scripts]\n  train = pkg.cli:main\n""")'},
        {"pyproject_toml": '[project.scripts]\ntrain = "pkg.cli:main"  # it\n'},
        {"pyproject_toml": "[tool.poetry.scripts]\ntrain = 'pkg.cli:main'\n"},
    ],
)  # fmt: skip
def test_scripts(tmp_path: Path, files: dict[str, str]) -> None:
    found = read(tmp_path, **files)
    assert scripts(found) == [("train", "pkg.cli", "main")]
    assert found.problems == []


def test_files_that_are_scripts(tmp_path: Path) -> None:
    found = read(tmp_path, setup_py="setup(scripts=['bin/train.py'])\n")
    assert [script.path for script in found.scripts] == [tmp_path / "bin/train.py"]
    found = read(tmp_path, setup_cfg="[options]\nscripts =\n    bin/go.py\n", setup_py="")
    assert [script.path for script in found.scripts] == [tmp_path / "bin/go.py"]


def test_where_the_module_of_a_script_may_be(tmp_path: Path) -> None:
    found = read(tmp_path, setup_py="# scripts\nsetup(package_dir={'a.b': 'code', '': 'lib'})\n")
    candidates = [p.relative_to(tmp_path).as_posix() for p in found.candidates("a.b.c")]
    assert candidates == [
        "code/c/__init__.py", "code/c.py", "lib/a/b/c/__init__.py", "lib/a/b/c.py",
        "a/b/c/__init__.py", "a/b/c.py", "src/a/b/c/__init__.py", "src/a/b/c.py",
    ]  # fmt: skip


# ---------------------------------------------------------------- what cannot be read


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"setup_cfg": "scripts\n"}, "setup.cfg: cannot be read"),
        ({"setup_py": "setup(entry_points=read('scripts'))\n"}, "setup.py:1: entry_points is no"),
        ({"setup_py": "setup(\nentry_points={'console_scripts': [x]})\n"}, "setup.py:2: entry_poi"),
        ({"setup_py": "setup(entry_points='scripts')\n"}, "setup.py: cannot be read"),
        ({"setup_py": "setup(scripts=\n"}, "setup.py:1"),
    ],
)
def test_what_cannot_be_read_is_said(tmp_path: Path, files: dict[str, str], said: str) -> None:
    found = read(tmp_path, **files)
    assert found.scripts == []
    assert said in str(found.problems[0])


def test_a_broken_pyproject_stops_nothing(tmp_path: Path) -> None:
    found = read(tmp_path, pyproject_toml='[project.scripts]\na = "b:c"\nd = {\n')
    assert scripts(found) in ([], [("a", "b", "c")])
    assert len(found.problems) == 1


def test_tables_without_a_parser() -> None:
    text = """\
[project]
a = "no"
[ project.scripts ]  # commands
train = "pkg.cli:main"
"e-val" = 'pkg.e:main' # it

[tool.poetry.scripts]
x = {reference = "a:b", type = "console"}
[[tool.poetry.scripts]]
"""
    unread: list[int] = []
    found = toml_tables(text, unread.append)
    assert found == {"project.scripts": {"train": "pkg.cli:main", "e-val": "pkg.e:main"}}
    assert unread == [8, 9]
