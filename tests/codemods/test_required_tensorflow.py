"""What compile() must be told depends on the TensorFlow that a repository asks for."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import REPOSITORY

from pinsetter.codemods.engine.propose.planning import make_plan
from pinsetter.codemods.engine.running.pack_query import PackQuery
from pinsetter.patterns.edits.edit import apply
from pinsetter.patterns.packs import pack as packs
from pinsetter.patterns.packs.pack import Pack

TRAIN = """\
from tensorflow import keras
model = keras.Sequential([keras.layers.Dense(1)])
model.compile(keras.optimizers.SGD(0.1), "mse"%s)
model.fit([[1.0]], [1.0])
"""
GIVEN = ", experimental_run_tf_function=False"


def rewritten(folder: Path, given: str = "") -> str:
    (folder / "train.py").write_text(TRAIN % given)
    pack = packs.load(REPOSITORY / "patterns" / "packs" / "tf2-keras.yaml")
    assert isinstance(pack, Pack)
    plan = make_plan([PackQuery(pack, [])], [folder]).plan
    edits = [edit for hunk in plan.hunks for edit in hunk.edits]
    return apply(TRAIN % given, edits)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("requirements.txt", "numpy\n"),
        ("requirements.txt", "tensorflow\n"),
        ("requirements.txt", "tensorflow>=2.0\n"),
        ("requirements.txt", "tensorflow>=2.2,<3\n"),
        ("requirements.txt", "tensorflow<2.4\n"),  # TensorFlow 1 as well
        ("requirements.txt", "tensorflow==1.15.0\n"),
        ("requirements.txt", "tensorflow==2.4.0\n"),
        ("requirements.txt", "tensorflow==2.15.*\n"),
        ("requirements.txt", "tensorflow-gpu==2.3.0\ntensorflow==2.8.0\n"),
        ("requirements.txt", "# tensorflow==2.3.0\n"),
    ],
)
def test_other_and_unknown_versions_are_left_alone(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    assert "DistributedOptimizer" in rewritten(tmp_path)
    assert "run_tf_function" not in rewritten(tmp_path)


def test_what_is_given_stays(tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").write_text("tensorflow==2.1.0\n")
    assert rewritten(tmp_path, GIVEN).count("run_tf_function") == 1


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("requirements.txt", "tensorflow==2.0.0\n"),
        ("requirements.txt", "tensorflow_gpu~=2.3.0\n"),
        ("requirements.txt", "tensorflow>=2.2,<2.4\n"),
        ("environment.yml", "dependencies:\n  - tensorflow-gpu=2.1\n"),
        ("setup.py", 'setup(install_requires=["tensorflow>=2.0,<=2.3.4"])\n'),
        ("requirements.txt", "tensorflow>=2.0\ntensorflow-gpu==2.1.0\n"),
    ],
)
def test_before_2_4_compile_is_told(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    words = " ".join(rewritten(tmp_path).split())
    assert f'"mse"{GIVEN},' in words
