"""What functions are called in a file is no reason not to look for them: other names, methods."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from snippets import load_text, pack_data

from pinsetter.analyzer.facts import Facts
from pinsetter.analyzer.names.project import Project
from pinsetter.patterns.applying.module_rules import ModuleRules
from pinsetter.patterns.packs.pack import Pack

TWIN = "tensorflow.keras.utils.to_categorical"
CASES = [
    ("os.getpid", "import os\n", "os.getpid()"),
    ("os.getpid", "from os import getpid as number\n", "number()"),
    ("horovod.tensorflow.rank", "import horovod.tensorflow as hvd\n", "hvd.rank()"),
    (TWIN, "import keras\n", "keras.utils.to_categorical(y)"),
    (TWIN, "from keras.utils import to_categorical\n", "to_categorical(y)"),
    (TWIN, "from tf_keras import utils\n", "utils.to_categorical(y)"),
    ("tensorflow.keras.Model.predict", "import keras\n", "keras.Model().predict(y)"),
    ("builtins.len", "", "len(y)"),
    ("given.Reader.read", "import lib\n", "lib.reader().read()"),
]


def is_found(folder: Path, condition: dict[str, Any], code: str) -> bool:
    """Whether a rule for `f($x)` with a condition fits somewhere, in files that are looked at
    together."""
    given = {"match": "f($x)", "edit": {"replace": "$match", "with": "g($x)"}, "where": [condition]}
    pack = load_text(
        yaml.safe_dump(pack_data(**given) | {"types": {"lib.reader()": "given.Reader"}})
    )
    assert isinstance(pack, Pack), pack
    (folder / "main.py").write_text(code)
    project = Project([folder / "main.py"])
    assert project.alone is None
    rules = ModuleRules(pack, project.given[0], Facts(project, types=pack.types))
    return any(rules.matches(node, *pack.rules) for node in project.given[0].tree.nodes())


@pytest.mark.parametrize("name", ["computed_from", "derives_from"])
@pytest.mark.parametrize(("function", "imports", "call"), CASES)
def test_a_value(tmp_path: Path, name: str, function: str, imports: str, call: str) -> None:
    condition = {name: ["$x", function]}
    assert is_found(tmp_path, condition, f"{imports}f({call})\n")
    assert is_found(tmp_path, condition, f"{imports}value = {call}\nf(value)\n")
    assert not is_found(tmp_path, condition, f"{imports}f(other())\n")
    assert not is_found(tmp_path, condition, "f(other())\n")


@pytest.mark.parametrize(("function", "imports", "call"), CASES)
def test_a_place(tmp_path: Path, function: str, imports: str, call: str) -> None:
    condition = {"behind": [function]}
    assert is_found(tmp_path, condition, f"{imports}if {call}:\n    f(1)\n")
    assert not is_found(tmp_path, condition, f"{imports}if other():\n    f(1)\n")
    assert not is_found(tmp_path, condition, "if other():\n    f(1)\n")
