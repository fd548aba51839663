"""What a pack takes for a class is one, in its conditions and under its roles."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from snippets import load_text, pack_data

from pinsetter.codemods.engine.authoring.examples import check_example, outcome_of
from pinsetter.patterns.packs.pack import Pack

EDIT = {"insert": "found()", "place": "after"}


def pack(where: Any, **head: Any) -> Pack:
    data = pack_data(match="$m.step($...a)", where=where, edit=EDIT)
    found = load_text(yaml.safe_dump({**data, **head}))
    assert isinstance(found, Pack), found
    return found


def is_found(code: str, where: Any, **head: Any) -> bool:
    loaded = pack(where, **head)
    result = outcome_of(loaded, loaded.rules[0], code).text
    return "found()" in result


MODULE = [{"isa": ["$m", "torch.nn.Module"]}]
LOGGER = [{"isa": ["$m", "logger"]}]
ROLES = {"logger": ["logging.Logger", "own.Logger"]}


@pytest.mark.parametrize(
    "code",
    [
        "import torch\nm = torch.nn.Linear()\nm.step()\n",
        "import torch\nm = torch.nn.module()\nm.step()\n",
        "import torch\nm = make(torch.nn.Module)\nm.step()\n",
        "def f(m):\n    m.step()\n",
        "def f(m: Module):\n    m.step()\n",
    ],
)
def test_what_is_not_named_stays_unknown(code: str) -> None:
    assert not is_found(code, MODULE)


@pytest.mark.parametrize(
    "code",
    [
        "import torch\nm = torch.nn.Module()\nm.step()\n",
        "import torch\ntorch.nn.Module().step()\n",
        "import torch\ndef f(m: torch.nn.Module):\n    m.step()\n",
        "import torch\ndef f(m: 'torch.nn.Module | None' = None):\n    m.step()\n",
        "from torch import nn\nclass Net(nn.Module): pass\nNet().step()\n",
    ],
)
def test_what_is_named_in_a_condition(code: str) -> None:
    assert is_found(code, MODULE)
    assert is_found(code, [{"any": [{"not": MODULE[0]}]}]) is False


def test_what_is_named_under_a_role() -> None:
    code = "import logging\nlog = logging.Logger('a')\nlog.step()\n"
    assert is_found(code, LOGGER, roles=ROLES)
    assert not is_found(code.replace("Logger", "Handler"), LOGGER, roles=ROLES)
    assert not is_found(code.replace("logging.", "other.", 1), LOGGER, roles=ROLES)


def test_which_names_are_classes() -> None:
    where = [
        {"any": [{"isa": ["$m", "a.A", "logger"]}, {"made": ["$m", "b.B"]}]},
        {"program_makes": ["c.C"]},
        {"calls": ["$m", "d.d"]},
        {"not": {"isa": ["$m", "builtins.list", "builtins.None", "builtins.type"]}},
    ]
    found = pack(where, roles=ROLES).classes
    assert found == {"a.A", "b.B", "c.C", "logging.Logger", "own.Logger", "builtins.list"}


TYPED = """\
pack: typed
summary: For a test.
types:
  pandas.read_csv(): pandas.DataFrame
  pandas.DataFrame.copy(): pandas.DataFrame
  pandas.DataFrame.T: pandas.DataFrame
rules:
  - id: append
    title: concat
    why: There is no append.
    match: $d.append($x)
    where: [{isa: [$d, pandas.DataFrame]}]
    edit: {replace: $match, with: "concat($d, $x)"}
    examples:
      - unchanged: |
          import pandas as pd
          a = [].copy()
          a.append(1), pd.other().append(2), pd.read_csv("a").other().append(3)
      - before: |
          import pandas as pd
          def f(y: "pd.DataFrame", z: "pd.DataFrame | None" = None) -> pd.DataFrame:
              d = pd.read_csv("a")
              d.copy().append(1)
              d.T.T.append(2)
              y.append(3)
              f(d).append(4)
              return g()
        after: |
          import pandas as pd
          def f(y: "pd.DataFrame", z: "pd.DataFrame | None" = None) -> pd.DataFrame:
              d = pd.read_csv("a")
              concat(d.copy(), 1)
              concat(d.T.T, 2)
              concat(y, 3)
              concat(f(d), 4)
              return g()
"""


def test_types_that_a_pack_gives() -> None:
    pack = load_text(TYPED)
    assert isinstance(pack, Pack), pack
    for example in pack.rules[0].examples:
        assert check_example(pack, pack.rules[0], example) is None


@pytest.mark.parametrize("name", ["read_csv()", "pandas.read_csv(x)", "a.b[]"])
def test_types_that_are_none(name: str) -> None:
    found = load_text(TYPED.replace("pandas.read_csv()", name))
    assert isinstance(found, list)
    assert found[0].line == 4
