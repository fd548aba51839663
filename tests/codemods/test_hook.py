"""The .pth file: that it does nothing until Bowler is imported, and goes away with the package."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import venv
import zipfile
from importlib import metadata
from pathlib import Path

import pytest
from commands import REPOSITORY

PTH = REPOSITORY / "codemods" / "engine" / "bowler" / "pinsetter-bowler.pth"
LINE = PTH.read_text()
LOADED = "sorted(name for name in sys.modules if name.split('.')[0] == 'pinsetter')"
FIRST = "type(sys.meta_path[0]).__name__"


def python(
    code: str, *flags: str, executable: str | Path = sys.executable, **env: str
) -> subprocess.CompletedProcess[str]:
    given = {**os.environ, **env}
    return subprocess.run(
        [str(executable), *flags, "-c", code], env=given, capture_output=True, text=True,
        check=False, timeout=60,
    )  # fmt: skip


def said(*arguments: str, **options: str) -> str:
    done = python(*arguments, **options)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    return done.stdout.strip()


def test_nothing_is_imported_at_a_start() -> None:
    assert said(f"import sys; print({LOADED}, {FIRST})") == "[] SimpleNamespace"


def test_nothing_is_imported_with_another_module() -> None:
    code = f"import sys, json, importlib.util as u; u.find_spec('bowlers'); print({LOADED})"
    assert said(code) == "[]"


@pytest.mark.parametrize(
    ("flags", "first"),
    [
        (["-I"], "SimpleNamespace"),
        (["-E"], "SimpleNamespace"),
        (["-s"], "SimpleNamespace"),
        (["-S"], ""),
    ],
)
def test_python_starts_with_any_flag(flags: list[str], first: str) -> None:
    found = said(f"import sys; print({LOADED}, {FIRST})", *flags)
    assert found.startswith("[]")
    assert (found == "[] SimpleNamespace") == bool(first)


def test_it_can_be_switched_off() -> None:
    code = f"import sys; print({FIRST}); import bowler; print({LOADED})"
    assert said(code, PINSETTER_BOWLER="0").endswith("\n[]")
    assert "SimpleNamespace" not in said(code, PINSETTER_BOWLER="0")


def test_bowler_gets_our_tool() -> None:
    code = "from bowler import query; print(query.BowlerTool.__module__)"
    assert said(code) == "pinsetter.codemods.engine.bowler.tool"
    assert said(code, PINSETTER_BOWLER="0") == "bowler.tool"


def test_modules_keep_their_own_loaders() -> None:
    code = (
        "import inspect, bowler.query as q; print(type(q.__loader__).__name__, "
        "q.__spec__.loader is q.__loader__, 'class Query' in inspect.getsource(q))"
    )
    assert said(code) == "SourceFileLoader True True"


def test_bowler_may_lie_in_an_archive(tmp_path: Path) -> None:
    """Its loader is that of all modules in there."""
    with zipfile.ZipFile(tmp_path / "app.zip", "w") as archive:
        archive.writestr("bowler/__init__.py", "")
        for name in ("query", "main", "other"):
            archive.writestr(f"bowler/{name}.py", "main = None\n")
    # Our tool stands in for itself: this Bowler is none.
    code = (
        f"import sys, types; sys.path.insert(0, {str(tmp_path / 'app.zip')!r}); import bowler\n"
        "sys.modules['pinsetter.codemods.engine.bowler.tool'] = types.ModuleType('tool')\n"
        "import bowler.query, bowler.other; print(type(bowler.other.__loader__).__name__)\n"
        "print(bowler.query.__loader__ is bowler.other.__loader__, "
        "vars(bowler.other.__loader__).get('exec_module'))"
    )
    assert said(code) == "zipimporter\nTrue None"


@pytest.mark.parametrize("broken", ["", "raise ImportError('half of it is gone')\n"])
def test_without_the_package_bowler_is_as_it_was(tmp_path: Path, broken: str) -> None:
    """As where somebody removed the package's folder, but not what lies beside it."""
    (tmp_path / "bowler").mkdir()
    (tmp_path / "bowler" / "__init__.py").write_text("here = 1\n")
    if broken:
        (tmp_path / "pinsetter").mkdir()
        (tmp_path / "pinsetter" / "__init__.py").write_text(broken)
    code = (
        f"import sys; sys.path[:] = [{str(tmp_path)!r}, *(p for p in sys.path if 'site-' not in p)]"
        f"\nexec({LINE!r})\nprint({FIRST})\nimport bowler\nprint(bowler.here, {LOADED})"
    )
    assert said(code, "-S") == "SimpleNamespace\n1 []"


def test_it_costs_next_to_nothing() -> None:
    """benchmarks/starting.py measures it well; this tells when something heavy gets in."""
    code = (
        "import sys, time\nbest = 1e9\nfor _ in range(50):\n    start = time.perf_counter()\n"
        f"    exec({LINE!r})\n    best = min(best, time.perf_counter() - start)\nprint(best)"
    )
    assert float(said(code, "-S")) < 0.0002


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel of a copy: building leaves folders behind."""
    source, made = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("wheel")
    for name in ("analyzer", "patterns", "codemods", "staging", "src"):
        ignored = shutil.ignore_patterns("__pycache__", "*.pyc")
        shutil.copytree(REPOSITORY / name, source / name, ignore=ignored)
    for name in ("setup.py", "setup.cfg", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(REPOSITORY / name, source)
    done = subprocess.run(
        [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps",
         "--wheel-dir", made, source], capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
    if done.returncode:
        pytest.skip(f"no wheel can be built here: {done.stderr[-300:]}")
    return next(made.glob("*.whl"))


def test_it_comes_and_goes_with_the_package(wheel: Path, tmp_path: Path) -> None:
    venv.create(tmp_path / "venv", symlinks=os.name != "nt")
    made = next(p for p in (tmp_path / "venv").glob("*/python*") if p.is_file())

    def pip(*arguments: str) -> None:
        subprocess.run(
            [sys.executable, "-m", "pip", "--python", str(made), "--disable-pip-version-check",
             *arguments], check=True, capture_output=True, timeout=300,
        )  # fmt: skip

    site = next((tmp_path / "venv").rglob("site-packages"))
    before = sorted(path.name for path in site.rglob("*"))
    pip("install", "--quiet", "--no-deps", str(wheel))
    assert (site / PTH.name).read_text() == LINE
    code = f"import sys; print({LOADED}, {FIRST})"
    assert said(code, executable=made) == "[] SimpleNamespace"
    pip("uninstall", "--yes", "--quiet", "pinsetter")
    assert sorted(path.name for path in site.rglob("*")) == before
    assert "SimpleNamespace" not in said(code, executable=made)


def test_an_editable_installation_has_it() -> None:
    distribution = metadata.distribution("pinsetter")
    files = [path for path in distribution.files or [] if path.name == PTH.name]
    assert len(files) == 1
    assert Path(str(distribution.locate_file(files[0]))).is_file()
