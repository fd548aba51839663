"""What is named: classes of the library by a text in the code, the pack's own definitions."""

from __future__ import annotations

from typing import Any

from fissix.pgen2 import token
from fissix.pygram import python_symbols as symbols

from pinsetter.analyzer.syntax.fstring import is_fstring
from pinsetter.analyzer.syntax.tree import unwrap

from ..matching.match import Match
from .arguments import GIVEN, NAMES, QUALIFIED, TEXT, keys, mapping
from .registry import predicate


@predicate(keys({"text": TEXT, "in": TEXT, "as": GIVEN}, {"defaults": mapping(TEXT)}))
def names_class(match: Match, argument: Any) -> Match | None:
    """``{text, in, as, defaults?}``: the literal string $x, or a text, names a class of the library
    module without regard to case; its name is given as $as, the defaults of parameters of its
    constructor by ``defaults: {name: parameter}``.

    ::

        match: $logger.addHandler(make($name))
        where: [{names_class: {text: $name, in: logging, as: class}}]
        holds:
          - "log.addHandler(make('streamhandler'))"
        captures: {class: StreamHandler}
        fails:
          - "log.addHandler(make('basicConfig'))"
          - log.addHandler(make(name))
    """
    text = argument["text"]
    if text.startswith("$"):
        nodes = unwrap(match.capture(text))
        if len(nodes) != 1 or nodes[0].type != token.STRING or is_fstring(nodes[0]):
            return None
        text = nodes[0].value.lstrip("rRuUbB").strip("\"'")
    library = match.facts.library
    place = library.canonical(argument["in"])
    for name, known in library.classes.items():
        module, _, own = name.rpartition(".")
        if module == place and own.lower() == text.lower():
            texts = {argument["as"]: own}
            for given, parameter in argument.get("defaults", {}).items():
                found = known.parameter(parameter)
                if found is None or found.default is None:
                    return None
                texts[given] = found.default
            return match.with_texts(texts)
    return None


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
