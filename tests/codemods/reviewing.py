"""What the tests of the review share: a pack of small rules, a script for it, and a terminal."""

from __future__ import annotations

import os
import re
import shlex
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from commands import BIN

from pinsetter.codemods.engine.hunks.hunk import Hunk
from pinsetter.codemods.engine.hunks.plan import Plan
from pinsetter.codemods.engine.propose.planning import make_plan
from pinsetter.codemods.engine.running.pack_query import PackQuery
from pinsetter.patterns.packs import pack as packs
from pinsetter.patterns.packs.pack import Pack

# Eight hunks of `SCRIPT`, in this order: start-log, check-pair, name-steps, renew or revise,
# check-pair, name-steps, name-steps.
PACK = """\
pack: review
summary: Rules for tests of the review.
rules:
  - id: start-log
    title: Start the log
    why: The log is opened once, before anything is checked.
    query: file_input< any* >
    where: [{not: {present: {code: "open_log()", in: module}}}]
    edit: {insert: open_log(), place: start}
    done: [{present: {code: "open_log()", in: module}}]
    examples: [{unchanged: open_log()}]
  - id: check-pair
    title: Check both sides
    why: Neither side is checked elsewhere.
    match: pair($left, $right)
    edit:
      - {wrap: $left, with: check($it)}
      - {wrap: $right, with: check($it)}
    requires: [start-log]
    examples: [{unchanged: other()}]
  - id: renew
    title: Use new
    why: What is old goes.
    match: old($x)
    edit: {replace: $match, with: new($x)}
    examples: [{unchanged: other()}]
  - id: revise
    title: Use revised
    why: What is old may be revised instead.
    match: old($x)
    edit: {replace: $match, with: revised($x)}
    examples: [{unchanged: other()}]
  - id: name-steps
    title: Name the steps
    why: Steps without a name are hard to find.
    match: step($number)
    edit: {append: "name='step'"}
    warn: [{say: The name is the same for all.}]
    examples: [{unchanged: other()}]
"""
SCRIPT = '''\
here = 1

pair(one, two)
step(1)
old(1)
pair(
    three,
    four,
)
text = """
{}
""".format(step(2))
step(3)
'''
HUNKS = 8
PROMPT = r"Apply this hunk \[y,n,q,a,d,\?\]\? "
ESCAPES = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")
END, INTERRUPT = "\x04", "\x03"


def prepare(folder: Path, text: str = SCRIPT) -> Path:
    """Write the pack, and a script for it, whose path is returned."""
    (folder / "review.yaml").write_text(PACK)
    script = folder / "lines.py"
    script.write_text(text)
    return script


def plan_of(script: Path) -> Plan:
    pack = packs.load(script.parent / "review.yaml")
    assert isinstance(pack, Pack), pack
    return make_plan([PackQuery(pack, [])], [script]).plan


def the(plan: Plan, rule: str, number: int = 0) -> Hunk:
    return [hunk for hunk in plan.hunks if hunk.rule == rule][number]


def command(script: Path, *options: str) -> list[str]:
    pack = str(script.parent / "review.yaml")
    return [str(BIN / "pinsetter"), "run", pack, str(script), *options]


def editor(folder: Path, code: str) -> dict[str, str]:
    """The environment with an editor that runs Python code on the ``lines`` of its file."""
    program = folder / "editor.py"
    program.write_text(
        "import sys\n"
        "path = sys.argv[1]\n"
        "text = open(path).read()\n"
        f"open({str(folder / 'shown.txt')!r}, 'w').write(text)\n"
        f"{code}\n"
        "open(path, 'w').write(text)\n"
    )
    return {"VISUAL": f"{shlex.quote(sys.executable)} {shlex.quote(str(program))}", "EDITOR": "no"}


class Review:
    """The real program in a pseudo-terminal."""

    def __init__(
        self,
        script: Path,
        environment: Mapping[str, str] | None = None,
        size: tuple[int, int] = (50, 200),
        arguments: Sequence[str] = (),
        manner: Sequence[str] = ("--by", "hunk", "--yes"),
    ) -> None:
        import pexpect

        clean = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
        program, *rest = command(script, *manner, *arguments)
        self.child: Any = pexpect.spawn(
            program, rest, encoding="utf-8", timeout=30,
            dimensions=size, env={**clean, "TERM": "xterm-256color", **(environment or {})},
        )  # fmt: skip
        self.child.delaybeforesend = None
        self.by_line = "--enter" in manner or (environment or {}).get("TERM") == "dumb"
        self.edits_lines = (environment or {}).get("TERM") != "dumb"
        self.raw = ""

    def __enter__(self) -> Review:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        where: TracebackType | None,
    ) -> None:  # fmt: skip
        self.child.close(force=True)

    def seen(self, prompt: str = PROMPT) -> str:
        """What is shown until it asks, as plain text."""
        self.child.expect(prompt)
        self.raw += self.child.before + self.child.after
        return plain(self.child.before)

    def key(self, answer: str, prompt: str = PROMPT) -> str:
        """Answer; returns what is shown until it asks again."""
        self.send(answer)
        return self.seen(prompt)

    def send(self, answer: str) -> None:
        """Press a key, with what it asks for behind it; else type a line."""
        if self.by_line and answer not in (END, INTERRUPT):
            self.child.sendline(answer)
            if self.edits_lines:  # the question stands there again, over itself
                self.child.expect(r"\r[^\r\n]*\? ")
            return
        asked = re.fullmatch(r"([gi](?=[ \d])|/)\s*(.+)", answer)
        if len(answer) == 1:
            self.child.send(answer)
        elif asked is not None:
            self.child.send(asked[1])
            self.child.expect(r"(Go to which hunk|Why is)[^?]*\? ")
            self.child.sendline(asked[2])
        else:
            self.child.sendline(answer)

    def end(self, answer: str) -> tuple[int, str]:
        """Answer; the exit code, and what is shown until the end."""
        import pexpect

        self.send(answer)
        self.child.expect(pexpect.EOF)
        self.raw += self.child.before
        self.child.close()
        assert self.child.signalstatus is None
        assert "Traceback" not in self.raw, self.raw
        return int(self.child.exitstatus), plain(self.child.before)


def plain(text: str) -> str:
    return ESCAPES.sub("", text).replace("\r", "")
