"""Accepted lines are formatted by the tool that the repository is formatted with."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from commands import BIN, TRAIN, plan_of, run

from pinsetter.codemods.engine.formatting import formatter
from pinsetter.codemods.engine.formatting.formatted_edits import same_code
from pinsetter.codemods.engine.formatting.formatting import Formatting

BLACK = "[tool.black]\nline-length = 60\n"
HOOK = "repos:\n- repo: https://example.org/x\n  rev: v1\n  hooks:\n  - id: {id}\n"
# What is said, and the tool that then formats; None for none.
SAID = {
    "nothing": ({}, None),
    "other settings": ({"pyproject.toml": "[tool.isort]\nprofile = 'black'\n"}, None),
    "a linter alone": ({".pre-commit-config.yaml": HOOK.format(id="ruff")}, None),
    "no toml": ({"pyproject.toml": "[tool.black\n"}, None),
    "too much": ({"pyproject.toml": BLACK + "#" * 1_000_000}, None),
    "deep": ({".pre-commit-config.yaml": "[" * 5000, "ruff.toml": "x = " + "[" * 5000}, None),
    "no mapping": ({"pyproject.toml": "tool = 3\n", ".pre-commit-config.yaml": "- 3\n"}, None),
    "black": ({"pyproject.toml": BLACK}, "black"),
    "ruff": ({"ruff.toml": "line-length = 60\n[format]\n"}, "ruff"),
    "ruff's table": ({"pyproject.toml": "[tool.ruff]\nline-length = 60\n[tool.ruff.format]\n"},
                     "ruff"),
    "yapf": ({".style.yapf": "[style]\nbased_on_style = google\n"}, "yapf"),
    "setup.cfg": ({"setup.cfg": "[yapf]\nbased_on_style = pep8\n"}, "yapf"),
    "a hook": ({".pre-commit-config.yaml": HOOK.format(id="ruff-format")}, "ruff"),
    "a hook in the older form": (
        {".pre-commit-config.yaml": "- repo: x\n  sha: y\n  hooks: [{id: black}]\n"}, "black"
    ),
    "a hook with a style": (
        {".pre-commit-config.yaml": HOOK.format(id="yapf"),
         "setup.cfg": "[yapf]\nbased_on_style = google\nindent_width = 2\n"}, "yapf"
    ),
    "a hook before a table": (
        {".pre-commit-config.yaml": HOOK.format(id="ruff-format"), "pyproject.toml": BLACK}, "ruff"
    ),
}  # fmt: skip
CLEAN = {
    "black": ["black", "--quiet", "--check"],
    "ruff": ["ruff", "format", "--quiet", "--check"],
    "yapf": ["yapf", "--diff"],
}
FORMAT = {
    "black": ["black", "--quiet"],
    "ruff": ["ruff", "format", "--quiet"],
    "yapf": ["yapf", "-i"],
}
LONG = TRAIN.replace("SGD(0.1)", "SGD(learning_rate=0.1, momentum=0.9)")


def tool(command: list[str], file: Path) -> bool:
    """Whether one of the tools ends well for a file."""
    program, *arguments = command
    return subprocess.run(
        [str(BIN / program), *arguments, file.name], cwd=file.parent, capture_output=True,
        check=False,
    ).returncode == 0  # fmt: skip


def repository(folder: Path, files: dict[str, str], text: str = LONG) -> Path:
    (folder / ".git").mkdir()
    for name, content in files.items():
        (folder / name).write_text(content)
    below = folder / "src" / "deep"
    below.mkdir(parents=True)
    script = below / "train.py"
    script.write_bytes(text.encode())
    return script


@pytest.mark.parametrize("said", SAID)
def test_the_settings_say_which_tool(said: str, tmp_path: Path) -> None:
    files, wanted = SAID[said]
    setting = formatter.setting_for(repository(tmp_path, files))
    assert (setting.tool if setting is not None else None) == wanted


def test_settings_above_the_repository_say_nothing(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(BLACK)
    inner = tmp_path / "inner"
    inner.mkdir()
    assert formatter.setting_for(repository(inner, {})) is None


@pytest.mark.parametrize("said", ["black", "ruff", "yapf", "a hook", "a hook with a style"])
def test_a_formatted_file_stays_formatted(said: str, tmp_path: Path) -> None:
    files, name = SAID[said]
    assert name is not None
    script = repository(tmp_path, files)
    assert tool(FORMAT[name], script)
    before = script.read_bytes()
    patch = run("--diff", script, cwd=tmp_path).out
    assert run("--write", script).code == 0
    assert script.read_bytes() != before
    assert tool(CLEAN[name], script)
    # What is printed is what is written.
    written = script.read_bytes()
    script.write_bytes(before)
    subprocess.run(["patch", "-p1"], input=patch, cwd=tmp_path, check=True, capture_output=True)
    assert script.read_bytes() == written
    assert b"@@" not in run("--diff", script).out


@pytest.mark.parametrize("said", ["black", "ruff", "yapf"])
def test_other_lines_stay_as_they_are(said: str, tmp_path: Path) -> None:
    """The file is not formatted: only the lines that hunks change are."""
    odd = "settings = {'a' : 1,\n   'b':[ 2 ]}   # odd\n"
    script = repository(tmp_path, SAID[said][0], LONG.replace("\n\n\ndef", f"\n\n{odd}\n\ndef"))
    before = script.read_text()
    assert run("--write", script).code == 0
    after = script.read_text()
    assert odd in after
    assert "DistributedGradientTape" in after
    assert run("undo", cwd=tmp_path, command=[str(BIN / "pinsetter")]).code == 0
    assert script.read_text() == before


def test_ruff_that_may_only_check_formats_what_is_formatted(tmp_path: Path) -> None:
    odd = LONG.replace("\n\n\ndef", "\n\nodd = {'a' : 1}\n\n\ndef")
    script = repository(tmp_path, {"ruff.toml": "line-length = 60\n"}, odd)
    assert run("--diff", script).out == run("--diff", "--format-with", "none", script).out
    assert tool(FORMAT["ruff"], script)
    run("--write", script)
    assert tool(CLEAN["ruff"], script)


def test_a_person_may_name_the_tool_or_none(tmp_path: Path) -> None:
    script = repository(tmp_path, SAID["yapf"][0])
    assert tool(FORMAT["black"], script)
    assert run("--write", "--format-with", "black", script).code == 0
    assert tool(CLEAN["black"], script)
    script.write_text(LONG)
    plain = run("--diff", "--format-with", "none", script).out
    assert plain != run("--diff", script).out


def test_line_ends_stay(tmp_path: Path) -> None:
    script = repository(tmp_path, {"pyproject.toml": BLACK}, LONG.replace("\n", "\r\n"))
    run("--write", script)
    data = script.read_bytes()
    assert data.count(b"\n") == data.count(b"\r\n")
    assert b"DistributedGradientTape" in data
    mixed = LONG.replace("\n", "\r\n", 3)
    script.write_bytes(mixed.encode())
    assert run("--diff", script).out == run("--diff", "--format-with", "none", script).out


def test_code_that_the_tool_cannot_read_is_said(tmp_path: Path) -> None:
    old = LONG.replace("print(number)", "print number")
    script = repository(tmp_path, {"pyproject.toml": BLACK}, old)
    done = run("--write", script)
    assert f"{script}: its new lines are not formatted: black" in done.err
    assert "DistributedGradientTape" in script.read_text()


@pytest.mark.parametrize("linked", [False, True])
def test_a_tool_that_lies_in_the_repository_is_none(
    linked: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing of a repository is run; that there is no other one is said once."""
    root, elsewhere = tmp_path / "repository", tmp_path / "elsewhere"
    root.mkdir()
    elsewhere.mkdir()
    script = repository(root, {"pyproject.toml": BLACK})
    ran = tmp_path / "ran"
    fake = root / "black"
    fake.write_text(f"#!/bin/sh\n: > {ran}\n")
    fake.chmod(0o755)
    if linked:
        (elsewhere / "black").symlink_to(fake)
    monkeypatch.setattr(formatter.sys, "executable", str(tmp_path / "python"))
    monkeypatch.setenv("PATH", f"{elsewhere if linked else root}:.")
    monkeypatch.chdir(root)
    hunks = plan_of(script).hunks
    edits = [edit for hunk in hunks for edit in hunk.edits]
    formatting = Formatting("auto")
    for _ in range(2):
        assert formatting.edits(hunks[0].module, edits) == edits
        edits = edits[:-1]
    assert not ran.exists()
    (remark,) = formatting.remarks
    assert str(remark).startswith(f"{root}/pyproject.toml: formats with black, which is not ")
    with monkeypatch.context() as patch:
        patch.setenv("PATH", ".")  # the tree
        assert formatter.installed("black") is None
    # A person may say that it is to be run.
    named = Formatting("black")
    named.edits(hunks[0].module, edits)
    assert ran.exists()


@pytest.mark.parametrize(
    ("does", "said"),
    [("sed 's/0.1/0.2/'", "would make other code of them"), ("exit 1", "gives nothing for it")],
)
def test_what_is_not_taken(
    does: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = repository(tmp_path, {})
    program = tmp_path / "yapf"
    program.write_text(f"#!/bin/sh\n{does}\n")
    program.chmod(0o755)
    monkeypatch.setattr(formatter.sys, "executable", str(tmp_path / "bin" / "python"))
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    hunks = plan_of(script).hunks
    edits = [edit for hunk in hunks for edit in hunk.edits]
    formatting = Formatting("yapf")
    assert formatting.edits(hunks[0].module, edits) == edits
    (remark,) = formatting.remarks
    assert str(remark) == f"{script}: its new lines are not formatted: yapf {said}"


def test_a_form_feed_ends_no_line(tmp_path: Path) -> None:
    """For Python's own splitlines() it does."""
    odd = "odd = {'a' : 1}\n"
    text = LONG.replace("\n\n\ndef", f"\n\n{odd}# \x0c one\n# \x0c two\n\n\ndef")
    script = repository(tmp_path, {"pyproject.toml": BLACK}, text)
    assert run("--write", script).code == 0
    after = script.read_text()
    assert odd in after
    assert "for number in range(max(1, 3 // hvd.size())):\n" in after


def test_what_is_no_program_of_that_name_is_a_mistake(tmp_path: Path) -> None:
    script = repository(tmp_path, {})
    done = run("--write", "--format-with", "gofmt", script)
    assert done.code == 3
    assert script.read_text() == LONG


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("x = 1\n", "x=1\n", True),
        ("x = 'a'\n", 'x = "a"\n', True),
        ("x = (1)\n", "x = 1\n", True),
        ("x = 1\n", "x = 2\n", False),
        ("x = 1\n", "x = 1\ny\n", False),
        ("print 1\n", "print  1\n", False),
    ],
)
def test_what_is_the_same_code(one: str, other: str, same: bool) -> None:
    assert same_code(one, other) == same


@pytest.mark.parametrize("said", ["black", "ruff", "yapf"])
def test_several_ranges_of_lines(said: str, tmp_path: Path) -> None:
    """The first becomes more lines; the numbers of the others are those from before."""
    files, name = SAID[said]
    script = repository(tmp_path, files)
    found = formatter.installed(name or "")
    assert found is not None
    items = ", ".join(f"'{letter * 9}'" for letter in "abcdefgh")
    text = f"first = function({items})\nodd  =  1\nlast  =  2\n"
    new = found.lines(text, script, [(1, 1), (3, 3)])
    assert new is not None
    assert new.count("\n") > 3
    assert new.endswith("\nodd  =  1\nlast = 2\n")


@pytest.mark.parametrize("said", ["yapf", "black", "ruff", "a hook"])
def test_blocks_that_are_indented_otherwise_stay_so(said: str, tmp_path: Path) -> None:
    for name, text in SAID[said][0].items():
        (tmp_path / name).write_text(text)
    script = tmp_path / "train.py"
    told = "def tell(a):\n  b = a\n  if b:\n    b = [b]\n  print(b)\n  c = b\n  return c\n\n\n"
    script.write_text(TRAIN.replace("\n", f"\n\n\n{told}", 1))
    assert run("--write", script).code == 0
    kept = "  b = a\n  if b:\n    b = [b]\n  if hvd.rank() == 0:\n"
    text = script.read_text()
    assert kept in text
    assert "  c = b\n  return c\n" in text.partition(kept)[2]
