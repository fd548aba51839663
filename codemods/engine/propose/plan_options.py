"""PlanOptions: what a plan is told beside packs and files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pinsetter.analyzer.files.bounds import USUAL, Bounds

if TYPE_CHECKING:
    from .chosen_lines import Places


@dataclass(frozen=True)
class PlanOptions:
    """``cached``: what an earlier run found for the same is taken, and what is found kept
    (``PlanCache``). ``jobs`` processes analyse at the same time, or the workers of a Dask cluster
    whose scheduler is at ``executor``, HOST:PORT; what is proposed does not depend on it.
    ``writes``: what cannot be written is no use. ``exclude`` are patterns of git's for what is not
    read; ``strict``: what would only be noted as passed over is a problem.
    ``since`` a revision, or with ``staged``, only what belongs to changed files is proposed, as for
    those that are ``changed`` whatever git says; with ``places``, only what stands
    there. What the rest mean ``Scope`` says."""

    include_generated: bool = False
    whole_programs: bool = False
    writes: bool = False
    bounds: Bounds = USUAL
    cached: bool = False
    jobs: int = 1
    executor: str | None = None
    exclude: tuple[str, ...] = ()
    strict: bool = False
    since: str | None = None
    staged: bool = False
    changed: frozenset[Path] | None = None
    places: Places | None = None
