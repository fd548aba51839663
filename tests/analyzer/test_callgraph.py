"""call_graph: who calls whom, for small programs; and that any program comes to an end."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest
from repository import Write

import pinsetter.analyzer
from pinsetter.analyzer.interpreter import interpret
from pinsetter.analyzer.names.project import Project
from pinsetter.analyzer.roles.call_graph import call_graph

Files = Mapping[str, str] | str
Edges = Mapping[str, str]


def check(write: Write, files: Files, edges: Edges) -> None:
    """Those who call anything are those of ``edges``, whose callees are parted by spaces."""
    repository = write(files)
    found = call_graph(repository.project, repository.folder)
    assert {caller: callees for caller, callees in found.items() if callees} == {
        caller: sorted(callees.split()) for caller, callees in edges.items()
    }


def case(name: str, files: Files, edges: Edges) -> object:
    return pytest.param(files, edges, id=name)


def wrong(name: str, files: Files, edges: Edges, reason: str) -> object:
    return pytest.param(files, edges, id=name, marks=pytest.mark.xfail(strict=True, reason=reason))


@contextmanager
def ending(seconds: int = 120) -> Iterator[None]:
    """Fail if the block does not end within so many seconds of the processor's, whatever else the
    machine is doing."""

    def late(*_: object) -> None:
        raise TimeoutError(f"longer than {seconds} s")

    before = signal.signal(signal.SIGVTALRM, late)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


# ---------------------------------------------------------------- what calls nothing


@pytest.mark.parametrize(
    ("files", "keys"),
    [
        ("", ["main"]),
        ("# a comment\n", ["main"]),
        ('"""Only a docstring."""\n', ["main"]),
        ("x = 1\ny = x\n", ["main"]),
        ("def f():\n    pass\n", ["main", "main.f"]),
        ("def f():\n    pass\ng = f\n", ["main", "main.f"]),
        ("def f():\n    pass\nh = [f, {'k': f}]\n", ["main", "main.f"]),
        ("f = lambda: 1\n", ["main", "main.<lambda1>"]),
        ("def f():\n    return lambda: 1\n", ["main", "main.f", "main.f.<lambda1>"]),
        ("class C:\n    pass\n", ["main"]),
        ("class C:\n    def m(self):\n        pass\n", ["main", "main.C.m"]),
        (
            "class C:\n    class D:\n        def m(self):\n            pass\n",
            ["main", "main.C.D.m"],
        ),
        ("def f():\n    def g():\n        pass\n", ["main", "main.f", "main.f.g"]),
        (
            "def f():\n    class C:\n        def m(self):\n            pass\n",
            ["main", "main.f", "main.f.C.m"],
        ),
        ("async def f():\n    pass\n", ["main", "main.f"]),
        ("import json\nfrom os import path\n", ["main"]),
        ("'f()'\n", ["main"]),
        ({"main.py": "import a\n", "a.py": "def f():\n    pass\n"}, ["a", "a.f", "main"]),
        (
            {"main.py": "", "pkg/__init__.py": "", "pkg/mod.py": "def f(): pass\n"},
            ["main", "pkg", "pkg.mod", "pkg.mod.f"],
        ),
    ],
)
def test_functions_and_modules_are_keys_even_if_nothing_calls(
    write: Write, files: Files, keys: list[str]
) -> None:
    repository = write(files)
    assert call_graph(repository.project, repository.folder) == {key: [] for key in keys}


@pytest.mark.parametrize(
    ("files", "edges"),
    [
        case(
            "called by a function that nobody calls",
            """
            def f():
                pass
            def g():
                f()
            """,
            {"main.g": "main.f"},
        ),
        case(
            "method that nobody calls",
            """
            class C:
                def m(self):
                    self.n()
                def n(self):
                    pass
            """,
            {"main.C.m": "main.C.n"},
        ),
        case(
            "parameter that is not known",
            """
            def f(x):
                x()
                x.y()
            """,
            {},
        ),
        case(
            "default of a parameter that is not given by anybody",
            """
            def a():
                pass
            def f(x=a):
                x()
            """,
            {"main.f": "main.a"},
        ),
        case(
            "name that is not defined",
            """
            missing()
            missing.attribute()
            """,
            {},
        ),
        case(
            "in a nested function that nobody calls",
            """
            def a():
                pass
            def f():
                def g():
                    a()
            f()
            """,
            {"main": "main.f", "main.f.g": "main.a"},
        ),
        case(
            "lambda that nobody calls",
            """
            def a():
                pass
            f = lambda: a()
            """,
            {"main.<lambda1>": "main.a"},
        ),
        case(
            "behind a return",
            """
            def a():
                pass
            def f():
                return 1
                a()
            f()
            """,
            {"main": "main.f"},
        ),
        case(
            "behind a raise",
            """
            def a():
                pass
            def f():
                raise missing
                a()
            f()
            """,
            {"main": "main.f"},
        ),
        case(
            "behind break and continue",
            """
            def a():
                pass
            for i in []:
                continue
                a()
            while 1:
                break
                a()
            """,
            {},
        ),
        case(
            "behind an if whose ways all return",
            """
            def a():
                pass
            def f(x):
                if x:
                    return 1
                else:
                    return 2
                a()
            f(1)
            """,
            {"main": "main.f"},
        ),
    ],
)
def test_what_nobody_calls(write: Write, files: Files, edges: Edges) -> None:
    check(write, files, edges)


# ---------------------------------------------------------------- the order of things

AB = "def a():\n    pass\ndef b():\n    pass\n"
ABC = AB + "def c():\n    pass\n"


@pytest.mark.parametrize(
    ("code", "edges"),
    [
        case("overwritten", "f = a\nf = b\nf()\n", {"main": "main.b"}),
        case("overwritten later", "f = a\nf()\nf = b\n", {"main": "main.a"}),
        case("called before and after", "f = a\nf()\nf = b\nf()\n", {"main": "main.a main.b"}),
        case(
            "passed before and after",
            "def g(x):\n    x()\nf = a\ng(f)\nf = b\n",
            {"main": "main.g", "main.g": "main.a"},
        ),
        case(
            "global when it is called",
            "f = a\ndef g():\n    f()\nf = b\ng()\n",
            {"main": "main.g", "main.g": "main.b"},
        ),
        case("swap", "x, y = a, b\nx, y = y, x\nx()\n", {"main": "main.b"}),
        case("chained assignment", "x = y = a\nx()\ny()\n", {"main": "main.a"}),
        case("annotated assignment", "x: object = a\nx()\n", {"main": "main.a"}),
        case("deleted", "x = a\ndel x\nx()\n", {}),
        case(
            "defined twice",
            "def f():\n    a()\ndef f():\n    b()\nf()\n",
            {"main": "main.f", "main.f": "main.a main.b"},
        ),
        # branches
        case(
            "if joins",
            "if missing:\n    f = a\nelse:\n    f = b\nf()\n",
            {"main": "main.a main.b"},
        ),
        case("if without else", "f = a\nif missing:\n    f = b\nf()\n", {"main": "main.a main.b"}),
        case(
            "elif",
            "if missing:\n    f = a\nelif missing2:\n    f = b\nelse:\n    f = c\nf()\n",
            {"main": "main.a main.b main.c"},
        ),
        case(
            "overwritten in each branch",
            "f = c\nif missing:\n    f = a\nelse:\n    f = b\nf()\n",
            {"main": "main.a main.b"},
        ),
        case(
            "one branch does not see the other",
            "f = c\nif missing:\n    f = a\nelse:\n    f()\n",
            {"main": "main.c"},
        ),
        case(
            "overwritten behind a branch",
            "f = a\nif missing:\n    f = b\nf = c\nf()\n",
            {"main": "main.c"},
        ),
        case(
            "call in the condition",
            "if a():\n    pass\nelif b():\n    pass\n",
            {"main": "main.a main.b"},
        ),
        case(
            "branch that returns",
            "def g():\n    f = a\n    if missing:\n        f = b\n        return\n    f()\ng()\n",
            {"main": "main.g", "main.g": "main.a"},
        ),
        case(
            "early return",
            "def g():\n    if missing:\n        return a\n    return b\ng()()\n",
            {"main": "main.a main.b main.g"},
        ),
        case("conditional expression", "(a if missing else b)()\n", {"main": "main.a main.b"}),
        case("condition of one", "x = 1 if c() else 2\n", {"main": "main.c"}),
        case("or", "f = missing or a\nf()\n", {"main": "main.a"}),
        case("and of calls", "a() and b()\n", {"main": "main.a main.b"}),
        case("or of calls", "a() or b()\n", {"main": "main.a main.b"}),
        case("not", "not a()\n", {"main": "main.a"}),
        case("comparison", "a() < b() <= c()\n", {"main": "main.a main.b main.c"}),
        case("arithmetic", "-a() + b() * c()\n", {"main": "main.a main.b main.c"}),
        case("power", "a() ** b()\n", {"main": "main.a main.b"}),
        case("walrus", "if (f := a):\n    f()\n", {"main": "main.a"}),
        case("walrus keeps", "(f := a)()\nf()\n(f := b)\nf()\n", {"main": "main.a main.b"}),
        case("walrus in comprehension", "[f := a for _ in [1]]\nf()\n", {"main": "main.a"}),
        # loops
        case("for over functions", "for f in [a, b]:\n    f()\n", {"main": "main.a main.b"}),
        case(
            "changed in a loop",
            "f = a\nfor _ in range(3):\n    f()\n    f = b\n",
            {"main": "<builtin>.range main.a main.b"},
        ),
        case("while", "f = a\nwhile c():\n    f()\n    f = b\n", {"main": "main.a main.b main.c"}),
        case("for else", "for f in [a]:\n    f()\nelse:\n    b()\n", {"main": "main.a main.b"}),
        case("while else", "while missing:\n    a()\nelse:\n    b()\n", {"main": "main.a main.b"}),
        case(
            "three rounds",
            "f = g = a\nh = c\nwhile missing:\n    f()\n    f = g\n    g = h\n    h = b\n",
            {"main": "main.a main.b main.c"},
        ),
        case(
            "for over pairs",
            "for f, g in [(a, b)]:\n    f()\n",
            {"main": "main.a"},
        ),
        case(
            "enumerate and zip",
            "for i, f in enumerate([a]):\n    f()\nfor f, g in zip([b], [c]):\n    f()\n",
            {"main": "<builtin>.enumerate <builtin>.zip main.a main.b"},
        ),
        case(
            "break leaves with what was stored",
            "f = a\nwhile missing:\n    f = b\n    break\nf()\n",
            {"main": "main.a main.b"},
        ),
        case(
            "break in a branch",
            "f = a\nfor _ in missing:\n    if missing:\n        f = b\n        break\n"
            "    f = c\nf()\n",
            {"main": "main.a main.b main.c"},
        ),
        # exceptions
        case(
            "try",
            "try:\n    a()\nexcept ValueError:\n    b()\nelse:\n    c()\n",
            {"main": "main.a main.b main.c"},
        ),
        case(
            "stored in try",
            "f = a\ntry:\n    f = b\nexcept ValueError:\n    f()\n",
            {"main": "main.a main.b"},
        ),
        case("finally", "try:\n    a()\nfinally:\n    b()\n", {"main": "main.a main.b"}),
        case(
            "several handlers",
            "try:\n    pass\nexcept ValueError as e:\n    a()\nexcept (KeyError, OSError):\n"
            "    b()\n"
            "except:\n    c()\n",
            {"main": "main.a main.b main.c"},
        ),
        case(
            "return in try",
            "def g():\n    try:\n        return a\n    except ValueError:\n"
            "        return b\ng()()\n",
            {"main": "main.a main.b main.g"},
        ),
        case(
            "except star",
            "try:\n    a()\nexcept* ValueError:\n    b()\n",
            {"main": "main.a main.b"},
        ),
        case(
            "own exception",
            "class E(Exception):\n    def __init__(self):\n        a()\nraise E()\n",
            {"main": "main.E.__init__", "main.E.__init__": "main.a"},
        ),
        case(
            "own exception, class only",
            "class E(Exception):\n    def __init__(self):\n        a()\nraise E\n",
            {"main": "main.E.__init__", "main.E.__init__": "main.a"},
        ),
        case("assert", "assert a(), b()\n", {"main": "main.a main.b"}),
        # match
        case(
            "match",
            "match a():\n    case 1:\n        b()\n    case _:\n        c()\n",
            {"main": "main.a main.b main.c"},
        ),
        case(
            "match joins",
            "f = a\nmatch missing:\n    case 1:\n        f = b\nf()\n",
            {"main": "main.a main.b"},
        ),
        case(
            "match guard",
            "match missing:\n    case x if a():\n        b()\n",
            {"main": "main.a main.b"},
        ),
        case(
            "match captures",
            "match a:\n    case f:\n        f()\n",
            {"main": "main.a"},
        ),
    ],
)
def test_order_and_branches(write: Write, code: str, edges: Edges) -> None:
    check(write, ABC + code, edges)


# ---------------------------------------------------------------- functions


@pytest.mark.parametrize(
    ("code", "edges"),
    [
        # arguments
        case(
            "positional",
            "def f(x, y):\n    y()\nf(a, b)\n",
            {"main": "main.f", "main.f": "main.b"},
        ),
        case(
            "keywords in another order",
            "def f(x, y):\n    y()\nf(y=a, x=b)\n",
            {"main": "main.f", "main.f": "main.a"},
        ),
        case(
            "each call has its own result",
            "def f(x):\n    return x\nf(a)\nf(b)()\n",
            {"main": "main.b main.f"},
        ),
        case(
            "default", "def f(x=a):\n    x()\nf()\n", {"main": "main.f", "main.f": "main.a"}
        ),
        case(
            "default that is not used",
            "def f(x=a):\n    x()\nf(b)\n",
            {"main": "main.f", "main.f": "main.b"},
        ),
        case(
            "default of when the function was made",
            "d = a\ndef f(x=d):\n    x()\nd = b\nf()\n",
            {"main": "main.f", "main.f": "main.a"},
        ),
        case("call in a default", "def f(x=a()):\n    pass\n", {"main": "main.a"}),
        case(
            "keyword only",
            "def f(x, *, y=a):\n    y()\nf(c)\nf(c, y=b)\n",
            {"main": "main.f", "main.f": "main.a main.b"},
        ),
        case(
            "positional only",
            "def f(x, /, y):\n    x()\nf(a, y=b)\n",
            {"main": "main.f", "main.f": "main.a"},
        ),
        case(
            "positional only and the same keyword",
            "def f(x, /, **k):\n    k['x']()\nf(a, x=b)\n",
            {"main": "main.f", "main.f": "main.b"},
        ),
        case(
            "rest",
            "def f(x, *r):\n    r[1]()\nf(a, b, c)\n",
            {"main": "main.f", "main.f": "main.c"},
        ),
        case(
            "keyword behind the rest",
            "def f(*r, k):\n    k()\nf(a, b, k=c)\n",
            {"main": "main.f", "main.f": "main.c"},
        ),
        case(
            "for over the rest",
            "def f(*r):\n    for x in r:\n        x()\nf(a, b)\n",
            {"main": "main.f", "main.f": "main.a main.b"},
        ),
        case(
            "keywords",
            "def f(**k):\n    k['x']()\nf(x=a, y=b)\n",
            {"main": "main.f", "main.f": "main.a"},
        ),
        case(
            "both passed on",
            "def g(x, y):\n    y()\ndef f(*r, **k):\n    g(*r, **k)\nf(a, y=b)\n",
            {"main": "main.f", "main.f": "main.g", "main.g": "main.b"},
        ),
        case(
            "star argument",
            "def f(x, y):\n    y()\nf(*[a, b])\n",
            {"main": "main.f", "main.f": "main.b"},
        ),
        case(
            "star argument behind another",
            "def f(x, y, z):\n    z()\nf(c, *(a, b))\n",
            {"main": "main.f", "main.f": "main.b"},
        ),
        case(
            "double star argument",
            "def f(x, y):\n    y()\nf(**{'y': a, 'x': b})\n",
            {"main": "main.f", "main.f": "main.a"},
        ),
        case(
            "unknown star argument",
            "def f(x, y=a):\n    y()\nf(*missing)\n",
            {"main": "main.f", "main.f": "main.a"},
        ),
        case(
            "too many and too few arguments",
            "def f(x):\n    x()\nf(a, b, c)\nf()\nf(z=b)\n",
            {"main": "main.f", "main.f": "main.a"},
        ),
        # calls in calls
        case(
            "function as argument, two deep",
            "def g(x):\n    x()\ndef f(x):\n    g(x)\nf(a)\n",
            {"main": "main.f", "main.f": "main.g", "main.g": "main.a"},
        ),
        case(
            "result of a result",
            "def f():\n    def g():\n        return a\n    return g\nf()()()\n",
            {"main": "main.a main.f main.f.g"},
        ),
        case("argument that calls", "def f(x):\n    pass\nf(a())\n", {"main": "main.a main.f"}),
        case("several results", "def f():\n    return a, b\nx, y = f()\ny()\n",
             {"main": "main.b main.f"}),
        case("return without value", "def f():\n    return\nf()()\n", {"main": "main.f"}),
        case("no return", "def f():\n    pass\nx = f()\nx()\nx.y()\n", {"main": "main.f"},
        ),
        # recursion
        case(
            "recursion",
            "def f(n):\n    f(n - 1)\nf(3)\n",
            {"main": "main.f", "main.f": "main.f"},
        ),
        case(
            "recursion that nobody starts",
            "def f(n):\n    f(n - 1)\n",
            {"main.f": "main.f"},
        ),
        case(
            "mutual recursion",
            "def f(n):\n    g(n)\ndef g(n):\n    f(n)\nf(1)\n",
            {"main": "main.f", "main.f": "main.g", "main.g": "main.f"},
        ),
        case(
            "recursion passes on",
            "def f(x, n):\n    x()\n    f(b, n - 1)\nf(a, 2)\n",
            {"main": "main.f", "main.f": "main.a main.b main.f"},
        ),
        case(
            "recursion returns",
            "def f(n):\n    if n:\n        return a\n    return f(n - 1)\nf(2)()\n",
            {"main": "main.a main.f", "main.f": "main.f"},
        ),
        case(
            "function that makes itself new",
            "def f():\n    def g():\n        return f()\n    return g\nf()()()()()\n",
            {"main": "main.f main.f.g", "main.f.g": "main.f"},
        ),
        case(
            "calls itself with itself wrapped",
            "def f(x):\n    f(lambda: x)\nf(a)\n",
            {"main": "main.f", "main.f": "main.f"},
        ),
        case(
            "y combinator",
            "w = lambda x: x(x)\nw(w)\n",
            {"main": "main.<lambda1>", "main.<lambda1>": "main.<lambda1>"},
        ),
        # lambdas
        case(
            "lambda",
            "f = lambda: a()\nf()\n",
            {"main": "main.<lambda1>", "main.<lambda1>": "main.a"},
        ),
        case("called at once", "(lambda: 1)()\n", {"main": "main.<lambda1>"}),
        case(
            "two lambdas",
            "f = lambda: a()\ng = lambda x: x()\ng(b)\n",
            {
                "main": "main.<lambda2>",
                "main.<lambda1>": "main.a",
                "main.<lambda2>": "main.b",
            },
        ),
        case(
            "numbered per function",
            "x = lambda: a()\ndef f():\n    return lambda: b()\nf()()\n",
            {
                "main": "main.f main.f.<lambda1>",
                "main.<lambda1>": "main.a",
                "main.f.<lambda1>": "main.b",
            },
        ),
        case(
            "lambda in an argument",
            "def f(x):\n    x(a)\nf(lambda y: y())\n",
            {"main": "main.f", "main.f": "main.<lambda1>", "main.<lambda1>": "main.a"},
        ),
        case(
            "default of a lambda",
            "f = lambda x=a: x()\nf()\n",
            {"main": "main.<lambda1>", "main.<lambda1>": "main.a"},
        ),
        case(
            "lambda in a comprehension",
            "[f() for f in [lambda: a()]]\n",
            {"main": "main.<lambda1>", "main.<lambda1>": "main.a"},
        ),
        # closures and scopes
        case(
            "closure",
            "def f(x):\n    def g():\n        x()\n    return g\nf(a)()\n",
            {"main": "main.f main.f.g", "main.f.g": "main.a"},
        ),
        case(
            "two closures",
            "def f(x):\n    def g():\n        return x\n    return g\np = f(a)\nq = f(b)\np()()\n",
            {"main": "main.a main.f main.f.g"},
        ),
        case(
            "nonlocal",
            "def f():\n    x = a\n    def g():\n        nonlocal x\n        x = b\n    g()\n"
            "    x()\n"
            "f()\n",
            {"main": "main.f", "main.f": "main.b main.f.g"},
        ),
        case(
            "without nonlocal",
            "def f():\n    x = a\n    def g():\n        x = b\n    g()\n    x()\nf()\n",
            {"main": "main.f", "main.f": "main.a main.f.g"},
        ),
        case(
            "global",
            "x = a\ndef f():\n    global x\n    x = b\nf()\nx()\n",
            {"main": "main.b main.f"},
        ),
        case(
            "without global", "x = a\ndef f():\n    x = b\nf()\nx()\n", {"main": "main.a main.f"}
        ),
        case(
            "same names in different scopes",
            "def f():\n    def a():\n        b()\n    a()\na()\nf()\n",
            {"main": "main.a main.f", "main.f": "main.f.a", "main.f.a": "main.b"},
        ),
        case(
            "parameter hides a function",
            "def f(a):\n    a()\nf(b)\n",
            {"main": "main.f", "main.f": "main.b"},
        ),
        case(
            "class body is not seen by methods",
            "class C:\n    def a(self):\n        a()\nC().a()\n",
            {"main": "main.C.a", "main.C.a": "main.a"},
        ),
        case("builtin hidden", "def len(x):\n    a()\nlen([])\n",
             {"main": "main.len", "main.len": "main.a"}),
        # generators and comprehensions
        case(
            "generator",
            "def g():\n    yield a\n    yield b\nfor f in g():\n    f()\n",
            {"main": "main.a main.b main.g"},
        ),
        case(
            "next",
            "def g():\n    yield a\nnext(g())()\n",
            {"main": "<builtin>.next main.a main.g"},
        ),
        case(
            "yield from",
            "def g():\n    yield a\ndef h():\n    yield from g()\nfor f in h():\n    f()\n",
            {"main": "main.a main.h", "main.h": "main.g"},
        ),
        case("yield from a list", "def h():\n    yield from [a]\nfor f in h():\n    f()\n",
             {"main": "main.a main.h"}),
        case("list of a generator", "def g():\n    yield a\nlist(g())[0]()\n",
             {"main": "<builtin>.list main.a main.g"}),
        case("generator that nobody uses", "def g():\n    a()\n    yield b\n"
             "", {"main.g": "main.a"}),
        case("list comprehension", "[f() for f in [a, b]]\n", {"main": "main.a main.b"}),
        case("set comprehension", "{f() for f in [a]}\n", {"main": "main.a"}),
        case("dict comprehension", "d = {k(): f for k, f in [(a, b)]}\nd[1]()\n",
             {"main": "main.a main.b"}),
        case("generator expression", "for f in (x for x in [a]):\n    f()\n", {"main": "main.a"}),
        case("generator expression as argument", "list(f() for f in (a, b))\n",
             {"main": "<builtin>.list main.a main.b"}),
        case("condition in a comprehension", "[x for x in [1] if a() if b()]\n",
             {"main": "main.a main.b"}),
        case("nested comprehension", "[f() for fs in [[a], [b]] for f in fs]\n",
             {"main": "main.a main.b"}),
        case("comprehension in a comprehension", "[[f() for f in fs] for fs in [[a], [b]]]\n",
             {"main": "main.a main.b"}),
        case("comprehension has its own scope", "f = a\n[f for f in [b]]\nf()\n",
             {"main": "main.a"}),
        case("items of a comprehension", "[f for f in [a, b]][0]()\n", {"main": "main.a main.b"}),
        case(
            "comprehension in a function",
            "def f(x):\n    return [y(x) for y in [a]]\nf(1)\n",
            {"main": "main.f", "main.f": "main.a"},
        ),
        # decorators
        case(
            "own decorator",
            "def d(f):\n    def w():\n        f()\n    return w\n@d\ndef g():\n    a()\ng()\n",
            {"main": "main.d main.d.w", "main.d.w": "main.g", "main.g": "main.a"},
        ),
        case(
            "decorator that gives the function",
            "def d(f):\n    return f\n@d\ndef g():\n    a()\ng()\n",
            {"main": "main.d main.g", "main.g": "main.a"},
        ),
        case(
            "decorator that gives another",
            "def d(f):\n    return a\n@d\ndef g():\n    b()\ng()\n",
            {"main": "main.a main.d", "main.g": "main.b"},
        ),
        case(
            "stacked decorators",
            "def d(f):\n    def v():\n        f()\n    return v\n"
            "def e(f):\n    def w():\n        f()\n    return w\n"
            "@d\n@e\ndef g():\n    pass\ng()\n",
            {
                "main": "main.d main.d.v main.e",
                "main.d.v": "main.e.w",
                "main.e.w": "main.g",
            },
        ),
        case(
            "decorator with arguments",
            "def d(x):\n    def i(f):\n        def w():\n            x()\n            f()\n"
            "        return w\n    return i\n@d(a)\ndef g():\n    pass\ng()\n",
            {"main": "main.d main.d.i main.d.i.w", "main.d.i.w": "main.a main.g"},
        ),
        case(
            "functools.wraps",
            "import functools\ndef d(f):\n    @functools.wraps(f)\n    def w(*r):\n        f(*r)\n"
            "    return w\n@d\ndef g(x):\n    x()\ng(a)\n",
            {
                "main": "main.d main.d.w",
                "main.d": "functools.wraps",
                "main.d.w": "main.g",
                "main.g": "main.a",
            },
        ),
        case(
            "decorated and nobody calls it",
            "def d(f):\n    return a\n@d\ndef g():\n    b()\n",
            {"main": "main.d", "main.g": "main.b"},
        ),
        case(
            "class as decorator",
            "class D:\n    def __init__(self, f):\n        self.f = f\n    def __call__(self):\n"
            "        self.f()\n@D\ndef g():\n    pass\ng()\n",
            {"main": "main.D.__call__ main.D.__init__", "main.D.__call__": "main.g"},
        ),
        case(
            "class decorated",
            "def d(c):\n    a()\n    return c\n@d\nclass C:\n    def m(self):\n"
            "        pass\nC().m()\n",
            {"main": "main.C.m main.d", "main.d": "main.a"},
        ),
        case(
            "decorated method",
            "def d(f):\n    def w(self):\n        f(self)\n    return w\nclass C:\n    @d\n"
            "    def m(self):\n        a()\nC().m()\n",
            {"main": "main.d main.d.w", "main.d.w": "main.C.m", "main.C.m": "main.a"},
        ),
        # async
        case(
            "await",
            "async def g():\n    a()\n    return b\nasync def f():\n    x = await g()\n    x()\n",
            {"main.f": "main.b main.g", "main.g": "main.a"},
        ),
        case(
            "async for and with",
            "async def f(x):\n    async for i in a():\n        b()\n    async with c() as y:\n"
            "        pass\n",
            {"main.f": "main.a main.b main.c"},
        ),
        case(
            "async comprehension",
            "async def f(x):\n    return [a(i) async for i in x]\n",
            {"main.f": "main.a"},
        ),
        # higher order builtins
        case("map", "list(map(a, [1]))\n", {"main": "<builtin>.list <builtin>.map main.a"}),
        case("sorted with key", "sorted([1], key=a)\n", {"main": "<builtin>.sorted main.a"}),
        case(
            "map of a lambda",
            "for f in map(lambda x: x, [a]):\n    f()\n",
            {"main": "<builtin>.map main.<lambda1> main.a"},
        ),
        case("filter", "for f in filter(c, [a]):\n    f()\n",
             {"main": "<builtin>.filter main.a main.c"}),
        case(
            "getattr",
            "class C:\n    def m(self):\n        a()\ngetattr(C(), 'm')()\n",
            {"main": "<builtin>.getattr main.C.m", "main.C.m": "main.a"},
        ),
    ],
)  # fmt: skip
def test_functions(write: Write, code: str, edges: Edges) -> None:
    check(write, ABC + code, edges)


# ---------------------------------------------------------------- containers


@pytest.mark.parametrize(
    ("code", "edges"),
    [
        case("list", "x = [a, b]\nx[1]()\n", {"main": "main.b"}),
        case("tuple", "x = (a, b)\nx[0]()\n", {"main": "main.a"}),
        case("negative index", "x = [a, b]\nx[-1]()\n", {"main": "main.b"},
        ),
        case("item that is not there", "x = [a]\nx[5]()\n", {}),
        case("unknown index", "x = [a, b]\nx[missing]()\n", {"main": "main.a main.b"}),
        case("item stored", "x = [a, b]\nx[0] = c\nx[0]()\n", {"main": "main.c"}),
        case("item stored at -1", "x = [a, b]\nx[-1] = c\nx[1]()\nx[0]()\n",
             {"main": "main.a main.c"},
        ),
        case("nested lists", "x = [[a], [b, c]]\nx[1][0]()\n", {"main": "main.b"}),
        case("the same list", "x = [a]\ny = x\ny[0] = b\nx[0]()\n", {"main": "main.b"}),
        case("append", "x = []\nx.append(a)\nx[0]()\n", {"main": "<**PyList**>.append main.a"}),
        case("append and last", "x = [a]\nx.append(b)\nx[-1]()\n",
             {"main": "<**PyList**>.append main.b"},
        ),
        case("extend", "x = []\nx.extend([a, b])\nfor f in x:\n    f()\n",
             {"main": "<**PyList**>.extend main.a main.b"}),
        case("insert", "x = []\nx.insert(0, a)\nx[0]()\n", {"main": "<**PyList**>.insert main.a"}),
        case("pop", "x = [a]\nx.pop()()\n", {"main": "<**PyList**>.pop main.a"}),
        case("plus assigned", "x = [a]\nx += [b]\nx[1]()\n", {"main": "main.b"}),
        case("slice", "x = [a, b, c]\nx[1:][0]()\n", {"main": "main.b"}),
        case("slice to the end", "x = [a, b, c]\nfor f in x[:2]:\n    f()\n",
             {"main": "main.a main.b"}),
        case("slice with step", "x = [a, b, c]\nfor f in x[::2]:\n    f()\n",
             {"main": "main.a main.b main.c"}),
        case("slice of anything", "x = [a, b]\nx[missing:][0]()\n", {"main": "main.a main.b"}),
        case("unpacked", "x, y = [a, b]\ny()\n", {"main": "main.b"}),
        case("unpacked with star", "x, *y = [a, b, c]\ny[0]()\n", {"main": "main.b"}),
        case("unpacked around a star", "x, *y, z = a, b, c\nz()\n", {"main": "main.c"}),
        case("unpacked nested", "x, (y, z) = a, (b, c)\nz()\n", {"main": "main.c"}),
        case("unpacked in brackets", "[x, y] = a, b\nx()\n", {"main": "main.a"}),
        case("unpacked into items", "d = {}\nd['k'], y = a, b\nd['k']()\n", {"main": "main.a"}),
        case("star in a list", "x = [a, *[b, c]]\nx[2]()\n", {"main": "main.c"}),
        case("set", "for f in {a, b}:\n    f()\n", {"main": "main.a main.b"}),
        case("set add", "s = set()\ns.add(a)\nfor f in s:\n    f()\n",
             {"main": "<**PySet**>.add <builtin>.set main.a"}),
        case("calls in displays", "[a(), (b(),), {c(): 1}]\n", {"main": "main.a main.b main.c"}),
        # dictionaries
        case("dict", "d = {'x': a, 'y': b}\nd['y']()\n", {"main": "main.b"}),
        case("number as key", "d = {1: a, '1': b}\nd[1]()\n", {"main": "main.a"}),
        case("key that is not there", "d = {'x': a}\nd['z']()\n", {}),
        case("unknown key", "d = {'x': a, 'y': b}\nd[missing]()\n", {"main": "main.a main.b"}),
        case("stored under unknown key", "d = {'x': a}\nd[missing] = b\nd['x']()\n",
             {"main": "main.a main.b"}),
        case("key of a variable", "k = 'x'\nd = {k: a, 'y': b}\nd[k]()\n", {"main": "main.a"}),
        case("key of a parameter", "def f(d, k):\n    d[k]()\nf({'x': a, 'y': b}, 'x')\n",
             {"main": "main.f", "main.f": "main.a"}),
        case("dict stored", "d = {}\nd['x'] = a\nd['x']()\nd['x'] = b\nd['x']()\n",
             {"main": "main.a main.b"}),
        case("nested dict", "d = {'x': {'y': a}}\nd['x']['z'] = b\nd['x']['z']()\n",
             {"main": "main.b"}),
        case("get", "d = {'x': a, 'y': b}\nd.get('x')()\n", {"main": "<**PyDict**>.get main.a"}),
        case("get default", "d = {'x': a}\nd.get(missing, b)()\n",
             {"main": "<**PyDict**>.get main.a main.b"}),
        case("update", "d = {'x': a}\nd.update({'x': b})\nd['x']()\n",
             {"main": "<**PyDict**>.update main.b"}),
        case("update by keyword", "d = {}\nd.update(x=a)\nd['x']()\n",
             {"main": "<**PyDict**>.update main.a"}),
        case("items", "for k, f in {'x': a}.items():\n    f()\n",
             {"main": "<**PyDict**>.items main.a"}),
        case("values", "for f in {'x': a}.values():\n    f()\n",
             {"main": "<**PyDict**>.values main.a"}),
        wrong("keys", "for f in {a: 1}.keys():\n    f()\n", {"main": "<**PyDict**>.keys main.a"},
             "keys that are no constants are lost",
        ),
        wrong("function as key", "for f in {a: 1}:\n    f()\n", {"main": "main.a"},
             "keys that are no constants are lost",
        ),
        case("keys index", "d = {'x': a}\nfor k in d:\n    d[k]()\n", {"main": "main.a"}),
        case("setdefault", "d = {}\nd.setdefault('x', a)()\nd['x']()\n",
             {"main": "<**PyDict**>.setdefault main.a"}),
        case("dict call", "d = dict(x=a, y=b)\nd['x']()\n", {"main": "<builtin>.dict main.a"}),
        case("dict of pairs", "d = dict([('x', a)])\nd['x']()\n",
             {"main": "<builtin>.dict main.a"},
        ),
        case("double star in a dict", "d = {'x': a, **{'x': b}}\nd['x']()\n", {"main": "main.b"}),
        case("copy", "d = {'x': a}\ne = d.copy()\ne['x'] = b\nd['x']()\n",
             {"main": "<**PyDict**>.copy main.a"}),
        case("list in a dict", "d = {'x': [a, b]}\nd['x'][1]()\n", {"main": "main.b"}),
        case("filled by a function", "def f(x):\n    x['k'] = a\nd = {}\nf(d)\nd['k']()\n",
             {"main": "main.a main.f"}),
        # literals
        case("join", "','.join(['x'])\n", {"main": "<**PyStr**>.join"}),
        case("chain on a string", "'x'.strip().upper()\n",
             {"main": "<**PyStr**>.strip <**PyStr**>.upper"}),
        case("string of a variable", "x = 'x'\nx.upper()\n", {"main": "<**PyStr**>.upper"}),
        case("calls in an f-string", "f'{a()} {b()}'\n", {"main": "main.a main.b"},
        ),
        case("builtins", "print(len([]), str(1))\n",
             {"main": "<builtin>.len <builtin>.print <builtin>.str"}),
    ],
)  # fmt: skip
def test_containers(write: Write, code: str, edges: Edges) -> None:
    check(write, ABC + code, edges)


# ---------------------------------------------------------------- at least


def missed(code: str, callee: str, reason: str) -> object:
    return pytest.param(code, callee, marks=pytest.mark.xfail(strict=True, reason=reason))


MOVED = "what moves to another index is not found there"
OPERATOR = "the result of an operator on containers is not known"


@pytest.mark.parametrize(
    ("code", "callee"),
    [
        ("f = missing and a\nf()\n", "main.a"),
        ("f = a and b\nf()\n", "main.b"),
        ("f = a or b\nf()\n", "main.a"),
        ("f = None or a\nf()\n", "main.a"),
        ("x = [a, b]\nx.insert(missing, c)\nx[0]()\n", "main.c"),
        ("x = [a, b]\nfor i in range(2):\n    x[i]()\n", "main.b"),
        ("x = [a]\nx.insert(0, b)\nx[1]()\n", "main.a"),
        ("x = [a, b]\nx.pop(0)\nx[0]()\n", "main.b"),
        ("x = [a, b]\nx.reverse()\nx[0]()\n", "main.b"),
        ("x = [a, b]\ndel x[0]\nx[0]()\n", "main.b"),
        ("x = [a, b]\nx[0:1] = [c]\nx[0]()\n", "main.c"),
        ("x = [a] + [b]\nx[1]()\n", "main.b"),
        ("x = [a] * 3\nx[1]()\n", "main.a"),
        ("d = {'x': a} | {'y': b}\nd['y']()\n", "main.b"),
        missed(
            "class C:\n    def __new__(cls):\n        a()\n"
            "        return object.__new__(cls)\nC()\n",
            "main.C.__new__",
            "__new__ is not called",
        ),
    ],
)
def test_found_at_least(write: Write, code: str, callee: str) -> None:
    """Where more may be found than what would run."""
    repository = write(ABC + code)
    assert callee in call_graph(repository.project, repository.folder)["main"]


# ---------------------------------------------------------------- classes


@pytest.mark.parametrize(
    ("code", "edges"),
    [
        case("class without init", "class C:\n    pass\nC()\n", {}),
        case(
            "init",
            "class C:\n    def __init__(self, x):\n        x()\nC(a)\n",
            {"main": "main.C.__init__", "main.C.__init__": "main.a"},
        ),
        case(
            "method",
            "class C:\n    def m(self, x):\n        x()\nC().m(a)\n",
            {"main": "main.C.m", "main.C.m": "main.a"},
        ),
        case(
            "method of the class",
            "class C:\n    def m(self):\n        a()\nC.m(C())\n",
            {"main": "main.C.m", "main.C.m": "main.a"},
        ),
        case(
            "bound method",
            "class C:\n    def __init__(self):\n        self.f = a\n    def m(self):\n"
            "        self.f()\nx = C().m\nx()\n",
            {"main": "main.C.__init__ main.C.m", "main.C.m": "main.a"},
        ),
        case("method that is not there", "class C:\n    pass\nC().m()\n", {}),
        case(
            "method overwritten on the instance",
            "class C:\n    def m(self):\n        pass\nx = C()\nx.m = a\nx.m()\n",
            {"main": "main.a"},
        ),
        case(
            "class called in a method",
            "class C:\n    def m(self):\n        return C()\nC().m().m()\n",
            {"main": "main.C.m"},
        ),
        case(
            "instances of their own",
            "class C:\n    def __init__(self, x):\n        self.x = x\np = C(a)\nq = C(b)\np.x()\n",
            {"main": "main.C.__init__ main.a"},
        ),
        case(
            "set in any method",
            "class C:\n    def s(self, x):\n        self.x = x\n    def c(self):\n"
            "        self.x()\n"
            "x = C()\nx.s(a)\nx.c()\n",
            {"main": "main.C.c main.C.s", "main.C.c": "main.a"},
        ),
        case(
            "set from outside",
            "class C:\n    def c(self):\n        self.x()\nx = C()\nx.x = a\nx.c()\n",
            {"main": "main.C.c", "main.C.c": "main.a"},
        ),
        case("class attribute", "class C:\n    x = a\nC.x()\n", {"main": "main.a"}),
        case("class attribute of an instance", "class C:\n    x = [a]\nC().x[0]()\n",
             {"main": "main.a"}),
        case("class attribute stored", "class C:\n    x = a\nC.x = b\nC.x()\n", {"main": "main.b"}),
        case(
            "instance attribute before the class's",
            "class C:\n    x = [a]\nx = C()\nx.x = [b]\nx.x[0]()\n",
            {"main": "main.b"},
        ),
        case("class body", "class C:\n    a()\n    x = b()\n", {"main": "main.a main.b"}),
        case(
            "class body in a function",
            "def f():\n    class C:\n        a()\nf()\n",
            {"main": "main.f", "main.f": "main.a"},
        ),
        # inheritance
        case(
            "inherited",
            "class B:\n    def m(self):\n        a()\nclass C(B):\n    pass\nC().m()\n",
            {"main": "main.B.m", "main.B.m": "main.a"},
        ),
        case(
            "inherited init",
            "class B:\n    def __init__(self):\n        a()\nclass C(B):\n    pass\nC()\n",
            {"main": "main.B.__init__", "main.B.__init__": "main.a"},
        ),
        case(
            "overridden",
            "class B:\n    def m(self):\n        a()\nclass C(B):\n    def m(self):\n        b()\n"
            "C().m()\n",
            {"main": "main.C.m", "main.B.m": "main.a", "main.C.m": "main.b"},
        ),
        case(
            "self is of the subclass",
            "class B:\n    def t(self):\n        self.m()\n    def m(self):\n        pass\n"
            "class C(B):\n    def m(self):\n        pass\nC().t()\n",
            {"main": "main.B.t", "main.B.t": "main.C.m"},
        ),
        case(
            "super",
            "class B:\n    def m(self):\n        a()\nclass C(B):\n    def m(self):\n"
            "        super().m()\nC().m()\n",
            {
                "main": "main.C.m",
                "main.C.m": "<builtin>.super main.B.m",
                "main.B.m": "main.a",
            },
        ),
        case(
            "super with arguments",
            "class B:\n    def __init__(self):\n        a()\nclass C(B):\n    def __init__(self):\n"
            "        super(C, self).__init__()\nC()\n",
            {
                "main": "main.C.__init__",
                "main.C.__init__": "<builtin>.super main.B.__init__",
                "main.B.__init__": "main.a",
            },
        ),
        case(
            "class named instead of super",
            "class B:\n    def __init__(self):\n        self.x = a\nclass C(B):\n"
            "    def __init__(self):\n        B.__init__(self)\nC().x()\n",
            {"main": "main.C.__init__ main.a", "main.C.__init__": "main.B.__init__"},
        ),
        case(
            "diamond",
            "class A:\n    def m(self):\n        a()\nclass B(A):\n    pass\nclass C(A):\n"
            "    def m(self):\n        b()\nclass D(B, C):\n    pass\nD().m()\n",
            {"main": "main.C.m", "main.A.m": "main.a", "main.C.m": "main.b"},
        ),
        case(
            "super in a diamond",
            "class A:\n    def m(self):\n        pass\n"
            "class B(A):\n    def m(self):\n        super().m()\n"
            "class C(A):\n    def m(self):\n        super().m()\n"
            "class D(B, C):\n    def m(self):\n        super().m()\nD().m()\n",
            {
                "main": "main.D.m",
                "main.D.m": "<builtin>.super main.B.m",
                "main.B.m": "<builtin>.super main.C.m",
                "main.C.m": "<builtin>.super main.A.m",
            },
        ),
        case(
            "first base first",
            "class A:\n    def m(self):\n        pass\nclass B:\n    def m(self):\n        pass\n"
            "class C(A, B):\n    pass\nC().m()\n",
            {"main": "main.A.m"},
        ),
        case(
            "bases without an order",
            "class A:\n    def m(self):\n        pass\nclass B(A):\n    pass\n"
            "class C(A, B):\n    pass\nC().m()\n",
            {"main": "main.A.m"},
        ),
        case(
            "keyword of a class",
            "class M(type):\n    pass\nclass C(metaclass=M):\n    def m(self):\n"
            "        a()\nC().m()\n",
            {"main": "main.C.m", "main.C.m": "main.a"},
        ),
        # kinds of methods
        case(
            "static method",
            "class C:\n    @staticmethod\n    def m(x):\n        x()\nC.m(a)\nC().m(b)\n",
            {"main": "main.C.m", "main.C.m": "main.a main.b"},
        ),
        case(
            "class method",
            "class C:\n    @classmethod\n    def m(cls, x):\n        x()\n        return cls()\n"
            "    def n(self):\n        pass\nC.m(a).n()\n",
            {"main": "main.C.m main.C.n", "main.C.m": "main.a"},
        ),
        case(
            "class method of a subclass",
            "class B:\n    @classmethod\n    def make(cls):\n        return cls()\nclass C(B):\n"
            "    def n(self):\n        pass\nC.make().n()\n",
            {"main": "main.B.make main.C.n"},
        ),
        case(
            "what a property gives",
            "class C:\n    @property\n    def p(self):\n        return a\nC().p()\n",
            {"main": "main.a"},
        ),
        case(
            "what a property calls",
            "class C:\n    @property\n    def p(self):\n        b()\nC().p\n",
            {"main.C.p": "main.b"},
        ),
        case(
            "property with a setter",
            "class C:\n    @property\n    def p(self):\n        return self.q\n    @p.setter\n"
            "    def p(self, x):\n        self.q = x\nx = C()\nx.p = a\nx.p()\n",
            {"main": "main.a"},
        ),
        # special methods
        case(
            "__call__",
            "class C:\n    def __call__(self, x):\n        x()\nC()(a)\n",
            {"main": "main.C.__call__", "main.C.__call__": "main.a"},
        ),
        case(
            "inherited __call__",
            "class B:\n    def __call__(self):\n        self.m()\nclass C(B):\n    def m(self):\n"
            "        a()\nx = C()\nx()\n",
            {"main": "main.B.__call__", "main.B.__call__": "main.C.m", "main.C.m": "main.a"},
        ),
        case(
            "__iter__ and __next__",
            "class C:\n    def __iter__(self):\n        return self\n    def __next__(self):\n"
            "        return a\nfor f in C():\n    f()\n",
            {"main": "main.C.__iter__ main.C.__next__ main.a"},
        ),
        case(
            "__iter__ that yields",
            "class C:\n    def __iter__(self):\n        yield a\nfor f in C():\n    f()\n",
            {"main": "main.C.__iter__ main.a"},
        ),
        case(
            "__enter__ and __exit__",
            "class C:\n    def __enter__(self):\n        return a\n    def __exit__(self, *r):\n"
            "        b()\nwith C() as f:\n    f()\n",
            {"main": "main.C.__enter__ main.C.__exit__ main.a", "main.C.__exit__": "main.b"},
        ),
        case(
            "__enter__ alone",
            "class C:\n    def __enter__(self):\n        return a\nwith C() as f:\n    f()\n",
            {"main": "main.C.__enter__ main.a"},
        ),
        case(
            "__getitem__",
            "class C:\n    def __getitem__(self, k):\n        return k\nC()[a]()\n",
            {"main": "main.C.__getitem__ main.a"},
        ),
        case(
            "__setitem__",
            "class C:\n    def __setitem__(self, k, v):\n        v()\nC()[1] = a\n",
            {"main": "main.C.__setitem__", "main.C.__setitem__": "main.a"},
        ),
        wrong(
            "__add__",
            "class C:\n    def __add__(self, o):\n        return a\n(C() + 1)()\n",
            {"main": "main.C.__add__ main.a"},
             "operators of instances are not called",
        ),
        # others
        case(
            "nested class",
            "class C:\n    class D:\n        def m(self):\n            a()\nC.D().m()\n",
            {"main": "main.C.D.m", "main.C.D.m": "main.a"},
        ),
        case(
            "class in a function",
            "def f():\n    class C:\n        def m(self):\n            a()\n    return C()\n"
            "f().m()\n",
            {"main": "main.f main.f.C.m", "main.f.C.m": "main.a"},
        ),
        case(
            "function in a method",
            "class C:\n    def m(self):\n        def g():\n            self.n()\n        g()\n"
            "    def n(self):\n        pass\nC().m()\n",
            {"main": "main.C.m", "main.C.m": "main.C.m.g", "main.C.m.g": "main.C.n"},
        ),
        case(
            "class as argument",
            "class C:\n    def m(self):\n        pass\ndef f(c):\n    return c()\nf(C).m()\n",
            {"main": "main.C.m main.f"},
        ),
        case(
            "object in an object",
            "class C:\n    def m(self):\n        a()\nclass D:\n    def __init__(self):\n"
            "        self.c = C()\nD().c.m()\n",
            {"main": "main.C.m main.D.__init__", "main.C.m": "main.a"},
        ),
        case(
            "fluent",
            "class C:\n    def m(self):\n        return self\n    def n(self):\n"
            "        return self\n"
            "C().m().n().m()\n",
            {"main": "main.C.m main.C.n"},
        ),
        case(
            "lambda in a class",
            "class C:\n    f = lambda self: a()\nC().f()\n",
            {"main": "main.C.<lambda1>", "main.C.<lambda1>": "main.a"},
        ),
        case(
            "type of an instance",
            "class C:\n    def m(self):\n        return type(self)()\nC().m().m()\n",
            {"main": "main.C.m", "main.C.m": "<builtin>.type"},
        ),
        case(
            "same methods of two classes",
            "class C:\n    def m(self):\n        a()\nclass D:\n    def m(self):\n        b()\n"
            "def f(x):\n    x.m()\nf(C())\n",
            {
                "main": "main.f",
                "main.f": "main.C.m",
                "main.C.m": "main.a",
                "main.D.m": "main.b",
            },
        ),
        case(
            "one of two classes",
            "class C:\n    def m(self):\n        pass\nclass D:\n    def m(self):\n        pass\n"
            "x = C() if missing else D()\nx.m()\n",
            {"main": "main.C.m main.D.m"},
        ),
    ],
)  # fmt: skip
def test_classes(write: Write, code: str, edges: Edges) -> None:
    check(write, AB + code, edges)


# ---------------------------------------------------------------- modules


@pytest.mark.parametrize(
    ("files", "edges"),
    [
        case(
            "import",
            {"main.py": "import m\nm.f()\n", "m.py": "def f():\n    pass\n"},
            {"main": "m.f"},
        ),
        case(
            "import as",
            {"main.py": "import m as n\nn.f()\n", "m.py": "def f():\n    pass\n"},
            {"main": "m.f"},
        ),
        case(
            "from",
            {"main.py": "from m import f, g as h\nh()\n",
             "m.py": "def f():\n    pass\ndef g():\n    f()\n"},
            {"main": "m.g", "m.g": "m.f"},
        ),
        case(
            "star",
            {"main.py": "from m import *\nf()\n", "m.py": "def f():\n    pass\n"},
            {"main": "m.f"},
        ),
        case(
            "star hides",
            {"main.py": "def f():\n    pass\nfrom m import *\nf()\n",
             "m.py": "def f():\n    pass\n"},
            {"main": "m.f"},
        ),
        case(
            "star and __all__",
            {"main.py": "from m import *\n_f()\ng()\n",
             "m.py": "__all__ = ['_f']\ndef _f():\n    pass\ndef g():\n    pass\n"},
            {"main": "m._f"},
        ),
        case(
            "star does not bring private names",
            {"main.py": "from m import *\n_f()\n", "m.py": "def _f():\n    pass\n"},
            {},
        ),
        case(
            "package",
            {"main.py": "import pkg.mod\npkg.mod.f()\n", "pkg/__init__.py": "",
             "pkg/mod.py": "def f():\n    pass\n"},
            {"main": "pkg.mod.f"},
        ),
        case(
            "package without init",
            {"main.py": "import pkg.mod\npkg.mod.f()\n", "pkg/mod.py": "def f():\n    pass\n"},
            {"main": "pkg.mod.f"},
        ),
        case(
            "from package import module",
            {"main.py": "from pkg import mod\nmod.f()\n", "pkg/__init__.py": "",
             "pkg/mod.py": "def f():\n    pass\n"},
            {"main": "pkg.mod.f"},
        ),
        case(
            "re-export",
            {"main.py": "from pkg import f\nf()\n", "pkg/__init__.py": "from .mod import f\n",
             "pkg/mod.py": "def f():\n    pass\n"},
            {"main": "pkg.mod.f"},
        ),
        case(
            "re-export under another name",
            {"main.py": "import pkg\npkg.g()\n", "pkg/__init__.py": "from .mod import f as g\n",
             "pkg/mod.py": "def f():\n    pass\n"},
            {"main": "pkg.mod.f"},
        ),
        case(
            "function named like its module",
            {"main.py": "from pkg import f\nf()\n", "pkg/__init__.py": "from .f import f\n",
             "pkg/f.py": "def f():\n    pass\n"},
            {"main": "pkg.f.f"},
        ),
        case(
            "relative",
            {"main.py": "import pkg.one\npkg.one.f()\n", "pkg/__init__.py": "",
             "pkg/one.py": "from .two import g\nfrom . import two\ndef f():\n    g()\n"
             "    two.h()\n",
             "pkg/two.py": "def g():\n    pass\ndef h():\n    pass\n"},
            {"main": "pkg.one.f", "pkg.one.f": "pkg.two.g pkg.two.h"},
        ),
        case(
            "relative, two up",
            {"main.py": "from pkg.sub.one import f\nf()\n", "pkg/__init__.py": "",
             "pkg/sub/__init__.py": "",
             "pkg/sub/one.py": "from ..two import g\ndef f():\n    g()\n",
             "pkg/two.py": "def g():\n    pass\n"},
            {"main": "pkg.sub.one.f", "pkg.sub.one.f": "pkg.two.g"},
        ),
        case(
            "module runs when it is imported",
            {"main.py": "import m\n", "m.py": "def f():\n    pass\nf()\n"},
            {"m": "m.f"},
        ),
        case(
            "init of a package runs",
            {"main.py": "import pkg.mod\npkg.x()\n",
             "pkg/__init__.py": "def f():\n    pass\nx = f\nf()\n", "pkg/mod.py": ""},
            {"main": "pkg.f", "pkg": "pkg.f"},
        ),
        case(
            "circular",
            {"main.py": "import one\none.f()\n",
             "one.py": "import two\ndef f():\n    two.g()\n",
             "two.py": "import one\ndef g():\n    one.f()\n"},
            {"main": "one.f", "one.f": "two.g", "two.g": "one.f"},
        ),
        case(
            "circular without a start",
            {"one.py": "import two\ndef f():\n    two.g()\n",
             "two.py": "import one\ndef g():\n    one.f()\n"},
            {"one.f": "two.g", "two.g": "one.f"},
        ),
        case(
            "imports itself",
            {"main.py": "import main\ndef f():\n    main.f()\n"},
            {"main.f": "main.f"},
        ),
        case(
            "conditional",
            {"main.py": "try:\n    from one import f\nexcept ImportError:\n    from two import f\n"
                        "f()\n",
             "one.py": "def f():\n    pass\n", "two.py": "def f():\n    pass\n"},
            {"main": "one.f two.f"},
        ),
        case(
            "conditional, none there",
            {"main.py": "try:\n    import nowhere as n\nexcept ImportError:\n    n = None\n"
                        "n.f()\n"},
            {"main": "nowhere.f"},
        ),
        case(
            "in a function",
            {"main.py": "def g():\n    from m import f\n    f()\ng()\n",
             "m.py": "def f():\n    pass\nf()\n"},
            {"main": "main.g", "main.g": "m.f", "m": "m.f"},
        ),
        case(
            "in a function that nobody calls",
            {"main.py": "def g():\n    import m\n    m.f()\n", "m.py": "def f():\n    pass\n"},
            {"main.g": "m.f"},
        ),
        case(
            "attribute stored",
            {"main.py": "import m\ndef f():\n    pass\nm.x = f\nm.x()\nm.g()\n",
             "m.py": "x = None\ndef g():\n    x()\n"},
            {"main": "m.g main.f", "m.g": "main.f"},
        ),
        case(
            "variable",
            {"main.py": "import m\nm.x['k']()\n", "m.py": "def f():\n    pass\nx = {'k': f}\n"},
            {"main": "m.f"},
        ),
        case(
            "class",
            {"main.py": "from m import B\nclass C(B):\n    def f(self):\n        pass\nC().g()\n",
             "m.py": "class B:\n    def g(self):\n        self.f()\n"},
            {"main": "m.B.g", "m.B.g": "main.C.f"},
        ),
        case(
            "function passed between modules",
            {"main.py": "import m\ndef f():\n    pass\nm.run(f)\n",
             "m.py": "def run(x):\n    x()\n"},
            {"main": "m.run", "m.run": "main.f"},
        ),
        case(
            "same names",
            {"main.py": "import m\ndef f():\n    m.f()\nf()\n", "m.py": "def f():\n    pass\n"},
            {"main": "main.f", "main.f": "m.f"},
        ),
        case(
            "module as argument",
            {"main.py": "import m\ndef g(x):\n    x.f()\ng(m)\n", "m.py": "def f():\n    pass\n"},
            {"main": "main.g", "main.g": "m.f"},
        ),
        case(
            "name that is not there",
            {"main.py": "import m\nfrom m import g\nm.f()\ng()\n", "m.py": ""},
            {},
        ),
        case(
            "__main__",
            "def f():\n    pass\nif __name__ == '__main__':\n    f()\n",
            {"main": "main.f"},
        ),
        # external
        case("external", "import numpy\nnumpy.zeros(1)\n", {"main": "numpy.zeros"}),
        case("external as", "import numpy as np\nnp.random.rand()\n",
             {"main": "numpy.random.rand"}),
        case("external from", "from os.path import join as j\nj('a')\n", {"main": "os.path.join"}),
        case("external submodule", "import os.path\nos.path.join('a')\n", {"main": "os.path.join"}),
        case("method of what an external gives", "import ext\nx = ext.Cls()\nx.fun()\n",
             {"main": "ext.Cls ext.Cls.fun"}),
        case("what an external gives, called",
             "import tensorflow as tf\ntf.keras.layers.Dense(1)(2)\n",
             {"main": "tensorflow.keras.layers.Dense"}),
        case("external attribute held", "import ext\nf = ext.a.b\nf()\n", {"main": "ext.a.b"}),
        case("external base",
             "import ext\nclass C(ext.B):\n    def m(self):\n        self.n()\n        self.o()\n"
             "    def o(self):\n        pass\nC().m()\n",
             {"main": "ext.B.__init__ main.C.m", "main.C.m": "ext.B.n main.C.o"}),
        case("super of an external",
             "import ext\nclass C(ext.B):\n    def __init__(self):\n"
             "        super().__init__()\nC()\n",
             {"main": "main.C.__init__", "main.C.__init__": "<builtin>.super ext.B.__init__"}),
        case("external decorator", "import ext\n@ext.d\ndef f():\n    pass\nf()\n",
             {"main": "ext.d main.f"},
        ),
        case("external decorator with arguments", "import ext\n@ext.d(1)\ndef f():\n"
             "    pass\nf()\n",
             {"main": "ext.d main.f"}),
        case("external star", "from ext import *\nf()\n", {}),
        case("external relative", {"pkg/__init__.py": "", "pkg/m.py": "from .nowhere import f\n"},
             {}),
        case("longer and longer names",
             "import ext\nx = ext.x\nwhile x:\n    x = x.parent\n    x.f()\n",
             {"main": " ".join(f"ext.x{'.parent' * n}.f" for n in range(1, 6))}),
        case("function given to an external",
             "import ext\ndef f():\n    pass\ndef g():\n    f()\next.run(g)\n",
             {"main": "ext.run", "main.g": "main.f"}),
        # Python 2
        case("print statement", "def f():\n    pass\nprint f()\n", {"main": "main.f"}),
        case("print to a file", "def f():\n    pass\nprint >>f(), f(), 1\n", {"main": "main.f"}),
        case("except with comma",
             "def f():\n    pass\ntry:\n    print 1\nexcept ValueError, e:\n    f()\n",
             {"main": "main.f"}),
        case("old raise", "class E:\n    def __init__(self, x):\n        pass\nraise E, 'x'\n",
             {"main": "main.E.__init__"}),
        case("exec statement", "print 1\nexec 'f()'\n", {}),
        case("backticks", "def f():\n    pass\nprint `f()`\n", {"main": "main.f"},
        ),
        wrong("unpacked parameter",
             "def g():\n    pass\ndef f((x, y)):\n    print 1\n    y()\nf((1, g))\n",
             {"main": "main.f", "main.f": "main.g"},
             "a parameter (x, y) is not unpacked",
        ),
        case("dict.has_key", "print {}.has_key(1)\n", {"main": "<**PyDict**>.has_key"}),
    ],
)  # fmt: skip
def test_modules(write: Write, files: Files, edges: Edges) -> None:
    check(write, files, edges)


# ---------------------------------------------------------------- any program comes to an end

STANDARD = [
    "json.decoder", "json.encoder", "argparse", "ast", "dataclasses", "typing", "enum",
    "collections", "functools", "inspect", "contextlib", "asyncio.tasks", "asyncio.base_events",
    "asyncio.queues", "configparser", "bisect", "copy", "csv", "difflib", "fractions", "heapq",
    "logging", "optparse", "pathlib", "pickle", "pprint", "random", "shutil", "subprocess",
    "textwrap", "tokenize", "unittest.mock", "zipfile",
]  # fmt: skip


@pytest.mark.parametrize("name", STANDARD)
def test_a_module_of_the_standard_library_ends(tmp_path: Path, name: str) -> None:
    spec = importlib.util.find_spec(name)
    if spec is None or spec.origin is None or not spec.origin.endswith(".py"):
        pytest.skip(f"no source of {name}")
    path = tmp_path / "main.py"
    shutil.copy(spec.origin, path)
    with ending():
        graph = call_graph(Project([tmp_path]), tmp_path)
    assert "main" in graph
    assert all(callee in graph for callees in graph.values() for callee in callees)


def test_the_analyzer_ends(tmp_path: Path) -> None:
    """Of its folders those that the two that run programs need most."""
    origin = Path(pinsetter.analyzer.__file__).parent
    for name in ("interpreter", "roles", "syntax", "names", "library"):
        ignored = shutil.ignore_patterns("*.json", "*.pyc", "*.txt")
        shutil.copytree(origin / name, tmp_path / "analyzer" / name, ignore=ignored)
    with ending():
        graph = call_graph(Project([tmp_path]), tmp_path)
    assert "analyzer.interpreter.interpret" in graph["analyzer.roles.call_graph.call_graph"]
    assert "analyzer.interpreter.calls.enter" in graph["analyzer.interpreter._leave_open"]


@pytest.mark.parametrize(
    "code",
    [
        "".join(f"def f{n}(x):\n    f{n + 1}(x)\n    f{n + 1}(x)\n" for n in range(60)) + "f0(1)\n",
        "def f(x):\n    " + "".join(f"f({n})\n    " for n in range(100)) + "\nf(0)\n",
        "def f(x):\n    return [f([x]), f({x: f(x)}), f(lambda: f(x))]\nf(f)(f)\n",
        "x = []\nx.append(x)\nfor y in x:\n    for z in y:\n        z(y)\nx[0][0][0]()\n",
        "class C:\n    def __getattr__(self, n):\n        return self.other\nC().x.y.z()\n",
        "class C:\n    def __call__(self):\n        return self()\nC()()\n",
        "class C:\n    def __iter__(self):\n        return iter(self)\nfor x in C():\n    x()\n",
        "class C:\n    def __init__(self):\n        self.c = C()\nC().c.c.c\n",
        "class C(C):\n    pass\nC().x()\n",
        "class A(B):\n    pass\nclass B(A):\n    pass\nB().x()\n",
        "class C:\n    __call__ = None\nC.__call__ = C()\nC()()\n",
        "class C:\n    @property\n    def p(self):\n        return self.p.p\nC().p.p()\n",
        "def f():\n    global f\n    f = lambda: f()\n    return f\nf()()()\n",
        "def d(f):\n    return d\n@d\n@d(d)\n@d(d)(d)\ndef g():\n    g()\n",
        "def g():\n    yield from g()\nfor x in g():\n    x()\n",
        "a = b = c = 1\n" + "for x in y:\n    a, b, c = b, c, [a]\n" * 30,
        "f(" * 80 + ")" * 80,
        "x = 1\n" + "".join(f"{' ' * n}if x:\n" for n in range(18)) + " " * 18 + "x()\n",
        "f(a.b = c)\nf(a=b)\n",
        "await a = b\n",
        "f'{'\n",
        "def f(:\n",
    ],
)
def test_odd_programs_end(write: Write, code: str) -> None:
    repository = write({"main.py": code, "other.py": "def f():\n    pass\nf()\n"})
    with ending():
        graph = call_graph(repository.project, repository.folder)
    assert graph["other"] == ["other.f"]


# ---------------------------------------------------------------- the same answer each time

ONE = "def a(x):\n    x()\ndef b():\n    pass\na(b)\n"
TWO = "class C:\n    def m(self):\n        self.n()\n    def n(self):\n        print('')\nC().m()\n"


@pytest.mark.parametrize("given", [("one.py", "two.py"), ("two.py", "one.py"), ("",)])
def test_order_of_files_does_not_matter(write: Write, given: tuple[str, ...]) -> None:
    repository = write({"one.py": ONE, "two.py": TWO}, given)
    assert call_graph(repository.project, repository.folder) == {
        "<builtin>.print": [],
        "one": ["one.a"],
        "one.a": ["one.b"],
        "one.b": [],
        "two": ["two.C.m"],
        "two.C.m": ["two.C.n"],
        "two.C.n": ["<builtin>.print"],
    }


def test_names_are_below_base_or_in_the_repository(write: Write) -> None:
    repository = write({"src/pkg/__init__.py": "", "src/pkg/m.py": ONE, "other.py": TWO})
    graph = call_graph(repository.project, repository.folder / "src")
    assert graph["pkg.m"] == ["pkg.m.a"]
    assert graph["other"] == ["other.C.m"]


def test_twice_in_one_process(write: Write) -> None:
    repository = write({"one.py": ONE, "two.py": TWO})
    first = call_graph(repository.project, repository.folder)
    assert call_graph(repository.project, repository.folder) == first


# Not strict: most runs agree.


@pytest.mark.parametrize(
    "name",
    [
        "dataclasses",
        "enum",
        "argparse",
        "pathlib",
    ],
)
def test_every_process_finds_the_same(tmp_path: Path, name: str) -> None:
    spec = importlib.util.find_spec(name)
    assert spec is not None
    assert spec.origin is not None
    shutil.copy(spec.origin, tmp_path / "main.py")
    (tmp_path / "one.py").write_text(ONE)
    program = (
        "import json, sys; from pathlib import Path\n"
        "from pinsetter.analyzer.roles.call_graph import call_graph\n"
        "from pinsetter.analyzer.names.project import Project\n"
        "base = Path(sys.argv[1])\n"
        "print(json.dumps(call_graph(Project([base]), base)))\n"
    )
    found = []
    for seed in "0", "1", "77":
        done = subprocess.run(
            [sys.executable, "-c", program, str(tmp_path)],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
            timeout=120,
        )
        found.append(json.loads(done.stdout))
    assert found[0] == found[1] == found[2]


def test_functions_that_are_called_very_often_are_followed_together(write: Write) -> None:
    # Each function calls the next one twice: one by one there would be 2 ** 24 calls.
    code = "".join(f"def f{n}():\n    f{n + 1}()\n    f{n + 1}()\n" for n in range(24))
    repository = write({"main.py": f"{code}def f24():\n    pass\nf0()\n"})
    run = interpret(repository.project, repository.folder)
    assert run.cut == 0
    assert run.calls["main.f23"] == {"main.f24"}
