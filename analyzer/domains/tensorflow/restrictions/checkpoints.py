"""R10: checkpoints that are made elsewhere than on the right of an assignment, made more than once,
or known by several names."""

from __future__ import annotations

from collections.abc import Iterator

from ....messages.finding import Finding
from .checked_code import Code
from .made_objects import check_role
from .sites import CHECKPOINT


def check(code: Code) -> Iterator[Finding]:
    """R10: as R05, for checkpoints and their managers."""
    yield from check_role(code, CHECKPOINT, "R10")
