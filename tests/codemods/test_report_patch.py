"""A patch of --diff is taken by git, and makes the bytes that --write makes."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest
from commands import PLAIN, TRAIN, plan_of, run
from hypothesis import given, settings
from hypothesis import strategies as st
from reports import HOSTILE, NO_TEXT

from pinsetter.analyzer.files.source import Source, decode
from pinsetter.codemods.engine.running.patch import file_patch, git_quoted, patch, unfit
from pinsetter.patterns.edits.edit import Edit, apply

ENVIRONMENT = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
CONTENTS = {
    "LF": TRAIN.encode(),
    "CRLF": TRAIN.replace("\n", "\r\n").encode(),
    "CR": TRAIN.replace("\n", "\r").encode(),
    "mixed": TRAIN.replace("\n\n", "\r\n\r").encode(),
    "no final newline": TRAIN.rstrip().encode(),
    "no final CRLF": TRAIN.replace("\n", "\r\n").rstrip().encode(),
    "BOM": b"\xef\xbb\xbf" + TRAIN.encode(),
    "latin-1": f"# coding: latin-1\n# é\n{TRAIN}".encode("latin-1"),
    "euc-jp": f"# coding: euc-jp\n# 日本\n{TRAIN}# 日本\n".encode("euc-jp"),
    "a state": f"# coding: iso-2022-jp\n# 日本\n{TRAIN}# 日本".encode("iso-2022-jp"),
    "tabs": TRAIN.replace("    ", "\t").encode(),
    "UTF-8": TRAIN.replace("(number)", "(number, 'é → 日本')").encode(),
    "separators": TRAIN.replace("(number)", "(number, '\x0c\x1c\x85\u2028')").encode(),
}
NAMES = [
    "plain.py", "with blanks.py", " led by one.py", 'a "quoted" one.py', "back\\slash.py",
    "tab\there.py", "line\nend.py", "é.py", "日本.py", NO_TEXT, HOSTILE.replace("/", ""),
    "dated 2020-01-01 00:00:00.py", "-dash.py", "b.py", "#hash.py", "--- a.py",
]  # fmt: skip


def git(*arguments: str, cwd: Path, patch: bytes | None = None) -> None:
    done = subprocess.run(
        ["git", *arguments],
        cwd=cwd,
        env={**os.environ, **ENVIRONMENT},
        input=patch,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, (done.stderr, patch)


def apply_patch(patch: bytes, cwd: Path) -> None:
    git("apply", "--check", "--whitespace=nowarn", "-", cwd=cwd, patch=patch)
    git("apply", "--whitespace=nowarn", "-", cwd=cwd, patch=patch)


def tree(folder: Path) -> dict[str, tuple[bytes, int]]:
    return {
        str(path.relative_to(folder)): (path.read_bytes(), path.stat().st_mode)
        for path in folder.rglob("*.py")
        if ".git" not in path.parts
    }


def repository(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    git("init", "-q", cwd=folder)
    return folder


def programs(folder: Path) -> Path:
    """Every name with some content, and every content under some name."""
    contents = list(CONTENTS.values())
    for number, name in enumerate(NAMES):
        path = folder / f"number {number}" / name
        path.parent.mkdir(parents=True)
        path.write_bytes(contents[number % len(contents)])
        path.chmod(0o755 if number % 2 else 0o644)  # git knows these two
    return folder


def test_nothing_to_do_is_an_empty_patch(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(PLAIN)
    result = run("--diff", tmp_path)
    assert (result.code, result.out) == (0, b"")


def test_no_edits_are_no_part() -> None:
    source = decode(Path("a.py"), b"x = 1\r\n")
    assert isinstance(source, Source)
    assert file_patch("a.py", source, []) == b"--- a/a.py\n+++ b/a.py\n"
    assert file_patch("a.py", source, [Edit(0, 1, "x")]) == b"--- a/a.py\n+++ b/a.py\n"


@pytest.mark.parametrize(
    ("name", "quoted"),
    [
        ("a.py", "a.py"),
        ("a b'#$.py", "a b'#$.py"),
        ('"', '"\\""'),
        ("\\", '"\\\\"'),
        ("a\t\n\r\a\x01\x7f", '"a\\t\\n\\r\\a\\001\\177"'),
        ("é", '"\\303\\251"'),
        (os.fsdecode(b"\xff"), '"\\377"'),
    ],
)
def test_names_are_quoted_as_git_does(name: str, quoted: str) -> None:
    assert git_quoted(name) == quoted


def test_names_are_quoted_as_git_itself_does(tmp_path: Path) -> None:
    repository(tmp_path)
    for name in NAMES:
        (tmp_path / name).write_bytes(b"")
    listed = subprocess.run(
        ["git", "ls-files", "--others"], cwd=tmp_path, env={**os.environ, **ENVIRONMENT},
        capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    assert sorted(listed.splitlines()) == sorted(map(git_quoted, NAMES))


def test_git_makes_what_write_makes(tmp_path: Path) -> None:
    written = programs(tmp_path / "written")
    patched = programs(repository(tmp_path / "patched"))
    before = tree(patched)
    result = run("--diff", ".", cwd=patched)
    assert result.code == 0
    assert tree(patched) == before
    apply_patch(result.out, patched)
    assert run("--write", ".", cwd=written).code == 0
    after = tree(patched)
    assert after == tree(written)
    assert [name for name in after if after[name] == before[name]] == []


@pytest.mark.skipif(shutil.which("patch") is None, reason="there is no patch program")
def test_patch_programs_take_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "a b"
    folder.mkdir()
    for kind in ("LF", "CRLF", "latin-1"):
        (folder / f"é {kind}.py").write_bytes(CONTENTS[kind])
    for name in ('"\\.py', "a\tb\x1b[5m.py", os.fsdecode(b"\xff.py")):
        (folder / name).write_bytes(CONTENTS["LF"])
    monkeypatch.chdir(tmp_path)
    made = patch(plan_of(Path()).hunks)
    subprocess.run(["patch", "-p1", "--binary", "-s"], cwd=tmp_path, input=made, check=True)
    assert plan_of(tmp_path).hunks == []


@pytest.mark.parametrize("start", [".", "inner", "inner/deep", "other"])
def test_from_any_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, start: str) -> None:
    root = repository(tmp_path / "root")
    for name in ("train.py", "inner/train.py", "inner/deep/train.py"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(TRAIN)
    (root / "other").mkdir()
    monkeypatch.chdir(root / start)
    made = patch(plan_of(root).hunks)
    assert made.startswith(f"# To be applied in {root},".encode()) == (start != ".")
    apply_patch(made, root)
    assert plan_of(root).hunks == []


def test_what_is_below_is_relative_to_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = repository(tmp_path / "root")
    inner = root / "inner"
    inner.mkdir()
    (inner / "train.py").write_text(TRAIN)
    monkeypatch.chdir(inner)
    made = patch(plan_of(Path("train.py")).hunks)
    assert b"--- a/train.py\n+++ b/train.py\n" in made
    assert b"To be applied" not in made
    apply_patch(made, inner)
    assert plan_of(inner).hunks == []


def test_a_link_is_patched_where_it_leads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "train.py").write_text(TRAIN)
    (tmp_path / "link").symlink_to("real")
    monkeypatch.chdir(tmp_path)
    made = patch(plan_of(Path("link/train.py")).hunks)
    assert b"--- a/real/train.py\n" in made
    apply_patch(made, tmp_path)
    assert plan_of(Path("real")).hunks == []


def test_remarks_stay_on_their_lines(tmp_path: Path) -> None:
    (tmp_path / "line\n--- a\n+++ b\n@@ -1 +1 @@.py").write_text(TRAIN)
    made = patch(plan_of(tmp_path).hunks)
    heads = [line for line in made.split(b"\n") if line.startswith((b"---", b"+++"))]
    assert len(heads) == 2


def test_what_does_not_fit_the_encoding_is_a_problem() -> None:
    source = decode(Path("a.py"), b"# coding: ascii\n")
    assert isinstance(source, Source)
    assert unfit(source, [Edit(16, 16, "x = 1\n")]) is None
    problem = unfit(source, [Edit(16, 16, "x = 'é'\n")])
    assert problem is not None
    assert "does not fit" in str(problem)


NAME = (
    st.binary(min_size=1, max_size=20)
    .filter(lambda name: not set(name) & {0, 0x2F} and name not in (b".", b".."))
    .filter(lambda name: b"git" not in name.lower())
)
ENCODINGS = ["utf-8", "latin-1", "cp1252", "shift_jis", "euc-kr", "iso-2022-jp", "utf-7", "hz"]


@st.composite
def edited(draw: st.DrawFn) -> tuple[str, Source, list[Edit]]:
    """A name, a file of some encoding, and edits of it."""
    encoding = draw(st.sampled_from(ENCODINGS))
    bom = "\ufeff" if encoding == "utf-8" and draw(st.booleans()) else ""
    letters = [c for c in "ab +-~{\\@#\t\x0c\x1cé日\u2028" if fits(c, encoding)]
    piece = st.one_of(st.sampled_from(letters), st.sampled_from(["\n", "\r\n", "\r"]))
    body = "".join(draw(st.lists(piece, max_size=40)))
    cookie = "" if encoding == "utf-8" else f"# coding: {encoding}\n"
    source = decode(Path("x.py"), (bom + cookie + body).encode(encoding))
    if not isinstance(source, Source):
        return os.fsdecode(draw(NAME)), plain_source(), []
    edits: list[Edit] = []
    for _ in range(draw(st.integers(0, 4))):
        start = draw(st.integers(len(bom), len(source.text)))
        end = draw(st.integers(start, min(len(source.text), start + 6)))
        edit = Edit(start, end, "".join(draw(st.lists(piece, max_size=4))))
        if not any(edit.contradicts(other) for other in edits):
            edits.append(edit)
    return os.fsdecode(draw(NAME)), source, edits


def plain_source() -> Source:
    source = decode(Path("x.py"), b"")
    assert isinstance(source, Source)
    return source


def fits(char: str, encoding: str) -> bool:
    try:
        return char.encode(encoding).decode(encoding) == char
    except UnicodeError:
        return False


@pytest.mark.parametrize("text", ["a\n\n\n\n\nb", "a\n\n\n\n\n\n\n\n\nb\n", "a\n\nb"])
def test_one_more_of_many_lines_that_are_alike(text: str, tmp_path: Path) -> None:
    """What follows says that the part is not the end of the file."""
    source = decode(Path("x.py"), f"first\n{text}".encode())
    assert isinstance(source, Source)
    edits = [Edit(6, 7, "")]
    (tmp_path / "x.py").write_bytes(source.data)
    apply_patch(file_patch("x.py", source, edits) + b"\n", tmp_path)
    assert (tmp_path / "x.py").read_text() == apply(source.text, edits)


@settings(max_examples=60, deadline=None)
@given(st.lists(edited(), min_size=1, max_size=5))
def test_git_makes_the_bytes_of_the_edits(files: list[tuple[str, Source, list[Edit]]]) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        wanted: dict[Path, bytes] = {}
        parts: list[bytes] = []
        for number, (file, source, edits) in enumerate(files):
            path = folder / str(number) / file
            path.parent.mkdir()
            path.write_bytes(source.data)
            wanted[path] = source.encode(apply(source.text, edits))
            if wanted[path] != source.data:
                parts.append(file_patch(f"{number}/{file}", source, edits) + b"\n")
        if parts:
            apply_patch(b"".join(parts), folder)
        assert {path: path.read_bytes() for path in wanted} == wanted
