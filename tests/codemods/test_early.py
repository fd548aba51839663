"""Where programs share modules with many files, what comes before all of these are analysed."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

import pytest
from commands import MIXED, REPOSITORY, TRAIN, all_packs
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pinsetter.analyzer.files import import_groups
from pinsetter.codemods.engine.hunks.proposed import Planned
from pinsetter.codemods.engine.propose.plan_options import PlanOptions
from pinsetter.codemods.engine.propose.planning import make_plan, plans, together
from pinsetter.codemods.engine.running.pack_query import PackQuery
from pinsetter.patterns.packs.pack import Pack, load

LOGS = "def log(text):\n    print(text)\n"
FEW = 6
MANY = 2 * FEW


def queries(*packs: Pack) -> list[PackQuery]:
    return [PackQuery(pack, []) for pack in packs or all_packs()]


def written(folder: Path, files: Mapping[str, str], used: str = "common") -> Path:
    """Files, and many that import the module ``used`` by them."""
    many = {f"lib/m{number}.py": f"import {used}\n" for number in range(MANY)}
    for name, text in {**many, **files}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def parts_of(folder: Path, *packs: Pack) -> list[Planned]:
    return [planned for planned, _ in plans(queries(*packs), [folder]) if planned.files]


def names(planned: Planned) -> list[str]:
    return [path.name for path in planned.files]


def rewritten(planned: Planned) -> set[str]:
    return {hunk.module.path.name for hunk in planned.plan.hunks}


def said(planned: Planned) -> list[str]:
    """All that a run says, in whatever order."""
    return sorted([
        *(f"{hunk.id} {sorted(hunk.requires)} {hunk.warnings}" for hunk in planned.plan.hunks),
        *(f"{r.rule.id} {r.module.path}:{r.line} {r.text}" for r in planned.reports),
        *map(str, (*planned.problems, *planned.refused, *planned.notes)),
        *(f"{program.entry.path} {program.apis}" for program in planned.programs),
        *(str(one.key) for one in planned.suppressed),
        *map(str, (*planned.files, *planned.parsed, planned.matched)),
    ])  # fmt: skip


def early(folder: Path, monkeypatch: pytest.MonkeyPatch, *packs: Pack) -> list[Planned]:
    """The parts of a tree; together they say what one analysis of all says."""
    with monkeypatch.context() as patch:
        patch.setattr(import_groups, "_FEW", FEW)
        found = [planned for planned, _ in plans(queries(*packs), [folder])]
        parts = [planned for planned in found if planned.files]
        planned = together(found)
        patch.setattr(import_groups, "_FEW", 10_000)
        whole = make_plan(queries(*packs), [folder])
    # Where one program is refused, so is what shares modules with it, however little it needs them.
    if not whole.refused:
        assert said(planned) == said(whole)
    assert sum(len(part.files) for part in parts) == len(whole.files)
    return parts


def test_a_program_that_changes_nothing_that_is_shared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = written(tmp_path, {"common.py": "X = 1\n", "train.py": f"import common\n{TRAIN}"})
    first, rest = early(folder, monkeypatch)
    assert names(first) == ["train.py"]
    assert rewritten(first) == {"train.py"}
    assert not rest.plan.hunks


def test_what_is_shared_comes_when_all_users_are_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = written(tmp_path, {"common.py": LOGS, "train.py": f"import common\n{TRAIN}"})
    first, rest = early(folder, monkeypatch)
    assert rewritten(first) == {"train.py"}
    asked = [hunk for hunk in rest.plan.hunks if not hunk.follows]
    assert [hunk.rule for hunk in asked] == ["print-on-first-worker"]
    assert f"{MANY} more" not in asked[0].warnings[0]
    assert f"and {MANY - 3} more, not rewritten" in asked[0].warnings[0]


def test_a_program_comes_with_what_imports_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {
        "common.py": "X = 1\n", "train.py": f"import common, model\n{TRAIN}",
        "model.py": "import tensorflow as tf\n", "test_train.py": "import train\n",
    }  # fmt: skip
    first, *_ = early(written(tmp_path, files), monkeypatch)
    assert sorted(names(first)) == ["model.py", "test_train.py", "train.py"]
    assert len(first.programs) == 1


def test_what_is_shared_by_what_is_shared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = {"common.py": "import deep\n", "deep.py": LOGS, "train.py": f"import common\n{TRAIN}"}
    first, rest = early(written(tmp_path, files), monkeypatch)
    assert rewritten(first) == {"train.py"}
    assert rewritten(rest) == {"deep.py"}


@pytest.mark.parametrize("whole_programs", [False, True])
def test_users_that_were_not_given_count(
    whole_programs: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = written(tmp_path, {"common.py": LOGS, "train.py": f"import common\n{TRAIN}"})
    given = [folder / "common.py", folder / "train.py"]
    found = []
    options = PlanOptions(whole_programs=whole_programs)
    for few in (FEW, 10_000):
        monkeypatch.setattr(import_groups, "_FEW", few)
        found.append(together(part for part, _ in plans(queries(), given, options=options)))
    assert said(found[0]) == said(found[1])
    (warning,) = [
        warning
        for hunk in found[0].plan.hunks
        for warning in hunk.warnings
        if hunk.module.path.name == "common.py"
    ]
    assert f"and {MANY - 3} more, not rewritten" in warning


APPLIES = TRAIN.replace("optimizer.apply_gradients(", "common.apply(optimizer, ")


@pytest.mark.parametrize(
    ("common", "train"),
    [
        ("", MIXED),
        ("", "import tensorflow\nprint(lib.fit)\n"),
        (f"def more():\n    {TRAIN.replace(chr(10), chr(10) + '    ').rstrip()}\n", TRAIN),
        ("def apply(optimizer, pairs):\n    optimizer.apply_gradients(pairs)\n", APPLIES),
    ],
    ids=["is refused", "does not train", "trains in what is shared", "applies gradients there"],
)
def test_who_waits(
    common: str, train: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = written(tmp_path, {"common.py": common, "train.py": f"import common\n{train}"})
    (whole,) = early(folder, monkeypatch)
    assert len(whole.files) == MANY + 2


OPTIMIZER = {
    "common.py": "import tensorflow as tf\noptimizer = tf.keras.optimizers.SGD(0.1)\n",
    "fit.py": "import common, lib\nmodel = lib.make()\nmodel.compile(common.optimizer)\n"
              "model.fit([1], [2])\n",
    "train.py": "from common import optimizer\nfrom lib import make\n"
                + TRAIN.replace("optimizer = tf.keras.optimizers.SGD(0.1)\n", ""),
}  # fmt: skip
LIB = "import tensorflow as tf\n\ndef make():\n    return tf.keras.Sequential()\n"


def test_who_is_refused_for_what_is_shared_waits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The programs are analysed together, and none stands what the other needs in ``common``."""
    (whole,) = early(written(tmp_path, {**OPTIMIZER, "lib.py": LIB}), monkeypatch)
    assert "common.py:2" in str(whole.refused[0])


def test_a_program_that_has_begun_is_not_refused_for_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {**OPTIMIZER, "fit.py": OPTIMIZER["fit.py"].replace("lib.make", "other.make")}
    files["fit.py"] = files["fit.py"].replace("lib", "other")
    first, rest = early(written(tmp_path, {**files, "lib.py": LIB, "other.py": LIB}), monkeypatch)
    assert rewritten(first) == {"train.py"}
    assert "common.py:2" in str(rest.refused[0])
    assert not rest.plan.hunks
    left = [report for report in rest.reports if report.rule.id == "scale-learning-rate"]
    assert "also used by" in left[0].text


def test_a_program_that_would_have_to_be_started_waits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """``__main__`` is not seen to train, but may run what is rewritten for ``other``."""
    files = {
        "common.py": "def apply(optimizer, pairs):\n    optimizer.apply_gradients(pairs)\n",
        "other.py": "import common\n"
        + TRAIN.replace("optimizer.apply_gradients(", "common.apply(optimizer, "),
        "app/__main__.py": "import common\nimport tensorflow as tf\n\nuse(common.apply)\n",
    }
    (whole,) = early(written(tmp_path, files), monkeypatch)
    assert "__main__.py" in rewritten(whole)


MARKS = """\
pack: marks
summary: A pack for any program.
rules:
  - id: mark
    title: Mark
    why: It is marked.
    requires: [{requires}]
    match: mark($x)
    edit: {{replace: $match, with: "marked($x)"}}
    examples: [{{unchanged: other()}}]
  - id: shared-mark
    title: Mark what is shared
    why: It is marked, too.
    shared: {shared}
    match: shared_mark($x)
    edit: {{replace: $match, with: "marked($x)"}}
    examples: [{{unchanged: other()}}]
"""


@pytest.mark.parametrize(
    ("shared", "requires", "parts"),
    [("true", "", 2), ("false", "", 1), ("true", "shared-mark", 1)],
    ids=["stands anywhere", "might be left alone", "is required"],
)
def test_what_belongs_to_something_shared_waits(
    shared: str, requires: str, parts: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "marks.yaml").write_text(MARKS.format(shared=shared, requires=requires))
    pack = load(tmp_path / "marks.yaml")
    assert isinstance(pack, Pack)
    files = {"common.py": "shared_mark(1)\n", "use.py": "import common, tensorflow\nmark(1)\n"}
    # What no program is asked for is analysed file by file.
    found = early(written(tmp_path / "all", files), monkeypatch, pack, *all_packs())
    assert len(found) == parts


def test_a_small_group_is_analysed_as_a_whole(tmp_path: Path) -> None:
    written(tmp_path, {"train.py": f"import common\n{TRAIN}", "common.py": LOGS})
    for file in (tmp_path / "lib").iterdir():
        if file.name != "m0.py":
            file.unlink()
    assert [len(part.files) for part in parts_of(tmp_path)] == [3]


@pytest.mark.parametrize("name", ["demo", "programs/keras_subclass", "programs/gan"])
@pytest.mark.parametrize("used", ["data", "models", "settings", "model", "gan", "trainer", "main"])
def test_real_programs_of_which_others_use_a_module(
    name: str, used: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "all"
    shutil.copytree(REPOSITORY / "fixtures" / name, folder)
    early(written(folder, {}, used), monkeypatch)


MODULES = ["a", "b", "c", "d"]
TEXTS = {
    "nothing": "X = 1\n",
    "logs": LOGS,
    "makes": "import tensorflow as tf\n\ndef make():\n    return tf.keras.optimizers.SGD(0.1)\n",
    "applies": "def apply(optimizer, pairs):\n    optimizer.apply_gradients(pairs)\n",
    "hands on": "def same(x):\n    return x\n",
    "trains": TRAIN,
    "fits": "import keras\nmodel = keras.Sequential()\nmodel.compile('sgd')\nmodel.fit([1], [2])\n",
    "trains by others": TRAIN.replace("tf.keras.optimizers.SGD(0.1)", "make()").replace(
        "optimizer.apply_gradients(", "apply(optimizer, "
    ),
    "hands an optimizer on": TRAIN.replace(
        "tf.keras.optimizers.SGD(0.1)", "same(tf.keras.optimizers.SGD(0.1))"
    ),
    "uses": "import tensorflow as tf\nlog(same(tf.ones(1)))\n",
}


@given(
    texts=st.lists(st.sampled_from(sorted(TEXTS)), min_size=4, max_size=4),
    imports=st.lists(st.sets(st.sampled_from([*MODULES, "common"])), min_size=4, max_size=4),
    common=st.sampled_from(sorted(TEXTS)),
)
@settings(deadline=None, max_examples=25, suppress_health_check=[HealthCheck.too_slow])
def test_early_parts_say_what_the_whole_says(
    texts: list[str], imports: list[set[str]], common: str
) -> None:
    with tempfile.TemporaryDirectory() as name, pytest.MonkeyPatch.context() as patch:
        files = {"common.py": TEXTS[common]}
        for module, text, imported in zip(MODULES, texts, imports, strict=True):
            lines = [f"from {other} import *\n" for other in sorted(imported - {module})]
            files[f"{module}.py"] = "".join(lines) + TEXTS[text]
        early(written(Path(name), files), patch)
