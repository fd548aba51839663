"""Project: which files are read, what they are called, and which module an import means."""

from __future__ import annotations

from pathlib import Path

import pytest
from repository import Repository, Write

from pinsetter.analyzer.files.find import python_files
from pinsetter.analyzer.files.import_path import ImportTarget, root_of
from pinsetter.analyzer.names.project import Project


def found(repository: Repository, file: str, module: str, level: int = 0) -> str | None:
    """The file that an import in ``file`` means."""
    other = repository.project.find(repository.module(file), ImportTarget(module, level))
    if other is None:
        return None
    return other.path.resolve().relative_to(repository.folder.resolve()).as_posix()


# ---------------------------------------------------------------- files


@pytest.mark.parametrize(
    "file",
    [
        "a.txt",
        "a.pyc",
        "a.pyi",
        "py",
        ".hidden.py",
        ".git/a.py",
        "__pycache__/a.py",
        "sub/node_modules/a.py",
        "lib/site-packages/a.py",
        "ignored/a.py",
        "sub/ignored.py",
    ],
)
def test_what_is_not_read(write: Write, file: str) -> None:
    repository = write({file: "x = 1\n", ".gitignore": "ignored/\nignored.py\n"})
    assert repository.project.given == []
    assert repository.project.problems == []


@pytest.mark.parametrize(
    "mark", ["pyvenv.cfg", "bin/activate", "Scripts/activate", "conda-meta/history"]
)
def test_an_environment_of_any_name_is_not_read(write: Write, mark: str) -> None:
    files = {f"mine/{mark}": "", "mine/lib/a.py": "x = 1\n", "main.py": ""}
    assert [m.name for m in write(files).project.given] == ["main"]


@pytest.mark.parametrize("name", ["env", "venv", "bin", "build", "dist"])
def test_a_package_is_read_whatever_it_is_called(write: Write, name: str) -> None:
    files = {f"{name}/__init__.py": "", f"{name}/cart.py": "x = 1\n", "main.py": ""}
    assert len(write(files).project.given) == 3


def test_files_are_sorted_and_read_once(write: Write) -> None:
    files = {"b.py": "", "a/c.py": "", "a.py": ""}
    repository = write(files, given=("", "a.py", "a"))
    assert [m.name for m in repository.project.given] == ["a", "b", "a.c"]


def test_a_given_file_is_read_whatever_it_is_called(write: Write) -> None:
    repository = write({"script": "x = 1\n"}, given=("script",))
    assert [m.name for m in repository.project.given] == ["script"]


def test_the_caller_hears_of_every_file_also_of_broken_ones(write: Write) -> None:
    repository = write({"a.py": "x = (\n", "b.py": ""})
    heard: list[str] = []
    Project([repository.folder], lambda path: heard.append(path.name))
    assert heard == ["a.py", "b.py"]


def test_files_outside_a_folder_of_links_do_not_loop(write: Write) -> None:
    repository = write({"a/b.py": ""})
    (repository.folder / "a" / "loop").symlink_to(repository.folder)
    assert len(list(python_files(repository.folder))) == 1


# ---------------------------------------------------------------- problems


def test_a_missing_path_is_a_problem(write: Write) -> None:
    repository = write({"main.py": ""}, given=("none", "main.py"))
    assert [p.path.name for p in repository.project.problems] == ["none"]
    assert [m.name for m in repository.project.given] == ["main"]


def test_broken_files_are_problems_and_the_others_are_read(write: Write) -> None:
    repository = write({"a.py": "x = 1\ny = )\n", "b.py": "x = 1\n"})
    (repository.folder / "c.py").write_bytes(b"x = 1\n'\xff'\n")
    project = Project([repository.folder])
    assert [(p.path.name, p.line) for p in project.problems] == [("a.py", 2), ("c.py", 2)]
    assert [m.name for m in project.given] == ["b"]


def test_a_broken_import_is_one_problem(write: Write) -> None:
    files = {"main.py": "import broken\nfrom broken import x\n", "broken.py": "x = (\n"}
    repository = write(files, given=("main.py",))
    assert len(repository.project.import_graph) == 1
    assert len(repository.project.problems) == 1


# ---------------------------------------------------------------- names and roots


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("main.py", "main"),
        ("a/b.py", "a.b"),
        ("a/__init__.py", "a"),
        ("__init__.py", "__init__"),
        ("a/b/__init__.py", "a.b"),
        ("my-script.py", "my-script"),
    ],
)
def test_the_name_of_a_module(write: Write, file: str, name: str) -> None:
    repository = write({file: "", ".git/config": ""})
    assert repository.module(file).name == name


def test_no_two_modules_have_one_name(write: Write) -> None:
    files = {"a/main.py": "", "b/main.py": "", "a/b/main.py": ""}
    repository = write(files, given=("a", "b", "a/b/main.py"))
    names = [module.name for module in repository.project.modules]
    assert len(names) == len(set(names)) == 3


@pytest.mark.parametrize("marker", [".git", "pyproject.toml", "setup.py"])
def test_the_root_has_a_marker(write: Write, marker: str) -> None:
    folder = write({f"repo/{marker}": "", "repo/a/b/c.py": ""}).folder
    assert root_of(folder / "repo" / "a" / "b" / "c.py") == (folder / "repo").resolve()


def test_without_markers_a_package_belongs_to_the_folder_around_it(write: Write) -> None:
    folder = write({"top/pack/__init__.py": "", "top/pack/a.py": "", "top/b.py": ""}).folder
    assert root_of(folder / "top" / "pack" / "a.py") == (folder / "top").resolve()
    assert root_of(folder / "top" / "b.py") == (folder / "top").resolve()
    assert root_of(folder / "top") == (folder / "top").resolve()


# ---------------------------------------------------------------- imports


FILES = {
    "main.py": "",
    "util.py": "",
    "pack/__init__.py": "",
    "pack/a.py": "",
    "pack/deep/__init__.py": "",
    "pack/deep/b.py": "",
    "space/c.py": "",
    "src/d.py": "",
    "pack/util.py": "",
}


@pytest.mark.parametrize(
    ("file", "module", "level"),
    [
        ("main.py", "tensorflow", 0),
        ("main.py", "a", 0),
        ("main.py", "pack.none", 0),
        ("main.py", "space", 0),
        ("main.py", "main.x", 0),
        ("main.py", "none", 1),
        ("main.py", "util", 9),
        ("pack/a.py", "main", 1),
        ("pack/deep/b.py", "a", 1),
        ("pack/deep/b.py", "util", 3 - 2),
    ],
)
def test_imports_that_mean_nothing_here(write: Write, file: str, module: str, level: int) -> None:
    assert found(write({**FILES, ".git/config": ""}), file, module, level) is None


@pytest.mark.parametrize(
    ("file", "module", "level", "wanted"),
    [
        ("main.py", "util", 0, "util.py"),
        ("main.py", "pack", 0, "pack/__init__.py"),
        ("main.py", "pack.a", 0, "pack/a.py"),
        ("main.py", "pack.deep.b", 0, "pack/deep/b.py"),
        ("main.py", "space.c", 0, "space/c.py"),
        ("main.py", "d", 0, "src/d.py"),
        ("main.py", "util", 1, "util.py"),
        ("pack/a.py", "", 1, "pack/__init__.py"),
        ("pack/a.py", "deep", 1, "pack/deep/__init__.py"),
        ("pack/a.py", "pack.deep", 0, "pack/deep/__init__.py"),
        ("pack/a.py", "util", 0, "pack/util.py"),
        ("pack/__init__.py", "a", 1, "pack/a.py"),
        ("pack/deep/b.py", "a", 2, "pack/a.py"),
        ("pack/deep/b.py", "", 2, "pack/__init__.py"),
        ("pack/deep/b.py", "main", 3, "main.py"),
        ("pack/deep/b.py", "main", 0, "main.py"),
    ],
)
def test_which_file_an_import_means(
    write: Write, file: str, module: str, level: int, wanted: str
) -> None:
    assert found(write({**FILES, ".git/config": ""}), file, module, level) == wanted


def edges(repository: Repository) -> set[tuple[str, str]]:
    graph = repository.project.import_graph
    return {(Path(a).name, Path(b).name) for a, b in graph.edges}


@pytest.mark.parametrize(
    "code", ["", "import tensorflow\n", "x = 'import util'\n", "import main\n", "from . import x\n"]
)
def test_what_imports_no_module_of_the_repository(write: Write, code: str) -> None:
    assert edges(write({"main.py": code, "util.py": ""})) == set()


@pytest.mark.parametrize(
    "code",
    [
        "import util\n",
        "import os, util as u\n",
        "from util import *\n",
        "from util import x as y\n",
        "from . import util\n",
        "from .util import x\n",
        "try:\n    import util\nexcept ImportError:\n    util = None\n",
        "def f():\n    import util\n",
    ],
)
def test_every_form_of_import_is_an_edge(write: Write, code: str) -> None:
    assert edges(write({"main.py": code, "util.py": ""})) == {("main.py", "util.py")}


def test_imported_modules_are_read_but_not_given(write: Write) -> None:
    files = {"a/main.py": "import util\n", "util.py": "import more\n", "more.py": "", "no.py": "",
             ".git/config": ""}  # fmt: skip
    repository = write(files, given=("a",))
    assert edges(repository) == {("main.py", "util.py"), ("util.py", "more.py")}
    assert [m.name for m in repository.project.given] == ["a.main"]
    assert {m.name for m in repository.project.modules} == {"a.main", "util", "more"}


def test_a_circle_of_imports_ends(write: Write) -> None:
    files = {"a.py": "import b\n", "b.py": "import a\n"}
    assert edges(write(files)) == {("a.py", "b.py"), ("b.py", "a.py")}


def test_importing_a_submodule_loads_its_packages(write: Write) -> None:
    files = {
        "main.py": "import p.q.r\n",
        "p/__init__.py": "",
        "p/q/__init__.py": "",
        "p/q/r.py": "",
    }
    repository = write(files)
    targets = {
        Path(b).parent.name + "/" + Path(b).name for _, b in repository.project.import_graph.edges
    }
    assert targets == {"p/__init__.py", "q/__init__.py", "q/r.py"}


OWN = {
    "horovod/__init__.py": "",
    "horovod/tensorflow/__init__.py": "from .mpi_ops import size\n",
    "horovod/tensorflow/mpi_ops.py": "import horovod\ndef size(): pass\n",
    "setup.py": "",
}


def test_a_folder_that_is_only_called_as_a_library_hides_it_from_none_but_its_neighbours(
    write: Write,
) -> None:
    fit = "import tensorflow as tf\ntf.keras.Model().fit(x)\n"
    near = "import tensorflow\nprint(tensorflow.own)\n"
    files = {"tensorflow/__init__.py": "own = 1\n", "census/task.py": fit, "near.py": near}
    repository = write(files)
    programs = {p.entry.path.name: p for p in repository.facts.programs.all}
    assert programs["task.py"].apis == {"keras"}
    assert [m.path.parent.name for m in programs["near.py"].modules[1:]] == ["tensorflow"]


def test_a_library_whose_own_source_is_there_is_that_library(write: Write) -> None:
    repository = write({**OWN, "main.py": "import horovod.tensorflow as hvd\nprobe(hvd.size)\n"})
    assert repository.names() == {"horovod.tensorflow.size"}
    main = repository.module("main.py").real
    assert list(repository.project.import_graph.successors(main)) == []
    assert [p.entry.name for p in repository.facts.programs.all] == ["main", "setup"]


def test_the_files_of_a_library_import_each_other(write: Write) -> None:
    repository = write(
        {**OWN, "horovod/torch.py": "import horovod.tensorflow as t\nprobe(t.size)\n"}
    )
    assert repository.names("horovod/torch.py") == {"repo.horovod.tensorflow.mpi_ops.size"}


def test_a_package_that_only_has_a_librarys_name_is_a_package(write: Write) -> None:
    files = {"keras/__init__.py": "", "keras/layers.py": "def mine(): pass\n", "setup.py": ""}
    repository = write({**files, "main.py": "import keras.layers\nprobe(keras.layers.mine)\n"})
    assert repository.names() == {"repo.keras.layers.mine"}  # the plain name is the library's
    assert repository.project.layout.library_source(repository.folder / "keras/layers.py") is None


@pytest.mark.parametrize(("text", "unit"), [
    ("x = 1\n", "    "),
    ("if a:\n\tb\n\tif c:\n\t\td\n", "\t"),
    ("if a:\n  b\n", "  "),
    ("if a:\n  b\nif c:\n    d\n", "  "),
    ("def f():\n  return 1\nclass A:\n    def g(self):\n        pass\n", "    "),
    ("class A:\n  def f(self):\n      pass\n  def g(self):\n      pass\n  x = 1\n", "    "),
    ("if a:\n  if b:\n    if c:\n      if d:\n            e\n", "  "),
])  # fmt: skip
def test_most_blocks_tell_the_indentation(text: str, unit: str, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(text)
    (module,) = Project([tmp_path / "a.py"]).modules
    assert module.indentation == unit
