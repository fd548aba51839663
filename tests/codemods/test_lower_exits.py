"""lower-continues, lower-breaks and lower-returns: what programs do stays, layout stays, and what
is left as it is, is told."""

from __future__ import annotations

import random
import warnings

import pytest
from random_programs import Writer, trace
from virtualizing import made

PACKS = ("lower-continues", "lower-breaks", "lower-returns")
SAME = {
    "for x in y:\n    x()\n": PACKS,
    "while x: x()\n": PACKS,
    "def f(x):\n    if x: x()\n    return x\n": PACKS,
    "def f(x): return x\n": PACKS,
    "for x in y:\n    x()\n    if z: break\n": ("lower-breaks",),
    "for x in y:\n    def f():\n        for z in x: continue\n": ("lower-breaks", "lower-returns"),
    "f = lambda x: x\n": PACKS,
}
LEFT = [
    ("lower-continues", "for x in y: continue\n", "its body has no lines of its own"),
    ("lower-continues", "class A:\n    for x in y:\n        if x: continue\n        x()\n",
     "a flag would be an attribute"),
    ("lower-breaks", "while x:\n    if y: break; z()\n    x()\n", "stands behind it on its line"),
    ("lower-breaks", "while x:\n    try: x()\n    finally: break\n", "it stands in a `finally`"),
    ("lower-breaks", "while x:\n    try: break\n    finally:\n        for a in x: continue\n",
     "a `finally` around it may leave"),
    ("lower-returns", "def f(x):\n  while x:\n    if x.a: break\n    return 1\n  else: x()\n",
     "has to go by lower-breaks"),
    ("lower-returns", "def f(x):\n    for y in x: return y\n", "a loop's body has no lines"),
    ("lower-returns", "def f(x):\n    if x: return 1\n    return locals()\n",
     "`locals` asks for all of the local names"),
    ("lower-returns", "async def f(x):\n    yield 1\n    if x: return\n    yield 2\n",
     "an asynchronous generator returns nothing"),
    ("lower-returns",
     "def f(x):\n    try:\n        if x: return 1\n    except A: x()\n    else: y()\n",
     "the `else` of a `try` has no lines"),
]  # fmt: skip


@pytest.mark.parametrize("text", SAME)
def test_nothing_is_to_do(text: str) -> None:
    for name in SAME[text]:
        assert made({"a.py": text}, name).hunks == 0, name


@pytest.mark.parametrize(("name", "text", "reason"), LEFT)
def test_what_is_left_as_it_is(name: str, text: str, reason: str) -> None:
    found = made({"a.py": text}, name)
    assert found.texts["a.py"] == text
    assert reason in found.said[0]


def test_comments_belong_to_what_they_stand_behind() -> None:
    text = (
        "def f(a):\n    for x in a:\n        return x\n        # of the loop\n\n"
        "    # of the rest\n    a()\n    return 1\n"
    )
    changed = made({"a.py": text}, "lower-returns").texts["a.py"]
    compile(changed, "a", "exec")
    assert "        # of the loop\n        if returned:\n            break\n" in changed
    assert "    if not returned:\n        # of the rest\n        a()\n" in changed


def test_tabs_in_a_file_of_spaces() -> None:
    text = "def g(x):\n    return x\n\ndef f(x):\n\tif x: return 1\n\tif y:\n\t\tx()\n\treturn 2\n"
    changed = made({"a.py": text}, "lower-returns").texts["a.py"]
    compile(changed, "a", "exec")
    assert "\tif not returned:\n\t\tif y:\n\t\t\tx()\n" in changed


def test_a_while_without_a_space_and_one_without_a_test() -> None:
    text = "while(x):\n    if y: break\n    y()\nwhile True:\n    if z: break\n    z()\n"
    changed = made({"a.py": text}, "lower-breaks").texts["a.py"]
    assert "while not _stopped and (x):\n" in changed
    assert "while not _stopped_2:\n" in changed


def test_a_loop_of_a_coroutine() -> None:
    text = "async def f(x):\n    async for y in x:\n        if y: break\n        y()\n"
    changed = made({"a.py": text}, "lower-breaks").texts["a.py"]
    assert "    stopped = False\n    async for y in x:\n" in changed
    compile(changed, "a", "exec")


def test_an_exit_that_an_exception_gives_up() -> None:
    text = (
        "def f(x):\n    try:\n        with x:\n            if x.a: return 1\n            x.b()\n"
        "    except A: x.c()\n    except B:\n        if x.d: return\n    x.e()\n"
    )
    changed = made({"a.py": text}, "lower-returns").texts["a.py"]
    assert "except A: returned = False; x.c()" in changed
    assert (
        "except B:\n        returned = False\n        if x.d: result = None; returned = True"
        in changed
    )


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_comments_and_strings_stay(end: str) -> None:
    text = (
        'def f(x):\n\t"""Some."""\n\tfor y in x:\n\t\t# first\n\t\tif y:\n'
        '\t\t\treturn y, 1  # why\n\t\t\t# deeper\n\n\t\t# of the rest\n\t\tz = """a\n  b"""\n'
        "\t\tx(z,\n  y)\n\t# last\n\treturn (\n\t\tx)"
    ).replace("\n", end)
    changed = made({"a.py": text}, "lower-returns").texts["a.py"]
    compile(changed, "a", "exec")
    assert changed.count("\n") == changed.count(end)
    for part in (
        "result = y, 1  # why",
        "# deeper",
        "\t\t\t# of the rest",
        f'"""a{end}  b"""',
        "# last",
    ):
        assert part in changed
    assert changed.endswith("return result")


def test_one_after_the_other_for_what_has_all_of_them() -> None:
    """So that no exit is left but one at the end."""
    warnings.simplefilter("ignore", SyntaxWarning)
    programs = {f"p{seed}.py": Writer(seed).program() for seed in range(20, 28)}
    luck = random.Random(0)
    texts = programs
    for name in PACKS:
        some = made(texts, name, accept=lambda hunk: luck.random() < 0.6).texts
        found = made(texts, name)
        for which in (some, found.texts):
            for path, text in programs.items():
                assert trace(which[path]) == trace(text), (name, path)
        assert made(found.texts, name).hunks == 0
        texts = found.texts
    texts = made(texts, "virtualize").texts
    assert all(trace(texts[path]) == trace(text) for path, text in programs.items())
