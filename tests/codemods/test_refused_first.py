"""What refuses programs is looked for first; of what only these load nothing else is told."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from commands import LIBRARY, MAIN, TRIES, all_packs

from pinsetter.codemods.engine.hunks.proposed import Planned
from pinsetter.codemods.engine.propose.planning import make_plan
from pinsetter.codemods.engine.running.pack_query import PackQuery

TRAIN = """\
# pip install tensorflow==2.15
import tensorflow as tf
{imports}
model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
model.compile(optimizer=tf.keras.optimizers.SGD(0.1), loss="mse")
model.fit([[1.0]], [[1.0]], epochs=8)
{code}
"""
REFUSED = "strategy = tf.distribute.MultiWorkerMirroredStrategy()"
# A thread is a note, and no more.
NOTED = "import threading\nthreading.Thread(target=print).start()\n"
NOTE = "several-threads"
SHARED = {
    "main.py": MAIN + REFUSED, "test_library.py": TRIES, "library.py": NOTED + LIBRARY
}  # fmt: skip


def program(code: str = "", imports: str = "") -> str:
    return TRAIN.format(code=code, imports=imports)


def planned(folder: Path, files: Mapping[str, str], *skip: str) -> Planned:
    for name, text in files.items():
        (folder / name).write_text(text)
    return make_plan([PackQuery(pack, []) for pack in all_packs()], [folder], frozenset(skip))


def noted(found: Planned) -> set[tuple[str, str]]:
    return {(report.module.path.name, report.rule.id) for report in found.reports}


def refused(found: Planned) -> set[str]:
    return {problem.path.name for problem in found.refused}


def rewritten(found: Planned) -> set[str]:
    return {hunk.module.path.name for hunk in found.plan.hunks}


def test_nothing_is_left_of_a_program_that_is_not_refused(tmp_path: Path) -> None:
    found = planned(tmp_path, {"a.py": program(NOTED)})
    assert rewritten(found) == {"a.py"}
    assert not found.refused
    assert ("a.py", NOTE) in noted(found)


def test_a_refused_program_is_only_refused(tmp_path: Path) -> None:
    found = planned(tmp_path, {"a.py": program(NOTED + REFUSED)})
    assert refused(found) == {"a.py"}
    assert not rewritten(found)
    assert not noted(found)


def test_all_refusals_are_told(tmp_path: Path) -> None:
    files = {"a.py": program(REFUSED, "import b"), "b.py": f"import tensorflow as tf\n{REFUSED}\n"}
    assert refused(planned(tmp_path, files)) == {"a.py", "b.py"}


def test_a_program_beside_it_is_rewritten_and_told_of(tmp_path: Path) -> None:
    found = planned(tmp_path, {"a.py": program(NOTED + REFUSED), "b.py": program(NOTED)})
    assert refused(found) == {"a.py"}
    assert rewritten(found) == {"b.py"}
    assert ("b.py", NOTE) in noted(found)
    assert ("a.py", NOTE) not in noted(found)


def test_what_another_program_loads_is_told_of(tmp_path: Path) -> None:
    files = {
        "a.py": program(REFUSED, "import common"), "b.py": program("", "import common"),
        "common.py": NOTED,
    }  # fmt: skip
    found = planned(tmp_path, files)
    assert refused(found) == {"a.py"}
    assert rewritten(found) == {"b.py"}
    assert ("common.py", NOTE) in noted(found)


def test_what_only_refused_programs_load_is_not(tmp_path: Path) -> None:
    files = {
        "a.py": program(REFUSED, "import common"), "b.py": program(REFUSED, "import common"),
        "common.py": NOTED,
    }  # fmt: skip
    found = planned(tmp_path, files)
    assert refused(found) == {"a.py", "b.py"}
    assert not rewritten(found)
    assert not noted(found)


def test_what_is_refused_by_a_module_of_all(tmp_path: Path) -> None:
    files = {
        "a.py": program(NOTED, "import common"), "b.py": program(NOTED, "import common"),
        "common.py": f"import tensorflow as tf\n{REFUSED}\n",
    }  # fmt: skip
    found = planned(tmp_path, files)
    assert refused(found) == {"common.py"}
    assert not rewritten(found)
    assert not noted(found)


def test_a_refusal_that_is_suppressed_leaves_nothing(tmp_path: Path) -> None:
    code = NOTED + f"{REFUSED}  # pinsetter: ignore[strategy-in-use]\n"
    found = planned(tmp_path, {"a.py": program(code)})
    assert not found.refused
    assert ("a.py", NOTE) in noted(found)


def test_what_no_program_runs_leaves_nothing(tmp_path: Path) -> None:
    files = {
        "a.py": program(NOTED, "import common"),
        "common.py": f"import tensorflow as tf\ndef never():\n    {REFUSED}\n",
    }  # fmt: skip
    found = planned(tmp_path, files)
    assert not found.refused
    assert rewritten(found) == {"a.py"}
    assert ("a.py", NOTE) in noted(found)


@pytest.mark.parametrize("name", ["divide-epochs-of-fit", NOTE, ""])
def test_comments_of_refused_programs_are_no_mistakes(name: str, tmp_path: Path) -> None:
    comment = f"# pinsetter: ignore[{name}]" if name else "# pinsetter: ignore"
    found = planned(tmp_path, {"a.py": program(f"print('x')  {comment}\n{REFUSED}")})
    assert refused(found) == {"a.py"}
    assert not found.notes


def test_tests_of_what_is_refused_are_left(tmp_path: Path) -> None:
    found = planned(tmp_path, SHARED)
    assert refused(found) == {"main.py"}
    assert not rewritten(found)
    assert noted(found) == {("test_library.py", "tests-of-training")}


def test_tests_of_what_is_rewritten_are_told_of_it(tmp_path: Path) -> None:
    found = planned(tmp_path, {**SHARED, "main.py": MAIN})
    assert not found.refused
    assert rewritten(found) == {"main.py", "test_library.py", "library.py"}
    assert ("library.py", NOTE) in noted(found)


def test_tests_that_are_not_left_go_on(tmp_path: Path) -> None:
    found = planned(tmp_path, SHARED, "tests-of-training")
    assert ("library.py", NOTE) in noted(found)


def test_what_is_distributed_and_lacks_something_is_told_of(tmp_path: Path) -> None:
    done = f"import horovod.tensorflow as hvd\nhvd.init()\n{MAIN}"
    found = planned(tmp_path, {**SHARED, "done.py": done})
    assert refused(found) == {"main.py", "library.py"}


def test_all_refusals_of_a_file_alone_are_told(tmp_path: Path) -> None:
    (tmp_path / "setup.py").touch()
    (tmp_path / "b.py").write_text(f"import tensorflow as tf\n{REFUSED}\n")
    (tmp_path / "a.py").write_text(program(REFUSED, "import b"))
    packs = [PackQuery(pack, []) for pack in all_packs()]
    assert refused(make_plan(packs, [tmp_path / "a.py"])) == {"a.py", "b.py"}


@pytest.mark.parametrize("name", ["RuleQuery.begin", "sift"])
def test_what_fails_at_first_is_tried_again(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(*_: object) -> None:
        raise KeyError

    monkeypatch.setattr(f"pinsetter.codemods.engine.propose.refused_first.{name}", failing)
    found = planned(tmp_path, {"a.py": program(NOTED), "b.py": program(REFUSED)})
    assert refused(found) == {"b.py"}
    assert rewritten(found) == {"a.py"}
    assert not found.faults
