"""needs_keras_3 and keras_chosen: which Keras a repository asks for, and what leaves it open."""

from __future__ import annotations

from pathlib import Path

import pytest

from pinsetter.analyzer.facts import Facts
from pinsetter.analyzer.names.project import Project
from pinsetter.patterns.applying.module_rules import ModuleRules
from pinsetter.patterns.domains.tensorflow.version import keras_chosen, needs_keras_3
from pinsetter.patterns.matching.match import Match
from pinsetter.patterns.packs import pack, pack_files

TEXT = "import keras\nmodel = keras.Sequential()\nmodel.fit(1, 1)\n"


def answers(folder: Path, requirement: str) -> tuple[bool, bool]:
    """Whether Keras 3 is needed, and whether Keras 2 is."""
    (folder / "requirements.txt").write_text(requirement + "\n")
    (folder / "train.py").write_text(TEXT)
    path = pack_files.find("tf2-keras")
    assert path is not None
    loaded = pack.load(path)
    assert isinstance(loaded, pack.Pack)
    project = Project([folder / "train.py"])
    (module,) = project.modules
    rules = ModuleRules(loaded, module, Facts(project))
    rule = loaded.rules[0]
    match = Match(loaded, rule, module, rules.facts, {"match": (module.tree.root,)})
    return needs_keras_3(match, True) is not None, keras_chosen(match, True) is not None


@pytest.mark.parametrize("requirement", [
    "", "keras", "keras>=2.0.0", "keras>2.15", "tensorflow", "tensorflow>=2", "numpy==3.0",
    "keras!=3.0.1",
])  # fmt: skip
def test_it_is_left_open(requirement: str, tmp_path: Path) -> None:
    assert answers(tmp_path, requirement) == (False, False)


@pytest.mark.parametrize("requirement", [
    "keras==2.0.8", "Keras==2.0.8", "keras==2.1.6", "keras==1.2.2", "keras==2.99.0", "keras<3",
    "Keras==2.98.0", "keras==2.*", "keras=2.0.8", "tensorflow==1.4.1", "tensorflow==1.12.3",
    "TensorFlow==2.3.0", "tensorflow==2.0.0rc0", "tensorflow==2.0.0-beta1", "tensorflow-gpu==1.3",
    "tensorflow==2.15.9", "tensorflow==2.15.*", "tensorflow<2.0",
])  # fmt: skip
def test_it_is_keras_2(requirement: str, tmp_path: Path) -> None:
    assert answers(tmp_path, requirement) == (False, True)


@pytest.mark.parametrize("requirement", [
    "keras>=3", "keras==3.5.0", "Keras==3.0.0rc1", "keras~=3.1", "tensorflow>=2.16",
    "tensorflow==2.16.0rc0", "tensorflow==2.99.7", "TensorFlow>=2.17",
])  # fmt: skip
def test_it_is_keras_3(requirement: str, tmp_path: Path) -> None:
    assert answers(tmp_path, requirement) == (True, False)
