"""c_kinds: of each name of a program whether it is a number, a vector, a matrix, or several."""

from __future__ import annotations

from .c_names import kinds_of
from .errors import StagingError
from .sexpr import Symbol

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, TypeAlias

    from .sexpr import Form

    # How many places an item of it needs, or the kinds of several; None where it is not known yet.
    Kind: TypeAlias = int | tuple["Kind", ...] | None

NUMBER, VECTOR, MATRIX = 0, 1, 2
_NAMES: dict[Any, str] = {NUMBER: "a number", VECTOR: "a vector", MATRIX: "a matrix"}
_PRODUCTS: dict[tuple[Kind, Kind], Kind] = {
    (MATRIX, VECTOR): VECTOR,
    (MATRIX, MATRIX): MATRIX,
    (VECTOR, VECTOR): NUMBER,
}


def told(kind: Kind) -> str:
    """A kind in words."""
    return _NAMES.get(kind, "several values")


class Kinds:
    """The kinds of a program's names, ``of``, and of what its functions give, ``results``. Those of
    its own parameters are ``given``, or follow from what is asked of them. Raises StagingError
    where a name, or what a function gives, would be of two kinds."""

    def __init__(self, program: Form, given: Sequence[int] | None = None) -> None:
        self.of: dict[Any, Kind] = {}
        self.results: dict[Any, Kind] = {}
        self._parameters: dict[Any, tuple[Any, ...]] = {}
        asked = kinds_of(program)
        own = [VECTOR if one else NUMBER for one in asked[program[1]]] if given is None else given
        if len(own) != len(program[2]):
            raise StagingError(f"{len(own)} kinds for {len(program[2])} parameters")
        self.of.update(zip(program[2], own, strict=True))
        self._settle(program)
        # What nobody calls: as far as its own body tells.
        for name, parameters in self._parameters.items():
            for one, is_array in zip(parameters, asked[name], strict=True):
                if self.of.get(one) is None:
                    self.of[one] = VECTOR if is_array else NUMBER
        self._settle(program)

    def _settle(self, program: Form) -> None:
        while True:
            before = dict(self.of), dict(self.results)
            self._function(*program[1:])
            if (self.of, self.results) == before:
                return

    def _function(self, name: Any, parameters: tuple[Any, ...], body: Form) -> None:
        self._parameters[name] = parameters
        self._give(self.results, name, self.kind(body))

    def _give(self, kinds: dict[Any, Kind], name: Any, kind: Kind) -> None:
        kinds[name] = _joined(kinds.get(name), kind, name)

    def kind(self, form: Form) -> Kind:
        """The kind of what a form gives."""
        if isinstance(form, Symbol):
            return self.of.get(form)
        if not isinstance(form, tuple):
            return NUMBER
        head, *parts = form
        word = "product" if head == "@" else str(head).replace("-", "_")
        special = getattr(self, f"_{word}_kind", None)
        if special is not None:
            found: Kind = special(parts)
            return found
        kinds = [self.kind(part) for part in parts]
        if head in self._parameters:
            for one, kind in zip(self._parameters[head], kinds, strict=False):
                self._give(self.of, one, kind)
            return self.results.get(head)
        if None in kinds:
            return None
        if any(isinstance(kind, tuple) for kind in kinds):
            raise StagingError(f"'{head}' gets several values as one")
        arrays = {kind for kind in kinds if kind != NUMBER}
        if len(arrays) > 1:
            raise StagingError(f"'{head}' is not for a vector and a matrix")
        return arrays.pop() if arrays else NUMBER

    def _begin_kind(self, parts: list[Form]) -> Kind:
        return [self.kind(part) for part in parts][-1]

    def _let_kind(self, parts: list[Form]) -> Kind:
        name, form = parts
        if isinstance(form, tuple) and form[:1] == ("lambda",):
            return self._def_kind([name, *form[1:]])
        if form != (Symbol("new"),):
            self._give(self.of, name, self.kind(form))
        return self.of.get(name)

    def _def_kind(self, parts: list[Form]) -> Kind:
        self._function(*parts)
        return NUMBER

    def _set_kind(self, parts: list[Form]) -> Kind:
        self._give(self.of, parts[0], self.kind(parts[1]))
        return self.of.get(parts[0])

    def _get_kind(self, parts: list[Form]) -> Kind:
        return self.of.get(parts[0])

    def _if_kind(self, parts: list[Form]) -> Kind:
        _, then, otherwise = map(self.kind, parts)
        return _joined(then, otherwise, "what an `if` gives")

    def _while_kind(self, parts: list[Form]) -> Kind:
        for part in parts:
            self.kind(part)
        return NUMBER

    def _tuple_kind(self, parts: list[Form]) -> Kind:
        return tuple(self.kind(part) for part in parts)

    def _idx_kind(self, parts: list[Form]) -> Kind:
        owner, place = self.kind(parts[0]), parts[1]
        self.kind(place)
        if isinstance(owner, tuple):
            if not isinstance(place, int) or not 0 <= place < len(owner):
                raise StagingError(f"there is no {place} of {len(owner)} values")
            return owner[place]
        if owner == NUMBER:
            raise StagingError(f"{parts[0]} is a number, and has no items")
        return None if owner is None else owner - 1

    def _len_kind(self, parts: list[Form]) -> Kind:
        return NUMBER

    def _sum_kind(self, parts: list[Form]) -> Kind:
        self.kind(parts[0])
        return NUMBER

    _print_kind = _while_kind

    def _product_kind(self, parts: list[Form]) -> Kind:
        left, right = map(self.kind, parts)
        if left is None or right is None:
            return None
        if (left, right) not in _PRODUCTS:
            raise StagingError(f"'@' is not for {told(left)} and {told(right)}")
        return _PRODUCTS[left, right]


def _joined(one: Kind, other: Kind, what: Any) -> Kind:
    if one is None or other is None or one == other:
        return other if one is None else one
    if isinstance(one, tuple) and isinstance(other, tuple) and len(one) == len(other):
        return tuple(_joined(a, b, what) for a, b in zip(one, other, strict=True))
    raise StagingError(f"{what} is {told(one)} on one way, and {told(other)} on another")
