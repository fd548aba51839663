"""ParsedLeaf, ParsedNode: as fissix's own, in less memory."""

from __future__ import annotations

import copy
import pickle

import pytest
from fissix.pgen2 import token
from fissix.pytree import Leaf, Node

from pinsetter.analyzer.syntax import parse
from pinsetter.analyzer.syntax.tree import Tree, leaves

TEXTS = [
    "",
    "a",
    "a\n",
    "\ufeffa = 1\n",
    "\ufeff# x\n\na = 1",
    "if a:\n    b",
    "if a:\n    if b:\n\tc\n  # x\n\n",
    "if a:\r\n    b\r\n# d\r",
    "a\\\n + b\n",
    'a = """x\ny"""; b = f"{c}{d:{e}}"\n',
    'f"""{\na\n}""" + f"{f(b)!r:>{c}}"\n',
]


@pytest.mark.parametrize("text", TEXTS)
def test_a_leaf_stands_where_what_comes_before_it_ends(text: str) -> None:
    tree = Tree(parse(text), text)
    offset = 0
    for leaf in leaves(tree.root):
        offset += len(leaf.prefix)
        assert tree.leaf_start(leaf) == offset
        offset += len(leaf.value)
    assert offset == len(text)


@pytest.mark.parametrize("text", TEXTS)
def test_what_stands_inside_strings_stands_there_in_the_file(text: str) -> None:
    tree = Tree(parse(text), text)
    for root in tree.roots[1:]:
        for leaf in leaves(root):
            if leaf.value not in "()" and leaf.type == token.NAME:
                assert text.startswith(leaf.value, tree.start(leaf))


@pytest.mark.parametrize("text", TEXTS)
def test_copies_are_equal_and_say_the_same(text: str) -> None:
    root = parse(text)
    for other in (root.clone(), copy.deepcopy(root), pickle.loads(pickle.dumps(root))):
        assert str(other) == text
        assert root == other
        assert other == root


def test_leaves_that_were_made_otherwise_are_equal() -> None:
    first = next(leaves(parse("a = 1\n")))
    assert first == Leaf(token.NAME, "a")
    assert Leaf(token.NAME, "a") == first
    assert first != Leaf(token.NAME, "b")
    assert first != parse("a\n")
    assert first != "a"
    assert Node(first.parent.type, []) != first.parent


def test_what_is_alike_is_kept_once() -> None:
    text = "if a:\n    b = 'same'\n    c = 'same'\n    d = 12345\n    e = 12345\n"
    of_name = {leaf.value: leaf for leaf in leaves(parse(text)) if leaf.type == token.NAME}
    assert of_name["d"].prefix is of_name["e"].prefix
    first, second = (leaf.value for leaf in leaves(parse(text)) if leaf.type == token.STRING)
    assert first is second
    first, second = (leaf.value for leaf in leaves(parse(text)) if leaf.type == token.NUMBER)
    assert first is second


def test_a_literal_does_not_take_what_follows_it_for_its_own() -> None:
    text = "x = 'a' 'a' \"a\"\ny = 1 if 1else 1.\nz = f'a' + rb'a' + 'a'\n"
    assert str(parse(text)) == text
    strings = [leaf.value for leaf in leaves(parse(text)) if leaf.type == token.STRING]
    assert strings == ["'a'", "'a'", '"a"', "f'a'", "rb'a'", "'a'"]


def test_the_names_of_a_file_are_told_to_fixers() -> None:
    assert parse("import a\nb.c(d=1)\n").used_names == {"import", "a", "b", "c", "d"}
    assert parse("1\n").used_names == set()
