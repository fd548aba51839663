"""A pack is checked as a program is: all mistakes at once, with line, column and a hint."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest
import yaml
from checked import GOOD, also, problems, put, remarks, where
from snippets import load_text, pack_data

from pinsetter.analyzer.files import user_cache
from pinsetter.analyzer.messages.problem import Problem
from pinsetter.patterns.checking import pack_checks
from pinsetter.patterns.checking.pack_checks import check_files
from pinsetter.patterns.packs import pack_files
from pinsetter.patterns.packs.pack import Pack, load, load_all
from pinsetter.patterns.reading.yaml_file import PackFile, read

FITTING = {
    "the pack itself": GOOD,
    "a private library": put("np: numpy", "np: numpy, own: our_company.tools"),
    "names that are words": put("np: numpy", "np: numpy, a: core, b: clock, c: touch, d: flash.x"),
    "what a library has but its data lack": where("calls: [$x, tensorflow.contrib.x.python.y]"),
    "an old name": where("calls: [$x, tensorflow.train.SummaryWriter]"),
    "a name of a later release": where("calls: [$x, tensorflow.nn.conv4d, tensorflow.keras.Adx]"),
    "a module for a function": where("means: [$x, numpy]"),
    "Python 2's": where("calls: [$x, builtins.xrange, cPickle.dump, urllib2.urlopen]"),
    "a submodule": where("calls: [$x, os.path.join, xml.etree.ElementTree.parse]"),
    "what is made when it is imported": where("calls: [$x, socket.AF_INET, signal.SIGINT.x]"),
    "a star import inside": where("calls: [$x, datetime.datetime.utcnow]"),
    "a method of a class": where("calls: [$x, logging.Logger.warn]"),
    "an alias that is the module's own name": put("{np: numpy}", "{np: numpy, os: os}").replace(
        "[logging.Logger]", "[os.DirEntry]"),
    "self": put("np.take($x)", "self.take($x)"),
    "a builtin before a dot": put("np.take($x)", "dict.fromkeys($x)"),
    "a string before a dot": put("np.take($x)", "\"''.join($x)\""),
    "a capture before a dot": put("np.take($x)", "$np.take($x)"),
    "a name in a pattern and its template": put("np.take($x)", "log.warn($x)").replace(
        "insert: g($x)", "insert: log.warning($x)"),
    "a name of the pattern in the template": put("np.take($x)", "take(log, $x)").replace(
        "insert: g($x)", "insert: log.warning($x)"
    ),
    "a name of the query in the template": put(
        "match: np.take($x)", "query: import_name< 'import' x='requests' >"
    ).replace("insert: g($x)", "insert: requests.get($x)"),
    "an escape that warns": put("g($x)", "'g($x, \"\\d\")'"),
    "a name that is meant": put("imports:", "names: [pd]\nimports:").replace("g($x)", "pd.g($x)"),
    "a module that is meant": put("imports:", "names: [numpi]\nimports:").replace(
        "np: numpy", "np: numpi"),
    "a name that the template binds": put(
        "{insert: g($x), place: after}", '{insert: "with f() as a: a.b($x)", place: after}'),
    "an import in the template": put(
        "{insert: g($x), place: after}", '{insert: "import a; a.b($x)", place: after}'),
    "an argument of a lambda": put("g($x)", "'(lambda a: a.b)($x)'"),
    "a template that no Python 3 reads": put("g($x)", "'exec $x in a.b'"),
    "an example of Python 2": put("- unchanged: x", "- unchanged: print 'x'"),
    "an empty example": put("- unchanged: x", "- unchanged: ''"),
    "the module as a whole": put("match: np.take($x)", "query: file_input< any* >").replace(
        "g($x)", "g()"),
    "two conditions of one kind": where("number: $x\n      - number: $match"),
    "an opposite of something else": where("number: $x\n      - not: {constant: $x}"),
    "a body": put("match: np.take($x)", 'match: "with $x:\\n    $...body"'),
    "a definition": put("match: np.take($x)", 'match: "def $f($...x):\\n    $...body"').replace(
        "g($x)", "g()"),
    "a keyword for a capture": put("np.take($x)", "np.take($class, key=$x, $...more)"),
    "await": put("np.take($x)", "await np.take($x)"),
    "a part of a chain": put("np.take($x)", "$a.b($x).c[$d]"),
}  # fmt: skip


@pytest.mark.parametrize("text", FITTING.values(), ids=FITTING)
def test_what_fits_is_accepted(text: str) -> None:
    found = load_text(text)
    assert isinstance(found, Pack), [str(problem) for problem in found]


@pytest.mark.parametrize(
    "path", [*pack_files.bundled(), *pack_files.parts()], ids=lambda path: path.stem
)
def test_what_comes_with_the_package_has_no_mistakes(path: Path) -> None:
    files: dict[Path, PackFile] = {}
    waiting = [path]
    for one in waiting:
        file = read(one)
        assert isinstance(file, PackFile)
        assert not file.problems
        files[one] = file
        included = [(one.parent / name).resolve() for name in file.data.get("include", [])]
        waiting += [other for other in included if other not in waiting]
    assert check_files([*reversed(files.values())]) == ([], [])


@pytest.mark.parametrize("path", pack_files.choices(), ids=lambda path: path.stem)
def test_choices_load(path: Path) -> None:
    assert not isinstance(load_all(path), list)


# ---------------------------------------------------------------- what is only told


def test_what_cannot_be_checked_is_told_once() -> None:
    text = put("np: numpy", "np: our_company.tools").replace("gzip.open", "our_company.open")
    reason = "'our_company' is not known here; names of it cannot be checked"
    assert remarks(text) == [f"3:15: {reason}"]


def test_a_name_that_is_matched_as_it_is_written_is_told() -> None:
    text = put("np.take", "log.warn")
    assert remarks(text) == ["12:12: 'log' is matched as it is written, whatever it is bound to"]
    assert remarks(text.replace("imports:", "names: [log]\nimports:")) == []


def test_a_required_rule_without_done_is_told() -> None:
    other = GOOD[GOOD.index("  - id") :].replace("id: rule", "id: other")
    text = also("    requires: [other]") + other
    (told,) = remarks(text)
    assert told.startswith("13:16: requires 'other', which has no `done`")
    done = other.replace("    edit:", "    done: [{imports: [numpy]}]\n    edit:")
    assert remarks(also("    requires: [other]") + done) == []


# ---------------------------------------------------------------- all at once


def test_mistakes_of_every_kind_are_told_together() -> None:
    text = (
        GOOD.replace("np: numpy", "np: numpi")
        .replace("summary:", "summery:")
        .replace("np.take($x)", "np.take(")
        .replace("logging.Logger", "logging.Loger")
        .replace("- unchanged: x", "- unchanged: x =")
        .replace("    edit:", "    where: [{isa: [$x, loger]}, {isaa: [$x]}]\n    edit:")
    )
    second = GOOD[GOOD.index("  - id") :].replace("id: rule", "id: second")
    text += second.replace("g($x)", "g($y)").replace("    title", "    requiers: [x]\n    title")
    told = problems(text)
    assert [one.rpartition(": ")[0] + ": " for one in told] == sorted(
        (one.rpartition(": ")[0] + ": " for one in told), key=lambda one: int(one.split(":")[0])
    )
    for part in ("'summary' is missing", "'summery'", "'numpi'", "'Loger'", "'isaa'",
                 "'(' is never closed", "example is not Python", "'requiers'"):  # fmt: skip
        assert sum(part in one for one in told) == 1, (part, told)


def test_what_depends_on_a_broken_head_is_not_doubted() -> None:
    text = where("isa: [$x, logger]").replace("  logger: [logging.Logger]", "  - logger")
    assert problems(text) == ["4:1: roles: should be a mapping"]
    text = put("imports:", "import:")
    assert problems(text) == ["3:1: import: unknown key 'import'"]


def test_what_a_broken_rule_would_be_called_is_not_doubted() -> None:
    text = also("    requires: [other]") + "  - {ID: other, title: a, why: b, examples: []}\n"
    assert not any("requires" in one for one in problems(text))


def test_mistakes_of_parts_have_the_paths_that_were_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "parts").mkdir()
    (tmp_path / "packs").mkdir()
    part = GOOD.replace("pack: test", "part: test").replace("numpy", "numpi")
    (tmp_path / "parts/part.yaml").write_text(part)
    own = GOOD.replace("summary:", "include: [../parts/part.yaml]\nsummary:")
    (tmp_path / "packs/own.yaml").write_text(own.replace("id: rule", "id: own"))
    choice = "choice: c\nsummary: For a test.\nchoose: [packs/own.yaml]\n"
    (tmp_path / "choice.yaml").write_text(choice)
    for found in (load(Path("packs/own.yaml")), load_all(Path("choice.yaml"))):
        assert isinstance(found, list)
        assert [(p.path.as_posix(), p.line) for p in found] == [("parts/part.yaml", 3)]


def test_what_an_anchor_holds_is_told_once() -> None:
    text = where("&a isa: [$x, loger]").replace("- &a isa", "- &a\n        isa")
    again = GOOD[GOOD.index("  - id") :].replace("id: rule", "id: rule2")
    text += again.replace("    edit:", "    where: [*a]\n    edit:")
    assert [one.partition(": ")[0] for one in problems(text)] == ["15:19", "15:19"]
    assert len(problems(where("any: [&a {isa: [$x, loger]}, *a]"))) == 1


# ---------------------------------------------------------------- what is hostile

NESTED = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]\n" for i in range(1, 12)
)
MERGED = "a0: &a0 {a: 1}\n" + "".join(
    f"a{i}: &a{i} {{<<: [{', '.join([f'*a{i - 1}'] * 10)}]}}\n" for i in range(1, 12)
)
CHAIN = "a0: &a0 [x]\n" + "".join(f"a{i}: &a{i} [*a{i - 1}]\n" for i in range(1, 5000))


@pytest.mark.parametrize("text", [NESTED, MERGED, CHAIN], ids=["nested", "merged", "a chain"])
def test_aliases_cannot_grow_without_end(text: str) -> None:
    start = time.monotonic()
    (first, *_) = problems(text)
    assert "parts" in first or "nested too deeply" in first
    assert time.monotonic() - start < 10


def test_checking_imports_and_runs_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "own_package").mkdir()
    (tmp_path / "own_package/__init__.py").write_text("import os; os.environ['RAN'] = '1'")
    (tmp_path / "own_package/inner.py").write_text("import os; os.environ['RAN'] = '1'")
    monkeypatch.syspath_prepend(tmp_path)
    text = put("np: numpy", "np: own_package.inner").replace("gzip.open", "own_package.x.y")
    assert remarks(text) == []
    assert "RAN" not in os.environ
    assert not {"own_package", "own_package.inner"} & sys.modules.keys()


def test_packs_of_plain_data_load() -> None:
    text = yaml.safe_dump(pack_data(match="f($x)", edit={"wrap": "$x", "with": "g($it)"}))
    assert remarks(text) == []


# ---------------------------------------------------------------- a start is quick


def test_what_comes_with_the_package_is_checked_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    checked: list[int] = []

    def check(files: Sequence[PackFile]) -> tuple[list[Problem], list[Problem]]:
        checked.append(len(files))
        return [], []

    monkeypatch.setattr(user_cache, "folder", lambda: tmp_path)
    monkeypatch.setattr(pack_checks, "check_files", check)
    path = pack_files.bundled()[0]
    for _ in range(2):
        assert isinstance(load(path), Pack)
    assert len(checked) == 1
    own = tmp_path / "own.yaml"
    own.write_text(GOOD)
    for _ in range(2):
        assert isinstance(load(own), Pack)
    assert checked[1:] == [1, 1]


def test_a_verdict_is_kept_only_of_what_has_no_mistakes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = pack_files.bundled()[0]
    wrong = Problem(path, "wrong", 1)
    monkeypatch.setattr(user_cache, "folder", lambda: tmp_path)
    monkeypatch.setattr(pack_checks, "check_files", lambda _: ([wrong], []))
    for _ in range(2):
        assert load(path) == [wrong]
