"""Packs of one's own with `lift`: what their head has to say, and what is made of it."""

from __future__ import annotations

import pytest
from snippets import load_text

from pinsetter.codemods.engine.authoring.examples import check_example
from pinsetter.patterns.packs.pack import Pack

PACK = """\
pack: traced
summary: Branches are counted.
imports: {json: json}
lifted:
  if: {call: "json.branch($test, $...functions)", functions: {if: then, elif: then, else: other}}
  signal: left
  return: json.Return($it)
  break: json.BREAK
  continue: json.CONTINUE
  returned: $signal.value
  unbound: json.Unbound
names: [json]
rules:
  - id: branch
    title: Branch
    why: It counts.
    query: if_stmt< any* >
    where: [{not: {hands_on: $match}}, {not: {stays: {of: $match}}}]
    edit: {lift: $match}
    examples:
      - unchanged: "x = 1\\n"
"""
MISTAKES = {
    "no call": ("json.branch($test, $...functions)", "json.branch", "is no call of the test"),
    "no functions": ("($test, $...functions)", "($test)", "is no call of the test"),
    "no name": ("if: then, elif", "if: then it, elif", "'then it' is no name"),
    "no expression": ("json.Return($it)", "return $it", "is not an expression"),
    "no signal": ("signal: left", "signal: 1 left", "'1 left' is no name"),
    "a key": ("  signal: left\n", "", "lacks"),
    "a statement": ("  if: {call", "  with: {call", "unknown key 'with'"),
}


def said(text: str) -> list[str]:
    found = load_text(text)
    return [] if isinstance(found, Pack) else [f"{p.line}: {p.reason}" for p in found]


def test_it_is_fine() -> None:
    assert said(PACK) == []


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_in_the_head_is_told(mistake: str) -> None:
    old, new, reason = MISTAKES[mistake]
    assert old in PACK
    found = said(PACK.replace(old, new))
    assert any(reason in one or "missing" in one for one in found), found


@pytest.mark.parametrize("edit", ["lift", "unlift"])
def test_a_rule_that_lifts_needs_it(edit: str) -> None:
    start, end = PACK.index("lifted:"), PACK.index("names:")
    found = said((PACK[:start] + PACK[end:]).replace("{lift:", f"{{{edit}:"))
    assert len(found) == 1
    assert "nothing says what is written instead" in found[0]


FACTS = r"""
pack: facts
summary: For a test.
rules:
  - id: left
    title: A loop is left
    why: For a test.
    query: "(while_stmt< any* > | for_stmt< any* >)"
    where: [{exits: {of: $match, by: [return, break]}}]
    report: It is left.
    examples:
      - unchanged: "while x:\n    for y in x: continue\n    continue\n"
      - unchanged: "for x in y:\n    def f(): return x\n    class A: pass\n"
      - reported: "def f():\n    for x in y:\n        try: return\n        finally: pass\n"
      - reported: "while x:\n    with y:\n        if x: break\n"
      - reported: "for x in y:\n    for z in x: pass\n    else: break\n"
  - id: any
    title: A branch is left
    why: For a test.
    query: if_stmt< any* >
    where: [{exits: {of: $match}}]
    report: It is left.
    examples:
      - unchanged: "if x:\n    while y: break\n"
      - reported: "while x:\n    if y: continue\n"
  - id: bound
    title: Names are bound
    why: For a test.
    query: "(if_stmt< any* > | for_stmt< any* >)"
    where: [{binds: {of: $match, as: names}}]
    report: It binds $names.
    examples:
      - unchanged: "if (x := y): print([z for z in x], lambda w: w)\n"
      - unchanged: "if x:\n    y.z = x[0] = 1\n"
      - reported: "if x:\n    import b.c, d as e\n    def f(g): h = 1\nelse:\n    del j\n"
        warns: It binds b, e, f, j.
      - reported: "for a, (b, *c) in d:\n    [e := f for f in a]\n    with g as h: pass\n"
        warns: It binds a, b, c, e, h.
"""


def test_facts_of_blocks() -> None:
    pack = load_text(FACTS)
    assert isinstance(pack, Pack), pack
    found = [check_example(pack, rule, one) for rule in pack.rules for one in rule.examples]
    assert [*filter(None, found)] == []
    assert len(found) == 11
