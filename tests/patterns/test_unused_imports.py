"""Imports that nothing uses any more once hunks are accepted."""

from __future__ import annotations

from pathlib import Path

import pytest
from snippets import load_text

from pinsetter.codemods.engine.authoring.examples import check_example, outcome_of
from pinsetter.codemods.engine.decide.decisions import Decisions
from pinsetter.codemods.engine.propose.planning import make_plan
from pinsetter.codemods.engine.propose.rule_query import RuleQuery
from pinsetter.patterns.packs.pack import Pack

PACK = """\
pack: ri
summary: Test.
removes_imports: true
imports: {os: os, Path: from pathlib import Path}
rules:
  - id: join
    title: Path
    why: Nicer.
    match: os.path.join($a, $b)
    edit: {replace: $match, with: Path($a) / $b}
    examples:
      - unchanged: |
          import os
          x
      - before: |
          import os
          import sys

          x = os.path.join(a, b)
        after: |
          import sys
          from pathlib import Path

          x = Path(a) / b
      - before: |
          import os, sys
          from os.path import join, exists
          x = os.path.join(a, join(c, d))
        after: |
          import sys
          from os.path import exists
          from pathlib import Path
          x = Path(a) / (Path(c) / d)
      - before: |
          import os
          x = os.path.join(a, b), os.name
        after: |
          import os
          from pathlib import Path
          x = Path(a) / b, os.name
      - before: |
          import os
          x = os.path.join(os.name, b)
        after: |
          import os
          from pathlib import Path
          x = Path(os.name) / b
"""


def pack(text: str = PACK) -> Pack:
    found = load_text(text)
    assert isinstance(found, Pack), found
    return found


def test_examples() -> None:
    made = pack()
    for example in made.rules[0].examples:
        assert check_example(made, made.rules[0], example) is None


@pytest.mark.parametrize(
    "code",
    [
        "import os\nz = os.path.join(a, b), os\n",
        "import os\nos.path.join(a, b)\n__all__ = [os]\n",
        "import os\nos.path.join(a, b)\nx: 'os' = 1\n",
        "import os\nos.path.join(a, b)\nx = []  # type: os\n",
        "if a:\n    import os\nos.path.join(a, b)\n",
        "try:\n    import os\nexcept ImportError:\n    pass\nos.path.join(a, b)\n",
        "import os\nimport os\nos.path.join(a, b)\n",
        "import os\nos = x or os\nos.path.join(a, b)\n",
        "import os.path\nos.path.join(a, b)\n",
        "import os\nos.path.join(a, b)\ndef f(): global os\n",
        "import os\nf'{os.path.join(a, b)} {os}'\n",
        "def f(c):\n    if c:\n        import os\n    return os.path.join(a, b)\n",
        "def f():\n    global os\n    import os\n    return os.path.join(a, b)\n",
        "def f():\n    import os\n    g(os)\n    return os.path.join(a, b)\n",
        "class C:\n    import os\n    x = os.path.join(a, b)\n",
    ],
)
def test_what_stays(code: str) -> None:
    made = pack()
    text = outcome_of(made, made.rules[0], code).text
    assert "import os" in text
    assert "from pathlib import Path" in text or "os.path.join(a, b)" in text


FOREIGN = """\
pack: ff
summary: Test.
removes_imports: [lib.old]
imports: {lib: lib, os: os}
rules:
  - id: old
    title: New
    why: Nicer.
    match: lib.old($a)
    edit: {replace: $match, with: os.old($a)}
    examples: [{unchanged: x}]
"""


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("from lib import old\n\nold(1)\n", "import os\n\nos.old(1)\n"),
        ("from lib import old\nold(1)\n", "import os\n\nos.old(1)\n"),
        ("from lib import old\nimport b\n\nold(1)\n", "import os\n\nimport b\n\nos.old(1)\n"),
        ("import lib\nimport os\nlib.old(1)\n", "import lib\nimport os\nos.old(1)\n"),
        ("from lib import old, new\nold(new)\n", "import os\n\nfrom lib import new\nos.old(new)\n"),
        ("from lib import old as o\nimport os\no(1)\n", "import os\nos.old(1)\n"),
    ],
)  # fmt: skip
def test_those_of_a_list(before: str, after: str) -> None:
    """An attribute of new code is no use of the name; the empty line that the block of the new
    import needs is not put beside one."""
    made = pack(FOREIGN)
    assert outcome_of(made, made.rules[0], before).text == after


def test_without_the_key_all_stay() -> None:
    made = pack(PACK.replace("removes_imports: true", "removes_imports: false"))
    text = outcome_of(made, made.rules[0], "import os\nos.path.join(a, b)\n").text
    assert text == "import os\nfrom pathlib import Path\nPath(a) / b\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("import os\nos.path.join(a, b)\n", "from pathlib import Path\nPath(a) / b\n"),
        ("import os  # why\nos.path.join(a, b)\n", "from pathlib import Path\nPath(a) / b\n"),
        ("import os as o\no.path.join(o.path.join(a, b), c)\n",
         "from pathlib import Path\nPath(Path(a) / b) / c\n"),
        ("from os.path import (\n    exists,\n    join,\n)\njoin(a, b)\n",
         "from os.path import (\n    exists,\n)\nfrom pathlib import Path\nPath(a) / b\n"),
        ("import os; os.path.join(a, b)\n", None),
        ("def f():\n    import os\n    return os.path.join(a, b)\n",
         "from pathlib import Path\ndef f():\n    return Path(a) / b\n"),
        ("def f():\n    import os, sys\n    return lambda: os.path.join(a, b)\n",
         "from pathlib import Path\ndef f():\n    import sys\n    return lambda: Path(a) / b\n"),
        ("import os\ndef f(os): return os\nos.path.join(a, b)\n",
         "from pathlib import Path\ndef f(os): return os\nPath(a) / b\n"),
        ("import os\nx.os, f(os=1)\nos.path.join(a, b)\n",
         "from pathlib import Path\nx.os, f(os=1)\nPath(a) / b\n"),
    ],
)  # fmt: skip
def test_what_goes(before: str, after: str | None) -> None:
    made = pack()
    assert outcome_of(made, made.rules[0], before).text == (after or before)


def test_it_goes_with_the_last_use_alone(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("import os\nos.path.join(a, b)\nos.path.join(c, d)\n")
    plan = make_plan([RuleQuery(pack(), [])], [tmp_path]).plan
    (removal,) = (hunk for hunk in plan.hunks if hunk.rule == "unused-import")
    uses = [hunk for hunk in plan.hunks if hunk.rule == "join"]
    assert {hunk.id for hunk in uses} <= {hunk.id for hunk in plan.required_by(removal)}
    decisions = Decisions(plan)
    decisions.reject(uses[0])
    assert decisions.verdict(removal) is False
    decisions = Decisions(plan)
    decisions.accept(uses[0])
    assert removal not in decisions.accepted


def test_what_another_file_imports_from_here_stays(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("import os\nos.path.join(a, b)\n")
    (tmp_path / "b.py").write_text("from a import os\n")
    plan = make_plan([RuleQuery(pack(), [])], [tmp_path]).plan
    assert [hunk.rule for hunk in plan.hunks] == ["import-Path", "join"]


def test_a_rule_of_its_name() -> None:
    found = load_text(PACK.replace("id: join", "id: unused-import"))
    assert isinstance(found, list)
    assert "a rule is called unused-import" in found[0].reason
