"""Which bindings reach a read, and which names are live, by comments at the ends of lines.

``# x: 1, 2`` lists the lines whose bindings of ``x`` reach the read there, ``?`` an unbound name,
``*`` a binding of another scope. ``# live: x, y`` are the names that are live after the statement
that begins on the line.
"""

from __future__ import annotations

import pytest
from flows import Source, line_of


def noted(text: str, key: str) -> dict[int, str]:
    found = {}
    for number, line in enumerate(text.splitlines(), 1):
        _, _, comment = line.partition("# ")
        for part in comment.split(";"):
            name, _, value = part.partition(":")
            if name.strip() == key:
                found[number] = ", ".join(value.replace(",", " ").split())
    return found


def cases(text: str) -> dict[str, str]:
    """The programs in ``text`` by their names, which stand behind ``===``."""
    parts = (part.partition("\n") for part in text.split("=== ")[1:])
    return {name: program for name, _, program in parts}


REACHING = cases("""\
=== parameter
def f(x):
    x  # x: 1
=== unbound
def f():
    x  # x: ?
    x = 1
=== replaced
def f():
    x = 1
    x = 2
    x  # x: 3
=== augmented
def f():
    x = 1
    x += 1  # x: 2
    x  # x: 3
=== branch
def f(x):
    if x:  # x: 1
        x = 1
    x  # x: 1, 3
=== both branches
def f(c):
    if c:
        x = 1
    else:
        x = 2
    x  # x: 3, 5
=== loop
def f(c):
    for x in c:
        x  # x: 2
        x = 1
        x  # x: 4
    x  # x: 4, ?
=== while
def f(c):
    x = 0
    while c:
        x  # x: 2, 5
        x = 1
    x  # x: 2, 5
=== deleted
def f(x):
    del x
    x  # x: ?
=== try
def f():
    try:
        x = g()
        h()
    except E:
        x  # x: 3, ?
    x  # x: 3, ?
=== single store
def f():
    x = 0
    try:
        x = g()
    except E:
        x  # x: 2
=== several stores
def f(o):
    x = 0
    try:
        x, o.p = g()
    except E:
        x  # x: 2, 4
=== finally
def f():
    try:
        x = g()
    finally:
        x  # x: 3, ?
    x  # x: 3
=== return in finally
def f():
    x = 0
    try:
        x = 1
        return
    finally:
        x  # x: 2, 4
=== except as
def f():
    try:
        g()
    except E as x:
        x  # x: 4
    x  # x: 4, ?
=== with
def f(c):
    with c as x:
        y = x  # x: 2
    y  # y: 3, ?
=== match
def f(c):
    match c:
        case [x, 1]:
            x  # x: 3
        case x:
            x  # x: 5
    x  # x: 3, 5
=== walrus
def f(c):
    if (x := c):
        x  # x: 2
    c and (y := 1)
    y  # y: 4, ?
=== same statement
def f(c):
    g(x := c, x)  # x: 2, ?
=== comprehension
def f(c):
    x = 1
    [x for _ in c]  # x: 2
    [(y := z) for z in c]
    y  # y: 4, ?
=== nested
def f():
    x = 1
    def g():
        nonlocal x
        x = 2
    x  # x: 2, 5
    x = 3
    x  # x: 5, 7
=== global
def f():
    global x
    x  # x: *
    x = 1
    x  # x: 4, *
=== endless
def f():
    x = 1
    while True:
        x = 2
        if x:
            break
    x  # x: 4
=== not reached
def f():
    x = 1
    return
    x  # x:
=== continue
def f(c):
    x = 0
    for i in c:
        if i:
            x = 1
            continue
        x  # x: 2, 5
=== f-string
def f(x):
    f'{x}'
    x  # x: 1
""")


@pytest.mark.parametrize("text", REACHING.values(), ids=REACHING)
def test_reaching(text: str) -> None:
    source = Source(text, "f")
    checked = 0
    for name in ("x", "y"):
        for line, expected in noted(text, name).items():
            leaf = source.leaves(name, line)[-1]
            lines = sorted({line_of(b.node) for b in source.flow.definitions_of(leaf)})
            found = [*map(str, lines)]
            found += ["?"] if source.flow.maybe_unbound(leaf) else []
            found += ["*"] if source.flow.bound_elsewhere(leaf) else []
            assert ", ".join(found) == expected, f"line {line}"
            checked += 1
    assert checked


LIVE = cases("""\
=== parameter
def f(x):
    pass  # live: x
    x  # live:
=== nothing read
def f():
    x = 1  # live:
=== read
def f():
    x = 1  # live: x
    x  # live:
=== bound again
def f():
    x = 1  # live:
    x = 2  # live: x
    return x  # live:
=== attribute
def f():
    x = 1  # live: x
    x.y = 2  # live:
=== branch
def f(c):
    x = 1  # live: x, c
    if c:  # live: x
        x = 2  # live: x
    x
=== loop
def f(c):
    x = 1  # live: c, x
    for i in c:  # live:
        x  # live:  x
=== target
def f(c):
    i = 0  # live: c, i
    for i in c:  # live: i
        pass  # live: i
    i
=== break
def f(c):
    while c:
        x = 1  # live: x
        break  # live: x
    x
=== handler
def f():
    x = 1  # live: x
    try:
        x = g()  # live:
    except E:
        x
=== raise
def f():
    try:
        x = 1  # live: x
        raise E  # live: x
    except E:
        x
=== finally
def f():
    x = 1  # live: x
    try:
        return 1  # live: x
    finally:
        x  # live:
=== captured
def f():
    x = 1  # live: x
    g = lambda: x  # live: g, x
    x = 2  # live: g, x
    g()  # live: x
=== global
def f():
    global x
    x = 1  # live: x
    x = 2  # live: x
=== deleted
def f():
    x = 1  # live: x
    del x  # live:
    x = 2  # live:
=== augmented
def f():
    x = 1  # live: x
    x += 1  # live:
=== class
def f():
    x = 1  # live: x
    class A:  # live:
        y = x
""")


@pytest.mark.parametrize("text", LIVE.values(), ids=LIVE)
def test_live_after(text: str) -> None:
    source = Source(text, "f")
    for line, expected in noted(text, "live").items():
        live = source.flow.live_after(source.at_line(line))
        assert live == set(expected.replace(",", " ").split()), f"line {line}"


def test_a_module_and_a_class_keep_their_names() -> None:
    module = Source("x = 1\nx = 2\ny = 3\n")
    assert module.flow.live_after(module.at_line(1)) == set()
    assert module.flow.live_after(module.at_line(2)) == {"x"}
    assert module.flow.live_after(module.at_line(3)) == {"x", "y"}
    inner = Source("class A:\n    x = 1\n    y = 2\n", "A")
    assert inner.flow.live_after(inner.at_line(3)) == {"x", "y"}


def test_compound_statements_and_lines() -> None:
    source = Source("def f(a):\n    b = a; c = b\n    if c:\n        d = 1\n    return d\n", "f")
    line = source.at_line(2).parent
    assert line is not None
    assert source.flow.live_before(line) == {"a", "d"}
    assert source.flow.live_after(line) == {"c", "d"}
    assert source.flow.live_after(source.at_line(3)) == {"d"}


def test_behind_several_statements() -> None:
    block = "        b = a\n        c = b\n        del b\n"
    source = Source(f"def f(a):\n    try: a()\n    finally:\n{block}    c\n", "f")
    first, second, third = map(source.at_line, (4, 5, 6))
    assert source.flow.live_after(first) == {"b"}
    assert source.flow.live_after(first, last=first) == {"b"}
    assert source.flow.live_after(first, last=second) == {"b", "c"}
    assert source.flow.live_after(second, last=third) == {"c"}


def test_a_star_import_may_bind_any_name() -> None:
    source = Source("x = 1\nfrom m import *\nx\n")
    leaf = source.leaf("x", 3)
    assert [line_of(b.node) for b in source.flow.definitions_of(leaf)] == [1]
    assert source.flow.bound_elsewhere(leaf)


def test_names_of_others() -> None:
    source = Source("def f():\n    len\n    [y for y in z]\n    lambda x: x\n", "f")
    leaf = source.leaf("len", 2)
    assert source.flow.definitions_of(leaf) == ()
    assert source.flow.bound_elsewhere(leaf)
    assert not source.flow.maybe_unbound(leaf)
    for name, line, nth in ("y", 3, 0), ("x", 4, 1), ("f", 1, 0):
        with pytest.raises(KeyError):
            source.flow.definitions_of(source.leaf(name, line, nth))


def test_a_manager_that_suppresses_nothing() -> None:
    text = "def f(c):\n    with c:\n        y = 1\n    y\n"
    for suppresses, unbound in (lambda item: False, False), (lambda item: True, True):
        source = Source(text, "f", suppresses)
        assert source.flow.maybe_unbound(source.leaf("y", 4)) is unbound


def test_definitions_at_a_statement() -> None:
    source = Source("x = 1\nif x:\n    x = 2\npass\n")
    lines = [line_of(b.node) for b in source.flow.definitions_at(source.at_line(4), "x")]
    assert lines == [1, 3]
    with pytest.raises(KeyError):
        source.flow.definitions_at(source.at_line(4), "y")
