"""How many of other tools' own tests a pack passes, in their place.

python benchmarks/suites.py django-upgrade CHECKOUT [PYTEST ARGUMENT...]
python benchmarks/suites.py pyupgrade CHECKOUT [PYTEST ARGUMENT...]

python benchmarks/suites.py unittest2pytest CHECKOUT
python benchmarks/suites.py ruff CHECKOUT

CHECKOUT is a folder with the tool's repository; its tests call the pack instead of the tool. What
the tool needs to be imported (tokenize-rt) has to be there. For those that have pairs of files,
both are compared as trees: how code is laid out is nobody's concern there.
"""

from __future__ import annotations

import ast
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from importlib import import_module
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from pinsetter.codemods.engine.authoring.examples import accepted
from pinsetter.codemods.engine.propose.planning import make_plan
from pinsetter.codemods.engine.propose.rule_query import RuleQuery
from pinsetter.patterns.edits.edit import apply
from pinsetter.patterns.packs.pack import Pack, load
from pinsetter.patterns.packs.pack_files import find


def rewritten(pack: Pack, code: str, options: Sequence[str] = (), name: str = "main.py",
              width: int = 0) -> str:  # fmt: skip
    """What a run makes of a file, with every hunk accepted; the file as it is if it is not
    understood. Lines may have ``width`` columns, if that is given."""
    with tempfile.TemporaryDirectory() as folder:
        if width:
            (Path(folder) / "pyproject.toml").write_text(f"[tool.black]\nline-length = {width}\n")
        path = Path(folder) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(code.encode())
        planned = make_plan([RuleQuery(pack, [], options)], [Path(folder)])
    if planned.faults:
        raise AssertionError(str(planned.faults[0]))
    hunks = accepted(planned.plan)
    if not hunks:
        return code
    return apply(hunks[0].module.source.text, [e for hunk in hunks for e in hunk.edits])


def bundled(name: str) -> Pack:
    path = find(name)
    assert path is not None, name
    pack = load(path)
    assert isinstance(pack, Pack), pack
    return pack


LAYOUT = "another layout of the same tree"


class Tally:
    """Counts, by file, the tests that pass."""

    def __init__(self) -> None:
        self.passed: Counter[str] = Counter()
        self.all: Counter[str] = Counter()
        self.trees: Counter[str] = Counter()

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.when == "call" or report.failed:
            name = Path(report.nodeid.partition("::")[0]).stem
            self.all[name] += 1
            self.passed[name] += report.passed
            self.trees[name] += report.failed and LAYOUT in str(report.longrepr)

    def show(self) -> None:
        for name, number in sorted(self.all.items()):
            print(f"{name:45} {self.passed[name]:4} of {number:4}{_trees(self.trees[name])}")
        trees = _trees(self.trees.total())
        print(f"{'all':45} {self.passed.total():4} of {self.all.total():4}{trees}")


def _trees(number: int) -> str:
    return f", and {number} with the same tree" if number else ""


# Its tests are of one of its two stages each; these rules do what its second does.
_OF_TOKENS = re.compile("fields-without|invalid-escape|escaped-backslash|no-u$|bytes-of")


def pyupgrade(checkout: Path, arguments: Sequence[str]) -> None:
    sys.path.insert(0, str(checkout))
    pack = bundled("pyupgrade")
    main: Any = import_module("pyupgrade._main")

    def same(made: str, theirs: object) -> bool:
        if str(made) == theirs or not isinstance(theirs, str):
            return str(made) == theirs
        try:
            trees = [ast.dump(ast.parse(code)) for code in (made, theirs)]
        except (SyntaxError, ValueError):
            return False
        assert trees[0] != trees[1], LAYOUT
        return False

    made_code = type("Made", (str,), {"__eq__": same, "__hash__": str.__hash__})

    def fixed(contents_text: str, settings: Any = None, tokens: bool = False) -> str:
        rules = [rule for rule in pack.rules if bool(_OF_TOKENS.match(rule.id)) is tokens]
        least = settings.min_version if settings is not None else (3,)
        options = [o for o in pack.options if (m := re.fullmatch(r"py3(\d+)", o))
                   and least >= (3, int(m[1]))]  # fmt: skip
        if getattr(settings, "keep_runtime_typing", False):
            options.append("keep-runtime-typing")
        head = _imports(contents_text, pack)
        stage = replace(pack, rules=tuple(rules))
        return made_code(rewritten(stage, head + contents_text, options).removeprefix(head))

    main._fix_plugins, main._fix_tokens = fixed, partial(fixed, tokens=True)
    _run(checkout / "tests" / "features", arguments)


def django_upgrade(checkout: Path, arguments: Sequence[str]) -> None:
    """Which release is the least is told by options."""
    sys.path.insert(0, str(checkout))
    pack = bundled("django-upgrade")
    tools: Any = import_module("tests.fixers.tools")

    def fixed(contents_text: str, settings: Any, filename: str) -> str:
        options = [o for o in pack.options if (m := re.fullmatch(r"django(\d)(\d+)", o))
                   and settings.target_version >= (int(m[1]), int(m[2]))]  # fmt: skip
        return rewritten(pack, contents_text, options, filename, 320)

    def check_transformed(before: str, after: str, settings: Any,
                          filename: str = "example.py") -> None:  # fmt: skip
        made, theirs = fixed(dedent(before), settings, filename), dedent(after)
        same = ast.dump(ast.parse(made)) == ast.dump(ast.parse(theirs))
        assert made == theirs, LAYOUT if same else "another tree"

    tools.apply_fixers = fixed
    tools.check_transformed = check_transformed
    _run(checkout / "tests" / "fixers", arguments)


def _imports(code: str, pack: Pack) -> str:
    """Imports of what a snippet speaks of and does not bind: its `socket.error` is the module's."""
    return "".join(
        f"import {name}\n" for name in sorted(pack.imports)
        if re.search(rf"(?<![\w.]){name}\.\w", code)
        and not re.search(rf"\b{name}\b *(=|\bimport)|import.*\b{name}\b", code)
    )  # fmt: skip


def _run(folder: Path, arguments: Sequence[str]) -> None:
    tally = Tally()
    chosen = [a for a in arguments if not a.startswith("-") and (folder / a).exists()]
    rest = [a for a in arguments if a not in chosen]
    given = [str(folder / name) for name in chosen] or [str(folder)]
    pytest.main(
        ["-q", "-p", "no:cacheprovider", "--rootdir", str(folder), "-c", "/dev/null", "--tb=short",
         *given, *rest], plugins=[tally],
    )  # fmt: skip
    tally.show()


def unittest2pytest(checkout: Path, arguments: Sequence[str]) -> None:
    pack = bundled("unittest-to-pytest")
    pairs = sorted((checkout / "tests" / "fixtures").rglob("*_in.py"))
    same = 0
    for path in pairs:
        made = rewritten(pack, path.read_text("utf-8"))
        theirs = path.with_name(path.name.replace("_in.py", "_out.py")).read_text("utf-8")
        if ast.dump(ast.parse(made)) == ast.dump(ast.parse(theirs)):
            same += 1
        else:
            print(f"another tree: {path.name}")
    print(f"{same} of {len(pairs)} pairs are the same tree")


def ruff(checkout: Path, arguments: Sequence[str]) -> None:
    """Fixes that ruff's snapshots have for NPY201, and whether the name is gone here."""
    rules = checkout / "crates" / "ruff_linter"
    pack = bundled("numpy-2")
    done = fixes = 0
    for path in sorted((rules / "resources/test/fixtures/numpy").glob("NPY201*.py")):
        code = path.read_text("utf-8")
        made = rewritten(pack, code)
        snapshot = next((rules / "src/rules/numpy/snapshots").glob(f"*_{path.name}.snap"))
        for name, line in re.findall(r"NPY201 \[\*\] `np\.(\w+)`.*\n *--> \w+\.py:(\d+)",
                                     snapshot.read_text("utf-8")):  # fmt: skip
            fixes += 1
            old = code.splitlines()[int(line) - 1]
            gone = made.count(old.strip() + "\n") < code.count(old.strip() + "\n")
            done += gone
            if not gone:
                print(f"not fixed: {path.name}:{line} {name}")
    print(f"{done} of {fixes} fixes")


SUITES: dict[str, Callable[[Path, Sequence[str]], None]] = {
    "django-upgrade": django_upgrade, "pyupgrade": pyupgrade, "ruff": ruff,
    "unittest2pytest": unittest2pytest,
}  # fmt: skip

if __name__ == "__main__":
    SUITES[sys.argv[1]](Path(sys.argv[2]), sys.argv[3:])
