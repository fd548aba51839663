"""What Windows lacks: here it is taken away, and the commands do the same. No test of Windows
itself: its paths, its locks and its consoles are tried only where the tests run there."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LESS = """
import multiprocessing, multiprocessing.context, os, shutil, signal, subprocess, sys, tempfile
import filelock, platformdirs.unix, rich.console  # they know how to do without, by the platform
for name in ("fork", "forkpty", "geteuid", "getgid", "getegid", "getgroups", "sysconf", "mkfifo",
             "fchmod", "fchown", "chown", "lchown", "O_DIRECTORY", "O_NOFOLLOW",
             "O_CLOEXEC", "killpg", "setsid", "getpgid", "register_at_fork", "statvfs"):
    if hasattr(os, name):
        delattr(os, name)
for name in ("SIGKILL", "SIGHUP", "SIGALRM", "SIGCONT", "SIGWINCH", "SIGTSTP", "SIGXCPU", "SIGPIPE",
             "SIGQUIT", "SIGUSR1", "SIGPROF", "setitimer", "ITIMER_PROF", "pthread_sigmask",
             "pthread_kill", "sigwait", "alarm"):
    if hasattr(signal, name):
        delattr(signal, name)
os.supports_dir_fd, os.supports_fd, os.supports_follow_symlinks = set(), set(), set()
for name in ("fcntl", "resource", "pwd", "grp", "tty", "pty", "readline"):
    sys.modules[name] = None
opened = os.open
def no_folders(path, flags, mode=0o777, *, dir_fd=None):
    if dir_fd is not None:
        raise NotImplementedError("dir_fd unavailable on this platform")
    if os.path.isdir(path):
        raise PermissionError(13, "Permission denied", path)
    return opened(path, flags, mode)
os.open = no_folders
multiprocessing.get_all_start_methods = lambda: ["spawn"]
from pinsetter.__main__ import main
main()
"""


def less(*arguments: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", LESS, *map(str, arguments)], cwd=cwd, text=True,
        stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=120,
    )  # fmt: skip


@pytest.fixture
def program(tmp_path: Path) -> Path:
    shutil.copytree(ROOT / "fixtures/demo", tmp_path / "repo")
    return tmp_path


def texts(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (folder / "repo").rglob("*.py")}


def test_reports_are_the_same(program: Path) -> None:
    run = ("run", "distribute", "repo", "--diff", "--jobs", "2")
    here = subprocess.run(
        [sys.executable, "-m", "pinsetter", *run], cwd=program, text=True, capture_output=True,
        check=False, timeout=120,
    )  # fmt: skip
    done = less(*run, cwd=program)
    assert done.returncode == 0, done.stderr
    assert done.stdout == here.stdout != ""


def test_what_is_written_is_taken_back(program: Path) -> None:
    before = texts(program)
    assert less("run", "distribute", "repo", "--check", cwd=program).returncode == 1
    done = less("run", "distribute", "repo", "--write", cwd=program)
    assert done.returncode == 0, done.stderr
    assert texts(program) != before
    assert less("run", "distribute", "repo", "--check", cwd=program).returncode == 0
    done = less("undo", "repo", cwd=program)
    assert done.returncode == 0, done.stderr
    assert texts(program) == before


def test_an_end_of_input_decides_nothing(program: Path) -> None:
    before = texts(program)
    done = less("run", "distribute", "repo", cwd=program)
    assert "Traceback" not in done.stderr
    assert texts(program) == before
