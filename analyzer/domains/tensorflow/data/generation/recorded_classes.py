"""Classes, functions and their parameters, read off the live objects."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from typing import Any

from families import HOROVOD, V1
from recorded_names import Api, respell

KINDS = {
    inspect.Parameter.POSITIONAL_ONLY: "positional",
    inspect.Parameter.POSITIONAL_OR_KEYWORD: "positional",
    inspect.Parameter.KEYWORD_ONLY: "keyword",
    inspect.Parameter.VAR_POSITIONAL: "var_positional",
    inspect.Parameter.VAR_KEYWORD: "var_keyword",
}


def class_facts(api: Api) -> dict[str, Any]:
    """Return bases, aliases and, for some, constructor parameters, by canonical name."""
    families = api.layout.families
    with_parameters = {api.find(name) for name in families.roots_with_parameters}
    roots = with_parameters | {api.find(name) for name in families.other_roots}
    pending = [
        thing
        for thing in (api.objects[key] for key in api.class_names)
        if not roots.isdisjoint(mro(thing))
    ]
    facts: dict[str, Any] = {}
    while pending:
        thing = pending.pop()
        canonical, *aliases = api.class_names[id(thing)]
        if canonical in facts:
            continue
        made = what_a_call_makes(thing, api)
        bases = public_bases(made, api, but=thing)
        pending += bases  # so that every base is recorded too
        facts[canonical] = {
            "aliases": sorted(aliases),
            "bases": [api.class_names[id(base)][0] for base in bases],
        }
        if not with_parameters.isdisjoint(mro(thing)):
            facts[canonical]["parameters"] = parameters(made)
    return facts


def mro(thing: type) -> tuple[type, ...]:
    """Return a class and its ancestors; issubclass would also ask the hooks of abstract classes."""
    return thing.__mro__


def nearest(thing: type, api: Api) -> str:
    """Return the canonical name of the first public class among a class and its ancestors."""
    for ancestor in mro(thing):
        if id(ancestor) in api.class_names and ancestor is not object:
            return api.class_names[id(ancestor)][0]
    return "object"


def shared(results: Iterable[Any], api: Api) -> str:
    """Return the nearest public class that is common to some objects, "object" if there is none."""
    first, *others = (type(result) for result in results)
    common = [kind for kind in mro(first) if all(kind in mro(other) for other in others)]
    public = [kind for kind in common if id(kind) in api.class_names and kind is not object]
    return api.class_names[id(public[0])][0] if public else "object"


def what_a_call_makes(thing: type, api: Api) -> type:
    """Return the class of the instances, which is another one where the public class is a front.

    tf.keras.mixed_precision.LossScaleOptimizer derives from nothing, but calling it with an
    optimizer makes an instance of a private class that derives from Optimizer.
    """
    if thing is api.get("tensorflow.keras.mixed_precision.LossScaleOptimizer"):
        return type(thing(api.find("tensorflow.keras.optimizers.SGD")()))
    return thing


def public_bases(thing: type, api: Api, but: type) -> list[type]:
    """Return the nearest ancestors that have a public name, without those that another implies."""
    found: list[type] = []
    pending = list(thing.__bases__)
    while pending:
        base = pending.pop(0)
        if id(base) in api.class_names and base is not but:
            found.append(base)
        else:
            pending[:0] = base.__bases__
    unique = list(dict.fromkeys(found))
    return [base for base in unique if not any(base in mro(other)[1:] for other in unique)]


def parameters(thing: Any) -> list[list[str | None]]:
    """Return name, kind and default of each parameter of the constructor."""
    # Not inspect.signature(thing): a metaclass with a __call__ of its own would answer for it.
    # Unwrapped, because a deprecated class without a constructor has object's, decorated.
    plain = inspect.unwrap(thing.__init__) is object.__init__
    maker: Callable[..., Any] = thing.__new__ if plain else thing.__init__
    if maker is object.__new__:
        return []
    return rows(maker)[1:]


def rows(function: Any) -> list[list[str | None]]:
    """Return name, kind and default of each parameter of a function."""
    listed = inspect.signature(function).parameters.values()
    return [[item.name, KINDS[item.kind], default_source(item.default)] for item in listed]


def default_source(value: Any) -> str | None:
    """Return a default as Python source, "<object>" if it has none, and None if there is none."""
    if value is inspect.Parameter.empty:
        return None
    return repr(value) if is_literal(value) else "<object>"


def is_literal(value: Any) -> bool:
    """Tell whether the repr of a value is a literal that evaluates to it."""
    if type(value) in (tuple, list):
        return all(map(is_literal, value))
    if type(value) is float:
        return value - value == 0  # neither inf nor nan
    return value is None or type(value) in (int, str, bool)


def function_facts(api: Api) -> dict[str, Any]:
    """Return other spellings and parameters of the functions that rules speak of."""
    patterns = api.layout.families.functions
    aliases = api.module_aliases
    single = {respell(name, aliases): name for name in patterns if not name.endswith(".*")}
    whole = {respell(name[:-2], aliases) for name in patterns if name.endswith(".*")}
    separate = HOROVOD in api.layout.trees  # each of Horovod's names is a name of its own
    facts: dict[str, Any] = {}
    for key, names in api.function_names.items():
        for name in names:
            if name in single or name.rpartition(".")[0] in whole:
                single.pop(name, None)
                usual = name if separate else names[0]
                facts[usual] = {
                    "aliases": [] if separate else sorted(names[1:]),
                    "parameters": own_rows(api.objects[key]),
                }
    if single:
        missing = ", ".join(sorted(single.values()))
        raise SystemExit(f"generate.py: this {api.layout.library} has no {missing}")
    return facts


def own_rows(function: Any) -> list[list[str | None]]:
    """Return the parameters of a function; of an object that is called, without ``self``."""
    try:
        return rows(function)
    except (TypeError, ValueError):  # made by an extension module
        return []


def method_facts(api: Api) -> dict[str, Any]:
    """Return the parameters of methods, without ``self``, by ``Class.method``."""
    facts = {}
    for name in api.layout.families.methods:
        owner, _, method = name.rpartition(".")
        kind = api.find(owner)
        raw = inspect.getattr_static(kind, method)
        found = rows(getattr(kind, method))
        bound = isinstance(raw, (classmethod, staticmethod))
        facts[f"{api.name(kind)}.{method}"] = {"parameters": found if bound else found[1:]}
    return facts


def is_v1(name: str) -> bool:
    """Tell whether a name belongs to the TensorFlow of graphs and sessions."""
    return name.startswith(f"{V1}.")
