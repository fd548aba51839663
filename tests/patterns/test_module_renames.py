"""A module gets another name: in what imports it, and in what is reached through that."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from snippets import load_text, pack_data

from pinsetter.codemods.engine.authoring.examples import outcome_of
from pinsetter.codemods.engine.propose.planning import make_plan
from pinsetter.codemods.engine.propose.rule_query import RuleQuery
from pinsetter.patterns.edits.edit import apply
from pinsetter.patterns.packs.pack import Pack

ALIASES = {"lib": "lib", "other": "other", "mock": "mock", "mick": "mick", "unittest": "unittest"}


def pack(name: str, to: str, strings: bool = False) -> Pack:
    edit = {"rename": "$match", "to": to, "strings": strings}
    data: dict[str, Any] = pack_data(match=name, edit=edit)
    found = load_text(yaml.safe_dump({**data, "imports": ALIASES, "names": [*ALIASES]}))
    assert isinstance(found, Pack), found
    return found


def renamed(code: str, name: str = "lib.old", to: str = "lib.new") -> tuple[str, list[str]]:
    made = pack(name, to)
    found = outcome_of(made, made.rules[0], code)
    again = outcome_of(made, made.rules[0], found.text)
    assert again.text == found.text
    return found.text, [*found.reports]


@pytest.mark.parametrize("code", [
    "import lib\nlib.older\n", "import lib.older\nlib.older.f()\n", "from lib.older import old\n",
    "import other.lib.old\nother.lib.old\n",
     "from .lib.old import x\n", "import lib as old\nold.f()\n",
    "from other import old\nold.f()\n", "x.lib.old\n", "'lib.old'\n", "# lib.old\n",
    "lib = 1\nlib.old\n", "import old\n", "def f(lib): return lib.old\n",
])  # fmt: skip
def test_what_is_left_alone(code: str) -> None:
    assert renamed(code) == (code, [])


@pytest.mark.parametrize("code", ["mock = 1\nmock.f()\n", "from a import mock\nmock.f()\n",
                                  "import mocks\n",
                                   "import a.mock\n", "def f(mock): mock.a\n"])  # fmt: skip
def test_what_is_left_alone_of_a_bare_name(code: str) -> None:
    assert renamed(code, "mock", "unittest.mock") == (code, [])


@pytest.mark.parametrize(("before", "after"), [
    ("import lib.old\nlib.old.f(lib.old)\n", "import lib.new\nlib.new.f(lib.new)\n"),
    ("import lib.old as o\no.f()\n", "import lib.new as o\no.f()\n"),
    ("import lib.old.sub\nlib.old.sub.f()\n", "import lib.new.sub\nlib.new.sub.f()\n"),
    ("import a, lib.old, b\nlib.old\n", "import a, lib.new, b\nlib.new\n"),
    ("import a, lib.old as o, b\n", "import a, lib.new as o, b\n"),
    ("from lib.old import x, y as z\nx\n", "from lib.new import x, y as z\nx\n"),
    ("from lib.old import (\n    x,  # why\n)\n", "from lib.new import (\n    x,  # why\n)\n"),
    ("from lib.old import *\n", "from lib.new import *\n"),
    ("from lib.old.sub import x\n", "from lib.new.sub import x\n"),
    ("def f():\n    import lib.old\n    lib.old.g()\n",
     "def f():\n    import lib.new\n    lib.new.g()\n"),
    ("import lib.old\nlib.old.x = 1\ndel lib.old.y\n",
     "import lib.new\nlib.new.x = 1\ndel lib.new.y\n"),
    ("import lib.old\nlib . old.f()\n", "import lib.new\nlib.new.f()\n"),
    ("import lib.old\nf'{lib.old.x}'\n", "import lib.new\nf'{lib.new.x}'\n"),
    ("import lib.old\ndef f(a):  # type: (lib.old.X) -> None\n    pass\n",
     "import lib.new\ndef f(a):  # type: (lib.new.X) -> None\n    pass\n"),
    ("import lib.old\nimport lib as l\nl.old.f()\n",
     "import lib.new\nimport lib as l\nl.new.f()\n"),
    ("import lib.old\nfrom lib import old\nold.f()\n",
     "import lib.new\nfrom lib import new\nnew.f()\n"),
    ("import lib.old\r\nlib.old\r\n", "import lib.new\r\nlib.new\r\n"),
])  # fmt: skip
def test_the_same_package(before: str, after: str) -> None:
    assert renamed(before) == (after, [])


@pytest.mark.parametrize(("before", "after"), [
    ("import lib.old\nlib.old.f()\n", "import other.a.new\nother.a.new.f()\n"),
    ("import lib.old as o\no.f()\n", "import other.a.new as o\no.f()\n"),
    ("from lib.old.sub import x\n", "from other.a.new.sub import x\n"),
    ("from lib import old\nold.f()\n", "from other.a import new\nnew.f()\n"),
    ("import lib.old\nimport lib\nlib.x, lib.old\n",
     "import other.a.new\nimport lib\nlib.x, other.a.new\n"),
    ("import lib.old\nimport lib as l\nl.old.f()\n",
     "import other.a.new\nimport lib as l\nother.a.new.f()\n"),
    ("import other.b\nimport lib.old\nlib.old, other.b\n",
     "import other.b\nimport other.a.new\nother.a.new, other.b\n"),
])  # fmt: skip
def test_another_package(before: str, after: str) -> None:
    assert renamed(before, to="other.a.new") == (after, [])


@pytest.mark.parametrize(("before", "after"), [
    ("import mock\nmock.f()\n", "from unittest import mock\nmock.f()\n"),
    ("import mock as m\nm.f()\n", "import unittest.mock as m\nm.f()\n"),
    ("import os, mock\nmock.f()\n", "import os\nfrom unittest import mock\nmock.f()\n"),
    ("from mock import f\n", "from unittest.mock import f\n"),
    ("import mock.a\nmock.f()\n", "import unittest.mock.a\nunittest.mock.f()\n"),
    ("if a:\n    import mock\nelse:\n    mock = None\nmock.f()\n",
     "if a:\n    from unittest import mock\nelse:\n    mock = None\nmock.f()\n"),
])  # fmt: skip
def test_a_bare_name(before: str, after: str) -> None:
    assert renamed(before, "mock", "unittest.mock") == (after, [])


@pytest.mark.parametrize(("before", "after"), [
    ("import mock\nmock.f()\n", "import mick\nmick.f()\n"),
    ("import a, mock\nmock.f()\n", "import a, mick\nmick.f()\n"),
    ("import mock\nmick = 1\nmock.f()\n", "import mick as mock\nmick = 1\nmock.f()\n"),
    ("import mock as mick\nmick.f()\n", "import mick\nmick.f()\n"),
    ("import mock.a as b\n", "import mick.a as b\n"),
])  # fmt: skip
def test_a_bare_name_for_another(before: str, after: str) -> None:
    assert renamed(before, "mock", "mick") == (after, [])


@pytest.mark.parametrize(("code", "to", "reason"), [
    ("try:\n    import lib.old\nexcept ImportError:\n    pass\n", "lib.new",
     "it is tried, with an except for ImportError"),
    ("try:\n    from lib.new import x\nexcept ImportError:\n    from lib.old import x\n", "lib.new",
     "it is tried"),
    ("import lib.old\nlib.old, lib.x\n", "other.new", "lib is used otherwise in line 2"),
    ("import lib.old\ndel lib\n", "other.new", "lib is used otherwise in line 2"),
    ("import lib.old\nother = 1\nlib.old\n", "other.new", "other is something else in line 2"),
    ("import lib.old as o\nimport lib as l\nl.old\n",
     "other.new", "it is reached through l in line 3"),
])  # fmt: skip
def test_nothing_is_renamed_by_half(code: str, to: str, reason: str) -> None:
    text, reports = renamed(code, to=to)
    assert text == code
    assert any(reason in report for report in reports), reports


@pytest.mark.parametrize(("before", "after"), [
    ("from lib import old\nold.f()\n", "import mick\nmick.f()\n"),
    ("from lib import old as o\no.f()\n", "import mick as o\no.f()\n"),
    ("from lib import a, old\nold.f(a)\n", "from lib import a\nimport mick\nmick.f(a)\n"),
    ("from lib import old\nmick = 1\nold.f()\n", "import mick as old\nmick = 1\nold.f()\n"),
    ("from lib.old import f\n", "from mick import f\n"),
    ("import lib.old.a as b\n", "import mick.a as b\n"),
    ("import lib.old\nlib.old.f()\n", "import mick\nmick.f()\n"),
    ("import lib.old as mick\nmick.f()\n", "import mick\nmick.f()\n"),
    ("import lib as l\nl.old.f()\n", "import lib as l\nimport mick\nmick.f()\n"),
])  # fmt: skip
def test_a_library_of_its_own(before: str, after: str) -> None:
    assert renamed(before, to="mick") == (after, [])


def test_conditions_cannot_be_asked() -> None:
    data = pack_data(match="lib.old", edit={"rename": "$match", "to": "lib.new"},
                     where=[{"in_file": ["a"]}])  # fmt: skip
    made = load_text(yaml.safe_dump({**data, "imports": ALIASES, "names": [*ALIASES]}))
    assert isinstance(made, Pack), made
    found = outcome_of(made, made.rules[0], "import lib.old\n")
    assert found.text == "import lib.old\n"
    assert any("conditions cannot be asked" in report for report in found.reports)


def planned(tmp_path: Path, files: dict[str, str], made: Pack) -> tuple[dict[str, str], list[str]]:
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    found = make_plan([RuleQuery(made, [])], [tmp_path])
    assert not found.problems
    texts = dict(files)
    for hunk in found.plan.hunks:
        name = hunk.module.path.relative_to(tmp_path).as_posix()
        texts[name] = ""
    for name in [name for name, text in texts.items() if not text and files[name]]:
        edits = [e for h in found.plan.hunks for e in h.edits
                 if h.module.path == tmp_path / name]  # fmt: skip
        texts[name] = apply(files[name], edits)
    return texts, [report.text for report in found.reports]


STRINGS = {
    "a.py": "import lib.old\n",
    "b.py": "import a\npatch('lib.old.f', 'lib.older', 'of lib.old')\n",
}


def test_strings_are_told(tmp_path: Path) -> None:
    texts, reports = planned(tmp_path, STRINGS, pack("lib.old", "lib.new"))
    assert texts == {**STRINGS, "a.py": "import lib.new\n"}
    assert reports == ["lib.old is not renamed in this string; `strings: true` would do it."]


BROUGHT = {
    "lib/__init__.py": "", "lib/new.py": "", "a.py": "from lib import old\n",
    "b.py": "import a\nload('lib.old')\nload('.old', 'lib')\nload('old', '..gold', '.', 'x.old')\n",
    "c.py": "APPS = ['lib.old']\nload('.old', 'lib')\n",
}  # fmt: skip


def test_strings_are_told_of_what_is_an_item_of_its_package(tmp_path: Path) -> None:
    texts, reports = planned(tmp_path, BROUGHT, pack("lib.old", "lib.new"))
    assert texts == {**BROUGHT, "a.py": "from lib import new\n"}
    assert reports == [
        "lib.old is not renamed in this string; `strings: true` would do it.",
        "It may mean lib.old, beside the package that says so, and is not renamed.",
        "lib.old is not renamed in this string; `strings: true` would do it.",
        "It may mean lib.old, beside the package that says so, and is not renamed.",
    ]
    texts, reports = planned(tmp_path, BROUGHT, pack("lib.old", "lib.new", strings=True))
    assert "load('lib.new')\nload('.old', 'lib')" in texts["b.py"]
    assert "APPS = ['lib.new']" in texts["c.py"]
    assert len(reports) == 2


@pytest.mark.parametrize("strings", [False, True])
def test_strings_say_what_another_file_defines(tmp_path: Path, strings: bool) -> None:
    code = "patch('lib.a.old')\npatch('lib.a.older')\npatch('lib.b.old')\n"
    files = {"lib/__init__.py": "", "lib/a.py": "def old(): pass\n", "test.py": code}
    texts, reports = planned(tmp_path, files, pack("lib.a.old", "lib.a.new", strings=strings))
    assert texts == {**files, "lib/a.py": "def new(): pass\n"}
    assert reports == ["lib.a.old is not renamed in this string: no import joins this file to it."]


def test_strings_are_no_module_s_where_nobody_says_so(tmp_path: Path) -> None:
    files = {"a.py": "from lib import old\n", "b.py": "load('lib.old')\nload('.old', 'lib')\n"}
    assert planned(tmp_path, files, pack("lib.old", "lib.new"))[1] == []


def test_strings_are_renamed_if_asked(tmp_path: Path) -> None:
    texts, reports = planned(tmp_path, STRINGS, pack("lib.old", "lib.new", strings=True))
    assert texts["b.py"] == "import a\npatch('lib.new.f', 'lib.older', 'of lib.old')\n"
    assert not reports


def test_dots(tmp_path: Path) -> None:
    files = {
        "lib/__init__.py": "",
        "lib/new.py": "f = 1\n",
        "lib/a.py": "from ..lib.old import f\n",
    }
    deep = {"lib/s/__init__.py": "", "lib/s/t/__init__.py": "from ...old import f\n",
            "lib/s/t/b.py": "from ... import old\nfrom ...old import f\nold.f\n"}  # fmt: skip
    for folder in ("lib", "lib/s", "lib/s/t"):
        (tmp_path / folder).mkdir()
    texts, reports = planned(tmp_path, {**files, **deep}, pack("lib.old", "lib.new"))
    assert not reports
    assert texts["lib/s/t/__init__.py"] == "from ...new import f\n"
    assert texts["lib/s/t/b.py"] == "from ... import new\nfrom ...new import f\nnew.f\n"


REPOSITORY = {
    "lib/__init__.py": "__all__ = ['old', 'x']\n",
    "lib/a.py": "from . import old\nfrom .old import f\nold.f()\n",
    "lib/sub.py": "from lib.old import f as g\n",
    "main.py": "import lib\nimport lib.a\nlib.old.f()\n",
    "tried.py": "try:\n    from lib import old\nexcept ImportError:\n    raise\nold.f()\n",
}


def test_a_module_of_the_repository_has_to_have_its_new_place(tmp_path: Path) -> None:
    files = {**REPOSITORY, "lib/old.py": "def f(): pass\n"}
    texts, reports = planned(tmp_path, files, pack("lib.old", "lib.new"))
    assert texts == files
    assert len(reports) == 1
    assert "lib.old is a module; give" in reports[0]


def test_what_imports_a_module_that_has_its_new_place(tmp_path: Path) -> None:
    files = {**REPOSITORY, "lib/new.py": "def f(): pass\n"}
    texts, reports = planned(tmp_path, files, pack("lib.old", "lib.new"))
    assert not reports
    assert texts == {
        "lib/__init__.py": "__all__ = ['new', 'x']\n",
        "lib/a.py": "from . import new\nfrom .new import f\nnew.f()\n",
        "lib/sub.py": "from lib.new import f as g\n",
        "lib/new.py": "def f(): pass\n",
        "main.py": "import lib\nimport lib.a\nlib.new.f()\n",
        "tried.py": "try:\n    from lib import new\nexcept ImportError:\n    raise\nnew.f()\n",
    }


def test_what_imports_a_module_that_is_elsewhere_now(tmp_path: Path) -> None:
    files = {**REPOSITORY, "other/__init__.py": "", "other/new.py": "def f(): pass\n"}
    texts, reports = planned(tmp_path, files, pack("lib.old", "other.new"))
    assert texts["lib/a.py"] == "from other import new\nfrom other.new import f\nnew.f()\n"
    assert texts["lib/sub.py"] == "from other.new import f as g\n"
    assert texts["lib/__init__.py"] == files["lib/__init__.py"]
    assert texts["main.py"] == files["main.py"]
    assert any("listed in `__all__`" in report for report in reports)
    assert any("reached through lib in line 3" in report for report in reports)


def test_what_the_run_does_not_look_at_is_named(tmp_path: Path) -> None:
    files = {**REPOSITORY, "lib/new.py": "def f(): pass\n"}
    planned(tmp_path, files, pack("lib.old", "lib.new"))
    (tmp_path / ".git").mkdir()
    made = pack("lib.old", "lib.new")
    found = make_plan([RuleQuery(made, [])], [tmp_path / "lib" / "a.py"])
    said = [hunk.warnings for hunk in found.plan.hunks]
    assert any("main.py and 1 more, too, which this run" in text for text in said[0]), said
    assert not any(said[1:])
    whole = make_plan([RuleQuery(made, [])], [tmp_path])
    assert not any(hunk.warnings or hunk.requires for hunk in whole.plan.hunks)


def test_of_a_library_nothing_is_said(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    files = {"a.py": "import lib.old\n", "b.py": "import lib.old\n"}
    planned(tmp_path, files, pack("lib.old", "lib.new"))
    found = make_plan([RuleQuery(pack("lib.old", "lib.new"), [])], [tmp_path / "a.py"])
    assert [hunk.warnings for hunk in found.plan.hunks] == [()]
