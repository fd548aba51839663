"""Rep: a value of the program that is being written, and the blocks into which it is written."""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar

from .errors import StagingError
from .sexpr import Symbol

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from .sexpr import Form


class Session:
    """One program that is being written: its open ``blocks``, the innermost last, the names that
    it has used, and the functions that are defined in it; ``unbound`` says of names of the program
    that writes it why they have no value behind a staged block, ``unbound_variables`` the same of
    variables that are cells, by their id()."""

    def __init__(self) -> None:
        self.blocks: list[list[Form]] = []
        self.names = 0
        self.functions: dict[int, tuple[Symbol, int]] = {}
        self.unbound: dict[str, StagingError] = {}
        self.unbound_variables: dict[int, StagingError] = {}

    def fresh(self, prefix: str = "x") -> Symbol:
        self.names += 1
        return Symbol(f"{prefix}{self.names - 1}")


_session: ContextVar[Session | None] = ContextVar("session", default=None)


def session() -> Session | None:
    """The one that is open; None where nothing is staged."""
    return _session.get()


@contextmanager
def opened() -> Iterator[Session]:
    """A session of its own."""
    made = Session()
    token = _session.set(made)
    try:
        yield made
    finally:
        _session.reset(token)


def current() -> Session:
    """The session that is open. Raises StagingError."""
    found = _session.get()
    if found is None:
        raise StagingError("a staged value is used where nothing is staged")
    return found


def reflect(form: Form) -> Rep:
    """Write a computation into the innermost block; its value."""
    here = current()
    name = here.fresh()
    here.blocks[-1].append((Symbol("let"), name, form))
    return Rep(name)


def inside(block: list[Form], function: Callable[..., Any], *arguments: Any) -> Any:
    """What a function returns that writes into a block. What it defines there is known in the
    block alone."""
    here = current()
    here.blocks.append(block)
    try:
        return function(*arguments)
    finally:
        here.blocks.pop()
        depth = len(here.blocks)
        here.functions = {key: one for key, one in here.functions.items() if one[1] <= depth}


def written(function: Callable[..., Any], *arguments: Any) -> tuple[list[Form], Any]:
    """The block that a function writes, to which more can be added, and what it returns."""
    block: list[Form] = []
    value = inside(block, function, *arguments)
    return block, value


def reify(function: Callable[..., Any], *arguments: Any) -> tuple[Form, Any]:
    """The block that a function writes, and what it returns; the block's value is left open."""
    block, value = written(function, *arguments)
    return tuple(block), value


def begin(block: Form, value: Any) -> Form:
    """A block with its value, as a form."""
    return (Symbol("begin"), *block, form_of(value))


def form_of(value: Any) -> Form:
    """What a value is in the program. Raises StagingError for what cannot stand in one."""
    if isinstance(value, Rep):
        return value.form
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, tuple):
        return (Symbol("tuple"), *map(form_of, value))
    form = getattr(value, "__staged__", None)
    if form is not None:
        return form()
    raise StagingError(f"a {type(value).__name__} cannot stand in a staged program")


def is_staged(value: Any) -> bool:
    return isinstance(value, Rep)


class Rep:
    """A staged value. Operators and calls of methods write themselves into the program."""

    form: Form
    """What it is called."""

    def __init__(self, form: Form) -> None:
        object.__setattr__(self, "form", form)

    def __repr__(self) -> str:
        return f"Rep({self.form})"

    def __bool__(self) -> bool:
        raise StagingError(
            "the truth of a staged value is not known; decorate the function with @lms, or call "
            "if_, and_, or_ and not_ instead"
        )

    def __iter__(self) -> Iterator[Any]:
        raise StagingError(
            "how many items a staged value has is not known; go through their places"
        )

    __hash__ = object.__hash__

    def __call__(self, *arguments: Any) -> Rep:
        return reflect((self.form, *map(form_of, arguments)))

    def __getitem__(self, place: Any) -> Rep:
        return reflect((Symbol("idx"), self.form, form_of(place)))

    def __setitem__(self, place: Any, value: Any) -> None:
        reflect((Symbol("array-set"), self.form, form_of(place), form_of(value)))

    def __setattr__(self, name: str, value: Any) -> None:
        reflect((Symbol("setattr"), self.form, Symbol(name), form_of(value)))

    def __getattr__(self, name: str) -> Member:
        if name.startswith("__"):
            raise AttributeError(name)
        return Member(self, name)


class Member(Rep):
    """An attribute, which is read where it is asked for, unless it turns out that a method is
    called."""

    _read: tuple[list[Form], Form]
    _method: tuple[Form, Symbol]

    def __init__(self, owner: Rep, name: str) -> None:
        super().__init__(reflect((Symbol("getattr"), owner.form, Symbol(name))).form)
        block = current().blocks[-1]
        object.__setattr__(self, "_read", (block, block[-1]))
        object.__setattr__(self, "_method", (owner.form, Symbol(name)))

    def __call__(self, *arguments: Any) -> Rep:
        block, read = self._read
        block[:] = [form for form in block if form is not read]
        return reflect((Symbol("call"), *self._method, *map(form_of, arguments)))


def _binary(sign: str, swapped: bool) -> Callable[[Rep, Any], Rep]:
    def method(self: Rep, other: Any) -> Rep:
        sides = (self.form, form_of(other))
        return reflect((Symbol(sign), *(reversed(sides) if swapped else sides)))

    return method


def _unary(sign: str) -> Callable[[Rep], Rep]:
    def method(self: Rep) -> Rep:
        return reflect((Symbol(sign), self.form))

    return method


BINARY = {
    "add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%", "pow": "**",
    "matmul": "@", "and": "&", "or": "|", "xor": "^", "lshift": "<<", "rshift": ">>",
}  # fmt: skip
COMPARED = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
UNARY = {"neg": "neg", "pos": "pos", "invert": "invert", "abs": "abs"}

for _name, _sign in BINARY.items():
    setattr(Rep, f"__{_name}__", _binary(_sign, swapped=False))
    setattr(Rep, f"__r{_name}__", _binary(_sign, swapped=True))
for _name, _sign in COMPARED.items():
    setattr(Rep, f"__{_name}__", _binary(_sign, swapped=False))
for _name, _sign in UNARY.items():
    setattr(Rep, f"__{_name}__", _unary(_sign))
