"""possible_calls: the calls of a module that may be of one of some functions and classes.

What `x.name(…)` calls is called `name`, as long as nothing binds such an attribute but a
definition; then it need not be found out what `x` is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from fissix.pgen2 import token
from fissix.pygram import python_symbols as symbols

from ..library.spellings import last_words
from ..names.definition import decorators
from ..names.module import Module
from ..names.scopes import Binding
from ..syntax.tree import Call, flat

if TYPE_CHECKING:
    from .evaluator import Evaluator


def possible_calls(
    module: Module, wanted: frozenset[str], evaluator: Evaluator, below: bool = False
) -> Iterator[Call]:
    """The calls of a module, without some that can be of none of what is called ``wanted``;
    ``below``: nor of a class that derives from one of these."""
    key = (possible_calls, wanted, below)
    if key not in evaluator.memo:
        evaluator.memo[key] = _last_names(wanted, evaluator, below)
    last_names: frozenset[str] = evaluator.memo[key]
    for call, attribute in _with_attributes(module):
        if attribute is None or attribute in last_names:
            yield call


def _last_names(wanted: Iterable[str], evaluator: Evaluator, below: bool) -> frozenset[str]:
    names = set(wanted)
    if below:
        names.update(*map(evaluator.hierarchy.descendants, wanted))
    return last_words(names, evaluator.library) | _bound(evaluator)


def _bound(evaluator: Evaluator) -> frozenset[str]:
    """The names that something in the project binds, or may, to what is called otherwise."""
    if _bound not in evaluator.memo:
        evaluator.memo[_bound] = (
            frozenset(name for module in evaluator.modules for name in _bound_in(module))
            | evaluator.callers.spoken
        )
    found: frozenset[str] = evaluator.memo[_bound]
    return found


def _bound_in(module: Module) -> Iterator[str]:
    for scope in module.scopes:
        for bindings in scope.bindings.values():
            for binding in bindings:
                if not _keeps_name(binding):
                    yield binding.name
    for binding in module.scopes.attributes:
        yield binding.name


def _keeps_name(binding: Binding) -> bool:
    """Whether what is bound is called as the name that it is bound to."""
    if binding.kind in ("function", "class"):
        return not decorators(binding.node)
    target = binding.target
    if binding.kind != "import" or target is None:
        return False
    return binding.name in (target.name or target.module).split(".")


def _with_attributes(module: Module) -> list[tuple[Call, str | None]]:
    """The calls, each with the attribute that is called, if it is one."""
    if _with_attributes not in module.memo:
        module.memo[_with_attributes] = [(c, _attribute(c)) for c in module.tree.calls]
    found: list[tuple[Call, str | None]] = module.memo[_with_attributes]
    return found


def _attribute(call: Call) -> str | None:
    last = flat(call.callee)[-1]
    if last.type == symbols.trailer and last.children[0].type == token.DOT:
        name: str = last.children[1].value
        return name
    return None
