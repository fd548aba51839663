"""What is named: classes of the library by a text in the code, the pack's own definitions."""

from __future__ import annotations

from typing import Any

from fissix.pygram import python_symbols as symbols

from ..matching.match import Match
from .arguments import NAMES, QUALIFIED
from .registry import predicate


@predicate(NAMES)
def handed_to(match: Match, names: Any) -> Match | None:
    """The match as a whole is an argument of a call of one of the pack's definitions.

    ::

        match: f($x)
        definitions:
          first_only: |
            def first_only(call):
                return call
        where: [{handed_to: [first_only]}]
        holds:
          - |
            def first_only(call):
                return call
            first_only(f(1))
        fails:
          - first_only(f(1))
          - |
            def first_only(call):
                return call
            first_only([f(1)])
    """
    node = match.expression[-1]
    if node.parent is not None and node.parent.type == symbols.power:
        node = node.parent
    definitions = match.facts.evaluator.definitions
    for call in match.module.tree.calls:
        if any(argument.value is node for argument in call.arguments):
            called = match.facts.evaluator.names(call.callee, match.module)
            if any(name in definitions and definitions[name].scope.name in names
                   for name in called):  # fmt: skip
                return match
    return None


@predicate(QUALIFIED)
def imports(match: Match, names: Any) -> Match | None:
    """The match's module imports one of the names (a module, or what a module has), or something
    of one, in any form: ``imports: [datetime.timezone]`` holds for
    ``from datetime import date, timezone``.

    ::

        match: $x.utcnow()
        where: [{imports: [datetime.timezone]}]
        holds:
          - |
            from datetime import datetime, timezone
            datetime.utcnow()
          - |
            from datetime import timezone as tz
            now = datetime.utcnow()
        fails:
          - |
            from datetime import datetime
            datetime.utcnow()
          - |
            import datetime
            datetime.datetime.utcnow()
    """
    for _, target in match.module.imports:
        if not target.level:
            whole = f"{target.module}.{target.name}" if target.name else target.module
            if any(f"{whole}.".startswith(f"{name}.") for name in names):
                return match
    return None
