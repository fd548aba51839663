"""--set: the texts that a run gives a pack."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import BIN, run

PINSETTER = [str(BIN / "pinsetter")]
PACK = """\
pack: own-names
summary: A name of a library of one's own.
imports: {lib: <<library>>}
parameters:
  library: {summary: The library whose names these are., example: mylib}
  new: {summary: What it is called now., default: load, one_of: [load, take]}
rules:
  - id: renamed
    title: Now <<new>>
    why: It is called so.
    match: lib.fetch
    edit: {rename: $match, to: lib.<<new>>}
    examples:
      - unchanged: |
          fetch(1)
      - before: |
          from <<library>> import fetch
          fetch(1)
        after: |
          from <<library>> import <<new>>
          <<new>>(1)
"""


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    (tmp_path / "repo").mkdir()
    (tmp_path / "repo" / "a.py").write_text("import other\nother.fetch(1)\nmylib.fetch(1)\n")
    path = tmp_path / "own.yaml"
    path.write_text(PACK)
    return path


def test_a_run_gives_texts(pack: Path) -> None:
    repo = pack.parent / "repo"
    found = run("run", pack, repo, "--diff", "--set", "library=other", command=PINSETTER)
    assert found.code == 0, found.said
    assert b"\n-other.fetch(1)\n+other.load(1)\n" in found.out
    again = run("run", pack, repo, "--write", "--set", "library=other", "--set", "new=take",
                command=PINSETTER)  # fmt: skip
    assert again.code == 0, again.said
    assert (repo / "a.py").read_text() == "import other\nother.take(1)\nmylib.fetch(1)\n"


@pytest.mark.parametrize(("given", "said"), [
    ([], "needs --set library=TEXT. library: The library whose names these are."),
    (["library=other", "nev=take"], "has no parameter 'nev'. Did you mean new?"),
    (["library=other", "new=drop"], "--set new=drop: it is one of load, take."),
    (["library=other", "library=b"], "--set library is given twice: 'other' and 'b'."),
    (["library=other", "other"], "has no option 'other'. It has none."),
])  # fmt: skip
def test_wrong_texts(pack: Path, given: list[str], said: str) -> None:
    options = [part for one in given for part in ("--set", one)]
    found = run("run", pack, pack.parent / "repo", "--diff", *options, command=PINSETTER)
    assert found.code == 3, found.said
    assert said in " ".join(found.err.split())


def test_what_breaks_the_pack(pack: Path) -> None:
    found = run("run", pack, pack.parent / "repo", "--diff", "--set", "library=a b",
                command=PINSETTER)  # fmt: skip
    assert found.code == 2, found.said
    assert "own.yaml:3:" in found.err
    assert "'a b' is not a qualified name" in found.err


def test_other_commands_take_texts(pack: Path) -> None:
    listed = run("list", pack, command=PINSETTER).out.decode()
    assert "must be given" in listed
    assert "(load, take)" in listed
    place = f"{pack.parent / 'repo' / 'a.py'}:2"
    found = run("why", "--set", "library=other", pack, place, command=PINSETTER)
    assert "it applies" in found.out.decode(), found.said
    for options in ((), ("--set", "new=take")):
        assert run("test", *options, pack, command=PINSETTER).code == 0
    assert run("test", "--set", "new", pack, command=PINSETTER).code == 3


def test_a_configuration_gives_texts(pack: Path) -> None:
    repo = pack.parent / "repo"
    (repo / "pyproject.toml").write_text('[tool.pinsetter]\noption = ["library=other"]\n')
    found = run("run", pack, repo, "--diff", command=PINSETTER)
    assert found.code == 0, found.said
    assert b"+other.load(1)" in found.out
    overruled = run("run", pack, repo, "--diff", "--set", "library=mylib", command=PINSETTER)
    assert b"other.load" not in overruled.out
