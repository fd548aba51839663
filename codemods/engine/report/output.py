"""output: ``--format`` and ``--output``, where the document of a run goes."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from pinsetter.analyzer.messages.problem import Problem
from pinsetter.patterns.packs.pack import Pack

from ..console.terminal import echo_document
from ..files.replace_file import replace
from ..running.mode import Mode
from ..running.patch import patch
from ..running.run import Outcome
from .build import document
from .document import Document
from .format import Format


@dataclass(frozen=True)
class Report:
    """A report that was asked for; ``output`` is None for standard output."""

    format: Format
    output: Path | None

    def deliver(self, outcome: Outcome, packs: Sequence[Pack]) -> Problem | None:
        """Print or write it whole; the Problem says why the file is as it was.

        Raises OutputError if standard output cannot be written.
        """
        if self.format is Format.TEXT and outcome.mode is Mode.DIFF:
            content = patch(outcome.decisions.accepted, outcome.formatting)
        else:
            content = rendered(document(outcome, packs), self.format)
        if self.output is None:
            echo_document(content)
            return None
        try:
            _put(self.output, content)
        except OSError as error:
            return Problem(self.output, f"the report is not written: {error.strerror or error}")
        return None


def report_of(format: str | None, output: Path | None, mode: Mode) -> Report | None:
    """The report that the options ask for; None if the mode prints what it always does.

    Raises click.UsageError before anything is done, if nothing can come of it.
    """
    if format is None and output is None:
        return None
    if mode is Mode.REVIEW:
        name = "--format" if format is not None else "--output"
        raise click.UsageError(
            f"{name} needs --check, --diff or --write: a review prints no report."
        )
    chosen = Format(format or Format.TEXT)
    if output == Path("-"):
        output = None
    if output is None:
        return None if chosen is Format.TEXT and mode is Mode.DIFF else Report(chosen, None)
    complaint = _complaint(output)
    if complaint:
        raise click.UsageError(f"--output {str(output)!r}: {complaint}")
    return Report(chosen, output)


def rendered(document: Document, format: Format) -> bytes:
    """The document in a format."""
    # Most runs need none of these, and no run more than one.
    if format is Format.JSON:
        from .as_json import as_json as render
    elif format is Format.SARIF:
        from .sarif import as_sarif as render
    elif format is Format.JUNIT:
        from .junit import as_junit as render
    elif format is Format.HTML:
        from .html import as_html as render
    elif format is Format.GITLAB:
        from .as_gitlab import as_gitlab as render
    else:
        from .as_text import as_text as render
    return render(document)


def _complaint(output: Path) -> str:
    try:
        if output.is_dir():
            return "this is a folder; name a file."
        if not output.parent.is_dir():
            return "its folder does not exist."
        if output.suffix == ".py":
            return "this is the name of a Python source; a report would take its place."
        place = output if output.exists() else output.parent
        if not os.access(place, os.W_OK):
            return "it may not be written."
    except (OSError, ValueError) as error:
        return f"{error}."
    return ""


def _put(output: Path, content: bytes) -> None:
    if output.exists() and not output.is_file():
        # A device or a pipe is written to, not replaced.
        output.write_bytes(content)
    else:
        replace(output.resolve(), content)
