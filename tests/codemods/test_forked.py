"""Items of another process: that they come whole, and that it ends whenever it should."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from prepared import needs_fork

from pinsetter.codemods.engine.stream.forked import Forked

pytestmark = needs_fork
Tell = Callable[[Any], None]


def numbers(tell: Tell | None) -> Iterator[int]:
    yield from range(3)


def pids_for_ever(tell: Tell | None) -> Iterator[int]:
    while True:
        yield os.getpid()
        time.sleep(0.01)


def test_nothing_comes_of_nothing() -> None:
    assert list(Forked(lambda tell: iter(()))) == []


def test_items_come_in_order() -> None:
    assert list(Forked(numbers)) == [0, 1, 2]


def test_another_process_makes_them() -> None:
    forked = Forked(pids_for_ever)
    assert next(iter(forked)) != os.getpid()
    forked.stop()


def test_what_is_shared_is_the_same_object() -> None:
    shared, other = ["rule"], ["hunk"]

    def make(tell: Tell | None) -> Iterator[tuple[list[str], list[str]]]:
        yield shared, other

    ((rule, hunk),) = Forked(make, shared=[shared])
    assert rule is shared
    assert hunk == other
    assert hunk is not other


def test_what_is_told_comes_between_the_items() -> None:
    found: list[object] = []

    def make(tell: Tell | None) -> Iterator[str]:
        assert tell is not None
        for number in range(2):
            tell(number)
            yield f"item {number}"

    found.extend(Forked(make, found.append))
    assert sorted(map(str, found)) == ["0", "1", "item 0", "item 1"]
    assert [each for each in found if isinstance(each, int)] == [0, 1]


def test_nobody_is_told_where_nobody_listens() -> None:
    def make(tell: Tell | None) -> Iterator[bool]:
        yield tell is None

    assert list(Forked(make)) == [True]


def test_an_item_may_be_large() -> None:
    ((item),) = Forked(lambda tell: iter([b"x" * 3_000_000]))
    assert len(item) == 3_000_000


def test_an_error_comes_after_the_items_and_says_where_it_was() -> None:
    def make(tell: Tell | None) -> Iterator[int]:
        yield 1
        raise LookupError("lost")

    items = iter(Forked(make))
    assert next(items) == 1
    with pytest.raises(LookupError, match="lost") as caught:
        next(items)
    assert 'raise LookupError("lost")' in str(caught.value.__cause__)


def test_a_child_that_is_killed_is_no_end() -> None:
    items = iter(Forked(pids_for_ever))
    os.kill(next(items), signal.SIGKILL)
    with pytest.raises(ChildProcessError, match="was ended by signal 9"):
        for _ in items:
            pass


def test_ctrl_c_is_not_for_the_child() -> None:
    def make(tell: Tell | None) -> Iterator[str]:
        os.kill(os.getpid(), signal.SIGINT)
        yield "still here"

    assert list(Forked(make)) == ["still here"]


def test_a_child_that_is_stopped_ends() -> None:
    forked = Forked(pids_for_ever)
    items = iter(forked)
    pid = next(items)
    forked.stop()
    with pytest.raises(ChildProcessError):
        for _ in items:
            pass
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


ENDLESS = """\
import time
from pinsetter.codemods.engine.stream.forked import Forked

def make(tell):
    yield "ready"
    {at_work}

for item in Forked(make):
    print(item, flush=True)
    {then}
"""


@pytest.mark.parametrize("at_work", ["time.sleep(60)", "while True: pass"])
@pytest.mark.parametrize("then", ["os.kill(os.getpid(), 9)", "os._exit(0)", "sys.exit()"])
def test_it_does_not_outlive_its_parent(at_work: str, then: str) -> None:
    code = "import os, sys\n" + ENDLESS.format(at_work=at_work, then=then)
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as parent:
        # The child has the other end of the pipe, too: it is closed when both are gone.
        out, _ = parent.communicate(timeout=20)
    assert out == b"ready\n"


class NotToBeSent(Exception):
    def __reduce__(self) -> str:
        raise TypeError("this cannot be pickled")


def fails_oddly(tell: Tell | None) -> Iterator[int]:
    yield 1
    raise NotToBeSent("but it is told")


def test_an_error_that_cannot_be_sent_is_told_all_the_same(
    capfd: pytest.CaptureFixture[str],
) -> None:
    items = iter(Forked(fails_oddly))
    assert next(items) == 1
    with pytest.raises(RuntimeError, match="NotToBeSent: but it is told"):
        next(items)
    assert "Traceback" not in capfd.readouterr().err
