"""What this Python has against a text, also where its compiler would take a minute for that."""

from __future__ import annotations

from types import CodeType

import pytest

from pinsetter.codemods.engine.hunks.compiling import compiled

MANY = ", ".join(f"a{n}={n}" for n in range(40_000))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x = 1\n",
        "\ufefff(a=1)\n",
        "f(**a, **b)\n",
        f"f({MANY})\n",
        f"f({MANY}, **rest, **more)\n",
        f"class C({MANY}):\n    pass\n",
    ],
)
def test_it_compiles(text: str) -> None:
    assert isinstance(compiled(text), CodeType)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("return\n", "'return' outside function (line 1 of the result)"),
        ("\nf(a=1, a=2)\n", "keyword argument repeated: a (line 2 of the result)"),
        (f"\nf({MANY}, a7=2)\n", "keyword argument repeated: a7 (line 2 of the result)"),
        (f"f({MANY}, z=(yield))\n", "'yield' outside function (line 1 of the result)"),
        (f"f({MANY})\nreturn\n", "'return' outside function (line 2 of the result)"),
    ],
)
def test_it_does_not(text: str, why: str) -> None:
    assert compiled(text) == why
