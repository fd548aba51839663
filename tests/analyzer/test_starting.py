"""What runs before a program calls what starts it."""

from __future__ import annotations

import pytest
from repository import Repository, Write

START = frozenset({"lib.start"})
HEAD = "import lib\nfrom lib import start\n"


def places(repository: Repository) -> tuple[bool, list[str], list[str]]:
    """Whether the start is reached; the texts that ``say`` is given before it, and only there."""
    (program,) = (p for p in repository.facts.programs.all if p.entry.name == "main")
    starting = repository.facts.starting(program, START)
    said = [
        (call.arguments[0].value.value.strip("'"), call.trailer)
        for module in program.modules
        for call in module.tree.calls
        if str(call.callee[0]).strip() == "say" and call.arguments
    ]
    before = [text for text, node in said if starting.may_precede(node)]
    once = [text for text, node in said if starting.only_precedes(node)]
    return starting.found, before, once


@pytest.mark.parametrize(
    ("code", "found", "before", "once"),
    [
        ("start()\nsay('a')\n", True, "", ""),
        ("say('a')\nstart()\nsay('b')\n", True, "a", "a"),
        ("say('a')\nlib.start()\n", True, "a", "a"),
        ("def f():\n    say('a')\n    start()\nsay('c')\nf()\nsay('d')\n", True, "ac", "ac"),
        ("def f():\n    say('a')\nf()\nstart()\nf()\n", True, "a", ""),
        ("def f():\n    say('a')\nstart()\nf()\n", True, "", ""),
        ("def f():\n    say('a')\nkeep(f)\nstart()\n", True, "a", ""),
        ("if x:\n    start()\nsay('a')\n", False, "a", "a"),
        ("if x:\n    start()\nelse:\n    start()\nsay('a')\n", True, "", ""),
        ("if x:\n    start()\nelse:\n    raise x\nsay('a')\n", True, "", ""),
        ("with x:\n    start()\nsay('a')\n", True, "", ""),
        ("try:\n    start()\nexcept E:\n    say('a')\nsay('b')\n", True, "a", "a"),
        ("for x in y:\n    say('a')\n    start()\nsay('b')\n", False, "ab", "b"),
        ("if __name__ == '__main__':\n    say('a')\n    start()\n    say('b')\n", True, "a", "a"),
        ("def f():\n    say('a')\n    start()\nrun(f)\nsay('c')\n", False, "ac", "ac"),
        ("class A:\n    say('a')\n    def f(self):\n        say('b')\nstart()\n", True, "a", "a"),
        ("class A:\n    def f(self):\n        start()\nA().f()\nsay('b')\n", True, "", ""),
        ("def f():\n    f()\n    start()\nf()\nsay('a')\n", True, "", ""),
        ("say('a')\n", False, "a", "a"),
        ("if x:\n    def f():\n        say('a')\nstart()\n", True, "", ""),
    ],
)  # fmt: skip
def test_what_runs_before(write: Write, code: str, found: bool, before: str, once: str) -> None:
    repository = write(HEAD + code)
    assert places(repository) == (found, list(before), list(once))


def test_modules_run_when_they_are_imported(write: Write) -> None:
    main = f"{HEAD}import early\nstart()\nimport late\n"
    files = {"main.py": main, "early.py": "say('a')\n", "late.py": "say('b')\n"}
    repository = write(files)
    assert places(repository) == (True, ["a"], ["a"])


@pytest.mark.parametrize(
    "imports",
    [
        "from early import f\n",
        "import os; from early import f\n",
        "try:\n    from early import f\nexcept ImportError:\n    f = None\n",
        "if x:\n    from early import f\n",
    ],
)
def test_functions_do_not_run_when_they_are_imported(write: Write, imports: str) -> None:
    main = f"{HEAD}{imports}start()\nf()\n"
    repository = write({"main.py": main, "early.py": "def f():\n    say('a')\nsay('b')\n"})
    assert places(repository) == (True, ["b"], ["b"])


def test_a_module_may_start(write: Write) -> None:
    repository = write(
        {"main.py": "import early\nsay('a')\n", "early.py": f"{HEAD}say('b')\nstart()\n"}
    )
    assert places(repository) == (True, ["b"], ["b"])


def test_a_script_runs_its_main(write: Write) -> None:
    main = "def main(_):\n    say('a')\n    start()\n    say('b')\n"
    code = f"import tensorflow as tf\n{main}tf.app.run()\n"
    found, before, _ = places(write(HEAD + code))
    assert (found, before) == (False, ["a"])
