"""Names of modules that templates need: `from a import b`, as one more of an import or alone."""

from __future__ import annotations

import pytest
import yaml
from snippets import load_text, pack_data

from pinsetter.codemods.engine.authoring.examples import check_example, outcome_of
from pinsetter.patterns.packs.pack import Pack, Rule

PACK = """\
pack: fi
summary: Test.
imports:
  datetime: from datetime import datetime
  timezone: from datetime import timezone
  Path: from pathlib import Path
  os: os
rules:
  - id: utcnow
    title: now
    why: Gone.
    match: datetime.utcnow()
    edit: {replace: $match, with: "datetime.now(timezone.utc)"}
    examples:
      - unchanged: |
          import datetime
          datetime.utcnow()
      - before: |
          from datetime import datetime
          x = datetime.utcnow()
        after: |
          from datetime import datetime, timezone
          x = datetime.now(timezone.utc)
      - before: |
          import datetime
          x = datetime.datetime.utcnow()
        after: |
          import datetime
          x = datetime.datetime.now(datetime.timezone.utc)
      - before: |
          import datetime as dt
          x = dt.datetime.utcnow()
          def timezone(): pass
        after: |
          import datetime as dt
          x = dt.datetime.now(dt.timezone.utc)
          def timezone(): pass
      - before: |
          from datetime import datetime as d
          x = d.utcnow()
          def timezone(): pass
        after: |
          from datetime import datetime as d, timezone as timezone_2
          x = d.now(timezone_2.utc)
          def timezone(): pass
      - before: |
          from datetime import (
              date,
              datetime,  # why
              timedelta
          )
          from a import *
          x = datetime.utcnow()
        after: |
          from datetime import (
              date,
              datetime,  # why
              timedelta,
              timezone
          )
          from a import *
          x = datetime.now(timezone.utc)
      - before: |
          from datetime import (
              datetime,
              tzinfo,
          )
          x = datetime.utcnow()
        after: |
          from datetime import (
              datetime,
              timezone,
              tzinfo,
          )
          x = datetime.now(timezone.utc)
  - id: join
    title: Path
    why: Nicer.
    match: os.path.join($a, $b)
    edit: {replace: $match, with: Path($a) / $b}
    examples:
      - unchanged: x
      - before: |
          import os
          from sys import path

          x = os.path.join(a, b)
        after: |
          import os
          from pathlib import Path
          from sys import path

          x = Path(a) / b
      - before: |
          from os.path import join
          import numpy as np

          x = join(a, b)
        after: |
          from os.path import join
          from pathlib import Path
          import numpy as np

          x = Path(a) / b
"""


def rules() -> list[tuple[Pack, Rule]]:
    pack = load_text(PACK)
    assert isinstance(pack, Pack), pack
    return [(pack, rule) for rule in pack.rules]


@pytest.mark.parametrize(("pack", "rule"), rules())
def test_examples(pack: Pack, rule: Rule) -> None:
    for example in rule.examples:
        assert check_example(pack, rule, example) is None


def made(code: str, *names: str) -> str:
    """What becomes of `go()` where that needs names of `lib`."""
    template = f"[{', '.join(names)}]"
    imports = {name: f"from lib import {name}" for name in names}
    data = pack_data(match="go()", edit={"replace": "$match", "with": template})
    pack = load_text(yaml.safe_dump({**data, "imports": imports}))
    assert isinstance(pack, Pack), pack
    found = outcome_of(pack, pack.rules[0], code)
    assert not found.reports
    return found.text


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("go()\n", "from lib import b\n[b]\n"),
        ("from lib import b\ngo()\n", "from lib import b\n[b]\n"),
        ("from lib import b as c\ngo()\n", "from lib import b as c\n[c]\n"),
        ("import lib\ngo()\n", "import lib\n[lib.b]\n"),
        ("from lib import a\ngo()\n", "from lib import a, b\n[b]\n"),
        ("from lib import c\ngo()\n", "from lib import b, c\n[b]\n"),
        ("from lib import c, a\ngo()\n", "from lib import c, a, b\n[b]\n"),
        ("from lib import A, Z, X_Y\ngo()\n", "from lib import A, Z, X_Y, b\n[b]\n"),
        ("from lib import (a, c)\ngo()\n", "from lib import (a, b, c)\n[b]\n"),
        ("from lib import (a,)\ngo()\n", "from lib import (a, b,)\n[b]\n"),
        ("from lib import a  # why\ngo()\n", "from lib import a, b  # why\n[b]\n"),
        ("from lib import *\ngo()\n", "from lib import *\nfrom lib import b\n[b]\n"),
        ("from .lib import a\ngo()\n", "from .lib import a\nfrom lib import b\n[b]\n"),
        ("def f():\n    from lib import a\n    go()\n",
         "from lib import b\ndef f():\n    from lib import a\n    [b]\n"),
        ("b = 1\ngo()\n", "from lib import b as b_2\nb = 1\n[b_2]\n"),
        ("try:\n    from lib import a\nexcept ImportError:\n    pass\ngo()\n",
         "try:\n    from lib import a\nexcept ImportError:\n    pass\nfrom lib import b\n[b]\n"),
        ("from lib import (\n    a,\n    c,\n)\ngo()\n",
         "from lib import (\n    a,\n    b,\n    c,\n)\n[b]\n"),
        ("from lib import (\r\n    a\r\n)\r\ngo()\r\n",
         "from lib import (\r\n    a,\r\n    b\r\n)\r\n[b]\r\n"),
        ("import os\nfrom lia import x\nfrom lic import y\ngo()\n",
         "import os\nfrom lia import x\nfrom lic import y\nfrom lib import b\n[b]\n"),
    ],
)  # fmt: skip
def test_where_it_goes(before: str, after: str) -> None:
    assert made(before, "b") == after


def test_several() -> None:
    assert made("from lib import b\ngo()\n", "c", "a") == "from lib import a, b, c\n[c, a]\n"
    assert made("go()\n", "c", "a") == "from lib import a\nfrom lib import c\n[c, a]\n"


def test_a_long_line_stays() -> None:
    names = ", ".join(f"name_{number}" for number in range(8))
    before = f"from lib import {names}\ngo()\n"
    assert made(before, "zzz") == before.replace("go()", "[zzz]").replace(
        "\n[", "\nfrom lib import zzz\n["
    )
