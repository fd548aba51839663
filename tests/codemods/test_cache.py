"""The cache folder: what somebody else may have put into it is neither believed nor run."""

from __future__ import annotations

import os
import pickle
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from commands import BIN, run

from pinsetter.analyzer.files.user_cache import private

needs_users = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="needs users and modes")
needs_root = pytest.mark.skipif(getattr(os, "geteuid", lambda: 1)() != 0, reason="needs root")


class Payload:
    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[Callable[[str], int], tuple[str]]:
        return os.system, (f"touch {self.mark}",)


LOAD = (
    "from pinsetter.codemods.engine.console.fissix_tables import find_cache; find_cache(); "
    "import fissix.pygram"
)


def checked(cache: Path) -> str:
    """Has fissix loaded as all commands have it; what is said."""
    done = run(command=[sys.executable, "-c", LOAD], env={"XDG_CACHE_HOME": str(cache)})
    assert done.code == 0, done.said
    return done.said


def poison(cache: Path, mark: Path) -> None:
    """Every pickle that is there, or that fissix would look for, runs something."""
    for path in cache.rglob("*.pickle"):
        path.write_bytes(pickle.dumps(Payload(mark)))


def test_what_is_kept_is_for_the_user_alone(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    checked(cache)
    made = [path for path in cache.rglob("*") if path.is_dir()]
    assert {path.stat().st_mode & 0o077 for path in made if path != cache} == {0}
    assert list(cache.rglob("*.pickle"))
    assert not (cache / "fissix").exists()


def test_fissixs_own_folder_is_not_used(tmp_path: Path) -> None:
    import fissix

    cache, mark = tmp_path / "cache", tmp_path / "mark"
    own = cache / "fissix" / fissix.__version__
    own.mkdir(parents=True)
    for name in ("Grammar", "PatternGrammar"):
        (own / f"{name}{fissix.__base_version__}.pickle").write_bytes(b"")
    poison(cache, mark)
    checked(cache)
    assert not mark.exists()


@needs_users
@pytest.mark.parametrize("where", ["fissix", "pinsetter", "cache"])
def test_a_folder_that_others_can_write_to_is_not_used(tmp_path: Path, where: str) -> None:
    cache, mark = tmp_path / "cache", tmp_path / "mark"
    checked(cache)
    poison(cache, mark)
    folder = {"cache": cache, "pinsetter": cache / "pinsetter"}.get(where)
    (folder or next((cache / "pinsetter").glob("fissix-*"))).chmod(0o777)
    assert "others may write to it" in checked(cache)
    assert not mark.exists()
    if where != "fissix":
        return
    script = tmp_path / "script.py"
    script.write_text("from bowler import Query\nQuery([]).select_root().dump\n")
    run(command=[str(BIN / "bowler"), "run", str(script)], env={"XDG_CACHE_HOME": str(cache)})
    assert not mark.exists()


@needs_root
def test_a_folder_of_somebody_else_is_not_used(tmp_path: Path) -> None:
    cache, mark = tmp_path / "cache", tmp_path / "mark"
    checked(cache)
    poison(cache, mark)
    for path in (cache / "pinsetter").rglob("fissix-*"):
        os.chown(path, 12345, 12345)
    assert "others may write to it" in checked(cache)
    assert not mark.exists()


@needs_users
def test_which_folders_are_private(tmp_path: Path) -> None:
    assert private(tmp_path / "new" / "below") == tmp_path / "new" / "below"
    assert (tmp_path / "new" / "below").stat().st_mode & 0o777 == 0o700
    (tmp_path / "open").mkdir()
    (tmp_path / "open").chmod(0o777)
    assert private(tmp_path / "open") is None
    assert private(tmp_path / "open" / "below") is None
    (tmp_path / "sticky").mkdir()
    (tmp_path / "sticky").chmod(0o1777)
    assert private(tmp_path / "sticky" / "below") == tmp_path / "sticky" / "below"
    (tmp_path / "file").write_text("")
    assert private(tmp_path / "file") is None
    (tmp_path / "loop").symlink_to("loop")
    assert private(tmp_path / "loop") is None
    (tmp_path / "link").symlink_to("open")
    assert private(tmp_path / "link" / "under") is None
