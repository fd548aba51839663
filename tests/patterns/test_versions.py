"""Which TensorFlow a program is written for, and what templates make of that."""

from pathlib import Path

import pytest
import yaml
from snippets import load_text, pack_data, rewritten

from pinsetter.analyzer.facts import Facts
from pinsetter.analyzer.names.project import Project
from pinsetter.codemods.engine.authoring.examples import outcome_of
from pinsetter.patterns.applying.module_rules import ModuleRules
from pinsetter.patterns.packs.pack import Pack

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
        return outcome_of(pack, pack.rules[0], code).text

    first = "import tensorflow as tf\ntf.Session()\ntrain(%s)\n"
    assert hooked(first % "") == first % "tf.train.SessionRunHook()"
    second = "import tensorflow as tf\ntf.function(f)\ntrain(%s)\n"
    assert hooked(second % "") == second % "tf.compat.v1.train.SessionRunHook()"


def test_inside_a_function_a_later_import_is_known() -> None:
    code = "from tensorflow import keras\nimport tensorflow as tf\n%sdef f():\n    train(%s)\n"
    result = rewritten(code % ("", ""), **MATCH, edit={"append": "tf.zeros(3)"})
    assert result == code % ("", "tf.zeros(3)")


def imported(folder: Path, **files: str) -> str:
    """What ``main.py`` among some files gains with a template that uses `keras`."""
    for name, code in files.items():
        (folder / f"{name}.py").write_text(code)
    data = pack_data(**MATCH, edit={"append": "keras.losses.mse"})
    data["imports"] = {"keras": ["tensorflow.keras", {"keras": "keras"}]}
    pack = load_text(yaml.safe_dump(data))
    assert isinstance(pack, Pack)
    facts = Facts(Project([folder / f"{name}.py" for name in files]))
    module = next(module for module in facts.project.given if module.path.name == "main.py")
    rules = ModuleRules(pack, module, facts)
    matches = [m for node in module.tree.nodes() for m in rules.matches(node, pack.rules[0])]
    assert len(matches) == 1
    used: set[str] = set()
    local = rules.names.aliases.local("keras", used)
    return f"import {rules.names.aliases.imported_for('keras')} as {local}"


def test_what_a_file_has_through_others_is_imported_from_the_same_package(tmp_path: Path) -> None:
    model = "from keras.models import Sequential\n"
    main = "from model import *\ntrain()\n"
    assert imported(tmp_path, main=main, model=model) == "import keras as keras"
    model = "from tensorflow.keras.models import Sequential\n"
    assert imported(tmp_path, main=main, model=model) == "import tensorflow.keras as keras"


def test_a_name_that_others_bring_along_is_not_taken(tmp_path: Path) -> None:
    model = "from keras import backend as keras\n"
    main = "from model import *\ntrain()\n"
    assert imported(tmp_path, main=main, model=model) == "import keras as keras_2"
    deep = imported(tmp_path, main=main, model="from layers import *\n", layers=model)
    assert deep == "import keras as keras_2"
