"""CFG: which line may come after which; nodes without a line of their own are skipped."""

from __future__ import annotations

import time

import pytest
from flows import Source, line_of

SILENT = {"entry", "finally", "unbind", "end", "leave", "target"}


def following(text: str, scope: str = "", kinds: set[str] | None = None) -> set[str]:
    """``1>2`` for each line that may follow another, ``exit`` and ``raise`` for the ends."""
    source = Source(text, scope)
    cfg = source.flow.cfg

    def name(index: int) -> str | None:
        node = cfg.node(index)
        if node.kind in ("exit", "raise"):
            return node.kind
        return None if node.kind in SILENT or node.tree is None else str(line_of(node.tree))

    found = set()
    for node in cfg.nodes:
        here = name(node.index)
        if here is None:
            continue
        seen, stack = set(), [node.index]
        while stack:
            for edge in cfg.successors(cfg.node(stack.pop())):
                target = edge.target.index
                if (kinds is None or edge.kind in kinds) and target not in seen:
                    seen.add(target)
                    after = name(target)
                    if after is None:
                        stack.append(target)
                    else:
                        found.add(f"{here}>{after}")
    return found


NORMAL = {"next", "true", "false", "break", "continue", "return", "loop"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ""),
        ("pass\n", "1>exit"),
        ("a; b\nc\n", "1>1 1>2 2>exit"),
        ("def f():\n    a\nb\n", "1>3 3>exit"),
        ("if a:\n    b\nc\n", "1>2 1>3 2>3 3>exit"),
        ("if a:\n    b\nelif c:\n    d\nelse:\n    e\nf\n", "1>2 1>3 2>7 3>4 3>6 4>7 6>7 7>exit"),
        ("while a:\n    b\nc\n", "1>2 1>3 2>1 3>exit"),
        ("while True:\n    b\nc\n", "1>2 2>1 3>exit"),
        ("while 1:\n    if a:\n        break\nc\n", "1>2 2>3 2>1 3>4 4>exit"),
        ("while a:\n    continue\nelse:\n    b\nc\n", "1>2 2>1 1>4 4>5 5>exit"),
        ("while a:\n    break\nelse:\n    b\nc\n", "1>2 2>5 1>4 4>5 5>exit"),
        ("for a in b:\n    c\nelse:\n    d\n", "1>2 1>4 2>2 2>4 4>exit"),
        ("with a:\n    b\nc\n", "1>2 2>3 3>exit"),
        ("try:\n    a\nfinally:\n    b\nc\n", "1>2 2>4 4>5 5>exit"),
        ("try:\n    a\nexcept B:\n    c\nelse:\n    d\n", "1>2 2>6 3>4 4>exit 6>exit"),
        ("match a:\n    case 1:\n        b\n    case _:\n        c\nd\n",
         "1>2 2>3 2>4 3>6 4>5 5>6 6>exit"),
        ("match a:\n    case 1:\n        b\nd\n", "1>2 2>3 2>4 3>4 4>exit"),
        ("match a:\n    case x if b:\n        c\nd\n", "1>2 2>2 2>3 2>4 3>4 4>exit"),
    ],
)  # fmt: skip
def test_lines_that_follow(text: str, expected: str) -> None:
    assert following(text, kinds=NORMAL) == set(expected.split())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("return a\n", "1>exit"),
        ("raise a\nb\n", "2>exit"),
        ("try:\n    return a\nfinally:\n    b\nc\n", "1>2 2>4 4>exit 5>exit"),
        ("while a:\n    try:\n        break\n    finally:\n        b\nc\n",
         "1>2 2>3 3>5 5>6 1>6 6>exit"),
        ("while a:\n    try:\n        continue\n    finally:\n        b\nc\n",
         "1>2 2>3 3>5 5>1 1>6 6>exit"),
        ("try:\n    try:\n        return a\n    finally:\n        b\nfinally:\n    c\nd\n",
         "1>2 2>3 3>5 5>7 7>exit 8>exit"),
        ("try:\n    a\nfinally:\n    return b\nc\n", "1>2 2>4 4>exit 5>exit"),
        ("for a in b:\n    with c:\n        break\nd\n", "1>2 1>4 2>3 3>4 4>exit"),
        ("async with a as b:\n    return c\n", "1>2 2>exit"),
        ("async for a in b:\n    c\n", "1>2 1>exit 2>2 2>exit"),
    ],
)  # fmt: skip
def test_lines_that_follow_in_a_function(text: str, expected: str) -> None:
    inside = "async def f():\n" + "".join(f"    {line}\n" for line in text.splitlines())
    found = following(inside, "f", NORMAL)

    def above(end: str) -> str:
        return end if end in ("exit", "raise") else str(int(end) - 1)

    assert {">".join(map(above, pair.split(">"))) for pair in found} == set(expected.split())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\n", "1>raise"),
        ("try:\n    a\nexcept B:\n    c\n", "2>3 3>raise 4>raise"),
        ("try:\n    a\nexcept:\n    c\n", "2>3 4>raise"),
        ("try:\n    a\nfinally:\n    c\n", "2>4 4>raise"),
        ("try:\n    raise\nexcept A:\n    b\nexcept C:\n    d\n",
         "2>3 3>raise 5>raise 4>raise 6>raise"),
        ("with a:\n    b\nc\n", "1>raise 2>raise 2>3 3>raise"),
        ("try:\n    a\nexcept* B:\n    c\nexcept* D:\n    e\n",
         "2>3 3>raise 4>5 5>raise 6>raise 6>exit"),
    ],
)  # fmt: skip
def test_where_exceptions_go(text: str, expected: str) -> None:
    assert following(text) >= set(expected.split())


def test_what_suppresses_nothing_leads_nowhere() -> None:
    text = "with a:\n    raise b\nc\n"
    assert "2>3" in following(text)
    quiet = Source(text, suppresses=lambda item: False)
    exits = {edge.target.index for edge in quiet.flow.cfg.edges}
    (behind,) = quiet.flow.cfg.at(quiet.at_line(3))
    assert behind.index not in exits


def test_a_comprehension_goes_round() -> None:
    source = Source("[a for a in b if c for d in e]\n", "<comprehension>")
    kinds = [node.kind for node in source.nodes]
    assert kinds == ["entry", "target", "test", "iterable", "target", "element", "exit", "raise"]


@pytest.mark.parametrize(
    "line", ["x{n} = x{n}\n", "if x:\n    y{n} = {n}\n", "try:\n    x = {n}\nfinally:\n    y = x\n"]
)
def test_ten_thousand_statements(line: str) -> None:
    source = Source("".join(line.format(n=n) for n in range(10_000)))
    start = time.process_time()
    flow = source.flow
    statement = source.root.children[5000]
    flow.live_after(statement)
    flow.definitions_at(statement, flow.names[0])
    assert time.process_time() - start < 10
    assert len(flow.cfg.edges) < 20 * len(flow.cfg)


def test_nested_finally_stays_small() -> None:
    depth = 30
    lines = ["    " * n + "try:\n" + "    " * (n + 1) + "a\n" + "    " * n + "finally:\n"
             for n in range(depth)]  # fmt: skip
    source = Source("".join(lines) + "    " * depth + "b\n")
    assert len(source.flow.cfg) < 40 * depth
