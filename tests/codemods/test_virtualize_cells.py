"""`style=cells`: variables in cells and return by an exception, as document 003's figure 3 has it,
and where that is not what the function did."""

from __future__ import annotations

import random
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import pytest
from prepared import invoke
from random_programs import Writer, trace
from virtualizing import Made, made

from pinsetter.codemods.engine.hunks.hunk import Hunk
from pinsetter.staging import StagingError, lms, stage

CELLS = {"style": "cells"}
SAME = {
    "no branches": "def f(x):\n    x = x + 1\n    return x\n",
    "a module": "x = 1\nx = 2\n",
    "a class": "class A:\n    x = 1\n    x = 2\n",
    "a lambda": "f = lambda x: [x for x in x if x]\n",
    "in a function inside": "def f():\n    def g(): pass\n    return [x for x in y if x]\n",
}
NO_CELLS = {
    "once": "    x = 1\n",
    "a loop": "    for x in y: x = 1\n",
    "several at once": "    x, z = 1, 2\n    x = 2\n",
    "a chain": "    x = z = 2\n    x = 2\n",
    "a context": "    x = 1\n    with y as x: pass\n",
    "deleted": "    x = 1\n    x = 2\n    del x\n",
    "walrus": "    x = 1\n    print(x := 2)\n",
    "global": "    global x\n    x = 1\n    x = 2\n",
    "annotated": "    x: int = 1\n    x = 2\n",
    "a function inside": "    x = 1\n    x = 2\n    def g():\n        nonlocal x\n        x = 3\n",
    "shown": "    x = 1\n    x = 2\n    print(f'{ x  = !r}')\n",
    "a pattern": "    x = y\n    x = y.z\n    match y:\n        case x.z: pass\n",
    "an import": "    x = 1\n    import x\n",
    "an item": "    x[0] = 1\n    x[0] = 2\n    x.y = 3\n",
}


def cells(text: str) -> Made:
    return made({"a.py": text}, given=CELLS)


@pytest.mark.parametrize("name", SAME)
def test_nothing_is_to_do(name: str) -> None:
    assert cells(SAME[name]).hunks == 0


@pytest.mark.parametrize("name", NO_CELLS)
def test_what_stays_a_name(name: str) -> None:
    text = f"def f(y):\n{NO_CELLS[name]}    while y.z: y.z()\n"
    found = cells(text).texts["a.py"]
    compile(found, "a", "exec")
    assert "try:" in found
    assert "_staging.var()" not in found


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("def f(x):\n    if x: x = 1\n    return locals()\n", "asks for all of the local names"),
        ("def f(x):\n    if x: x = 1\n    return eval('x')\n", "asks for all of the local names"),
        ("def f(x):\n    if x: x = 1\n    sys._getframe()\n", "looks at the frames"),
        ("async def f(x):\n    yield x\n    if x: return\n", "an asynchronous generator returns"),
    ],
)
def test_functions_that_keep_their_names(text: str, reason: str) -> None:
    found = cells(text)
    assert "_staging.var()" not in found.texts["a.py"]
    assert any("Not in cells, but by signals" in one and reason in one for one in found.said)


def test_it_is_as_the_paper_prints_it() -> None:
    text = (
        "def aggregate(x):\n    ret = 0\n    while x > 0:\n        ret = ret + x\n"
        "        x = x - 1\n    return ret\n"
    )
    assert cells(text).texts["a.py"] == (
        "import pinsetter.staging as _staging\n"
        "def aggregate(x_1):\n"
        "    try:\n"
        "        x = _staging.var()\n"
        "        _staging.assign(x, x_1)\n"
        "        ret = _staging.var()\n"
        "        _staging.assign(ret, 0)\n"
        "        def body():\n"
        "            _staging.assign(ret, _staging.read(ret) + _staging.read(x))\n"
        "            _staging.assign(x, _staging.read(x) - 1)\n"
        "        _staging.while_(lambda: _staging.read(x) > 0, body)\n"
        "        _staging.return_(_staging.read(ret))\n"
        "    except _staging.NonLocalReturnValue as left:\n"
        "        return left.value\n"
    )


def test_every_way_to_read_and_to_write() -> None:
    text = '''\
def f(x, *, y: int = 3):
    """Doc."""
    # first
    x = x,
    x += 2, 3
    x = (yield)
    if x and f"{x}{x!r:>{y}}":
        y **= 2  # why
        x = [x for x in x], lambda x=x: x; y @= y
        return x, y
    def g():
        return x
    y = x[0], x.a, g(x=x), *x
    x.a = x[y] = 1
    # last
    return
'''
    changed = cells(text).texts["a.py"]
    compile(changed, "a", "exec")
    for part in (
        '"""Doc."""\n    try:\n        # first\n        x = _staging.var()\n',
        "_staging.assign(x, (_staging.read(x),))", '_staging.update(x, "+=", (2, 3))',
        "_staging.assign(x, (yield))",
        '{_staging.read(x)}{_staging.read(x)!r:>{_staging.read(y)}}',
        '_staging.update(y, "**=", 2)  # why', "[x for x in _staging.read(x)]",
        "lambda x=_staging.read(x): x", "_staging.return_((_staging.read(x), _staging.read(y)))",
        "return _staging.read(x)\n", "g(x=_staging.read(x))", "_staging.read(x).a = ",
        "# last\n        _staging.return_(None)\n",
    ):  # fmt: skip
        assert part in changed, part
    assert cells(changed).hunks == 0


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("def f(x):\n    if x: x = 1\n", "Calls that give x by name will fail"),
        ("def f(x):\n    with x:\n        if x: return\n", "in line 2 sees an exception"),
        ("def f(x):\n    if x:\n        try: return\n        except: pass\n", "in line 3 sees"),
        ("def f(x):\n    try:\n        if x: return\n    except (A, BaseException): pass\n", "2 s"),
    ],
)
def test_what_is_not_the_same_is_said(text: str, said: str) -> None:
    warned: list[str] = []

    def accept(hunk: Hunk) -> bool:
        warned.extend(hunk.warnings)
        return True

    made({"a.py": text}, accept=accept, given=CELLS)
    assert [one for one in warned if said in one]


def test_what_is_the_same_is_not() -> None:
    text = (
        "def f(*x):\n    try:\n        if x: return 1\n    except Exception: return 2\n"
        "    finally: print()\n    with x: pass\n    try:\n        pass\n    except: return 1\n"
    )
    warned: list[str] = []
    made({"a.py": text}, accept=lambda hunk: warned.extend(hunk.warnings) is None, given=CELLS)
    assert warned == []


def test_programs_do_what_they_did() -> None:
    """Unless it was said that they might not; with all hunks, and with some of them."""
    warnings.simplefilter("ignore", SyntaxWarning)
    programs = {f"p{seed}.py": Writer(seed).program() for seed in range(3000, 3008)}
    luck = random.Random(0)
    doubtful: set[str] = set()

    def accept(hunk: Hunk) -> bool:
        if any("sees an exception" in warning for warning in hunk.warnings):
            doubtful.add(hunk.module.path.name)
        return luck.random() < chance

    for chance in (1, 0.6):
        found = made(programs, accept=accept, given=CELLS)
        for name, text in programs.items():
            assert name in doubtful or trace(found.texts[name]) == trace(text), name
        if chance == 1:
            assert made(found.texts, given=CELLS).hunks == 0
    assert len(doubtful) < len(programs)


def test_as_an_option(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("def f(x):\n    if x: x = 1\n    return x\n")
    wrong = invoke("run", "virtualize", tmp_path, "--option", "style=boxes", "--check")
    assert "it is one of signals, cells" in wrong.err
    found = invoke("run", "virtualize", tmp_path, "--option", "style=cells", "--write", "-q")
    assert found.code == 0
    again = invoke("run", "virtualize", tmp_path, "--option", "style=cells", "--check")
    assert again.code == 0
    back = invoke("run", "devirtualize", tmp_path, "--check")
    assert "version control has what it was" in back.err
    done = subprocess.run(
        [sys.executable, "-c", "import a; print(a.f(0), a.f(1))"], cwd=tmp_path,
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout == "0 1\n"


# ---------------------------------------------------------------- staged


@lms(style="cells")
def power(x: Any, n: Any) -> Any:
    found = 1
    while n > 0:
        found *= x
        n = n - 1
        if n == 2:
            found = found + 0
    return found


@lms(style="cells")
def largest(x: Any, y: Any) -> Any:
    if x > y:
        return x
    else:  # noqa: RET505
        return y


@lms(style="cells")
def one_way(x: Any) -> Any:
    if x > 1:
        return x
    x = x + 1
    x = x * 2
    return x, 1


@lms(style="cells")
def in_a_loop(x: Any) -> Any:
    while x > 1:
        return x
    return 3


@lms(style="cells")
def only_there(x: Any) -> Any:
    if x > 1:
        y = 1
        y = y + x
    return y


def test_cells_are_staged() -> None:
    assert (power(2, 5), stage(power)(2, 5), stage(largest)(3, 4)) == (32, 32, 4)
    assert "(new)" in str(stage(power))


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (one_way, "one branch of a staged `if` returns a value, and the other goes on"),
        (in_a_loop, "a value is returned in a staged `while`"),
        (only_there, "'y' gets a value in only one of the branches"),
    ],
)
def test_what_cannot_be_staged(function: Any, reason: str) -> None:
    with pytest.raises(StagingError, match=reason) as caught:
        stage(function)
    assert Path(__file__).name in str(caught.value)


def test_a_variable_without_a_value() -> None:
    assert only_there(2) == 3
    with pytest.raises(UnboundLocalError, match="no value yet"):
        only_there(1)


def test_there_are_two_styles() -> None:
    with pytest.raises(StagingError, match="one of signals, cells"):
        lms(len, style="boxes")
