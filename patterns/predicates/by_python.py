"""What the Python beside a pack says."""

from __future__ import annotations

from typing import Any

from ..matching.match import Match
from ..matching.matched import Matched
from ..packs.own_python import called
from .arguments import TEXT
from .registry import predicate


@predicate(TEXT)
def python(match: Match, name: Any) -> Match | None:
    """A function of the pack's own Python, the file under `python:`, returns something true for the
    match, which it gets as a Matched.

    ::

        match: sleep($seconds)
        python: |
          def is_long(match):
              seconds = match.code("$seconds")
              return seconds.isdigit() and int(seconds) > 60
        where: [{python: is_long}]
        holds: [sleep(90)]
        fails: [sleep(30), sleep(n)]
    """
    assert match.rule.python is not None
    return match if called(match.rule.python, name, Matched(match)) else None
