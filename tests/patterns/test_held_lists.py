"""Lists that a name holds for one use, to which something can be added where they are written."""

from __future__ import annotations

import pytest
from snippets import rewritten

RULE = {
    "match": "use($x)",
    "where": [{"held_list": {"of": "$x", "as": "list"}}],
    "edit": {"extend": "$list", "items": "NEW"},
}


@pytest.mark.parametrize(
    "code",
    [
        "use(a)\n",
        "use([])\n",
        "a = b\nuse(a)\n",
        "a = (b,)\nuse(a)\n",
        "a = [c for c in b]\nuse(a)\n",
        "a = []\nimport tensorflow\nuse(a)\n",
        "a, b = [], []\nuse(a)\n",
        "a = b = []\nuse(a)\nb.append(1)\n",
        "a = []\na = [b]\nuse(a)\n",
        "a = []\na += b\nuse(a)\n",
        "a = []\nuse(a)\nuse(a)\n",
        "a = []\nuse(a)\nprint(a)\n",
        "a = []\nuse(a)\na.pop()\n",
        "a = []\nb = a.append\nuse(a)\n",
        "a = []\nuse(a[0])\n",
        "a = []\nfor b in c:\n    use(a)\n",
        "for b in c:\n    a = []\n    for d in b:\n        use(a)\n",
        "a = []\ndef f():\n    use(a)\n",
        "def f():\n    global a\n    a = []\n    use(a)\n",
        "def f(a=[]):\n    use(a)\n",
        "class A:\n    a = []\n    use(a)\n",
        "class A:\n    def f(self):\n        self.a = []\n        use(self.a)\n",
    ],
)
def test_no_such_list(code: str) -> None:
    assert "NEW" not in rewritten(code, **RULE)


@pytest.mark.parametrize(
    ("code", "made"),
    [
        ("a = []\nuse(a)\n", "a = [NEW]\nuse(a)\n"),
        ("a = [b]\na.append(c)\nif d: a.extend(e)\nuse(x=1, *a)\nuse(a)\n", None),
        ("a = [b]\na.append(c)\nif d: a.extend(e)\nuse(a)\n",
         "a = [NEW, b]\na.append(c)\nif d: a.extend(e)\nuse(a)\n"),
        ("def f():\n    a = [\n        b,\n    ]\n    use(a)\n",
         "def f():\n    a = [\n        NEW,\n        b,\n    ]\n    use(a)\n"),
        ("for b in c:\n    a = [b]\n    use(a)\n", "for b in c:\n    a = [NEW, b]\n    use(a)\n"),
    ],
)  # fmt: skip
def test_a_list(code: str, made: str | None) -> None:
    assert rewritten(code, **RULE) == (code if made is None else made)


@pytest.mark.parametrize(
    ("code", "made"),
    [
        ("use([a, b])\n", "use([NEW(c, d), e, a, b])\n"),
        ("use([\n    a,\n    b])\n", "use([\n    NEW(c, d),\n    e,\n    a,\n    b])\n"),
        ("use([\n    a, b\n])\n", "use([\n    NEW(c, d),\n    e,\n    a, b\n])\n"),
    ],
)
def test_items_stand_as_those_of_the_list_do(code: str, made: str) -> None:
    rule = {
        "match": "use($list)",
        "where": [{"list_display": "$list"}],
        "edit": {"extend": "$list", "items": "NEW(c, d), e"},
    }
    assert rewritten(code, **rule) == made
