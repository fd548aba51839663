"""The commands for who writes a pack: new, test, try, why."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from commands import BIN, obeying_modes, run
from prepared import invoke

# What click itself says; the command makes 3 of it.
USAGE = 2

PACK = """\
# Kept as it is.
pack: mine
summary: For a test.
rules:
  - id: take
    title: Take
    why: Because.
    match: take($x)
    where:
      - number: $x
    edit: {replace: $match, with: took($x)}
    examples:
      - unchanged: |
          take(a, b)
      - before: |
          take(1)
        after: |
          took(1)

      # The second.
      - before: |
          take(2)
        after: |
          WRONG
"""


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    path = tmp_path / "mine.yaml"
    path.write_text(PACK.replace("WRONG", "took(2)"))
    return path


def test_a_new_pack_passes_its_test(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert invoke("new", "my-pack").code == 0
    found = invoke("test", "my-pack.yaml")
    assert found.code == 0, found
    assert "2 of 2 examples of 1 rule(s) pass" in found.out
    (tmp_path / "code.py").write_text("import logging\nlogging.warn(1)\n")
    assert invoke("run", "./my-pack.yaml", "code.py", "--check").code == 1
    compile((tmp_path / "my_pack.py").read_text(), "my_pack.py", "exec")
    again = invoke("new", "my-pack")
    assert again.code == USAGE
    assert "There is a my-pack.yaml already." in again.err


@pytest.mark.parametrize("name", ["My", "a/b", "", "../x", "a b", "-x"])
def test_names_of_packs(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert invoke("new", "--", name).code == USAGE
    assert not [*tmp_path.iterdir()]


def test_what_passes(pack: Path) -> None:
    before = pack.read_bytes()
    found = invoke("test", pack, "--update")
    assert found.code == 0
    assert "3 of 3 examples" in found.out
    assert pack.read_bytes() == before


def test_what_differs_is_shown_and_can_be_taken(pack: Path) -> None:
    pack.write_text(PACK)
    found = invoke("test", pack)
    assert found.code == 1
    assert f"{pack}:21: take: differs" in found.out
    assert "-WRONG" in found.out
    assert "+took(2)" in found.out
    assert "1 differ" in found.out
    assert pack.read_text() == PACK
    assert "1 example(s) written" in invoke("test", pack, "--update").out
    assert pack.read_text() == PACK.replace("WRONG", "took(2)"), "nothing else is changed"
    assert invoke("test", pack).code == 0


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("take(a, b)", "take(7)", "1 change, or report, what they should not"),
        ("number: $x", "text: [$x, a]", "2 leave what they should change"),
        ("took($x)}", "take($x + 1)}", "2 differ"),
    ],
)
def test_what_kind_of_failure_it_is(pack: Path, old: str, new: str, said: str) -> None:
    pack.write_text(pack.read_text().replace(old, new))
    found = invoke("test", pack)
    assert found.code == 1
    assert said in found.out


def test_an_example_of_no_change_is_not_updated(pack: Path) -> None:
    pack.write_text(pack.read_text().replace("take(a, b)", "take(7)"))
    before = pack.read_bytes()
    found = invoke("test", pack, "--update")
    assert found.code == 1
    assert "not written: it is to leave this as it is" in found.err
    assert pack.read_bytes() == before


def test_rules_together_are_tested_as_well(pack: Path) -> None:
    """Each rule is right alone; the second makes what the first takes."""
    rule = PACK[PACK.index("  - id: take") : PACK.index("\n      # The second")]
    other = rule.replace("id: take", "id: give").replace("took(1)", "take(1)")
    other = other.replace("take($x)\n", "give($x)\n").replace("took($x)", "take($x)")
    other = other.replace("before: |\n          take(1)", "before: |\n          give(1)")
    pack.write_text(PACK.replace("WRONG", "took(2)") + other)
    found = invoke("test", pack)
    assert found.code == 1
    assert "with the other rules, a second run changes more" in found.out


@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_an_update_keeps_the_bytes_of_the_rest(pack: Path, mark: str, newline: str) -> None:
    def data(made: str) -> bytes:
        text = PACK.replace("WRONG", made).replace("why: Because.", "why: Weil es so schön ist.")
        return (mark + text.replace("\n", newline)).encode()

    pack.write_bytes(data("a\n          b"))
    assert "1 example(s) written" in invoke("test", pack, "--update").out
    assert pack.read_bytes() == data("took(2)")


def test_a_pack_that_cannot_be_written(pack: Path) -> None:
    pack.write_text(PACK)
    pack.parent.chmod(0o555)
    try:
        found = run("test", pack, "--update", command=obeying_modes([str(BIN / "pinsetter")]))
    finally:
        pack.parent.chmod(0o755)
    assert found.code == 2, found
    assert f"{pack}: cannot be written: Permission denied" in found.err
    assert pack.read_text() == PACK


def test_a_new_pack_that_cannot_be_written(tmp_path: Path) -> None:
    tmp_path.chmod(0o555)
    try:
        command = obeying_modes([str(BIN / "pinsetter")])
        found = run("new", "mine", command=command, cwd=tmp_path)
    finally:
        tmp_path.chmod(0o755)
    assert found.code == 2, found
    assert "mine.yaml: cannot be written: Permission denied" in found.err
    assert not [*tmp_path.iterdir()]


def test_some_rules(pack: Path) -> None:
    assert "of 1 rule(s)" in invoke("test", pack, "-k", "^ta").out
    for pattern in ("none", "("):
        found = invoke("test", pack, "-k", pattern)
        assert found.code == USAGE, found


def test_packs_by_name() -> None:
    found = invoke("test", "numpy-2", "-k", "float_|round_")
    assert found.code == 0
    assert "8 of 8 examples of 2 rule(s) pass" in found.out
    assert invoke("test", "nump-2").code == USAGE


def test_a_broken_pack(pack: Path) -> None:
    pack.write_text("pack: [\n")
    found = invoke("test", pack)
    assert found.code == 2
    assert f"{pack}:" in found.err


@pytest.fixture
def code(tmp_path: Path) -> Path:
    path = tmp_path / "code.py"
    path.write_text("import numpy as np\n\nx = np.take(1)\nprint(x, take('a'), take(3))\n")
    return path


def test_a_rule_of_one_line(code: Path) -> None:
    before = code.read_text()
    found = invoke("try", "np.take($x)", "np.took($x)", code, "--diff")
    assert found.code == 0
    assert "+x = np.took(1)" in found.out
    assert "np is numpy; --import np=… says otherwise" in found.err
    assert code.read_text() == before
    found = invoke("try", "np.take($x)", "$x", code, "--import", "np=other", "--check")
    assert found.code == 0, "another np"
    found = invoke("try", "print($...rest)", "log($...rest)", code, "--write")
    assert found.code == 0
    assert "log(x, take('a'), take(3))" in code.read_text()


def test_a_condition_of_one_line(code: Path) -> None:
    given = ("try", "take($x)", "took($x)", code, "--diff", "--where")
    found = invoke(*given, "text: [$x, a]")
    assert "+print(x, took('a'), take(3))" in found.out


@pytest.mark.parametrize(
    ("given", "code_", "said"),
    [
        (["np.take(", "x"], 2, "not Python"),
        (["take($x)", "$y"], 2, "nothing is called $y here"),
        (["$x", "y"], 2, "a metavariable alone fits everything"),
        (["take($x)", "$x", "--import", "np"], USAGE, "is not as in np=numpy"),
        (["take($x)", "$x", "--where", "x"], USAGE, "is not as in"),
        (["take($x)", "$x", "--where", "is_a: [$x, list]"], 2, "is_a"),
    ],
)
def test_mistakes_in_one_line(code: Path, given: list[str], code_: int, said: str) -> None:
    found = invoke("try", *given[:2], code, "--check", *given[2:])
    assert found.code == code_, found
    assert said in found.err


def why(pack: Path, place: str, *more: str) -> str:
    found = invoke("why", pack, place, *more)
    assert found.code == 0, found
    return re.sub(r"\n +", " | ", found.out)


def test_why_not(pack: Path, code: Path) -> None:
    said = why(pack, f"{code}:4")
    assert "take take(3) | it applies" in said.replace("  ", " ")
    assert "take('a') | this does not hold: {number: $x} | $x is 'a', of which" in said
    assert "No rule of mine fits code that begins in this line." in why(pack, f"{code}:1")
    numpy = invoke("why", "numpy-2", f"{code}:3").out
    assert "rename-" not in numpy
    assert "are for such code with other names; --all shows them." in numpy
    assert "it does not mean numpy.Inf" in invoke("why", "numpy-2", f"{code}:3", "--all").out
    one = invoke("why", "numpy-2", f"{code}:3", "--rule", "rename-Inf").out
    assert "it does not mean numpy.Inf" in one
    assert "np.take, which may be numpy.take" in one


@pytest.mark.parametrize("place", ["code.py", "code.py:0", "code.py:99", "none.py:1", "code.py:x"])
def test_places_that_are_none(pack: Path, code: Path, place: str) -> None:
    assert invoke("why", pack, code.parent / place).code == USAGE


def test_why_of_a_file_that_is_not_understood(pack: Path, tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text("take(\n")
    found = invoke("why", pack, f"{tmp_path / 'bad.py'}:1")
    assert found.code == 2
    assert "bad.py:1" in found.err


@pytest.mark.parametrize("more", [[], ["--"]])
def test_bowler_runs_a_pack(pack: Path, more: list[str], tmp_path: Path) -> None:
    (tmp_path / "code.py").write_text("take(1)\n")
    command = [str(BIN / "bowler"), "run", str(pack), *more]
    found = run("code.py", "--check", command=command, cwd=tmp_path)
    assert found.code == 1
    assert run("code.py", "--write", command=command, cwd=tmp_path).code == 0
    assert (tmp_path / "code.py").read_text() == "took(1)\n"
    found = run("code.py", "--check", command=[*command[:2], "none.yaml"], cwd=tmp_path)
    assert found.code == 2
    assert "none.yaml: cannot be read" in found.err


RENAME = """\
pack: mine
summary: For a test.
imports: {mod: mod}
rules:
  - id: old-is-new
    title: New
    why: Because.
    match: mod.old
    edit: {rename: $match, to: mod.new}
    examples:
      - unchanged: x
      - before: |
          # file: mod.py
          def old(): pass
          # file: a/main.py
          from mod import old
        after: |
          # file: mod.py
          def new(): pass
          # file: a/main.py
          from mod import new
"""


def test_examples_of_several_files(pack: Path) -> None:
    pack.write_text(RENAME)
    assert invoke("test", pack).code == 0
    for name in ("../x.py", "/x.py", "x", "a b.py", "mod.py"):
        pack.write_text(RENAME.replace("a/main.py", name))
        found = invoke("test", pack)
        assert found.code == 1
        assert f"{name!r} is no path of a file, or one of two" in found.out
    pack.write_text(RENAME.replace("def new", "def other"))
    assert "1 example(s) written" in invoke("test", pack, "--update").out
    assert pack.read_text() == RENAME


def test_why_of_what_is_renamed_everywhere(pack: Path, code: Path) -> None:
    pack.write_text(RENAME)
    (code.parent / "mod.py").write_text("def old(): pass\n")
    code.write_text("from mod import old\nx.other\nimport unittest.mock\n\nf('mod.old')\n")
    assert "it applies" in why(pack, f"{code}:1")
    assert "`strings: true`" in why(pack, f"{code}:5")


PLUGIN = "pinsetter.codemods.engine.authoring.pytest_plugin"


def test_packs_among_other_tests(pack: Path) -> None:
    """Each example is a test; other YAML files, and what is no file of tests, are none."""
    (pack.parent / "other.yaml").write_text("a: 1\n")
    (pack.parent / "test_own.py").write_text("def test_it(): pass\n")
    command = [str(BIN / "python"), "-m", "pytest", "-q", "-p", PLUGIN, "-p", "no:cacheprovider"]
    found = run(command=command, cwd=pack.parent)
    assert found.code == 0, found
    assert b"4 passed" in found.out
    pack.write_text(PACK)
    found = run(command=command, cwd=pack.parent)
    assert found.code == 1
    assert b"mine.yaml:21: take: differs" in found.out
    assert b"1 failed, 3 passed" in found.out
    pack.write_text(PACK.replace("match: take($x)", "match: take("))
    found = run(command=command, cwd=pack.parent)
    assert b"mine.yaml:8" in found.out
    assert b"not Python" in found.out


def test_a_pack_is_watched(pack: Path) -> None:
    pexpect = pytest.importorskip("pexpect")
    child = pexpect.spawn(str(BIN / "pinsetter"), ["test", "--watch", str(pack)],
                          encoding="utf-8", timeout=30)  # fmt: skip
    child.expect("3 of 3 examples of 1 rule")
    pack.write_text(PACK)
    child.expect("2 of 3 examples of 1 rule")
    pack.write_text(PACK.replace("take($x)", "take($x", 1))
    child.expect("not Python")
    pack.write_text("{")
    child.expect("not YAML")
    (pack.parent / "other.csv").write_text("a")
    child.expect("not YAML")
    pack.write_text(PACK.replace("WRONG", "took(2)"))
    child.expect("3 of 3 examples of 1 rule")
    child.sendintr()
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 130


def test_a_run_is_watched(pack: Path) -> None:
    pexpect = pytest.importorskip("pexpect")
    code = pack.parent / "code" / "main.py"
    code.parent.mkdir()
    code.write_text("x = 1\n")
    arguments = ["run", str(pack), str(code.parent), "--diff", "--watch"]
    child = pexpect.spawn(str(BIN / "pinsetter"), arguments, encoding="utf-8", timeout=30)
    child.expect("1 seen")
    code.write_text("take(5)\n")
    child.expect("1 proposed")
    pack.write_text("{")
    child.expect("not YAML")
    child.sendintr()
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 130
    assert code.read_text() == "take(5)\n"


@pytest.mark.parametrize("given", [[], ["--write"]])
def test_a_run_that_asks_or_writes_is_not_watched(pack: Path, given: list[str]) -> None:
    found = run("run", str(pack), str(pack.parent), "--watch", *given,
                command=[str(BIN / "pinsetter")])  # fmt: skip
    assert found.code == 3
    assert "--diff or --check" in found.err


@pytest.mark.parametrize("given", [["--watch", "utcnow"], ["--watch", "--update", "mine.yaml"]])
def test_what_is_not_watched(given: list[str]) -> None:
    assert run("test", *given, command=[str(BIN / "pinsetter")]).code == 3


def test_the_parts_of_a_pack_without_rules_of_its_own(tmp_path: Path) -> None:
    rules = PACK[PACK.index("rules:") :].replace("WRONG", "took(2)")
    (tmp_path / "part.yaml").write_text(f"part: some\nsummary: Some.\n{rules}")
    whole = tmp_path / "whole.yaml"
    whole.write_text("pack: whole\nsummary: All.\ninclude: [part.yaml]\nrules: []\n")
    found = invoke("test", whole)
    assert found.code == 0, found
    assert "1 rule(s) pass" in found.out
    twice = invoke("test", whole, tmp_path / "part.yaml")
    assert "1 rule(s) pass" in twice.out
    own = whole.read_text().replace("rules: []\n", rules.replace("id: take", "id: own"))
    whole.write_text(own)
    assert "1 rule(s) pass" in invoke("test", whole).out
