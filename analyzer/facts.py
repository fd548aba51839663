"""Facts: the analyses of one project, made once and shared by every rule."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from .dataflow import Use, follow
from .effects import EffectAnalysis
from .evaluator import Evaluator
from .execution import Execution
from .library import Library, load
from .loops import StepLoops
from .module import Module
from .observed import Observed
from .programs import Programs
from .project import Project
from .role import default_roles, words_of
from .sigma import Sigma
from .tracing import Tracing
from .tree import Expression
from .versions import Versions

_GRADIENT_CALLS = frozenset(
    {"gradient", "jacobian", "batch_jacobian", "gradients", "compute_gradients"}
)


class Facts:
    """What the rules ask for. Everything is computed on demand and kept."""

    def __init__(
        self,
        project: Project,
        library: Library | None = None,
        watched: Mapping[int, bool] | None = None,
    ) -> None:
        """``watched``: the statements at which the run notes what is visible."""
        self.project = project
        library = library or load()
        self._observed = Observed(project, library, watched)
        self.evaluator = Evaluator(project, library, self._observed)
        self.tracing = Tracing(self.evaluator)
        self.programs = Programs(self.evaluator)
        self.effects = EffectAnalysis(self.evaluator, self.programs.may_train)
        self.execution = Execution(self.evaluator, self.tracing, self.programs)

    @cached_property
    def library(self) -> Library:
        return self.evaluator.library

    @cached_property
    def sigma(self) -> Sigma:
        """σ, from the run that is made for the whole project."""
        return Sigma(self._observed.run)

    @cached_property
    def loops(self) -> StepLoops:
        """The loops around training steps."""
        return StepLoops(self.programs)

    @cached_property
    def versions(self) -> Versions:
        """Which TensorFlow modules are written for."""
        return Versions(self.evaluator)

    @cached_property
    def may_have_roles(self) -> bool:
        """Whether some module says a word of the libraries that roles come from."""
        words = words_of(default_roles())
        return any(word in module.tree.text for module in self.project.modules for word in words)

    def uses(self, expression: Expression, module: Module, elements: bool = True) -> list[Use]:
        """Where the value of ``expression`` goes; differentiating it makes something new."""
        return list(follow(expression, module, self.evaluator, _GRADIENT_CALLS, elements))
