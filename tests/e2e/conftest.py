"""The runs that the tests of one program share. A module names its programs and controls."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.register_assert_rewrite("judged")

from judged import Program, Transform, rewrite  # noqa: E402
from worker_runs import Run  # noqa: E402


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    programs: dict[str, Program] = getattr(metafunc.module, "PROGRAMS", {})
    if programs and "program" in metafunc.fixturenames:
        metafunc.parametrize("program", programs.values(), ids=programs, scope="module")
    if "control" in metafunc.fixturenames:
        controls: list[tuple[str, str]] = metafunc.module.CONTROLS
        values = [(programs[name], rule) for name, rule in controls]
        metafunc.parametrize("control", values, ids=["-".join(pair) for pair in controls])


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
