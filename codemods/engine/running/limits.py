"""Limits: what a run is told about the files that it would rather leave alone, or not wait for."""

from __future__ import annotations

from dataclasses import dataclass

from pinsetter.analyzer.files.bounds import USUAL, Bounds

from ..propose.plan_options import PlanOptions


@dataclass(frozen=True)
class Limits:
    """``include_generated`` proposes hunks for generated files, too, ``whole_program`` for files
    that were not given, but that programs of given ones need; ``require_clean`` refuses to
    write where git has uncommitted changes, which else is a warning. ``cache``: what earlier runs
    found is taken where nothing is different; ``jobs`` processes analyse, or
    the Dask cluster ``executor``."""

    include_generated: bool = False
    whole_program: bool = False
    require_clean: bool = False
    cache: bool = False
    bounds: Bounds = USUAL
    jobs: int = 1
    executor: str | None = None

    def of_plan(self, writes: bool) -> PlanOptions:
        """What ``make_plan`` is told last."""
        return PlanOptions(
            self.include_generated, self.whole_program, writes,
            self.bounds, self.cache, self.jobs, self.executor,
        )  # fmt: skip


DEFAULT = Limits()
