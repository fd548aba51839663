"""A signal that comes where nothing can be raised is neither lost nor told as a fault."""

from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import os, signal
from pinsetter.codemods.engine.console.signals import Stopped, listen, stop_if_told

class Deleted:
    def __init__(self, does): self.does = does
    def __del__(self): self.does()

def told(): os.kill(os.getpid(), signal.SIGTERM)
def failing(): raise ValueError("fault")

listen()
Deleted({does})
print("goes on")
try:
    stop_if_told()
    print("not told")
except Stopped:
    print("told")
"""


def said(does: str) -> tuple[str, str]:
    program = PROGRAM.replace("{does}", does)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True,
                          timeout=60, check=False)  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr


def test_what_is_raised_while_an_object_is_deleted_is_asked_for_later() -> None:
    assert said("told") == ("goes on\ntold\n", "")


def test_other_faults_there_are_told() -> None:
    out, err = said("failing")
    assert out == "goes on\nnot told\n"
    assert "ValueError: fault" in err
