"""Definitions: code that templates call, which a file gets once, after its imports."""

import ast
import os
from pathlib import Path
from typing import Any

import pytest
import yaml
from snippets import load_text, pack_data

from pinsetter.codemods.engine.authoring.examples import outcome_of
from pinsetter.patterns.packs.pack import Pack, load
from pinsetter.patterns.packs.pack_files import bundled, parts

HELPER = "def helper(x):\n    return hvd.size() * x\n"
IMPORTED = "import horovod.tensorflow as hvd\nimport os\n"
DEFINED = f"{IMPORTED}\n\n{HELPER}\n\n"


def loaded(definitions: dict[str, str], **rule: Any) -> Pack:
    given = {"match": "f($x)", "edit": {"wrap": "$x", "with": "helper($it)"}} | rule
    data = pack_data(**given) | {"definitions": definitions}
    result = load_text(yaml.safe_dump(data))
    assert isinstance(result, Pack), result
    return result


def rewritten(code: str, **rule: Any) -> str:
    pack = loaded({"helper": HELPER}, **rule)
    return outcome_of(pack, pack.rules[0], code).text


def test_a_file_gets_a_definition_once_for_all_that_call_it() -> None:
    assert rewritten(f"{IMPORTED}f(1)\nf(2)\n") == f"{DEFINED}f(helper(1))\nf(helper(2))\n"


def test_blank_lines_that_follow_are_used() -> None:
    assert rewritten(f"{IMPORTED}\n\nf(1)\n") == f"{DEFINED}f(helper(1))\n"


def test_what_needs_no_definition_gets_none() -> None:
    assert rewritten(f"{IMPORTED}g(1)\n") == f"{IMPORTED}g(1)\n"


def test_imports_come_along() -> None:
    assert rewritten("f(1)\n").startswith("import horovod.tensorflow as hvd\n")


def test_a_definition_that_a_file_has_is_used() -> None:
    rule = {"where": [{"not": {"handed_to": ["helper"]}}]}
    once = rewritten(f"{IMPORTED}f(1)\n", match="g($x)")
    assert once == f"{IMPORTED}f(1)\n"
    code = f"{DEFINED}f(helper(1))\nf(2)\n"
    assert rewritten(code, **rule).count("def helper") == 1


def test_a_name_that_is_taken_is_left_alone() -> None:
    code = rewritten(f"{IMPORTED}\n\ndef helper():\n    pass\n\n\nf(1)\n")
    assert "def helper_2(x):" in code
    assert "f(helper_2(1))" in code


def test_the_files_own_indentation_is_kept() -> None:
    code = rewritten(f"{IMPORTED}\n\nif a:\n\tf(1)\n")
    assert "def helper(x):\n\treturn hvd.size() * x\n" in code


def test_a_definition_must_be_python() -> None:
    data = pack_data(match="f($x)", edit={"wrap": "$x", "with": "a($it)"})
    found = load_text(yaml.safe_dump(data | {"definitions": {"a": "def a(:"}}, sort_keys=False))
    assert isinstance(found, list)
    assert "not Python" in found[0].reason


@pytest.mark.parametrize(
    ("code", "wanted"),
    [
        ("f([])", "f([a, b])"),
        ("f([c])", "f([a, b, c])"),
        ("f([ c, d ])", "f([a, b,  c, d ])"),
        ("f([\n    c,\n])", "f([\n    a,\n    b,\n    c,\n])"),
        ("f([  # d\n    c])", "f([  # d\n    a,\n    b,\n    c])"),
    ],
)
def test_items_go_in_front_of_a_list(code: str, wanted: str) -> None:
    pack = loaded({}, edit={"extend": "$x", "items": "a, b"})
    assert outcome_of(pack, pack.rules[0], code + "\n").text == wanted + "\n"


@pytest.mark.parametrize("code", ["f([x for x in y])", "f((a,))", "f(a)", "f(a[0])"])
def test_only_a_list_that_is_written_out_gets_items(code: str) -> None:
    pack = loaded({}, where=[{"list_display": "$x"}], edit={"extend": "$x", "items": "a"})
    assert outcome_of(pack, pack.rules[0], code + "\n").text == code + "\n"


@pytest.mark.parametrize(
    ("code", "wanted"),
    [
        ("f(1)\n", "import tensorflow.keras as keras\nf(keras.g(1))\n"),
        (
            "from keras.models import Model\nf(1)\n",
            "import keras\nfrom keras.models import Model\nf(keras.g(1))\n",
        ),
        ("import keras\nf(1)\n", "import keras\nf(keras.g(1))\n"),
        (
            "from keras import models\nkeras = 1\nf(1)\n",
            "import keras as keras_2\nfrom keras import models\nkeras = 1\nf(keras_2.g(1))\n",
        ),
    ],
)
def test_the_module_that_is_imported_fits_what_the_file_imports(code: str, wanted: str) -> None:
    data = pack_data(match="f($x)", edit={"wrap": "$x", "with": "keras.g($it)"})
    data["imports"] = {"keras": ["tensorflow.keras", {"keras": "keras"}]}
    pack = load_text(yaml.safe_dump(data))
    assert isinstance(pack, Pack), pack
    assert outcome_of(pack, pack.rules[0], code).text == wanted


@pytest.mark.parametrize(
    ("code", "wanted"),
    [
        ("f('ADAM')", "f(Adam, 0.001)"),
        ("f('sgd')", "f(SGD, 0.01)"),
        ("f('mine')", "f('mine')"),
        ("f(f'adam')", "f(f'adam')"),
        ("f(adam)", "f(adam)"),
    ],
)
def test_a_text_names_a_class_of_the_library(code: str, wanted: str) -> None:
    named = {
        "text": "$x", "in": "tensorflow.keras.optimizers", "as": "class",
        "defaults": {"rate": "learning_rate"},
    }  # fmt: skip
    pack = loaded({}, where=[{"names_class": named}],
                  edit={"replace": "$match", "with": "f($class, $rate)"})  # fmt: skip
    assert outcome_of(pack, pack.rules[0], code + "\n").text == wanted + "\n"


BESIDE = """import horovod.tensorflow as hvd

x = 1


@cached
def helper(x):
    # type: (int) -> int
    y = []  # type: list[int]
    return hvd.size() * x  # not a type: a comment


class Other(object):
    pass
"""


def in_file(tmp_path: Path, name: str = "helper", value: str = "code/helpers.py") -> Any:
    data = pack_data(match="f($x)", edit={"wrap": "$x", "with": "helper($it)"})
    path = tmp_path / "pack.yaml"
    path.write_text(yaml.safe_dump(data | {"definitions": {name: value}}))
    return load(path)


def test_a_definition_stands_in_a_python_file(tmp_path: Path) -> None:
    (tmp_path / "code").mkdir()
    (tmp_path / "code" / "helpers.py").write_text(BESIDE)
    pack = in_file(tmp_path)
    assert pack.definitions["helper"] == (
        "@cached\ndef helper(x):\n    y = []\n    return hvd.size() * x  # not a type: a comment\n"
    )
    (tmp_path / "code" / "helpers.py").write_text("def helper(x):\n    return x\n")
    assert in_file(tmp_path).definitions["helper"] == "def helper(x):\n    return x\n"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (None, "code/helpers.py: cannot be read: No such file or directory"),
        (b"", "code/helpers.py: it defines no 'helper'"),
        (b"def other(): pass\nhelper = other\n", "it defines no 'helper'"),
        (b"if x:\n    def helper(): pass\n", "it defines no 'helper'"),
        (b"def helper(:\n", "it is not Python: invalid syntax (its line 1)"),
        (b"x = '\xff'\n", "it is not UTF-8 text"),
        (b"x = " + b"(" * 5000 + b")" * 5000 + b"\n", "it is not Python: "),
        (b"x = '\x00'\n", "it is not Python: source code string cannot contain null bytes"),
    ],
)
def test_what_is_wrong_with_the_python_file(tmp_path: Path, text: bytes | None, why: str) -> None:
    (tmp_path / "code").mkdir()
    if text is not None:
        (tmp_path / "code" / "helpers.py").write_bytes(text)
    problems = in_file(tmp_path)
    assert any(why in str(problem) for problem in problems), problems
    assert "pack.yaml" in str(problems[0])


def test_a_pipe_is_no_python_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "helpers.py")
    problems = in_file(tmp_path, value="helpers.py")
    assert any("it is no regular file" in str(problem) for problem in problems)


LATER = (
    ast.AnnAssign, ast.AsyncFunctionDef, ast.Await, ast.JoinedStr, ast.NamedExpr, ast.Nonlocal,
    ast.Starred, ast.YieldFrom,
)  # fmt: skip


def test_the_bundled_definitions_are_python_2_too() -> None:
    names = set()
    for path in [*bundled(), *parts()]:
        pack = load(path)
        assert isinstance(pack, Pack)
        for name, code in pack.definitions.items():
            names.add(name)
            assert "# type:" not in code
            for node in ast.walk(ast.parse(code)):
                assert not isinstance(node, LATER), name
                if isinstance(node, ast.FunctionDef):
                    assert node.returns is None
                    assert not node.args.kwonlyargs + node.args.posonlyargs
                if isinstance(node, ast.arg):
                    assert node.annotation is None
    assert {"NoWriter", "distribute_loaded", "name_as_keras"} <= names


@pytest.mark.parametrize("called", ["helper(1)", "other = helper\nother(1)"])
def test_a_definition_is_known_by_whatever_name(called: str) -> None:
    rule = {"where": [{"means": ["$f", "helper"]}], "edit": {"wrap": "$match", "with": "g($it)"}}
    assert "g(" in rewritten(f"{DEFINED}{called}\n", match="$f($x)", **rule)
    assert "g(" not in rewritten(f"{DEFINED}help(1)\n", match="$f($x)", **rule)
