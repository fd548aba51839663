"""Symbol: a name that the repository defines, or a member of a library's class that its classes
have, too."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..names.definition import Definition, class_of_method
from ..names.module import Module
from ..names.scopes import Scope
from ..values.questions import Evaluator
from .unclear import Unclear


@dataclass(frozen=True)
class Symbol:
    """``kind`` says whose name it is: a module's global, a member of a class, or a parameter or
    variable of a function (local). ``module`` and ``scope`` are those that define it, None for a
    member of a library's class; ``owner`` is the class's or function's name, empty for a global.
    """

    kind: str
    name: str
    owner: str
    module: Module | None
    scope: Scope | None


def find_symbol(name: str, evaluator: Evaluator) -> Symbol | None:
    """What the repository knows by a qualified name; None if it is none of its names. Raises
    Unclear if several modules may be meant, or the name is another's."""
    own = next((module for module in evaluator.modules if module.name == name), None)
    if own is not None:
        raise Unclear(f"{name} is a module; give {own.path} its new name, and run this again")
    found = [_in_module(module, rest, name, evaluator) for module, rest in _homes(name, evaluator)]
    if len(found) > 1:
        modules = sorted(str(symbol.module.path) for symbol in found if symbol.module is not None)
        raise Unclear(f"{name} may be one of {' or '.join(modules)}")
    return found[0] if found else _of_library(name, evaluator)


def _homes(name: str, evaluator: Evaluator) -> Iterator[tuple[Module, list[str]]]:
    """The modules that a name begins with, the longest that is there, and what follows."""
    parts = name.split(".")
    for length in range(len(parts) - 1, 0, -1):
        head = ".".join(parts[:length])
        found = [
            module for module in evaluator.modules
            if module.name == head or module.name.endswith(f".{head}")
        ]  # fmt: skip
        exact = [module for module in found if module.name == head]
        if found:
            yield from ((module, parts[length:]) for module in exact or found)
            return


def _in_module(module: Module, rest: list[str], name: str, evaluator: Evaluator) -> Symbol:
    scope: Scope | None = module.scopes.module
    for part in rest[:-1]:
        scope = _inner(scope, part, module) if scope is not None else None
    last = rest[-1]
    if scope is None or last not in {*scope.bindings, *_stored(scope, module, evaluator)}:
        raise Unclear(f"{module.path} has no {'.'.join(rest)}")
    if scope.kind == "module":
        return _global(module, last, name)
    kind = "member" if scope.kind == "class" else "local"
    return Symbol(kind, last, f"{module.name}.{scope.qualified_name}", module, scope)


def _global(module: Module, last: str, name: str) -> Symbol:
    bindings = module.binding(last)
    imported = [b for b in bindings if b.kind == "import" and b.target is not None]
    if len(imported) == len(bindings):
        target = imported[0].target
        assert target is not None
        raise Unclear(f"{name} is imported from {'.' * target.level}{target.module}: name that")
    return Symbol("global", last, "", module, module.scopes.module)


def _inner(scope: Scope, name: str, module: Module) -> Scope | None:
    """The class or function of that name in a scope."""
    for binding in scope.bindings.get(name, ()):
        if binding.kind in ("class", "function"):
            return module.scopes.opened_by(binding.node)
    return None


def _stored(scope: Scope, module: Module, evaluator: Evaluator) -> dict[str, object]:
    """What the methods of a class store on ``self``."""
    return (
        dict(evaluator.members.of_self(Definition(module, scope))) if scope.kind == "class" else {}
    )


def _of_library(name: str, evaluator: Evaluator) -> Symbol | None:
    """A member of a library's class."""
    owner, _, last = name.rpartition(".")
    owner = evaluator.hierarchy.canonical(owner)
    return Symbol("member", last, owner, None, None) if owner in evaluator.hierarchy else None


def family_of(owner: str, evaluator: Evaluator) -> frozenset[str]:
    """A class and those that derive from it."""
    return frozenset([owner, *evaluator.hierarchy.descendants(owner)])


def functions_of(symbol: Symbol, evaluator: Evaluator) -> list[Definition]:
    """The function that has a parameter, and those of deriving classes that override it."""
    assert symbol.module is not None
    assert symbol.scope is not None
    own = Definition(symbol.module, symbol.scope)
    cls = class_of_method(symbol.scope) or symbol.scope.enclosing_class
    if cls is None or symbol.scope.name == "__init__":
        return [own]
    below = evaluator.hierarchy.descendants(f"{symbol.module.name}.{cls.qualified_name}")
    overriding = (evaluator.definitions.get(f"{name}.{symbol.scope.name}") for name in below)
    return [own, *(function for function in overriding if function is not None)]
