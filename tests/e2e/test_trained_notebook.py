"""A notebook, rewritten in place; its code is then run by real Horovod workers."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest
from harness import CLI, distributed_problems, exchange_problems
from judged import FIXTURES, Program

pytestmark = pytest.mark.e2e
PROGRAM = Program("programs/linear_regression", "tf2-gradient-tape")


def cells(script: str) -> list[str]:
    """A cell for each statement of a script, with the blank lines and comments in front of it."""
    lines, found, at = script.splitlines(keepends=True), [], 0
    for statement in ast.parse(script).body:
        assert statement.end_lineno is not None
        found.append("".join(lines[at : statement.end_lineno]).strip("\n"))
        at = statement.end_lineno
    return found


def notebook(sources: list[str]) -> str:
    made = [
        {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [],
         "source": source.splitlines(keepends=True)}
        for source in sources
    ]  # fmt: skip
    whole = {"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(whole, indent=1) + "\n"


def code_of(path: Path) -> str:
    """What Jupyter would run, without what only it understands."""
    sources = ["".join(cell["source"]) for cell in json.loads(path.read_text())["cells"]]
    lines = [line for source in sources if not source.startswith("%%bash")
             for line in source.splitlines()]  # fmt: skip
    return "".join(f"{line}\n" for line in lines if line.lstrip()[:1] not in ("%", "!"))


def test_a_notebook_trains_one_model_on_two_workers(tmp_path: Path) -> None:
    assert PROGRAM.environment
    script = (FIXTURES / "programs" / "linear_regression" / "main.py").read_text()
    *parts, last = cells(script)
    sources = ["%matplotlib inline\n!pip list", *parts, "%%bash\nls", f"%%time\n{last}"]
    path = tmp_path / "main.ipynb"
    path.write_text(notebook(sources))
    command = [sys.executable, "-m", CLI, "run", "distribute", str(path), "--write"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    rewritten = json.loads(path.read_text())["cells"]
    assert "".join(rewritten[0]["source"]) == sources[0]
    main = tmp_path / "code" / "main.py"
    main.parent.mkdir()
    main.write_text(code_of(path))
    two = PROGRAM.workers(main, tmp_path / "run", 2)
    assert distributed_problems(two, equal_from_first_step=False) == []
    assert exchange_problems(two) == []
