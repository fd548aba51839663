"""A name of a library gets another: in what reads it, and in what imports it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from snippets import load_text, pack_data

from pinsetter.codemods.engine.authoring.examples import accepted, outcome_of
from pinsetter.codemods.engine.propose.planning import make_plan
from pinsetter.codemods.engine.propose.rule_query import RuleQuery
from pinsetter.patterns.edits.edit import apply
from pinsetter.patterns.packs.pack import Pack


def pack(name: str = "np.old", to: str = "np.new") -> Pack:
    data: dict[str, Any] = pack_data(match=name, edit={"rename": "$match", "to": to})
    found = load_text(yaml.safe_dump({**data, "imports": {"np": "numpy", "ast": "ast"}}))
    assert isinstance(found, Pack), found
    return found


def renamed(code: str, name: str = "np.old", to: str = "np.new") -> tuple[str, list[str]]:
    made = pack(name, to)
    found = outcome_of(made, made.rules[0], code)
    return found.text, [*found.reports]


@pytest.mark.parametrize(
    "code",
    [
        "np.old\n",
        "import numpy as np\nother.old, np.older, np.x.old, np['old'], 'np.old'\n",
        "import numpy as np\nnp.old = 1\ndel np.old\nf(old=1)\n",
        "import other as np\nnp.old\n",
        "old = 1\nprint(old)\n",
        "from numpy import new\nnew.old\n",
        "from other import old\nold\n",
        "from .numpy import old\nold\n",
        "import numpy.older\n",
        "def f(np):\n    return np.old\n",
        "from numpy import *\n",
        "class A:\n    old = 1\n    def old(self): return self.old\n",
    ],
)
def test_what_is_left_alone(code: str) -> None:
    assert renamed(code) == (code, [])


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("import numpy as np\nnp.old(np.old.x[1])\n", "import numpy as np\nnp.new(np.new.x[1])\n"),
        ("import numpy\n@numpy.old\ndef f(a=numpy.old) -> numpy.old: pass\n",
         "import numpy\n@numpy.new\ndef f(a=numpy.new) -> numpy.new: pass\n"),
        ("import numpy as np\nf'{np.old} np.old'\n", "import numpy as np\nf'{np.new} np.old'\n"),
        ("from numpy import old\nold(old.x)\n", "from numpy import new\nnew(new.x)\n"),
        ("from numpy import old as o\no\n", "from numpy import new as o\no\n"),
        ("from numpy import (\n    a,\n    old,  # why\n)\nold\n",
         "from numpy import (\n    a,\n    new,  # why\n)\nnew\n"),
        ("def f():\n    from numpy import old\n    return old\nold = 1\n",
         "def f():\n    from numpy import new\n    return new\nold = 1\n"),
        # The name is changed only where it is the import's.
        ("from numpy import old\ndef f(old): return old\nold\n",
         "from numpy import new\ndef f(old): return old\nnew\n"),
        ("from numpy import old, new\nold, new\n", "from numpy import new\nnew, new\n"),
        ("from numpy import new, old\nold, new\n", "from numpy import new\nnew, new\n"),
    ],
)  # fmt: skip
def test_uses_and_imports(before: str, after: str) -> None:
    assert renamed(before) == (after, [])
    assert renamed(after) == (after, [])


@pytest.mark.parametrize(
    "rest",
    [
        "new = 1\nold\n",
        "def f(new): return old\n",
        "__all__ = ['old']\n",
        "getattr(module, 'old')\n",
        "try:\n    old\nexcept NameError:\n    old = 1\n",
        "if x:\n    old = None\nold\n",
        "def f():\n    global old\n    old = 1\n",
        "x: 'old'\n",
        "x: 'list[old] | None'\n",
        "x = []  # type: list[old]\n",
        "del old\n",
    ],
)
def test_a_name_that_others_may_use_stays(rest: str) -> None:
    text, reports = renamed(f"from numpy import old\n{rest}")
    assert text == f"from numpy import new as old\n{rest}"
    assert not reports


@pytest.mark.parametrize(
    "rest", ["'old gold'\n", "'x.old'\n", "'golden'\n", "# old\n", "'a b old'\n"]
)
def test_other_texts_mean_no_name(rest: str) -> None:
    text, _ = renamed(f"from numpy import old\n{rest}")
    assert text == f"from numpy import new\n{rest}"


def test_what_a_class_has_by_an_import_is_an_attribute() -> None:
    code = "class C:\n    from numpy import {}\nC.old\n"
    assert renamed(code.format("old"))[0] == code.format("new as old")


def test_a_builtin_is_not_hidden() -> None:
    text, _ = renamed("from numpy import old\nall(old(x))\n", to="np.all")
    assert text == "from numpy import all as old\nall(old(x))\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("from numpy import old\nold\n", "from numpy.lib import new\nnew\n"),
        ("from numpy import old as o\no\n", "from numpy.lib import new as o\no\n"),
        ("from numpy import a, old\nold\n",
         "from numpy import a\nfrom numpy.lib import new\nnew\n"),
        ("from numpy import old, a\nold\n",
         "from numpy import a\nfrom numpy.lib import new\nnew\n"),
        ("import numpy as n\nn.old\n", "import numpy as n\nn.lib.new\n"),
        ("def f():\n    import numpy as np\n    np.old\n",
         "def f():\n    import numpy as np\n    np.lib.new\n"),
    ],
)  # fmt: skip
def test_another_module(before: str, after: str) -> None:
    assert renamed(before, to="np.lib.new") == (after, [])


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("import numpy as np\nnp.old(x)\n", "import ast\n\nimport numpy as np\nast.new(x)\n"),
        ("def f():\n    import ast as a\n    import numpy as np\n    np.old(x)\n",
         "def f():\n    import ast as a\n    import numpy as np\n    a.new(x)\n"),
        ("def f():\n    if x:\n        import ast as a\n    import numpy as np\n    np.old(x)\n",
         "import ast\ndef f():\n    if x:\n        import ast as a\n    import numpy as np\n"
         "    ast.new(x)\n"),
    ],
)  # fmt: skip
def test_another_package(before: str, after: str) -> None:
    assert renamed(before, to="ast.new") == (after, [])


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("import numpy as np\nnp.old(x)\n", "import numpy as np\nissubclass(x)\n"),
        ("from numpy import a, old\nold(x)\n", "from numpy import a\nissubclass(x)\n"),
        ("from numpy import old\nold(x)\n", "issubclass(x)\n"),
        ("from numpy import old as o\no(x)\n", "issubclass(x)\n"),
    ],
)
def test_a_builtin(before: str, after: str) -> None:
    assert renamed(before, to="issubclass") == (after, [])


@pytest.mark.parametrize(
    "code",
    [
        "import numpy as np\ntry:\n    x = np.old\nexcept AttributeError:\n    x = 1\n",
        "import numpy as np\ntry:\n    x = np.new\nexcept AttributeError:\n    x = np.old\n",
        "try:\n    from numpy import old\nexcept ImportError:\n    old = None\n",
        "try:\n    from numpy import new\nexcept (ImportError, X):\n"
        "    from numpy import old as new\n",
    ],
)
def test_what_is_tried_is_left_alone_and_said(code: str) -> None:
    text, (report,) = renamed(code)
    assert text == code
    assert "it is tried, with an except for" in report


def test_a_try_for_something_else_is_none() -> None:
    code = "import numpy as np\ntry:\n    x = np.{0}\nexcept TypeError:\n    x = np.{0}\n"
    assert renamed(code.format("old")) == (code.format("new"), [])


def test_what_other_modules_import_stays_for_them(tmp_path: Path) -> None:
    (tmp_path / "compat.py").write_text("from numpy import old\nold\n")
    (tmp_path / "user.py").write_text("from compat import old\nimport compat\nold, compat.old\n")
    (tmp_path / "alone.py").write_text("from numpy import old\nold\n")
    planned = make_plan([RuleQuery(pack(), [])], [tmp_path])
    made: dict[str, list[Any]] = {}
    for hunk in planned.plan.hunks:
        made.setdefault(hunk.module.path.name, []).extend(hunk.edits)
    texts = {name: apply((tmp_path / name).read_text(), edits) for name, edits in made.items()}
    assert texts == {
        "compat.py": "from numpy import new as old\nold\n",
        "alone.py": "from numpy import new\nnew\n",
    }


@pytest.mark.parametrize(
    ("rule", "reason"),
    [
        ({"match": "np.old($x)", "edit": {"rename": "$match", "to": "np.new"}}, "only a name"),
        ({"match": "$x.old", "edit": {"rename": "$match", "to": "np.new"}}, "only a name"),
        ({"match": "np.old", "edit": {"rename": "$match", "to": "xy.new"}}, "none of the imports"),
        ({"match": "np.old", "edit": {"rename": "$match", "to": "new"}}, "none of the imports"),
        ({"match": "np.old", "edit": {"rename": "$x", "to": "np.new"}}, ""),
        ({"match": "np.old", "edit": {"rename": "$match", "to": "np.new()"}}, ""),
        ({"match": "np.old", "edit": {"rename": "$match"}}, ""),
    ],
)
def test_mistakes(rule: dict[str, Any], reason: str) -> None:
    found = load_text(yaml.safe_dump({**pack_data(**rule), "imports": {"np": "numpy"}}))
    assert isinstance(found, list)
    assert reason in "\n".join(map(str, found))


def test_comments_of_names_that_go_elsewhere() -> None:
    """Each with its own, whichever go."""
    code = "from numpy import (\n    a,  # 1\n    b,  # 2\n    c,  # 3\n)\n"
    for name, number in (("a", 1), ("b", 2), ("c", 3)):
        lines = [line for line in code.splitlines() if f"# {number}" not in line]
        wanted = [f"# {number}", *lines, f"from ast import {name}"]
        assert renamed(code, f"np.{name}", f"ast.{name}")[0].splitlines() == wanted


TWO = """\
pack: two
summary: Test.
imports: {lib: lib}
rules:
  - id: rename
    title: A title
    why: Because.
    match: lib.old
    edit: {rename: $match, to: lib.new}
    examples: [{unchanged: x}]
  - id: other
    title: A title
    why: Because.
    match: f($x)
    where: [{formatted: {of: $x, to: percent, text: text, values: values}}]
    edit: {replace: $match, with: TEMPLATE}
    examples: [{unchanged: x}]
"""


@pytest.mark.parametrize(("template", "code", "after"), [
    ("g($text)", "from lib import old\nf(f'{old}')\nold\n", "from lib import new\ng('%s')\nnew\n"),
    ("g($text, $...values)", "from lib import old\nf(f'{old}')\n",
     "from lib import new\nf(f'{new}')\n"),
    ("g($text, $...values)", "from lib import old\nf('{}'.format(old))\n",
     "from lib import new\ng('%s', new)\n"),
])  # fmt: skip
def test_a_use_in_what_is_replaced(tmp_path: Path, template: str, code: str, after: str) -> None:
    """It may go, and stays nowhere under its old name."""
    found = load_text(TWO.replace("TEMPLATE", f'"{template}"'))
    assert isinstance(found, Pack), found
    path = tmp_path / "main.py"
    path.write_text(code)
    plan = make_plan([RuleQuery(found, [])], [tmp_path]).plan
    edits = [edit for hunk in accepted(plan) for edit in hunk.edits]
    assert apply(code, edits) == after


ALIKE = """\
pack: alike
summary: Test.
imports: {lib: lib, new: new}
rules:
  - id: rename-<<key>>
    each: {aa: b, A: C, z: zz}
    title: Another name
    why: It is elsewhere.
    match: lib.<<key>>
    edit: {rename: $match, to: new.<<value>>}
    examples: [{unchanged: x}]
"""


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("from lib import aa, A, other\naa(A)\n",
         "from lib import other\nfrom new import C, b\nb(C)\n"),
        ("from lib import aa, A\naa(A)\n", "from new import C, b\nb(C)\n"),
        ("from lib import aa as a, A\na(A)\n", "from new import C, b as a\na(C)\n"),
        ("def f():\n    from lib import aa, A, other\n    aa(A)\n",
         "def f():\n    from lib import other\n    from new import C, b\n    b(C)\n"),
        ("def f():\n    from lib import aa as one_rather_long_name, A as another_rather_long_one\n"
         "    return 1\n",
         "def f():\n    from new import (\n        C as another_rather_long_one,\n"
         "        b as one_rather_long_name,\n    )\n    return 1\n"),
        ("from lib import z, other\nz\n", "from lib import other\nfrom new import zz\nzz\n"),
    ],
)  # fmt: skip
def test_what_goes_to_one_module_has_one_import(
    before: str, after: str, tmp_path: Path
) -> None:  # fmt: skip
    pack = load_text(ALIKE)
    assert isinstance(pack, Pack), pack
    (tmp_path / "pyproject.toml").write_text("[tool.black]\nline-length = 70\n")
    (tmp_path / "a.py").write_text(before)
    planned = make_plan([RuleQuery(pack, [])], [tmp_path])
    edits = [edit for hunk in planned.plan.hunks for edit in hunk.edits]
    assert apply(before, edits) == after
