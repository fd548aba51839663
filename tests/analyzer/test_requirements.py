"""What a repository's files ask for."""

from pathlib import Path

import pytest
from packaging.version import Version

from pinsetter.analyzer.programs.requirements import requirements, requirements_in

OLD = ("2.0.0", "2.4.1", "2.15.0", "2.15.1")


def asked(folder: Path, *packages: str) -> list[tuple[str, str, int]]:
    found = requirements(folder / "src" / "train.py", packages)
    return [(r.package, str(r.versions), r.line) for r in found]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("requirements.txt", "tensorflow\nnumpy>=1.2\n"),
        ("requirements.txt", "# tensorflow==2.3\nmy-tensorflow==1.0\ntensorflow_hub==0.9\n"),
        ("notes.txt", "tensorflow==2.3\n"),
        ("pyproject.toml", '[project]\nname = "tensorflow"\nversion = "2.3"\n'),
    ],
)
def test_nothing_is_asked(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    assert asked(tmp_path, "tensorflow") == []


@pytest.mark.parametrize(
    ("name", "text", "line", "versions"),
    [
        ("requirements.txt", "numpy\ntensorflow==2.16.1\n", 2, "==2.16.1"),
        ("requirements-dev.txt", "tensorflow >= 2.4, < 2.16  # old\n", 1, "<2.16,>=2.4"),
        ("setup.py", 'setup(install_requires=["tensorflow[and-cuda]>=2.16"])\n', 1, ">=2.16"),
        ("pyproject.toml", '[tool.poetry]\ntensorflow = ">=2.9"\n', 2, ">=2.9"),
        ("environment.yml", "dependencies:\n  - tensorflow=2.4.1\n", 2, "==2.4.1"),
    ],
)
def test_what_is_asked(tmp_path: Path, name: str, text: str, line: int, versions: str) -> None:
    (tmp_path / name).write_text(text)
    assert asked(tmp_path, "tensorflow") == [("tensorflow", versions, line)]


def test_the_nearest_folder_counts(tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").write_text("keras==2.3\n")
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "requirements.txt").write_text("keras==3.1\n")
    assert asked(tmp_path, "keras") == [("keras", "==3.1", 1)]


def test_a_repository_ends_the_search(tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").write_text("keras==2.3\n")
    (tmp_path / "src" / ".git").mkdir(parents=True)
    assert asked(tmp_path, "keras") == []


@pytest.mark.parametrize(
    ("versions", "excluded"),
    [(">=2.16", True), ("==2.17.*", True), (">2.0", False), ("<3", False), ("~=2.15", False)],
)
def test_old_versions_are_excluded(tmp_path: Path, versions: str, excluded: bool) -> None:
    (tmp_path / "requirements.txt").write_text(f"tensorflow{versions}\n")
    (found,) = requirements(tmp_path / "train.py", ["tensorflow"])
    assert found.excludes(map(Version, OLD), lambda v: v < Version("2.16")) == excluded


@pytest.mark.parametrize(
    ("text", "versions"),
    [
        ("import tensorflow as tf\ntf.version = 2.3\n", []),
        ("# needs TensorFlow 2.3\n", []),
        ('"""\npip install tensorflow==2.3.0\n"""\n', ["==2.3.0"]),
        ("# !pip install 'tensorflow<2.4,>=2.2' numpy==1.19\n", ["<2.4,>=2.2"]),
    ],
)
def test_what_a_program_says_itself(text: str, versions: list[str]) -> None:
    found = requirements_in(text, Path("train.py"), ["tensorflow"])
    assert [str(requirement.versions) for requirement in found] == versions
