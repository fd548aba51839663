"""What the tests of campaigns share: repositories, and the commands in a home of their own."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from commands import Result

from pinsetter.codemods.engine.cli import obeyed, pinsetter

ANALYSING = {"start", "scan", "apply", "check", "review", "guard"}

OLD = "import datetime\n\n\ndef now():\n    return datetime.datetime.utcnow()\n"
NEW = (
    "import datetime\n\n\ndef now():\n"
    "    return datetime.datetime.now(datetime.timezone.utc).replace(tzinfo=None)\n"
)
PLAIN = "x = 1\n"


@dataclass(frozen=True)
class Repo:
    """A git repository."""

    folder: Path

    @classmethod
    def of(cls, folder: Path, files: Mapping[str, str | bytes], *options: str) -> Repo:
        folder.mkdir(parents=True, exist_ok=True)
        repo = cls(folder)
        repo.git("init", "-q", "-b", "main", *options)
        for key, value in (("user.name", "First"), ("user.email", "first@example.org")):
            repo.git("config", key, value)
        repo.commit(files)
        return repo

    def git(self, *arguments: str, check: bool = True) -> str:
        done = subprocess.run(
            ["git", "-c", "protocol.file.allow=always", *arguments], cwd=self.folder,
            capture_output=True, stdin=subprocess.DEVNULL, check=False,
        )  # fmt: skip
        assert not check or done.returncode == 0, done.stderr.decode()
        return done.stdout.decode().strip()

    def write(self, files: Mapping[str, str | bytes]) -> None:
        for name, text in files.items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode() if isinstance(text, str) else text)

    def commit(self, files: Mapping[str, str | bytes], message: str = "a") -> str:
        """Write files and commit everything; the commit."""
        self.write(files)
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message)
        return self.head()

    def head(self, revision: str = "HEAD") -> str:
        return self.git("rev-parse", revision)

    def show(self, revision: str, name: str) -> str:
        done = subprocess.run(
            ["git", "show", f"{revision}:{name}"], cwd=self.folder, capture_output=True, check=True
        )
        return done.stdout.decode()

    def branches(self) -> list[str]:
        return self.git("for-each-ref", "--format=%(refname:short)", "refs/heads").split()

    def state(self) -> tuple[str, str, str]:
        """What only the person may change: where they are, what is in their files and index."""
        return (self.git("rev-parse", "--symbolic-full-name", "HEAD"), self.head(),
                self.git("status", "--porcelain"))  # fmt: skip


@dataclass(frozen=True)
class Home:
    """Where campaigns are kept."""

    folder: Path

    def run(
        self, *arguments: str | Path, code: int | Sequence[int] = 0, cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
    ) -> Result:  # fmt: skip
        """A command of `pinsetter campaign`, in this process, and how it has to end."""
        name, *rest = map(str, arguments)
        jobs = ["--jobs", "1"] if name in ANALYSING else []
        out, err = io.StringIO(), io.StringIO()
        with pytest.MonkeyPatch.context() as patch:
            for key, value in {"PINSETTER_CAMPAIGNS": str(self.folder), **(env or {})}.items():
                patch.setenv(key, value)
            if cwd is not None:
                patch.chdir(cwd)
            with redirect_stdout(out), redirect_stderr(err):
                try:
                    done = int(obeyed(pinsetter, ["campaign", name, *jobs, *rest], "pinsetter"))
                except SystemExit as end:
                    done = int(end.code or 0)
        result = Result(done, out.getvalue().encode(), err.getvalue())
        codes = (code,) if isinstance(code, int) else code
        assert result.code in codes, (result.code, result.said)
        return result

    def start(self, repo: Repo, *more: str | Path, name: str = "utc", code: int = 0) -> Result:
        return self.run("start", name, "--pack", "utcnow", repo.folder, *more, code=code)

    def status(self, name: str = "utc", *more: str) -> Any:
        return json.loads(self.run("status", name, "--json", *more).out)

    def counts(self, name: str = "utc") -> dict[str, int]:
        """What there is, without what there is none of."""
        counts = self.status(name)["counts"]
        return {kind: number for kind, number in counts.items() if number}

    def shards(self, name: str = "utc") -> dict[str, Any]:
        (repository,) = self.status(name)["repositories"]
        return {shard["name"]: shard for shard in repository["shards"]}


PYTHON = sys.executable
