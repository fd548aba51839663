"""The work of a run on machines that have none of its files: as bytes, by processes, on Dask."""

from __future__ import annotations

import os
import pickle
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import cloudpickle
import pytest
from commands import BIN, BROKEN, PLAIN, REPOSITORY, TRAIN, children, fixtures, run
from distributed import LocalCluster
from prepared import needs_fork
from reviewing import Review, prepare
from test_bounds import SLOW
from test_jobs import told, training

from pinsetter.analyzer.files import disk, user_cache
from pinsetter.analyzer.files.bounds import USUAL
from pinsetter.codemods.engine.hunks.proposed import Planned
from pinsetter.codemods.engine.propose import part_work, sent_run
from pinsetter.codemods.engine.propose.part_work import Job, PartWork
from pinsetter.codemods.engine.propose.plan_options import PlanOptions
from pinsetter.codemods.engine.propose.planning import make_plan, together
from pinsetter.codemods.engine.propose.scope import Scope
from pinsetter.codemods.engine.propose.sent_run import SentJobs, SentRun
from pinsetter.codemods.engine.workers.cluster import Cluster
from pinsetter.codemods.engine.workers.in_order import ClusterError, Lost, Tell
from pinsetter.codemods.engine.workers.served import (
    DONE,
    ERROR,
    LOST,
    REFUSED,
    RefusedError,
    Server,
)

pytestmark = needs_fork
DEMO = REPOSITORY / "fixtures" / "demo"


def nothing(item: object) -> None:
    """Nobody listens."""


@pytest.fixture(autouse=True)
def unlimited(monkeypatch: pytest.MonkeyPatch) -> None:
    """The process of these tests does jobs, too, and is to go on."""
    monkeypatch.setattr(part_work, "limit_processor_time", lambda *_: None)


# --- Without the files ---------------------------------------------------------------------------


@dataclass
class Prepared:
    """A run whose jobs were sent, but not done."""

    beginning: bytes
    jobs: SentJobs
    sent: list[tuple[Job, bytes]]

    @classmethod
    def of(cls, path: Path, writes: bool = False) -> Prepared:
        components = components_around(path)
        scope = Scope(components.listing, writes=writes)
        work = PartWork(training(), components.listing, frozenset(), scope, USUAL)
        jobs = SentJobs(work)
        sent = [(job, jobs.sent(job)) for part in components.speaking() for job in [Job((part,))]]
        beginning = pickle.dumps(SentRun.of(work, components.known))
        return cls(beginning, jobs, sent)

    def done(self) -> Planned:
        """What is proposed by a process that has nothing else."""
        work = pickle.loads(self.beginning).begin()
        try:
            made = [self.jobs.received(job, work(data, nothing)) for job, data in self.sent]
        finally:
            disk.use(disk.LOCAL)
        return together(part for parts in made for part in parts if part is not None)


def components_around(path: Path) -> Any:
    from pinsetter.analyzer.roles.speaking_first import components_of

    components = components_of([path])
    components.look_around()
    return components


@pytest.mark.parametrize("fixture", fixtures(0), ids=lambda path: path.name)
def test_the_files_may_be_gone(fixture: Path, tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    shutil.copytree(fixture, tree)
    (tree / "requirements.txt").write_text("tensorflow==2.15\n")
    here = make_plan(training(), [tree])
    prepared = Prepared.of(tree)
    shutil.rmtree(tree)
    there = prepared.done()
    assert here.plan.hunks
    assert told(there)[:4] == told(here)[:4]


def test_packages_of_projects_are_known_there(tmp_path: Path) -> None:
    for folder in ("scripts", "core/core", ".git"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "core/setup.py").write_text("")
    (tmp_path / "core/core/__init__.py").write_text("def say():\n    print(1)\n")
    (tmp_path / "scripts/job.py").write_text(f"import core\n{TRAIN}core.say()\n")
    here = make_plan(training(), [tmp_path])
    prepared = Prepared.of(tmp_path)
    shutil.rmtree(tmp_path / "core")
    shutil.rmtree(tmp_path / "scripts")
    assert any(hunk.module.path.name == "__init__.py" for hunk in here.plan.hunks)
    assert told(prepared.done())[:4] == told(here)[:4]


def test_a_broken_file_is_told_from_there(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(BROKEN)
    prepared = Prepared.of(tmp_path)
    (tmp_path / "train.py").unlink()
    ((problem),) = prepared.done().problems
    assert "cannot be parsed" in problem.reason
    assert problem.line == 3


def test_what_cannot_be_written_is_known_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "train.py").write_text(TRAIN)
    (tmp_path / "other.py").write_text(f"import train\n{TRAIN}")
    monkeypatch.setattr(os, "access", lambda path, mode, **_: not str(path).endswith("train.py"))
    here = make_plan(training(), [tmp_path], options=PlanOptions(writes=True))
    assert told(Prepared.of(tmp_path, writes=True).done())[:5] == told(here)[:5]


def test_what_was_not_sent_is_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "train.py").write_text(TRAIN)
    monkeypatch.setattr(sent_run, "_MOST_BYTES", 3)
    prepared = Prepared.of(tmp_path)
    work = pickle.loads(prepared.beginning).begin()
    try:
        assert work(prepared.sent[0][1], nothing) == b""
    finally:
        disk.use(disk.LOCAL)


def test_another_program_is_refused(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(TRAIN)
    beginning = pickle.loads(Prepared.of(tmp_path).beginning)
    other = replace(beginning, program=("0.0", "x", "3.9", "1"))
    with pytest.raises(RefusedError, match=r"here is Pinsetter 0\.0"):
        other.begin()


# --- By a process of its own ---------------------------------------------------------------------


@dataclass
class Doing:
    """What a process of its own does for these tests."""

    refused: str = ""

    def begin(self) -> Callable[[bytes, Tell], bytes]:
        if self.refused == "oddly":
            raise LookupError(self.refused)
        if self.refused:
            from pinsetter.codemods.engine.workers.served import RefusedError

            raise RefusedError(self.refused)
        return do


def do(data: bytes, tell: Tell) -> bytes:
    kind, value = pickle.loads(data)
    tell(kind)
    if kind == "kill":
        os.kill(os.getpid(), value)
    if kind == "exit":
        os._exit(value)
    if kind == "raise":
        raise LookupError(value)
    if kind == "elsewhere":
        return b""
    if kind == "wait":
        time.sleep(value)
    return pickle.dumps((kind, os.getpid() if kind == "pid" else value))


cloudpickle.register_pickle_by_value(sys.modules[__name__])
DOING: bytes = cloudpickle.dumps(Doing())


def job(kind: str, value: object = None) -> bytes:
    return pickle.dumps((kind, value))


@contextmanager
def serving(beginning: bytes) -> Iterator[Server]:
    server = Server(beginning)
    try:
        yield server
    finally:
        server.end()


@pytest.fixture
def server() -> Iterator[Server]:
    with serving(DOING) as found:
        yield found


def test_one_process_does_many_jobs(server: Server) -> None:
    answers = [server.do(job("pid")) for _ in range(3)]
    assert {answer.kind for answer in answers} == {DONE}
    assert len({answer.result for answer in answers}) == 1
    assert pickle.loads(answers[0].result) != ("pid", os.getpid())
    assert answers[0].told == ("pid",)


@pytest.mark.parametrize(
    ("what", "how"),
    [
        (job("kill", signal.SIGKILL), "was ended by signal 9"),
        (job("exit", 3), "was ended with 3"),
    ],
)
def test_a_job_that_ends_its_process_is_lost(what: bytes, how: str, server: Server) -> None:
    answer = server.do(what)
    assert (answer.kind, answer.result) == (LOST, how)
    assert answer.told == (pickle.loads(what)[0],)
    assert server.do(job("pid")).kind == LOST


def test_an_error_says_where_it_was(server: Server) -> None:
    answer = server.do(job("raise", "here"))
    assert answer.kind == ERROR
    assert "LookupError: here" in answer.result
    assert server.do(job("pid")).kind == DONE


@pytest.mark.parametrize(("refused", "kind"), [("too old", REFUSED), ("oddly", ERROR)])
def test_one_that_cannot_begin_says_why(refused: str, kind: str) -> None:
    with serving(cloudpickle.dumps(Doing(refused))) as server:
        for _ in range(2):
            answer = server.do(job("pid"))
            assert answer.kind == kind
            assert refused in answer.result


def test_it_does_not_outlive_who_started_it() -> None:
    code = (
        "import sys, os, cloudpickle\n"
        "from pinsetter.codemods.engine.workers.served import Server\n"
        "data = bytes.fromhex(sys.stdin.read())\n"
        "import pickle\n"
        "server = Server(data)\n"
        "print(pickle.loads(server.do(pickle.dumps(('pid', None))).result)[1], flush=True)\n"
        "os.kill(os.getpid(), 9)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], input=DOING.hex(), capture_output=True, text=True,
        timeout=60, check=False,
    )  # fmt: skip
    pid = int(done.stdout)
    until = time.monotonic() + 10
    while Path(f"/proc/{pid}/cmdline").exists() and time.monotonic() < until:
        time.sleep(0.1)
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_modules_of_the_current_folder_are_not_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("pickle", "pinsetter", "threading"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('it was run')\n")
    monkeypatch.chdir(tmp_path)
    with serving(DOING) as server:
        assert server.do(job("pid")).kind == DONE


# --- On a cluster --------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def dask() -> Iterator[LocalCluster]:
    with LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    ) as found:
        yield found


@pytest.fixture(scope="module")
def address(dask: LocalCluster) -> str:
    return str(dask.scheduler_address).removeprefix("tcp://")


def own(what: bytes, data: bytes) -> Any:
    return pickle.loads(data)


def cluster(address: str, here: Callable[[bytes, Tell], Any] = do) -> Cluster:
    return Cluster(address, DOING, bytes, own, here, nothing)


def give_up(what: Any, lost: Lost) -> None:
    return None


def test_results_come_in_the_order_of_the_jobs(address: str) -> None:
    times = [0.3, 0, 0.1, *[0] * 20]
    with closing(cluster(address)) as workers:
        jobs = [(number, job("wait", seconds)) for number, seconds in enumerate(times)]
        found = list(workers.each([("before", None), *jobs, ("after", None)], give_up))
    assert found == [
        ("before", None), *((n, ("wait", t)) for n, t in enumerate(times)), ("after", None)
    ]  # fmt: skip


def test_what_cannot_be_done_there_is_done_here(address: str) -> None:
    def here(what: bytes, tell: Tell) -> str:
        return "here"

    with closing(cluster(address, here)) as workers:
        found = list(workers.each([(1, job("elsewhere")), (2, job("x", 5))], give_up))
    assert found == [(1, "here"), (2, ("x", 5))]


def test_a_job_that_ends_its_process_is_lost_and_no_worker_with_it(address: str) -> None:
    def again(what: bytes, lost: Lost) -> bytes | None:
        assert lost == Lost("was ended by signal 9", ("kill",))
        return job("instead") if tried.append(1) is None and len(tried) == 2 else None

    tried: list[int] = []
    with closing(cluster(address)) as workers:
        kill = job("kill", signal.SIGKILL)
        found = list(workers.each([(1, kill), (2, job("x")), (3, kill)], again))
    assert dict(found)[2] == ("x", None)
    assert {type(dict(found)[number]) for number in (1, 3)} == {Lost, tuple}


def test_an_error_there_is_one_here(address: str) -> None:
    with closing(cluster(address)) as workers, pytest.raises(RuntimeError, match="LookupError: x"):
        list(workers.each([(1, job("raise", "x"))], give_up))


def test_another_pinsetter_there_is_said(address: str) -> None:
    beginning = cloudpickle.dumps(Doing("it is older"))
    workers = Cluster(address, beginning, bytes, own, do, nothing)
    with closing(workers), pytest.raises(ClusterError, match=f"dask://{address}: .* it is older"):
        list(workers.each([(1, job("x"))], give_up))


def pids(dask: LocalCluster) -> list[int]:
    return [nanny.process.process.pid for nanny in dask.workers.values()]


def test_a_worker_that_is_killed_midway_loses_nothing(dask: LocalCluster, address: str) -> None:
    before = pids(dask)
    assert len(before) == 2
    threading.Timer(0.5, os.kill, [before[0], signal.SIGKILL]).start()
    with closing(cluster(address)) as workers:
        jobs = [(number, job("wait", 0.1)) for number in range(24)]
        found = list(workers.each(jobs, give_up))
    assert found == [(number, ("wait", 0.1)) for number in range(24)]


def test_the_same_is_proposed_though_a_worker_is_killed(dask: LocalCluster, address: str) -> None:
    threading.Timer(1.5, lambda: os.kill(pids(dask)[1], signal.SIGKILL)).start()
    there = make_plan(training(), fixtures(1), options=PlanOptions(executor=address))
    assert told(there) == told(make_plan(training(), fixtures(1)))


def test_what_is_found_there_is_kept_here(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(user_cache, "folder", lambda: tmp_path / "cache")
    there = make_plan(training(), [DEMO], options=PlanOptions(executor=address, cached=True))
    assert list((tmp_path / "cache" / "plans").iterdir())
    monkeypatch.setattr(sent_run.SentJobs, "sent", None)
    again = make_plan(training(), [DEMO], options=PlanOptions(executor=address, cached=True))
    assert told(again) == told(there)


def test_the_command_says_the_same(address: str) -> None:
    there = run(DEMO, "--diff", "--no-cache", "--executor", f"dask://{address}")
    assert there == run(DEMO, "--diff", "--no-cache")


def test_any_code(address: str, tmp_path: Path) -> None:
    script = prepare(tmp_path)
    for number in range(40):
        (tmp_path / f"m{number:02}.py").write_text(script.read_text() if number % 3 else PLAIN)
    command = [str(BIN / "pinsetter"), "run", str(tmp_path / "review.yaml"), str(tmp_path)]
    options = ["--diff", "--no-cache"]
    there = run(*options, "--executor", f"dask://{address}", command=command)
    assert b"open_log()" in there.out
    assert there == run(*options, command=command)


def test_a_review(address: str, tmp_path: Path) -> None:
    script = prepare(tmp_path)
    with Review(script, arguments=["--executor", f"dask://{address}", "--no-cache"]) as review:
        assert "[0 decided, 8 left]" in review.seen()
        code, said = review.end("q")
    assert code == 0
    assert "1 seen, 1 parsed" in said


@pytest.mark.parametrize(
    "given", ["", "dask://", "host:1", "tcp://host:1", "dask://host", "dask://h:x"]
)
def test_an_address_has_a_form(given: str) -> None:
    found = run(DEMO, "--check", "--executor", given)
    assert found.code == 3
    assert "dask://HOST:PORT" in found.err


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands, which are children of this process, wait for two seconds."""
    monkeypatch.setattr("pinsetter.codemods.engine.workers.cluster._SECONDS", 2)


@pytest.mark.usefixtures("impatient")
def test_nobody_answers() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    found = run(DEMO, "--check", "--executor", f"dask://127.0.0.1:{port}")
    assert found.code == 2
    assert f"dask://127.0.0.1:{port}: no scheduler answers" in found.err


@pytest.mark.usefixtures("impatient")
def test_nobody_works() -> None:
    with LocalCluster(n_workers=0, dashboard_address=None) as empty:
        address = str(empty.scheduler_address).removeprefix("tcp://")
        found = run(DEMO, "--check", "--executor", f"dask://{address}")
    assert found.code == 2
    assert f"dask://{address}: it has no workers" in found.err


def test_without_dask_it_is_said_how_to_get_it(tmp_path: Path) -> None:
    (tmp_path / "distributed.py").write_text("raise ImportError('No module named distributed')\n")
    found = run(
        DEMO, "--check", "--executor", "dask://127.0.0.1:1", env={"PYTHONPATH": str(tmp_path)}
    )
    assert found.code == 2
    assert "pip install 'pinsetter[dask]'" in found.err


def test_the_same_run_twice_at_once_is_two(address: str) -> None:
    first, second = cluster(address), cluster(address)
    with closing(second):
        with closing(first):
            assert list(first.each([(1, job("x"))], give_up)) == [(1, ("x", None))]
        assert list(second.each([(1, job("x"))], give_up)) == [(1, ("x", None))]


def test_no_process_of_a_run_is_left_on_a_worker(address: str) -> None:
    with closing(cluster(address)) as workers:
        ((_, (_, pid)),) = workers.each([(1, job("pid"))], give_up)
        assert Path(f"/proc/{pid}").exists()
    assert not Path(f"/proc/{pid}").exists()


def begun(worker: int) -> bool:
    """Whether one of its children does jobs; others look at the machine for Dask."""
    for pid in children(worker):
        with suppress(OSError):  # it has ended meanwhile
            if b"served" in Path(f"/proc/{pid}/cmdline").read_bytes():
                return True
    return False


def test_a_scheduler_that_goes_away_is_said(tmp_path: Path) -> None:
    for number in range(3):  # so large that the run cannot be done before it is gone
        (tmp_path / f"p{number}.py").write_text(SLOW)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    begin = ["dask", "scheduler", "--host", "127.0.0.1", "--port", port, "--no-dashboard"]
    join = ["dask", "worker", f"tcp://127.0.0.1:{port}", "--no-nanny", "--no-dashboard"]
    command = ["pinsetter", "run", "distribute", str(tmp_path), "--check", "--timeout", "60"]
    with ExitStack() as stack:

        def started(command: list[str]) -> subprocess.Popen[str]:
            process = subprocess.Popen(
                [str(BIN / command[0]), *command[1:]], text=True,
                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
            )  # fmt: skip
            stack.enter_context(process)
            stack.callback(process.kill)
            return process

        scheduler, worker = started(begin), started(join)
        process = started([*command, "--executor", f"dask://127.0.0.1:{port}"])
        until = time.monotonic() + 60
        while not begun(worker.pid) and time.monotonic() < until:
            time.sleep(0.05)
        scheduler.kill()
        _, err = process.communicate(timeout=90)
    assert process.returncode == 2
    assert f"dask://127.0.0.1:{port}: it " in err
    assert "internal error" not in err
