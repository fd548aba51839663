"""The pack autograph on files: several packs, one after the other, as one hunk for a function."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest
from commands import BIN, run
from random_programs import Writer, trace
from virtualizing import made

RUN = (str(BIN / "pinsetter"), "run")
PROGRAMS = int(os.environ.get("PINSETTER_PROGRAMS", "0")) or 4

TWO = """import tensorflow as tf


@tf.function
def f(x):
    # why
    if x > 0:
        return x  # as it is
    return -x


class A:
    def m(self, x):
        while x < 3:
            x += 1
        return x


for i in range(3):
    if i: continue
    print(i)
"""


def test_programs_by_chance_do_what_they_did() -> None:
    programs = {f"p{seed}.py": Writer(seed).program() for seed in range(70_000, 70_000 + PROGRAMS)}
    whole = made(programs, "autograph")
    luck = random.Random(1)
    some = made(programs, "autograph", accept=lambda _: luck.random() < 0.6)
    for name, text in programs.items():
        wanted = trace(text)
        assert trace(whole.texts[name]) == wanted, name
        assert trace(some.texts[name]) == wanted, name


def test_each_function_is_a_hunk_and_nothing_else_is_touched() -> None:
    found = made({"a.py": TWO}, "autograph")
    assert found.hunks == 4  # with the import
    text = found.texts["a.py"]
    assert text.endswith(TWO[TWO.index("for i in") :])
    assert "@tf.function(autograph=False)\n" in text
    assert "    # why\n" in text
    assert "result = x  # as it is\n" in text
    assert made(found.texts, "autograph").hunks == 0


def test_only_functions_that_are_decorated_so() -> None:
    for given in ({"decorated": "tf.function"}, {"functions": "f"}):
        found = made({"a.py": TWO}, "autograph", given=given)
        assert "def m(self, x):\n        while x < 3:\n" in found.texts["a.py"]
        assert "_staging.if_(" in found.texts["a.py"]
        assert "@tf.function(autograph=False)\ndef f(" in found.texts["a.py"]
    found = made({"a.py": TWO}, "autograph", given={"functions": "other"})
    assert found.hunks == 0


@pytest.mark.parametrize(
    ("statement", "state"),
    [
        ("x = y", "x"),
        ("z[y] = x", "z"),
        ("z['a'] = x", "z['a']"),
        ("z.a[y] += x", "z.a"),
        ("x, (z)[y] = y, x", "x, z"),
        ("z['a'][y] = x = y", "x, z['a']"),
        ("with y as z[-1]: pass", "z"),
    ],
)
def test_what_a_block_changes_is_named(statement: str, state: str) -> None:
    code = f"def f(x, y, z):\n    if x:\n        {statement}\n    return x, z\n"
    text = made({"a.py": code}, "autograph").texts["a.py"]
    assert f"state={state!r})" in text.replace('"', "'") or f'state="{state}")' in text


def test_nothing_to_do() -> None:
    assert made({"a.py": "def f(x):\n    return x\n\nif f(1):\n    f(2)\n"}, "autograph").hunks == 0


@pytest.mark.parametrize("text", ["def f(x):\n    if x: print x\n", "def f(x):\n    if x:\n"])
def test_what_is_no_python_3(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.py"
    path.write_text(text)
    found = run("autograph", str(path), "--write", command=RUN)
    assert found.code in (0, 2, 3), found.err
    assert found.err
    assert path.read_text() == text


def test_tabs_line_ends_and_form_feeds() -> None:
    lines = ("\f", "def f(x):", "\tif x:", "\t\ty = '\f'", "\telse:", "\t\ty = 2", "\treturn y", "")
    found = made({"a.py": "\r\n".join(lines)}, "autograph").texts["a.py"]
    assert "\t\ty = '\f'\r\n" in found
    assert found.startswith("\f\r\n")
    assert "\n" not in found.replace("\r\n", "")


def test_a_byte_order_mark_stays_in_front() -> None:
    text = "\ufeffdef f(x):\n    if x: return 1\n    return 2\n"
    found = made({"a.py": text}, "autograph").texts["a.py"]
    assert found.startswith("\ufeffimport pinsetter.staging as _staging\ndef f(x):\n")
    assert found[1:] == made({"a.py": text[1:]}, "autograph").texts["a.py"]


def test_passes_of_a_pack_of_ones_own(tmp_path: Path) -> None:
    pack = tmp_path / "own.yaml"
    pack.write_text(
        "pack: own\nsummary: Two packs.\n"
        "passes: [{pack: lower-continues}, {pack: lower-breaks}]\n"
        "rules:\n  - id: both\n    title: Flags\n    why: It is better.\n"
        '    query: "funcdef< any* >"\n    edit: {passed: $match}\n'
        '    examples:\n      - unchanged: "def f(): pass\\n"\n'
    )
    path = tmp_path / "a.py"
    path.write_text(
        "def f(xs):\n    for x in xs:\n        if x: continue\n        if x.y: break\n        x()\n"
    )
    found = run(str(pack), str(path), "--write", command=RUN)
    assert found.code == 0, found.err
    assert "skipped = True" in path.read_text()
    assert "stopped = True" in path.read_text()
    pack.write_text(pack.read_text().replace("lower-breaks", "lower-none"))
    path.write_text("def f(xs):\n    for x in xs: pass\n")
    found = run(str(pack), str(path), "--diff", command=RUN)
    assert "there is no pack 'lower-none'" in found.said


def passing(folder: Path, passes: str) -> Path:
    pack = folder / "own.yaml"
    pack.write_text(
        f"pack: own\nsummary: Some packs.\npasses: {passes}\n"
        "rules:\n  - id: all\n    title: Flags\n    why: It is better.\n"
        '    query: "funcdef< any* >"\n    edit: {passed: $match}\n'
        '    examples:\n      - unchanged: "def f(): pass\\n"\n'
    )
    return pack


def test_functions_as_scopes_are_for_who_asks(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    text = 'def f(x):\n    """Twice."""\n    if x: x += x\n    return x\ndef g():\n    """Not."""\n'
    path.write_text(text)
    run("autograph", str(path), "--write", command=RUN)
    assert "scope" not in path.read_text()
    path.write_text(text)
    run("autograph", str(path), "--write", "--option", "scopes", command=RUN)
    done = path.read_text()
    assert '"""\n    with _staging.scope(' in done
    assert done.endswith('        return x\ndef g():\n    """Not."""\n')
    assert not run("autograph", str(path), "--write", "--option", "scopes", command=RUN).code
    assert path.read_text() == done


def test_a_pass_is_a_file_and_what_changes_in_it_counts(tmp_path: Path) -> None:
    one = tmp_path / "one.yaml"
    text = (
        "pack: one\nsummary: A number.\nrules:\n  - id: one\n    title: T\n    why: W.\n"
        "    match: one()\n    edit: {replace: $match, with: NEW}\n"
        '    examples:\n      - unchanged: "two()\\n"\n'
    )
    one.write_text(text.replace("NEW", "first()"))
    pack = passing(tmp_path, "[{pack: one.yaml}]")
    path = tmp_path / "a.py"
    path.write_text("one()\n\n\ndef f():\n    return one()\n")
    assert "+    return first()" in run(str(pack), str(path), "--diff", command=RUN).said
    one.write_text(text.replace("NEW", "second()"))
    found = run(str(pack), str(path), "--diff", command=RUN).said
    assert "+    return second()" in found
    assert "+one" not in found


@pytest.mark.parametrize(
    ("broken", "line"), [("pack: [\n", 2), ("pack: one\nsummary: One.\nrules: []\n", 3)]
)
def test_a_pass_that_is_broken_is_an_error(tmp_path: Path, broken: str, line: int) -> None:
    path = tmp_path / "a.py"
    path.write_text("def f(xs):\n    for x in xs: pass\n")
    (tmp_path / "one.yaml").write_text(broken)
    found = run(str(passing(tmp_path, "[{pack: one.yaml}]")), str(path), command=RUN)
    assert found.code == 2
    assert f"{tmp_path / 'one.yaml'}:{line}:" in found.said


@pytest.mark.parametrize(
    ("passes", "said"),
    [
        ("[{pack: own.yaml}]", "own.yaml:3:17: 'own.yaml', which is a pass, has passes"),
        ("[{pack: autograph}]", "'autograph', which is a pass, has passes of its own"),
        ("[{pack: none.yaml}]", "there is no pack 'none.yaml'"),
        ("[]", "name packs in the head, under `passes`"),
        ("[{pack: lower-breaks, option: 3}]", "own.yaml:3"),
    ],
)
def test_passes_that_cannot_be(tmp_path: Path, passes: str, said: str) -> None:
    path = tmp_path / "a.py"
    path.write_text("def f(xs):\n    for x in xs: pass\n")
    found = run(str(passing(tmp_path, passes)), str(path), "--write", command=RUN)
    assert said in found.said
    assert path.read_text() == "def f(xs):\n    for x in xs: pass\n"
