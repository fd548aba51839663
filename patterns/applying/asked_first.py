"""asked_first: what the conditions of a rule ask first of a capture, as far as a word tells it.

What means one of some functions ends as their names do, unless they get other names, and a method
ends with its name: of dozens of rules for calls most are told by that word to fit none of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

# Conditions by which alone the first question can be told.
_MEANS, _METHOD, _CLASS, _ANY, _ALL = "means", "method", "is_class", "any", "all"


@dataclass(frozen=True)
class Asked:
    """Code that ``capture`` stands for has to mean one of the functions of one of ``means``, each a
    tuple of names as a pack has them, to end with one of ``methods``, or, if ``classes`` are looked
    for, to be one."""

    capture: str
    means: tuple[tuple[str, ...], ...] = ()
    methods: frozenset[str] = frozenset()
    classes: bool = False


def asked_first(conditions: Sequence[Mapping[str, Any]], only_means: bool = False) -> Asked | None:
    """What the first of the conditions asks; None if that is something else, or asked of several
    captures. ``only_means``: choices and methods are something else."""
    if not conditions or len(conditions[0]) != 1:
        return None
    ((name, argument),) = conditions[0].items()
    if name == _MEANS:
        capture, *called = argument
        return Asked(_bare(capture), (tuple(called),))
    if only_means:
        return None
    if name == _METHOD:
        capture, *called = argument
        return Asked(_bare(capture), (), frozenset(called))
    if name == _CLASS:
        return Asked(_bare(argument if isinstance(argument, str) else argument[0]), classes=True)
    if name == _ALL:
        return asked_first(argument)
    if name == _ANY:
        return _of_any([asked_first([condition]) for condition in argument])
    return None


def _of_any(choices: Sequence[Asked | None]) -> Asked | None:
    known = [one for one in choices if one is not None]
    if len(known) < len(choices) or len({one.capture for one in known}) != 1:
        return None
    means = tuple(called for one in known for called in one.means)
    methods = frozenset[str]().union(*(one.methods for one in known))
    classes = any(one.classes for one in known)
    return Asked(known[0].capture, means, methods, classes)


def _bare(capture: str) -> str:
    return capture.lstrip("$").removeprefix("...")
