"""Which training API code uses, and the places that show it.

Some calls train by themselves, as ``fit``. Others do only together: a session trains if something
in its program makes a training step for it; a session that is made to configure Keras, to restore,
or to evaluate does not.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import replace
from itertools import islice

from fissix.pgen2 import token
from fissix.pygram import python_symbols as symbols

from ...library.declared import first_name, moved
from ...names.module import Module
from ...names.scopes import Scope
from ...programs.domain import TrainingSite
from ...programs.entry import has_test_cases
from ...syntax.tree import (
    LN,
    Call,
    Expression,
    dotted,
    flat,
    is_name,
    outer_call,
    unwrap,
)
from ...values.questions import (
    Content,
    Evaluator,
    contents,
    origins,
    possible_calls,
    reaching,
    sources,
    unresolved,
)
from .fitted_models import FITS, MODEL, FittedModels, has_keyword
from .hand_made_updates import ASSIGN, TAPE_UPDATE, HandMadeUpdates
from .joined_operations import joined
from .read_methods import read_methods
from .run_by_fit import RunByFit
from .switched_off import never_reached
from .trained_sessions import TrainedSessions

GRADIENT_TAPE = "gradient_tape"
# Where a tape computes gradients, and no optimizer applies them: variables that something is
# subtracted from, which is not seen to be made of them.
VARIABLE_UPDATES = "variable_updates"
# Keras optimizers whose minimize() computes the gradients with a tape of its own.
MINIMIZE = "minimize"
KERAS = "keras"
SESSION = "session"
MONITORED_SESSION = "monitored_session"
ESTIMATOR = "estimator"

# What is no training by itself, but makes something else training, or shows that it is none.
_TAPE = "tape"
_GRADIENTS = "gradients"  # computed in a graph
_ELSEWHERE = "elsewhere"  # what takes gradients, and sets variables in a way of its own
_STEP = "step"  # an operation of a graph that trains
_BORROWED_SESSION = "borrowed session"
_CONFIGURING_SESSION = "configuring session"
_PLAIN_MONITORED_SESSION = "plain monitored session"
_BACKEND = "backend"  # updates for a function of Keras's backend
_ESTIMATOR_MADE = "estimator made"
_ESTIMATOR_USED = "estimator used"

_KERAS_OPTIMIZERS = (
    "tensorflow.keras.optimizers.Optimizer",
    "tensorflow.keras.optimizers.legacy.Optimizer",
)
_FIRST_OPTIMIZER = "tensorflow.compat.v1.train.Optimizer"
_OPTIMIZERS = (*_KERAS_OPTIMIZERS, _FIRST_OPTIMIZER)
_ESTIMATOR_CLASS = "tensorflow.compat.v1.estimator.Estimator"
_ASSIGNING = ("assign", "assign_add", "assign_sub")
_UPDATES = "get_updates"
_STEP_METHODS = {"minimize", "compute_gradients"}
# Classes whose making shows something; a subclass shows the same.
_CLASSES = {
    "tensorflow.compat.v1.Session": SESSION,
    "tensorflow.compat.v1.InteractiveSession": SESSION,
    "tensorflow.compat.v1.train.Supervisor": SESSION,
    "tensorflow.compat.v1.train.MonitoredSession": _PLAIN_MONITORED_SESSION,
    "tensorflow.compat.v1.train.SingularMonitoredSession": _PLAIN_MONITORED_SESSION,
    _ESTIMATOR_CLASS: _ESTIMATOR_MADE,
}
# Functions, and classes that are not recorded. TensorFlow 1's names are without `compat.v1`.
_FUNCTIONS: dict[str, tuple[str, ...]] = {
    "tensorflow.GradientTape": (_TAPE,),
    "tensorflow.contrib.eager.implicit_gradients": (_TAPE,),
    "tensorflow.contrib.eager.implicit_value_and_gradients": (_TAPE,),
    "tensorflow.contrib.eager.gradients_function": (_TAPE,),
    "tensorflow.contrib.eager.value_and_gradients_function": (_TAPE,),
    "tensorflow.gradients": (_GRADIENTS,),
    "tensorflow.assign": (ASSIGN,),
    "tensorflow.assign_add": (ASSIGN,),
    "tensorflow.assign_sub": (ASSIGN,),
    "tensorflow.python.client.session.Session": (SESSION,),
    "tensorflow.python.client.session.InteractiveSession": (SESSION,),
    "tensorflow.train.SessionManager": (SESSION,),
    "tensorflow.train.MonitoredTrainingSession": (MONITORED_SESSION,),
    "tensorflow.keras.backend.get_session": (_BORROWED_SESSION,),
    "tensorflow.contrib.keras.backend.get_session": (_BORROWED_SESSION,),
    "tensorflow.estimator.train_and_evaluate": (ESTIMATOR,),
    "tensorflow.contrib.learn.learn_runner.run": (ESTIMATOR,),
    "tensorflow.contrib.training.train": (MONITORED_SESSION,),
    "tensorflow.contrib.training.create_train_op": (_STEP,),
    "tensorflow.contrib.layers.optimize_loss": (_STEP,),
    "tensorflow.contrib.slim.learning.create_train_op": (_STEP,),
    "tensorflow.contrib.slim.learning.train": (SESSION, _STEP),
    "tf_slim.learning.create_train_op": (_STEP,),
    "tf_slim.learning.train": (SESSION, _STEP),
    "tensorflow.contrib.opt.ScipyOptimizerInterface": (_ELSEWHERE, _GRADIENTS),
    "tensorflow_probability.optimizer.lbfgs_minimize": (_ELSEWHERE,),
    "tensorflow_probability.optimizer.bfgs_minimize": (_ELSEWHERE,),
    "scipy.optimize.minimize": (_ELSEWHERE,),
    "scipy.optimize.fmin_l_bfgs_b": (_ELSEWHERE,),
    "scipy.optimize.fmin_bfgs": (_ELSEWHERE,),
    "scipy.optimize.fmin_cg": (_ELSEWHERE,),
}
_CALLED = frozenset(
    {
        *_FUNCTIONS, *map(moved, _FUNCTIONS), *_CLASSES, *_STEP_METHODS, *FITS,
        "apply_gradients", "apply", _UPDATES, *_ASSIGNING, "train", "evaluate", "predict",
    }
)  # fmt: skip
_TRAINING_METHODS = {*_STEP_METHODS, *_ASSIGNING, "apply_gradients"}
# What trains when it is run; a graph's step does so when a session runs it.
_STEPS = {GRADIENT_TAPE, KERAS, ESTIMATOR, MINIMIZE, TAPE_UPDATE}
_BARE_SESSIONS = {SESSION, _PLAIN_MONITORED_SESSION, _BORROWED_SESSION, _CONFIGURING_SESSION}
# What runs the updates of an optimizer of Keras that something makes for it.
_OTHERS_RUN = {
    *_BARE_SESSIONS, MONITORED_SESSION, ESTIMATOR, _ESTIMATOR_MADE, _ESTIMATOR_USED
}  # fmt: skip
# What gives the data, and what is run before that.
_OF_ITERATORS = {("get_next",), ("initializer",)}
_FETCHES = 16
_RUNNERS = {"subprocess", "asyncio", "absl"}
_COMPUTED = {symbols.arith_expr, symbols.term, symbols.factor, symbols.comparison}
_STEP_NAME = re.compile(r"train|optimi[sz]e|minimize|update_op|apply_grad", re.IGNORECASE)
# What else belongs to training is called so: `train_loss`, `pretrain_accuracy`, `training_init_op`.
_NO_STEP_NAME = re.compile(
    r"(?:^|_)(?:loss(?:es)?|costs?|acc|accuracy|err(?:ors?)?|metrics?|scores?|rewards?|preds?"
    r"|predictions?|logits|summar(?:y|ies)|merged|writer|init|initiali[sz]er|iterator|data|dataset"
    r"|batch|images?|labels?|inputs?|x|y|rate|lr|phase)(?:_|$)",
    re.IGNORECASE,
)
_SET_SESSION = {
    "tensorflow.keras.backend.set_session",
    "tensorflow.contrib.keras.backend.set_session",
}


class TrainingSites:
    """The training sites of a project's modules, and of modules together as a program."""

    def __init__(self, evaluator: Evaluator) -> None:
        self.evaluator = evaluator
        self.models = FittedModels(evaluator)
        self.sessions = TrainedSessions(evaluator, self.runs_step, self.may_train)
        self._memo: dict[int, list[TrainingSite]] = {}
        self._read: dict[int, list[TrainingSite]] = {}
        self._steps: dict[int, list[LN]] = {}
        self._running: dict[int, set[int]] = {}
        self._made_run: dict[int, list[LN]] = {}
        self._updates = HandMadeUpdates(evaluator)
        self.by_fit = RunByFit(evaluator)
        self._configuring: set[int] | None = None

    def seen_in(self, module: Module) -> list[TrainingSite]:
        """What one module shows, also what is no training by itself."""
        if id(module) not in self._memo:
            calls = possible_calls(module, _CALLED, self.evaluator, below=True)
            found = [site for call in calls for site in self._sites(call, module)]
            self._memo[id(module)] = [*found, *self.read_in(module)]
        return self._memo[id(module)]

    def read_in(self, module: Module) -> list[TrainingSite]:
        """Where a module reads a method that trains, and calls it by another name if at all."""
        found = self._read.get(id(module))
        if found is None:
            read = read_methods(module, self.evaluator, self._trains)
            found = self._read[id(module)] = [TrainingSite(kind, module, n) for kind, n in read]
        return found

    def _trains(
        self, method: str, receiver: Expression, keywords: Collection[str], module: Module
    ) -> str | None:
        """How what is called, if it is called, trains with such a receiver."""
        known = not self.models.may_be_model(receiver, module)
        if method in FITS:
            looks = not known and (method != "fit" or has_keyword(keywords))
            return KERAS if looks or self.evaluator.isa(receiver, MODEL, module) else None
        if self.evaluator.isa(receiver, _FIRST_OPTIMIZER, module):
            return _STEP
        unknown = method == "apply_gradients" and not known
        if unknown or self._is_keras_optimizer(receiver, module):
            return MINIMIZE if method == "minimize" else GRADIENT_TAPE
        return None

    def steps_in(self, module: Module) -> list[LN]:
        """The calls of a module that make the program train when they run: updates, ``fit``, and
        what runs a graph's training step."""
        found = self._steps.get(id(module))
        if found is None:
            read = {id(site) for site in self.read_in(module)}
            seen = [site for site in self.seen_in(module) if id(site) not in read]
            found = [site.node for site in seen if site.api in _STEPS]
            runs = module.tree.calls_of("run")
            found += [c.trailer for c in runs if self.runs_step(c, module)]
            self._steps[id(module)] = found
        return found

    def updates_in(self, module: Module) -> list[LN]:
        """Those of the steps that update variables, and do not only compute gradients."""
        only = {
            id(call.trailer)
            for call in module.tree.calls_of("run")
            if self._only_gradients(call, module)
        }
        return [step for step in self.steps_in(module) if id(step) not in only]

    def _only_gradients(self, call: Call, module: Module) -> bool:
        steps = [held for held in self._run_by(call, module) if self._may_be_step(held)]
        return bool(steps) and all(self._computes_gradients(held) for held in steps)

    def _computes_gradients(self, held: Content) -> bool:
        made = [(call, where) for source, where in held.sources if (call := outer_call(source))]
        steps = [call.method for call, where in made if self._is_step(call, where)]
        return bool(steps) and set(steps) == {"compute_gradients"}

    def runs_step(self, call: Call, module: Module) -> bool:
        """Whether a call of ``run`` is ``session.run(step)`` or ``step.run()``."""
        return any(self._may_be_step(held) for held in self._run_by(call, module))

    def _run_by(self, call: Call, module: Module) -> Iterator[Content]:
        """What a ``run`` may run: what it is called on, or its fetches."""
        yield from contents(call.receiver, module, self.evaluator)
        fetches = call.argument("fetches", 0)
        if fetches is not None:
            asked = _without_items(fetches.value)
            yield from islice(contents(asked, module, self.evaluator), _FETCHES)

    def _may_be_step(self, held: Content) -> bool:
        made = [(call, where) for source, where in held.sources if (call := outer_call(source))]
        if any(self._runs_step_with(step, where) for step, where in made):
            return True
        unknown = [place for place in held.sources if outer_call(place[0]) is None]
        if not unknown or all(self._is_part_of_computed(*place) for place in unknown):
            return False
        # Nothing is known of it but what it is called.
        names = dotted(held.expression)
        return bool(names) and _is_called_step(names[-1])

    def _is_part_of_computed(self, source: Expression, module: Module) -> bool:
        """Whether a name is one of several things that a function of TensorFlow gives, as the
        figure and the update of a metric."""
        nodes = unwrap(source)
        if len(nodes) != 1 or not is_name(nodes[0]):
            return False
        found = reaching(nodes[0], module)
        return bool(found) and all(
            binding.kind == "assign"
            and binding.element
            and not self._is_of_own_function(binding.value, module)
            and self._only_computes(binding.value, module)
            for binding in found
        )

    def _is_of_own_function(self, value: Expression, module: Module) -> bool:
        """Whether a function of the repository gives it, and may give a step with it."""
        call = outer_call(value)
        names = self.evaluator.names(call.callee, module) if call is not None else ()
        return any(name in self.evaluator.definitions for name in names)

    def _runs_step_with(self, call: Call, module: Module) -> bool:
        """Whether running what a call makes runs a step: that itself, or one that it is joined
        with, as ``tf.no_op()`` is with what it has to wait for."""
        waiting, seen = [(call, module)], set[int]()
        while waiting:
            made, where = waiting.pop()
            if self._is_step(made, where):
                return True
            for given in joined(made, where, self.evaluator):
                for held in islice(contents(given, where, self.evaluator), _FETCHES):
                    for source, there in held.sources:
                        inner = outer_call(source)
                        if inner is not None and id(inner.trailer) not in seen:
                            seen.add(id(inner.trailer))
                            waiting.append((inner, there))
        return False

    def may_train(self, call: Call, module: Module) -> bool:
        """Whether a call is ``session.run(…)`` or ``operation.run()`` of something that trains, or
        of which not enough is known to say that it does not."""
        if call.method != "run":
            return False
        if any(n.partition(".")[0] in _RUNNERS for n in self.evaluator.names(call.callee, module)):
            return False
        if self.runs_step(call, module):
            return True
        fetches = call.argument("fetches", 0)
        if fetches is None:
            return False
        found = contents((fetches.value,), module, self.evaluator)
        return not all(
            self._only_computes(*place) or self._is_part_of_computed(*place)
            for held in found
            for place in held.sources
        )

    def _only_computes(self, source: Expression, module: Module) -> bool:
        """Whether where an expression comes from is a tensor that some function of TensorFlow
        gives, or the name of one."""
        if dotted(source)[-1:] in _OF_ITERATORS:
            return True
        call = outer_call(source)
        if call is None:
            node = unwrap(source)[0]
            return node.type in _COMPUTED or node.type == token.STRING
        if (call.method,) in _OF_ITERATORS and not self.evaluator.names(call.callee, module):
            return True
        names = self.evaluator.names(call.callee, module)
        own = self.evaluator.definitions
        return (
            bool(names)
            and all(first_name(name).startswith("tensorflow.") or name in own for name in names)
            and not any(name.rpartition(".")[2] in _TRAINING_METHODS for name in names)
            and not ({ASSIGN} & set(self._kinds(call, module)))
        )

    def of_program(self, modules: Iterable[Module]) -> tuple[TrainingSite, ...]:
        """The sites that train where ``modules`` are one program, the entry script first.

        What an imported module does under its ``__main__`` guard makes no mixture.
        """
        modules = list(modules)
        if not any(self.models.speaks(module) for module in modules):
            return ()
        seen = [site for module in modules for site in self.seen_in(module)]
        sites = self._training(seen, modules)
        if len({site.api for site in sites}) > 1:
            own = [s for s in seen if s.module is modules[0] or not s.module.is_guarded(s.node)]
            return self._training(own, modules) or sites
        return sites

    def run_by_program(
        self, modules: Iterable[Module], may_run: Callable[[Module, int], bool]
    ) -> tuple[TrainingSite, ...]:
        """The sites that train in such a program, where it may run no more than some places."""
        modules = list(modules)
        seen = [site for module in modules for site in self.seen_in(module)]
        ran = [
            s for s in seen
            if may_run(s.module, s.module.tree.start(s.node))
            and not never_reached(s.node, s.module, self.evaluator, may_run)
        ]  # fmt: skip
        sites = self._training(ran, modules)
        steps = {id(site.node) for site in ran if site.api == _STEP}
        if any(site.api != SESSION or id(site.node) in steps for site in sites):
            return sites
        return () if self.sessions.only_compute(sites, modules, may_run) else sites

    def run_by_unknown(
        self, modules: Iterable[Module], may_run: Callable[[Module, int], bool]
    ) -> tuple[TrainingSite, ...]:
        """Where such a program, of which nothing is known that trains, has something that is not
        known run a training step, as a session of another library, or SciPy's optimizers."""
        entry, *others = modules
        speaking = [module for module in (entry, *others) if self.models.speaks(module)]
        seen = [site for module in speaking for site in self.seen_in(module)]
        kinds = {site.api for site in seen}
        if has_test_cases(entry, self.evaluator):
            return ()  # the sessions are those of the test
        if _ELSEWHERE in kinds and kinds & {_TAPE, _GRADIENTS}:
            return tuple(
                TrainingSite(_STEP, site.module, site.node)
                for site in seen
                if site.api == _ELSEWHERE
                and may_run(site.module, site.module.tree.start(site.node))
            )
        if _STEP not in kinds:
            return ()
        return tuple(
            TrainingSite(_STEP, module, trailer)
            for module in speaking
            for trailer in self._running_made(module)
            if may_run(module, module.tree.start(trailer))
        )

    def _running_made(self, module: Module) -> list[LN]:
        """Where a module runs what is seen to be made as a step."""
        found = self._made_run.get(id(module))
        if found is None:
            runs = module.tree.calls_of("run")
            found = [call.trailer for call in runs if self._runs_made(call, module)]
            self._made_run[id(module)] = found
        return found

    def _runs_made(self, call: Call, module: Module) -> bool:
        """Whether what a ``run`` is given is seen to be made as a step."""
        made = (
            (outer_call(source), where)
            for held in self._run_by(call, module)
            for source, where in held.sources
        )
        return any(one is not None and self._runs_step_with(one, where) for one, where in made)

    def _training(
        self, seen: list[TrainingSite], modules: list[Module]
    ) -> tuple[TrainingSite, ...]:
        kinds = {site.api for site in seen}
        shown = {KERAS, MONITORED_SESSION, ESTIMATOR} & kinds
        if _TAPE in kinds:
            # A variable may also be updated as a moving average beside the optimizer.
            updates = (GRADIENT_TAPE, TAPE_UPDATE, VARIABLE_UPDATES)
            shown |= set([kind for kind in updates if kind in kinds][:1])
        steps = _STEP in kinds or {_GRADIENTS, ASSIGN} <= kinds
        steps = steps or (GRADIENT_TAPE in kinds and _TAPE not in kinds)
        if shown:
            # Some calls make a session and train in it themselves.
            training = {id(s.node) for s in seen if s.api == _STEP}
            seen = [
                s for s in seen
                if s.api not in _BARE_SESSIONS or id(s.node) in training
                or self.sessions.is_trained_in(s, modules)
            ]  # fmt: skip
            kinds = {site.api for site in seen}
        sessions = [site for site in seen if site.api in (SESSION, _PLAIN_MONITORED_SESSION)]
        taken: dict[str, str] = {}
        if kinds.isdisjoint(_OTHERS_RUN):
            taken[_BACKEND] = KERAS  # else others run it
        if ESTIMATOR not in shown and {_ESTIMATOR_MADE} & kinds and _ESTIMATOR_USED not in kinds:
            taken[_ESTIMATOR_MADE] = ESTIMATOR  # others run it
        if shown & {MONITORED_SESSION, ESTIMATOR} or {_ESTIMATOR_MADE, _ESTIMATOR_USED} & kinds:
            # Theirs are the steps, but for those that another session is seen to run.
            running: set[int] = set()
            if sessions and steps:
                running = running.union(*map(self._running_sessions, modules))
            seen = [s for s in seen if s.api != SESSION or id(s.node) in running]
            taken[SESSION] = SESSION
        elif steps:
            taken[_PLAIN_MONITORED_SESSION] = MONITORED_SESSION
            order = (SESSION, _CONFIGURING_SESSION, _BORROWED_SESSION)
            kind = next((kind for kind in order if kind in kinds), SESSION)
            if kind == SESSION or _PLAIN_MONITORED_SESSION not in kinds:
                taken[kind] = SESSION
        taken.update((kind, GRADIENT_TAPE if kind == TAPE_UPDATE else kind) for kind in shown)
        if taken.keys() & kinds <= {KERAS, GRADIENT_TAPE, TAPE_UPDATE}:
            # Else a matter for the rules of the API that is in use; there is a tape in minimize().
            taken[MINIMIZE] = GRADIENT_TAPE
        if not taken.keys() & kinds and {GRADIENT_TAPE, _GRADIENTS} <= kinds:
            # No session, no tape: a traced function computes them.
            return tuple(s for s in seen if s.api == GRADIENT_TAPE and self._is_of_keras(s))
        return tuple(replace(s, api=taken[s.api]) for s in seen if s.api in taken)

    def _is_of_keras(self, site: TrainingSite) -> bool:
        """Whether it is a call of a Keras optimizer."""
        call = next((c for c in site.module.tree.calls if c.trailer is site.node), None)
        if call is None:
            return False
        return self._is_keras_optimizer(call.receiver, site.module)

    def is_of_optimizer(self, node: LN, module: Module) -> bool:
        """Whether it is in a method of an optimizer: that is how it makes a step, and who calls it
        trains."""
        scope: Scope | None = module.scope_of(node)
        while scope is not None and scope.kind != "class":
            scope = scope.parent
        if scope is None:
            return False
        name = f"{module.name}.{scope.qualified_name}"
        return any(self.evaluator.hierarchy.isa(name, known) for known in _OPTIMIZERS)

    def _sites(self, call: Call, module: Module) -> Iterator[TrainingSite]:
        if self.is_of_optimizer(call.trailer, module):
            return
        for kind in self._kinds(call, module):
            if kind == SESSION and id(call.trailer) in self._configuring_sessions():
                kind = _CONFIGURING_SESSION
            yield TrainingSite(kind, module, call.trailer)

    def _kinds(self, call: Call, module: Module) -> Iterable[str]:
        if call.method is not None and (kind := self._method(call, module)) is not None:
            return (kind,)
        for name in sorted(self.evaluator.names(call.callee, module)):
            found = _FUNCTIONS.get(first_name(name))
            if found is not None:
                return found
            known = self.evaluator.hierarchy.of_any_version(name)
            for owner, kind in _CLASSES.items():
                if self.evaluator.hierarchy.isa(known, owner):
                    return (kind,)
        return ()

    def _method(self, call: Call, module: Module) -> str | None:
        method, receiver = call.method, call.receiver
        if self._applies_gradients(call, module) and not self.by_fit.runs(call, module):
            return _STEP if self._adds_to_graph(call, module) else GRADIENT_TAPE
        if method in _ASSIGNING:
            made = self._updates.kind_of(call, module)
            if made is None or (made == TAPE_UPDATE and self.by_fit.runs(call, module)):
                return VARIABLE_UPDATES if method == "assign_sub" else None
            return made
        if method in _STEP_METHODS:
            if self._is_keras_optimizer(receiver, module):
                own = method == "minimize" and not self.by_fit.runs(call, module)
                return MINIMIZE if own else None
            return _STEP if self._may_be(receiver, _FIRST_OPTIMIZER, module) else None
        if method in FITS and self.models.is_fit(call, module):
            return KERAS
        if method == _UPDATES and self._is_keras_optimizer(receiver, module):
            return _BACKEND
        if method in ("train", "fit", "evaluate", "predict"):
            named = any(argument.name == "input_fn" for argument in call.arguments)
            if self.evaluator.isa(receiver, _ESTIMATOR_CLASS, module) or (
                named and self._may_be(receiver, _ESTIMATOR_CLASS, module)
            ):
                return ESTIMATOR if method in ("train", "fit") else _ESTIMATOR_USED
        return None

    def _is_keras_optimizer(self, receiver: Expression, module: Module) -> bool:
        return any(self.evaluator.isa(receiver, name, module) for name in _KERAS_OPTIMIZERS)

    def _may_be(self, receiver: Expression, ancestor: str, module: Module) -> bool:
        """Whether the receiver is such an object, or nothing is known of it."""
        evaluator = self.evaluator
        known = evaluator.evaluate(receiver, module).known
        isa = any(evaluator.hierarchy.isa(v.name, ancestor) for v in known)
        return isa or unresolved(receiver, module, evaluator)

    def _configuring_sessions(self) -> set[int]:
        """The calls that make the sessions which are handed to Keras."""
        if self._configuring is None:
            self._configuring = {
                id(made.trailer)
                for module in self.evaluator.modules
                for call in module.tree.calls
                if "set_session" in "".join(leaf.value for leaf in call.callee[-1].leaves())
                and {first_name(n) for n in self.evaluator.names(call.callee, module)}
                & _SET_SESSION
                for argument in call.arguments[:1]
                for made, _ in origins((argument.value,), module, self.evaluator)
            }
        return self._configuring

    def _running_sessions(self, module: Module) -> set[int]:
        """The calls that make the sessions which a module is seen to run a training step in."""
        if id(module) not in self._running:
            self._running[id(module)] = set(self._run_in(module))
        return self._running[id(module)]

    def _run_in(self, module: Module) -> Iterator[int]:
        return (
            id(made.trailer)
            for call in module.tree.calls_of("run")
            if any(
                self._is_step(step, where)
                for argument in call.arguments[:1]
                for held in contents((argument.value,), module, self.evaluator)
                for source, where in held.sources
                if (step := outer_call(source))
            )
            for made, _ in origins(call.receiver, module, self.evaluator)
        )

    def _is_step(self, call: Call, module: Module) -> bool:
        if self._applies_gradients(call, module):
            return True
        kinds = self._kinds(call, module)
        return _STEP in kinds or (ASSIGN in kinds and self._updates.kind_of(call, module) == ASSIGN)

    def _applies_gradients(self, call: Call, module: Module) -> bool:
        """Whether an optimizer of a library, or what is not known, applies gradients; what a class
        of the repository's own does shows by itself."""
        if call.method == "apply":
            return self._is_apply(call, module)
        return call.method == "apply_gradients" and not self.evaluator.excludes(
            call.receiver, _OPTIMIZERS, module
        )

    def _is_apply(self, call: Call, module: Module) -> bool:
        """Whether it is the ``apply`` of Keras 3's optimizers, or of what is not known and is given
        gradients; there are many others."""
        if self._is_keras_optimizer(call.receiver, module):
            return True
        if len(call.arguments) != 2 or self.evaluator.excludes(call.receiver, _OPTIMIZERS, module):
            return False
        given = sources((call.arguments[0].value,), module, self.evaluator)
        made = (outer_call(nodes) for nodes, _ in given)
        return any(one is not None and one.method == "gradient" for one in made)

    def _adds_to_graph(self, call: Call, module: Module) -> bool:
        """Whether gradients are applied that a graph computes, by an optimizer for graphs."""
        return self._applies_computed(call, module) or (
            bool(self.evaluator.isa(call.receiver, _FIRST_OPTIMIZER, module))
            and self._updates.kind_of(call, module) == ASSIGN
        )

    def _applies_computed(self, call: Call, module: Module) -> bool:
        """Whether the same optimizer's ``compute_gradients`` is called in the same scope: that adds
        to a graph, and so does this."""
        tree, scope = module.tree, module.scope_of(call.trailer)
        return any(
            module.scope_of(other.trailer) is scope
            and tree.source(other.receiver) == tree.source(call.receiver)
            for other in tree.calls_of("compute_gradients")
        )


def _without_items(fetched: LN) -> Expression:
    """``steps`` of ``steps[number]``."""
    nodes = flat((fetched,))
    while (
        len(nodes) > 1
        and nodes[-1].type == symbols.trailer
        and (nodes[-1].children[0].type == token.LSQB)
    ):
        nodes = nodes[:-1]
    return nodes


def _is_called_step(name: str) -> bool:
    return bool(_STEP_NAME.search(name)) and not _NO_STEP_NAME.search(name)
