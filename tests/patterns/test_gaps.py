"""Patterns of blocks in which other statements may stand, and of lists with runs in them."""

from __future__ import annotations

import pytest
from snippets import load_text, outcome, rewritten

from pinsetter.codemods.engine.authoring.examples import check_example
from pinsetter.patterns.packs.pack import Pack, Rule

PACK = """\
pack: gap
summary: Test.
rules:
  - id: close
    title: with
    why: Nicer.
    match: |
      try:
          $...before
          $f.close()
          $...after
      finally:
          done()
    edit:
      replace: $match
      with: |
        with closing($f):
            $...before
            closed()
            $...after
    examples:
      - unchanged: |
          try:
              f.close()
          except E:
              pass
      - before: |
          try:
              f.close()
          finally:
              done()
        after: |
          with closing(f):
              closed()
      - before: |
          def g():
              try:
                  # one
                  a(1,
                    2)
                  if b:
                      c()  # two

                  # three
                  f.close()
                  d()
              finally:
                  done()
        after: |
          def g():
              with closing(f):
                  # one
                  a(1,
                    2)
                  if b:
                      c()  # two

                  # three
                  closed()
                  d()
  - id: plain
    title: with
    why: Nicer.
    match: |
      if go():
          $...body
          end()
    edit:
      replace: $match
      with: |
        with went():
            $...body
    examples:
      - unchanged: x
      - before: |
          if go():
              end()
        after: |
          with went():
              pass
      - before: |
          if go():
              a = 1; b = 2
              end()
        after: |
          with went():
              a = 1; b = 2
      - before: |
          if go():
              if a:
                  b

              def f():
                  c
              end()
        after: |
          with went():
              if a:
                  b

              def f():
                  c
      - before: |
          if go():
              # first
              a
              # last
              end()
          # behind
        after: |
          with went():
              # first
              a
              # last
          # behind
"""


def rules() -> list[tuple[Pack, Rule]]:
    pack = load_text(PACK)
    assert isinstance(pack, Pack), pack
    return [(pack, rule) for rule in pack.rules]


@pytest.mark.parametrize(("pack", "rule"), rules())
def test_examples(pack: Pack, rule: Rule) -> None:
    for example in rule.examples:
        assert check_example(pack, rule, example) is None


def fits(pattern: str, code: str) -> bool:
    text = outcome(code, match=pattern, report="found")[1]
    return bool(text)


@pytest.mark.parametrize(
    ("pattern", "code"),
    [
        ("[$x, $...y]", "[]\n"),
        ("[$x]", "[1, 2]\n"),
        ("[$x]", "[a for a in b]\n"),
        ("[$x]", "[*a]\n"),
        ("[$x, $y]", "[1]\n"),
        ("{$x}", "{1: 2}\n"),
        ("{$x}", "{a for a in b}\n"),
        ("{$x, $...y}", "{1: 2}\n"),
        ("($x, $y)", "(1,)\n"),
        ("f(($x))", "f((1, 2))\n"),
        ("f(($x))", "f((a for a in b))\n"),
        ("($...a, n, $...b)", "(n)\n"),
        ("class $c($...a, n): $...body", "class C: pass\n"),
        ("class $c($...a, n): $...body", "class C(n, m): pass\n"),
        ("def $f():\n    $...a\n    return $x\n", "def f():\n    return 1\n    b\n"),
        ("def $f():\n    $...a\n    return $x\n", "def f():\n    if a:\n        return 1\n"),
    ],
)
def test_what_does_not_fit(pattern: str, code: str) -> None:
    assert not fits(pattern, code)


@pytest.mark.parametrize(
    ("pattern", "code"),
    [
        ("[$x, $...y]", "[1]\n"),
        ("[$x, $...y]", "[1, 2, 3,]\n"),
        ("[$...y]", "[]\n"),
        ("[$...y]", "[1, 2]\n"),
        ("[$...y, $x]", "[1]\n"),
        ("[$...y, n, $...z]", "[n]\n"),
        ("[$...y, n, $...z]", "[1, n, 2,]\n"),
        ("[$x]", "[1,]\n"),
        ("[$x, $y]", "[1, 2,]\n"),
        ("{$x, $...y}", "{1}\n"),
        ("{'a': $v}", "{'a': 1,}\n"),
        ("($...a, n, $...b)", "(m, n)\n"),
        ("class $c($...a, n): $...body", "class C(n): pass\n"),
        ("class $c($...a, n): $...body", "class C(m, n):\n    pass\n"),
        ("class $c($...a, n, $...b): $...body", "class C(n, metaclass=m):\n    pass\n"),
        ("def $f():\n    $...a\n    return $x\n", "def f():\n    return 1\n"),
        ("def $f():\n    $...a\n    return $x\n",
         "def f():\n    a; b\n    if c: d\n    return 1\n"),
        ("def $f():\n    $...a\n    x()\n    $...b\n    y()\n    $...c\n",
         "def f():\n    x()\n    1\n    2\n    y()\n"),
    ],
)  # fmt: skip
def test_what_fits(pattern: str, code: str) -> None:
    assert fits(pattern, code)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("[1]\n", "f(1)\n"),
        ("[1, 2]\n", "f(1, 2)\n"),
        ("[1, 2,]\n", "f(1, 2)\n"),
        ("[\n    1,  # one\n    2,\n]\n", "f(\n    1,  # one\n    2,\n)\n"),
    ],
)
def test_runs_in_lists(before: str, after: str) -> None:
    edit = {"replace": "$match", "with": "f($x, $...y)"}
    assert rewritten(before, match="[$x, $...y]", edit=edit) == after
