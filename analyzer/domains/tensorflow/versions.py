"""Versions: which TensorFlow a module is written for, told by the names it uses."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from typing import TYPE_CHECKING, Literal

from ...library import Library, load
from ...names.module import Module
from ...syntax.tree import dotted
from ...values.questions import Evaluator

if TYPE_CHECKING:
    from ...facts import Facts

_FIRST = "tensorflow.compat.v1."
_RELEASES = ("tensorflow-2.15", "tensorflow-1.15")
_ONLY_FIRST = ("tensorflow.contrib.", "tensorflow.examples.")


def versions(facts: Facts) -> Versions:
    """Which TensorFlow a project's modules are written for."""
    return Versions(facts.evaluator)


def first_release(evaluator: Evaluator) -> Callable[[Iterable[Module]], bool]:
    """Whether modules are written for TensorFlow 1."""
    known = Versions(evaluator)
    return lambda modules: known.of(modules) == 1


class Versions:
    """Answers for the modules of one project; what a module uses is looked up once."""

    def __init__(self, evaluator: Evaluator) -> None:
        self.evaluator = evaluator
        self._names: dict[int, frozenset[str]] = {}
        self._of: dict[tuple[int, ...], Literal[1, 2] | None] = {}

    def of(self, modules: Iterable[Module]) -> Literal[1, 2] | None:
        """1 if one of the modules uses a plain name that only TensorFlow 1 has, else 2 if one uses
        a name that only TensorFlow 2 has; None if nothing tells."""
        asked = list(modules)
        key = tuple(map(id, asked))
        if key not in self._of:
            self._of[key] = self._written_for(asked)
        return self._of[key]

    def _written_for(self, modules: list[Module]) -> Literal[1, 2] | None:
        names = set[str]().union(*map(self._spelled, modules))
        if any(map(self._is_first, names)):
            return 1
        return 2 if any(map(_is_second, names)) else None

    def _is_first(self, name: str) -> bool:
        if name.startswith(_FIRST):
            return False
        if name.startswith(_ONLY_FIRST):
            return True
        return self.evaluator.library.canonical(name).startswith(_FIRST) and not _library(
            _RELEASES[0]
        ).canonical(name).startswith(_FIRST)

    def _spelled(self, module: Module) -> frozenset[str]:
        """What a module imports and calls, as if it knew `tensorflow` under its own name."""
        found = self._names.get(id(module))
        if found is None:
            names = {f"{t.module}." for _, t in module.imports if not t.level}
            for call in module.tree.calls:
                rest = dotted(call.callee)[1:]
                if rest and "tensorflow" in self.evaluator.names(call.callee[:1], module):
                    names.add(".".join(("tensorflow", *rest)))
            found = self._names[id(module)] = frozenset(names)
        return found


def _is_second(name: str) -> bool:
    if name.startswith(_FIRST):
        return True
    first, second = _library(_RELEASES[1]), _library(_RELEASES[0])
    return any(name in kind for kind in (second.classes, second.functions)) and not any(
        first.canonical(name) in kind for kind in (first.classes, first.functions)
    )


@cache
def _library(name: str) -> Library:
    return load(name)
