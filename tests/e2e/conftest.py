"""The runs that the tests of one program share. A module names its programs and controls.

The first programs of each module are run by two workers, one of each training API in all ways;
some of the faults that the harness has to see are tried.
PINSETTER_E2E=all, as `make e2e` sets it, runs all of them in all ways.
"""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.register_assert_rewrite("judged")

from judged import Program, Transform, rewrite  # noqa: E402
from worker_runs import ALL, Run  # noqa: E402

_CONTROLS = None if ALL else 1
# Two, where the second is made in another way than the first.
_TWO = ("test_gradient_tape", "test_keras", "test_graphs", "test_figures")
# The five training APIs.
_IN_ALL_WAYS = ("test_gradient_tape", "test_keras", "test_graphs", "test_estimator")
_BY_ONE = ("test_one_worker_trains_like_the_original", "test_one_process_trains_like_the_original")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    programs: dict[str, Program] = getattr(metafunc.module, "PROGRAMS", {})
    if programs and "program" in metafunc.fixturenames:
        some = list(programs)[: _most(metafunc.module.__name__, metafunc.function.__name__)]
        metafunc.parametrize("program", [programs[n] for n in some], ids=some, scope="module")
    if "control" in metafunc.fixturenames:
        controls: list[tuple[str, str]] = metafunc.module.CONTROLS[:_CONTROLS]
        values = [(programs[name], rule) for name, rule in controls]
        metafunc.parametrize("control", values, ids=["-".join(pair) for pair in controls])


def _most(module: str, test: str) -> int | None:
    if ALL:
        return None
    if test in _BY_ONE:
        return 1 if module in _IN_ALL_WAYS else 0
    return 2 if module in _TWO else 1


@pytest.fixture(scope="module")
def transformed(tmp_path_factory: pytest.TempPathFactory) -> Transform:
    """A rewritten copy of a program; further arguments name the rules to leave out."""

    def transformed(program: Program, *skip: str) -> Path:
        return rewrite(program, tmp_path_factory.mktemp("transformed"), skip)

    return transformed


@pytest.fixture(scope="module")
def original(program: Program, tmp_path_factory: pytest.TempPathFactory) -> Run:
    return program.plain(program.path, tmp_path_factory.mktemp("original") / "run")


@pytest.fixture(scope="module")
def rewritten(program: Program, transformed: Transform) -> Path:
    return transformed(program)
