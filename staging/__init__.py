"""What virtualized programs call: ``if``, ``while`` and ``for`` as functions, and staging.

Nothing else of Pinsetter is imported when a program runs that was rewritten; ``lms`` alone, which
rewrites when a function is defined, asks for it then.
"""

from __future__ import annotations

from .backends import scope
from .cells import NonLocalReturnValue, assign, read, return_, update, var
from .control import (
    and_,
    assert_,
    at,
    compare,
    for_,
    if_,
    if_expression,
    not_,
    or_,
    set_item,
    while_,
)
from .signals import BREAK, CONTINUE, Return, Signal, Unbound
from .undefined import UNDEFINED, ld, returned

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = [
    "BREAK",
    "CONTINUE",
    "UNDEFINED",
    "NonLocalReturnValue",
    "Rep",
    "Return",
    "Signal",
    "StagingError",
    "StagingTypeError",
    "StagingValueError",
    "StagingWarning",
    "Unbound",
    "and_",
    "assert_",
    "assign",
    "at",
    "call",
    "compare",
    "compile_to_c",
    "convert",
    "do_not_convert",
    "for_",
    "gradient",
    "if_",
    "if_expression",
    "interpret",
    "ld",
    "len_",
    "lms",
    "not_",
    "or_",
    "parsed",
    "print_",
    "printed",
    "range_",
    "read",
    "reflect",
    "register",
    "reify",
    "rep_fun",
    "return_",
    "returned",
    "scope",
    "set_item",
    "set_loop_options",
    "stage",
    "stage_lambda",
    "to_code",
    "torchscript",
    "update",
    "var",
    "while_",
]  # fmt: skip

# TensorFlow's own AutoGraph looks for this, and runs what has it as it is.
for _own in (and_, assert_, compare, for_, if_, if_expression, ld, not_, or_, returned, set_item,
             while_):  # fmt: skip
    vars(_own)["autograph_info__"] = {}

# What plain programs never need is imported when it is asked for.
_LATER = {
    "Rep": "rep", "reflect": "rep", "reify": "rep", "StagingError": "errors",
    "StagingTypeError": "errors", "StagingValueError": "errors", "StagingWarning": "errors",
    "interpret": "interpreter", "len_": "rep_backend", "print_": "rep_backend",
    "range_": "rep_backend", "lms": "decorator", "parsed": "sexpr", "printed": "sexpr",
    "compile_to_c": "c_backend", "gradient": "c_backend", "torchscript": "torch_backend",
    "call": "conversion", "convert": "conversion", "do_not_convert": "conversion",
    "set_loop_options": "conversion", "to_code": "conversion",
    "register": "backends", "rep_fun": "staged", "stage": "staged", "stage_lambda": "staged",
}  # fmt: skip


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    # Staged values bring their back end along.
    import_module(".rep_backend", __name__)
    found = getattr(import_module(f".{_LATER[name]}", __name__), name)
    globals()[name] = found
    return found
