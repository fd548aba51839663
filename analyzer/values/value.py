"""Value: what an expression may hold, and how sure that is."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from functools import cached_property


class Certainty(Enum):
    """How sure an answer is: proved, or only possible from what was followed, or not at all."""

    PROVED = "proved"
    POSSIBLE = "assumed"
    NO = "no"

    def __bool__(self) -> bool:
        return self is not Certainty.NO


@dataclass(frozen=True, slots=True)
class Value:
    """A thing called ``name`` (a module, class or function), or an instance of class ``name``."""

    name: str
    instance: bool = False


@dataclass(frozen=True)
class Values:
    """What an expression may hold; ``complete`` if it can hold nothing else."""

    items: frozenset[Value] = frozenset()
    complete: bool = False

    def __or__(self, other: Values) -> Values:
        if self.complete <= other.complete and other.items <= self.items:
            return self  # as for most
        return Values(self.items | other.items, self.complete and other.complete)

    @cached_property
    def known(self) -> frozenset[Value]:
        """The items, but for a None that stands where something unknown is assigned later."""
        if self.complete:
            return self.items
        return frozenset(value for value in self.items if value.name != NONE)

    @cached_property
    def names(self) -> frozenset[str]:
        return frozenset(value.name for value in self.items if not value.instance)

    @cached_property
    def classes(self) -> frozenset[str]:
        return frozenset(value.name for value in self.items if value.instance)


UNKNOWN = Values()
NOTHING = Values(complete=True)
NUMBER = "builtins.number"
NONE = "builtins.None"


def reference_to(name: str) -> Values:
    """The thing that is called so."""
    return Values(frozenset({Value(name)}), complete=True)


def instance_of(name: str) -> Values:
    """An instance of the class that is called so."""
    return Values(frozenset({Value(name, instance=True)}), complete=True)


A_NUMBER = instance_of(NUMBER)
