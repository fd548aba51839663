"""What fissix can parse gets the tree that fissix gives it: types, values, prefixes, positions."""

from __future__ import annotations

import sysconfig
from itertools import zip_longest
from pathlib import Path

import pytest
from fissix.pgen2.grammar import Grammar
from fissix.pytree import Base
from syntax_trees import (
    EXEC_STATEMENT,
    FUNCTIONS,
    STATEMENTS,
    fissix_tree,
    flat,
    leaves,
    tree_of,
    type_name,
)

from pinsetter.analyzer.syntax import parse

# What Python 2.7 and Python 3 up to 3.8 have in common, and what either has alone, but for print
# and exec statements.
FUNCTION_SNIPPETS = r"""
x
x = 1
x = y = 1
x = y = yield
x = yield z
x = yield from z
x += 1
x -= y, z
x **= (yield)
x //= 1; x >>= 2; x <<= 3; x @= y; x &= 1; x |= 2; x ^= 3; x %= 4
x: int
x: int = 1
x.y: 'z' = None
x, y = y, x
x, = y
*x, y = z
x = *y, z
[x, *y] = z
(x, (y, z)) = w
x; y; z
x; y;
x ;
pass
break
continue
return
return x
return x, y
return *x, y
yield
yield x, y
raise
raise E
raise E(1)
raise E from e
raise E, 'value'
raise E, 'value', tb
del x
del x, y.z, w[0]
del (x, y)
del x,
assert x
assert x, 'y'
global x
global x, y
nonlocal x, y
import a
import a.b.c
import a as b
import a.b as c, d, e.f
from a import b
from a.b import *
from a import (b)
from a import (b as c, d,)
from . import a
from .. import a
from ... import a
from .... import a
from .a import b
from ...a.b import c as d, e
from . a import b
if x: pass
if x: pass; pass
if x: a = 1
elif y: b = 2
elif z: c = 3
else: d = 4
if (x := 1): pass
if x := f(y): pass
while x: pass
while x: break
else: pass
for x in y: pass
for x, y in z: continue
else: pass
for x, in y: pass
for (x, y), *z in w: pass
for x in y, z: pass
for x.y[0] in z: pass
try: pass
except: pass
try: pass
except E: pass
except (E, F): pass
except E as e: pass
except E, e: pass
except E, (e, f): pass
else: pass
finally: pass
try: pass
finally: pass
with x: pass
with x as y: pass
with x, y as z, w: pass
with x as (y, z): pass
with x as y.z[0]: pass
with (x): pass
with (x, y): pass
with (x, y) as z: pass
with (x).y: pass
with (x), (y): pass
with (yield x): pass
with (x for x in y): pass
with [x] as y: pass
def f(): pass
def f(a): pass
def f(a,): pass
def f(a, b=1, *c, **d): pass
def f(a, b=1, *c, d, e=2, **g): pass
def f(*, a): pass
def f(*a, b): pass
def f(**a): pass
def f(**a,): pass
def f(*a,): pass
def f(a: int, *b: int, c: int = 1, **d: int) -> int: pass
def f((a, b)): pass
def f(a, (b, (c, d)), e=1): pass
def f((a), (b,)): pass
def f() -> (yield): pass
class A: pass
class A(): pass
class A(B): pass
class A(B, C, metaclass=D, *E, **F): pass
class A(B,): pass
@a
def f(): pass
@a.b.c
class A: pass
@a()
@b.c(1, d=2)
def f(): pass
@a(
    1,
)
def f(): pass
async def f(): pass
async def f(): await x
async def f(): return await x.y(z) ** 2
async def f(): return [await x for x in y]
async def f(): return [x async for x in y]
async def f():
    async for x in y: await x
    async with x as y, z: pass
    def g(): await x
    await(x)
    lambda: await x
@a
async def f(): pass
x or y and not z
not not x
x < y > z == w >= v <= u != t
x in y
x not in y
x is y
x is not y
x <> y
x | y ^ z & w << v >> u + t - s * r / q % p // o @ n
-x ** -y
+x, ~x, - -x
x ** y ** z
(x)
()
(x,)
(x, y,)
(x for x in y)
(x := 1)
(yield)
(yield x)
(yield from x)
(*x, y)
[]
[x]
[x, y,]
[*x, y]
[x for x in y]
[x for x in y if z]
[x for x in y if z if w for v in u]
[x for x in y, z]
[x for x in lambda: y, lambda: z]
[x for x, y in z]
[x for x in y or z]
[x for x in y if lambda: z]
[(x, y) for x in z for y in x]
{}
{x: y}
{x: y, z: w,}
{**x, y: z, **w}
{x: y for x in z}
{x}
{x, *y}
{x for x in y}
`x`
`x, y`
f()
f(x)
f(x,)
f(x, y=1)
f(x, *y, z=1, **w)
f(*x, *y, **z, **w)
f(**x,)
f(x for x in y)
f((x for x in y), z)
f(x := 1)
f(x := 1, y)
f(x if y else z)
f(lambda: x)
f(yield_=1)
f()()[0].x
x.y.z
x.y()
x[0]
x[0, 1]
x[0,]
x[:]
x[1:]
x[:2]
x[1:2]
x[1:2:3]
x[::]
x[::2]
x[1:, ::2, ...]
x[...]
x[lambda: 1]
x[()]
...
x = ...
lambda: x
lambda x: x
lambda x, y=1, *z, **w: x
lambda *x: x
lambda *, x: x
lambda **x: x
lambda (x, y): x
lambda (x, (y, z)), w=1: x
lambda: (yield)
lambda: lambda: x
x if y else z
x if y else z if w else v
lambda: x if y else z
1, 0, 10, 1.5, .5, 1., 1e5, 1E-5, 1.5e+3, 1j, 1.5j, 1e5J
0x1F, 0XaB, 0o17, 0O17, 0b101, 0B1, 0777, 00
10L, 10l, 0xFFL, 0xffl, 0777L, 0o17L
1_000, 0x_ff, 0b_1, 0o_7, 1_0.0_1, 1_0e1_0
1if x else 2
[1for x in y]
x if 1else y
1 .real
1..real
1.5.real
1.0.real
'a', "b", '''c'''
'a' 'b' "c"
'a\'b', "a\"b", 'a\\', r'\\', ''
r'a', R'a', u'a', U'a', b'a', B'a', ur'a', bR'a', Br'a', rb'a', uR'a'
f'a', f'{x}', F'{x!r:>{y}}', rf'\{x}', fr'{x}', Rf'{x}'
f'{{}}', f'{x}{y}', f'{x["a"]}', f'{x:%Y-%m}'
match = 1
match(x)
match[x]
match.x
match * y
match, case = 1, 2
match -x
case = 1
case(x)
type = 1
type(x)
type: int = 3
type[x] = 1
type in x
_ = 1
async = 1
async(x)
async.x
async, await = 1, 2
await = 2
await.x
await.x(y)
await(x)
x.async.await.match.case.type
f(async=1, await=2, match=3, case=4, type=5)
def f(async, await=1, *match, **case): pass
def async(): pass
class await: pass
import async
from await import async as match
from .async import x
for async in await: pass
print(x)
print(x, file=y)
print
x = print
print.x
print = 1
exec(x)
exec(x, y)
exec = 1
x.exec(y)
x.print(y)
def print(exec): pass
def exec(print=1): pass
"""

EXEC_SNIPPETS = r"""
exec 'x'
exec x in y
exec x in y, z
exec 'x = 1' in {}
exec x; print(y)
print(x, file=y); exec 'x'
"""

PRINT_SNIPPETS = r"""
print 'a'
print x
print 'a',
print x, y
print x, y,
print (x), y; print 'a'
print -x; print 'a'
print; print 'a'
print >>x; print 'a'
print >>x, y
print >>x, y, z,; print 'a'
print >> x.y, 'a' % y; print 'a'
print x if y else z
print lambda: x
print not x
print `x`
print u'a', ur'b', 10L, 0777
if x: print 'a'
else: print 'b'
print 'a'; exec 'b'
print 'a' 'b'
print x.print_
print (yield); print 'a'
def f(): print 'a'; return
lambda (a, b): a; print 'a'
try: print 'a'
except E, e: print e; raise E, e, tb
exec x in y; print z
"""

LAYOUTS = [
    "x\n\n\n",
    "\n\nx\n",
    "# a\nx\n",
    "x  # a\n",
    "x # a\n# b\n\n# c\n",
    "\f\nx\n",
    "x\n\f\ny\n",
    "\fx\n",
    "if x:\n    y\n",
    "if x:\n\ty\n",
    "if x:\n \ty\n\tz\n",
    "if x:\n  y\n\n  z\n",
    "if x:\n\n  y\n",
    "if x:\n  # a\n  y\n",
    "if x:\n# a\n  y\n",
    "if x:\n        # a\n  y\n",
    "if x:\n  y\n  # a\nz\n",
    "if x:\n  y\n# a\nz\n",
    "if x:\n  y\n    # a\nz\n",
    "if x:\n  y\n # a\nz\n",
    "if x:\n  y\n# a\n  # b\n# c\nz\n",
    "if x:\n  y\n  # a\n# b\n",
    "if x:\n  if y:\n    z\n  # a\nw\n",
    "if x:\n  if y:\n    z\n# a\n  w\n",
    "if x:\n  if y:\n    z\n    # a\n  # b\n# c\n",
    "if x:\n  if y:\n    if z:\n      w\nv\n",
    "if x:\n  if y:\n    z\n\n\n# a\n\n",
    "if x:\n  y\n  \n   \n\t\nz\n",
    "if x:\n  y\n\f\nz\n",
    "if x:\n  y\n\f  z\n",
    "class A:\n\n    '''a'''\n\n    x = 1\n\n    # b\n\n    def f(self):\n        pass\n\n\nx\n",
    "def f():\n  pass\n\n# a\n@b\n# c\n\n@d\n# e\ndef g():\n  pass\n",
    "if x: y\nelse:\n  # a\n  z\n",
    "if x:\n  y\n# a\nelse:\n  z\n",
    "if x:\n  y\n  # a\nelse:\n  z\n",
    "try:\n  x\n# a\nexcept E:\n  y\n# b\nfinally:\n  z\n",
    "(x,\n y)\n",
    "(\n# a\nx # b\n, # c\n\ny\n)\n",
    "f(\n\n  x,\n    y\n)\n",
    "[\n]\n",
    "{\n  x: y, # a\n  # b\n}\n",
    "if x:\n  (y,\nz)\n  w\n",
    "x = \\\n  1\n",
    "x = 1 + \\\n\\\n  2\n",
    "x \\\n = 1\n",
    "if x and \\\n   y:\n  z\n",
    "(x \\\n + y)\n",
    "assert x, \\\n  'y'\n",
    "from a import \\\n  b\n",
    "'''a\nb\n'''\n",
    "x = '''a\nb''' + y\n",
    "x = '''\n''' '''\n''', y\n",
    '"""a\nb"""\n',
    "'a\\\nb'\n",
    "'a\\\nb\\\nc', x\n",
    "if x:\n  '''a\nb'''\n  y\n",
    "f('''\n''', x)\n",
    "(x,\n'''a\n''', y)\n",
    "x = 1;\n",
    "x  ;  y  ;\n",
    "x  \t \n",
    "x\t=\t1\n",
    "日本 = 'é'; x\n",
    "async def f():\n  await x\n\nawait = 1\n",
    "async def f():\n  async def g():\n    await x\n  await y\n\nawait = 1\n",
    "async def f():\n  # a\n\n  await x\n# b\nx\n",
    "class A:\n  async def f(self):\n    await x\n  async = 1\n",
    "async def f(\n  x,\n):\n  await y\n",
]


def difference(ours: Base, theirs: Base) -> str:
    for mine, other in zip_longest(flat(ours), flat(theirs)):
        if mine != other:
            return f"{mine} for {other}"
    return ""


def same(text: str, *tables: Grammar) -> None:
    theirs = fissix_tree(text, *tables)
    assert theirs is not None
    assert not difference(tree_of(text), theirs)


def snippets(text: str) -> list[str]:
    """The statements of ``text``; a line that continues the one before it belongs to that."""
    found: list[str] = []
    going_on = (" ", ")", "elif ", "else:", "except", "finally:")
    for line in text.strip("\n").splitlines():
        decorated = found and found[-1].splitlines()[-1].startswith(("@", ")"))
        if found and (line.startswith(going_on) or decorated):
            found[-1] += f"{line}\n"
        else:
            found.append(f"{line}\n")
    return found


@pytest.mark.parametrize("text", snippets(FUNCTION_SNIPPETS))
def test_statements_have_fissix_own_tree(text: str) -> None:
    same(text, FUNCTIONS)


@pytest.mark.parametrize("text", snippets(EXEC_SNIPPETS))
def test_exec_statements_have_fissix_own_tree(text: str) -> None:
    same(text, EXEC_STATEMENT)


@pytest.mark.parametrize("text", snippets(PRINT_SNIPPETS))
def test_print_statements_have_fissix_own_tree(text: str) -> None:
    same(text, STATEMENTS)


@pytest.mark.parametrize("text", LAYOUTS)
def test_layouts_have_fissix_own_tree(text: str) -> None:
    same(text, FUNCTIONS)


# A string has no indentation, and a form feed takes that away.
@pytest.mark.parametrize(
    "text",
    [t for t in LAYOUTS if not any(mark in t for mark in ("'''", '"""', "'a\\\n", "\fx"))],
)
def test_indented_layouts_have_fissix_own_tree(text: str) -> None:
    inner = "".join(f"    {line}" if line.strip() else line for line in text.splitlines(True))
    same(f"def a():\n    if b:\n        c\n{inner}\n    d\n", FUNCTIONS)


def test_all_statements_in_one_file_have_fissix_own_tree() -> None:
    # fissix's tokenizer tells a name async from the keyword by what came before in the file.
    plain = [s for s in snippets(FUNCTION_SNIPPETS) if "async" not in s and "await" not in s]
    same("".join(plain), FUNCTIONS)


# ---------------------------------------------------------------- the standard library

STANDARD_LIBRARY = Path(sysconfig.get_path("stdlib"))
SAMPLE = 60
# fissix is slow; what a longer file has, others have too.
MOST_BYTES = 60_000


def sample() -> list[Path]:
    files = sorted(
        path
        for path in STANDARD_LIBRARY.rglob("*.py")
        if "site-packages" not in path.parts and 0 < path.stat().st_size < MOST_BYTES
    )
    return files[:: max(1, len(files) // SAMPLE)]


def f_strings_misread(tree: Base) -> bool:
    """Whether fissix sees an f-string of ``tree`` as several strings, the quotes inside it ends."""
    for leaf in leaves(tree):
        if type_name(leaf) == "STRING" and "f" in leaf.value[:2].lower():
            alone = fissix_tree(f"{leaf.value}\n", FUNCTIONS)
            if alone is None or leaf.value not in [other.value for other in leaves(alone)]:
                return True
    return False


@pytest.mark.parametrize("path", sample(), ids=lambda path: str(path.relative_to(STANDARD_LIBRARY)))
def test_the_standard_library_has_fissix_own_tree(path: Path) -> None:
    try:
        text = path.read_text("utf-8")
    except UnicodeDecodeError:
        return
    theirs = fissix_tree(text)
    if theirs is None:
        return
    if not theirs.children:  # fissix's tree of a file without code is its end alone
        assert [type_name(leaf) for leaf in leaves(parse(text))] == ["ENDMARKER"]
        return
    ours = tree_of(text)
    if not f_strings_misread(ours):
        assert not difference(ours, theirs)


def test_fissix_parses_most_of_the_sample() -> None:
    some = sample()[::5]
    parsed = [path for path in some if fissix_tree(path.read_text("utf-8", "replace"))]
    assert len(parsed) > len(some) / 2
