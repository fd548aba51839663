"""Effects: what evaluating code does besides giving a value."""

from __future__ import annotations

import importlib.resources
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache

import yaml
from fissix.pgen2 import token
from fissix.pygram import python_symbols as symbols

from ..library.declared import declared, domain_data
from ..names.bound_names import loop_parts
from ..names.definition import Definition
from ..names.module import Module
from ..syntax.fstring import is_fstring
from ..syntax.tree import (
    LN,
    Call,
    Expression,
    calls_in_power,
    dotted,
    is_name,
    leaves,
    outer_call,
    unwrap,
    walk,
)
from ..values.questions import Evaluator, called_on
from ..values.value import Value


@dataclass(frozen=True)
class Effects:
    """``kinds`` are words of effects.yaml; ``unknown`` names the calls that could not be judged."""

    kinds: frozenset[str] = frozenset()
    unknown: frozenset[str] = frozenset()

    def __or__(self, other: Effects) -> Effects:
        return Effects(self.kinds | other.kinds, self.unknown | other.unknown)


_STATE = Effects(frozenset({"state"}))


class EffectAnalysis:
    """Effects of expressions; for calls into the repository, the union over the callee's body."""

    def __init__(
        self, evaluator: Evaluator, may_train: Callable[[Call, Module], bool] | None = None
    ) -> None:
        """``may_train``: whether running something in a session changes its variables."""
        self.evaluator = evaluator
        self._may_train = may_train
        self._bodies: dict[str, Effects] = {}

    def of(self, node: LN, module: Module) -> Effects:
        """What happens when ``node`` is evaluated; lambdas in it are not called."""
        effects = Effects()
        if node.type == symbols.lambdef:
            return effects
        for part in walk(node, skip={symbols.lambdef}):
            if part.type in (symbols.yield_expr, token.COLONEQUAL, token.AWAIT):
                effects |= _STATE
            elif is_fstring(part):
                effects |= self._of_fstring(part, module)
            elif part.type == symbols.power:
                for call in calls_in_power(part):
                    effects |= self.of_call(call, module)
        return effects

    def _of_fstring(self, leaf: LN, module: Module) -> Effects:
        inside = module.tree.fields(leaf)
        if inside is None:
            return _STATE
        effects = Effects()
        for expression in inside:
            effects |= self.of(expression, module)
        return effects

    def of_call(self, call: Call, module: Module) -> Effects:
        """What a call itself does; what is done for its arguments is not in it."""
        if self._may_train is not None and self._may_train(call, module):
            return _STATE
        values = self.evaluator.evaluate(call.callee, module)
        effects = Effects()
        for value in values.items:
            definition = self.evaluator.definitions.get(value.name)
            if value.instance:
                effects |= self._of_instance(value)
            elif definition is not None:
                effects |= self._of_definition(value.name)
            else:
                effects |= self._of_name(value.name, call)
        return effects if values.items else self._of_method(call)

    def _of_instance(self, value: Value) -> Effects:
        # Calling a metric updates it; calling a library's model or layer only computes.
        changed = declared().changed_by_calls
        metric = any(self.evaluator.hierarchy.isa(value.name, name) for name in changed)
        effects = _STATE if metric else Effects()
        for definition in called_on(value, self.evaluator):
            effects |= self._of_definition(definition.name)
        return effects

    def _of_definition(self, name: str) -> Effects:
        if name not in self._bodies:
            self._bodies[name] = Effects()
            definition = self.evaluator.definitions[name]
            scope = definition.scope
            if scope.kind == "class":
                init = f"{name}.__init__"
                found = self._of_definition(init) if init in self.evaluator.definitions else None
                inner = found or Effects()
                self._bodies[name] = Effects(inner.kinds - {"state"}, inner.unknown)
            else:
                effects = self.of(scope.node, definition.module)
                own = self._containers(definition)
                if _stores(scope.node, own) or scope.global_names or scope.nonlocal_names:
                    effects |= _STATE
                self._bodies[name] = effects
        return self._bodies[name]

    def _containers(self, definition: Definition) -> frozenset[str]:
        """The local names of a function that only hold containers which it makes itself."""
        found = set()
        for name, bindings in definition.scope.bindings.items():
            made = (self._is_new(b.value, definition.module) for b in bindings)
            if all(b.kind == "assign" and not b.element for b in bindings) and all(made):
                found.add(name)
        return frozenset(found)

    def _is_new(self, value: Expression, module: Module) -> bool:
        nodes = unwrap(value)
        if len(nodes) == 1 and nodes[0].type == symbols.atom:
            return True
        call = outer_call(nodes)
        return call is not None and bool(self.evaluator.names(call.callee, module) & _data_makers())

    def _of_name(self, name: str, call: Call) -> Effects:
        kind = _function_kind(name)
        described = name.partition(".")[0] in declared().described
        if kind is not None and (kind != "pure" or not described):
            return _effects(kind)
        marked = Effects(self.evaluator.library.marks(name))
        method = call.method
        if method in _methods():
            return marked | _effects(_methods()[method])
        if marked.kinds:
            return marked
        return _effects(kind) if kind else Effects(unknown=frozenset({name}))

    def _of_method(self, call: Call) -> Effects:
        method = call.method
        if method in _methods():
            return _effects(_methods()[method])
        text = "".join(map(str, call.callee)).removeprefix(next(leaves(call.callee[0])).prefix)
        return Effects(unknown=frozenset({".".join(dotted(call.callee)) or text}))


@cache
def _data_makers() -> frozenset[str]:
    return frozenset(name for kind, name in _said("gives") if kind == "containers")


def _effects(kind: str) -> Effects:
    return Effects() if kind == "pure" else Effects(frozenset({kind}))


@cache
def _data() -> list[dict[str, dict[str, list[str]]]]:
    """What is said here, and by the domains of their libraries."""
    text = importlib.resources.files(__package__).joinpath("effects.yaml").read_text("utf-8")
    return [yaml.safe_load(text), *domain_data("effects.yaml")]


def _said(section: str) -> Iterator[tuple[str, str]]:
    """The kinds of a section, each with a name."""
    for data in _data():
        for kind, names in data.get(section, {}).items():
            yield from ((kind, name) for name in names)


@cache
def _methods() -> dict[str | None, str]:
    return {name: kind for kind, name in _said("methods")}


@cache
def _function_kind(name: str) -> str | None:
    best, kind = "", None
    for candidate, pattern in _said("functions"):
        fits = name == pattern or (pattern.endswith(".") and name.startswith(pattern))
        if fits and len(pattern) > len(best):
            best, kind = pattern, candidate
    return kind


def _stores(function: LN, own: frozenset[str] = frozenset()) -> bool:
    """Whether a function assigns to attributes or items, those of ``own`` containers left out, or
    assigns in place."""
    for node in walk(function):
        if node.type == symbols.expr_stmt:
            if node.children[1].type not in (token.EQUAL, symbols.annassign):
                if node.children[0].type != token.NAME:
                    return True
            elif any(_has_place(target, own) for target in node.children[:-1:2]):
                return True
        elif node.type == symbols.for_stmt:
            if _has_place(loop_parts(node)[0]):
                return True
        elif node.type == symbols.with_item:
            if _has_place(node.children[2]):
                return True
        elif node.type in (symbols.del_stmt, symbols.yield_expr, symbols.yield_stmt):
            return True
    return False


def _has_place(target: LN, own: frozenset[str] = frozenset()) -> bool:
    """Whether a target has an attribute, or an item of no ``own`` container, in it."""
    return any(node.type == symbols.power and not _is_item_of(node, own) for node in walk(target))


def _is_item_of(power: LN, own: frozenset[str]) -> bool:
    head, *trailers = power.children
    return is_name(head) and head.value in own and len(trailers) == 1 and (
        trailers[0].type == symbols.trailer and trailers[0].children[0].type == token.LSQB
    )  # fmt: skip
