"""Which reads of a name may see a binding is asked of the order in which statements run."""

from __future__ import annotations

from pathlib import Path

import pytest

from pinsetter.analyzer.flow import flow_of
from pinsetter.analyzer.names.module import Module, load
from pinsetter.analyzer.values.name_reads import reads_of


def seen(folder: Path, body: str, line: int, place: str = "x") -> list[int]:
    """The lines of the reads that may see what is bound, or put into x, at a line of a function."""
    path = folder / "m.py"
    path.write_text("def f(c, x):\n" + "".join(f"    {one}\n" for one in body.split("\n")))
    module = load(path, "m")
    assert isinstance(module, Module)
    leaf = next(n for n in module.leaves_of(place) if module.tree.line_of(n) == line)
    found = reads_of(place, module.scopes.opened_by(module.tree.root.children[0]), module).of(leaf)
    return sorted({module.tree.line_of(one) for one in found})


@pytest.mark.parametrize(
    ("body", "line", "reads"),
    [
        ("x = 1\nx = 2\ng(x)", 2, []),
        ("if c:\n    x = 1\nelse:\n    g(x)", 3, []),
        ("x = 1\nif c:\n    x = 2\n    raise E\ng(x)", 4, []),
        ("x = 1\nwhile True:\n    x = 2\n    break\ng(x)", 2, []),
        ("x = 1\nif c:\n    x = 2\nelse:\n    x = 3\ng(x)", 2, []),
        ("x = 1\ng(y for x in c)", 2, []),
        ("x = 1\nh(x)\nx = x + 1\ng(x)", 2, [3, 4]),
        ("x = 1\nc and (x := 2)\ng(x)", 2, [4]),
        ("x = 1\ny = (x := 2) if c else 3\ng(x)", 2, [4]),
        ("x = 1\nwith suppress(E):\n    h()\n    x = 2\ng(x)", 2, [6]),
        ("x = 1\n[0 for i in c if (x := i)]\ng(x)", 2, [4]),
        ("x = 1\ntry:\n    x = h()\nexcept E:\n    g(x)", 2, [6]),
        ("x = 1\nx += 2\ng(x)", 2, [4]),
        ("x = 1\nfor i in c:\n    x += i\n    g(x)\nx = 2\ng(x)", 2, [5]),
        ("for i in c:\n    g(x)\n    x = 1", 4, [3]),
        ("x = 1\ndef inner():\n    return x\nx = 2", 2, [4]),
        ("g(x)\nx = 2\ng(x)", 1, [2]),
    ],
)
def test_what_is_bound_is_seen(tmp_path: Path, body: str, line: int, reads: list[int]) -> None:
    assert seen(tmp_path, body, line) == reads


@pytest.mark.parametrize(
    ("body", "line", "reads"),
    [
        ("g(x)\nx.append(1)\nh(x)", 3, [4]),
        ("x = []\nx.append(1)\nx = []\ng(x)", 3, []),
        ("if c:\n    x.append(1)\nelse:\n    g(x)", 3, []),
        ("for i in c:\n    g(x)\n    x.append(i)", 4, [3, 4]),
        ("h(x, x.append(1))", 2, [2]),
        ("def inner():\n    return x\nx.append(1)\ninner()", 4, [3]),
        ("try:\n    x.append(1)\n    return\nexcept E:\n    g(x)", 3, [6]),
        ("x.append(1)\ndef inner():\n    return x", 2, [4]),
        ("try:\n    x.append(1)\nfinally:\n    g(x)", 3, [5]),
        ("while c:\n    if i:\n        x.append(1)\n        return\n    g(x)", 4, []),
    ],
)
def test_what_is_put_into_it_is_seen_behind(
    tmp_path: Path, body: str, line: int, reads: list[int]
) -> None:
    assert [at for at in seen(tmp_path, body, line) if at != line or line in reads] == reads


def test_what_a_function_does_with_a_name_of_the_module_may_be_seen_anywhere(
    tmp_path: Path,
) -> None:
    path = tmp_path / "m.py"
    path.write_text("x = []\ndef f():\n    global x\n    x.append(1)\n    g(x)\nh(x)\n")
    module = load(path, "m")
    assert isinstance(module, Module)
    leaf = next(n for n in module.leaves_of("x") if module.tree.line_of(n) == 4)
    found = reads_of("x", module.scopes.module, module).of(leaf)
    assert {module.tree.line_of(one) for one in found} >= {5, 6}


def test_the_flow_of_a_function_does_not_know_of_another(tmp_path: Path) -> None:
    path = tmp_path / "m.py"
    path.write_text("def f(x):\n    x\ndef g(x):\n    x\n")
    module = load(path, "m")
    assert isinstance(module, Module)
    mine, other = (n for n in module.leaves_of("x") if module.tree.line_of(n) in (2, 4))
    flow = flow_of(module.scope_of(mine), module)
    assert flow.may_follow(mine, other)
    assert flow.may_follow(other, mine)
