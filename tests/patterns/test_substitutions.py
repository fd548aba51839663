"""Packs of one's own that write variables, returns and blocks of functions otherwise."""

from __future__ import annotations

import json

import pytest
from snippets import load_text

from pinsetter.codemods.engine.authoring.examples import check_example
from pinsetter.patterns.packs.pack import Pack

PACK = '''\
pack: logged
summary: For a test.
imports: {log: mylib.log}
rules:
  - id: enter
    title: Enter
    why: For a test.
    query: funcdef< any* >
    where: [{rebinds: {of: $match, as: names}}]
    edit:
      - substitute: $match
        declare: $it = log.Slot()
        read: $it.value
        write: $it.value = $value
        update: $it.update($operator, $value)
      - {returns: $match, with: return log.left($it)}
      - enclose: $match
        with: |
          with log.entered():
              if log.on:
                  $...body
              log.end()
    examples:
      - unchanged: "def f(x):\\n    y = x\\n    return y\\n"
      - before: |
          def f(x):
              """Doc."""
              x = -x
              x += 1
              return x.y  # why
        after: |
          import mylib.log as log
          def f(x_1):
              """Doc."""
              with log.entered():
                  if log.on:
                      x = log.Slot()
                      x.value = x_1
                      x.value = -x.value
                      x.update("+=", 1)
                      return log.left(x.value.y)  # why
                  log.end()
'''
MISTAKES = {
    "no body": ("$...body", "pass", "no block has the line $...body once"),
    "a body that is no block": ("$...body", "f($...body)", "once"),
    "no value": ("$it.value = $value", "$it.value", "does not say $value"),
    "no operator": ("$operator, ", "", "does not say $operator"),
    "no variable": ("declare: $it = ", "declare: x = ", "does not say $it"),
    "no template": ("        read: $it.value\n", "", "read"),
    "no Python": ("return log.left($it)", "return log.left($it", "cannot be parsed"),
    "no such capture": ("{returns: $match", "{returns: $f", "nothing is called $f"),
}


def test_it_is_fine() -> None:
    pack = load_text(PACK)
    assert isinstance(pack, Pack), pack
    found = [check_example(pack, rule, one) for rule in pack.rules for one in rule.examples]
    assert found == [None, None]


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_told(mistake: str) -> None:
    old, new, reason = MISTAKES[mistake]
    assert old in PACK
    found = load_text(PACK.replace(old, new))
    assert not isinstance(found, Pack)
    assert any(reason in problem.reason for problem in found), found


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("def f(x): x = 1; return x", "its statements have no lines of their own"),
        ("class A:\n    x = 1\n    x = 2\n", "it is no function"),
        ("def f(x):\n    '''Doc.'''\n", "it has nothing but its docstring"),
    ],
)
def test_what_cannot_be_edited_is_told(code: str, reason: str) -> None:
    text = PACK.replace("funcdef< any* >", '"(funcdef< any* > | classdef< any* >)"')
    if "x = 1; " not in code:
        text = text.replace("where: [{rebinds: {of: $match, as: names}}]", "where: []")
    example = f"      - reported: {json.dumps(code)}\n        warns: {reason}\n"
    pack = load_text(text[: text.index("      - before")] + example)
    assert isinstance(pack, Pack), pack
    assert check_example(pack, pack.rules[0], pack.rules[0].examples[-1]) is None
