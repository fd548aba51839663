"""Which TensorFlow a program is written for, and what templates make of that."""

import pytest
import yaml
from snippets import load_text, pack_data, rewritten

from pinsetter.patterns.examples import transform
from pinsetter.patterns.pack import Pack

MATCH = {"match": "train($...args)"}


@pytest.mark.parametrize(
    ("code", "version"),
    [
        ("import tensorflow as tf\ntf.logging.set_verbosity(1)\ntrain()\n", "1"),
        ("from tensorflow.contrib import slim\ntrain()\n", "1"),
        ("import tensorflow as tf\ntf.Session()\ntrain()\n", "1"),
        ("import tensorflow.compat.v1 as tf\ntf.Session()\ntrain()\n", "2"),
        ("import tensorflow as tf\ntf.compat.v1.Session()\ntrain()\n", "2"),
        ("import tensorflow as tf\ntf.keras.optimizers.legacy.Adam()\ntrain()\n", "2"),
        # TensorFlow 2 has these under a plain name, too.
        ("import tensorflow as tf\ntf.estimator.LoggingTensorHook({})\ntrain()\n", "2"),
        ("import tensorflow as tf\ntrain()\n", "2"),
    ],
)
def test_names_tell_the_version(code: str, version: str) -> None:
    edits = [
        {"if": [{"written_for": number}], "wrap": "$match", "with": f"in_{number}($it)"}
        for number in (1, 2)
    ]
    assert rewritten(code, **MATCH, edit=edits) == code.replace("train()", f"in_{version}(train())")


def test_first_names_are_spelled_as_the_version_has_them() -> None:
    def hooked(code: str) -> str:
        data = pack_data(**MATCH, edit={"append": "tf.train.SessionRunHook()"})
        data["imports"] = {"tf": ["tensorflow.compat.v1", "tensorflow"]}
        pack = load_text(yaml.safe_dump(data))
        assert isinstance(pack, Pack)
        return transform(pack, pack.rules[0], code)[0]

    first = "import tensorflow as tf\ntf.Session()\ntrain(%s)\n"
    assert hooked(first % "") == first % "tf.train.SessionRunHook()"
    second = "import tensorflow as tf\ntf.function(f)\ntrain(%s)\n"
    assert hooked(second % "") == second % "tf.compat.v1.train.SessionRunHook()"


def test_inside_a_function_a_later_import_is_known() -> None:
    code = "from tensorflow import keras\nimport tensorflow as tf\n%sdef f():\n    train(%s)\n"
    result = rewritten(code % ("", ""), **MATCH, edit={"append": "tf.zeros(3)"})
    assert result == code % ("", "tf.zeros(3)")
