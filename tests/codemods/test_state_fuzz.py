"""Whatever is in a state database or a file of decisions: a Problem at most, and nothing is written
outside of the tree. `make fuzz-state` tries 100,000; PINSETTER_FUZZ_STATE says how many."""

from __future__ import annotations

import os
import random
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from prepared import located
from state_fuzzing import Prepared, prepare, try_database, try_decisions

COUNT = int(os.environ.get("PINSETTER_FUZZ_STATE", "600"))
SEED = int(os.environ.get("PINSETTER_FUZZ_SEED", "0"))
KINDS: dict[str, tuple[Callable[[Prepared, random.Random], None], float]] = {
    "torn databases": (lambda one, chance: try_database(one, chance, torn=True), 0.2),
    "other rows": (lambda one, chance: try_database(one, chance, torn=False), 0.3),
    "decisions": (try_decisions, 0.5),
}


@pytest.fixture
def prepared(monkeypatch: pytest.MonkeyPatch) -> Iterator[Prepared]:
    """In memory, where there is such a folder: a disk would take most of the time."""
    memory = Path("/dev/shm")
    base = Path(tempfile.mkdtemp(dir=memory if memory.is_dir() else None)).resolve()
    monkeypatch.setenv("XDG_STATE_HOME", str(base / "state"))
    (base / "around").mkdir()
    yield prepare(base / "around")
    shutil.rmtree(base)


@pytest.mark.parametrize("kind", KINDS)
def test_state_with_mistakes(prepared: Prepared, kind: str) -> None:
    attempt, share = KINDS[kind]
    for number in range(int(COUNT * share)):
        seed = f"{kind} {SEED} {number}"
        try:
            attempt(prepared, random.Random(seed))
        except BaseException as error:
            error.add_note(f"seed {seed!r}") if hasattr(error, "add_note") else print(seed)
            raise
        if kind == "decisions" and number % 500 == 499:
            located(prepared.tree).database.write_bytes(prepared.database)
