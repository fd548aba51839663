"""Grammar: fissix's own rules with additions.txt laid over them, as tables to parse with.

The rules are read from the installed fissix and go through its ``pgen`` together with ours. Symbols
of fissix's keep their numbers and the new ones follow, so that patterns, selectors and helpers that
were written against fissix keep meaning what they did. The tables take about 0.2 s to make and are
kept in the user's cache folder, under a name that changes with everything they are made from.
"""

from __future__ import annotations

import hashlib
import io
import json
import re
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from fissix import pygram, pytree
from fissix.pgen2.pgen import ParserGenerator

from ..files import user_cache

START = "file_input"
# What a cached file looks like; to be raised whenever that changes.
_FORMAT = 1


@dataclass(frozen=True)
class State:
    """One state of a rule's automaton.

    ``arcs`` leads from a label to the next state's index. A label is a symbol's name, a token's
    name in capitals, or a keyword or operator as it is written. ``final``: the rule may end here.
    """

    arcs: dict[str, int]
    final: bool


@dataclass(frozen=True)
class Grammar:
    """``states`` and ``first`` (the tokens that can begin it) for each symbol's name."""

    numbers: dict[str, int]
    states: dict[str, list[State]]
    first: dict[str, frozenset[str]]


def load(folder: Path | None = None) -> Grammar:
    """Return the tables, from the cache in ``folder`` (default: the user's) if they are there.

    A cache that cannot be read is made anew; one that cannot be written is done without.
    """
    base = _read(Path(pygram._GRAMMAR_FILE))
    additions = resources.files(__package__).joinpath("additions.txt").read_text("utf-8")
    key = hashlib.sha256(f"{_FORMAT}\0{base}\0{additions}".encode()).hexdigest()[:16]
    path = (folder or user_cache.folder()) / f"grammar-{key}.json"
    try:
        grammar = _from_json(json.loads(path.read_bytes()))
        if grammar.numbers.keys() == grammar.states.keys() == grammar.first.keys() >= {START}:
            return grammar
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        pass
    data = _generate(base, additions)
    user_cache.keep(path, json.dumps(data))
    return _from_json(data)


def register(grammar: Grammar) -> None:
    """Tell fissix of the new symbols, so that its pattern compiler and traversals know them."""
    for tables in (
        pygram.python_grammar,
        pygram.python_grammar_no_print_statement,
        pygram.python_grammar_no_print_and_exec_statement,
    ):
        tables.symbol2number.update(grammar.numbers)
        tables.number2symbol.update({number: name for name, number in grammar.numbers.items()})
    for name, number in grammar.numbers.items():
        setattr(pygram.python_symbols, name, number)
    pytree._type_reprs.clear()  # filled from the symbols when it is next asked


def _rules(text: str) -> dict[str, str]:
    """The text of each rule; comments between rules go with the rule before them."""
    parts = re.split(r"(?m)^(?=\w+:)", text)[1:]
    return {part.partition(":")[0]: part for part in parts}


def _generate(base: str, additions: str) -> dict[str, Any]:
    rules = {**_rules(base), **_rules(additions)}
    made = ParserGenerator("additions.txt", io.StringIO("".join(rules.values())))
    known = pygram.python_grammar.symbol2number
    numbers = {name: known[name] for name in made.dfas if name in known}
    new = [name for name in made.dfas if name not in numbers]
    numbers.update({name: number for number, name in enumerate(new, max(numbers.values()) + 1)})
    states = {
        name: [
            [
                {
                    _label(label): dfa.index(target)
                    # pgen's own order: where two arcs take a token, the first one counts.
                    for label, target in sorted(state.arcs.items())
                },
                state.isfinal,
            ]
            for state in dfa
        ]
        for name, dfa in made.dfas.items()
    }
    first = {name: sorted(map(_label, labels)) for name, labels in made.first.items()}
    return {"numbers": numbers, "states": states, "first": first}


def _label(written: str) -> str:
    return written[1:-1] if written[0] in "\"'" else written


def _from_json(data: dict[str, Any]) -> Grammar:
    states = {
        name: [State(arcs, final) for arcs, final in states]
        for name, states in data["states"].items()
    }
    first = {name: frozenset(labels) for name, labels in data["first"].items()}
    return Grammar(data["numbers"], states, first)


def _read(path: Path) -> str:
    return path.read_text("utf-8")
