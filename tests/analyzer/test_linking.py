"""What linking says of random repositories is what Python finds when it imports them; and it
depends on nothing but the files' bytes.

PINSETTER_FUZZ=10000 makes as many repositories, instead of 100.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from random import Random

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from repositories import imported, repositories

from pinsetter.analyzer import syntax
from pinsetter.analyzer.facts import Facts
from pinsetter.analyzer.files.import_path import layout_of
from pinsetter.analyzer.names.imports import imports_of
from pinsetter.analyzer.names.linked import Linked, LinkedFile
from pinsetter.analyzer.names.project import Project
from pinsetter.analyzer.syntax.depth import allow_recursion
from pinsetter.analyzer.syntax.tree import Tree, main_guards
from pinsetter.analyzer.values.class_bases import declared_classes

EXAMPLES = int(os.environ.get("PINSETTER_FUZZ", "100"))
ROOT = Path("/repository").resolve()
allow_recursion()  # as deep files would do on the way, which hypothesis warns of
RANDOM = settings(
    max_examples=EXAMPLES, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)


def linked(files: dict[str, str]) -> Linked:
    layout, names = layout_of([ROOT / name for name in files], ROOT)
    found = []
    for name, text in files.items():
        root = syntax.parse(text)
        guards = tuple(Tree(root, text).line_of(guard) for guard in main_guards(root))
        path = ROOT / name
        found.append(LinkedFile(path, names[path], imports_of(root, text), guards))
    return Linked(found, layout)


def answers(found: Linked) -> object:
    """All that linking says."""
    graph = found.import_graph
    return (
        [(path, file.name) for path, file in found.files.items()],
        [(a, b, graph.edges[a, b]["when"]) for a, b in graph.edges],
        [found.heads(path) for path in found.files],
        [found.reached(path) for path in found.files],
    )


def test_what_a_script_reaches() -> None:
    files = {
        "main.py": "import a\nif __name__ == '__main__':\n    import b\n",
        "a.py": "if __name__ == '__main__':\n    import c\nif TYPE_CHECKING:\n    import d\n",
        "b.py": "", "c.py": "", "d.py": "", "p/__main__.py": "",
    }  # fmt: skip
    found = linked(files)
    assert {path.name for path in found.files if found.heads(path)} == {
        "main.py", "d.py", "__main__.py",
    }  # fmt: skip
    assert {p.name: file.guards for p, file in found.files.items() if file.guards} == {
        "main.py": (2,), "a.py": (1,),
    }  # fmt: skip
    assert [p.name for p in found.reached(ROOT / "main.py")] == ["main.py", "a.py", "b.py"]
    assert [p.name for p in found.reached(ROOT / "a.py")] == ["a.py", "c.py"]


@RANDOM
@given(repositories(), st.randoms(use_true_random=False))
def test_the_order_of_files_does_not_matter(files: dict[str, str], random: Random) -> None:
    names = list(files)
    random.shuffle(names)
    assert answers(linked(files)) == answers(linked({name: files[name] for name in names}))


OF_ITSELF = """\
if len(''):
    class A(A): pass
else:
    class A(object): pass
def g():
    class L(object): pass
    return L
A = g()
"""
BUILTIN = "if len(''):\n    object = B\nelse:\n    class A(object): pass\nclass B: pass\n"


@RANDOM
@example({"m0.py": OF_ITSELF})
@example({"m0.py": BUILTIN})
@given(repositories())
def test_the_hierarchy_is_what_python_finds(files: dict[str, str]) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        write(folder, files)
        orders = imported(folder, files)
        facts = Facts(Project([folder]))
        evaluator = facts.evaluator
    declared: dict[str, list[bool]] = {}
    for one in declared_classes(evaluator.modules, evaluator.evaluate):
        declared.setdefault(one.name, []).append(all(base.certain for base in one.bases))
    for name, lines in orders.items():
        for line in lines:
            if all(declared.get(ancestor) == [True] for ancestor in line[:-1]):
                found = evaluator.hierarchy.ancestors(name)
                assert found in (line, line[:-1]), (name, line, files)
            for ancestor in evaluator.hierarchy.ancestors(name):
                if evaluator.hierarchy.proves(name, ancestor):
                    assert ancestor in line, (name, ancestor, line, files)


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
