"""Repository: a small repository on disk, and the questions that the tests ask of it.

Code marks the expression that a test is about with a call of ``probe``.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TypeAlias

from pinsetter.analyzer.facts import Facts
from pinsetter.analyzer.names.module import Module
from pinsetter.analyzer.names.project import Project
from pinsetter.analyzer.syntax.tree import Call, Expression
from pinsetter.analyzer.values.evaluator import Evaluator
from pinsetter.analyzer.values.uses import Use
from pinsetter.analyzer.values.value import Certainty, Values

ADAM = "tensorflow.keras.optimizers.Adam"
SGD = "tensorflow.keras.optimizers.SGD"
OPTIMIZER = "tensorflow.keras.optimizers.Optimizer"
MODEL = "tensorflow.keras.Model"


class Repository:
    """Files below ``folder``; a run is given the folder unless ``given`` names files in it."""

    def __init__(
        self, folder: Path, files: Mapping[str, str], given: Sequence[str] = ("",)
    ) -> None:
        self.folder = folder
        for name, text in files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(textwrap.dedent(text).encode("utf-8"))
        self.project = Project([folder / name for name in given])

    @cached_property
    def facts(self) -> Facts:
        return Facts(self.project)

    @property
    def evaluator(self) -> Evaluator:
        return self.facts.evaluator

    def module(self, file: str = "main.py") -> Module:
        module = self.project.module(self.folder / file)
        assert module is not None, self.project.problems
        return module

    def call(self, method: str, file: str = "main.py", nth: int = 0) -> Call:
        """The ``nth`` call of something of this name, in source order."""
        tree = self.module(file).tree
        found = [c for c in tree.calls if tree.source(c.callee).split(".")[-1] == method]
        return sorted(found, key=lambda c: tree.start(c.trailer))[nth]

    def probe(self, file: str = "main.py", nth: int = 0) -> Expression:
        return (self.call("probe", file, nth).arguments[0].value,)

    def values(self, file: str = "main.py", nth: int = 0) -> Values:
        return self.evaluator.evaluate(self.probe(file, nth), self.module(file))

    def names(self, file: str = "main.py", nth: int = 0) -> set[str]:
        return set(self.evaluator.names(self.probe(file, nth), self.module(file)))

    def isa(self, ancestor: str, file: str = "main.py", nth: int = 0) -> Certainty:
        return self.evaluator.isa(self.probe(file, nth), ancestor, self.module(file))

    def uses(self, method: str = "gradient", nth: int = 0, elements: bool = True) -> list[Use]:
        """Where the result of the ``nth`` call of ``method`` in main.py goes."""
        module = self.module()
        return self.facts.uses(self.call(method, nth=nth).expression, module, elements)

    def reaches(self, target: str = "apply_gradients", nth: int = 0) -> bool:
        """Whether the ``nth`` gradient is followed into an argument of ``target``."""
        return any(
            use.kind == "argument" and use.call is not None and use.call.method == target
            for use in self.uses(nth=nth)
        )


Write: TypeAlias = Callable[..., Repository]
