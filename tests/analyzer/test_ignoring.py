"""Ignored files: what git ignores, judged by git itself; and what else a walk leaves out."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from pinsetter.analyzer.files.find import python_files
from pinsetter.analyzer.names.project import Project

ENVIRONMENT = {
    **{k: v for k, v in os.environ.items() if not k.startswith("GIT_")},
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "XDG_CONFIG_HOME": os.devnull,
}
needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is the judge")
FOLDERS = [
    "",
    "a",
    "a/b",
    "a/build",
    "a/b/src",
    "build",
    "build/a",
    "src",
    "src/a b",
    "src/a b/x.py.d",
]
NAMES = ["x.py", "log.py", "a.py", "#1.py", "!.py", "[a].py", "b .py"]
IGNORE_FILES = [".gitignore", "a/.gitignore", "a/b/.gitignore", "src/.gitignore",
                ".git/info/exclude"]  # fmt: skip


def git(folder: Path, *arguments: str) -> list[str]:
    done = subprocess.run(
        ["git", *arguments], cwd=folder, env=ENVIRONMENT, capture_output=True, check=True
    )
    return [os.fsdecode(name) for name in done.stdout.split(b"\0") if name]


def write(folder: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode("utf-8", "surrogateescape"))


def found(folder: Path, below: str = "") -> set[str]:
    paths = python_files(folder / below)
    return {path.relative_to(folder).as_posix() for path in paths}


def by_git(folder: Path, below: str = "") -> set[str]:
    """The Python files that git would add."""
    listed = git(folder, "ls-files", "--others", "--exclude-standard", "-z", "--", below or ".")
    return {name for name in listed if name.endswith(".py")}


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with a tree of files, and nothing ignored."""
    folder = tmp_path_factory.mktemp("tree")
    git(folder, "init", "-q")
    write(folder, {f"{part}/{name}".lstrip("/"): "" for part in FOLDERS for name in NAMES})
    return folder


# ---------------------------------------------------------------- as git


SEGMENT = st.sampled_from(
    ["a", "b", "build", "src", "a b", "x.py", "log.py", "*.py", "*", "?.py", "**", "[ab]", "[!a]*",
     "b*", "\\#1.py", "\\!.py", "#1.py", "!.py", "[[]a].py", "\\[a].py", "b\\ ", "b .py", "x.py.d",
     "[[:alpha:]]", "\\x.py", "."]
)  # fmt: skip
PATTERN = st.builds(
    lambda negated, root, parts, end: negated + root + "/".join(parts) + end,
    st.sampled_from(["", "", "!"]),
    st.sampled_from(["", "", "/", "**/"]),
    st.lists(SEGMENT, min_size=1, max_size=3),
    st.sampled_from(["", "", "/", "/**", "/*", " ", "  ", "\\ ", "/ ", "\t", "//"]),
)
LINE = st.one_of(
    PATTERN,
    PATTERN,
    PATTERN,
    st.sampled_from(["", "# a", "!", "/", " ", "\\", "!/", "[a-", "a**", "a\\"]),
)
PATTERNS = st.builds(
    lambda lines, end, last: end.join(lines) + last,
    st.lists(LINE, max_size=5),
    st.sampled_from(["\n", "\n", "\r\n"]),
    st.sampled_from(["\n", ""]),
)


@needs_git
@settings(
    max_examples=250, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    st.dictionaries(st.sampled_from(IGNORE_FILES), PATTERNS, max_size=3),
    st.sampled_from(["", "", "a", "src"]),
)
@example({}, "")
@example({".gitignore": "*.py\n/*/\n!/src/\n"}, "")
@example({".gitignore": "build/\n", "a/.gitignore": "!build/\n"}, "")
@example({".gitignore": "*\n!*/\n!log.py\n"}, "")
@example({".gitignore": "a**\n"}, "")
@example({".gitignore": "a/**\n"}, "")
@example({".gitignore": "a/**\n!a/b/\n"}, "")
@example({".gitignore": "/a/*\n!/a/b\n"}, "")
@example({".gitignore": "\ufeffbuild\n"}, "")
@example({".gitignore": "build\u2028\nsrc\x0c\n"}, "")
@example({".git/info/exclude": "src\n", ".gitignore": "!src\n"}, "")
@example({".gitignore": "b\\ .py  \nx.py \t\n"}, "")
def test_what_git_ignores_is_not_read(tree: Path, ignored: dict[str, str], below: str) -> None:
    (tree / ".git" / "info").mkdir(exist_ok=True)
    for name in IGNORE_FILES:
        (tree / name).unlink(missing_ok=True)
    write(tree, ignored)
    if below and below not in {p.split("/")[0] for p in by_git(tree)}:
        return  # who names an ignored folder means it, which is not what git is asked
    assert found(tree, below) == by_git(tree, below)


@needs_git
@pytest.mark.parametrize("encoded", [b"caf\xe9.py\n", "caf\u00e9.py\n".encode()])
def test_names_need_not_be_text(tmp_path: Path, encoded: bytes) -> None:
    git(tmp_path, "init", "-q")
    for name in (b"caf\xe9.py", "caf\u00e9.py".encode(), b"a.py"):
        (tmp_path / os.fsdecode(name)).touch()
    (tmp_path / ".gitignore").write_bytes(encoded)
    assert found(tmp_path) == by_git(tmp_path)
    assert len(found(tmp_path)) == 2


@needs_git
def test_a_linked_ignore_file_is_not_followed(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    write(tmp_path, {"a.py": "", "patterns": "a.py\n"})
    (tmp_path / ".gitignore").symlink_to("patterns")
    assert found(tmp_path) == by_git(tmp_path) == {"a.py"}


@needs_git
def test_a_repository_in_a_repository_has_its_own_patterns(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    write(tmp_path, {".gitignore": "a.py\n", "a.py": "", "b.py": "", "in/a.py": "", "in/b.py": "",
                     "in/.gitignore": "b.py\n"})  # fmt: skip
    git(tmp_path / "in", "init", "-q")
    assert found(tmp_path) == {"b.py", "in/a.py"}
    assert by_git(tmp_path / "in") == {"a.py"}


@needs_git
def test_a_linked_work_tree_has_the_repository_s_exclude_file(tmp_path: Path) -> None:
    main, linked = tmp_path / "main", tmp_path / "linked"
    write(main, {"a.py": ""})
    git(main, "init", "-q")
    git(
        main,
        "-c",
        "user.name=a",
        "-c",
        "user.email=a@b",
        "commit",
        "-q",
        "--allow-empty",
        "-m",
        "a",
    )
    git(main, "worktree", "add", "-q", str(linked))
    write(linked, {"a.py": "", "b.py": ""})
    write(main, {".git/info/exclude": "a.py\n"})
    assert found(linked) == by_git(linked) == {"b.py"}


# ---------------------------------------------------------------- more than git


@pytest.mark.parametrize("name", [".gitignore", ".pinsetterignore"])
def test_a_repository_is_not_needed(tmp_path: Path, name: str) -> None:
    write(
        tmp_path,
        {name: "a.py\n", "a.py": "", "b/.pinsetterignore": "c.py\n", "b/c.py": "", "d.py": ""},
    )
    assert found(tmp_path) == {"d.py"}


def test_our_own_file_overrules_git_s(tmp_path: Path) -> None:
    write(tmp_path, {
        ".git/config": "", ".gitignore": "made/\n", "sub/.gitignore": "x.py\n",
        ".pinsetterignore": "!made/\n!x.py\nold/\n",
        "made/a.py": "", "sub/x.py": "", "sub/y.py": "", "old/b.py": "",
    })  # fmt: skip
    assert found(tmp_path) == {"made/a.py", "sub/x.py", "sub/y.py"}


def test_patterns_of_the_folders_above_count(tmp_path: Path) -> None:
    write(tmp_path, {
        ".git/config": "", ".gitignore": "x.py\n/a/b/y.py\n", ".pinsetterignore": "z.py\n",
        "a/b/x.py": "", "a/b/y.py": "", "a/b/z.py": "", "a/b/w.py": "",
        "a/.git-not": "", "a/.gitignore": "!x.py\n",
    })  # fmt: skip
    assert found(tmp_path, "a/b") == {"a/b/x.py", "a/b/w.py"}


def test_a_repository_s_patterns_end_at_it(tmp_path: Path) -> None:
    write(tmp_path, {".gitignore": "*.py\n", "in/.git/config": "", "in/a.py": ""})
    assert found(tmp_path / "in") == {"a.py"}


def test_a_named_file_or_folder_is_taken_even_if_ignored(tmp_path: Path) -> None:
    write(tmp_path, {
        ".git/config": "", ".gitignore": "made/\na.py\n", "a.py": "", "c.py": "",
        "made/a.py": "", "made/b.py": "", "made/.gitignore": "b.py\n",
    })  # fmt: skip
    assert found(tmp_path) == {"c.py"}
    assert found(tmp_path, "a.py") == {"a.py"}
    assert found(tmp_path, "made") == {"made/a.py"}
    project = Project([tmp_path, tmp_path / "a.py"])
    assert [path.name for path in project.files] == ["c.py", "a.py"]


def test_hidden_folders_stay_hidden_whatever_is_said(tmp_path: Path) -> None:
    write(tmp_path, {".pinsetterignore": "!.pinsetter/\n!venv/\n!.a.py\n", ".pinsetter/a.py": "",
                     "venv/a.py": "", "venv/pyvenv.cfg": "", ".a.py": ""})  # fmt: skip
    assert found(tmp_path) == set()


def test_ignored_folders_are_not_entered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, {".gitignore": "big/\n", "big/deep/a.py": "", "a.py": ""})
    entered: list[str] = []
    scan = os.scandir

    def scandir(folder: Path) -> object:
        entered.append(Path(folder).name)
        return scan(folder)

    monkeypatch.setattr(os, "scandir", scandir)
    assert found(tmp_path) == {"a.py"}
    assert entered == [tmp_path.name]


# ---------------------------------------------------------------- links and what cannot be read


def test_links_to_folders_are_not_followed(tmp_path: Path) -> None:
    write(tmp_path, {"a/b.py": ""})
    (tmp_path / "a" / "loop").symlink_to(tmp_path)
    (tmp_path / "again").symlink_to(tmp_path / "a")
    assert found(tmp_path) == {"a/b.py"}
    assert found(tmp_path, "again") == {"again/b.py"}


def test_a_link_to_a_file_is_a_file(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": ""})
    (tmp_path / "b.py").symlink_to("a.py")
    assert found(tmp_path) == {"a.py", "b.py"}


def test_a_link_to_nothing_is_a_problem(tmp_path: Path) -> None:
    (tmp_path / "a.py").symlink_to("none.py")
    problems = Project([tmp_path]).problems
    assert [str(p) for p in problems] == [
        f"{tmp_path}/a.py: cannot be read: No such file or directory"
    ]


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.py")
    assert found(tmp_path) == set()


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_a_folder_that_cannot_be_read_is_a_problem(tmp_path: Path) -> None:
    write(tmp_path, {"a/b.py": "", "c.py": ""})
    (tmp_path / "a").chmod(0)
    try:
        project = Project([tmp_path])
    finally:
        (tmp_path / "a").chmod(0o755)
    assert [path.name for path in project.files] == ["c.py"]
    assert [str(p) for p in project.problems] == [
        f"{tmp_path}/a: cannot be read: Permission denied"
    ]


def test_what_fails_to_be_scanned_is_a_problem(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, {"a/b.py": "", "c.py": ""})
    scan = os.scandir

    def scandir(folder: Path) -> object:
        if Path(folder).name == "a":
            raise PermissionError(13, "Permission denied")
        return scan(folder)

    monkeypatch.setattr(os, "scandir", scandir)
    project = Project([tmp_path])
    assert [path.name for path in project.files] == ["c.py"]
    assert [str(p) for p in project.problems] == [
        f"{tmp_path}/a: cannot be read: Permission denied"
    ]
