"""Fixtures: a script in a folder of its own; a state folder that is not the user's."""

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from campaigning import Home
from commands import TRAIN

# Whoever runs the tests in the background has these ignored, which commands would respect.
for _number in (signal.SIGINT, getattr(signal, "SIGHUP", signal.SIGINT)):
    if signal.getsignal(_number) is signal.SIG_IGN:
        usual = signal.default_int_handler if _number is signal.SIGINT else signal.SIG_DFL
        signal.signal(_number, usual)


@pytest.fixture(autouse=True, scope="session")
def _state_of_the_tests(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        patch.delenv("PINSETTER_STATE", raising=False)
        yield


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "home")


@pytest.fixture
def script(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    path = folder / "train.py"
    path.write_text(TRAIN)
    return path
