"""A sample of `make virtualized`: modules of Python's own library, with CPython's tests of them."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "virtualized.py"
MODULES = ["textwrap.py", "shlex.py", "heapq.py", "fnmatch.py", "graphlib.py", "tomllib"]
TESTS = ["textwrap", "shlex", "heapq", "fnmatch", "graphlib"]


@pytest.mark.skipif(
    importlib.util.find_spec("test.test_textwrap") is None, reason="Python has no tests here"
)
def test_cpythons_tests_pass_on_virtualized_modules() -> None:
    done = subprocess.run(
        [sys.executable, str(SCRIPT), "library", "--modules", *MODULES, "--tests", *TESTS],
        capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert "put back byte by byte" in done.stdout
    assert done.stdout.endswith("0 new failures\n")
