"""A name that the repository defines gets another, in all files at once or in none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from snippets import load_text, pack_data

from pinsetter.codemods.engine.authoring.examples import files_of, outcome_of
from pinsetter.codemods.engine.propose.planning import make_plan
from pinsetter.codemods.engine.propose.rule_query import RuleQuery
from pinsetter.patterns.packs.pack import Pack

DEFINED = "# file: pkg/mod.py\ndef old(): pass\n"
MODULE = "# file: pkg/mod.py\n"
MAIN = "# file: main.py\n"
CLASS = """\
# file: pkg/mod.py
class Base:
    pass


class C(Base):
    def old(self):
        return 1
"""


def pack(name: str = "old", strings: bool = False) -> Pack:
    to = f"{name.rpartition('.')[0]}.new" if "." in name else "new"
    edit: dict[str, Any] = {"rename": "$match", "to": f"mod.{to}"}
    if strings:
        edit["strings"] = True
    data = pack_data(match=f"mod.{name}", edit=edit)
    found = load_text(yaml.safe_dump({**data, "imports": {"mod": "pkg.mod"}}))
    assert isinstance(found, Pack), found
    return found


def renamed(code: str, name: str = "old", strings: bool = False) -> tuple[str, list[str]]:
    made = pack(name, strings)
    found = outcome_of(made, made.rules[0], code)
    if found.text != code:
        again = outcome_of(made, made.rules[0], found.text)
        assert again.text == found.text, "a second run changes more"
    return found.text, [*found.reports, *found.warnings]


def marked(code: str) -> str:
    """What is to be renamed, written as `old!`, as it is before."""
    return code.replace("old!", "old")


def check(code: str, name: str = "old", said: list[str] | None = None, **more: bool) -> None:
    text, reports = renamed(marked(code), name, **more)
    assert text == code.replace("old!", "new")
    for wanted in said or []:
        assert any(wanted in one for one in reports), reports
    assert len(reports) == len(said or []), reports


@pytest.mark.parametrize(
    "code",
    [
        "def f(old): return old, [old for old in x], lambda old: old\n",
        "class A:\n    def old(self): return self.old\nA().old()\n",
        "x.old, x['old'], 'old', f(old=1)\n",
        "from other import old\nold()\n",
        "import other as mod\nmod.old()\n",
        "from pkg import old\nold()\n",
        "def f():\n    old = 1\n    return old\n",
        "from pkg import mod\ndef f(mod): return mod.old\n",
        "from pkg.mod import older\nolder.old\n",
        "import pkg.mod\npkg.mod.other.old\n",
    ],
)
def test_what_is_left_alone(code: str) -> None:
    """Where nothing of it is meant, nothing but the definition is changed."""
    check(f"{DEFINED.replace('old', 'old!')}{MAIN}{code}")


@pytest.mark.parametrize(
    "code",
    [
        "from pkg.mod import old!\nold!(old!.x)\n",
        "from pkg.mod import old! as o\no(), x.old\n",
        "import pkg.mod\npkg.mod.old!()\n",
        "import pkg.mod as m\n@m.old!\ndef f(): pass\n@m.old!(1)\ndef g(): pass\n",
        "from pkg import mod\nf'{mod.old!} old'\n",
        "from pkg.mod import *\nold!()\n",
        "def f():\n    from pkg.mod import old!\n    def g(): return old!\n    return g\nold = 1\n",
        "from pkg.mod import (\n    other,\n    old!,  # why\n)\nprint(old!)\n",
        "try:\n    from pkg.mod import old!\nexcept ImportError:\n    old! = None\nold!\n",
        "from pkg.mod import old!\n__all__ = ['old!']\n",
        "from pkg.mod import old!\n__all__ += ('a', \"old!\")\n",
        "from pkg import mod\ngetattr(mod, 'old!'), setattr(mod, 'old!', 1), getattr(x, 'b')\n",
        "from pkg import mod\nmod.old! = 1\ndel mod.old!\nmod.old! += 1\n",
        "from pkg.mod import old!\ndef f(old): return old\nf(old=old!)\nclass A:\n    x = old!\n",
        "from pkg.mod import old!\ndef f():\n    global old!\n    old! = 1\n",
        "from pkg.mod import old!\ndef f(a: 'old!', b: 'list[old!]') -> 'x.old | old!': pass\n",
        "from pkg.mod import old!\nx = []  # type: list[old!]\ny = 'list[old]'\n",
        "import pkg.mod\nx: 'pkg.mod.old!' = 1\nz = cast('pkg.mod.old!', x)\n",
        "from pkg.mod import old!\nmatch x:\n    case old!.a: pass\n    case A(old=1): pass\n",
        "from pkg.mod import old!, old! as o\nold!, o\n",
        "import importlib, pkg.mod\npkg.mod.old!\n",
    ],
)
def test_what_means_it(code: str) -> None:
    check(f"{DEFINED.replace('old', 'old!')}{MAIN}{code}")


@pytest.mark.parametrize(
    "code",
    [
        "old! = 1\nprint(old!)\n",
        "if a:\n    def old!(): pass\nelse:\n    old! = None\n",
        "class old!: pass\nclass B(old!): pass\n",
        "from x import y\ndef f(): return old!\ndef old!(): return f\n",
        "def f():\n    global old!\n    old! = 1\nold! = 2\n",
        "__all__ = ['old!', 'b']\ndef old!(): pass\n__all__.append('old!')\n",
        "def old!(n): return old!(n - 1)\ndef g(old=old!): return old\n",
        "class A:\n    old = 1\n    b = old\ndef old!(): pass\n",
        "old!: int = 1\nx = [old! for a in old! if old!]\ny = [old for old in old!]\n",
    ],
)
def test_in_its_own_module(code: str) -> None:
    check(f"{MODULE}{code}")


def test_what_packages_hand_on() -> None:
    check(
        "# file: pkg/mod.py\ndef old!(): pass\n"
        "# file: pkg/__init__.py\nfrom .mod import old!\n"
        "# file: pkg/other.py\nfrom . import old!, mod\nfrom .mod import old! as o\n"
        "old!, mod.old!\n"
        "# file: main.py\nimport pkg\nfrom pkg import old!\npkg.old!(), old!()\n"
    )


def test_a_file_that_has_the_new_name_keeps_the_old_one() -> None:
    made, said = renamed(
        f"{DEFINED}{MAIN}from pkg.mod import old\nnew = 1\nprint(old, new)\n"
        "# file: third.py\nfrom main import old\nold()\n"
    )
    assert made == (
        f"{DEFINED.replace('old', 'new')}{MAIN}from pkg.mod import new as old\n"
        "new = 1\nprint(old, new)\n# file: third.py\nfrom main import old\nold()\n"
    )
    assert not said


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("def old(): pass\ndef new(): pass\n", "new is something else in line"),
        ("old = 1\ndef f(new): return old\n", "new is something else in line"),
        ("from other import old\n", "is imported from other: name that"),
        ("x = 1\n", "has no old"),
    ],
)
def test_what_cannot_be_renamed(code: str, said: str) -> None:
    whole = f"{MODULE}{code}{MAIN}from pkg.mod import old\nold()\n"
    made, reports = renamed(whole)
    assert made == whole
    assert [said in report for report in reports] == [True], reports


def test_what_has_the_new_name_already() -> None:
    code = f"{MODULE}def new(): pass\n{MAIN}from pkg.mod import new\nnew(), old()\n"
    assert renamed(code) == (code, [])


def test_a_name_that_several_modules_may_have() -> None:
    code = "# file: a/pkg/mod.py\ndef old(): pass\n# file: b/pkg/mod.py\ndef old(): pass\n"
    made, reports = renamed(code + "# file: c.py\nimport a.pkg.mod, b.pkg.mod\n")
    assert made.startswith(code)
    assert len(reports) <= 1


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("import importlib\nm = importlib.import_module('pkg.mod')\nm.old()\nimport pkg.mod\n",
         "which module it is of is not known"),
        ("import pkg.mod\npkg.mod.__dict__['old'], x['old'], x.y['old']\n", "by its name"),
        ("from unittest import mock\nimport pkg.mod\nmock.patch('pkg.mod.old')\n",
         "`strings: true`"),
        ("from unittest import mock\nimport pkg.mod\nmock.patch.object(pkg.mod, 'old')\n",
         "`strings: true`"),
        ("from pkg.mod import old!\nold!()  # as old() does\n", "a comment or docstring"),
        ("'''See :func:`old`.'''\nfrom pkg.mod import old!\n", "a comment or docstring"),
    ],
)  # fmt: skip
def test_what_is_said(code: str, said: str) -> None:
    check(f"{DEFINED.replace('old', 'old!')}{MAIN}{code}", said=[said])


def test_strings_if_that_is_wanted() -> None:
    code = (
        "from unittest import mock\nimport pkg.mod\nmock.patch('pkg.mod.old!')\n"
        "mock.patch.object(pkg.mod, 'old!'), {'old': 1}, 'other.old', f('old')\n"
    )
    check(f"{DEFINED.replace('old', 'old!')}{MAIN}{code}", strings=True)


def run(files: dict[str, str], given: str, folder: Path) -> tuple[int, list[str]]:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    planned = make_plan([RuleQuery(pack(), [])], [folder / given])
    return len(planned.plan.hunks), [report.text for report in planned.reports]


USED = files_of(f"{DEFINED}{MAIN}from pkg.mod import old\nold()\n")


def test_one_file_of_many(tmp_path: Path) -> None:
    number, said = run(USED, "main.py", tmp_path)
    assert number == 0
    assert len(said) == 1
    assert "pkg/mod.py, too, which was not given: give it, too" in said[0]


def test_a_file_that_is_not_understood(tmp_path: Path) -> None:
    """It may use what is renamed, and that is said; another without the name is none of it."""
    broken = {"bad.py": "from pkg.mod import old\nold(\n", "other.py": "older(\n"}
    run({**USED, **broken}, ".", tmp_path)
    first, second = make_plan([RuleQuery(pack(), [])], [tmp_path]).plan.hunks
    (warning,) = (*first.warnings, *second.warnings)
    assert warning.startswith("It may be used in ")
    assert warning.endswith("bad.py, too, which cannot be parsed.")


def test_a_comment_that_keeps_it_in_one_file(tmp_path: Path) -> None:
    files = {**USED, "main.py": "from pkg.mod import old  # pinsetter: ignore[rule] kept\nold()\n"}
    number, said = run(files, ".", tmp_path)
    assert number == 0
    assert len(said) == 1
    assert "main.py" in said[0]


def test_hunks_of_a_rename_require_each_other(tmp_path: Path) -> None:
    for name, text in USED.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    plan = make_plan([RuleQuery(pack(), [])], [tmp_path]).plan
    first, second = plan.hunks
    assert plan.required_by(first) == [second]
    assert plan.required_by(second) == [first]


@pytest.mark.parametrize(
    "code",
    [
        "x.other, old, 'old', f(old=1)\n",
        "class D:\n    def old(self): return self.old()\nD().old()\n",
        "'text'.old, [].old, (1).old, None\n",
        "import other\nother.old()\n",
        "from pkg.mod import Base\nclass E(Base):\n    def old(self): pass\nE().old\n",
    ],
)
def test_what_is_no_member_of_the_class(code: str) -> None:
    check(f"{CLASS.replace('old', 'old!')}{MAIN}{code}", "C.old")


@pytest.mark.parametrize(
    "code",
    [
        "from pkg.mod import C\nC().old!(), C.old!, [C()][0].old!()\n",
        "from pkg.mod import C\ndef f(c: C, d: 'C', e: C | None): c.old!(), d.old!()\n",
        "from pkg.mod import C\nclass D(C):\n    def old!(self):\n        return super().old!()\n"
        "D().old!()\n",
        "from pkg.mod import C\nclass D(C):\n    old! = property()\n    x = old!\n",
        "from pkg.mod import C\nclass D(C):\n    def f(self): self.old! = 1\n",
        "from pkg.mod import C\nclass D(C):\n    @property\n    def old!(self): pass\n"
        "    @old!.setter\n    def old!(self, x): pass\n",
        "from pkg.mod import C\nc = C()\ngetattr(c, 'old!'), hasattr(c, 'old!')\n",
        "from pkg.mod import C\nclass M:\n    def go(self): return self.old!()\n"
        "class D(M, C): pass\n",
        "from pkg.mod import C\nclass D(C):\n    __slots__ = ('old!', 'b')\n",
        "from pkg.mod import C\ndef f(u):\n    if isinstance(u, C) and u.old!:\n        u.old!()\n"
        "    elif isinstance(u, (C, int)): u.old!\n    return u.old! if isinstance(u, C) else 1\n",
        "import pkg.mod\nwith pkg.mod.C() as c: pass\nf'{pkg.mod.C().old!()}'\n",
    ],
)
def test_members(code: str) -> None:
    check(f"{CLASS.replace('old', 'old!')}{MAIN}{code}", "C.old")


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("from pkg.mod import C\ndef f(u): u.old()\n", ["what it is of is not known"]),
        ("from pkg.mod import C\ndef f(u):\n    if isinstance(u, C): pass\n    else: u.old()\n"
         "    return isinstance(u, D) and u.old\n", ["what it is of is not known"] * 2),
        ("from pkg.mod import C\nimport unittest.mock as m\nm.patch.object(C, 'old')\n",
         ["`strings: true`"]),
        ("from pkg.mod import C\nclass D:\n    def old(self): pass\n"
         "def f(a):\n    x = C() if a else D()\n    x.old!()\n",
         ["Assumed in line 6: it may also"]),
    ],
)  # fmt: skip
def test_members_that_may_be_meant(code: str, said: list[str]) -> None:
    check(f"{CLASS.replace('old', 'old!')}{MAIN}{code}", "C.old", said=said)


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (CLASS.replace("    pass", "    def old(self): pass"), "Base has old, too"),
        (CLASS.replace("    pass", "    def new(self): pass"), "Base has new already"),
        (CLASS + "class D(C):\n    new = 1\n", "D has new already"),
        (CLASS + "class D(C):\n    def f(self): self.new = 1\n", "D has new already"),
        (
            CLASS + "class M:\n    def old(self): pass\nclass D(C, M):\n    def old(self): pass\n",
            "M has old, too",
        ),
    ],
)
def test_members_that_cannot_be_renamed(code: str, said: str) -> None:
    made, reports = renamed(code, "C.old")
    assert made == code
    assert [said in report for report in reports] == [True], reports


def test_fields() -> None:
    check(
        "# file: pkg/mod.py\nfrom dataclasses import dataclass, replace\n"
        "@dataclass\nclass C:\n    old!: int = 1\n"
        "class D(C): pass\n"
        "# file: main.py\nfrom pkg.mod import C, D, replace\n"
        "c = C(old!=1), D(old!=2), replace(C(), old!=3), f(old=4)\n"
        "match c:\n    case C(old!=1): pass\n    case E(old=2): pass\n",
        "C.old", said=["which class it is of"],
    )  # fmt: skip


LIBRARY = """\
from lib import Handler


class Mine(Handler):
    def old!(self, event):
        super().old!(event)
        return event.old, self.other.old


Mine().old!(1), Handler().old!(2)
"""


def test_members_of_a_library_and_what_overrides_them(tmp_path: Path) -> None:
    data = pack_data(match="lib.Handler.old", edit={"rename": "$match", "to": "lib.Handler.new"})
    made = load_text(yaml.safe_dump({**data, "imports": {"lib": "lib"}}))
    assert isinstance(made, Pack), made
    found = outcome_of(made, made.rules[0], marked(LIBRARY))
    assert found.text == LIBRARY.replace("old!", "new")
    assert len(found.reports) == 1, found.reports
    (tmp_path / "b.py").write_text("class D:\n    def old(self): pass\nD().old()\n")
    assert not make_plan([RuleQuery(made, [])], [tmp_path]).plan.hunks


FUNCTION = "# file: pkg/mod.py\ndef f(a, old=1, *, c=2):\n    return [a, old, lambda: old]\n"


@pytest.mark.parametrize(
    "code",
    [
        "from pkg.mod import f\nf(1, 2), f(1, old!=2), g(old=1)\n",
        "import pkg.mod as m\nfrom functools import partial\nm.f(old!=2), partial(m.f, old!=1)\n",
        "from pkg.mod import f\ng = f\ng(old!=1)\ndef h(old): f(old!=old)\n",
        "from pkg.mod import f\n@f(old!=1)\ndef g(): pass\n",
    ],
)
def test_parameters(code: str) -> None:
    check(f"{FUNCTION.replace('old', 'old!')}{MAIN}{code}", "f.old")


def test_parameters_of_methods() -> None:
    check(
        "# file: pkg/mod.py\nclass C:\n    def f(self, old!): return old!\n"
        "    def __init__(self, old): self.old = old\n"
        "class D(C):\n    def f(self, old!): return super().f(old!=old!)\n"
        "# file: main.py\nfrom pkg.mod import C, D\nC(old=1).f(old!=2)\n\n"
        "def g(d: D, e): d.f(old!=1), e.f(old=1)\n",
        "C.f.old", said=["what is called is not known"],
    )  # fmt: skip


def test_parameters_of_constructors() -> None:
    check(
        "# file: pkg/mod.py\nclass C:\n    def __init__(self, old!): self.old = old!\n"
        "class D(C): pass\nclass E(C):\n    def __init__(self, old): super().__init__(old!=old)\n"
        "# file: main.py\nfrom pkg.mod import C, D, E\nC(old!=1), D(old!=2), E(old=3), C(**x)\n",
        "C.__init__.old", said=["its names are not seen", "Assumed in line 5: it may also be"],
    )  # fmt: skip


def test_variables_of_functions() -> None:
    check(
        "# file: pkg/mod.py\ndef f(x):\n    old! = x\n    def g():\n        nonlocal old!\n"
        "        old! += 1\n    return g, old!\nold = 2\nf(old=1)\n",
        "f.old",
    )


def test_files_that_are_not_of_the_run(tmp_path: Path) -> None:
    """In a repository, a folder of which is given."""
    (tmp_path / "setup.py").write_text("")
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg" / "mod.py").write_text("def old(): pass\n")
    (tmp_path / "main.py").write_text("from pkg.mod import old\n")
    (tmp_path / "other.py").write_text("older = 1\n")
    (hunk,) = make_plan([RuleQuery(pack(), [])], [tmp_path / "pkg"]).plan.hunks
    assert len(hunk.warnings) == 1
    assert hunk.warnings[0].endswith("main.py, too, which this run does not look at.")
    for given in make_plan([RuleQuery(pack(), [])], [tmp_path]).plan.hunks:
        assert not given.warnings


def test_conditions_cannot_be_asked(tmp_path: Path) -> None:
    edit = {"rename": "$match", "to": "mod.new"}
    data = pack_data(match="mod.old", where=[{"in_file": ["x.py"]}], edit=edit)
    made = load_text(yaml.safe_dump({**data, "imports": {"mod": "pkg.mod"}}))
    assert isinstance(made, Pack), made
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg" / "mod.py").write_text("def old(): pass\n")
    planned = make_plan([RuleQuery(made, [])], [tmp_path])
    assert not planned.plan.hunks
    assert [report.text for report in planned.reports] == [
        "Not renamed: conditions cannot be asked of what is renamed everywhere."
    ]
