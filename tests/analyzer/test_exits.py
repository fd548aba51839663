"""Which conditions end a loop by what each worker computes for itself."""

from __future__ import annotations

from pathlib import Path
from textwrap import indent

import pytest
from fissix.pygram import python_symbols as symbols

from pinsetter.analyzer.domains.tensorflow.uneven_exits import (
    deciding_figure,
    is_asked_alike,
    is_left_by_figures,
    loops_left,
)
from pinsetter.analyzer.facts import Facts
from pinsetter.analyzer.names.project import Project
from pinsetter.analyzer.syntax.tree import LN, leaves, walk

ALIKE = {
    "a limit": "for b in data:\n    n += 1\n    if n > limit:\n        break\n",
    "a counter of the optimizer": "while True:\n    n = int(optimizer.iterations)\n"
                                  "    if n > 3:\n        break\n",
    "a step that a session gives": "while step < 9:\n    _, step = session.run([train, count])\n",
    "no condition": "while True:\n    loss = f()\n    break\n",
    "a condition of another loop": "for e in data:\n    loss = f()\n    for b in data:\n"
                                   "        if n > 3:\n            break\n",
    "made before the loop": "best = f()\nfor b in data:\n    if best > 3:\n        break\n",
    "the end of the data": "for b in data:\n    try:\n        loss = f(b)\n    except End:\n"
                           "        break\n",
}  # fmt: skip
APART = {
    "a loss": "for b in data:\n    loss = f(b)\n    if loss < 1:\n        break\n",
    "a mean of losses": "for b in data:\n    mean = 0.9 * mean + f(b)\n    if n and mean < 1:\n"
                        "        break\n",
    "patience": """\
for b in data:
    loss = f(b)
    if loss < best:
        best, wait = loss, 0
    else:
        wait += 1
    if wait > 3:
        break
""",
    "an attribute": "while self.best < 1:\n    self.best = f()\n",
    "what is collected": """\
while sum(scores) < 9:
    score, done = f()
    scores.append(score)
""",
    "the other branch": """\
for b in data:
    loss = f(b)
    if loss > 1:
        pass
    else:
        break
""",
}  # fmt: skip


def node_text(node: LN) -> str:
    """A node's code without what stands before it."""
    return "".join(leaf.value for leaf in leaves(node)).strip()


def remarked(code: str) -> str:
    """The same code with a remark before each line that begins a statement."""
    lines = code.splitlines(keepends=True)
    return "".join(
        line if line.lstrip().startswith(("elif", "else", "except", "finally"))
        else f"{line[: len(line) - len(line.lstrip())]}# A remark\n{line}"
        for line in lines
    )  # fmt: skip


def conditions(path: Path, code: str) -> list[str]:
    file = path / "main.py"
    file.write_text(code)
    module = Facts(Project([file])).project.given[0]
    found = []
    for node in walk(module.tree.root):
        leaves_loop = node.type == symbols.simple_stmt and node_text(node) == "break"
        if leaves_loop or node.type == symbols.while_stmt:
            figures = (deciding_figure(node, loop) for loop in loops_left(node))
            found += [str(figure).strip() for figure in figures if figure is not None]
    return found


@pytest.mark.parametrize("code", ALIKE.values(), ids=ALIKE)
def test_all_workers_leave_alike(tmp_path: Path, code: str) -> None:
    assert conditions(tmp_path, code) == []
    assert conditions(tmp_path, remarked(code)) == []


@pytest.mark.parametrize("code", APART.values(), ids=APART)
def test_each_worker_leaves_by_its_own_figures(tmp_path: Path, code: str) -> None:
    assert len(conditions(tmp_path, code)) == 1
    assert len(conditions(tmp_path, remarked(code))) == 1


def test_return_leaves_all_loops_of_its_function(tmp_path: Path) -> None:
    file = tmp_path / "main.py"
    file.write_text("for a in x:\n    def f():\n        for b in y:\n            for c in z:\n"
                    "                return\n")  # fmt: skip
    module = Facts(Project([file])).project.given[0]
    returns = [n for n in walk(module.tree.root) if str(n).strip() == "return"]
    assert len(list(loops_left(returns[0]))) == 2


ASKED_ALIKE = {
    "in each turn": "if loss < 1:\n    break\n",
    "with a count": "if at > 2 and loss < 1:\n    break\n",
    "under a count": "if at > 2:\n    if loss < 1:\n        break\n",
    "connected": "if not (loss > 1 or loss != loss):\n    break\n",
    "after what all skip": "if b is None:\n    continue\nif loss < 1:\n    break\n",
    "in a with": "with f(b):\n    if loss < 1:\n        break\n",
}
ASKED_APART = {
    "under a figure": "if loss < 2:\n    if loss < 1:\n        break\n",
    "after a figure": "if loss > 2:\n    pass\nelif loss < 1:\n    break\n",
    "after what some skip": "if loss > 9:\n    continue\nif loss < 1:\n    break\n",
    "in a try": "try:\n    if loss < 1:\n        break\nfinally:\n    pass\n",
    "a flag": "if done:\n    break\n",
    "a flag with a comparison": "if not done and loss < 1:\n    break\n",
}


def asked_alike(path: Path, code: str, tried: bool = False) -> bool:
    file = path / "main.py"
    body = "loss, done = f(b)\n" + code
    text = "for at, b in enumerate(data):\n" + indent(body, "    ")
    file.write_text(f"try:\n{indent(text, '    ')}finally:\n    g()\n" if tried else text)
    module = Facts(Project([file])).project.given[0]
    [leaving] = [
        node
        for node in walk(module.tree.root)
        if node.type == symbols.simple_stmt and node_text(node) == "break"
    ]
    [loop] = loops_left(leaving)
    assert deciding_figure(leaving, loop) is not None
    return is_asked_alike(leaving, loop)


@pytest.mark.parametrize("code", ASKED_APART.values(), ids=ASKED_APART)
def test_conditions_that_not_all_ask_as_often(tmp_path: Path, code: str) -> None:
    assert not asked_alike(tmp_path, code)
    assert not asked_alike(tmp_path, remarked(code))


@pytest.mark.parametrize("code", ASKED_ALIKE.values(), ids=ASKED_ALIKE)
def test_conditions_that_all_ask_as_often(tmp_path: Path, code: str) -> None:
    assert asked_alike(tmp_path, code)
    assert asked_alike(tmp_path, remarked(code))


def test_a_loop_in_a_try_is_left_as_any_other(tmp_path: Path) -> None:
    assert asked_alike(tmp_path, "if loss < 1:\n    break\n", tried=True)


@pytest.mark.parametrize(
    "text", ["while True:\n    loss = f()\n    if loss < 1:\n        g()\n        break\n"]
)
def test_a_break_leaves_a_loop_below_a_remark(tmp_path: Path, text: str) -> None:
    for code in (text, remarked(text)):
        (tmp_path / "main.py").write_text(code)
        module = Facts(Project([tmp_path / "main.py"])).project.given[0]
        (loop,) = (n for n in walk(module.tree.root) if n.type == symbols.while_stmt)
        assert is_left_by_figures(loop)
