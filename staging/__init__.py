"""What virtualized programs call: ``if``, ``while`` and ``for`` as functions, and staging.

Nothing else of Pinsetter is imported when a program runs that was rewritten; ``lms`` alone, which
rewrites when a function is defined, asks for it then.
"""

from __future__ import annotations

from .cells import NonLocalReturnValue, assign, read, return_, update, var
from .control import and_, for_, if_, if_expression, not_, or_, while_
from .signals import BREAK, CONTINUE, Return, Signal, Unbound

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = [
    "BREAK", "CONTINUE", "NonLocalReturnValue", "Rep", "Return", "Signal", "StagingError",
    "StagingWarning", "Unbound", "and_", "assign",
    "compile_to_c", "for_", "gradient", "if_", "if_expression", "interpret", "len_", "lms", "not_",
    "or_", "parsed", "print_", "printed", "range_", "read", "reflect", "register", "reify",
    "rep_fun", "return_", "stage", "stage_lambda", "torchscript", "update", "var", "while_",
]  # fmt: skip

# What plain programs never need is imported when it is asked for.
_LATER = {
    "Rep": "rep", "reflect": "rep", "reify": "rep", "StagingError": "errors",
    "StagingWarning": "errors",
    "interpret": "interpreter", "len_": "rep_backend", "print_": "rep_backend",
    "range_": "rep_backend", "lms": "decorator", "parsed": "sexpr", "printed": "sexpr",
    "compile_to_c": "c_backend", "gradient": "c_backend", "torchscript": "torch_backend",
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
