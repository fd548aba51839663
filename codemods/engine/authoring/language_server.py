"""serve: a language server for packs. It tells what `pinsetter test` would say is wrong, completes
predicates and keys, and shows what they mean; it runs no code of a pack."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlparse
from urllib.request import url2pathname

from lsprotocol import types as lsp
from pygls.lsp.server import LanguageServer

from pinsetter.analyzer.messages.problem import Problem
from pinsetter.patterns.packs.pack import Pack, load
from pinsetter.patterns.predicates import PREDICATES
from pinsetter.patterns.reading.yaml_file import schema

_IS_PACK = re.compile(r"^(pack|part|choice):", re.MULTILINE)
_WORD = re.compile(r"[\w-]+")
_SOURCE = "pinsetter"


def serve() -> None:
    """Answer on standard input and output until they end."""
    server = LanguageServer(_SOURCE, metadata.version("pinsetter"))

    @server.feature(lsp.TEXT_DOCUMENT_DID_OPEN)
    @server.feature(lsp.TEXT_DOCUMENT_DID_CHANGE)
    @server.feature(lsp.TEXT_DOCUMENT_DID_SAVE)
    def check(told: Any) -> None:
        uri = told.text_document.uri
        text = server.workspace.get_text_document(uri).source
        found = list(diagnostics(_path(uri), text)) if _IS_PACK.search(text) else []
        server.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, found))

    @server.feature(lsp.TEXT_DOCUMENT_COMPLETION)
    def complete(_: lsp.CompletionParams) -> list[lsp.CompletionItem]:
        return [
            lsp.CompletionItem(name, kind=lsp.CompletionItemKind.Keyword, documentation=text)
            for name, text in meanings().items()
        ]

    @server.feature(lsp.TEXT_DOCUMENT_HOVER)
    def hover(told: lsp.HoverParams) -> lsp.Hover | None:
        document = server.workspace.get_text_document(told.text_document.uri)
        at = told.position
        line = document.lines[at.line] if at.line < len(document.lines) else ""
        word = next(
            (w[0] for w in _WORD.finditer(line) if w.start() <= at.character <= w.end()), ""
        )
        text = meanings().get(word)
        return None if text is None else lsp.Hover(lsp.MarkupContent(lsp.MarkupKind.Markdown, text))

    # It closes what it speaks on, and whoever ends the process flushes that.
    given, said = (os.dup(stream.fileno()) for stream in (sys.stdin, sys.stdout))
    server.start_io(os.fdopen(given, "rb"), os.fdopen(said, "wb"))


def diagnostics(path: Path, text: str) -> Iterator[lsp.Diagnostic]:
    """What is wrong with a pack that says this, and what is worth telling its author."""
    found = load(path, text=text.encode("utf-8", "replace"))
    problems = found.remarks if isinstance(found, Pack) else found
    severity = lsp.DiagnosticSeverity.Error
    if isinstance(found, Pack):
        severity = lsp.DiagnosticSeverity.Information
    for problem in problems:
        yield _diagnostic(problem, path, severity)


def _diagnostic(problem: Problem, path: Path, severity: lsp.DiagnosticSeverity) -> lsp.Diagnostic:
    is_own = problem.path == path
    line, column = (max(problem.line - 1, 0), problem.column) if is_own else (0, 0)
    place = "" if is_own else f"{problem.path}:{problem.line}: "
    hint = f" ({problem.hint})" if problem.hint else ""
    end = max(len(problem.text), column + 1) if is_own else 1
    return lsp.Diagnostic(
        lsp.Range(lsp.Position(line, column), lsp.Position(line, end)),
        f"{place}{problem.reason}{hint}",
        severity=severity,
        source=_SOURCE,
    )


@cache
def meanings() -> Mapping[str, str]:
    """What predicates and keys of a pack mean."""
    found = dict(_described(schema()))
    for name, predicate in PREDICATES.items():
        found[name] = " ".join((predicate.__doc__ or "").replace("``", "`").split())
    return found


def _described(part: Any) -> Iterator[tuple[str, str]]:
    """The keys of a schema that have a description."""
    if isinstance(part, dict):
        for key, one in part.get("properties", {}).items():
            if isinstance(one, dict) and "description" in one:
                yield key, one["description"]
        for inner in part.values():
            yield from _described(inner)
    elif isinstance(part, list):
        for inner in part:
            yield from _described(inner)


def _path(uri: str) -> Path:
    return Path(url2pathname(unquote(urlparse(uri).path)))
