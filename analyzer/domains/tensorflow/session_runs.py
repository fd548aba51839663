"""SessionRuns: whether all that a program runs in sessions is seen, and nothing of it trains."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ...names.module import Module
from ...syntax.tree import Call, dotted
from ...values.questions import Evaluator

# Methods that are given a session, and train nothing in it.
_KNOWN_WITH_SESSION = {"restore", "save", "eval", "start_queue_runners", "append"}


class SessionRuns:
    """What a project's programs run in sessions. ``may_train`` says of a call whether it trains, or
    not enough is known of it."""

    def __init__(self, evaluator: Evaluator, may_train: Callable[[Call, Module], bool]) -> None:
        self.evaluator = evaluator
        self._may_train = may_train
        # Hundreds of programs may share a module.
        self._training: dict[int, bool] = {}
        self._handing: dict[int, bool] = {}

    def only_compute(
        self, modules: Sequence[Module], may_run: Callable[[Module, int], bool]
    ) -> bool:
        """Whether a program of these modules, which may run no more than some places, runs
        something in a session, and what it runs is seen to compute only."""
        found = 0
        for module in modules:
            calls = {id(call.callee[-1].children[-1]): call for call in module.tree.calls_of("run")}
            for leaf in module.leaves_of("run"):
                if may_run(module, module.tree.start(leaf)):
                    call = calls.get(id(leaf))
                    if call is None or self._trains(call, module):
                        return False
                    found += 1
        return found > 0 and not any(map(self._hands_on_in, modules))

    def _trains(self, call: Call, module: Module) -> bool:
        key = id(call.trailer)
        if key not in self._training:
            self._training[key] = self._may_train(call, module)
        return self._training[key]

    def _hands_on_in(self, module: Module) -> bool:
        if id(module) not in self._handing:
            found = any(self._hands_on(call, module) for call in module.tree.calls)
            self._handing[id(module)] = found
        return self._handing[id(module)]

    def _hands_on(self, call: Call, module: Module) -> bool:
        """Whether a session is given to code that is not seen."""
        given = [a for a in call.arguments if "sess" in "".join(dotted((a.value,))).lower()]
        if not given or call.method in _KNOWN_WITH_SESSION:
            return False
        names = self.evaluator.names(call.callee, module)
        own = self.evaluator.definitions
        return not names or not all(n in own or n.startswith("tensorflow.") for n in names)
