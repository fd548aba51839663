"""Where an object goes that is made or passed on, and what the rules then know of it."""

from __future__ import annotations

from collections.abc import Iterator

from fissix.pgen2 import token
from fissix.pygram import python_symbols as symbols

from ....names.scopes import Binding
from ....syntax.tree import LN, Call, Expression, ancestors, calls_in_power, walk
from ....values.value import Certainty, Values
from .checked_code import Code, is_attribute, same_holder
from .sites import METHODS, OPTIMIZER, Site

# What the rules do by a method's name alone, so that it does not matter what holds the object.
_BY_NAME = {
    "optimizer": "the rules find apply_gradients() by its name, whatever holds the optimizer",
    "dataset": "the rules find take() in a training loop, whatever holds the dataset",
    "checkpoint": "no save() is called on what is not known",
}
_MISSED = {
    "optimizer": "that the optimizer is used on {site} is not seen",
    "dataset": "that the dataset is used on {site} is only assumed",
    "checkpoint": "that save() on {site} writes a checkpoint is only assumed",
}


def article(role: str) -> str:
    return f"an {role}" if role[0] in "aeiou" else f"a {role}"


def in_holder(code: Code, binding: Binding, values: Values, role: str) -> tuple[str, Site | None]:
    """What is known of an object in a name or attribute, and the place that suffers if it is too
    little."""
    known = code.holds(values, role)
    if known is Certainty.PROVED:
        return f"the analysis follows {code.named(binding)} as {article(role)}", None
    if known is Certainty.NO:
        return unheld(code, role)
    for site in code.sites.near(code.module, role):
        if is_same(code, binding, site):
            return missed(role, site), site
    if role == OPTIMIZER:
        return _BY_NAME[role], None
    return f"nothing that the rules rewrite depends on what {code.named(binding)} holds", None


def unheld(code: Code, role: str) -> tuple[str, Site | None]:
    """What is known of an object that is kept where the analysis does not follow it."""
    site = next((s for s in code.sites.near(code.module, role) if not s.known), None)
    return (missed(role, site), site) if site is not None else (_BY_NAME[role], None)


def is_same(code: Code, binding: Binding, site: Site) -> bool:
    """Whether a site is on what the binding's name or attribute holds."""
    here = site.module is code.module or is_attribute(binding)
    return here and same_holder(binding, site.owner, site.module)


def missed(role: str, site: Site) -> str:
    return _MISSED[role].format(site=site)


def creations(code: Code, role: str) -> Iterator[tuple[Call, Expression]]:
    """The calls that make an object of a role, each with the longest chain of calls on it that
    still is one: ``Dataset.range(3)`` and ``Dataset.range(3).batch(2)``."""
    for node in walk(code.module.tree.root):
        if node.type != symbols.power:
            continue
        calls = list(calls_in_power(node))
        for call in reversed(calls):
            if code.holds(code.values(call.expression), role) and _makes(code, call, role):
                chain = call.expression
                for longer in reversed(calls):
                    is_longer = len(longer.expression) > len(chain)
                    if is_longer and code.holds(code.values(longer.expression), role):
                        chain = longer.expression
                yield call, chain
                break


def _makes(code: Code, call: Call, role: str) -> bool:
    """Whether the call makes a new object: not in a function of the repository, which is looked at
    itself, and not out of another object."""
    evaluator = code.facts.evaluator
    for name in code.values(call.callee).names:
        definition = evaluator.definitions.get(name)
        if definition is not None and definition.scope.kind == "function":
            return False
        if name == "builtins.super" or name.rsplit(".", 1)[-1] in METHODS[role]:
            return False
    receiver = code.values(call.receiver) if call.receiver else None
    return receiver is None or not any(value.instance for value in receiver.items)


def is_constructor(code: Code, call: Call) -> bool:
    """Whether the call is one of a class, as the rules for constructors need it."""
    names = code.values(call.callee).names
    return bool(names) and all(name in code.facts.evaluator.hierarchy for name in names)


def call_with(argument: LN) -> Call | None:
    """The call that a node is an argument of."""
    for parent in ancestors(argument):
        if parent.type == symbols.trailer and parent.children[0].type == token.LPAR:
            return next(c for c in calls_in_power(parent.parent) if c.trailer is parent)
        if parent.type not in (symbols.arglist, symbols.argument, symbols.star_expr):
            return None
    return None
