"""Start code stands after the TensorFlow imports and before what may already use TensorFlow."""

import sys
from pathlib import Path

import pytest
from snippets import rewritten

from pinsetter.analyzer.facts import Facts
from pinsetter.analyzer.names.project import Project
from pinsetter.patterns.matching.start import libraries_of, start_of
from pinsetter.patterns.packs import pack as packs
from pinsetter.patterns.packs import pack_files
from pinsetter.patterns.packs.pack import Pack

ROOT = "file_input< any* >"


def started(code: str) -> str:
    return rewritten(code, query=ROOT, edit={"insert": "START", "place": "start"})


@pytest.mark.parametrize(
    ("head", "rest"),
    [
        ("import tensorflow as tf\n", "x = 1\n"),
        ("from tensorflow import keras\n", ""),
        ("import os\nos.environ['A'] = 'b'\nimport tensorflow\n", "x = 1\n"),
        (
            "import tensorflow as tf\nimport os\nfrom tensorflow import keras\nimport sys\n",
            "x = 1\n",
        ),
        ("import tensorflow as tf\nimport os\n\n# more\nimport sys\n", "\nx = 1\nimport re\n"),
        ("try:\n    import tensorflow as tf\nexcept ImportError:\n    tf = None\n", "x = 1\n"),
        ("import tensorflow as tf; x = 1\n", "y = 2\n"),
        ('"""Text."""\nfrom __future__ import division\nimport os\n', "x = 1\n"),
        ('"""Text."""\n', "x = 1\n"),
        ("#!/usr/bin/env python\n# -*- coding: utf-8 -*-\n", "x = 1\n"),
        ("\ufeff", "x = 1\n"),
        ("\ufeffimport tensorflow\n", "x = 1\n"),
        ("# only a comment\n", ""),
        ("", ""),
    ],
)
def test_where_a_script_starts(head: str, rest: str) -> None:
    apart = "\n" if head.strip("\ufeff") else ""
    assert started(head + rest) == f"{head}{apart}START\n{rest}"


def test_a_function_s_own_import_is_no_start() -> None:
    code = "def f():\n    import tensorflow\n"
    assert started(code) == "START\n" + code


def test_line_ends_are_the_file_s() -> None:
    assert started("import tensorflow\r\nx = 1\r\n") == (
        "import tensorflow\r\n\r\nSTART\r\nx = 1\r\n"
    )
    assert started("import tensorflow") == "import tensorflow\nSTART"


@pytest.mark.parametrize(
    ("head", "rest"),
    [
        ("import plain\n", "import models\nimport tensorflow\n"),
        ("import tensorflow\nimport os\n", "import plain\nimport re\n"),
        ("import tensorflow\nimport plain\nfrom tensorflow import keras\nimport re\n", "x = 1\n"),
        ("import tensorflow\nimport os\n", "import models\nfrom tensorflow import keras\n"),
        ("import inert\nimport tensorflow\nimport inert\nimport re\n", "import plain\n"),
        ("import inert\n\n", "import models\n"),
        ("x = 1\nimport os\nimport inert\nimport re\n", "x = 1\n"),
        ("x = 1\nimport os\nimport inert\n", "\nimport plain\n"),
        ("if x:\n    y = 1\nimport inert\n\nimport inert\n", "z = 1\nimport inert\n"),
        ("", "import inert\nimport models\n"),
        ("import os\nimport inert\n", "\nimport plain\n"),
        # What stands line by line together stays together.
        ("import tensorflow\n", "import inert\nimport plain\n"),
        ("import tensorflow\n", "import inert\nimport models\n"),
        ("import tensorflow\n\nimport inert\n", "\nimport inert\nimport models\n"),
        ("import tensorflow\nimport inert\n", "# Why.\nimport models\n"),
        ("import os\n\n", "import inert\nimport models\n"),
        ("import os\n", "import inert\nimport plain\n"),
        ("import inert\nimport tensorflow\n", "import models\n"),
    ],
)
def test_where_a_script_that_imports_its_own_modules_starts(
    head: str, rest: str, tmp_path: Path
) -> None:
    (tmp_path / "plain.py").write_text("import os\nSIZE = os.getpid()\n")
    (tmp_path / "layers.py").write_text("import tensorflow as tf\n")
    (tmp_path / "models.py").write_text("from layers import *\nmodel = make()\n")
    (tmp_path / "inert.py").write_text("from layers import *\ndef f(): make()\n")
    main = tmp_path / "main.py"
    main.write_text(head + rest)
    project = Project([main])
    assert main.read_text()[: start_of(project.given[0], Facts(project))] == head


def test_a_byte_order_mark_stays_first(tmp_path: Path) -> None:
    (tmp_path / "models.py").write_text("import tensorflow as tf\nmodel = make()\n")
    main = tmp_path / "main.py"
    main.write_text("\ufeffimport models\n", encoding="utf-8")
    project = Project([main])
    assert start_of(project.given[0], Facts(project)) == 1


@pytest.mark.parametrize(
    "path", sorted(pack_files.bundled()[0].parent.glob("tf*.yaml")), ids=lambda path: path.stem
)
def test_python_s_own_modules_are_no_library_of_a_pack(path: Path) -> None:
    """What a program sets in os.environ before it imports TensorFlow comes first."""
    pack = packs.load(path)
    assert isinstance(pack, Pack)
    assert "horovod" in libraries_of(pack)
    assert libraries_of(pack).isdisjoint(sys.stdlib_module_names)


@pytest.mark.parametrize("code", [
    "import shutil\nshutil.rmtree('x')\n", "import json\njson.dump({}, f)\n", "print(f())\n",
    "import numpy as np\nnp.save('x', 1)\n", "from pathlib import Path\nPath('x').mkdir()\n",
    "import importlib\nimportlib.import_module('x')\n", "open('x', 'w')\n",
    "registry.register(1)\n", "def f(): print('x')\nf()\n",
])  # fmt: skip
def test_what_acts_when_it_is_imported_comes_behind_the_start(tmp_path: Path, code: str) -> None:
    (tmp_path / "acts.py").write_text(code)
    main = tmp_path / "main.py"
    main.write_text("import tensorflow as tf\nimport acts\n")
    project = Project([main])
    module = project.module(main)
    assert module is not None
    start = start_of(module, Facts(project))
    assert module.source.text[start:] == "import acts\n"
    (tmp_path / "acts.py").write_text("n = int('3')\n")
    project = Project([main])
    module = project.module(main)
    assert module is not None
    assert start_of(module, Facts(project)) == len(module.source.text)
