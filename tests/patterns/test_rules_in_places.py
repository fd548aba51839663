"""Every general rule with every expression of the zoo in each of its metavariables, in many places.

All of one rule is one program, so that it costs little. PINSETTER_ZOO=all tries every place with
every expression.
"""

import ast
import os
from collections.abc import Iterator
from itertools import cycle

import pytest
from law_rules import SETTLED, LawRule
from oracle import built, equal
from rule_laws import is_compiled, opened, tree_of, tried
from zoo import ZOO, expression

PLACES = (
    "_", "x = _", "x = 2 * _", "x = _ ** 2", "x = 2 ** _", "x = -_", "x = _.d", "x = _[0]",
    "x = y[_]", "f(_)", "f(_, k=1)", "f(k=_)", "f(*_)", "f(**_)", "x = not _", "x = _ == y",
    "x = y in _", "x = _ and y", "x = y or _", "x = _ if y else z", "x = y if _ else z",
    "x = y if z else _", "x = [_, y]", "x = (_,)", "x = {_: _}", "x = {**y, **_}", "x = [*_]",
    "x = [i for i in _ if _]", "f(_ for i in y)", "x = lambda: _", "x = f'{_}'",
    "x = f'{_!r:>{y}}'",
    "x = await _", "assert _, _", "if _: pass", "while _: break", "for i in _: pass",
    "async with _ as y: pass", "x: _ = _", "x += _", "x[_] = _", "del x[_]", "(x := _)",
    "x = _, y", "x = yield _", "raise _ from _", "def g(p: _ = _) -> _: pass", "x = (_)",
    "@_\ndef g(): pass", "class C(_): pass", "other(_); x = _", "x = y - _", "x = _ - y",
    "x = (\n    # above\n    _\n    # below\n)", "f(_,  # behind\n)", "print(_, end='')",
)  # fmt: skip
_RUNS = ("_", "y, _", "*_", "**_", "k=_", "y, *_, k=_", "")


def statements(rule: LawRule, every: bool) -> Iterator[str]:
    """The rule's pattern in places, with expressions; those that Python compiles."""
    names = rule.match.replace("$...", "$").split("$")[1:]
    slots = dict.fromkeys("".join(_word(name)) for name in names)
    places = cycle(PLACES)
    for slot in slots:
        for text in ZOO.values():
            for _ in PLACES if every else range(1):
                made = placed(rule, slot, text.replace("X", "own"), next(places))
                if made is not None:
                    yield made


def _word(text: str) -> str:
    return next((text[:n] for n, c in enumerate(text) if not (c.isalnum() or c == "_")), text)


def placed(rule: LawRule, slot: str, text: str, place: str) -> str | None:
    """One statement; in parentheses is only what Python needs so."""
    code = rule.match
    run = f"$...{slot}" in code
    around = _RUNS[len(text) % len(_RUNS)] if run else "_"
    found = code.replace(f"$...{slot}" if run else f"${slot}", around.replace("_", "one__zoo"))
    found = found.replace("$...", "").replace("$", "")
    node = expression(text)
    marked = tree_of(in_function(place.replace("_", found)))
    if marked is None:
        marked = tree_of(in_function(place.replace("_", f"({found})")))
        found = f"({found})"
    if marked is None or node is None:
        return None
    wanted = built(marked, {"zoo": node})
    for written in (text, f"({text})"):
        statement = place.replace("_", found.replace("one__zoo", written))
        program = in_function(statement)
        tree = tree_of(program)
        if tree is not None and is_compiled(program) and equal(tree, wanted):
            return statement
    return None


def in_function(statement: str) -> str:
    lines = ["async def function():", *("    " + line for line in statement.split("\n"))]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("rule", SETTLED, ids=lambda rule: rule.id)
def test_every_expression(rule: LawRule) -> None:
    programs = [
        in_function(statement)
        for statement in statements(rule, os.environ.get("PINSETTER_ZOO") == "all")
    ]
    assert programs, "the pattern stands nowhere"
    given = opened("".join(programs))
    assert given is not None
    if not tried(given, rule, "program").broken:
        return
    wrong = []
    for program in programs:
        alone = opened(program)
        assert alone is not None
        wrong += [(program, one) for one in tried(alone, rule, "program").broken]
    assert not wrong, "\n\n".join(
        f"{one.law}:\n{program}becomes\n{one.result}\nnot\n{one.wanted}" for program, one in wrong
    )


def test_places_are_python() -> None:
    for place in PLACES:
        ast.parse(in_function(place.replace("_", "a")))
