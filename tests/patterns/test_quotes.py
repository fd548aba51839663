"""New strings get the quotes of the file."""

from __future__ import annotations

import pytest
from snippets import rewritten

RULE = {"match": "show($x)", "edit": {"replace": "$match", "with": "show($x, 'a', b'c', \"d\")"}}


@pytest.mark.parametrize(
    ("file", "quote"),
    [
        ("x = 'a'\ny = 'b'\nz = \"c\"\n", "'"),
        ('x = "a"\ny = "b"\nz = \'c\'\n', '"'),
        ("'''A docstring.'''\nx = \"it's\"\n", None),
        ("x = \"it's\"\ny = 'c'\n", "'"),
        ("x = r'a'\n", "'"),
        ("x = 1\n", None),
    ],
)
def test_most_of_its_strings_decide(file: str, quote: str | None) -> None:
    new = "show(1, 'a', b'c', \"d\")\n"
    if quote is not None:
        new = new.replace("'", quote).replace('"', quote)
    assert rewritten(f"{file}show(1)\n", **RULE) == f"{file}{new}"


@pytest.mark.parametrize("taken", ["'it'", '"it\'s"', "f'{a}'", "'''a'''", "'a' 'b'"])
def test_what_is_taken_from_the_file_stays(taken: str) -> None:
    file = 'x = ["a", "b", "c", "d"]\n'
    expected = f'{file}show({taken}, "a", b"c", "d")\n'
    assert rewritten(f"{file}show({taken})\n", **RULE) == expected


@pytest.mark.parametrize(
    "template", ["show('\"')", 'show("\'")', "show('\\n')", "show('''a''')", "show(rb'a', f'a')"]
)
def test_strings_that_hold_quotes_or_more_stay(template: str) -> None:
    file = 'x = ["a", "b", "c", "d"]\n'
    rule = {"match": "show($x)", "edit": {"replace": "$match", "with": template}}
    assert rewritten(f"{file}show(1)\n", **rule) == f"{file}{template.replace('$x', '1')}\n"


def test_a_comment_keeps_its_apostrophes() -> None:
    file = 'x = ["a", "b"]\n'
    line = "# all get worker 0's variables, 'as' the others'"
    rule = {"match": "show($x)", "edit": {"insert": line, "place": "before"}}
    assert rewritten(f"{file}show(1)\n", **rule).startswith(f"{file}# all get worker 0's variables")


def test_inside_of_a_string_of_the_file_nothing_is_changed() -> None:
    file = 'x = ["a", "b", "c"]\n'
    rule = {"match": "show($x)", "edit": {"wrap": "$match", "with": "($it, 'a')"}}
    assert rewritten(f'{file}f"{{show(1)}}"\n', **rule) == f"{file}f\"{{(show(1), 'a')}}\"\n"
