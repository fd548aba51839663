"""Hunks that are no Python are not proposed, in no mode; the others of their file are."""

from __future__ import annotations

import dataclasses
import json
import textwrap
from pathlib import Path
from types import CodeType

import pytest
from commands import BIN, all_packs, fixtures, run
from wrong_rules import DROP, EVERY, KEYWORD, LEAVE, STOP, pack_of

from pinsetter.analyzer.names.module import Module
from pinsetter.analyzer.names.project import Project
from pinsetter.codemods.engine.hunks import validity
from pinsetter.codemods.engine.hunks.compiling import compiled
from pinsetter.codemods.engine.hunks.hunk import Hunk
from pinsetter.codemods.engine.hunks.plan import Plan
from pinsetter.codemods.engine.hunks.proposed import Planned
from pinsetter.codemods.engine.hunks.validity import invalid_hunks, why_invalid
from pinsetter.codemods.engine.propose import part_work
from pinsetter.codemods.engine.propose.planning import make_plan
from pinsetter.codemods.engine.running.pack_query import PackQuery
from pinsetter.patterns.edits.edit import Edit
from pinsetter.patterns.packs import pack as packs
from pinsetter.patterns.packs.pack import Pack

PINSETTER = [str(BIN / "pinsetter"), "run"]
SOURCE = """\
try:
    gone()
except ValueError:
    pass
how(x=2)
how(y=2)
over()
def f():
    over()
    for i in x:
        enough()
    enough()
"""
WRONG = {2: "drop", 5: "keyword", 7: "leave", 12: "stop"}
RIGHT = {6: "keyword", 9: "leave", 11: "stop"}
RESULT = """\
try:
    gone()
except ValueError:
    pass
how(x=2)
how(y=2, x=1)
over()
def f():
    over()
    return
    for i in x:
        break
        enough()
    enough()
"""


def planned(folder: Path, text: str, *rules: dict[str, object], **head: object) -> Planned:
    loaded = packs.load(pack_of(folder, *rules, **head))
    assert isinstance(loaded, Pack), loaded
    (folder / "tree").mkdir(exist_ok=True)
    (folder / "tree" / "odd.py").write_text(textwrap.dedent(text))
    return make_plan([PackQuery(loaded, [])], [folder / "tree"])


def module_of(folder: Path, text: str) -> Module:
    path = folder / "module.py"
    path.write_bytes(text.encode())
    return Project([path]).given[0]


def hunk(module: Module, id: str, *edits: Edit, **more: object) -> Hunk:
    line = module.tree.line(edits[0].start)
    made = Hunk(id, id, "Change", "It is better.", module, line, edits)
    return dataclasses.replace(made, **more)  # type: ignore[arg-type]


def insertion(module: Module, before: str, text: str) -> Edit:
    at = module.source.text.index(before)
    return Edit(at, at, text)


def replacement(module: Module, old: str, new: str) -> Edit:
    at = module.source.text.index(old)
    return Edit(at, at + len(old), new)


# What stays.


@pytest.mark.parametrize("program", fixtures(1), ids=lambda path: path.name)
def test_no_bundled_rule_loses_a_hunk(program: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    queries = [PackQuery(pack, []) for pack in all_packs()]
    found = make_plan(queries, [program])
    assert not found.faults
    monkeypatch.setattr(part_work, "invalid_hunks", lambda plan: [])
    unchecked = make_plan(queries, [program])
    assert [h.id for h in found.plan.hunks] == [h.id for h in unchecked.plan.hunks]


@pytest.mark.parametrize(
    "text",
    [
        "print 'a', how()\nexec 'x'\n",
        "from __future__ import print_function\nprint(how(), end='')\nexec 'x'\n",
        "from __future__ import annotations\ndef f(x: (y := 1)): how()\n",
        "\ufeffx = how()\n",
        "x = how()\r\ny = how()\r\n",
        "x = how()\ry = how()\r",
        "x = how()",
        "x = 1 \\\n  + how()\n",
        "if x: how()\nelse: how()\n",
        "x = how(); y = how()\n",
        "async def f():\n    await how()\n    return [x async for x in how()]\n",
        "match x:\n    case 1:\n        how()\n    case _:\n        how()\n",
        "class A:\n    @how()\n    def f(self):\n        return how()\n",
        "def f():\n    x = 1\n    def g():\n        nonlocal x\n        how()\n    return g\n",
        "def f():\n\thow()\n\tif x:\n\t\thow()\n",
        'x = [f"{how()}"]\n',
        "lambda: (yield how())\n",
        "return how()\n",  # this Python compiles it neither before nor after
    ],
)
def test_odd_but_right_files_lose_nothing(text: str, tmp_path: Path) -> None:
    found = planned(tmp_path, text, KEYWORD)
    assert not found.faults
    assert not found.problems
    assert len(found.plan.hunks) == text.count("how(")


def test_what_the_file_says_twice_already_is_no_fault_of_a_rule(tmp_path: Path) -> None:
    found = planned(tmp_path, "f(a=1, a=2)\nhow()\n", KEYWORD)
    assert (len(found.plan.hunks), found.faults) == (1, [])


def test_what_is_right_only_with_what_it_requires_stays(tmp_path: Path) -> None:
    module = module_of(tmp_path, "def f():\n    def g():\n        pass\n    pass\nx = 1\n")
    first = hunk(module, "first", insertion(module, "    def g", "    n = 1\n"))
    second = hunk(
        module,
        "second",
        insertion(module, "        pass", "        nonlocal n\n"),
        requires=frozenset({"first"}),
    )
    assert invalid_hunks(Plan([first, second])) == []
    alone = dataclasses.replace(second, requires=frozenset())
    assert [one.hunk.id for one in invalid_hunks(Plan([first, alone]))] == ["second"]


def test_a_decorator_may_stand_before_what_is_not_touched(tmp_path: Path) -> None:
    module = module_of(tmp_path, "x = 1\n\n\ndef f():\n    pass\n\n\ny = 1\n")
    made = [
        hunk(module, "decorate", replacement(module, "x = 1\n\n\n", "@d\n")),
        hunk(module, "other", replacement(module, "y = 1", "y = 2")),
    ]
    assert invalid_hunks(Plan(made)) == []


def test_alternatives_are_looked_at_one_by_one(tmp_path: Path) -> None:
    module = module_of(tmp_path, "f()\n")
    good = hunk(module, "good", replacement(module, "f()", "g()"), alternatives=frozenset({"bad"}))
    bad = hunk(module, "bad", replacement(module, "f()", "g("))
    assert [one.hunk.id for one in invalid_hunks(Plan([good, bad]))] == ["bad"]
    assert [one.hunk.id for one in invalid_hunks(Plan([bad, good]))] == ["bad"]


# What goes.


@pytest.mark.parametrize("mode", ["--check", "--diff", "--write", "review", "json", "bowler"])
def test_each_mode_proposes_the_others_and_names_the_rule(mode: str, tmp_path: Path) -> None:
    pack = pack_of(tmp_path, *EVERY)
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "odd.py").write_text(SOURCE)
    (tree / "other.py").write_text("how()\n")
    if mode == "review":
        script = f"printf 'a\\na\\na\\na\\n' | {PINSETTER[0]} run {pack} {tree}"
        result = run("-c", script, command=["bash"])
    elif mode == "bowler":
        (tmp_path / "wrong.py").write_text(
            f"from pinsetter.codemods.engine.cli import run_codemod\nrun_codemod({str(pack)!r})\n"
        )
        command = [str(BIN / "bowler"), "run", str(tmp_path / "wrong.py"), "--"]
        result = run(tree, "--write", command=command)
    else:
        options = ["--check", "--format", "json"] if mode == "json" else [mode]
        result = run(pack, tree, *options, command=PINSETTER)
    assert result.code == 2
    for line, rule in WRONG.items():
        place = next(
            n for n, x in enumerate(pack.read_text().splitlines(), 1) if f"id: {rule}" in x
        )
        said = (
            f"odd.py:{line}: not proposed: what {rule} ({pack}:{place}) makes of this is no Python"
        )
        assert said in result.err
        assert f"--skip {rule}" in result.err
    assert "'break' outside loop" in result.err
    assert "'return' outside function" in result.err
    assert "hunks      4 proposed" in result.err
    assert "failed     4 (see above)" in result.err
    written = mode in ("--write", "review", "bowler")
    assert (tree / "odd.py").read_text() == (RESULT if written else SOURCE)
    assert (tree / "other.py").read_text() == ("how(x=1)\n" if written else "how()\n")
    if mode == "--diff":
        assert result.out.count(b"\n@@ ") == 2
        assert b"+how(y=2, x=1)" in result.out
    if mode == "json":
        report = json.loads(result.out)
        lines = {h["start"]["line"]: h["rule"] for h in report["hunks"] if "odd" in h["path"]}
        assert lines == RIGHT
        assert {f["line"] for f in report["rule_failures"]} == set(WRONG)
        assert report["counts"]["failed"] == len(WRONG)


def test_skipping_the_rule_clears_it(tmp_path: Path) -> None:
    pack = pack_of(tmp_path, *EVERY)
    (tmp_path / "odd.py").write_text(SOURCE)
    skipped = [option for rule in WRONG.values() for option in ("--skip", rule)]
    result = run(pack, tmp_path / "odd.py", "--check", *skipped, command=PINSETTER)
    assert (result.code, "failed" in result.err) == (0, False)


@pytest.mark.parametrize(
    ("text", "rule", "said"),
    [
        ("how(x=1)\n", KEYWORD, "'break' outside loop"),
        ("how(**k, x=3)\n", KEYWORD, "'break' outside loop"),
        ("class A:\n    over()\n", LEAVE, "'return' outside function"),
        ("class A:\n    def f(self):\n        class B:\n            over()\n", LEAVE, "outside"),
        ("if x:\n    enough()\n", STOP, "'break' outside loop"),
        ("while x:\n    def f():\n        enough()\n", STOP, "'break' outside loop"),
        ("with x:\n    gone()\n", DROP, "expected an indented block"),
        ("x = gone()\n", DROP, "expected an expression"),
    ],
)
def test_what_cannot_be_is_not_proposed(
    text: str, rule: dict[str, object], said: str, tmp_path: Path
) -> None:
    # A statement of the same kind that is right, and code around it.
    found = planned(tmp_path, f"import os\n{text}\n\ndef other():\n    pass\n", rule)
    assert found.plan.hunks == []
    assert len(found.faults) == 1
    assert said in found.faults[0].reason
    assert found.faults[0].line


def test_without_a_compiler_for_it_the_parser_decides(tmp_path: Path) -> None:
    found = planned(tmp_path, "print 'a'\nhow(x=1)\nx = gone()\n", KEYWORD, DROP)
    assert [h.rule for h in found.plan.hunks] == ["keyword"]
    assert [f.line for f in found.faults] == [3]


def test_hunks_that_are_none_together_are_told_with_each_other(tmp_path: Path) -> None:
    module = module_of(tmp_path, "import os\nf(1)\n\n\ndef g():\n    f(2)\n    return 1\n")
    first = hunk(module, "first", insertion(module, ")\n\n\n", ", a=1"))
    second = hunk(module, "second", insertion(module, ")\n\n\n", ", a=2"))
    third = hunk(module, "third", insertion(module, "    return 1", "    g()\n"))
    plan = Plan([first, second, third])
    assert not why_invalid(module, first.edits)
    assert not why_invalid(module, second.edits)
    found = invalid_hunks(plan)
    assert [(one.hunk.id, one.clash and one.clash.id) for one in found] == [("second", "first")]
    assert "keyword argument repeated" in found[0].reason
    # Whoever requires the one that goes is no culprit.
    following = hunk(
        module, "following", replacement(module, "import os", "import sys"),
        requires=frozenset({"second"}),
    )  # fmt: skip
    assert [one.hunk.id for one in invalid_hunks(Plan([first, second, following]))] == ["second"]


def test_across_statements_only_the_whole_file_tells(tmp_path: Path) -> None:
    module = module_of(tmp_path, "x = 1\n\n\ndef f():\n    y = 1\n    return y\n")
    late = hunk(module, "late", insertion(module, "def f", "from __future__ import division\n"))
    use = hunk(module, "use", replacement(module, "y = 1", "y = 2"))
    found = invalid_hunks(Plan([use, late]))
    assert [one.hunk.id for one in found] == ["late"]
    assert "__future__" in found[0].reason


def test_what_requires_it_goes_too_and_says_why(tmp_path: Path) -> None:
    needing = {
        "id": "needing",
        "match": "other()",
        "requires": ["keyword"],
        "edit": [{"replace": "$match", "with": "better()"}],
        "example": ("how()\nother()\n", "how(x=1)\nbetter()\n"),
    }
    found = planned(tmp_path, "how(x=1)\nother()\n", KEYWORD, needing)
    assert found.plan.hunks == []
    assert len(found.faults) == 1
    assert [report.text for report in found.reports] == [
        "Not proposed: it requires keyword, which could not be applied here."
    ]


def test_a_program_for_which_it_is_essential_is_refused(tmp_path: Path) -> None:
    found = planned(
        tmp_path, "how(x=1)\nover2()\n", KEYWORD,
        {"id": "other", "match": "over2()", "edit": [{"replace": "$match", "with": "better()"}],
         "example": ("over2()\n", "better()\n")},
        essential={"keyword": "Without it nothing works."},
    )  # fmt: skip
    assert found.plan.hunks == []
    assert [fault.line for fault in found.faults] == [1]
    assert ["Without it nothing works." in problem.reason for problem in found.refused] == [True]


def test_why_invalid_says_it_for_texts_of_a_person(tmp_path: Path) -> None:
    module = module_of(tmp_path, "f(a=1)\n")
    assert why_invalid(module, [insertion(module, ")", ", b=2")]) == ""
    assert "repeated: a" in why_invalid(module, [insertion(module, ")", ", a=2")])
    assert "(" in why_invalid(module, [insertion(module, ")", "(")])
    assert why_invalid(module, [insertion(module, ")", ", b='\0'")])


def test_many_hunks_are_not_each_looked_at_in_the_whole_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes: list[int] = []

    def counted(text: str, flags: int = 0) -> CodeType | str:
        sizes.append(len(text))
        return compiled(text, flags)

    monkeypatch.setattr(validity, "compiled", counted)
    body = "".join(
        f"    def method_{n}(self, value):\n        if value:\n            how({n}, value)\n"
        f"        return [{n}, value, 'text', self.other({n})]\n\n"
        for n in range(300)
    )
    text = f"import os\n\n\nclass Many:\n{body}"
    found = planned(tmp_path, text, KEYWORD)
    assert (len(found.plan.hunks), found.faults) == (300, [])
    assert len(sizes) > 300
    assert sum(sizes) < 5 * len(text)
