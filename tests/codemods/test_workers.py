"""Jobs of several processes: results in order, whatever becomes of a process."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any

import pytest
from prepared import needs_fork

from pinsetter.codemods.engine.workers.in_order import Here, Lost, Tell, Workers
from pinsetter.codemods.engine.workers.processes import Processes

pytestmark = needs_fork
Job = tuple[str, Any] | None


def nothing(item: object) -> None:
    """Nobody listens."""


def give_up(job: Any, lost: Lost) -> None:
    return None


def done(
    workers: Workers, jobs: list[Job] | Iterator[Job], again: Callable[[Any, Lost], Any] = give_up
) -> list[tuple[int, Any]]:
    with closing(workers):
        return list(workers.each(enumerate(jobs), again))


def work(job: tuple[str, Any], tell: Tell) -> Any:
    kind, value = job
    if kind == "say":
        tell(value)
    elif kind == "wait":
        time.sleep(value)
    elif kind == "die":
        tell("about to die")
        os.kill(os.getpid(), value)
    elif kind == "exit":
        os._exit(value)
    elif kind == "raise":
        raise value
    elif kind == "give":
        return value()
    elif kind == "pid":
        time.sleep(value)
        return os.getpid()
    return value


def kinds(number: int, tell: Tell = nothing) -> Workers:
    return Processes(work, tell, number) if number else Here(work, tell)


@pytest.mark.parametrize("number", [0, 1, 2, 5])
def test_no_jobs(number: int) -> None:
    assert done(kinds(number), []) == []


@pytest.mark.parametrize("number", [0, 1, 2, 5])
def test_what_is_no_job_keeps_its_place(number: int) -> None:
    assert done(kinds(number), [None, None]) == [(0, None), (1, None)]
    found = done(kinds(number), [None, ("wait", 0.05), None, ("wait", 0), None])
    assert found == [(0, None), (1, 0.05), (2, None), (3, 0), (4, None)]


@pytest.mark.parametrize("number", [0, 1, 2, 5])
def test_results_come_in_the_order_of_the_jobs(number: int) -> None:
    times = [0.1, 0, 0.02, 0, 0, 0.05, *[0.0] * 200]
    found = done(kinds(number), [("wait", seconds) for seconds in times])
    assert found == list(enumerate(times))


def test_several_at_a_time() -> None:
    assert len({pid for _, pid in done(kinds(3), [("pid", 0.1)] * 6)}) == 3
    assert os.getpid() not in {pid for _, pid in done(kinds(1), [("pid", 0)])}


def test_no_more_processes_than_jobs() -> None:
    workers = Processes(work, nothing, 8)
    with closing(workers):
        ((_, pid),) = workers.each([(0, ("pid", 0))], give_up)
        assert [worker.process.pid for worker in workers._workers] == [pid]


def test_jobs_are_asked_for_when_there_is_somebody_to_do_them() -> None:
    asked = 0

    def jobs() -> Iterator[Job]:
        nonlocal asked
        for _ in range(500):
            asked += 1
            yield "wait", 0

    workers = kinds(2)
    with closing(workers):
        next(workers.each(enumerate(jobs()), give_up))
        assert asked < 100


@pytest.mark.parametrize("number", [0, 1, 2])
def test_what_is_told_comes_before_the_result(number: int) -> None:
    found: list[Any] = []
    workers = kinds(number, found.append)
    with closing(workers):
        for _, result in workers.each(enumerate([("say", "a"), ("say", "b")]), give_up):
            assert result in found
    assert sorted(found) == ["a", "b"]


def test_a_result_may_be_large() -> None:
    large = b"x" * 3_000_000
    assert done(kinds(2), [("is", large), ("is", large)]) == [(0, large), (1, large)]


def test_what_is_shared_is_the_same_object() -> None:
    rule, other = ["rule"], ["hunk"]
    workers = Processes(work, nothing, 2, [rule])
    with closing(workers):
        ((_, found),) = workers.each([(0, ("is", (rule, other)))], give_up)
    assert found[0] is rule
    assert found[1] == other
    assert found[1] is not other


@pytest.mark.parametrize(
    ("job", "how"),
    [
        (("die", signal.SIGKILL), "was ended by signal 9"),
        (("die", signal.SIGXCPU), "was ended as it took too much of the processor's time"),
        (("exit", 3), "was ended with 3"),
        (("exit", 0), "was ended with 0"),
    ],
)
@pytest.mark.parametrize("number", [1, 2])
def test_a_job_that_ends_its_process_is_lost_and_no_other(job: Job, how: str, number: int) -> None:
    jobs: list[Job] = [("is", 0), job, ("is", 2), job, job, ("is", 5)]
    found = done(kinds(number), jobs)
    told = ("about to die",) if job is not None and job[0] == "die" else ()
    lost = Lost(how, told)
    assert found == [(0, 0), (1, lost), (2, 2), (3, lost), (4, lost), (5, 5)]


@pytest.mark.parametrize("number", [1, 2])
def test_what_was_lost_may_be_done_otherwise(number: int) -> None:
    def again(job: Any, lost: Lost) -> Any:
        assert lost.told == ("about to die",)
        return "is", "otherwise"

    jobs: list[Job] = [("die", signal.SIGKILL), ("is", 1), ("die", signal.SIGKILL)]
    assert done(kinds(number), jobs, again) == [(0, "otherwise"), (1, 1), (2, "otherwise")]


def test_a_process_that_is_ended_while_it_has_nothing_to_do() -> None:
    workers = Processes(work, nothing, 1)

    def jobs() -> Iterator[tuple[int, Job]]:
        yield 0, ("pid", 0)
        yield 1, None
        workers._workers[0].process.kill()
        workers._workers[0].process.join()
        yield 2, ("is", 2)

    with closing(workers):
        found = dict(workers.each(jobs(), give_up))
    assert found[2] == 2


@pytest.mark.parametrize("number", [0, 1, 2])
def test_an_error_is_raised_here(number: int) -> None:
    with pytest.raises(LookupError, match="lost"):
        done(kinds(number), [("is", 1), ("raise", LookupError("lost")), ("is", 2)])


def test_an_error_says_where_it_was() -> None:
    with pytest.raises(LookupError) as caught:
        done(kinds(2), [("raise", LookupError("lost"))])
    assert "in work" in str(caught.value.__cause__)


class NotToBeSent(Exception):
    def __reduce__(self) -> str:
        raise TypeError("this cannot be pickled")


def odd() -> Any:
    return lambda: 0


def fails_oddly() -> Any:
    raise NotToBeSent("but it is told")


@pytest.mark.parametrize(
    ("make", "says"), [(odd, "pickle"), (fails_oddly, "NotToBeSent: but it is told")]
)
def test_what_cannot_be_sent_is_an_error(make: Callable[[], Any], says: str) -> None:
    with pytest.raises(RuntimeError, match=says):
        done(kinds(1), [("give", make)])


def test_closed_at_once_while_they_work() -> None:
    workers = Processes(work, nothing, 2)
    found = workers.each(enumerate([("pid", 0), ("wait", 60), ("wait", 60)]), give_up)
    next(found)
    pids = [worker.process.pid for worker in workers._workers]
    before = time.monotonic()
    workers.close()
    assert time.monotonic() - before < 10
    for pid in pids:
        assert pid is not None
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)
    workers.close()


ENDLESS = """\
import os, sys, time
from pinsetter.codemods.engine.workers.processes import Processes

def work(job, tell):
    tell("ready")
    {at_work}

def told(item):
    print(item, flush=True)
    {then}

list(Processes(work, told, 2).each([(1, 1), (2, 2)], lambda job, lost: None))
"""


@pytest.mark.parametrize("at_work", ["time.sleep(60)", "while True: pass"])
@pytest.mark.parametrize("then", ["os.kill(os.getpid(), 9)", "os._exit(0)", "sys.exit()"])
def test_they_do_not_outlive_their_parent(at_work: str, then: str) -> None:
    code = ENDLESS.format(at_work=at_work, then=then)
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as parent:
        # The children have the other end of the pipe, too: it is closed when all are gone.
        out, _ = parent.communicate(timeout=20)
    assert out == b"ready\n"
