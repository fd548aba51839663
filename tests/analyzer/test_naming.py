"""What names mean in linked files, and what the files import and reach."""

from __future__ import annotations

from pathlib import Path

import pytest

from pinsetter.analyzer import syntax
from pinsetter.analyzer.classes import named_hierarchy
from pinsetter.analyzer.library import load
from pinsetter.analyzer.link import Linked, link
from pinsetter.analyzer.naming import Naming
from pinsetter.analyzer.outlining import outline
from pinsetter.analyzer.scopes import Scopes

ROOT = Path("/repository").resolve()
LIBRARY = load()
MODEL = "tensorflow.keras.Model"


def linked(files: dict[str, str]) -> Linked:
    trees = {name: syntax.parse(text) for name, text in files.items()}
    return link(
        {ROOT / name: outline(tree, Scopes(tree), files[name]) for name, tree in trees.items()},
        ROOT,
    )


def meaning(files: dict[str, str], dotted: str = "x", trusting: bool = False) -> object:
    """The names that a name in main.py may have, as a set if that is not all."""
    naming = Naming(linked(files), LIBRARY, trusting)
    values = naming.meaning(ROOT / "main.py", dotted)
    return sorted(values.names) if values.complete else set(values.names)


# ---------------------------------------------------------------- unknown


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x = 1\n",
        "x = f()\n",
        "x = None\n",
        "x = x\n",
        "x = y\ny = x\n",
        "x = x.x\n",
        "from unknown import *\n",
        "from . import x\n",
        "from .. import x\n",
        "from .none import x\n",
        "for x in a: pass\n",
        "def f(x):\n    class A(x): pass\n",
    ],
)
def test_unknown(text: str) -> None:
    assert meaning({"main.py": text}) == set()


@pytest.mark.parametrize(
    "text",
    [
        "class x: pass\nx = f()\n",
        "class x: pass\nfrom unknown import *\n",
        "@wrap\nclass x: pass\n",
        "class x: pass\nglobals()['x'] = 1\n",
        "class x: pass\ndel x\n",
        "class x: pass\nx.y = 1\nimport main\nx = main.x\n",
        "class x: pass\nimport main\nmain.x = 1\n",
    ],
)
def test_not_all_is_known(text: str) -> None:
    assert meaning({"main.py": text, "unknown.pyc": ""}) in ({"main.x"}, {"main.x", "unknown.x"})


def test_trusting() -> None:
    assert meaning({"main.py": "@wrap\nclass x: pass\nf(globals())\n"}, "x", True) == ["main.x"]


# ---------------------------------------------------------------- every form of import

PACKAGE = {
    "p/__init__.py": "from .a import A\nfrom . import b\nfrom .c import *\n",
    "p/a.py": "class A:\n    class Inner: pass\n",
    "p/b.py": "class B: pass\n",
    "p/c.py": "__all__ = ['C']\nclass C: pass\nclass D: pass\n",
    "space/e.py": "class E: pass\n",
}


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("import tensorflow as x\n", ["tensorflow"]),
        ("import tensorflow as tf\nx = tf.keras.Model\n", [MODEL]),
        ("from tensorflow import keras as k\nx = k.Model\n", [MODEL]),
        ("from tensorflow.keras import *\nx = Model\n", [MODEL]),
        ("import p.a\nx = p.a.A\n", ["p.a.A"]),
        ("import p.a as q\nx = q.A.Inner\n", ["p.a.A.Inner"]),
        ("from p import A as x\n", ["p.a.A"]),
        ("from p import C as x\n", ["p.c.C"]),
        ("from p.c import D as x\n", ["p.c.D"]),
        ("from p import b\nx = b.B\n", ["p.b.B"]),
        ("from .p import A as x\n", ["p.a.A"]),
        ("import space.e\nx = space.e.E\n", ["space.e.E"]),
        ("from space import e as x\n", ["space.e"]),
        ("try:\n    from p import A as x\nexcept E:\n    from p.b import B as x\n",
         ["p.a.A", "p.b.B"]),
        ("from p import *\nx = A\n", ["p.a.A"]),
        ("x = dict\n", ["builtins.dict"]),
        ("class K:\n    from p import A\nx = K.A\n", ["p.a.A"]),
        ("from p import A\nclass K(A): pass\nx = K.Inner\n", ["p.a.A.Inner"]),
        ("x = (a := 1)\n", set()),
        ("from p import D as x\n", set()),
    ],
)  # fmt: skip
def test_imports(text: str, wanted: object) -> None:
    assert meaning({"main.py": text, **PACKAGE}) == wanted


def test_circles_and_long_chains() -> None:
    files = {"main.py": "from a import x\n", "a.py": "from b import x\n",
             "b.py": "from a import x\nclass x: pass\n"}  # fmt: skip
    assert meaning(files) == ["b.x"]
    chain = {f"m{n}.py": f"from m{n + 1} import *\n" for n in range(2_000)}
    chain |= {"m2000.py": "class x: pass\n", "main.py": "from m0 import x\n"}
    assert meaning(chain) == ["m2000.x"]


def test_an_unparsable_neighbour_is_unknown() -> None:
    files = {"main.py": "from a import x\n", "a.py": "class x: pass\n"}
    found = linked(files)
    found.files.pop(ROOT / "a.py")
    assert not Naming(found, LIBRARY).meaning(ROOT / "main.py", "x").complete


# ---------------------------------------------------------------- classes and entries


def test_the_hierarchy() -> None:
    files = {
        "main.py": "import six\nfrom p import A, b\nclass N(six.with_metaclass(M, A, b.B)): pass\n"
        "try:\n    class T(A): pass\nexcept E:\n    class T(b.B): pass\n",
        **PACKAGE,
        "nets.py": "import tensorflow as tf\nclass Net(tf.keras.Model): pass\n",
        "more.py": "import nets\nclass More(nets.Net): pass\n",
    }
    found = named_hierarchy(Naming(linked(files), LIBRARY))
    assert found.ancestors("main.N") == ["main.N", "p.a.A", "p.b.B"]
    assert found.proves("more.More", MODEL)
    assert found.isa("main.T", "p.a.A")
    assert not found.proves("main.T", "p.a.A")


def test_entries_and_what_they_reach() -> None:
    files = {
        "main.py": "import a\nif __name__ == '__main__':\n    import b\n",
        "a.py": "if __name__ == '__main__':\n    import c\nif TYPE_CHECKING:\n    import d\n",
        "b.py": "", "c.py": "", "d.py": "", "p/__main__.py": "",
    }  # fmt: skip
    found = linked(files)
    assert {entry.path.name: entry.because for entry in found.entries} == {
        "main.py": "__main__ guard, line 2",
        "a.py": "__main__ guard, line 1",
        "d.py": "no module imports it",
        "__main__.py": "__main__.py of p",
    }
    assert [p.name for p in found.reached(ROOT / "main.py")] == ["main.py", "a.py", "b.py"]
    assert [p.name for p in found.reached(ROOT / "a.py")] == ["a.py", "c.py"]
