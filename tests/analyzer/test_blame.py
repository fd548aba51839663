"""blame: which module is looked at, also while it is only being made."""

from __future__ import annotations

import inspect
from pathlib import Path
from types import FrameType

import pytest

from pinsetter.analyzer.files.source import Source
from pinsetter.analyzer.names.failing_module import blamed, looked_at
from pinsetter.analyzer.names.module import Module

MADE = Module(Path("a.py"), "a", Source(Path("a.py"), 0, "", "utf-8", "\n"))


def _frame() -> FrameType:
    frame = inspect.currentframe()
    assert frame is not None
    assert frame.f_back is not None
    return frame.f_back


class _Looking:
    def __init__(self, module: Module) -> None:
        self.module = module

    def frame(self) -> FrameType:
        return _frame()


class _Computing:
    """What would have to run code to tell its module."""

    @property
    def module(self) -> Module:
        raise RecursionError

    def frame(self) -> FrameType:
        return _frame()


def test_a_module_and_what_has_one_are_looked_at() -> None:
    def of_module(module: Module) -> FrameType:
        return _frame()

    assert looked_at(of_module(MADE)) is MADE
    assert looked_at(_Looking(MADE).frame()) is MADE


def test_a_module_that_is_only_being_made_is_not_looked_at() -> None:
    begun = object.__new__(Module)

    def of_module(module: Module) -> FrameType:
        return _frame()

    assert looked_at(of_module(begun)) is None
    assert looked_at(_Looking(begun).frame()) is None


def test_nothing_is_run_to_tell_it() -> None:
    assert looked_at(_Computing().frame()) is None


def test_nobody_is_to_blame_for_an_error_outside_of_modules() -> None:
    with pytest.raises(ValueError, match="x") as raised:
        raise ValueError("x")
    assert blamed(raised.value) is None
