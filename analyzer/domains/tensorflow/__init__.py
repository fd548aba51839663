"""TensorFlow, Keras and Horovod: how their programs train, and how they run code."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...messages.finding import Finding
from ...programs.domain import Domain
from .execution import execution
from .training import TrainingSites
from .versions import first_release

if TYPE_CHECKING:
    from ...facts import Facts


def _restrictions(facts: Facts) -> list[Finding]:
    from .restrictions import check  # fifteen modules that only one command needs

    return check(facts)


DOMAIN = Domain("tensorflow", TrainingSites, execution, first_release, _restrictions)
