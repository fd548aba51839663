"""Files that can be in no program that a pack is for: told as any other, and not analysed."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import pytest
from commands import TRAIN, all_packs

from pinsetter.analyzer.files.bounds import USUAL
from pinsetter.analyzer.files.import_groups import Part
from pinsetter.analyzer.files.listing import Listing
from pinsetter.analyzer.names.project import Project
from pinsetter.codemods.engine.hunks.proposed import Planned
from pinsetter.codemods.engine.propose import part_work
from pinsetter.codemods.engine.propose.looked_over import looked_over
from pinsetter.codemods.engine.propose.plan_options import PlanOptions
from pinsetter.codemods.engine.propose.planning import make_plan
from pinsetter.codemods.engine.propose.rule_query import RuleQuery

FILES = {
    "empty.py": b"",
    "plain.py": b"import os\nprint(os.sep)\n",
    "windows.py": b"\xef\xbb\xbfx = 1\r\n",
    "latin.py": b"# coding: latin-1\nx = '\xe9'\n",
    "old.py": b"print 'x'\nexec code in space\n",
    "later.py": b"type X = int\ntry:\n    f()\nexcept* E:\n    pass\n",
    "broken.py": b"def f(:\n    pass\n",
    "unclosed.py": b"x = (1,\n",
    "bytes.py": b"x = '\xff'\n",
    "null.py": b"x = 1\x00\n",
    "codec.py": b"# coding: nothing-like-it\n",
    "deep.py": b"x = " + b"[" * 90 + b"]" * 90 + b"\n",
    "escape.py": b"x = '\\d'\n",
}
TRAINS = """\
import tensorflow as tf
from shared import make
opt = make()
w = tf.Variable(1.0)
with tf.GradientTape() as tape:
    loss = w * w
opt.apply_gradients(zip(tape.gradient(loss, [w]), [w]))
"""


def queries() -> list[RuleQuery]:
    return [RuleQuery(pack, []) for pack in all_packs()]


def told(planned: Planned) -> tuple[set[str], set[str], set[str]]:
    return (
        {str(problem) for problem in planned.problems},
        {str(one.path.name) for one in planned.parsed},
        {path.name for path in planned.files},
    )


@pytest.mark.parametrize("levels", [USUAL.nesting, 100, 10])
def test_what_is_said_of_each_named_is_what_analysis_says(tmp_path: Path, levels: int) -> None:
    for name, data in FILES.items():
        (tmp_path / name).write_bytes(data)
    bounds = replace(USUAL, nesting=levels)
    listing = Listing([tmp_path])
    unsettled = frozenset(listing.files)
    planned = looked_over(Part(listing.files, unsettled=unsettled), None, listing, bounds)
    project = Project(Listing([tmp_path]).files, among=Listing([tmp_path]), bounds=bounds)
    assert {str(p) for p in planned.problems} == {str(p) for p in project.problems}
    assert {p.path.name for p in planned.parsed} == {m.path.name for m in project.given}
    assert [*planned.unreached] == [one.path for one in planned.parsed]
    assert len(planned.problems) + len(planned.parsed) == len(FILES)


def test_most_files_end_at_their_bytes(tmp_path: Path) -> None:
    """But for those that are no text, that a person named, or that speak of training."""
    files = {
        **FILES,
        "wide.py": "x = 1\n".encode("utf-16"),
        "seven.py": "# coding: utf-7\nx = 'ä'\n".encode("utf-7"),
        "fine.py": b"# coding: UTF-8\nx = 1\n",
        "speaks.py": b"import keras\ndef f(:\n",
    }
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    found = make_plan(queries(), [tmp_path])
    wrong = {"bytes.py", "null.py", "codec.py", "wide.py", "speaks.py"}
    assert {problem.path.name for problem in found.problems} == wrong
    assert not found.parsed
    assert {file.name for file in found.files} == files.keys()
    assert {file.name for file in found.unreached} == files.keys() - wrong
    named = make_plan(queries(), [tmp_path / "broken.py", tmp_path / "plain.py"])
    assert [problem.path.name for problem in named.problems] == ["broken.py"]
    assert [one.path.name for one in named.parsed] == ["plain.py"]


def test_the_bound_is_one_of_each_file(tmp_path: Path) -> None:
    line = "x = [" + ", ".join(map(str, range(40_000))) + "]\n"
    for number in range(40):
        (tmp_path / f"a{number}.py").write_text(line)
    before = time.process_time()
    files = sorted(tmp_path.iterdir())
    planned = make_plan(queries(), files, options=PlanOptions(bounds=replace(USUAL, seconds=1)))
    assert time.process_time() - before > 1.3, "too little to do"
    assert planned.problems == []
    assert len(planned.parsed) == 40


def test_nothing_is_analysed_where_nothing_trains(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, data in FILES.items():
        (tmp_path / name).write_bytes(data)
    before = told(make_plan(queries(), [tmp_path]))
    monkeypatch.setattr(part_work, "Project", None)
    assert told(make_plan(queries(), [tmp_path])) == before
    assert before[2] == FILES.keys()


def test_nothing_is_analysed_where_no_program_says_that_it_trains(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A library is used in one program, and something that is called like training in another;
    they share a module."""
    (tmp_path / "uses.py").write_text("import tensorflow as tf, shop\nprint(tf.constant(1))\n")
    (tmp_path / "other.py").write_text("import shop\nshop.assistant.fit(1)\n")
    (tmp_path / "shop.py").write_text("assistant = None\n")
    monkeypatch.setattr(part_work, "Project", None)
    planned = make_plan(queries(), [tmp_path])
    assert {path.name for path in planned.unreached} == {"uses.py", "other.py", "shop.py"}
    assert planned.problems == []
    monkeypatch.undo()
    (tmp_path / "apart").mkdir()
    (tmp_path / "apart" / "train.py").write_text(TRAIN)
    planned = make_plan(queries(), [tmp_path])
    assert [program.entry.path.name for program in planned.programs] == ["train.py"]
    assert planned.plan.hunks


def test_what_a_program_that_is_not_given_imports_is_analysed(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "train.py").write_text(TRAINS)
    (tmp_path / "shared.py").write_text("import tools\nmake = tools.make\n")
    (tmp_path / "tools.py").write_text("def make():\n    print('made')\n")
    (tmp_path / "alone.py").write_text("def f():\n    print('f')\n")
    planned = make_plan(queries(), [tmp_path / "tools.py"])
    assert any("not given" in report.text for report in planned.reports)
    (tmp_path / "app").mkdir()
    (tmp_path / "app" / "main.py").write_text("import train\nprint('done')\n")
    planned = make_plan(queries(), [tmp_path / "app"])
    assert [program.entry.path.name for program in planned.programs] == ["main.py"]
    planned = make_plan(queries(), [tmp_path / "alone.py"])
    assert planned.reports == []
    assert planned.unreached == [tmp_path / "alone.py"]


def test_what_a_program_imports_is_analysed(tmp_path: Path) -> None:
    """Though it names no library itself."""
    (tmp_path / "train.py").write_text(TRAINS)
    (tmp_path / "shared.py").write_text(
        "from rates import RATE, SGD\ndef make():\n    return SGD(RATE)\n"
    )
    (tmp_path / "rates.py").write_text("from keras_free import *\nRATE = 0.1\n")
    (tmp_path / "keras_free.py").write_text("import importlib\nSGD = object\n")
    (tmp_path / "apart.py").write_text("def f(:\n")
    planned = make_plan(queries(), [tmp_path])
    assert {one.path.name for one in planned.parsed} == {
        "train.py", "shared.py", "rates.py", "keras_free.py"
    }  # fmt: skip
    assert planned.problems == []
    assert {path.name for path in planned.unreached} == {"apart.py"}
    assert planned.plan.hunks
