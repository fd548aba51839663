"""The expressions inside f- and t-strings: where they stand, what names in them mean."""

from __future__ import annotations

import pytest
from fissix.pgen2 import token
from hypothesis import given
from hypothesis import strategies as st
from repository import Write

from pinsetter.analyzer.names.scope_tree import Scopes
from pinsetter.analyzer.syntax import parse
from pinsetter.analyzer.syntax.tree import Tree, leaves


def tree_of(text: str) -> Tree:
    return Tree(parse(text), text)


def names_in(tree: Tree) -> list[tuple[str, str]]:
    """Each name inside a string, and what the file has at its place."""
    found = [x for root in tree.roots[1:] for x in leaves(root) if x.type == token.NAME]
    return [(x.value, tree.text[tree.start(x) : tree.end(x)]) for x in found]


@pytest.mark.parametrize(
    "text",
    ["x = 'a {b}'\n", "x = f'a'\n", "x = f'{{b}}'\n", "x = rb'{b}'\n", "x = u'{b}'\n", "'{b()}'\n"],
)
def test_strings_without_fields(text: str) -> None:
    tree = tree_of(text)
    assert tree.roots == (tree.root,)
    assert tree.calls == ()


@pytest.mark.parametrize("text", ["f'{b c}'\n", "f'{b c} {d}'\n"])
def test_what_cannot_be_understood_is_nowhere(text: str) -> None:
    tree = tree_of(text)
    (string,) = (leaf for leaf in leaves(tree.root) if leaf.type == token.STRING)
    assert tree.fields(string) is None
    assert tree.roots == (tree.root,)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("x = f'a {b}'\n", ["b"]),
        ("x = f'{ b }{c=}{ d = }{e!r}{f:>{g}}'\n", ["b", "c", "d", "e", "f", "g"]),
        ('x = (f"""\n  {b}\n""" f"{c}")\n', ["b", "c"]),
        ("x = f'''\r\n{a}\r\n'''\r\n", ["a"]),
        ("x = Rf'\\{b}'\n", ["b"]),
        ("x = t'{b}'\n", ["b"]),
        ("x = f'{f\"{a} {b}\"} {c}'\n", ["c", "a", "b"]),
        ("f'{a[\"b\"].c(d)}'\n", ["a", "c", "d"]),
    ],
)
def test_names_stand_where_the_file_has_them(text: str, names: list[str]) -> None:
    assert names_in(tree_of(text)) == [(name, name) for name in names]
    assert str(tree_of(text).root) == text


@given(st.lists(st.sampled_from(["{a}", "{b.c!r}", "{{", "é", "{f'{d}'}", "{e:{g}}", "\\n", " "])))
def test_any_of_them(parts: list[str]) -> None:
    text = f'first = f"{"".join(parts)}"\n'
    assert all(name == shown for name, shown in names_in(tree_of(text)))


def test_calls_come_in_the_order_of_the_file() -> None:
    tree = tree_of("a(f'{b(c())}')\nd()\nf'{e()}'\ng()\n")
    assert [tree.source(call.callee) for call in tree.calls] == list("abcdeg")


@pytest.mark.parametrize(
    ("text", "name", "kind"),
    [
        ("x = 1\nf'{x}'\n", "x", "module"),
        ("def f(x):\n    return f'{x}'\n", "x", "function"),
        ("x = 1\nf'{[x for x in y]}'\n", "x", "comprehension"),
        ("x = 1\nf'{(lambda x: x)(2)}'\n", "x", "function"),
        ("x = 1\nf'{f\"{[x for x in y]}\"}'\n", "x", "comprehension"),
        ("class A:\n    x = 1\n    y = f'{x}'\n", "x", "class"),
    ],
)
def test_names_mean_what_they_mean_there(text: str, name: str, kind: str) -> None:
    tree = tree_of(text)
    scopes = Scopes(tree.root)
    inside = [x for root in tree.roots[1:] for x in leaves(root) if x.value == name]
    owner = scopes.of(inside[-1] if kind == "function" else inside[0]).owner(name)
    assert owner is not None
    assert owner.kind == kind


def test_what_is_called_in_a_string_is_called(write: Write) -> None:
    code = "def train():\n    pass\n\nprint(f'{train()} {[train() for _ in range(2)]}')\n"
    repository = write(code)
    main = repository.module()
    meant = [repository.evaluator.names(call.callee, main) for call in main.tree.calls]
    names = ["builtins.print", "main.train", "main.train", "builtins.range"]
    assert meant == [frozenset({name}) for name in names]
