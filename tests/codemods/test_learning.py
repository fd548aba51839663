"""The commands that draft: learn, dump, rename."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from prepared import invoke

# What click itself says; the command makes 3 of it.
USAGE = 2


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def learn(before: str, after: str, folder: Path) -> tuple[int, str, str]:
    (folder / "old.py").write_text(before)
    (folder / "new.py").write_text(after)
    found = invoke("learn", "old.py", "new.py")
    return found.code, found.out, found.err


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("f(1)\n", "f(1)\n", ""),
        ("f(1)\n", "f( 1 )  # why\n", ""),
        ("f(1)\nx = 2\n", "f(1)\n", "old.py:2: no rule: it was taken away"),
        ("f(1)\n", "f(1)\nx = 2\n", "new.py:2: no rule: it was added"),
        ("import os\nf()\n", "import sys\nf()\n", ""),
        ("x\n", "f(x)\n", "old.py:1: no rule: nothing of it is left to tell it by"),
        ("if a:\n    b()\n", "if a:\n    b()\nelse:\n    c()\n", "no rule"),
    ],
)
def test_what_makes_no_rule(before: str, after: str, said: str, folder: Path) -> None:
    code, out, err = learn(before, after, folder)
    assert code == 1
    assert not out
    assert said in err
    assert "no rule can be drafted of what differs" in err


@pytest.mark.parametrize(
    ("before", "after", "match", "replacement"),
    [
        ("f(1)\n", "g(1)\n", "f($x)", "g($x)"),
        ("f(a, b + 1)\n", "g(b + 1, a)\n", "f($a, $x)", "g($x, $a)"),
        ("log.warn('x' % y)\n", "log.warning('x', y)\n", "$log.warn($x % $y)",
         "$log.warning($x, $y)"),
        ("def f(self):\n    self.assertEqual(self.a, 1)\n",
         "def f(self):\n    assert self.a == 1\n", "self.assertEqual($x, $y)", "assert $x == $y"),
        ("z = [a for a in f(b).c]\n", "z = [a for a in g(b).c]\n", "f($b)", "g($b)"),
        ("if x == None:\n    f()\n", "if x is None:\n    f()\n", "$x == None", "$x is None"),
        ("f(x, x)\n", "g(x)\n", "f($x, $x)", "g($x)"),
        ("f(x)\n", "g(x, x)\n", "f($x)", "g($x, $x)"),
        ("f(a, timeout=1)\n", "f(a)\n", "f($a, timeout=1)", "f($a)"),
        ("import os\nz = os.path.exists(p)\n",
         "import os\nfrom pathlib import Path\nz = Path(p).exists()\n",
         "os.path.exists($p)", "Path($p).exists()"),
    ],
)  # fmt: skip
def test_what_is_learned(
    before: str, after: str, match: str, replacement: str, folder: Path
) -> None:
    code, out, err = learn(before, after, folder)
    assert code == 0, err
    (rule,) = yaml.safe_load(out)["rules"]
    assert rule["match"] == match
    assert rule["edit"] == {"replace": "$match", "with": replacement}
    (folder / "learned.yaml").write_text(out)
    assert invoke("test", "learned.yaml").code == 0
    assert invoke("run", "./learned.yaml", "old.py", "--write").code == 0
    assert (folder / "old.py").read_text() == after


def test_changes_that_say_the_same_are_one_rule(folder: Path) -> None:
    before = "import numpy as np\na = np.in1d(b, c)\nif np.in1d(d[0], 'e').any():\n    pass\n"
    code, out, err = learn(before, before.replace("in1d", "isin"), folder)
    assert code == 0, err
    (rule,) = yaml.safe_load(out)["rules"]
    assert rule["match"] == "np.in1d"
    assert rule["edit"] == {"rename": "$match", "to": "np.isin"}
    assert "old.py:2, 3: np.in1d becomes np.isin" in err


def test_files_that_are_not_understood(folder: Path) -> None:
    code, out, err = learn("f(\n", "f()\n", folder)
    assert code == 2
    assert not out
    assert "old.py:2" in err or "old.py:1" in err
    assert invoke("learn", "old.py", "none.py").code == USAGE


CODE = """\
import numpy as np
from logging import getLogger
log = getLogger("a")
def f(self, q):
    log.warn("x" % 1, exc_info=True)
    return np.in1d(q, *z).sum() + np.Inf
"""


def test_dump(folder: Path) -> None:
    (folder / "a.py").write_text(CODE)
    found = invoke("dump", "a.py:5")
    assert found.code == 0
    tree, match, known = found.out.split("\n\n")
    assert tree.startswith("power\n  NAME 'log'\n  trailer\n    DOT '.'\n    NAME 'warn'\n")
    assert match == "match:\n    $log.warn($x, exc_info=$y)\n    $log.warn($...args)"
    assert "log is an instance of logging.Logger" in known
    found = invoke("dump", "a.py:6")
    assert "    np.in1d($...args)\n" in found.out
    assert "    np.Inf\n" in found.out
    assert "imports:\n    np: numpy\n" in found.out
    assert "suite …" in invoke("dump", "a.py:4").out
    (folder / "b.py").write_text("f(1,\n  2)\n")
    assert "No statement begins in this line." in invoke("dump", "b.py:2").out


@pytest.mark.parametrize("place", ["a.py", "a.py:0", "a.py:99", "b.py:1", "a.py:x"])
def test_places_that_are_none(place: str, folder: Path) -> None:
    (folder / "a.py").write_text(CODE)
    assert invoke("dump", place).code in (2, 3)


def test_rename(folder: Path) -> None:
    (folder / "pkg").mkdir()
    (folder / "pkg" / "mod.py").write_text("def old(): pass\n")
    (folder / "main.py").write_text("from pkg.mod import old\nold('pkg.mod.old')\n")
    assert invoke("rename", "pkg.mod.old", "new", ".", "--check").code == 1
    found = invoke("rename", "pkg.mod.old", "new", ".", "--write", "--strings")
    assert found.code == 0, found
    assert "not known" not in found.err
    assert (folder / "pkg" / "mod.py").read_text() == "def new(): pass\n"
    assert (folder / "main.py").read_text() == "from pkg.mod import new\nnew('pkg.mod.new')\n"
    assert invoke("rename", "pkg.mod.old", "new", ".", "--check").code == 0
    assert invoke("undo").code == 0
    assert (folder / "pkg" / "mod.py").read_text() == "def old(): pass\n"


@pytest.mark.parametrize(
    "names",
    [
        ("old-er", "new"),
        ("a.b", "1"),
        ("a..b", "c"),
        ("a.b", "c d"),
        ("a.b", "class"),
        ("a", "c.if.d"),
    ],
)
def test_names_that_are_none(names: tuple[str, str], folder: Path) -> None:
    found = invoke("rename", *names, ".")
    assert found.code == USAGE


def test_a_name_without_a_dot_is_a_module(folder: Path) -> None:
    (folder / "main.py").write_text("import mock\nmock.f()\n")
    found = invoke("rename", "mock", "unittest.mock", ".", "--write")
    assert found.code == 0, found
    assert "mock is taken for a module" in found.err
    assert (folder / "main.py").read_text() == "from unittest import mock\nmock.f()\n"
    assert invoke("rename", "f", "g", ".", "--check").code == 0
