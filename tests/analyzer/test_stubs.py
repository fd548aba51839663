"""What functions of Python's own library give, as typeshed has it."""

from __future__ import annotations

import pytest

from pinsetter.analyzer.library.stubs import is_class, returned


@pytest.mark.parametrize(
    "name",
    ["logging", "logging.Logger", "logging.nothing", "logging.info", "os.getcwd", "json.loads",
     "numpy.array", "nothing.at.all", "logging.Logger.nothing", "logging.getLogger.x.y.z",
     "builtins.open", "typing.cast", "", "a", "logging.", "subprocess.Popen.wait",
     "argparse.ArgumentParser.parse_args"],
)  # fmt: skip
def test_what_is_not_known(name: str) -> None:
    assert returned(name) is None


@pytest.mark.parametrize(
    ("name", "cls"),
    [
        ("logging.getLogger", "logging.Logger"),
        ("logging.Logger.getChild", "logging.Logger"),
        ("subprocess.run", "subprocess.CompletedProcess"),
        ("datetime.datetime.now", "datetime.datetime"),
        ("datetime.datetime.today", "datetime.datetime"),  # of a base, for whoever is asked
        ("datetime.date.today", "datetime.date"),
        ("pathlib.Path.cwd", "pathlib.Path"),
        ("threading.current_thread", "threading.Thread"),
        ("re.compile", "re.Pattern"),
    ],
)
def test_classes(name: str, cls: str) -> None:
    assert returned(name) == cls


@pytest.mark.parametrize(
    "name", ["logging", "logging.info", "builtins.list", "typing.List", "numpy.ndarray", "", "a",
             "os.environ", "functools.partial", "pprint.PrettyPrinter.pprint"],
)  # fmt: skip
def test_what_makes_no_instance_of_itself(name: str) -> None:
    assert not is_class(name)


@pytest.mark.parametrize(
    "name", ["logging.Logger", "pprint.PrettyPrinter", "pathlib.Path", "collections.OrderedDict",
             "concurrent.futures.ThreadPoolExecutor"],
)  # fmt: skip
def test_what_does(name: str) -> None:
    assert is_class(name)


def test_nothing_of_the_library_is_imported() -> None:
    import subprocess
    import sys

    code = (
        "import sys; from pinsetter.analyzer.library.stubs import returned; "
        "assert returned('sched.scheduler.enter') is None or True; returned('wave.open'); "
        "assert 'wave' not in sys.modules and 'sched' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
