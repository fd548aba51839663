"""A class that is named for one is known to be one; what nobody names stays unknown."""

from __future__ import annotations

import pytest
from repository import ADAM, OPTIMIZER, Repository, Write

from pinsetter.analyzer.facts import Facts
from pinsetter.analyzer.library import load
from pinsetter.analyzer.values.value import Certainty

MODULE = "torch.nn.Module"
NAMED = (MODULE, "torch.nn.Linear", "logging.Logger", "builtins.list")
PROVED, POSSIBLE, NO = Certainty.PROVED, Certainty.POSSIBLE, Certainty.NO


def isa(found: Repository, wanted: str = MODULE, named: tuple[str, ...] = NAMED) -> Certainty:
    evaluator = Facts(found.project, classes=named).evaluator
    return evaluator.isa(found.probe(), wanted, found.module())


@pytest.mark.parametrize(
    "code",
    [
        "import torch\nprobe(torch.nn.Sequential())",
        "import torch\nprobe(torch.nn.functional.relu(x))",
        "import torch\nprobe(torch.nn.Module.load(x))",
        "import torch\nm = torch.nn.Linear()\nprobe(m)",
        "import torch\nm = torch.nn.Module()\nprobe(m.child)",
        "import torch\nm = torch.nn.Module()\nprobe(m())",
        "import torch\nprobe(torch.nn)",
        "from own import Module\nprobe(Module())",
        "class Module: pass\nprobe(Module())",
        "def torch(): pass\nprobe(torch.nn.Module())",
        "def f(m: Module):\n    probe(m)",
        "import torch\ndef f(m: list[torch.nn.Module]):\n    probe(m)",
        "import torch\ndef f(m: 'list[torch.nn.Module]'):\n    probe(m)",
        "import torch\ndef f(m: torch.nn.Module | int):\n    probe(m)",
        "import torch\ndef f(m: type[torch.nn.Module]):\n    probe(m)",
        "import torch\ndef f(m: 'torch.nn Module'):\n    probe(m)",
        "import torch\ndef f(*m: torch.nn.Module):\n    probe(m)",
        "from torch.nn import *\nprobe(Sequential())",
        "from typing import Optional\ndef f(m: Optional):\n    probe(m)",
    ],
)
def test_what_is_no_instance(write: Write, code: str) -> None:
    assert isa(write(code)) is NO


@pytest.mark.parametrize(
    "code",
    [
        "import torch\nprobe(torch.nn.Module())",
        "import torch\nm = torch.nn.Module()\nprobe(m)",
        "import torch.nn as nn\nprobe(nn.Module(1, b=2))",
        "from torch.nn import Module as M\nm = M()\nprobe(m)",
        "from torch import nn\nclass Own(nn.Module): pass\nprobe(Own())",
        "from torch import nn\nclass Own:\n    def __init__(self):\n        self.m = nn.Module()\n"
        "    def f(self):\n        probe(self.m)",
        "from torch import nn\ndef make():\n    return nn.Module()\nprobe(make())",
        "import torch\ndef f(m: torch.nn.Module):\n    probe(m)",
        "import torch\ndef f(m: 'torch.nn.Module'):\n    probe(m)",
        "from torch.nn import Module\ndef f(m: Module = None):\n    probe(m)",
        "from torch import nn\nclass Own(nn.Module): pass\ndef f(m: 'Own'):\n    probe(m)",
    ],
)
def test_what_is_an_instance(write: Write, code: str) -> None:
    assert isa(write(code)) is PROVED
    assert isa(write(code), named=()) is not PROVED or "class Own" in code


@pytest.mark.parametrize(
    "annotation",
    ["Optional[torch.nn.Module]", "typing.Optional[torch.nn.Module]", "torch.nn.Module | None",
     "None | torch.nn.Module", "'Optional[torch.nn.Module]'", "Optional['torch.nn.Module']"],
)  # fmt: skip
def test_what_may_be_none_instead(write: Write, annotation: str) -> None:
    code = (
        f"import typing, torch\nfrom typing import Optional\ndef f(m: {annotation}):\n    probe(m)"
    )
    assert isa(write(code)) is POSSIBLE


def test_other_libraries(write: Write) -> None:
    found = write("import logging\nlog = logging.Logger('a')\nprobe(log)")
    assert isa(found, "logging.Logger") is PROVED
    assert isa(found, MODULE) is NO
    assert isa(write("probe(list())"), "builtins.list") is PROVED
    assert isa(write("import logging\nprobe(logging.getLogger())"), "logging.Logger") is PROVED


def test_what_the_library_knows_stays_as_it_is(write: Write) -> None:
    library = load()
    assert library.declaring([ADAM, "keras.optimizers.Adam", "tensorflow.Session"]) is library
    assert library.declaring(["tensorflow.function"]) is library
    found = write("import tensorflow as tf\nprobe(tf.keras.optimizers.Adam())")
    assert isa(found, OPTIMIZER, (ADAM, OPTIMIZER)) is PROVED


def test_naming_a_class_lists_no_module(write: Write) -> None:
    library = load().declaring(NAMED)
    assert not library.lists("torch.nn")
    assert library.lists("tensorflow.keras.optimizers")
    found = write("from torch.nn import *\nfrom own import *\nprobe(Sequential())")
    values = Facts(found.project, classes=NAMED).evaluator.evaluate(found.probe(), found.module())
    assert not values.complete


def test_what_tensorflow_1_had_keeps_its_bases() -> None:
    from pinsetter.analyzer.library.hierarchy import ClassHierarchy

    name = "tensorflow.contrib.opt.NadamOptimizer"
    hierarchy = ClassHierarchy(load().declaring([name]))
    assert hierarchy.isa(name, "tensorflow.compat.v1.train.Optimizer")
