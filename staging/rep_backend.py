"""What staged values do in the place of Python: they write ``if`` and ``while`` into programs."""

from __future__ import annotations

from .backends import register
from .errors import StagingError, error_in
from .rep import Rep, begin, form_of, is_staged, reflect, reify, session
from .sexpr import Symbol
from .signals import CONTINUE
from .slots import shared
from .staged_flow import has_effects, staged_if, staged_while

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any

    from .signals import Left


class StagedRange:
    """A ``range`` of which a limit is staged."""

    def __init__(self, start: Any, stop: Any, step: int) -> None:
        self.start, self.stop, self.step = start, stop, step

    def __iter__(self) -> Iterator[Any]:
        return iter(self.stop)  # which says that it cannot


class RepBackend:
    """The back end of Rep."""

    overloads: Mapping[Any, Callable[..., Any]] = {}

    def takes(self, value: Any) -> bool:
        return True

    def if_(
        self, test: Any, then: Callable[[], Left], rest: Sequence[Any], state: str | None
    ) -> Left:
        return staged_if(test, then, rest)

    def while_(
        self,
        asked: Any,
        test: Callable[[], Any],
        body: Callable[[], Left],
        otherwise: Any,
        state: str | None,
        options: Mapping[str, Any] | None,
    ) -> Left:
        if not shared(test) and not has_effects(test):
            return staged_while(test, body, otherwise)
        # What it does, and binds, has happened once: it is asked again behind each turn.
        going = reflect((Symbol("new"),))
        reflect((Symbol("set"), going.form, form_of(asked)))

        def turn() -> Left:
            signal = body()
            if signal is None or signal is CONTINUE:
                reflect((Symbol("set"), going.form, form_of(test())))
            return signal

        def again() -> Rep:
            return reflect((Symbol("get"), going.form))

        return staged_while(again, turn, otherwise, body, test)

    def for_(
        self,
        items: Any,
        body: Callable[[Any], Left],
        otherwise: Any,
        state: str | None,
        until: Callable[[], Any] | None,
        options: Mapping[str, Any] | None,
    ) -> Left:
        if until is not None:
            raise error_in(body, "a staged `for` is left by a break")
        if isinstance(items, Rep):
            items, places = StagedRange(0, len_(items), 1), items
            return self._counted(items, lambda at: body(places[at]), body, otherwise)
        return self._counted(items, body, body, otherwise)

    def _counted(
        self, items: StagedRange, block: Callable[[Any], Left], body: Any, otherwise: Any
    ) -> Left:
        at = items.start

        def test() -> Any:
            return at < items.stop if items.step > 0 else at > items.stop

        def turn() -> Left:
            nonlocal at
            signal = block(at)
            at = at + items.step
            return signal

        return staged_while(test, turn, otherwise, body)

    def if_expression(
        self, test: Any, then: Callable[[], Any], otherwise: Callable[[], Any]
    ) -> Any:
        blocks = (begin(*reify(one)) for one in (then, otherwise))
        return reflect((Symbol("if"), form_of(test), *blocks))

    def and_(self, value: Any, following: Callable[[], Any]) -> Any:
        return self.if_expression(value, following, lambda: value)

    def or_(self, value: Any, following: Callable[[], Any]) -> Any:
        return self.if_expression(value, lambda: value, following)

    def not_(self, value: Any) -> Any:
        return reflect((Symbol("not"), form_of(value)))

    def rest_of_for(
        self,
        items: Iterator[Any],
        body: Callable[[Any], Left],
        otherwise: Any,
        state: str | None,
        until: Callable[[], Any],
    ) -> Left:
        raise error_in(body, "a break out of a loop of Python's depends on what is staged")

    def check(self, test: Any, message: Callable[[], Any] | None) -> None:
        raise StagingError("an assertion cannot be staged")

    def set_item(self, owner: Any, key: Any, value: Any) -> Any:
        owner[key] = value
        return owner

    def scope(self, name: str) -> None:
        return None

    def checked(self, value: Any) -> Any:
        raise StagingError(f"{value.name!r} may have no value")


register(Rep, RepBackend())
register(StagedRange, RepBackend())


def print_(*values: Any, **more: Any) -> Any:
    """``print``; it is written into the program that is staged where it has staged values, or
    stands in a block of the program, and happens at once elsewhere."""
    here = session()
    if here is not None and (len(here.blocks) > 1 or any(map(is_staged, values))) and not more:
        reflect((Symbol("print"), *map(form_of, values)))
    else:
        print(*values, **more)


def range_(*limits: Any) -> Any:
    """``range``, of which a limit may be staged; not the step."""
    if not any(map(is_staged, limits)):
        return range(*limits)
    start, stop, step = (0, *limits, 1) if len(limits) == 1 else (*limits, 1)[:3]
    return StagedRange(start, stop, step)


def len_(value: Any) -> Any:
    """``len``, also of what is staged."""
    return reflect((Symbol("len"), form_of(value))) if is_staged(value) else len(value)
