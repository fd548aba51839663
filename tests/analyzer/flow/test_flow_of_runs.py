"""Whatever a run of a program does is foreseen: lines that follow one another, bindings that are
read, names that are read later. The runs are Python's own; the programs are random.

PINSETTER_FUZZ=10000 runs that many programs of each kind, instead of 200.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cache
from itertools import pairwise

import pytest
from flows import INVISIBLE, Source, last_line, line_of
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from programs import NAMES, Event, programs, run

from pinsetter.analyzer.syntax.tree import LN, leaves

EXAMPLES = int(os.environ.get("PINSETTER_FUZZ", "200"))
# Nodes that need not be noted in a run.
SILENT = {"entry", "finally", "unbind", "end", "leave", "target", "case", "guard"}
RUNS = 3
EXIT, RAISE_EXIT = 0, -1


class Foreseen:
    """What the flow says of the lines of a program."""

    def __init__(self, text: str) -> None:
        self.source = Source(text, "run" if text.startswith("def run(") else "")
        self.flow = self.source.flow
        self.starts: dict[int, list[LN]] = {}
        for tree in self.source.statements():
            self.starts.setdefault(line_of(tree), []).append(tree)
        self.lines = self._lines_of_nodes()
        self.following = self._following_lines()

    def _lines_of_nodes(self) -> list[int | None]:
        found: list[int | None] = []
        for node in self.source.nodes:
            if node.kind == "exit":
                found.append(EXIT)
            elif node.kind == "raise":
                found.append(RAISE_EXIT)
            else:
                found.append(line_of(node.tree) if node.tree is not None else None)
        return found

    def _following_lines(self) -> dict[int, set[int]]:
        """For each line those that may come next; silent nodes may be skipped."""
        cfg = self.flow.cfg
        after = [[edge.target.index for edge in cfg.successors(node)] for node in cfg.nodes]
        found: dict[int, set[int]] = {}
        for node in cfg.nodes:
            here = self.lines[node.index]
            # A line is left by any of its nodes, one after the other.
            seen, stack = set(), list(after[node.index])
            while stack:
                index = stack.pop()
                if index in seen:
                    continue
                seen.add(index)
                line = self.lines[index]
                if line is not None:
                    found.setdefault(here or 0, set()).add(line)
                if line is None or line == here or cfg.node(index).kind in SILENT:
                    stack.extend(after[index])
        return found

    @cache  # noqa: B019
    def live_after(self, line: int, column: int) -> frozenset[str]:
        """The names that are live after the statement that begins there; for an ``elif``, which is
        a statement in Python's own tree only, all."""
        found = [t for t in self.starts[line] if next(visible(t)).column == column]
        if not found:
            return frozenset(self.flow.names)
        return self.flow.live_after(max(found, key=lambda tree: len(str(tree))))

    @cache  # noqa: B019
    def binding_lines(self, name: str, line: int) -> tuple[set[int], bool]:
        """The lines of the bindings that the reads of ``name`` on a line may see, and whether the
        name may be unbound for one of them."""
        lines: set[int] = set()
        unbound = False
        for leaf in self._reads(name, line):
            try:
                lines.update(line_of(b.node) for b in self.flow.definitions_of(leaf))
            except KeyError:
                continue
            unbound = unbound or self.flow.maybe_unbound(leaf)
        return lines, unbound

    def _reads(self, name: str, line: int) -> list[LN]:
        found: list[LN] = list(self.source.leaves(name, line))
        for tree in self.starts.get(line, []):
            if "f'" in str(tree) and line_of(tree) == last_line(tree):
                # Any leaf of the statement stands where the f-string does.
                found += [fake(name, leaf) for leaf in visible(tree)]
        return found

    @cache  # noqa: B019
    def live_before(self, line: int) -> set[str]:
        return set().union(*(self.flow.live_before(tree) for tree in self.starts[line]))


def visible(tree: LN) -> Iterator[LN]:
    return (leaf for leaf in leaves(tree) if leaf.type not in INVISIBLE)


def fake(name: str, leaf: LN) -> LN:
    found = leaf.clone()
    found.value, found.parent = name, leaf.parent
    return found


def next_reads(events: list[Event]) -> list[set[str]]:
    """For each event the names that are read after it before they are bound."""
    live: set[str] = set()
    found = []
    for event in reversed(events):
        found.append(set(live))
        if event.kind in ("read", "delete", "missing"):
            live.add(event.name)
        elif event.kind == "write":
            live.discard(event.name)
    return found[::-1]


def check(text: str, seed: int) -> None:
    foreseen = Foreseen(text)
    for number in range(RUNS):
        events = run(text, seed + number)
        check_lines(foreseen, events)
        check_bindings(foreseen, events)
        check_liveness(foreseen, events)


def check_lines(foreseen: Foreseen, events: list[Event]) -> None:
    lines = [event.line for event in events if event.kind in ("begin", "enter", "end")]
    for before, after in pairwise(lines):
        if before != after:
            assert after in foreseen.following.get(before, ()), f"line {before} -> {after}"


def check_bindings(foreseen: Foreseen, events: list[Event]) -> None:
    bound: dict[str, int] = {}
    for event in events:
        if event.kind == "write":
            bound[event.name] = event.line
        elif event.kind == "delete":
            bound.pop(event.name, None)
        elif event.kind in ("read", "missing"):
            lines, unbound = foreseen.binding_lines(event.name, event.line)
            if event.name in foreseen.flow.names:
                if event.kind == "read":
                    assert bound[event.name] in lines, f"{event}: bound in {bound[event.name]}"
                else:
                    assert unbound or deletes(foreseen, event), f"{event}: unbound"


def deletes(foreseen: Foreseen, event: Event) -> bool:
    """Whether it is a ``del`` that found no name."""
    return any(
        str(tree).strip() == f"del {event.name}" for tree in foreseen.starts.get(event.line, [])
    )


def check_liveness(foreseen: Foreseen, events: list[Event]) -> None:
    names = set(foreseen.flow.names)
    for event, reads in zip(events, next_reads(events), strict=True):
        live = reads & names
        if event.kind == "begin":
            assert live <= foreseen.live_before(event.line), f"before {event}: {live}"
        elif event.kind == "done":
            after = foreseen.live_after(event.line, event.column)
            assert live <= after, f"after {event}: {live}, not {after}"


@pytest.mark.parametrize("function", [False, True], ids=["module", "function"])
def test_runs_are_foreseen(function: bool) -> None:
    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )
    @given(programs(function), st.integers(0, 2**32))
    def property(text: str, seed: int) -> None:
        check(text, seed)

    property()


def test_a_return_goes_on_behind_three_finally_blocks() -> None:
    """The innermost is not copied: behind it both go on, the end of its block and the return."""
    check(
        """\
def run(a, b):
    try:
        a = v()
    finally:
        try:
            a = v()
        finally:
            try:
                return a
            except E:
                a = v()
            finally:
                a = v()
            a = v()
""",
        seed=0,
    )


def test_names_are_those_of_the_programs() -> None:
    source = Source("a = b = d = 1\n")
    assert set(source.flow.names) == set(NAMES)
