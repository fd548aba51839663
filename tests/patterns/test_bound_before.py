"""What means the same before a loop as in it, whatever happens there."""

from __future__ import annotations

import pytest
from snippets import rewritten

RULE = {
    "match": "use($x)",
    "where": [{"in_loop": {"as": "loop"}}, {"bound_before": ["$x", "$loop"]}],
    "edit": {"insert": "AHEAD($x)", "place": "before", "at": "$loop"},
}


@pytest.mark.parametrize(
    "code",
    [
        "a = 1\nuse(a)\n",
        "for a in b:\n    use(a)\n",
        "for b in c:\n    a = make()\n    use(a)\n",
        "a = 1\nfor b in c:\n    use(a)\n    a = 2\n",
        "a = 1\nfor b in c: use(a)\na = 2\n",
        "for b in c: use(a)\na = 2\n",
        "if b:\n    a = 1\nfor b in c: use(a)\n",
        "try:\n    a = 1\nexcept E:\n    pass\nwhile b: use(a)\n",
        "a = 1\ndef f():\n    global a\n    a = 2\nfor b in c: use(a)\n",
        "class A:\n    def f(self):\n        for b in c: use(self.a)\n",
        "class A:\n  def g(self): self.a = 1\n  def f(self):\n    for b in c: use(self.a)\n",
        "class A:\n    def __init__(self): self.a = 1\n    def f(self):\n"
        "        for b in c:\n            use(self.a)\n            self.a = b\n",
        "a = make()\nfor b in c:\n    use(a.part)\n    a.part = b\n",
        "class A:\n    for b in c: use(a)\nclass a: pass\n",
        "if b:\n    a = 1\nclass A:\n    for b in c: use(a)\n",
    ],
)
def test_not_before(code: str) -> None:
    assert "AHEAD" not in rewritten(code, **RULE)


@pytest.mark.parametrize(
    "code",
    [
        "a = 1\nfor b in c: use(a)\n",
        "def f(a):\n    for b in c:\n        while d: use(a)\n",
        "a = 1\ndef f():\n    for b in c: use(a)\n",
        "with open(b) as a:\n    for b in c: use(a)\n",
        "if b:\n    a = 1\n    for b in c: use(a)\n",
        "class A:\n  def __init__(self): self.a = 1\n  def f(self):\n    for b in c: use(self.a)\n",
        "import a\nfor b in c: use(a.part)\n",
        "class a: pass\nclass A:\n    class B:\n        for b in c: use(a)\n",
        "class A:\n    def f(self):\n        for b in c: use(a)\nclass a: pass\n",
    ],
)
def test_before(code: str) -> None:
    made = rewritten(code, **RULE)
    assert made.count("AHEAD(") == 1
    assert made.index("AHEAD(") < made.index("use(")
    compile(made, "made", "exec")
