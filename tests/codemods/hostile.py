"""What the tests of printing share: a tree whose names and code try to talk to the terminal."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from commands import TRAIN

# Blinking, hidden, a title, a cleared screen, C1, marks of direction, a hyperlink.
ODD = "\x1b[5m\x1b[8m\x1b]0;t\x07\x1b[2J\x9b5m\u202e\u2066\u200b\x1b]8;;h\x1b\\\x7f"
FAKE = "\nFAKE: all is well\r"
# What we and rich send to a terminal ourselves: colours, bold, dim, underlined; the progress bar's
# cursor, and lines that it clears.
OWN = re.compile(r"\x1b\[(?:[0-9;]*m|\?25[lh]|1A|2K)")
FORBIDDEN = re.compile(r"\x1b\[(?:5|8)m")
PACK = r"""
pack: odd
summary: "Odd \e[5m words."
rules:
  - id: renew
    title: "Use \e[8mnew\u202e\nFAKE: title"
    why: "What is \e]0;t\a old \x9b5m goes."
    match: old($x)
    edit: {replace: $match, with: new($x)}
    warn: [{say: "Beware\e[2J of $x."}]
    examples: [{unchanged: other()}]
"""
SCRIPT = """\
import sys
from bowler import Query

def main():
    query = Query(sys.argv[1:]).select_function('old').rename('new')
    query.write() if sys.argv[1] == 'write.py' else query.diff()
"""


def hostile_tree(folder: Path) -> Path:
    """A tree of hostile names and code; beside it lie a pack and a script for Bowler."""
    (folder / "odd.yaml").write_text(PACK)
    (folder / "script.py").write_text(SCRIPT)
    tree = folder / "tree"
    inner = tree / f"folder{ODD}{FAKE}"
    inner.mkdir(parents=True)
    code = (
        f"# {ODD}\nx = old('{ODD}')\n\n\n@named('{ODD}')\nclass Odd(base('{ODD}')):\n"
        f"    def run(self):\n        return old(self)  # {ODD}\n"
    )
    names = (f"a{ODD}.py", f"b{FAKE}.py", "[bold]c[blink].py", "d\udcff\x1b[5m.py")
    for name in names:
        (inner / name).write_text(code)
    (tree / f"train{FAKE}\x1b[8m.py").write_text(TRAIN.replace("(0.1)", f"(0.1)  # {ODD}"))
    (tree / f"broken{FAKE}\x1b[5m.py").write_text(f"x = ('{ODD}'\ny = = 1 # {ODD}\n")
    (tree / "setup.cfg").write_text(f"[options.entry_points]\nconsole_scripts =\n  x{ODD} = = y\n")
    return tree


def spoken(
    command: Sequence[str], cwd: Path, answers: Sequence[str] = (), **environment: str
) -> tuple[int, str]:
    """The exit code of a command in a pseudo-terminal, and all that it sent there."""
    import pexpect

    clean = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    child: Any = pexpect.spawn(
        command[0], list(command[1:]), encoding="utf-8", timeout=60, cwd=str(cwd),
        codec_errors="backslashreplace",
        dimensions=(50, 1000), env={**clean, "TERM": "xterm-256color", **environment},
    )  # fmt: skip
    child.delaybeforesend = None
    said = ""
    for answer in answers:
        child.expect(r"\]\? ")
        said += child.before + child.after
        child.send(answer)
    child.expect(pexpect.EOF)
    said += child.before
    child.close()
    return int(child.exitstatus if child.exitstatus is not None else -1), said


def complaint(said: str) -> str:
    """What in it is not ours: a control character, or a line that a name made up; "" if nothing."""
    if found := FORBIDDEN.search(said):
        return f"raw {found[0]!r} in {said[max(0, found.start() - 80) : found.end() + 40]!r}"
    plain = OWN.sub("", said.replace("\r\n", "\n"))
    # The progress bar goes back to the beginning of its line, and the typed end of input.
    plain = plain.replace("\r", "") if "reading" in said or "Reading" in said else plain
    for at, char in enumerate(plain):
        if not char.isprintable() and char not in "\n\t":
            return f"raw {char!r} in {plain[max(0, at - 80) : at + 40]!r}"
    fake = next((line for line in plain.split("\n") if line.startswith("FAKE")), "")
    return f"a line of its own: {fake!r}" if fake else ""
