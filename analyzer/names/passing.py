"""passing: which parameter of a function takes which argument of a call.

What is passed may be anything: the arguments as they are written, or what they were found to hold.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from ..syntax.tree import Argument, Call
from .scopes import Binding, Scope

_T = TypeVar("_T")


@dataclass(frozen=True)
class Passed(Generic[_T]):
    """What the parameters of a function get, as far as that is seen: ``given`` those that take one
    argument, of which those that are ``left`` are not seen to get one; ``places`` is for ``*args``
    and ``names`` for ``**kwargs``.

    ``unseen``: there are arguments behind ``*`` or ``**``, or it is not known whether there is one
    more before them. What is not here may be among these, and need not be left out.
    """

    given: Mapping[Binding, _T]
    left: Sequence[Binding]
    places: Sequence[_T]
    names: Mapping[str, _T]
    unseen: bool = False

    def to(self, parameter: Binding) -> Sequence[_T]:
        """All that a parameter gets."""
        if parameter.takes == "places":
            return self.places
        if parameter.takes == "names":
            return [*self.names.values()]
        return [self.given[parameter]] if parameter in self.given else []

    def taker(self, argument: _T) -> Binding | None:
        """The parameter that takes this one, and no other, argument; None where none is known."""
        return next((taker for taker, one in self.given.items() if one is argument), None)


def passed(
    function: Scope,
    positional: Sequence[_T],
    keywords: Mapping[str, _T],
    bound: bool = False,
    unseen: bool = False,
) -> Passed[_T]:
    """What a function gets; ``bound``: its first parameter is none of these arguments."""
    given: dict[Binding, _T] = {}
    left: list[Binding] = []
    others = dict(keywords)
    count = 0
    for parameter in function.parameters:
        place = parameter.element[0] - bound
        if parameter.takes in ("any", "position"):
            count = place + 1
        elif parameter.takes != "keyword":
            continue
        if 0 <= place < len(positional):
            given[parameter] = positional[place]
        elif parameter.name in others and parameter.takes != "position":
            given[parameter] = others.pop(parameter.name)
        elif place >= 0 or parameter.takes == "keyword":
            left.append(parameter)
    return Passed(given, left, positional[count:], others, unseen)


def passed_by(call: Call, function: Scope, bound: bool | None) -> Passed[Argument]:
    """What a function gets by a call as it is written. Where it is not known whether the first
    parameter is ``bound``, only what has a name is."""
    positional: list[Argument] = []
    keywords: dict[str, Argument] = {}
    in_place = bound is not None
    unseen = not in_place
    for argument in call.arguments:
        if argument.star:
            unseen = True
            in_place = in_place and argument.star != "*"
        elif argument.name is not None:
            keywords.setdefault(argument.name, argument)
        elif in_place:
            positional.append(argument)
    return passed(function, positional, keywords, bool(bound), unseen)
