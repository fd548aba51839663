"""The real commands: what they write, print and exit with."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from commands import (
    BIN,
    BROKEN,
    FRONT_ENDS,
    HUNKS,
    MIXED,
    PLAIN,
    SCRIPT,
    TRAIN,
    obeying_modes,
    run,
)

from pinsetter.patterns.packs import pack_files

each_front_end = pytest.mark.parametrize("command", FRONT_ENDS.values(), ids=FRONT_ENDS)


def tree(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


@each_front_end
def test_write_changes_the_file_once(script: Path, command: list[str]) -> None:
    first = run("--write", script, command=command)
    assert (first.code, first.out) == (0, b"")
    assert f"hunks      {HUNKS} proposed, {HUNKS} accepted, 0 rejected" in first.err
    assert "written    1 file" in first.err
    written = script.read_text()
    assert "hvd.init()" in written
    compile(written, "train.py", "exec")
    second = run("--write", script, command=command)
    assert second.code == 0
    assert "hunks      0 proposed" in second.err
    assert script.read_text() == written


@each_front_end
def test_check_writes_nothing_and_tells_by_its_code(script: Path, command: list[str]) -> None:
    result = run("--check", script.parent, command=command)
    assert (result.code, result.out) == (1, b"")
    assert f"hunks      {HUNKS} proposed" in result.err
    assert tree(script.parent) == {"train.py": TRAIN.encode()}
    script.write_text(PLAIN)
    assert run("--check", script.parent, command=command).code == 0


@each_front_end
def test_diff_prints_a_patch_and_writes_nothing(script: Path, command: list[str]) -> None:
    result = run("--diff", script, command=command)
    assert result.code == 0
    assert b"+hvd.init()\n" in result.out
    assert b"# " in result.out
    assert "hunks" in result.err
    assert b"hunks  " not in result.out
    assert script.read_text() == TRAIN


@each_front_end
def test_options_may_follow_paths(script: Path, command: list[str]) -> None:
    assert run(script, "--check", command=command).code == 1


def test_a_patch_holds_all_files(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "train.py").write_text(TRAIN)
    patch = run("--diff", ".", cwd=tmp_path).out
    assert patch.count(b"\n--- a/") + patch.startswith(b"--- a/") == 2
    subprocess.run(["git", "apply", "-"], input=patch, cwd=tmp_path, check=True)
    assert run("--check", ".", cwd=tmp_path).code == 0


def test_a_patch_whose_reader_leaves_is_no_error(script: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    command = [*FRONT_ENDS["pinsetter"], "--diff", str(script)]
    done = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, check=False)
    os.close(writing)
    assert done.returncode == 2
    assert b"Traceback" not in done.stderr
    assert b"Broken pipe" not in done.stderr


def test_a_terminal_that_knows_ascii_only_is_no_error(script: Path) -> None:
    script.write_text(TRAIN.replace("(number)", "(number, 'é → 日本')"), "utf-8")
    named = script.rename(script.with_name("é.py"))
    env = {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0", "LC_ALL": "C"}
    assert run("--diff", named, env=env).code == 0
    assert run(named, env=env).code == 1, "a review that nobody answered"


@each_front_end
def test_several_paths_are_one_run(tmp_path: Path, command: list[str]) -> None:
    for name in ("a", "b", "c"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "train.py").write_text(TRAIN)
    result = run("--write", tmp_path / "a", tmp_path / "b" / "train.py", command=command)
    assert result.code == 0
    assert "written    2 file" in result.err
    assert (tmp_path / "a" / "train.py").read_text() != TRAIN
    assert (tmp_path / "b" / "train.py").read_text() != TRAIN
    assert (tmp_path / "c" / "train.py").read_text() == TRAIN


def test_a_path_given_twice_counts_once(script: Path) -> None:
    (script.parent / "link.py").symlink_to(script)
    again = ["train.py", "./train.py", "../work/train.py", "link.py", "."]
    result = run("--write", script, *again, cwd=script.parent)
    assert result.code == 0
    assert f"{HUNKS} proposed, {HUNKS} accepted" in result.err
    assert "written    1 file" in result.err
    assert script.read_text().count("hvd.init()") == 1
    assert (script.parent / "link.py").is_symlink()


def test_a_link_is_followed_and_stays(script: Path) -> None:
    link = script.parent.parent / "link.py"
    link.symlink_to(script)
    assert run("--write", link).code == 0
    assert link.is_symlink()
    assert "hvd.init()" in script.read_text()


def test_files_without_training_are_left(tmp_path: Path) -> None:
    for number, text in enumerate(["", "\n", "# nothing\n", "\ufeff", PLAIN]):
        (tmp_path / f"a{number}.py").write_text(text, encoding="utf-8")
    before = tree(tmp_path)
    result = run("--write", tmp_path)
    assert result.code == 0
    assert "0 proposed" in result.err
    assert tree(tmp_path) == before


def test_an_empty_folder_is_nothing_to_do(tmp_path: Path) -> None:
    result = run("--write", tmp_path)
    assert result.code == 0
    assert "files      0 seen" in result.err


def test_hidden_and_vendored_folders_are_left(tmp_path: Path) -> None:
    for name in (".git", "node_modules", "__pycache__", "site-packages"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "train.py").write_text(TRAIN)
    assert run("--check", tmp_path).code == 0


@pytest.mark.parametrize(
    ("front_end", "arguments", "message"),
    [
        ("pinsetter", ["--write"], "at least one file or folder"),
        ("bowler", ["--write"], "at least one file or folder"),
        ("pinsetter", ["--wirte", "."], "--wirte"),
        ("bowler", ["--wirte", "."], "--wirte"),
        ("pinsetter", ["--write", "--diff", "."], "--write and --diff exclude each other"),
        ("bowler", ["--check", "--diff", "."], "exclude each other"),
        ("pinsetter", ["--skip", "print-on-frist-worker", "."], "mean print-on-first-worker?"),
        ("bowler", ["--skip", "zzz", "."], "`pinsetter list CODEMOD` shows"),
    ],
)
def test_usage_errors_exit_with_3(front_end: str, arguments: list[str], message: str) -> None:
    result = run(*arguments, command=FRONT_ENDS[front_end])
    assert result.code == 3
    assert message in result.err
    assert result.out == b""


@pytest.mark.parametrize(
    ("codemod", "message"),
    [
        ("tf2_gradiant_tape", "Did you mean tf2-gradient-tape?"),
        ("zzz", "`pinsetter list` shows them."),
    ],
)
def test_an_unknown_codemod_is_a_usage_error(codemod: str, message: str) -> None:
    result = run(".", command=[str(BIN / "pinsetter"), "run", codemod])
    assert result.code == 3
    assert message in result.err


@each_front_end
def test_help_explains_the_modes(command: list[str]) -> None:
    result = run("--help", command=command)
    assert result.code == 0
    for option in ("--write", "--diff", "--check", "--skip"):
        assert option in result.out.decode()


def test_bowler_leaves_a_script_its_options(script: Path) -> None:
    command = [str(BIN / "bowler"), "run", str(SCRIPT)]
    assert run(script, command=command).code == 1, "a review that nobody answered"
    assert script.read_text() == TRAIN
    assert run(script, "--write", command=command).code == 0
    assert script.read_text() != TRAIN


@pytest.mark.parametrize("module", ["click", "bowler", "networkx", "pinsetter.patterns.packs.pack"])
def test_ctrl_c_while_it_starts_is_no_fault(module: str) -> None:
    code = f"""
import sys
class Interrupted:
    def find_spec(self, name, *rest):
        if name == {module!r}:
            raise KeyboardInterrupt
sys.meta_path.insert(0, Interrupted())
from pinsetter.codemods.engine import main
main()
"""
    result = run(command=[sys.executable, "-c", code])
    assert result.code == 130
    assert result.err.strip() in ("Interrupted.", "Interrupted; nothing more is written.")


OPTIONS = """\
pack: mine
summary: A pack with an option.
options: {fast: Leave the log out.}
rules:
  - id: log
    title: Log
    why: What is done is seen.
    unless: fast
    match: step($x)
    edit: {replace: $match, with: "logged($x)"}
    examples: [{unchanged: other()}]
"""


def test_a_pack_s_own_options_can_be_given(tmp_path: Path) -> None:
    pack, code = tmp_path / "mine.yaml", tmp_path / "code.py"
    pack.write_text(OPTIONS)
    code.write_text("step(1)\n")
    command = [str(BIN / "pinsetter"), "run", str(pack), "--check", str(code)]
    assert "1 proposed" in run(command=command).err
    assert "0 proposed" in run("--option", "fast", command=command).err
    result = run("--option", "quick", command=command)
    assert result.code == 3
    assert "has no option 'quick'. Known are: fast." in result.err


def test_skipped_rules_take_along_what_requires_them(script: Path) -> None:
    result = run("--write", "--skip", "average-gradients", "--skip", "pin-gpu", script)
    said = "average-gradients: It is essential for the program, and left out by --skip"
    assert said in result.err
    assert "pin-gpu: It is essential" not in result.err
    assert result.code == 0
    assert "2 proposed, 2 accepted" in result.err
    text = script.read_text()
    assert "if hvd.rank() == 0:" in text
    assert "hvd.size()" not in text
    assert "DistributedGradientTape" not in text


@each_front_end
def test_an_unparsable_file_does_not_stop_the_others(script: Path, command: list[str]) -> None:
    broken = script.parent / "broken.py"
    broken.write_text(BROKEN)
    result = run("--write", script.parent, command=command)
    assert result.code == 2
    assert f"{broken}:3:12: cannot be parsed" in result.err
    assert "failed     1" in result.err
    assert "hvd.init()" in script.read_text()
    assert broken.read_text() == BROKEN


def test_a_file_that_is_no_python_is_reported(script: Path) -> None:
    bad = {
        "bytes": (b"x = 1\ny = '\xff'\n", ":2: cannot be decoded as utf-8"),
        "cookie": (b"# -*- coding: klingon -*-\n", ":1: cannot be decoded"),
        "nul": (b"x = 1\n\0\n", ":2: "),
        "string": (b"import keras\nx = '''\n", ": cannot be parsed"),
        "indent": (b"import keras\nif x:\ny\n", ":3: cannot be parsed"),
        "utf16": ("x = 1\n".encode("utf-16"), ": cannot be decoded"),
    }
    for name, (data, _) in bad.items():
        (script.parent / f"{name}.py").write_bytes(data)
    result = run("--write", script.parent)
    assert result.code == 2
    assert f"failed     {len(bad)} (see above)" in result.err
    for name, (data, message) in bad.items():
        path = script.parent / f"{name}.py"
        (line,) = [line for line in result.err.splitlines() if line.startswith(str(path))]
        without_column = re.sub(r"(\.py:\d+):\d+:", r"\1:", line)
        assert message in without_column.replace(":1: cannot", ": cannot") or (
            message in without_column
        )
        assert path.read_bytes() == data
    assert "hvd.init()" in script.read_text()


def test_a_missing_path_is_reported_beside_good_ones(script: Path) -> None:
    missing = script.parent / "missing.py"
    result = run("--write", missing, script)
    assert result.code == 2
    assert f"{missing}: no such file or directory" in result.err
    assert "hvd.init()" in script.read_text()


@pytest.mark.parametrize("name", ["README.md", "data.bin"])
def test_a_file_of_another_kind_is_reported(script: Path, name: str) -> None:
    other = script.parent / name
    other.write_bytes(b"# Title\n\nSome *text*, \xe9.\n")
    result = run("--check", other)
    assert result.code == 2
    assert str(other) in result.err
    assert run("--check", script.parent).code == 1


@pytest.mark.parametrize(("target", "mode"), [("train.py", 0o444), (".", 0o555)])
def test_what_must_not_be_written_is_not(script: Path, target: str, mode: int) -> None:
    locked = script.parent / target
    locked.chmod(mode)
    result = run("--write", script.parent, command=obeying_modes())
    locked.chmod(0o755)
    assert result.code == 2
    assert f"{script}: not written" in result.err
    assert tree(script.parent) == {"train.py": TRAIN.encode()}


def test_an_unreadable_file_is_reported(script: Path) -> None:
    script.chmod(0)
    result = run("--write", script.parent, command=obeying_modes())
    assert result.code == 2
    assert f"{script}: cannot be read" in result.err


def test_a_pack_may_be_given_by_its_path(script: Path, tmp_path: Path) -> None:
    found = pack_files.find("tf2-gradient-tape")
    assert found is not None
    folder = tmp_path / "packs"
    shutil.copytree(found.parent, folder)
    pack = (folder / found.name).rename(folder / "mine.yaml")
    result = run("--check", script, command=[str(BIN / "pinsetter"), "run", str(pack)])
    assert result.code == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [("", ":1: should be a mapping"), ("pack: [a\nb: c", ":2: not YAML"), (None, "cannot be read")],
)
def test_a_broken_pack_is_reported(script: Path, text: str | None, message: str) -> None:
    pack = script.parent / "broken.yaml"
    if text is not None:
        pack.write_text(text)
    result = run("--write", script, command=[str(BIN / "pinsetter"), "run", str(pack)])
    assert result.code == 2
    assert f"{pack}" in result.err
    assert message in result.err
    assert script.read_text() == TRAIN


def test_a_refused_program_is_left_and_tells_by_its_code(script: Path) -> None:
    script.write_text(MIXED)
    result = run("--write", script)
    assert result.code == 2
    assert f"{script}: refused: " in result.err
    assert script.read_text() == MIXED


def test_end_of_input_ends_a_review(script: Path) -> None:
    result = run(script)
    assert result.code == 1, "nobody decided"
    assert f"{HUNKS} not decided" in result.err
    assert script.read_text() == TRAIN


# What takes as long as all else that a command needs to begin.
HEAVY = {
    "bowler", "fissix", "jsonschema", "networkx", "packaging", "rich.console", "sqlite3",
    "pinsetter.analyzer.facts", "pinsetter.analyzer.syntax", "pinsetter.analyzer.names.module",
    "pinsetter.analyzer.values.evaluator", "pinsetter.patterns.applying.module_rules",
    "pinsetter.patterns.edits.edit", "pinsetter.patterns.matching.match",
    "pinsetter.patterns.predicates", "pinsetter.patterns.reading.code_pattern",
    "pinsetter.codemods.engine.journal.write_accepted", "pinsetter.codemods.engine.report.output",
    "pinsetter.codemods.engine.review",
}  # fmt: skip
LISTED = "import atexit, sys; atexit.register(lambda: print(*sys.modules)); "
RUNNING = LISTED + "from pinsetter.codemods.engine import main; main()"


def imported(code: str, *arguments: Path | str) -> set[str]:
    """What is imported in a process that runs some code."""
    done = run(*arguments, command=[sys.executable, "-c", code])
    assert done.code == 0, done.said
    return {*done.out.decode().split()}


def test_nothing_heavy_is_imported_before_it_is_needed() -> None:
    loaded = imported(LISTED + "import pinsetter.codemods.engine.cli")
    assert "pinsetter.codemods.engine.cli" in loaded
    heavy = HEAVY | {"re2", "yaml", "pinsetter.patterns.packs.pack"}
    assert not loaded & heavy


@pytest.mark.parametrize("pack", ["distribute", "lazy-logging", "pyupgrade"])
@pytest.mark.parametrize("mode", ["--check", "--diff"])
def test_a_run_of_no_file_imports_nothing_that_is_for_files(
    pack: str, mode: str, tmp_path: Path
) -> None:
    what = ("run", pack, tmp_path, mode)
    imported(RUNNING, *what)  # the pack is checked, once
    loaded = imported(RUNNING, *what)
    assert "pinsetter.codemods.engine.running.run" in loaded
    assert not loaded & HEAVY


def test_a_run_in_which_no_rule_fits_imports_no_analysis(tmp_path: Path) -> None:
    (tmp_path / "plain.py").write_text(PLAIN)
    imported(RUNNING, "run", "lazy-logging", tmp_path, "--check")
    loaded = imported(RUNNING, "run", "lazy-logging", tmp_path, "--check")
    # Which words a rule needs, its pattern says.
    patterns = {"fissix", "pinsetter.analyzer.syntax", "pinsetter.patterns.reading.code_pattern"}
    assert patterns <= loaded
    assert not loaded & (HEAVY - patterns)


def test_a_file_with_the_words_of_a_rule_has_it_looked_for(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(TRAIN)
    loaded = imported(RUNNING, "run", "distribute", tmp_path, "--diff")
    assert loaded >= {"bowler", "networkx", "pinsetter.analyzer.facts"}


def test_who_runs_many_times_has_all_that_a_run_imports(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(TRAIN)
    engine = "pinsetter.codemods.engine"
    whole = f"import {engine}.cli, {engine}.console.memory, {engine}.commands.whole_run"
    begun = imported(f"{LISTED}{whole}")
    loaded = imported(f"{LISTED}{whole}; {RUNNING}", "run", "distribute", tmp_path, "--diff")
    assert {name for name in loaded - begun if name.startswith("pinsetter.")} == set()
