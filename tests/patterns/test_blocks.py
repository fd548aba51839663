"""Lines that applications insert at one place are shared, whichever of them are accepted."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

import pytest
import yaml
from rewriting import File
from snippets import load_text, pack_data, pack_of, rewritten

from pinsetter.codemods.engine.authoring.examples import outcome_of
from pinsetter.patterns.edits.edit import apply

ONCE = {
    "match": "step($x)",
    "where": [{"in_loop": {"as": "loop"}}],
    "fresh": {"first": {"name": "first", "per": "$loop"}},
    "edit": [
        {"insert": "$first = True", "place": "before", "at": "$loop", "once": True},
        {"insert": "share($x)", "place": "after", "under": "$first", "then": "$first = False"},
    ],
}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("step(1)\n", None),
        ("def f():\n    step(1)\nfor x in y: f()\n", None),
        ("for x in step(1): pass\n", None),
        ("while step(1): pass\n", None),
        (
            "for x in y:\n  step(1)",
            "first = True\nfor x in y:\n  step(1)\n  if first:\n    share(1)\n    first = False",
        ),
        (
            "first = 5\nfor x in y: step(1); done()\n",
            "first = 5\nfirst_2 = True\nfor x in y:\n    step(1)\n    if first_2:\n"
            "        share(1)\n        first_2 = False\n    done()\n",
        ),
        (
            "for x in y:\r\n\tz = [step(a), step(b)]\r\n",
            "first = True\r\nfor x in y:\r\n\tz = [step(a), step(b)]\r\n\tif first:\r\n"
            "\t\tshare(a)\r\n\t\tshare(b)\r\n\t\tfirst = False\r\n",
        ),
    ],
)
def test_lines_before_a_loop_and_a_block_in_it(before: str, after: str | None) -> None:
    assert rewritten(before, **ONCE) == (before if after is None else after)


def test_what_is_equal_is_inserted_once_only_where_the_rule_says_so() -> None:
    edit = {"insert": "ready()", "place": "before"}
    code = "z = [step(1), step(1)]\n"
    assert rewritten(code, match="step(1)", edit=edit) == f"ready()\nready()\n{code}"
    once = edit | {"once": True}
    assert rewritten(code, match="step(1)", edit=once) == f"ready()\n{code}"
    both = [once, edit | {"insert": "steady()"}]
    assert rewritten(code, match="step(1)", edit=both) == (f"ready()\nsteady()\nsteady()\n{code}")
    each = edit | {"once": True, "insert": "ready($x)"}
    made = rewritten("z = [step(1), step(2)]\n", match="step($x)", edit=each)
    assert made == "ready(1)\nready(2)\nz = [step(1), step(2)]\n"


def test_other_heads_and_tails_are_other_blocks() -> None:
    edit = {"insert": "share()", "place": "after", "under": "wanted($x)"}
    made = rewritten("z = step(1), step(2), step(1)\n", match="step($x)", edit=edit)
    blocks = [f"if wanted({x}):\n    share()\n" for x in (1, 2)]
    assert made == "z = step(1), step(2), step(1)\n" + "".join(blocks)


CODE = "for x in y:\n    z = step(1), step(2), step(3)\n"


@pytest.mark.parametrize("some", [c for n in range(4) for c in itertools.combinations(range(3), n)])
def test_any_of_them_may_be_rejected(some: tuple[int, ...]) -> None:
    """The lines of those that are accepted, in one block; nothing where all are rejected."""
    pack = pack_of(**ONCE)
    text = File(pack, CODE).outcomes(pack.rules[0]).text(some)
    shared = "".join(f"        share({number + 1})\n" for number in some)
    if not some:
        assert text == CODE
    else:
        block = f"    if first:\n{shared}        first = False\n"
        assert text == f"first = True\n{CODE}{block}"


def test_what_is_changed_inside_the_code_of_a_block_is_changed_there() -> None:
    around = {"match": "old($x)", "edit": {"replace": "$match", "with": "new($x)"}}
    edit = {"insert": "share($x)", "place": "after", "under": "first()", "then": "done()"}
    packs = [pack_of(match="step($x)", edit=edit), pack_of(**around)]
    code = "z = step(old(1)), step(old(2))\n"
    edits = [
        replace(edit, rank=(number, *edit.rank))
        for number, pack in enumerate(packs)
        for each in File(pack, code).outcomes(pack.rules[0]).applied
        for edit in each.application.edits
    ]
    assert apply(code, edits) == (
        "z = step(new(1)), step(new(2))\nif first():\n    share(new(1))\n    share(new(2))\n"
        "    done()\n"
    )


@pytest.mark.parametrize(
    ("rule", "why"),
    [
        ({"edit": {"insert": "a()", "place": "before", "under": "b"}}, "go after a statement"),
        ({"edit": {"insert": "a()", "place": "after", "under": "b:"}}, "b:"),
        ({"edit": {"insert": "a()", "place": "after", "under": "$b"}}, "nothing is called $b"),
        ({"edit": {"insert": "a()", "place": "after", "then": "b()"}}, "under"),
        ({"edit": {"wrap": "$x", "with": "$it", "once": True}}, "insert"),
        (
            {
                "fresh": {"a": {"name": "a", "per": "$b"}},
                "edit": {"insert": "$a", "place": "after"},
            },
            "nothing is called $b",
        ),
    ],
)
def test_what_is_wrong_with_a_rule(rule: Any, why: str) -> None:
    problems = load_text(yaml.safe_dump(pack_data(match="step($x)", **rule)))
    assert isinstance(problems, list)
    assert any(why in str(problem) for problem in problems), problems


def test_a_definition_may_be_a_variable() -> None:
    data = pack_data(match="step($x)", edit={"wrap": "$x", "with": "kept($it)"})
    data["definitions"] = {"kept": "kept = make()"}
    pack = load_text(yaml.safe_dump(data))
    assert not isinstance(pack, list)
    made = outcome_of(pack, pack.rules[0], "import tensorflow\nstep(1)\nstep(2)\n").text
    assert made == "import tensorflow\n\nkept = make()\nstep(kept(1))\nstep(kept(2))\n"
    again = outcome_of(pack, pack.rules[0], f"{made}step(3)\n").text
    assert again.count("make()") == 1
