"""Activity: the names and attribute paths that one statement reads, binds, deletes, modifies."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from .accesses import Accesses


@dataclass(frozen=True)
class Activity:
    """What a statement, or the head of a compound one, does with names.

    ``x.y`` is a path, and so is ``x['k']``, by a number or text; whoever reads it reads ``x``, too.
    ``read`` includes the names that nested functions, classes and comprehensions take from around,
    ``captured`` those of them that are read only when the function, or the generator, runs.
    ``written`` are bound names and paths; ``modified`` those that keep their object or binding but
    not its state: the target of an augmented assignment, and the owner of an attribute or item that
    is stored or deleted. ``filled`` are those of them in which an item by no constant is stored,
    ``x[i]``.
    """

    read: frozenset[str] = frozenset()
    written: frozenset[str] = frozenset()
    deleted: frozenset[str] = frozenset()
    modified: frozenset[str] = frozenset()
    captured: frozenset[str] = frozenset()
    filled: frozenset[str] = frozenset()


def activity(parts: Iterable[Accesses]) -> Activity:
    """The activity of the nodes that a statement's head consists of."""
    read: set[str] = set()
    written: set[str] = set()
    deleted: set[str] = set()
    modified: set[str] = set()
    captured: set[str] = set()
    filled: set[str] = set()
    for part in parts:
        read.update(part.reads, part.inner)
        captured.update(part.captured, part.module_reads)
        written.update(part.stored)
        written.update([name for name, _ in part.written])
        written.update([name for name, _ in part.maybe_written])
        deleted.update(part.deleted, part.deleted_paths)
        modified.update(part.modified)
        filled.update(part.filled)
    return Activity(
        frozenset(read | captured),
        frozenset(written),
        frozenset(deleted),
        frozenset(modified),
        frozenset(captured),
        frozenset(filled),
    )
