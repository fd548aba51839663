"""The general rules that the laws are tried with: most of what a template can ask for, once each.

The callees are those of Python itself, so that any corpus has them.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from pinsetter.patterns.packs.pack import Pack, load


@dataclass(frozen=True)
class LawRule:
    """``words`` are what a file must have to be looked at; ``ends`` is whether a second run must be
    empty, which it is unless the template makes what the pattern is looking for."""

    id: str
    match: str
    edit: Mapping[str, Any]
    words: tuple[str, ...] = ()
    ends: bool = True


def _replaced(match: str, template: str, *words: str, ends: bool = True) -> LawRule:
    edit = {"replace": "$match", "with": template}
    return LawRule(_id(match, template), match, edit, words, ends)


def _id(match: str, template: str) -> str:
    plain = [c if c.isalnum() else " " for c in f"{match} to {template}"]
    return "-".join("".join(plain).lower().split())


def _edited(id: str, match: str, *words: str, ends: bool = False, **edit: Any) -> LawRule:
    return LawRule(id, match, edit, words, ends)


RULES = (
    # one argument, in a call, an operator, a chain, a display
    _replaced("len($x)", "size($x)", "len"),
    _replaced("int($x)", "$x.value", "int"),
    _replaced("type($x)", "$x.__class__", "type"),
    _replaced("set($x)", "{$x}", "set"),
    _replaced("list($x)", "[*$x]", "list"),
    _replaced("id($x)", "$x[0]", "id"),
    _replaced("str($a)", '$a + ""', "str"),
    _replaced("repr($x)", '$x or "none"', "repr"),
    _replaced("bool($x)", "not not $x", "bool"),
    _replaced("vars($x)", "$x == {}", "vars"),
    _replaced("callable($x)", "lambda: $x", "callable"),
    _replaced("abs($x)", "$x if $x > 0 else -$x", "abs"),
    _replaced("any($x)", "[y for y in $x if y]", "any"),
    _replaced("all($x)", "defer(lambda: $x)", "all"),
    _replaced("iter($x)", "(item for item in $x)", "iter"),
    _replaced("hash($x)", "{**$x}", "hash"),
    _replaced("float($x)", 'f"{first}" + second % $x', "float"),
    # several arguments, in another order, in operators, dropped
    _replaced("isinstance($a, $b)", "$b.check($a)", "isinstance"),
    _replaced("max($a, $b)", "$a ** $b", "max"),
    _replaced("min($a, $b)", "-$a", "min"),
    _replaced("divmod($a, $b)", "$b, $a", "divmod"),
    _replaced("issubclass($a, $b)", "$a < $b", "issubclass"),
    _replaced("$x.append($y)", "push($y, $x)", "append"),
    _replaced("$s.join($x)", "$x.glue($s)", "join"),
    # runs, and what stands before and behind them
    _replaced("range($...a)", "span($...a)", "range"),
    _replaced("dict($...a)", "make($...a, sorted=True)", "dict"),
    _replaced("getattr($x, $...r)", "fetch($...r, $x)", "getattr"),
    _replaced("setattr($x, $...r)", "put($x, $...r)", "setattr"),
    _replaced("print($...a)", 'log($...a, end="")', "print"),
    _replaced("open($p, $...r)", "$p.open($...r)", "open"),
    _replaced("sorted($x, $...r)", "ordered($...r, by=$x)", "sorted"),
    _replaced("sum($x, $...r)", "$x @ total($...r)", "sum"),
    _replaced("hasattr($...a)", "has(($...a,))", "hasattr"),
    _replaced("tuple($...a)", "[$...a]", "tuple"),
    _replaced("frozenset($...a)", "{$...a}", "frozenset"),
    _replaced("zip($...a)", "table[$...a]", "zip"),
    _replaced("$x.format($...a)", "fill($...a)($x)", "format"),
    # operators and other forms
    _replaced("$a == $b", "eq($a, $b)", "=="),
    _replaced("$a in $b", "$b.holds($a)", " in "),
    _replaced("$a is None", "none($a)", "is"),
    _replaced("$a + $b", "add($a, $b)", "+"),
    _replaced("$a % $b", "mod($a, $b)", "%"),
    _replaced("-$x", "minus($x)", "-"),
    _replaced("not $x", "neg($x)", "not"),
    _replaced("$a and $b", "both($a, $b)", "and"),
    _replaced("$a or $b", "$b | $a", "or"),
    _replaced("$a if $b else $c", "choose($b, $a, $c)", "else"),
    _replaced("lambda: $x", "const($x)", "lambda"),
    _replaced("$x[$i]", "get($x, $i)", "["),
    _replaced("await $x", "wait($x)", "await"),
    _replaced("$x.items()", "pairs($x)", "items"),
    # the other edits
    _edited("wrap-match", "round($...a)", "round", wrap="$match", **{"with": "$it * 2"}),
    _edited("wrap-argument", "len($x)", "len", wrap="$x", **{"with": "list($it)"}),
    _edited("wrap-receiver", "$x.split($...a)", "split", wrap="$x", **{"with": "-$it"}),
    _edited("replace-argument", "len($x)", "len", replace="$x", **{"with": "$x, 1"}),
    _edited("replace-callee", "$f.strip($...a)", "strip", replace="$f", **{"with": "$f or none"}),
    _edited("append-keyword", "range($...a)", "range", append="checked=True"),
    _edited("argument-keyword", "open($p, $...r)", "open", argument="encoding",
            **{"with": "fix + $it"}),
    _edited("guard-call", "print($...a)", "print", guard="first()"),
    _edited("guard-calls-together", "print($...a)", "print", guard="first()", join=True),
    _edited("insert-before", "print($...a)", "print", insert="begin_mark()", place="before"),
    _edited("insert-after", "isinstance($a, $b)", "isinstance", insert="end_mark()", place="after"),
)  # fmt: skip

# Rules by what they still get wrong; their laws are not asked for.
OPEN: dict[str, str] = {}
SETTLED = tuple(rule for rule in RULES if rule.id not in OPEN)


@cache
def pack() -> Pack:
    """All of RULES as one pack."""
    return pack_of_laws(RULES)


def pack_of_laws(rules: tuple[LawRule, ...]) -> Pack:
    """A pack of some rules, which must load."""
    data: dict[str, Any] = {"pack": "laws", "summary": "Rules to try laws with."}
    data["rules"] = [
        {
            "id": rule.id, "title": rule.id, "why": "To try laws with.", "match": rule.match,
            "edit": dict(rule.edit), "examples": [{"unchanged": "pass\n"}],
        }
        for rule in rules
    ]  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "laws.yaml"
        path.write_text(yaml.safe_dump(data, sort_keys=False), encoding="utf-8")
        loaded = load(path)
    if not isinstance(loaded, Pack):
        raise TypeError(f"the rules are no pack: {loaded}")
    return loaded
