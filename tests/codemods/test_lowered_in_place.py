"""lower-control-flow: what is left as it is, and why; how a run is told of places."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from campaigning import Home, Repo
from lowering import lowered
from prepared import invoke

# What stands behind `def f(x, y):`, with the third line pointed at, and what is said.
LEFT = {
    "    if x > 0:\n        print(x)\n    return x\n": "`print(x)` is there for its effect, in",
    "    if x > 0:\n        y = 1\n    else:\n        y = x\n    return y\n": "`y` is 1, no tensor",
    "    z = 0\n    if x > 0: z = z + x\n    return z\n": "",
    "    if x > 0:\n        z = x\n    return z\n": "`z` may have no value before it, in line 2",
    "    if x > 0:\n        y.n = x\n    return y\n": "`y.n` is changed in its place, in",
    "    if x > 0:\n        y[0] = x\n    return y\n": "`y[0]` is changed in its place",
    "    if x > 0:\n        y = x.add_(1)\n    return y\n": "`.add_()` changes what it is",
    "    if x > 0:\n        raise ValueError\n    return y\n": "`raise` does more than give",
    "    if x > 0:\n        assert y\n        x = y\n    return x\n": "`assert` does more than",
    "    if x > 0:\n        with y: x = y\n    return x\n": "`with` does more than give a value",
    "    if x > 0:\n        try: x = y\n        finally: pass\n    return x\n": "`try` does",
    "    if x > 0:\n        del y\n        x = x + 1\n    return x\n": "`del` does more than give",
    "    if x > 0:\n        import y\n        x = y.z\n    return x\n": "`import` does more than",
    "    if x > 0:\n        def y(): pass\n    return y\n": "`y` is no value of the program",
    "    if 0 < f(x) < 1:\n        x = y\n    return x\n": "`<` asks for the truth of a part",
    "    if (x or y) > 1:\n        x = y\n    return x\n": "`or` asks for the truth of a part",
    "    if y is None or x > 0:\n        x = y\n    return x\n": "the test is about Python's own",
    "    if x is None:\n        x = y\n    return x\n": "the test is about Python's own objects",
    "    if (z := x) > 0:\n        x = z\n    return x\n": "`:=` binds a name",
    "    if x > 0:\n        yield x\n    return x\n": "`yield` is for the function",
    "    for z in y:\n        if x > 0: return x\n        if y: break\n        return y\n": "",
    "    if x > 0:\n        return x\n    yield y\n    return y\n": "`yield` is for the function",
    "    if x > 0:\n        return x\n    y = print(y)\n": "a `return` leaves a block, in line 3",
    "    if x > 0:\n        if y > 0: return x\n        x = y\n    return x\n": "a `return` leaves",
    "    if x > 0:\n        x = 2 * x\n": "nothing that it computes is read behind it",
    "    while x > 0:\n        x = x - 1\n        if y > 0: break\n    return x\n": "a `break`",
    "    while x > 0:\n        x = x - y\n    else:\n        x = y\n    return x\n": "has an",
    "    for x in y:\n        z = x\n    return z\n": "`z` may have no value before it, in line 2",
}


@pytest.mark.parametrize("body", LEFT)
def test_what_is_left_as_it_is(body: str) -> None:
    text = f"def f(x, y):\n{body}"
    found = lowered(text, "torch", [2])
    assert found.text == text
    assert any(LEFT[body] in one for one in found.said) or (not LEFT[body] and not found.said)


# The same for loops, and each target.
LOOPS_LEFT = {
    "    for z in [x, y]:\n        x = x + z\n    return x\n": "[x, y] is no array",
    "    for z in x, y:\n        x = x + z\n    return x\n": "x, y is no array",
    "    for z in {'a': y}:\n        x = x + y\n    return x\n": "{'a': y} is no array",
    "    for a, b in y.items():\n        x = x + b\n    return x\n": "y.items() is no array",
    "    for z in (2 * z for z in y):\n        x = x + z\n    return x\n": "is no array",
    "    for z in map(abs, y):\n        x = x + z\n    return x\n": "map(abs, y) is no array",
    "    for z in y.split(2):\n        x = x + z\n    return x\n": "y.split(2) is no array",
    "    for z in range(*y):\n        x = x + z\n    return x\n": "range(*y) is no array",
    "    for z in zip(*y):\n        x = x + z[0]\n    return x\n": "zip(*y) is no array",
    "    for a, b in zip(*y, x):\n        x = x + a\n    return x\n": "zip(*y, x) is no array",
    "    for a, b in zip(y, range(9)):\n        x = x + a\n    return x\n": "zip(y, range(9)) is",
    "    for i, a in enumerate([x, y]):\n        x = x + a\n    return x\n": "is no array",
    "    for z in range(0, 9, y):\n        x = x + z\n    return x\n": "not known whether y is",
    "    for z in range(9, 0, 0):\n        x = x + z\n    return x\n": "not known whether 0 is",
    "    for z in range(0, 9, 2):\n        x = x + z\n    return x, z\n": "`z` is read behind",
    "    for i, z in enumerate(y):\n        w = x + z\n    return w\n": "`w` may have no value",
    "    for z in range(0, 9, 2):\n        x = x + z\n    else: x = -x\n    return x\n": "has an",
    "    for a, b in zip(y, y):\n        if a: continue\n        x = x + b\n    return x\n": "a `c",
    "    for a, b in zip(y, y):\n        if a: break\n        x = x + b\n    return x\n": "a `b",
    "    for z in range(0, 9, 2):\n        x.n = z\n    return x\n": "`x.n` is changed",
    "    for x.n in y:\n        x = x + 1\n    return x\n": "`x.n` is changed",
    "    for y[0] in range(0, 9, 2):\n        x = x + 1\n    return x\n": "`y[0]` is changed in",
    "    for z in range(0, 9, 2):\n        x[z] = y\n    return x\n": "`x[z]` is changed in its",
    "    for z in range(0, 9, 2):\n        x.append(z)\n    return x\n": "is there for its effect",
    "    for i, z in enumerate(y):\n        print(i)\n    return x\n": "is there for its effect",
}


@pytest.mark.parametrize("target", ["torch", "jax", "tf"])
@pytest.mark.parametrize("body", LOOPS_LEFT)
def test_which_loops_are_left_as_they_are(body: str, target: str) -> None:
    text = f"def f(x, y):\n{body}"
    found = lowered(text, target, [2])
    assert found.text == text
    assert any(LOOPS_LEFT[body] in one for one in found.said), found.said


def test_a_loop_over_what_a_name_stands_for() -> None:
    text = "def f(x):\n    xs = [x, x]\n    for y in xs:\n        x = x + y\n    return x\n"
    assert "xs is no array" in lowered(text, "torch", [3]).said[0]
    step = (
        "def f(x, n):\n    k = {}\n    for i in range(n, 0, k):\n        x = x * i\n    return x\n"
    )
    assert "i > 0" in lowered(step.replace("{}", "-2"), "tf", [3]).text
    assert "i < 0" in lowered(step.replace("{}", "2"), "tf", [3]).text
    assert "not known whether k" in lowered(step.replace("{}", "n"), "tf", [3]).said[0]
    assert "not known whether k" in lowered(step.replace("{}", "2; k = -2"), "tf", [3]).said[0]


@pytest.mark.parametrize("target", ["torch", "jax", "tf"])
@pytest.mark.parametrize("head", ["global i", "g = lambda: i"])
def test_whose_the_name_of_a_loop_is(head: str, target: str) -> None:
    text = f"def f(x):\n    {head}\n    for i in range(0, 9, 2):\n        x = x * 2\n    return x\n"
    found = lowered(text, target, [3])
    assert found.text == text
    assert "`i` is another scope's" in found.said[0] or "`i` is seen by a" in found.said[0]


@pytest.mark.parametrize("target", ["torch", "tf"])
def test_a_zip_that_may_raise(target: str) -> None:
    text = "def f(x, y):\n    for a, b in zip(y, y, strict=True): x = x + a * b\n    return x\n"
    assert "raises where lengths differ" in lowered(text, target, [2]).said[0]


def test_what_is_computed_once_is_computed_in_order() -> None:
    loop = "def f(s, x):\n    for i in range({}, 2):\n        x = x * i\n    return x\n"
    for target in ("torch", "jax", "tf"):
        found = lowered(loop.format("s.n, s.next()"), target, [2]).text
        assert "    start = s.n\n    stop = s.next()\n" in found
        assert (
            "    start = s\n    stop = (s := 9)\n"
            in lowered(loop.format("s, s := 9"), target, [2]).text
        )
        assert "stop" not in lowered(loop.format("s, s + 9"), target, [2]).text


def test_coroutines_have_loops_too() -> None:
    text = "async def f(x, n):\n    for i in range(0, n, 2):\n        x = x * 2\n    return x\n"
    assert "torch.while_loop" in lowered(text, "torch", [2]).text
    waits = lowered(text.replace("x * 2", "x * await n"), "torch", [2])
    assert "`await` is for the coroutine" in waits.said[0]
    each = lowered(text.replace("for i in range(0, n, 2)", "async for i in n"), "torch", [2])
    assert "`async for` is for the coroutine" in each.said[0]
    assert "    stop = await n\n" in lowered(text.replace(" n,", " await n,"), "torch", [2]).text


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("target", ["torch", "jax", "tf"])
def test_the_layout_of_a_loop_stays(target: str, end: str) -> None:
    text = (
        "def f(x, y):\n\tfor i, z in enumerate(y):  # on\n\t\t# first\n\t\tx = x + z  # why\n\n"
        "\t\tx = x * i\n\treturn x\n"
    ).replace("\n", end)
    found = lowered(text, target, [2]).text
    compile(found, "a", "exec")
    assert found.count("\n") == found.count(end)
    assert f"\t\tx = x + z  # why{end}{end}\t\tx = x * i{end}" in found
    assert ":  # on" in found
    assert "# first" in found


def test_a_name_that_is_read_elsewhere_is_not_taken_for_the_number() -> None:
    text = "def f(x, n):\n    for i in range(n):\n        x = x * i\n    return x\n"
    assert "    _, x = torch.while_loop(" in lowered(text, "torch", [2]).text
    read = "from gettext import gettext as _\nprint(_('a'))\n" + text
    assert "    x = torch.while_loop(" in lowered(read, "torch", [4]).text
    assert "body, (0, x))[1]\n" in lowered(read, "torch", [4]).text


def test_a_number_before_it_is_no_tensor() -> None:
    text = "def f(x):\n    n = 0\n    while x.sum() > n:\n        n = n + 1\n    return n\n"
    assert "`n` is 0, no tensor, in line 2" in lowered(text, "torch", [3]).said[0]
    assert "jax.lax.while_loop" in lowered(text, "jax", [3]).text


def test_what_a_function_inside_sees() -> None:
    text = (
        "def f(x):\n    g = lambda: x\n    if x.any():\n        x = x + 1\n        y = g()\n"
        "    else: y = x\n    return x, y\n"
    )
    assert "`x` is seen by a function inside, in line 2" in lowered(text, "jax", [3]).said[0]
    assert "lax.cond" in lowered(text.replace("lambda: x", "lambda x: x"), "jax", [3]).text


def test_what_is_bound_again_behind_a_return() -> None:
    text = "def f(x, c):\n    if c.any(): return c\n    x = x + 1\n    return x\n"
    found = lowered(text, "jax", [2]).text
    assert "def otherwise(x):\n        x = x + 1\n" in found


def test_names_of_the_function_are_not_hidden() -> None:
    text = (
        "def f(x, i, state):\n    while x.sum() < 9:\n        x = x + state\n        i = i + 1\n"
        "    return x, i\n"
    )
    found = lowered(text, "jax", [2]).text
    assert "def body(state_2):\n        x, i = state_2\n        x = x + state\n" in found
    loop = "def f(xs, y):\n    print(_(y))\n    for x in xs:\n        y = y + x\n    return y\n"
    assert "    y = jax.lax.scan(body, y, xs)[0]\n" in lowered(loop, "jax", [3]).text


def test_what_is_done_beside_is_said() -> None:
    text = (
        "class A:\n    def step(self, x):\n        self.n += 1\n        return x\n"
        "    def pure(self, x): return x + 1\n    def f(self, x):\n        if x.any():\n"
        "            x = self.step(x)\n        return x\n"
    )
    assert "does more than give a value" in lowered(text, "jax", [7]).warned[0]
    assert lowered(text.replace("self.step(x)", "self.pure(x)"), "jax", [7]).warned == []
    pop = lowered(text.replace("self.step(x)", "self.stack.pop()"), "jax", [7])
    assert "`.pop()` changes what it is called on" in pop.said[0]


def test_what_is_read_behind_a_loop() -> None:
    text = "def f(x, y):\n    for z in y:\n        x = x + z\n    return x, z\n"
    assert "`z` is read behind the loop" in lowered(text, "jax", [2]).said[0]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize(
    "body",
    [
        "if x.any(): x = x + 1;  # why",
        "if x.any(): x = x + 1",
        "if x.any():\n\t\tx = x + 1 # why\n\t\t# last\n\t# behind",
        'if x.any():\n\t\tx = f("""a\n  b""",\n  x)\n\telse: x = y',
    ],
)
def test_layout_stays(body: str, end: str) -> None:
    text = f"def f(x, y):\n\t{body}\n\treturn x\n".replace("\n", end)
    found = lowered(text, "jax", [2]).text
    compile(found, "a", "exec")
    assert found.count("\n") == found.count(end)
    for kept in ("# why", "# last", "# behind", f"a{end}  b"):
        assert (kept in found) == (kept in text)
    before: dict[str, object] = {}
    exec(
        "class A:\n    def __init__(s, n): s.n = n\n    def any(s): return s.n\n"
        "    def __add__(s, o): return A(s.n + o)\n    __radd__ = __add__\n"
        "def g(p, t, f, *a): return t(*a) if p else f(*a)\n"
        "class jax:\n    class lax: cond = g\n",
        before,
    )
    code = text.replace('f("""', '(lambda a, x: x + 1)("""')
    after = found.replace('f("""', '(lambda a, x: x + 1)("""').replace("import jax" + end, "")
    for start in (0, 1):
        results = []
        for one in (code, after):
            names = dict(before)
            exec(one, names)
            results.append(eval(f"f(A({start}), A(5)).n", names))
        assert results[0] == results[1]


def test_places_are_lines_of_heads(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text(
        "def f(x):\n    if (x\n            .any()):\n        x = x + 1\n    if x.all(): x = -x\n"
        "    return x\n"
    )
    target = ("--set", "target=jax", "--diff", "--no-config")
    for place in ("2", "3"):
        found = invoke("run", "lower-control-flow", f"{path}:{place}", *target)
        assert found.code == 1 or "1 proposed" in found.err
        assert found.out.count("jax.lax.cond") == 1
    both = invoke("run", "lower-control-flow", f"{path}:2", f"{path}:5", *target)
    assert both.out.count("+    x = jax.lax.cond") == 2
    none = invoke("run", "lower-control-flow", f"{path}:4", *target)
    assert none.code == 2
    assert f"{path}:4: no rule is for what stands here" in none.err
    gone = invoke("run", "lower-control-flow", f"{tmp_path}/b.py:4", *target)
    assert gone.code == 2
    assert "b.py:4: there is no file" in gone.err
    assert "lines count from 1" in invoke("run", "virtualize", f"{path}:0", "--check").err
    some = invoke("run", "lower-control-flow", f"{path}:2", f"{path}:6", *target)
    assert some.code == 2
    assert "jax.lax.cond" in some.out
    assert ":6: no rule is" in some.err


def test_places_come_from_a_traceback(tmp_path: Path) -> None:
    """The lines of functions that are only on the way are no places."""
    path = tmp_path / "a.py"
    path.write_text(
        "def f(x):\n    if x.any(): x = x + 1\n    return x\n\n\nclass A:\n"
        "    def any(self): raise TypeError\n\n\nif __name__ == '__main__':\n    f(A())\n"
    )
    done = subprocess.run([sys.executable, path], capture_output=True, text=True, check=False)
    log = tmp_path / "log"
    log.write_text(done.stderr)
    told = ("lower-control-flow", "--set", "target=jax", "--from", log)
    found = invoke("run", *told, path, "--diff")
    assert found.out.count("jax.lax.cond") == 1
    assert invoke("run", *told, tmp_path, "--write", "-q").code == 0
    assert "jax.lax.cond" in path.read_text()
    # It is said if no line fits, and if none is named.
    assert "no rule is for what stands here, nor in 2 more" in invoke("run", *told, path).err
    log.write_text("[graph_breaks] in user code at b.py:3")
    wrong = invoke("run", *told, path)
    assert wrong.code == 2
    assert "no line of a Python file in" in wrong.err
    assert invoke("run", "lower-control-flow", "--set", "target=jax", path).code == 2


@pytest.mark.parametrize(
    "said",
    [
        "[__graph_breaks] Graph break in user code at {path}:2\n[0/0] Reason: x\n",
        "Break Reason 1:\n  User Stack:\n    <FrameSummary file {path}, line 2 in f>\n",
        '#    File "{path}", line 2, in f, code: if x.any(): x = x + 1\n',
        "{path}:2:8: E1 a linter's\n",
    ],
)
def test_other_tools_name_places_so(said: str, tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text("def f(x):\n    if x.any(): x = x + 1\n    return x\n")
    log = tmp_path / "log"
    log.write_text(said.format(path=path))
    found = invoke(
        "run", "lower-control-flow", "--set", "target=torch", "--from", log, path, "--diff"
    )
    assert "torch.cond(x.any(), then, otherwise, (x,))" in found.out


def test_any_pack_takes_places(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text("if x: pass\nif y: pass\n")
    found = invoke("run", "virtualize", f"{path}:2", "--diff")
    assert "_staging.if_(y" in found.out
    assert "_staging.if_(x" not in found.out


def test_what_a_place_requires_is_proposed_too(tmp_path: Path) -> None:
    pack = tmp_path / "pack.yaml"
    pack.write_text(
        "pack: p\nsummary: For a test.\nrules:\n"
        "  - {id: a, title: A, why: A., match: a(), edit: {replace: $match, with: A()},"
        " requires: [b], examples: [{unchanged: 'x()'}]}\n"
        "  - {id: b, title: B, why: B., match: b(), edit: {replace: $match, with: B()},"
        " examples: [{unchanged: 'x()'}]}\n"
    )
    path = tmp_path / "a.py"
    path.write_text("b()\na()\na()\n")
    told = ("run", pack, "--diff", "-q")
    assert "+B()\n+A()\n a()" in invoke(*told, f"{path}:2").out
    assert "+B()\n a()\n a()" in invoke(*told, f"{path}:1").out


def test_files_without_places_are_not_analysed(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("if x: pass\n")
    (tmp_path / "b.py").write_text("if x: pass\n")
    log = tmp_path / "log"
    log.write_text(f'File "{tmp_path}/a.py", line 1\n')
    found = invoke("run", "virtualize", tmp_path, "--from", log, "--check")
    assert "2 seen, 1 parsed" in found.err
    assert found.code == 1


def test_it_is_no_campaign(tmp_path: Path) -> None:
    repo = Repo.of(tmp_path / "repo", {"a.py": "if x: pass\n"})
    told = ("--pack", "lower-control-flow", repo.folder, "--set", "target=jax")
    found = Home(tmp_path / "home").run("start", "c", *told, code=3)
    assert "rewrites what is pointed at, in a run of its own" in found.err
