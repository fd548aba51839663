"""Facts: the analyses of one project, made once and shared by every rule."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from functools import cached_property, partial
from typing import Any, TypeVar

from fissix.pygram import python_symbols as symbols
from fissix.pytree import Leaf

from .effects.effect_analysis import EffectAnalysis
from .interpreter import interpret
from .library import Library, load, stubs
from .library.declared import declared
from .messages.finding import Finding
from .messages.unforeseen import made_once, once
from .names.lone_file import AskedBeyondError
from .names.module import Module
from .names.project import Project
from .programs.kinds import Kinds
from .programs.mentions import Mentions
from .programs.programs import Program, Programs
from .programs.starting import Starting
from .roles.role import default_roles, words_of
from .roles.roles_held import RolesHeld
from .roles.sigma import Sigma
from .syntax.tree import LN, Call, Expression, is_name, walk
from .values.questions import (
    Evaluator,
    LastWords,
    LaterReads,
    Use,
    Waypoint,
    follow,
    leads_to,
    position_of,
)

_IMPORTS = {symbols.import_name, symbols.import_from}
_T = TypeVar("_T")


class Facts:
    """What the rules ask for. Everything is computed on demand and kept."""

    def __init__(
        self,
        project: Project,
        library: Library | None = None,
        watched: Mapping[int, bool] | None = None,
        classes: Iterable[str] = (),
        asked: Callable[[Sequence[Program]], Sequence[Program]] | None = None,
        types: Mapping[str, str] | None = None,
        together: Collection[frozenset[str]] = (),
    ) -> None:
        """``watched``: the statements at which the run notes what is visible; ``classes``: names
        of other libraries that are known to be classes, and ``types`` those of what their calls
        and attributes give; ``asked``: of programs those that may be rewritten, if it is not all;
        ``together``: the training APIs that can be rewritten as one (``Kinds``).
        """
        self.project = project
        self._library = library
        self._classes = classes
        self._types = types
        self._asked = asked
        self._together = together
        self._watched = watched
        self._answers: dict[Hashable, Any] = {}
        self._analyses: dict[Any, Any] = {}
        self._failures: dict[Any, BaseException] = {}
        self._starting: dict[tuple[int, frozenset[str]], Starting] = {}

    @cached_property
    def library(self) -> Library:
        return (self._library or load()).declaring(self._classes, self._types)

    def read_near(self, asked: AskedBeyondError) -> bool:
        """Take the file into account that was asked for, where one is analysed alone. All is worked
        out anew then; what was answered before holds, for all that is assumed."""
        if asked.path is None or not self.project.read_near(asked.path):
            return False
        library = self.library
        given = (self._library, self._watched, self._classes, self._asked, self._types)
        anew = Facts(self.project, *given, self._together)
        anew.library = library
        vars(self).clear()
        vars(self).update(vars(anew))
        return True

    @cached_property
    def evaluator(self) -> Evaluator:
        return Evaluator(self.project, self.library)

    def names(self, expression: Expression, module: Module) -> frozenset[str]:
        """The qualified names that an expression may mean; empty if unknown. No other file is asked
        about what is a builtin as its own file has it."""
        builtin = module.builtin(expression)
        return frozenset([builtin]) if builtin else self.evaluator.names(expression, module)

    def position(self, parameter: str, call: Call, module: Module) -> int | None:
        """Where all that a call may call take a parameter by position (``position_of``)."""
        builtin = module.builtin(call.callee)
        if builtin:
            return stubs.position(builtin, parameter)
        return position_of(parameter, call, module, self.evaluator)

    @cached_property
    def last_words(self) -> LastWords:
        """What cannot mean some names, and need not be followed."""
        return LastWords(self.project, self.library)

    @property
    def untold(self) -> list[tuple[LN, Module]]:
        """What may be so many things, as far as anything was asked, that nothing is known of it."""
        evaluated = "evaluator" in vars(self)
        return list(self.evaluator.untold.values()) if evaluated else []

    @cached_property
    def programs(self) -> Programs:
        return Programs(self.evaluator)

    @cached_property
    def kinds(self) -> Kinds:
        return Kinds(self.programs.all, self._together)

    @cached_property
    def programs_left(self) -> frozenset[Program]:
        """Programs that are not rewritten, whatever they train by."""
        every = self.programs.all
        return frozenset(every) - frozenset(self._asked(every) if self._asked else every)

    @cached_property
    def effects(self) -> EffectAnalysis:
        return EffectAnalysis(self.evaluator, self.programs.may_train)

    @cached_property
    def later_reads(self) -> LaterReads:
        return LaterReads(self.evaluator)

    @cached_property
    def _mentions(self) -> Mentions:
        return Mentions(self.evaluator)

    @cached_property
    def _execution(self) -> list[Callable[[LN, Module], str]]:
        return [d.execution(self.programs) for d in self.programs.domains]

    @cached_property
    def _first(self) -> list[Callable[[Sequence[Module]], bool]]:
        return [d.first_release(self.evaluator) for d in self.programs.domains]

    @once
    def sigma(self) -> Sigma:
        """σ, from the run that is made for the whole project."""
        library = self.evaluator.library
        return Sigma(interpret(self.project, library=library, watched=self._watched))

    def starting(self, program: Program, starters: frozenset[str]) -> Starting:
        """The way of a program to its first call of one of some functions."""
        key = (id(program), starters)
        if key not in self._starting:
            self._starting[key] = Starting(program, starters, self._mentions)
        return self._starting[key]

    @once
    def mentions(self) -> dict[str, list[Leaf]]:
        """The places of each identifier, but for those in imports."""
        found: dict[str, list[Leaf]] = defaultdict(list)
        for module in self.evaluator.modules:
            for node in walk(module.tree.root, skip=_IMPORTS):
                if isinstance(node, Leaf) and is_name(node):
                    found[node.value].append(node)
        return found

    def runs(self, node: LN, module: Module) -> str:
        """How the code at ``node`` runs: eagerly, if no domain knows better."""
        found = (runs(node, module) for runs in self._execution)
        return next((how for how in found if how != "eager"), "eager")

    def is_first_release(self, modules: Sequence[Module]) -> bool:
        """Whether modules are written for a release of which later ones have moved names."""
        return any(first(modules) for first in self._first)

    def restrictions(self) -> list[Finding]:
        """Where the given files go beyond what the rules of the domains take for granted."""
        return [found for d in self.programs.domains for found in d.restrictions(self)]

    def of(self, analysis: Callable[[Facts], _T]) -> _T:
        """What ``analysis`` makes of the project, once. Raises AnalysisError if it fails."""
        return made_once(self._analyses, self._failures, analysis, lambda: analysis(self))

    @cached_property
    def may_have_roles(self) -> bool:
        """Whether some module says a word of the libraries that roles come from."""
        words = words_of(default_roles())
        return any(word in module.tree.text for module in self.project.modules for word in words)

    @cached_property
    def roles(self) -> RolesHeld:
        roles = {role.name: role for role in default_roles()}
        return RolesHeld(self.evaluator, roles, partial(self.uses, itself=True))

    def uses(
        self, expression: Expression, module: Module, elements: bool = True, itself: bool = False
    ) -> list[Use]:
        """Where the value of ``expression`` goes, and what is made of it unless ``itself`` is asked
        for; differentiating it makes something new."""
        key = ("uses", id(expression[0]), id(expression[-1]), elements, itself)
        stop = declared().differentiating

        def found() -> tuple[Expression, list[Use]]:
            # With the expression, so that its identity stays its own.
            uses = follow(expression, module, self.evaluator, stop, elements, itself)
            return expression, list(uses)

        return self.remembered(key, found)[1]

    def leads_to(
        self, expression: Expression, module: Module, asked: Hashable, wanted: Callable[[Use], bool]
    ) -> bool:
        """Whether one of the uses of a value is wanted; ``asked`` is what that is called."""
        never = self.remembered(("leads to none", asked), set[Waypoint])
        stop = declared().differentiating
        return leads_to(expression, module, self.evaluator, stop, wanted, never)

    def remembered(self, question: Hashable, answer: Callable[[], _T]) -> _T:
        """The answer to what rules ask for many matches, worked out for the first of them."""
        if question not in self._answers:
            self._answers[question] = answer()
        found: _T = self._answers[question]
        return found
