"""FittedModels: calls of ``fit`` and the like that train a model of Keras.

Of what a call is on often nothing is known: a library made it, or a class with a base of one. What
it is given then tells, or that the same object is compiled; other libraries have a ``fit``, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cached_property
from itertools import islice

from ...names.module import Module
from ...syntax.tree import Call, Expression, leaves, outer_call
from ...values.questions import Evaluator, Place, contents, foreign, sources, unresolved

MODEL = "tensorflow.keras.Model"
FITS = {"fit", "fit_generator", "train_on_batch"}
_CALLBACK = "tensorflow.keras.callbacks.Callback"
# Keywords that no other library's `fit` has.
_KEYWORDS = {"epochs", "nb_epoch", "steps_per_epoch", "validation_split", "validation_data"}
# Without a word of these nothing trains with TensorFlow.
_LIBRARIES = re.compile(r"tensorflow|keras|tf_slim", re.IGNORECASE)
_CALLBACKS = 16


class FittedModels:
    """Answers for one project."""

    def __init__(self, evaluator: Evaluator) -> None:
        self.evaluator = evaluator
        self._speaking: dict[int, bool] = {}

    def speaks(self, module: Module) -> bool:
        """Whether a module speaks of TensorFlow or Keras, be it in a name."""
        key = id(module)
        if key not in self._speaking:
            self._speaking[key] = _LIBRARIES.search(module.tree.text) is not None
        return self._speaking[key]

    def is_fit(self, call: Call, module: Module) -> bool:
        """Whether a call of one of ``FITS`` trains a model of Keras, for all that is known."""
        if self._is_own(call, module):
            return False  # what it does shows by itself
        if self.evaluator.isa(call.receiver, MODEL, module):
            return True
        if not self.may_be_model(call.receiver, module):
            return False
        if call.method != "fit" or has_keyword(a.name for a in call.arguments):
            return True
        if call.argument("epochs", 3) is not None:
            return True
        return self._has_callbacks(call, module) or self._is_compiled(call.receiver, module)

    def may_be_model(self, receiver: Expression, module: Module) -> bool:
        """Whether a module speaks of Keras, and nothing is known of the receiver, or only that a
        library has it of which nothing is."""
        if not self.speaks(module):
            return False
        known = self.evaluator.evaluate(receiver, module).known
        if any(not value.instance and foreign(value, self.evaluator) for value in known):
            return True
        return unresolved(receiver, module, self.evaluator)

    def _has_callbacks(self, call: Call, module: Module) -> bool:
        """Whether a callback of Keras is among those given: other libraries have some, too."""
        given = call.argument("callbacks")
        held = contents((given.value,), module, self.evaluator) if given is not None else ()
        return any(
            self.evaluator.isa(nodes, _CALLBACK, where)
            for one in islice(held, _CALLBACKS)
            for nodes, where in one.sources
        )

    def _is_compiled(self, receiver: Expression, module: Module) -> bool:
        """Whether what may be the same object is compiled, as models of Keras are before."""
        text = module.tree.source(receiver)
        if any(where is module and text == other for other, where, _ in self._compiled):
            return True
        if not self._compiled:
            return False
        made = _made(sources(receiver, module, self.evaluator))
        return any(not made.isdisjoint(others) for _, _, others in self._compiled)

    @cached_property
    def _compiled(self) -> list[tuple[str, Module, set[int]]]:
        """What is compiled: its code, the module, and the calls that it comes from."""
        return [
            (
                module.tree.source(call.receiver),
                module,
                _made(sources(call.receiver, module, self.evaluator)),
            )
            for module in self.evaluator.modules
            for call in module.tree.calls_of("compile")
        ]

    def _is_own(self, call: Call, module: Module) -> bool:
        """Whether the method is one of the repository that does not call that of its base class."""
        names = self.evaluator.names(call.callee, module)
        own = [self.evaluator.definitions.get(name) for name in names]
        return bool(own) and all(
            method is not None
            and method.scope.kind == "function"
            and all(leaf.value != "super" for leaf in leaves(method.scope.node))
            for method in own
        )


def has_keyword(names: Iterable[str | None]) -> bool:
    """Whether one of the names is a keyword of Keras' ``fit`` alone."""
    return not _KEYWORDS.isdisjoint(names)


def _made(places: Iterable[Place]) -> set[int]:
    """The calls among places."""
    calls = (outer_call(nodes) for nodes, _ in places)
    return {id(call.trailer) for call in calls if call is not None}
