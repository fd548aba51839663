"""Packs of one's own with `counted` and `values`: loops whose items a number tells."""

from __future__ import annotations

import pytest
from checked import problems, put
from snippets import rewritten

HEAD = "def f(xs, y):\n"
TAIL = "    return y\n"


def made(loop: str, **more: object) -> str:
    edit = {
        "functional": "$match",
        "values": {"data": "$xs", "length": "len($data)"},
        "counted": {
            "from": "0", "while": "$index < $length", "next": "$index + 1",
            "item": "$data[$index]",
        },
        "call": "g($condition, $body, $tuple)",
        **more,
    }  # fmt: skip
    match = "for $item in $xs:\n    $...body\n"
    return rewritten(HEAD + loop + TAIL, match=match, edit=edit, where=[])


def test_the_number_is_the_first_value() -> None:
    assert made("    for x in xs:\n        y = y + x\n") == HEAD + (
        "    def body(index, y):\n        x = xs[index]\n        y = y + x\n"
        "        return index + 1, y\n    length = len(xs)\n"
        "    _, y = g(lambda index, y: index < length, body, (0, y))\n" + TAIL
    )


def test_it_comes_with_all_values_as_one() -> None:
    as_one = {"parameters": "one", "call": "g($condition, $body, $state)"}
    found = made("    for x in xs:\n        y = y + x\n", **as_one)
    assert found == HEAD + (
        "    def body(state):\n        index, y = state\n        x = xs[index]\n        y = y + x\n"
        "        return index + 1, y\n"
        "    length = len(xs)\n    def condition(state):\n        index, y = state\n"
        "        return index < length\n    _, y = g(condition, body, (0, y))\n" + TAIL
    )


def test_a_call_that_counts_gives_the_number() -> None:
    call = {"counted": {"item": "$data[$index]"}, "call": "g($length, $body, $state)"}
    assert made("    for x in xs:\n        y = y + x\n", **call) == HEAD + (
        "    def body(index, y):\n        x = xs[index]\n        y = y + x\n        return y\n"
        "    length = len(xs)\n    y = g(length, body, y)\n" + TAIL
    )


@pytest.mark.parametrize("name", ["xs", "y"])
def test_what_the_block_binds_has_a_name_of_its_own(name: str) -> None:
    found = made(f"    for x in {name}:\n        y, xs = y + x, xs + 1\n    y = xs\n")
    assert f"    data = {name}\n    length = len(data)\n" in found
    assert "x = data[index]\n" in found


def test_code_of_several_lines_gets_brackets() -> None:
    found = made("    for x in ('a'\n              'b'):\n        y = y + x\n")
    assert "    data = ('a'\n              'b')\n    length = len(data)\n" in found


def test_what_no_template_says_is_not_computed() -> None:
    found = made(
        "    for x in h(xs):\n        y = y + 1\n",
        counted={"item": "$index"},
        call="g(9, $body, $state)",
    )
    assert "h(xs)" not in found


PUT = "edit: {insert: g($x), place: after}"
MISTAKES = {
    "edit: {functional: $match, call: g($body), values: {x: f($x)}}": "$x stands for something",
    "edit: {functional: $match, call: g($body), counted: {from: '0', item: $index}}": "'while'",
    "edit: {functional: $match, call: g($body), counted: {item: '$x[$number]'}}": "called $number",
    "edit: {functional: $match, call: g($body), counted: {from: $index, while: $index, next: "
    "$index, item: $index}}": "called $index",
    "edit: {functional: $match, call: g($body), result: '$state, _', counted: {from: '0', while: "
    "$index, next: $index, item: $index}}": "taken off",
}


@pytest.mark.parametrize("edit", MISTAKES)
def test_what_is_wrong_with_it(edit: str) -> None:
    assert any(MISTAKES[edit] in one for one in problems(put(PUT, edit)))
