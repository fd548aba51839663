"""The parser's tables: fissix's rules with new ones, in fissix's numbers; made once and kept."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from fissix import pygram, pytree
from fissix.patcomp import PatternCompiler
from fissix.pgen2 import token
from fissix.pgen2.pgen import generate_grammar
from syntax_trees import EXEC_STATEMENT, FUNCTIONS, STATEMENTS, nodes, tree_of, type_name

from pinsetter.analyzer.syntax import grammar as grammars
from pinsetter.analyzer.syntax.grammar import Grammar

GRAMMAR = grammars.load()
ORIGINAL = generate_grammar(pygram._GRAMMAR_FILE)
NEW = sorted(set(GRAMMAR.numbers) - set(ORIGINAL.symbol2number))

# A text in which each new symbol occurs as a node of its own; each has several children there.
SHOWN = {
    "except_star_block": "try: pass\nexcept* A: pass\n",
    "type_stmt": "type X = int\n",
    "type_params": "class A[T]: pass\n",
    "type_param": "class A[T: int]: pass\n",
    "match_stmt": "match x:\n    case 1: pass\n",
    "subject_expr": "match x, y:\n    case 1: pass\n",
    "case_block": "match x:\n    case 1: pass\n",
    "guard": "match x:\n    case 1 if y: pass\n",
    "open_sequence_pattern": "match x:\n    case 1, 2: pass\n",
    "as_pattern": "match x:\n    case 1 as y: pass\n",
    "or_pattern": "match x:\n    case 1 | 2: pass\n",
    "complex_number": "match x:\n    case 1 + 2j: pass\n",
    "signed_number": "match x:\n    case -1: pass\n",
    "strings": "match x:\n    case 'a' 'b': pass\n",
    "attr": "match x:\n    case a.b: pass\n",
    "class_pattern": "match x:\n    case A(): pass\n",
    "keyword_pattern": "match x:\n    case A(b=1): pass\n",
    "group_pattern": "match x:\n    case (a): pass\n",
    "sequence_pattern": "match x:\n    case [a]: pass\n",
    "maybe_sequence_pattern": "match x:\n    case [a, b]: pass\n",
    "star_pattern": "match x:\n    case [*a]: pass\n",
    "mapping_pattern": "match x:\n    case {}: pass\n",
    "items_pattern": "match x:\n    case {1: a, 2: b}: pass\n",
    "key_value_pattern": "match x:\n    case {1: a}: pass\n",
    "double_star_pattern": "match x:\n    case {**a}: pass\n",
}
# Always has a single child, and is never a node.
COLLAPSED = {"closed_pattern"}


# ---------------------------------------------------------------- the rules


def clashes(grammar: Grammar) -> set[tuple[str, str]]:
    """The rules, and the tokens, of states in which more than one arc takes the token."""
    found = set()
    for symbol, states in grammar.states.items():
        for state in states:
            taken: set[str] = set()
            for arc in state.arcs:
                first = set(grammar.first.get(arc, {arc}))
                found |= {(symbol, label) for label in taken & first}
                taken |= first
    return found


def test_no_two_arcs_of_a_state_take_the_same_token() -> None:
    assert clashes(GRAMMAR) == set()


def nullable(grammar: Grammar) -> set[str]:
    return {symbol for symbol, states in grammar.states.items() if states[0].final}


def test_no_rule_can_be_empty() -> None:
    assert not nullable(GRAMMAR) - {"file_input"}


def test_every_label_is_a_rule_or_a_token() -> None:
    tokens = set(token.tok_name.values())
    for states in GRAMMAR.states.values():
        for state in states:
            for label in state.arcs:
                if label in GRAMMAR.states:
                    continue
                assert label in tokens or not label.isupper()
    assert set(GRAMMAR.first) == set(GRAMMAR.states) == set(GRAMMAR.numbers)


def test_all_of_fissix_rules_are_there() -> None:
    assert set(ORIGINAL.symbol2number) <= set(GRAMMAR.states)


# ---------------------------------------------------------------- the symbols


def test_fissix_symbols_keep_their_numbers() -> None:
    for name, number in ORIGINAL.symbol2number.items():
        assert GRAMMAR.numbers[name] == number
        assert getattr(pygram.python_symbols, name) == number
        assert pytree.type_repr(number) == name
        for tables in (FUNCTIONS, EXEC_STATEMENT, STATEMENTS):
            assert tables.symbol2number[name] == number
            assert tables.number2symbol[number] == name


def test_new_symbols_have_numbers_of_their_own_above() -> None:
    numbers = [GRAMMAR.numbers[name] for name in NEW]
    assert len(set(GRAMMAR.numbers.values())) == len(GRAMMAR.numbers)
    assert min(numbers) > max(ORIGINAL.symbol2number.values())
    assert min(numbers) > 255


@pytest.mark.parametrize("name", NEW)
def test_fissix_knows_the_new_symbols(name: str) -> None:
    number = GRAMMAR.numbers[name]
    assert getattr(pygram.python_symbols, name) == number
    assert pytree.type_repr(number) == name
    for tables in (FUNCTIONS, EXEC_STATEMENT, STATEMENTS):
        assert tables.symbol2number[name] == number
        assert tables.number2symbol[number] == name


def test_every_new_symbol_is_shown() -> None:
    assert set(SHOWN) | COLLAPSED == set(NEW)


@pytest.mark.parametrize(("name", "text"), SHOWN.items(), ids=SHOWN)
def test_patterns_match_the_new_symbols(name: str, text: str) -> None:
    pattern = PatternCompiler().compile_pattern(f"{name}< any* > | found={name}")
    matched = [node for node in nodes(tree_of(text)) if pattern.match(node)]
    assert matched
    assert {type_name(node) for node in matched} == {name}


@pytest.mark.parametrize("name", NEW)
def test_patterns_with_the_new_symbols_compile(name: str) -> None:
    pattern = PatternCompiler().compile_pattern(f"{name}< first=any rest=any* >")
    assert pattern.type == GRAMMAR.numbers[name]


# ---------------------------------------------------------------- the cache


def cached(folder: Path) -> list[Path]:
    return sorted(folder.iterdir()) if folder.is_dir() else []


def test_one_file_is_written_and_read_again(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "b"
    first = grammars.load(folder)
    [file] = cached(folder)
    written = file.stat().st_mtime_ns, file.read_bytes()
    assert grammars.load(folder) == first == GRAMMAR
    assert cached(folder) == [file]
    assert (file.stat().st_mtime_ns, file.read_bytes()) == written


def test_what_is_in_the_file_is_used(tmp_path: Path) -> None:
    grammars.load(tmp_path)
    [file] = cached(tmp_path)
    data = json.loads(file.read_bytes())
    data["numbers"]["file_input"] = 9999
    file.write_text(json.dumps(data))
    assert grammars.load(tmp_path).numbers["file_input"] == 9999


DAMAGED = {
    "empty": b"",
    "truncated": b'{"numbers": {"file_input": 256',
    "no JSON": b"not JSON",
    "no text": b"\xff\xfe\x00\x01",
    "null": b"null",
    "number": b"1",
    "string": b'"text"',
    "list": b"[]",
    "empty object": b"{}",
    "other names": b'{"a": 1}',
    "wrong states": b'{"numbers": {}, "states": [], "first": {}}',
    "wrong first": b'{"numbers": {}, "states": {}, "first": [1]}',
    "wrong state": b'{"numbers": {}, "states": {"file_input": [1]}, "first": {}}',
    "short state": b'{"numbers": {}, "states": {"file_input": [[{}]]}, "first": {}}',
}
EMPTY_TABLES = {
    "empty tables": b'{"numbers": {}, "states": {}, "first": {}}',
    "wrong numbers": b'{"numbers": [], "states": {}, "first": {}}',
    "nested": b"[" * 100_000,
}


def replaced(folder: Path, content: bytes) -> None:
    grammars.load(folder)
    [file] = cached(folder)
    good = file.read_bytes()
    file.write_bytes(content)
    assert grammars.load(folder) == GRAMMAR
    assert cached(folder) == [file]
    assert file.read_bytes() == good


@pytest.mark.parametrize("content", DAMAGED.values(), ids=DAMAGED)
def test_a_damaged_file_is_replaced(tmp_path: Path, content: bytes) -> None:
    replaced(tmp_path, content)


@pytest.mark.parametrize("content", EMPTY_TABLES.values(), ids=EMPTY_TABLES)
def test_a_file_of_other_tables_is_replaced(tmp_path: Path, content: bytes) -> None:
    replaced(tmp_path, content)


def test_half_a_file_is_replaced(tmp_path: Path) -> None:
    grammars.load(tmp_path)
    [file] = cached(tmp_path)
    replaced(tmp_path, file.read_bytes()[: file.stat().st_size // 2])


def test_a_folder_in_the_place_of_the_file_is_left_alone(tmp_path: Path) -> None:
    grammars.load(tmp_path)
    [file] = cached(tmp_path)
    file.unlink()
    file.mkdir()
    assert grammars.load(tmp_path) == GRAMMAR
    assert cached(tmp_path) == [file]


def test_a_folder_that_cannot_be_made_is_done_without(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("text")
    for folder in (file, file / "folder", tmp_path / ("a" * 300)):
        assert grammars.load(folder) == GRAMMAR
    assert cached(tmp_path) == [file]
    assert file.read_text() == "text"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_folder_is_done_without(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir(mode=0o500)
    assert grammars.load(folder) == GRAMMAR
    assert cached(folder) == []


def test_a_write_that_fails_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(os, "replace", refuse)
    assert grammars.load(tmp_path) == GRAMMAR
    assert cached(tmp_path) == []


def test_other_rules_have_a_file_of_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    grammars.load(tmp_path)
    [file] = cached(tmp_path)
    changed = tmp_path / "Grammar.txt"
    changed.write_text(Path(pygram._GRAMMAR_FILE).read_text("utf-8") + "\nextra: NAME NAME\n")
    monkeypatch.setattr(pygram, "_GRAMMAR_FILE", str(changed))
    other = grammars.load(tmp_path)
    assert "extra" in other.numbers
    assert len(cached(tmp_path)) == 3
    assert file in cached(tmp_path)


LOAD = """
import sys
from pathlib import Path
from pinsetter.analyzer.syntax import grammar
while not Path(sys.argv[2]).exists():
    pass
print(len(grammar.load(Path(sys.argv[1])).states))
"""


def test_processes_that_start_together_leave_one_file(tmp_path: Path) -> None:
    folder, start = tmp_path / "folder", tmp_path / "start"
    arguments = [sys.executable, "-c", LOAD, str(folder), str(start)]
    running = [
        subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(4)
    ]
    start.write_text("now")
    for process in running:
        out, errors = process.communicate(timeout=60)
        assert process.returncode == 0, errors
        assert out.strip() == str(len(GRAMMAR.states))
    assert len(cached(folder)) == 1
