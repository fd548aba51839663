"""TrainedSessions: which sessions training steps are run in, for all that is known."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from ...library.declared import first_name
from ...names.module import Module
from ...programs.domain import TrainingSite
from ...syntax.tree import LN, Call, calls_in_power
from ...values.questions import Evaluator, Use, follow, origins

# What they give runs something when it is called.
_RUN_LATER = {"make_callable", "partial_run", "partial_run_setup"}
_OF_SESSIONS = frozenset({"run", "close", "as_default", "list_devices", *_RUN_LATER})
_DEFAULT_SESSION = {"tensorflow.get_default_session"}
_Asked = Callable[[Call, Module], bool]


class TrainedSessions:
    """``runs_step``: whether a call of ``run`` runs a training step, or what is called like one;
    ``may_train``: or something of which it is not known."""

    def __init__(self, evaluator: Evaluator, runs_step: _Asked, may_train: _Asked) -> None:
        self.evaluator = evaluator
        self._runs_step = runs_step
        self._may_train = may_train

    def is_trained_in(self, session: TrainingSite, modules: Iterable[Module]) -> bool:
        """Whether a session is seen to run what may be a training step, or is given to something
        that is not followed, or such a step is run in what may be the default session."""
        uses = self._uses(session.node, session.module)
        return any(self._may_train_with(use) for use in uses) or any(
            self._runs_step(call, module) and self._runs_in_default(call, module)
            for module in modules
            for call in module.tree.calls_of("run")
        )

    def only_compute(
        self,
        sessions: Iterable[TrainingSite],
        modules: Iterable[Module],
        may_run: Callable[[Module, int], bool],
    ) -> bool:
        """Whether a program of these modules, which may run no more than some places, runs
        something in its sessions, what it runs is seen to compute only, and nobody else may run
        something in them."""
        found = 0
        for module in modules:
            calls = {id(call.callee[-1].children[-1]): call for call in module.tree.calls_of("run")}
            for leaf in module.leaves_of("run"):
                if may_run(module, module.tree.start(leaf)):
                    call = calls.get(id(leaf))
                    if call is None or self._may_train(call, module):
                        return False
                    found += 1
        return found > 0 and not any(
            self._may_train_with(use)
            for session in sessions
            for use in self._uses(session.node, session.module)
        )

    def may_run_step(self, session: Call, module: Module) -> bool:
        """Whether a session that a call makes runs something of which it is not known whether that
        is a training step."""
        return any(
            use.kind == "receiver"
            and use.call is not None
            and self._may_train(use.call, use.module)
            for use in self._uses(session.trailer, module)
        )

    def _uses(self, made: LN, module: Module) -> list[Use]:
        (call,) = (call for call in calls_in_power(made.parent) if call.trailer is made)
        return list(follow(call.expression, module, self.evaluator, _OF_SESSIONS, False))

    def _may_train_with(self, use: Use) -> bool:
        call = use.call
        if use.kind == "receiver" and call is not None:
            return call.method in _RUN_LATER or (
                call.method == "run" and self._runs_step(call, use.module)
            )
        if use.kind != "argument" or call is None:
            return True
        if call.method == "eval":  # of a tensor
            return self._runs_step(call, use.module)
        # What is known of the repository's own functions is where it goes in them.
        called = [(call.callee, use.module)]
        if not self.evaluator.names(*called[0]):
            made = origins(call.receiver, use.module, self.evaluator)
            called = [(maker.callee, where) for maker, where in made]
        names = [name for place in called for name in self.evaluator.names(*place)]
        own = self.evaluator.definitions
        return not names or not all(
            name in own or first_name(name).startswith(("tensorflow.", "builtins."))
            for name in names
        )

    def _runs_in_default(self, call: Call, module: Module) -> bool:
        """Whether a call is ``operation.run()``, or one of ``get_default_session().run``."""
        if call.argument("fetches", 0) is None:
            return True
        return any(
            first_name(name) in _DEFAULT_SESSION
            for made, where in origins(call.receiver, module, self.evaluator)
            for name in self.evaluator.names(made.callee, where)
        )
