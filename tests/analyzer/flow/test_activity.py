"""Activity: ``r`` read, ``w`` written, ``d`` deleted, ``m`` modified, ``c`` captured."""

from __future__ import annotations

import pytest
from flows import Source

from pinsetter.analyzer.flow import Activity


def shown(activity: Activity) -> str:
    parts = {"r": activity.read, "w": activity.written, "d": activity.deleted,
             "m": activity.modified, "c": activity.captured}  # fmt: skip
    return " ".join(f"{k}:{','.join(sorted(names))}" for k, names in parts.items() if names)


def activity(text: str, line: int = 1) -> str:
    source = Source(text)
    return shown(source.flow.activity(source.at_line(line)))


@pytest.mark.parametrize(
    "text",
    ["pass\n", "1\n", "'x'\n", "None\n", "...\n", "global x\n", "from m import *\n", "break\n",
     "try:\n    a\nexcept A:\n    b\n", "f'{{x}}'\n", "-1j\n", "b'x'\n", "raise\n", "return\n"],
)  # fmt: skip
def test_nothing(text: str) -> None:
    assert activity(text) == ""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\n", "r:a"),
        ("a.b.c\n", "r:a,a.b,a.b.c"),
        ("a.b(c).d\n", "r:a,a.b,c"),
        ("a[b].c\n", "r:a,b"),
        ("f(a=b, *c, **d)\n", "r:b,c,d,f"),
        ("a ** b.c\n", "r:a,b,b.c"),
        ("await_ + async_\n", "r:async_,await_"),
        ("not a is not b not in c\n", "r:a,b,c"),
        ("a if b else c\n", "r:a,b,c"),
        ("{a: b, **c}\n", "r:a,b,c"),
        ("a[b:c, ::d]\n", "r:a,b,c,d"),
        ("a = b\n", "r:b w:a"),
        ("a = b = c\n", "r:c w:a,b"),
        ("a, (b, *c), [d.e] = f\n", "r:d,f w:a,b,c,d.e m:d"),
        ("a.b = c\n", "r:a,c w:a.b m:a"),
        ("a.b.c = d\n", "r:a,a.b,d w:a.b.c m:a.b"),
        ("a[b] = c\n", "r:a,b,c m:a"),
        ("a.b[c].d = e\n", "r:a,a.b,c,e m:a.b"),
        ("f(a).b = c\n", "r:a,c,f"),
        ("a += b\n", "r:a,b w:a m:a"),
        ("a.b += c\n", "r:a,a.b,c w:a.b m:a,a.b"),
        ("a[b] += c\n", "r:a,b,c m:a"),
        ("(f(a)).b, (a, b).c, (a or b)['k']\n", "r:a,b,f"),
        ("(await a).b, (a ** b).c\n", "r:a,b"),
        ("((a).b)['k'](c).d\n", "r:a,a.b,a.b['k'],c"),
        ("(a).b, (c[d])[0] = (e.f).g\n", "r:a,c,d,e,e.f,e.f.g w:a.b m:a,c"),
        ("del ((a.b)).c\n", "r:a,a.b d:a.b.c m:a.b"),
        ("(a): b\n", "r:b"),
        ("(a[b].c.d): e\n", "r:a,b,e"),
        ("a.b[c]: d\n", "r:a,a.b,c,d"),
        ("a: b\n", "r:b"),
        ("a: b = c\n", "r:b,c w:a"),
        ("del a, (b, c.d), e[f]\n", "r:c,e,f d:a,b,c.d m:c,e"),
        ("(a := b)\n", "r:b w:a"),
        ("f(a := b)\n", "r:b,f w:a"),
        ("import a.b, c.d as e\n", "w:a,e"),
        ("from a import b, c as d\n", "w:b,d"),
        ("assert a, b\n", "r:a,b"),
        ("raise A from b\n", "r:A,b"),
        ("x = yield a\n", "r:a w:x"),
        ("f'{a} {b.c!r:{d}} {e + 1=} {{f}}'\n", "r:a,b,b.c,d,e"),
        ("f'{[a for a in b if c]} {(lambda: d)()}'\n", "r:b,c,d c:d"),
        ("type X[T: A] = B[T]\n", "r:A,B w:X c:A,B"),
    ],
)  # fmt: skip
def test_simple_statements(text: str, expected: str) -> None:
    assert activity(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("print a, b\n", "r:a,b"),
        ("print >>a, b\n", "r:a,b"),
        ("exec a in b, c\n", "r:a,b,c"),
        ("x = `a, b`\n", "r:a,b w:x"),
        ("raise A, b, c\n", "r:A,b,c"),
        ("async = await\n", "r:await w:async"),
        ("[x for x in lambda: y, 1]\n", "r:y c:y"),
    ],
)
def test_python_2(text: str, expected: str) -> None:
    assert activity(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("lambda a, b=c: a + d\n", "r:c,d c:d"),
        ("[a for a in b]\n", "r:b"),
        ("[a for a in a]\n", "r:a"),
        ("[a.b for a in b if c.d for e in a.f]\n", "r:b,c,c.d"),
        ("(a + x for a in b)\n", "r:b,x c:x"),
        ("f(a + x for a in b)\n", "r:b,f,x c:x"),
        ("{a: x for a in b}\n", "r:b,x"),
        ("[y := a for a in b]\n", "r:b w:y"),
        ("lambda: (y := a)\n", "r:a c:a"),
        ("lambda: lambda x: x + y\n", "r:y c:y"),
        ("@d.e(f)\ndef g(a: A, b=B, *c: C, **k) -> R:\n    a + x; y = 1; y\n",
         "r:A,B,C,R,d,d.e,f,x w:g c:x"),
        ("def f():\n    global x\n    x = 1\n    x\n", "r:x w:f c:x"),
        ("def f():\n    def g():\n        return x + y\n    y = 1\n", "r:x w:f c:x"),
        ("def f[T: B](x: T) -> T:\n    return T, y\n", "r:B,y w:f c:y"),
        ("@d\nclass A(B, metaclass=M):\n    x = y\n    def f(self): return x, z\n",
         "r:B,M,d,x,y,z w:A c:x,z"),
        ("class A:\n    x = 1\n    y = x\n", "w:A"),
        ("class A:\n    x = x\n", "r:x w:A c:x"),
        ("async def f():\n    await x\n", "r:x w:f c:x"),
        ("def f((a, b)): return a, b, c\n", "r:c w:f c:c"),
    ],
)  # fmt: skip
def test_nested_scopes(text: str, expected: str) -> None:
    assert activity(text) == expected


@pytest.mark.parametrize(
    ("text", "line", "expected"),
    [
        ("if a:\n    b\n", 1, "r:a"),
        ("while (a := b):\n    c\n", 1, "r:b w:a"),
        ("for a, b.c in d:\n    e\n", 1, "r:b,d w:a,b.c m:b"),
        ("with a as b, c, d as (e, f.g):\n    with h:\n        i\n", 1, "r:a,c,d,f w:b,e,f.g m:f"),
        ("with (a as b, c):\n    d\n", 1, "r:a,c w:b"),
        ("try:\n    a\nexcept (B, c.D) as e:\n    f\n", 3, "r:B,c,c.D w:e"),
        ("try:\n    a\nexcept A, e:\n    f\n", 3, "r:A w:e"),
        ("try:\n    a\nexcept* A as e:\n    f\n", 3, "r:A w:e"),
        ("match a, b:\n    case _:\n        c\n", 1, "r:a,b"),
        ("match a:\n    case [b, *c] | {'k': b, x.y: _, **c} if d:\n        e\n", 2,
         "r:d,x,x.y w:b,c"),
        ("match a:\n    case A(x, y=z) as w:\n        e\n", 2, "r:A w:w,x,z"),
        ("match a:\n    case m.A(None) | m.B:\n        e\n", 2, "r:m,m.A,m.B"),
    ],
)  # fmt: skip
def test_heads(text: str, line: int, expected: str) -> None:
    assert activity(text, line) == expected


def test_what_is_not_of_the_scope() -> None:
    source = Source("def f():\n    a\n")
    inner = source.root.children[0].children[-1].children[2]
    with pytest.raises(KeyError):
        source.flow.activity(inner)


@pytest.mark.parametrize(
    ("text", "filled"),
    [
        ("a[0] = a['k'] = a.b = c[d]\n", set()),
        ("a(b)[c] = a[b][c] = d\n", set()),
        ("del a[b]\n", set()),
        ("a[b]: c\n", set()),
        ("a[b] = c\n", {"a"}),
        ("a[-1], (b.c)[:], d = e\n", {"a", "b.c"}),
        ("a['k'][b] += c\n", {"a['k']"}),
        ("for a[b] in c: pass\n", {"a"}),
    ],
)  # fmt: skip
def test_items_by_what_is_no_constant(text: str, filled: set[str]) -> None:
    source = Source(text)
    assert source.flow.activity(source.at_line(1)).filled == filled


@pytest.mark.parametrize(
    ("text", "length", "expected"),
    [
        ("use(1).a\n", 2, "r:use"),
        ("a.b(c).d\n", 2, "r:a,a.b"),
        ("a.b(c).d\n", 3, "r:a,a.b,c"),
        ("(a.b).c[(d := e)]\n", 3, "r:a,a.b,a.b.c,e w:d"),
    ],
)
def test_the_beginning_of_a_chain(text: str, length: int, expected: str) -> None:
    source = Source(text)
    chain = source.at_line(1)
    assert shown(source.flow.evaluating(tuple(chain.children[:length]))) == expected
    assert all(part.parent is chain for part in chain.children)
