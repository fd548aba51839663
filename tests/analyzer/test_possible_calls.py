"""Calls that need not be evaluated: those that can be of nothing that is asked for."""

from __future__ import annotations

from pathlib import Path

import pytest

from pinsetter.analyzer.facts import Facts
from pinsetter.analyzer.names.project import Project
from pinsetter.analyzer.values.possible_calls import possible_calls

TAPE = "tensorflow.GradientTape"
MODEL = "tensorflow.keras.Model"


def found(folder: Path, wanted: str, below: bool = False, **files: str) -> list[str]:
    """What is called, as it is written, by the calls of main.py that are left."""
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text)
    project = Project([folder])
    evaluator = Facts(project).evaluator
    main = next(module for module in project.own if module.name == "main")
    calls = possible_calls(main, frozenset({wanted}), evaluator, below)
    return ["".join(str(node) for node in call.callee).strip() for call in calls]


@pytest.mark.parametrize(
    "call", ["tf.reduce_mean(x)", "model.fit(x)", "self.run()", "a[0].b()", "a().b()", "x.y.z()"]
)
def test_attributes_that_are_called_otherwise_are_left_out(call: str, tmp_path: Path) -> None:
    assert found(tmp_path, TAPE, main=f"import tensorflow as tf\n{call}\n") in ([], ["a"])


@pytest.mark.parametrize(
    "text",
    [
        "import tensorflow as tf\ntf.GradientTape()\n",
        "from tensorflow import GradientTape as T\nT()\n",
        "import tensorflow as tf\nx = [tf.GradientTape]\nx[0]()\n",
        "import tensorflow as tf\ndef f(make):\n    make()\nf(tf.GradientTape)\n",
        "import tensorflow as tf\ndef get():\n    return tf.GradientTape\nget()()\n",
        "import tensorflow as tf\nclass A:\n    make = tf.GradientTape\nA.make()\n",
        "import tensorflow as tf\nclass A:\n    pass\nA.make = tf.GradientTape\nA.make()\n",
        "import tensorflow as tf\nclass A:\n    def __init__(self, m):\n        self.make = m\n"
        "A(tf.GradientTape).make()\n",
        "import tensorflow as tf\nclass A: pass\nsetattr(A, 'make', tf.GradientTape)\nA.make()\n",
        "import tensorflow as tf\nclass A:\n    @property\n    def make(self):\n"
        "        return tf.GradientTape\nA().make()\n",
        "import tensorflow as tf\nimport other\nother.make()\n",
        "import other\nother.again()\n",
        "import other\nother.kept()\n",
    ],
)
def test_whatever_may_be_one_is_kept(text: str, tmp_path: Path) -> None:
    other = (
        "import tensorflow as tf\nfrom tensorflow import GradientTape as again\n"
        "make = kept = tf.GradientTape\n"
    )
    names = found(tmp_path, TAPE, main=text, **({"other": other} if "other" in text else {}))
    last = text.rstrip().rpartition("\n")[2].rpartition("(")[0]
    assert (last if "def f(" not in text else "make") in names


def test_other_spellings_count(tmp_path: Path) -> None:
    text = "import tensorflow as tf\ntf.keras.models.Model()\ntf.keras.Model()\ntf.zeros()\n"
    assert found(tmp_path, MODEL, main=text) == ["tf.keras.models.Model", "tf.keras.Model"]


def test_classes_below_count_if_asked(tmp_path: Path) -> None:
    text = "import net\nnet.Net()\nnet.other()\n"
    net = "import tensorflow as tf\nclass Net(tf.keras.Model):\n    pass\ndef other():\n    pass\n"
    assert found(tmp_path, MODEL, main=text, net=net) == []
    (tmp_path / "b").mkdir()
    assert found(tmp_path / "b", MODEL, True, main=text, net=net) == ["net.Net"]
