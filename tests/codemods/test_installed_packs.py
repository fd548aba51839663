"""Packs of other installed packages, and what a pack says of versions and of Pinsetter's parts."""

from __future__ import annotations

from pathlib import Path

import pytest
from prepared import invoke

from pinsetter.patterns.packs.pack import Pack, load

PACK = """\
pack: our-pack
summary: For a test.
rules:
  - id: take
    title: Take
    why: Because.
    match: take($x)
    edit: {replace: $match, with: took($x)}
    examples:
      - unchanged: x
      - before: take(1)
        after: took(1)
"""


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with an installed package that would fail if it were imported."""
    folder = tmp_path / "site"
    (folder / "our_package" / "inner").mkdir(parents=True)
    (folder / "our_package" / "__init__.py").write_text("raise SystemExit\n")
    (folder / "our_package" / "inner" / "our-pack.yaml").write_text(PACK)
    info = folder / "our_package-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: our-package\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[pinsetter.packs]\nour-pack = our_package.inner\nlost = our_package.inner\n"
    )
    monkeypatch.syspath_prepend(str(folder))
    return folder


def test_a_pack_of_an_installed_package(site: Path, tmp_path: Path) -> None:
    (tmp_path / "code.py").write_text("take(2)\n")
    found = invoke("run", "our-pack", tmp_path / "code.py", "--write")
    assert found.code == 0, found
    assert (tmp_path / "code.py").read_text() == "took(2)\n"
    assert invoke("test", "our-pack").code == 0
    listed = invoke("list").out
    assert "our-pack" in listed
    assert "lost" not in listed


def test_without_the_package_there_is_none(tmp_path: Path) -> None:
    found = invoke("run", "our-pack", tmp_path)
    assert "There is no codemod 'our-pack'" in found.err


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        (">=0.0.1", ""),
        (">=99", "it is for pinsetter >=99, and this is"),
        ("new", "'new' is no version"),
    ],
)
def test_versions(wanted: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "our.yaml"
    path.write_text(PACK + f'version: "2"\nrequires_pinsetter: "{wanted}"\n')
    found = load(path)
    if not said:
        assert isinstance(found, Pack), found
        return
    assert isinstance(found, list)
    assert said in found[0].reason
    assert found[0].line == len(PACK.splitlines()) + 2


def test_a_part_of_pinsetter(tmp_path: Path) -> None:
    path = tmp_path / "our.yaml"
    path.write_text(PACK + "include: ['pinsetter:horovod/names.yaml']\n")
    found = load(path)
    assert isinstance(found, Pack), found
    path.write_text(PACK + "include: ['pinsetter:horovod/none.yaml']\n")
    found = load(path)
    assert isinstance(found, list)
    assert "there is no file 'pinsetter:horovod/none.yaml'" in found[0].reason
