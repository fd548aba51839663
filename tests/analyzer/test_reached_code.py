"""What of its modules a program may run, by the words of its code."""

from __future__ import annotations

from pathlib import Path

import pytest

from pinsetter.analyzer.facts import Facts
from pinsetter.analyzer.names.project import Project

LIBRARY = """\
import base
def train():
    'mark'
def helper():
    train()
class Trainer(base.Model):
    def __init__(self):
        train()
    def call(self):
        train()
class Plain:
    def step(self):
        train()
"""


def runs(path: Path, entry: str, library: str = LIBRARY) -> bool:
    """Whether a program may run the function ``train`` of a library."""
    for name, text in (("main", entry), ("library", library), ("between", "import library\n")):
        (path / f"{name}.py").write_text(text)
    facts = Facts(Project(sorted(path.glob("*.py"))))
    program = next(p for p in facts.programs.all if p.entry.path.stem == "main")
    module = next(m for m in program.modules if m.path.stem == "library")
    return program.may_run(module, library.index("'mark'"))


@pytest.mark.parametrize(
    "entry",
    [
        "import library\n",
        "import library\nlibrary.other()\n",
        "from library import train\n",
        "import library\n__all__ = ['train']\n",
        "import library\n'''It does not train().'''\n",
        "import library  # train()\n",
        "import library\nlibrary.Plain()\n",
        "from library import Plain as train_\nx = Plain\n",
    ],
)
def test_what_is_not_run(tmp_path: Path, entry: str) -> None:
    assert not runs(tmp_path, entry)


@pytest.mark.parametrize(
    "entry",
    [
        "import library\nlibrary.train()\n",
        "import library\ndef f():\n    library.train()\n",
        "from library import train as go\ngo()\n",
        "import library\nlibrary.helper()\n",
        "import library\ngetattr(library, 'train')()\n",
        "import library\nlibrary.Trainer()\n",
        "import library\nlibrary.Plain().step()\n",
        "import library\nif __name__ == '__main__':\n    library.train()\n",
        "import library\nprint(f'{library.train()}')\n",
        "import library\nx = {'a': library.train}\n",
    ],
)
def test_what_may_be_run(tmp_path: Path, entry: str) -> None:
    assert runs(tmp_path, entry)


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ("train()\n", True),
        ("if __name__ == '__main__':\n    train()\n", False),
        ("@register\ndef other():\n    train()\n", True),
        ("@staticmethod\ndef other():\n    train()\n", False),
        ("TABLE = [train]\n", True),
        ("class Here:\n    made = train()\n", True),
    ],
)
def test_what_a_module_runs_when_it_is_imported(tmp_path: Path, more: str, expected: bool) -> None:
    assert runs(tmp_path, "import library\n", LIBRARY + more) is expected
