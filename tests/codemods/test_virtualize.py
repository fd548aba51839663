"""`if`, `while` and `for` as calls, and back: what stays, what a program does, its bytes."""

from __future__ import annotations

import ast
import os
import random
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import pytest
from prepared import invoke
from random_programs import Writer, trace
from virtualizing import made, put_back, virtualized

PROGRAMS = int(os.environ.get("PINSETTER_PROGRAMS", "0")) or 10

IN_PLACE = {
    "x = [y for y in z if y]\nw = 1 if x else 2\n": "",
    "class A:\n    if x:\n        y = 1\n": "it stands in a class",
    "def f():\n    if x:\n        yield 1\n": "`yield` is for the function",
    "def f():\n    for x in y:\n        z = yield x\n": "`yield` is for the function",
    "def f():\n    while (yield):\n        pass\n": "`yield` is for the function",
    "async def f():\n    if x:\n        await y\n": "`await` is for the coroutine",
    "async def f():\n    async for x in y:\n        pass\n": "`async for` is for the coroutine",
    "async def f():\n    if x:\n        async with y:\n            pass\n": "`async`",
    "async def f():\n    if x:\n        y = [z async for z in w]\n": "`async`",
    "async def f():\n    yield 1\n    if x:\n        return\n": "an asynchronous generator",
    "class A:\n    def f(self):\n        if x:\n            super().f()\n": "`super()`",
    "def f():\n    if x:\n        y = 1\n    return locals()\n": "`f` asks for all of its local",
    "if x:\n    print(dir())\n": "`dir()`",
    "if x:\n    exec(y)\n": "`exec` reads all names",
    "import sys\nif x:\n    y = sys._getframe()\n": "`_getframe` looks at the frames",
    "import inspect\nif x:\n    y = inspect.stack()\n": "`inspect.stack` looks at the frames",
    "import warnings\nif x:\n    warnings.warn('a', stacklevel=2)\n": "`stacklevel`",
    "if x:\n    from os import *\n": "`import *`",
    "if x:\n    y: int = 1\n": "the annotation of `y`",
    "def f():\n    if x:\n        global y\n        y = 1\n": "`global`",
    "def f():\n    if x:\n        print(f'{(y := 1)}')\n": "`:=` in a string",
    "if x:\n    print 'a'\n": "the file is no Python of the version",
}


@pytest.mark.parametrize("text", IN_PLACE)
def test_what_is_for_its_function_stays(text: str) -> None:
    found = made({"a.py": text})
    assert found.texts["a.py"] == text
    assert found.hunks == 0
    reason = IN_PLACE[text]
    assert [reason in one for one in found.said] == [True] * bool(reason), found.said


LIFTED = {
    "if": (
        "if x:  # why\n    y = 1\nelif z:\n    pass\n# between\nelse:\n    print()\n",
        "import pinsetter.staging as _staging\n"
        "def _then():  # why\n    global y\n    y = 1\ndef _then_2():\n    pass\n# between\n"
        "def _otherwise():\n    print()\n"
        "_staging.if_(x, _then, lambda: z, _then_2, _otherwise)\n"
        "del _then, _then_2, _otherwise\n",
    ),
    "while": (
        "def f(x):\n    while x < 3:\n        x += 1\n    else:\n        print(x)\n",
        "import pinsetter.staging as _staging\n"
        "def f(x):\n    def body():\n        nonlocal x\n        x += 1\n"
        "    def otherwise():\n        print(x)\n"
        "    _staging.while_(lambda: x < 3, body, otherwise)\n",
    ),
    "for": (
        "def f(y):\n    for a, b in y:\n        if a:\n            continue\n"
        "        if b:\n            return a, b\n        break\n",
        "import pinsetter.staging as _staging\n"
        "def f(y):\n    a: _staging.Unbound\n    b: _staging.Unbound\n"
        "    def body(item):\n        nonlocal a, b\n        a, b = item\n"
        "        def then():\n            return _staging.CONTINUE\n"
        "        signal_2 = _staging.if_(a, then)\n"
        "        if signal_2 is not None:\n            return signal_2\n"
        "        def then_2():\n            return _staging.Return((a, b))\n"
        "        signal_3 = _staging.if_(b, then_2)\n"
        "        if signal_3 is not None:\n            return signal_3\n"
        "        return _staging.BREAK\n"
        "    signal = _staging.for_(y, body)\n"
        "    if signal is not None:\n        return signal.value\n",
    ),
}


@pytest.mark.parametrize("kind", LIFTED)
def test_what_they_become(kind: str) -> None:
    before, after = LIFTED[kind]
    assert virtualized(before) == after


def test_a_loop_that_stays_is_left_by_its_own_statement() -> None:
    """Where a block is left for a loop of Python, its call is followed by what leaves that."""
    text = (
        "def f(n):\n    for i in n:\n        if i == 1:\n            continue\n"
        "        elif i == 2:\n            break\n        elif i == 3:\n            return i\n"
        "        yield i\n"
    )
    found = virtualized(text)
    assert "is _staging.BREAK:\n            break\n" in found
    assert "is _staging.CONTINUE:\n            continue\n" in found
    assert "is not None:\n            return signal.value\n" in found
    both: list[list[int]] = []
    for code in (text, found):
        names: dict[str, object] = {}
        exec(code, names)
        both += [[*names["f"](given)] for given in ([0, 1, 4], [0, 2, 4], [0, 3, 4])]  # type: ignore[operator]
    assert both[:3] == both[3:] == [[0, 4], [0], [0]]


HEADS = [
    "if x :", "if  x:", "if(x):", "if (x):", "if(x)or(y):", "if x or \\\n        y:",
    "if \\\n        x:", "if (x  # why\n        or y):", "if not x:", "if x  or  y  :",
    "if (y := x):", "if y := x:", "if x if y else z:", "if lambda: 1:", "if (x, y):", "if [x]:",
    "while x :", "while(x):", "while (y := x):", "while ((y := x)):", "while y := x:",
    "while  x or\\\n y:", "for i in x:", "for i in(1, 2):", "for(i)in x:", "for i in 1, 2:",
    "for i in (1, 2):", "for i in ((1, 2)):", "for i in (((1, 2))):", "for i in 1,:",
    "for i in ():", "for i in (x):", "for i in ((x)):", "for  i  in  x  :", "for i, j in x:",
    "for (i, j) in x:", "for i, in x:", "for i.a in x:", "for i[0] in x:", "for *i, j in x:",
    "for i in *x, y:", "for i in (j for j in x):", "for i in lambda: x, y:", "for i in(\n  x):",
    "for i in yes if x else no:",
]  # fmt: skip


@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["lf", "crlf"])
@pytest.mark.parametrize("head", HEADS)
def test_a_head_is_put_back_as_it_was(head: str, end: str) -> None:
    function = f"def f(x, y, z):\n    {head}\n        return x,\n    return(x)\n".replace("\n", end)
    changed = virtualized(function)
    assert head not in changed
    compile(changed, "a", "exec")
    assert put_back(changed) == function


BODIES = [
    "if x: y = 1\n", "if x: y = 1; z = 2\nelse: pass\n", "if x:\n\ty = 1\n", "if x:\n  y = 1\n",
    "if x:\n\n    y = 1\n\n    # last\n\n# after\n", "if x:\n    y = 1", "if x: y = 1",
    "if x:\n    if y:\n        z", "if x:\n    '''a\nb'''\n    y = '''c\n  d'''\n",
    "\ufeffif x:\n    y = 1\n", "if x:\n    def f(): pass\n    @g\n    def h(): pass\n",
    "if x:\n    import a.b, c as d\n    from e import f\n    del g\n",
    "for i in x:\n    break\nelse:\n    for j in i: continue\n",
    "while x:\n    while y:\n        break\n    else:\n        break\n    continue\nelse: z\n",
    "def f():\n    '''doc'''\n    # c\n    for i in x: return\n    return None\n",
    "def f():\n    for i in x:\n        for j in x:\n            if i: return(i)\n"
    "            return i,\n",
    "def f():\n    for i in x: y = i\n    for i in x: y = i\n"
    "    def g():\n        for i in x: z = i\n",
    "def f():\n    if x:\n        try: return (1, 2)\n        finally: pass\n    if y: z = 1\n",
    "try:\n    if x: y\nexcept z:\n    if x: y\n",
    "if x:\n    pass  # c\n  # odd\n    # deeper\nelse:\n    pass\n",
    "def f(a):\n    global b\n    if a:\n        b = 1; a = 2\n    def g():\n        nonlocal a\n"
    "        if b: a = 3\n",
    "def f(a):\n    if a: b = 1\n    def g():\n        nonlocal b\n        b = 2\n    return b\n",
    "if x:\n    class A:\n        if y:\n            z = 1\n        def f(self):\n"
    "            if y:\n                self.__z = 1\n",
]  # fmt: skip


@pytest.mark.parametrize("text", BODIES)
def test_a_block_is_put_back_as_it_was(text: str) -> None:
    changed = virtualized(text)
    assert changed != text
    compile(changed.encode(), "a", "exec")
    assert put_back(changed) == text
    assert virtualized(changed) == changed


def test_what_was_changed_by_hand_is_not_put_back() -> None:
    changed = virtualized("for i in x:\n    if i: break\n")
    for old, new in (
        ("_body)", "_body, key=1)"), ("i = _item", "i = _item + 1"), ("del", "_body(1)\ndel"),
        ("return _staging.BREAK", "return 1"), ("def _body(", "@other\ndef _body("),
    ):  # fmt: skip
        assert old in changed
        text = changed.replace(old, new)
        found = made({"a.py": text}, "devirtualize")
        assert "def _body(_item)" in found.texts["a.py"]
        assert "cannot be edited here" in found.said[0]


def test_the_runtime_imports_nothing_else_of_pinsetter() -> None:
    code = (
        "import sys, pinsetter.staging as s\n"
        "s.if_(1, lambda: None)\n"
        "print([n for n in sys.modules if n.startswith(('pinsetter', 'fissix', 'yaml'))])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    inner = ("", ".backends", ".cells", ".control", ".signals", ".undefined")
    assert {*eval(done.stdout)} == {"pinsetter", *(f"pinsetter.staging{name}" for name in inner)}


@pytest.mark.parametrize("start", range(0, PROGRAMS, 10))
def test_programs_do_what_they_did(start: int) -> None:
    """With all hunks, and with some of them that can be had together; and back, byte by byte."""
    warnings.simplefilter("ignore", SyntaxWarning)
    programs = {f"p{seed}.py": Writer(seed).program() for seed in range(start, start + 10)}
    luck = random.Random(start)
    whole = made(programs)
    for found in (whole, made(programs, accept=lambda hunk: luck.random() < 0.6)):
        for name, text in programs.items():
            assert trace(found.texts[name]) == trace(text), name
        assert made(found.texts, "devirtualize").texts == programs
    assert made(whole.texts).hunks == 0


def test_what_a_formatter_has_broken_is_put_back(tmp_path: Path) -> None:
    """Not byte by byte, but as Python that does the same."""
    one, other = "a" * 40, "b" * 50
    text = (
        f"def f({one}, {other}):\n"
        f"    for x in {one}, {other}:\n"
        f"        if {one} and {other}:\n            return {one}, {other}\n"
        f"        elif {one} or {other}:\n            return\n"
        f"    while {one} and {other}:\n        break\n"
        "    return x\n"
    )
    path = tmp_path / "a.py"
    path.write_text(virtualized(text))
    subprocess.run([sys.executable, "-m", "black", "-q", path], check=True)
    back = put_back(path.read_text())
    assert ast.dump(ast.parse(back)) == ast.dump(ast.parse(text))


def test_a_comment_is_for_what_stands_inside_too(tmp_path: Path) -> None:
    """How what is inside is written depends on what is around; `--option only-if` does without."""
    comment = "  # pinsetter: ignore[virtualize-for] here"
    text = f"def f(x):\n    for y in x:{comment}\n        if y: break\n"
    (tmp_path / "a.py").write_text(text)
    found = invoke("run", "virtualize", tmp_path / "a.py", "--check")
    assert "suppressed 2 by comments" in found.err + found.out
    assert found.code == 0
    only = virtualized(text, options=("only-if",))
    assert "def then(): return _staging.BREAK" in only
    assert "for y in x:" in only


def test_a_chain_of_a_thousand_is_no_recursion() -> None:
    branches = "".join(f"    elif x == {n}: return {n}\n" for n in range(1, 1200))
    text = f"def f(x):\n    if x == 0: return 0\n{branches}    else: return -1\n"
    names: dict[str, Any] = {}
    exec(virtualized(text), names)
    assert [names["f"](n) for n in (0, 7, 1199, 1200)] == [0, 7, 1199, -1]


def test_which_functions() -> None:
    text = (
        "@mark\ndef f(x):\n    if x: pass\n    def g():\n        if x: pass\n"
        "class A:\n    @other.mark(1)\n    def f(self):\n        if self: pass\nif a: pass\n"
    )

    def lifted(**given: str) -> list[bool]:
        found = virtualized(text, given=given)
        return [f"if {name}" not in found for name in ("x: pass\n    def", "self", "a")]

    assert lifted() == [True, True, True]
    assert lifted(functions="f") == [True, False, False]
    assert lifted(functions=r"A\..*") == [False, True, False]
    assert lifted(functions=".+") == [True, True, False]
    assert lifted(decorated="mark") == [True, False, False]
    assert lifted(decorated=r"other\.mark.*") == [False, True, False]
    assert lifted(functions="g") == [False, False, False]
