"""editor: a text in the person's own editor."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import tempfile
from pathlib import Path

import click

from ..console.signals import Stopped

# Where neither $VISUAL nor $EDITOR names one.
_USUAL = ("notepad",) if os.name == "nt" else ("sensible-editor", "vim", "nano", "vi")
# Some file systems have times of two seconds, and a quick editor is done before that.
_EARLIER = 2


def ask_editor(text: str) -> str | None:
    """What a person makes of a text in $VISUAL or $EDITOR; None if nothing was saved.

    The variable is split into words as a shell does it; no shell sees it, nor the file's name.
    Raises click.ClickException if there is no editor, or it fails, or leaves no text.
    """
    try:
        with tempfile.TemporaryDirectory(prefix="pinsetter-") as folder:
            return _saved(Path(folder, "hunk.py"), text)
    except Stopped:
        raise
    except KeyboardInterrupt:
        return None
    except UnicodeDecodeError as error:
        reason = f"What the editor saved is no text in {error.encoding}."
        raise click.ClickException(reason) from None
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise click.ClickException(f"The editor left nothing to read: {why}.") from None


def _saved(path: Path, text: str) -> str | None:
    path.write_bytes(text.encode("utf-8"))
    status = path.stat()
    os.utime(path, (status.st_atime, status.st_mtime - _EARLIER))
    before = path.stat().st_mtime_ns
    _run([*_words(), str(path)])
    if path.stat().st_mtime_ns == before:
        return None
    return path.read_bytes().decode("utf-8-sig").replace("\r\n", "\n")


def _words() -> list[str]:
    """Raises click.ClickException."""
    given = os.environ.get("VISUAL") or os.environ.get("EDITOR")
    if not given:
        return [next((name for name in _USUAL if shutil.which(name)), _USUAL[-1])]
    try:
        words = shlex.split(given)
    except ValueError as error:
        raise click.ClickException(f"The editor {given!r} is no command: {error}.") from None
    if not words:
        raise click.ClickException(f"The editor {given!r} is no command.")
    return words


def _run(command: list[str]) -> None:
    """Raises click.ClickException."""
    try:
        done = subprocess.run(command, check=False)
    except OSError as error:
        raise click.ClickException(f"{command[0]}: {error.strerror or error}.") from None
    if done.returncode:
        raise click.ClickException(f"{command[0]} ended with {done.returncode}.")
