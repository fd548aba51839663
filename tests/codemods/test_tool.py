"""Tool: Bowler scripts that know nothing of Pinsetter read every Python, and run as they did."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import sysconfig
from importlib import metadata
from pathlib import Path

import pytest

BOWLER = Path(sysconfig.get_path("scripts")) / "bowler"
SITE = Path(str(metadata.distribution("bowler").locate_file("")))
RENAME = """\
import sys
from bowler import Query

def main():
    query = Query(sys.argv[1:]{options}).select_{what}("old").rename("new").{how}
    print("exit", query.retcode)
"""


def bowler(
    folder: Path, text: str, what: str = "function", options: str = "", how: str = "write()"
) -> tuple[str, str, str]:
    """The file after renaming ``old``, and what went to stdout and stderr; the command must fail
    where the query does."""
    script, target = folder / "rename.py", folder / "target.py"
    script.write_text(RENAME.format(what=what, options=options, how=how))
    target.write_text(text)
    command = [str(BOWLER), "run", str(script), "--", str(target)]
    result = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    failed = "exit 1" in result.stdout
    assert result.returncode == (2 if failed and os.environ.get("PINSETTER_BOWLER") != "0" else 0)
    return target.read_text(), result.stdout, result.stderr


@pytest.mark.parametrize(
    "text",
    [
        "x = 1\n",
        "match x:\n    case older(): pass\n",
        "def f[old](x: list[int]): pass\n",
        "match = older\nprint(match)\n",
        "",
    ],
)
def test_other_code_is_left_alone(tmp_path: Path, text: str) -> None:
    assert bowler(tmp_path, text)[0] == text


@pytest.mark.parametrize(
    "text",
    [
        "old(1)\n",
        "def old(a, /, b): pass\n",
        "match x:\n    case [1, *_]:\n        old(2)\n",
        "print(f'{' '.join(x)!r}', old(1))\n",
        "try:\n    old(1)\nexcept* E:\n    pass\n",
        "with (open(x) as a, open(y) as b):\n    old(a)\n",
        "type X = int\nold(1)\n",
        "exec('1')\nx.exec(old(1))\n",
    ],
)
def test_every_python_is_rewritten(tmp_path: Path, text: str) -> None:
    after, out, err = bowler(tmp_path, text)
    assert after == text.replace("old", "new")
    assert (out, err) == ("exit 0\n", "")


@pytest.mark.parametrize(
    ("what", "text"),
    [
        ("function", "def old[T](x: T) -> T: return old(x)\n"),
        ("method", "class A:\n    def old[T](self, x: T): pass\n"),
        ("class", "class old[T: int](Base):\n    pass\n"),
        ("subclass", "class A[T](old):\n    pass\n"),
    ],
)
def test_selectors_find_generic_functions_and_classes(tmp_path: Path, what: str, text: str) -> None:
    assert bowler(tmp_path, text, what=what)[0] == text.replace("old", "new")


def test_the_script_says_whether_print_is_a_statement(tmp_path: Path) -> None:
    text = "print 'x', old(1)\n"
    after, out, err = bowler(tmp_path, text)
    assert (after, out) == (text, "exit 1\n")
    assert "target.py:1:7: cannot be parsed: unexpected \"'x'\"" in err
    after, out, err = bowler(tmp_path, text, options=", python_version=2")
    assert (after, out, err) == (text.replace("old", "new"), "exit 0\n", "")
    future = "from __future__ import print_function\nprint(old(1), end='')\n"
    after, out, err = bowler(tmp_path, future, options=", python_version=2")
    assert (after, out, err) == (future.replace("old", "new"), "exit 0\n", "")


def test_what_is_no_python_is_reported_and_the_others_go_on(tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text("x = (1,\ny = old(2)\n")
    (tmp_path / "good.py").write_text("old(1)\n")
    script = tmp_path / "script.py"
    script.write_text(RENAME.format(what="function", options="", how="write()"))
    command = [
        str(BOWLER),
        "run",
        str(script),
        "--",
        f"{tmp_path}/broken.py",
        f"{tmp_path}/good.py",
    ]
    result = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert result.returncode == 2
    assert result.stdout == "exit 1\n"
    assert "broken.py:2:3: cannot be parsed: unexpected '='; expected ')' ('('" in result.stderr
    assert "    y = old(2)\n      ^\n" in result.stderr
    assert "Traceback" not in result.stderr
    assert (tmp_path / "good.py").read_text() == "new(1)\n"
    assert (tmp_path / "broken.py").read_text() == "x = (1,\ny = old(2)\n"


def test_bowler_can_be_left_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PINSETTER_BOWLER", "0")
    text = "type X = int\nold(1)\n"
    after, _, err = bowler(tmp_path, text)
    assert after == text
    assert "ParseError" in err


def test_a_start_of_python_imports_nothing_of_bowler() -> None:
    code = "import sys; print([m for m in sys.modules if 'bowler' in m or 'fissix' in m])"
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert result.stdout == "[]\n"


# RefactoringTool is not Bowler's, so it keeps its own driver unless it is told otherwise.
WITH_OUR_DRIVER = """
from fissix.refactor import RefactoringTool
from pinsetter.codemods.engine.bowler.tool import Driver

def with_our_driver(tool, *args, start=RefactoringTool.__init__, **options):
    start(tool, *args, **options)
    tool.driver = Driver(tool.grammar)

RefactoringTool.__init__ = with_our_driver
"""


def failures(module: str, before: str, switch: str) -> tuple[set[str], int]:
    """The tests of a public suite that fail, and how many ran."""
    code = f"{before}\nimport unittest; unittest.main(module={module!r}, argv=['x'])"
    environment = {**os.environ, "PINSETTER_BOWLER": switch}
    result = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True, text=True, check=False, cwd=SITE, env=environment, timeout=300,
    )  # fmt: skip
    ran = re.search(r"^Ran (\d+) tests", result.stderr, re.MULTILINE)
    assert ran is not None, result.stderr
    return set(re.findall(r"^(?:FAIL|ERROR): (\w+)", result.stderr, re.MULTILINE)), int(ran[1])


def test_bowlers_own_suite_runs_as_it_did() -> None:
    without, count = failures("bowler.tests", "", "0")
    assert failures("bowler.tests", "", "1") == (without, count)
    assert count > 100
    assert len(without) <= 1, "one of its tests expects an older moreorless"


def test_fissixs_fixers_run_as_they_did() -> None:
    without, count = failures("fissix.tests.test_fixers", "", "0")
    assert failures("fissix.tests.test_fixers", WITH_OUR_DRIVER, "1") == (without, count)
    assert count > 400
