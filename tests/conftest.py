"""Every program of every test: what trains has in its bytes what `NeededNames` looks for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pytest

from pinsetter.analyzer.domains.tensorflow.training import TrainingSites
from pinsetter.analyzer.files.import_text import import_text
from pinsetter.analyzer.files.needed_names import NeededNames
from pinsetter.analyzer.library.declared import declared
from pinsetter.analyzer.names.module import Module
from pinsetter.analyzer.programs.domain import TrainingSite

_found = TrainingSites.of_program


def _with_names(self: TrainingSites, modules: Iterable[Module]) -> tuple[TrainingSite, ...]:
    modules = list(modules)
    sites = _found(self, modules)
    if sites:
        needed = NeededNames(declared().trains_by)
        texts = [module.source.data for module in modules]
        seen = [needed.seen_in(text, import_text(text)) for text in texts]
        if not needed.suffice(frozenset[str]().union(*seen)):
            pytest.fail(f"its bytes do not show that this trains: {texts}")
    return sites


@pytest.fixture(autouse=True, scope="session")
def _programs_that_train_show_it() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TrainingSites, "of_program", _with_names)
        yield
