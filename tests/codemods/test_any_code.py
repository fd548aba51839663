"""Codemods for any code: a file ends at its bytes, or is analysed alone, wherever that changes
nothing of what is proposed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pinsetter.analyzer.files.import_groups import Part
from pinsetter.analyzer.files.needed_text import NeededText
from pinsetter.analyzer.names import project
from pinsetter.analyzer.syntax.tree import LN
from pinsetter.analyzer.values.possible_names import LastWords
from pinsetter.codemods.engine.hunks.proposed import Planned
from pinsetter.codemods.engine.propose import near_files
from pinsetter.codemods.engine.propose.part_work import PartWork
from pinsetter.codemods.engine.propose.planning import make_plan
from pinsetter.codemods.engine.propose.rule_query import RuleQuery
from pinsetter.patterns.applying.module_rules import ModuleRules
from pinsetter.patterns.matching.match import Match
from pinsetter.patterns.packs.pack import Pack, Rule, load

PACK = """
pack: any-code
summary: For any code.
imports: {np: numpy, lib: lib, one: builtins}
names: [report]
"""
PRINT = """
rules:
  - id: report-it
    title: Report it
    why: A print goes to nobody.
    match: print($...arguments)
    edit: {replace: $match, with: report($...arguments)}
    examples: [{before: print(1), after: report(1)}]
"""
FLOAT = """
rules:
  - id: plain-float
    title: Python's float
    why: numpy's is gone.
    match: np.float($x)
    edit: {replace: $match, with: float($x)}
    examples: [{before: "import numpy as np\\nnp.float(1)", after: "import numpy as np\\nfloat(1)"}]
"""
SHAPE = """
rules:
  - id: shape-by-numpy
    title: numpy's shape
    why: Other things have none.
    match: shape_of($x)
    edit: {replace: $match, with: np.shape($x)}
    examples: [{before: shape_of(1), after: "import numpy as np\\nnp.shape(1)"}]
"""
DEFINITION = """
definitions:
  report: |
    def report(*what):
        '''Say it.'''
        log(*what)
"""
REQUIRED = """
rules:
  - id: first
    title: First
    why: Because.
    match: open_log()
    edit: {replace: $match, with: log()}
    examples: [{before: open_log(), after: log()}]
  - id: second
    title: Second
    why: Because.
    requires: [first]
    match: say($x)
    edit: {replace: $match, with: log($x)}
    examples: [{before: "open_log()\\nsay(1)", after: "log()\\nlog(1)"}]
"""


GONE = """
rules:
  - id: gone
    title: It is gone
    why: It left numpy.
    match: np.in1d
    report: $match is gone.
    examples: [{unchanged: in1d(1)}]
"""


PRODUCT = """
rules:
  - id: product
    title: prod
    why: It is called prod.
    match: np.product
    edit: {rename: $match, to: np.prod}
    examples: [{before: "import numpy as np\\nnp.product", after: "import numpy as np\\nnp.prod"}]
"""


OWN = """
rules:
  - id: own
    title: One's own
    why: It is gone.
    match: lib.f
    report: $match is gone.
    examples: [{unchanged: f(1)}]
"""
RAISE = """
rules:
  - id: raise
    title: OSError
    why: It is the same.
    match: one.IOError
    edit: {replace: $match, with: OSError}
    examples: [{before: raise IOError(1), after: raise OSError(1)}]
"""


def queries(tmp_path: Path, *texts: str) -> list[RuleQuery]:
    path = tmp_path / "pack.yaml"
    path.write_text("".join((PACK, *texts)))
    pack = load(path)
    assert isinstance(pack, Pack), pack
    return [RuleQuery(pack, [])]


def tree_of(tmp_path: Path, files: dict[str, str | bytes]) -> Path:
    tree = tmp_path / "tree"
    for name, text in files.items():
        path = tree / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return tree


def said(planned: Planned) -> tuple[object, ...]:
    hunks = sorted(planned.plan.hunks, key=lambda h: (str(h.module.path), h.line, h.id))
    return (
        [(h.id, h.lines, h.warnings, sorted(h.requires), str(h.module.path)) for h in hunks],
        [str(report) for report in planned.reports],
        planned.refused, planned.faults, planned.notes,
        [(one.rule.id, str(one.module.path), one.by.line) for one in planned.suppressed],
    )  # fmt: skip


@pytest.fixture
def analysed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files that were parsed, in the order in which that was asked."""
    found: list[str] = []
    load_file = project.load

    def load(path: Path, *rest: Any) -> Any:
        found.append(path.name)
        return load_file(path, *rest)

    monkeypatch.setattr(project, "load", load)
    monkeypatch.setattr(near_files, "load", load)
    return found


def _nothing_needed(query: RuleQuery) -> dict[str, list[NeededText]]:
    return {rule.id: [NeededText()] for rule in query.pack.rules}


def whole(monkeypatch: pytest.MonkeyPatch, make: Callable[[], Planned]) -> Planned:
    """What is planned where every file is analysed together with all around it, and every name
    is followed."""
    made = PartWork._made

    def beyond(work: PartWork, part: Part, *rest: Any) -> Planned | None:
        return None if part.alone else made(work, part, *rest)

    with monkeypatch.context() as patched:
        patched.setattr(PartWork, "_made", beyond)
        patched.setattr(LastWords, "may_mean", lambda *_: True)
        patched.setattr(LastWords, "have_others", lambda *_: True)
        patched.setattr(LastWords, "_may_be_had", lambda *_: True)
        patched.setattr(RuleQuery, "needed", property(_nothing_needed))
        return make()


NOTHING: list[tuple[str, dict[str, str | bytes]]] = [
    (PRINT, {}),
    (PRINT, {"a.py": ""}),
    (PRINT, {"a.py": "x = 1\n", "b.py": "import a\nblueprint(a)\n"}),
    (PRINT, {"a.py": "# print\n'print(1)'\nprinter(1)\n"}),
    (PRINT, {"a.py": "def print_(x): pass\nprint_(1)\n"}),
    (PRINT, {"a.py": "x.print\n", "b.py": "def f(print=1): return print\n"}),
    (PRINT, {"a.py": "def print(x): pass\nprint(1)\n"}),
    (PRINT, {"a.py": "from b import print\nprint(1)\n", "b.py": "def print(x): pass\n"}),
    (PRINT, {"a.py": "from b import *\nprint(1)\n", "b.py": "def print(x): pass\n"}),
    (FLOAT, {"a.py": "import numpy as np\nnp.floating(1)\n"}),
    (FLOAT, {"a.py": "float(1)\n", "b.py": "import a\na.float(1)\n"}),
    (FLOAT, {"a.py": "class np:\n    float = int\nnp.float(1)\n"}),
    (FLOAT, {"a.py": "import jax.numpy as np\nnp.float(1)\n"}),
    (SHAPE, {"a.py": "import numpy as np\nshape_off(1)\n"}),
]
DISGUISED: list[tuple[str, dict[str, str | bytes], int]] = [
    (PRINT, {"a.py": "print(1)\n"}, 1),
    (PRINT, {"a.py": b"\xef\xbb\xbfprint(1)\n"}, 1),
    (PRINT, {"a.py": b"x = 1\rprint (1)\r"}, 1),
    (PRINT, {"a.py": "print\\\n(1)\n"}, 1),
    (PRINT, {"a.py": "f'{print(1)}'\n"}, 1),
    (PRINT, {"a.py": "x: 'print(1)' = 2\n"}, 0),  # it is not run
    (PRINT, {"a.py": "def f(x): # type: (print(1)) -> None\n    pass\nprint(2)\n"}, 1),
    (PRINT, {"a.py": b"# coding: utf-7\n+AHA-rint(1)\n"}, 0),  # told of
    (PRINT, {"a.py": b"# coding: latin-1\nx = '\xe9'; print(1)\n"}, 1),
    (PRINT, {"a.py": "\fprint(1)\n"}, 1),
    (PRINT, {"a.py": "from b import *\nprint(1)\n", "b.py": "x = 1\n"}, 1),
    (PRINT, {"a.py": "def f(print): print(1)\nprint(2)\n"}, 1),
    (PRINT, {"a.py": "lambda: (yield print(1))\n"}, 1),
    (PRINT, {"a.py": "@print(1)\ndef f(): pass\n"}, 1),
    (PRINT, {"pkg/__init__.py": "", "pkg/a.py": "from . import b\nprint(1)\n",
             "pkg/b.py": "from . import a\nprint(2)\nprint(2)\n"}, 3),
    (FLOAT, {"a.py": "import numpy\nnumpy.float(1)\n"}, 1),
    (FLOAT, {"a.py": "import numpy as n\nn.float(1)\n"}, 1),
    (FLOAT, {"a.py": "from numpy import float as f\nf(1)\n"}, 1),
    (FLOAT, {"a.py": "from numpy import *\nfloat(1)\n"}, 0),  # also Python's own, for all we know
    (FLOAT, {"a.py": "import numpy as np\ngetattr(np, 'float')(1)\n"}, 1),
    (FLOAT, {"a.py": "import numpy as np\ngetattr(np, 'fl' 'oat')(1)\n"}, 0),
    (FLOAT, {"a.py": "import numpy as np\ngetattr(np, 'fl\\x6fat')(1)\n"}, 1),
    (FLOAT, {"a.py": "import numpy as np\nf'{np.float(1)}'\n"}, 1),
    (FLOAT, {"a.py": "import numpy as np\nf = np.float\ng = f\ng(1)\n"}, 1),
    (FLOAT, {"a.py": "from numpy import float as f\n", "b.py": "from a import f\nf(1)\n"}, 1),
    (FLOAT, {"a.py": "from numpy import float as f\n", "b.py": "from a import *\nf(1)\n"}, 1),
    (FLOAT, {"a.py": "import numpy as np\n", "b.py": "import a\na.np.float(1)\n"}, 1),
    (FLOAT, {"a.py": "import numpy as np\n", "b.py": "from a import np\n",
             "c.py": "from b import np as n\nn.float(1)\n"}, 1),
    (FLOAT, {"a.py": "def f(lib):\n    return lib.float(1)\n",
             "b.py": "import numpy, a\na.f(numpy)\n"}, 1),
    (FLOAT, {"a.py": "lib = None\ndef f():\n    return lib.float(1)\n",
             "b.py": "import numpy, a\na.lib = numpy\n"}, 1),
    (FLOAT, {"pkg/__init__.py": "from numpy import float as number\n",
             "pkg/a.py": "from . import number\nnumber(1)\n"}, 1),
    (SHAPE, {"a.py": "shape_of(1)\n"}, 2),
    (SHAPE, {"a.py": "import numpy\nshape_of(1)\n"}, 1),
    (SHAPE, {"a.py": "from b import np\nshape_of(1)\n", "b.py": "import numpy as np\n"}, 1),
    (SHAPE, {"a.py": "from b import *\nshape_of(1)\n", "b.py": "np = 1\n"}, 2),
    (DEFINITION + PRINT, {"a.py": "print(1)\n"}, 2),
    (DEFINITION + PRINT, {"a.py": "import b\nreport = 1\nprint(1)\n", "b.py": "print(1)\n"}, 4),
    (REQUIRED, {"a.py": "import b\nopen_log()\n", "b.py": "say(1)\n", "c.py": "say(2)\n"}, 2),
    (PRINT, {"a.py": "print(1)  # pinsetter: ignore[report-it] no\n"}, 0),
    (PRINT, {"a.py": "x = 1  # pinsetter: ignore[report-it]\n", "b.py": "print(1)\n"}, 1),
    (PRINT, {"a.py": "x = 1  # Pinsetter: ignore[report-i]\n"}, 0),
    (PRINT, {"x/a.py": "print(1)\n", "y/a.py": "print(1)\n", "y/b.py": "import a\n"}, 2),
    (FLOAT, {"a.py": "from b import get\nget().float(1)\n",
             "b.py": "import numpy\ndef get():\n    return numpy\n"}, 1),
    (FLOAT, {"a.py": "from b import f\nf(1)\n",
             "b.py": "import numpy\nf = getattr(numpy, 'float')\n"}, 1),
    (FLOAT, {"a.py": "def call(f):\n    return f(1)\n",
             "b.py": "import numpy, a\na.call(numpy.float)\n"}, 1),
    (FLOAT, {"a.py": "def call(f):\n    return f(1)\n",
             "b.py": "import numpy\nfrom a import call\ncall(f=numpy.float)\n"}, 1),
    (FLOAT, {"a.py": "def call(f, g=None):\n    return g(1)\n",
             "b.py": "import c, a\na.call(1, c.number)\n",
             "c.py": "from numpy import float as number\n"}, 1),
    (FLOAT, {"a.py": "class A:\n    def __init__(self, lib):\n        self.lib = lib\n"
                     "    def f(self):\n        return self.lib.float(1)\n",
             "b.py": "import numpy, a\na.A(numpy).f()\n"}, 1),
    (FLOAT, {"a.py": "class A:\n    def __init__(self, lib):\n        self.lib = lib\n"
                     "    def f(self):\n        return self.lib.float(1)\n",
             "b.py": "import numpy, a\nclass B(a.A):\n    def __init__(self):\n"
                     "        a.A.__init__(self, numpy)\n"}, 1),
    (FLOAT, {"a.py": "class A:\n    lib = None\n    def f(self):\n"
                     "        return self.lib.float(1)\n",
             "b.py": "import numpy, a\nclass B(a.A):\n    lib = numpy\n"}, 1),
    (FLOAT, {"a.py": "class A:\n    lib = None\n    def f(self):\n"
                     "        return self.lib.float(1)\n",
             "b.py": "import numpy\nfrom a import A as C\nclass B(C):\n    lib = numpy\n"}, 1),
    (FLOAT, {"a.py": "class A:\n    lib = None\n    def f(self):\n"
                     "        return self.lib.float(1)\nD = A\n",
             "b.py": "import numpy\nfrom a import D\nclass B(D):\n    lib = numpy\n"}, 1),
    (FLOAT, {"a.py": "class A:\n    lib = None\n    def f(self):\n"
                     "        return self.lib.float(1)\n",
             "b.py": "import numpy, c\nclass B(c.D):\n    lib = numpy\n",
             "c.py": "from a import A\nD = A\n"}, 1),
    (FLOAT, {"a.py": "class A:\n    lib = None\n    def f(self):\n"
                     "        return self.lib.float(1)\n",
             "b.py": "import numpy, a\ndef make(base):\n    class B(base):\n"
                     "        lib = numpy\n    return B\nmake(a.A)\n"}, 1),
    (FLOAT, {"a.py": "class A:\n    lib = None\n    def f(self):\n"
                     "        return self.lib.float(1)\n",
             "b.py": "import numpy, a\nx = a.A()\nx.lib = numpy\n"}, 1),
    (FLOAT, {"a.py": "from b import B\nB().f().float(1)\n",
             "b.py": "from c import C\nclass B(C):\n    pass\n",
             "c.py": "import numpy\nclass C:\n    def f(self):\n        return numpy\n"}, 1),
    (FLOAT, {"a.py": "LIBS = {'n': None}\nLIBS['n'].float(1)\n",
             "b.py": "import numpy, a\na.LIBS['n'] = numpy\n"}, 0),
    (FLOAT, {"a.py": "import numpy\nLIBS = {'n': numpy}\n",
             "b.py": "import a\na.LIBS['n'].float(1)\n"}, 1),
    (FLOAT, {"a.py": "import numpy\nx, y = numpy.float, 1\n",
             "b.py": "from a import x\nx(1)\n"}, 1),
    (FLOAT, {"a.py": "import numpy\nfor f in (numpy.float, int):\n    f(1)\n"}, 1),
    (FLOAT, {"a.py": "import numpy\nf = None or numpy.float\nf(1)\n"}, 1),
    (FLOAT, {"a.py": "import numpy\n(numpy.float if numpy else int)(1)\n"}, 1),
    (FLOAT, {"a.py": "import numpy\nmatch numpy.float:\n    case f:\n        f(1)\n"}, 1),
    (FLOAT, {"a.py": "import numpy\nif f := numpy.float:\n    f(1)\n"}, 1),
    (FLOAT, {"a.py": "import numpy\ndef g(f=numpy.float):\n    f(1)\n"}, 1),
    (FLOAT, {"a.py": "import numpy\nprint numpy.float\nf = numpy.float\nf(1)\n"}, 1),
    (GONE, {"a.py": "from numpy import in1d as p\np(1)\n", "b.py": "from a import p\np(1)\n"}, 0),
    (GONE, {"a.py": "import numpy\nf = numpy.in1d\n", "b.py": "import a\na.f(1)\n"}, 0),
    (GONE, {"a.py": "from numpy import in1d as p\n", "b.py": "import a\na.p(1)\n"}, 0),
    (PRODUCT, {"a.py": "import numpy\nnumpy.product(1)\n"}, 1),
    (OWN, {"lib/__init__.py": "def f(): pass\n", "lib/a.py": "from . import f\nf()\n"}, 0),
    (OWN, {"lib/__init__.py": "def f(): pass\n", "lib/s/__init__.py": "from .. import f\n",
           "lib/s/a.py": "from . import f\nf()\n", "b.py": "import lib as l\nl.f()\n"}, 0),
    (OWN, {"lib.py": "def f(): pass\n", "b.py": "from lib import f\nf()\n"}, 0),
    (RAISE, {"a.py": "raise IOError(1)\n"}, 1),
    (RAISE, {"a.py": "import builtins\nraise builtins.IOError(1)\n"}, 1),
    (RAISE, {"a.py": "from six.moves import builtins as b\nraise b.IOError(1)\n"}, 0),
    (PRODUCT, {"a.py": "import numpy as n\nimport b\n",
               "b.py": "from a import n\nn.product(1)\n"}, 1),
    (PRODUCT, {"a.py": "import numpy as n\n", "b.py": "from a import n as m\n",
               "c.py": "import b\nb.m.product(1)\n"}, 1),
    (PRODUCT, {"a.py": "import numpy\nlib = numpy\nlib.product(1)\n"}, 1),
    (PRODUCT, {"a.py": "def f(xp):\n    return xp.product(1)\n",
               "b.py": "import numpy as np, a\na.f(np)\n"}, 1),
    (PRODUCT, {"a.py": "def f(xp):\n    return xp.product(1)\n",
               "b.py": "import a, c\na.f(c.np)\n", "c.py": "import numpy as np\n"}, 1),
    (PRODUCT, {"a.py": "def f(xp):\n    return xp.product(1)\n",
               "b.py": "import a, c\na.f(getattr(c, 'np'))\n", "c.py": "import numpy as np\n"}, 1),
    (PRODUCT, {"a.py": "class A:\n    def __init__(self, xp):\n        self.xp = xp\n"
                       "    def f(self):\n        return self.xp.product(1)\n",
               "b.py": "import a\nfrom numpy import *\nimport numpy\na.A(numpy).f()\n"}, 1),
    (PRODUCT, {"a.py": "from numpy import product\n", "b.py": "import a\na.product(1)\n"}, 1),
    (PRODUCT, {"a.py": "from numpy import *\n", "b.py": "from a import product\nproduct(1)\n"}, 0),
    (PRODUCT, {"a.py": "from numpy import *\n", "b.py": "import a\na.product(1)\n"}, 0),
    (PRODUCT, {"a.py": "from numpy import product as p\n", "b.py": "from a import p as product\n",
               "c.py": "import b\nb.product(1)\n"}, 1),
    (PRODUCT, {"pkg/__init__.py": "from numpy import product\n",
               "pkg/a.py": "from . import product\nproduct(1)\n"}, 1),
    (PRODUCT, {"a.py": "import numpy as np\ndef get():\n    return np\n",
               "b.py": "from a import get\nget().product(1)\n"}, 0),
    (PRODUCT, {"a.py": "import numpy as np\n(np if np else None).product(1)\n"}, 0),
    (PRODUCT, {"a.py": "x.product(1)\n", "b.py": "import numpy as np\nimport a\nnp.sum(1)\n"}, 0),
    (PRODUCT, {"a.py": "def f(product):\n    return product(1)\n",
               "b.py": "import a\nfrom numpy import product\na.f(product)\n"}, 1),
]  # fmt: skip


@pytest.mark.parametrize(("rules", "files"), NOTHING)
def test_where_nothing_is_to_be_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rules: str, files: dict[str, str | bytes]
) -> None:
    tree = tree_of(tmp_path, files)
    tree.mkdir(exist_ok=True)
    asked = queries(tmp_path, rules)
    planned = make_plan(asked, [tree])
    assert not planned.plan.hunks
    assert not planned.problems
    assert said(planned) == said(whole(monkeypatch, lambda: make_plan(asked, [tree])))


@pytest.mark.parametrize(("rules", "files", "count"), DISGUISED)
def test_no_match_is_lost(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    rules: str,
    files: dict[str, str | bytes],
    count: int,
) -> None:
    tree = tree_of(tmp_path, files)
    asked = queries(tmp_path, rules)
    planned = make_plan(asked, [tree])
    assert len(planned.plan.hunks) == count
    together = whole(monkeypatch, lambda: make_plan(asked, [tree]))
    assert said(planned) == said(together)
    assert len(planned.files) == len(together.files) == len(files)


FILLING = 60


@pytest.mark.parametrize(("rules", "files"), [
    *NOTHING, *((rules, files) for rules, files, _ in DISGUISED)
])  # fmt: skip
def test_nor_where_most_files_have_nothing_to_do_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rules: str, files: dict[str, str | bytes]
) -> None:
    """Of many files that are joined, a few are read with one of which they say something."""
    modules = (name[:-3].replace("/", ".").removesuffix(".__init__") for name in files)
    joined = "".join(f"import {module}\n" for module in modules)
    filling: dict[str, str | bytes] = {f"filling{n}.py": joined for n in range(FILLING)}
    tree = tree_of(tmp_path, {**filling, **files})
    asked = queries(tmp_path, rules)
    planned = make_plan(asked, [tree])
    assert said(planned) == said(whole(monkeypatch, lambda: make_plan(asked, [tree])))
    assert len(planned.files) == len(filling) + len(files)


def test_what_nobody_asks_about_is_not_parsed(tmp_path: Path, analysed: list[str]) -> None:
    files: dict[str, str | bytes] = {
        "a.py": "from b import lib\nimport c\ndef f(x):\n    return lib.float(x) + x.float(1)\n",
        "b.py": "import numpy as lib\nfrom c import *\n",
        "c.py": "import a\ndef g(x):\n    return a.f(x)\n",
    }
    filling: dict[str, str | bytes] = {
        f"filling{n}.py": f"import a, b, c\nclass F{n}(c.C):\n    pass\n" for n in range(FILLING)
    }
    planned = make_plan(queries(tmp_path, FLOAT), [tree_of(tmp_path, {**files, **filling})])
    assert len(planned.plan.hunks) == 1
    assert sorted({*analysed}) == ["a.py", "b.py", "c.py"]


def test_what_says_no_word_is_not_parsed(tmp_path: Path, analysed: list[str]) -> None:
    files: dict[str, str | bytes] = {
        "a.py": "import b\nprint(1)\n", "b.py": "import c\n", "c.py": "def broken(:\n",
        "d.py": "x = 1\n",
    }  # fmt: skip
    planned = make_plan(queries(tmp_path, PRINT), [tree_of(tmp_path, files)])
    assert analysed == ["a.py"]
    assert [parsed.path.name for parsed in planned.parsed] == ["a.py"]
    assert len(planned.files) == 4
    assert not planned.problems
    assert not planned.unreached
    assert not planned.programs


def test_files_with_a_word_are_parsed_and_told_of(tmp_path: Path, analysed: list[str]) -> None:
    tree = tree_of(tmp_path, {"a.py": "print(1)\n", "c.py": "def print(:\n", "d.py": b"'\xff'\n"})
    planned = make_plan(queries(tmp_path, PRINT), [tree])
    assert sorted(analysed) == ["a.py", "c.py"]
    assert sorted(problem.path.name for problem in planned.problems) == ["c.py", "d.py"]
    assert len(planned.plan.hunks) == 1


def test_a_file_that_is_named_is_parsed(tmp_path: Path) -> None:
    tree = tree_of(tmp_path, {"a.py": "x = 1\n", "c.py": "def broken(:\n"})
    planned = make_plan(queries(tmp_path, PRINT), [tree, tree / "c.py"])
    assert [problem.path.name for problem in planned.problems] == ["c.py"]


def test_only_who_asks_beyond_is_analysed_with_others(tmp_path: Path, analysed: list[str]) -> None:
    files: dict[str, str | bytes] = {
        "one/a.py": "from b import f\nf(1)\nshape_of(1)\n", "one/b.py": "f = 1\n",
        "two/c.py": "shape_of(1)\n", "two/d.py": "x = 1\n", "three/e.py": "import numpy as np\n",
    }  # fmt: skip
    for folder in ("one", "two", "three"):
        files[f"{folder}/setup.cfg"] = ""
    planned = make_plan(queries(tmp_path, SHAPE), [tree_of(tmp_path, files)])
    assert len(planned.plan.hunks) == 4
    assert {"d.py", "e.py"}.isdisjoint(analysed)


def test_equal_names_are_given_in_the_order_of_files(tmp_path: Path) -> None:
    """Who is called what does not depend on which files have something to be done."""
    asked = queries(tmp_path, PRINT)
    tree = tree_of(tmp_path, {"x/a.py": "print(1)\n", "y/a.py": "print(1)\n"})
    first = {str(h.module.path): h.id for h in make_plan(asked, [tree]).plan.hunks}
    (tree / "x" / "a.py").write_text("x = 1\n")
    (hunk,) = make_plan(asked, [tree]).plan.hunks
    assert first[str(hunk.module.path)] == hunk.id


def test_a_rule_is_tried_where_its_words_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = PRINT.partition("rules:\n")[2].replace("report-it", "other")
    other = other.replace("print(", "$f(", 1)
    other = other.replace("    edit:", "    where: [{method: [$f, emit]}]\n    edit:")
    other = other.replace("print(1)", "x.emit(1)")
    asked: set[tuple[str, str]] = set()
    matches = ModuleRules.matches

    def noted(rules: ModuleRules, node: LN, *alike: Rule) -> list[Match]:
        asked.update((rules.module.name, rule.id) for rule in alike)
        return matches(rules, node, *alike)

    monkeypatch.setattr(ModuleRules, "matches", noted)
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "a.py").write_text("print(1)\nf(2)\n")
    (tree / "b.py").write_text("x.emit(1)\nprint(2)\n")
    planned = make_plan(queries(tmp_path, PRINT, other), [tree])
    assert len(planned.plan.hunks) == 3
    assert asked == {("a", "report-it"), ("b", "report-it"), ("b", "other")}
