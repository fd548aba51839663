"""``pinsetter new``: a pack to begin with, and the script for Bowler that runs it."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import click

from pinsetter.analyzer.messages.problem import Problem

from ..console.exit_code import ExitCode
from ..console.terminal import echo
from .summary import print_problems

PACK_NAME = re.compile(r"[a-z][a-z0-9-]*")
_PACK = """\
# Each rule stands for itself: what it is for, and why, is what a reviewer reads.
pack: {name}
summary: What it is for, in a sentence.
imports: {{logging: logging}}
rules:
  - id: warn-is-warning
    title: warning for warn
    why: logging.warn is an old name of logging.warning, and Python 3.13 has it no more.
    match: logging.warn($...arguments)
    edit: {{replace: $match, with: logging.warning($...arguments)}}
    examples:
      - unchanged: |
          import logging

          logging.warning("why")
          other.warn("why")
      - before: |
          import logging as log

          log.warn("why %s", x)
        after: |
          import logging as log

          log.warning("why %s", x)
"""
_SCRIPT = '''\
"""bowler run {script}.py ./repo"""

from pathlib import Path

from pinsetter.codemods.engine.cli import run_codemod


def main() -> None:
    run_codemod(str(Path(__file__).with_name("{name}.yaml")))


if __name__ == "__main__":
    main()
'''


@click.command("new")
@click.argument("name")
def new_command(name: str) -> None:
    """Write NAME.yaml, a pack with one rule and its examples, and a script that runs it with
    Bowler, into the current folder."""
    name = name.removesuffix(".yaml")
    if not PACK_NAME.fullmatch(name):
        raise click.UsageError("A pack's name is of small letters, digits and dashes.")
    script = name.replace("-", "_")
    files = {
        Path(f"{name}.yaml"): _PACK.format(name=name),
        Path(f"{script}.py"): _SCRIPT.format(name=name, script=script),
    }
    for path in files:
        if path.exists() or path.is_symlink():
            raise click.UsageError(f"There is a {path} already.")
    for path, text in files.items():
        try:
            path.write_text(text, "utf-8")
        except OSError as error:
            print_problems([Problem(path, f"cannot be written: {error.strerror or error}")])
            sys.exit(ExitCode.FAILED)
    echo(f"{name}.yaml    pinsetter test {name}.yaml")
    echo(f"{script}.py    bowler run {script}.py ./repo, as pinsetter run ./{name}.yaml ./repo")
