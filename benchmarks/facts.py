"""What the facts of a file cost beside parsing it, and what linking many files costs.

    python benchmarks/facts.py FOLDER [--files N]

Each file below FOLDER is parsed, then all its facts are made: scopes, the flow of every scope
(control-flow graph, activity, reaching definitions, liveness), and its imports. Printed: the ratio
of facts to parsing over all files, the median and the worst of the files of 100 lines and more;
then the seconds for linking N of them, and those for reading all files once more with their class
hierarchy and the meaning of every module-level name.
"""

from __future__ import annotations

import argparse
import gc
import statistics
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TypeVar

from fissix.pytree import Node

from pinsetter.analyzer import syntax
from pinsetter.analyzer.facts import Facts
from pinsetter.analyzer.files import source
from pinsetter.analyzer.files.find import python_files
from pinsetter.analyzer.files.import_path import layout_of
from pinsetter.analyzer.flow import Flows
from pinsetter.analyzer.names.imports import Import, imports_of
from pinsetter.analyzer.names.linked import Linked, LinkedFile
from pinsetter.analyzer.names.project import Project
from pinsetter.analyzer.names.scope_tree import Scopes

T = TypeVar("T")
LINES = 100


def timed(work: Callable[[], T]) -> tuple[T, float]:
    """The result and the CPU seconds it took, garbage collector off."""
    gc.collect(0)  # the tree of the file before; what is kept of it is not looked at again
    gc.disable()
    start = time.process_time()
    try:
        return work(), time.process_time() - start
    finally:
        gc.enable()


def all_facts(root: Node, text: str) -> tuple[Import, ...]:
    scopes = Scopes(root)
    flows = Flows(scopes)
    for scope in scopes:
        flow = flows.of(scope)
        _ = flow.free
        statements = (node.tree for node in flow.cfg.nodes if node.kind == "statement")
        statement = next((tree for tree in statements if tree is not None), None)
        if statement is not None:
            flow.activity(statement)
            flow.live_before(statement)
            for name in flow.names[:1]:
                flow.definitions_at(statement, name)
    return imports_of(root, text)


def linked(found: dict[Path, tuple[Import, ...]], root: Path) -> Linked:
    layout, names = layout_of(found, root)
    return Linked((LinkedFile(p, names[p], imports) for p, imports in found.items()), layout)


def meanings(root: Path) -> int:
    """How many names of modules mean something that is known."""
    evaluator = Facts(Project([root])).evaluator
    return sum(
        evaluator.global_name(module, name).complete
        for module in evaluator.modules
        for name in module.scopes.module.bindings
    )


def main() -> None:
    assert __doc__
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--files", type=int, default=2000)
    given = parser.parse_args()
    root = given.folder.resolve()
    found: dict[Path, tuple[Import, ...]] = {}
    ratios: list[tuple[float, Path]] = []
    parsing = facts = 0.0
    for path in list(python_files(root))[: given.files]:
        read = source.read(path)
        if not isinstance(read, source.Source):
            continue
        text = read.text
        try:
            tree, parse = timed(partial(syntax.parse, text))
        except syntax.SyntaxProblem:
            continue
        found[path], spent = timed(partial(all_facts, tree, text))
        parsing, facts = parsing + parse, facts + spent
        if text.count("\n") >= LINES:
            ratios.append((spent / parse, path))
    print(f"{len(found)} files: all facts in {facts / parsing:.2f} times the time of parsing")
    if ratios:
        worst, where = max(ratios)
        median = statistics.median(ratio for ratio, _ in ratios)
        print(
            f"  files of {LINES} lines and more: median {median:.2f}, worst {worst:.2f} ({where})"
        )
    files, build = timed(lambda: linked(found, root))
    edges, graph = timed(lambda: files.import_graph.number_of_edges())
    heads, reach = timed(lambda: sum(files.heads(path) for path in files.files))
    print(f"linking {len(found)} files: {build + graph + reach:.2f} s")
    print(f"  import graph, {edges} edges: {build + graph:.2f} s; {heads} heads: {reach:.2f} s")
    known, names = timed(partial(meanings, root))
    print(f"  classes and names, {known} known: {names:.2f} s")


if __name__ == "__main__":
    sys.exit(main())
