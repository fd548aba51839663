"""generated: files that a program writes are read for their facts, but not rewritten: the next run
of that program would undo it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pinsetter.analyzer.names.file_head import generated_mark

if TYPE_CHECKING:
    from pinsetter.analyzer.names.module import Module


def is_generated(module: Module) -> bool:
    return generated_mark(module) is not None
