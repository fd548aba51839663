"""serve: a language server for packs. It tells what `pinsetter test` would say is wrong, completes
predicates and keys, shows what they mean, and what rules match in the folder that is open; it runs
no code of a pack."""

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
from pinsetter.patterns.predicates.documented import said_of
from pinsetter.patterns.reading.yaml_file import schema

from .live_matches import LiveMatch, LiveMatches

_IS_PACK = re.compile(r"^(pack|part|choice):", re.MULTILINE)
_WORD = re.compile(r"[\w-]+")
_SOURCE = "pinsetter"
_PYTHON = (".py", ".ipynb")


def serve() -> None:
    """Answer on standard input and output until they end."""
    server = LanguageServer(_SOURCE, metadata.version("pinsetter"))
    shown = _Shown(server)

    @server.feature(lsp.INITIALIZE)
    def begin(told: lsp.InitializeParams) -> None:
        options = told.initialization_options
        if not (isinstance(options, dict) and options.get("matches") is False):
            shown.wanted = True

    @server.feature(lsp.TEXT_DOCUMENT_DID_OPEN)
    @server.feature(lsp.TEXT_DOCUMENT_DID_SAVE)
    async def check_and_look(told: Any) -> None:
        uri = told.text_document.uri
        check(told)
        text = server.workspace.get_text_document(uri).source
        is_pack = not uri.endswith(_PYTHON) and _IS_PACK.search(text)
        await shown.look(_path(uri) if is_pack else None)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CHANGE)
    def check(told: Any) -> None:
        uri = told.text_document.uri
        if uri.endswith(_PYTHON):
            return  # what is told of it are matches
        text = server.workspace.get_text_document(uri).source
        found = list(diagnostics(_path(uri), text)) if _IS_PACK.search(text) else []
        server.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, found))

    @server.feature(lsp.TEXT_DOCUMENT_CODE_LENS)
    def lenses(told: lsp.CodeLensParams) -> list[lsp.CodeLens]:
        return shown.lenses(_path(told.text_document.uri))

    @server.feature(lsp.TEXT_DOCUMENT_REFERENCES)
    def references(told: lsp.ReferenceParams) -> list[lsp.Location]:
        return shown.references(_path(told.text_document.uri), told.position.line)

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

    @server.feature(lsp.SHUTDOWN)
    def end(_: None) -> None:
        shown.end()

    # It closes what it speaks on, and whoever ends the process flushes that.
    given, said = (os.dup(stream.fileno()) for stream in (sys.stdin, sys.stdout))
    server.start_io(os.fdopen(given, "rb"), os.fdopen(said, "wb"))


class _Shown:
    """What the rules of the pack match that was opened or saved last, and where that is told."""

    def __init__(self, server: LanguageServer) -> None:
        self.wanted = False
        self._server = server
        self._pack: Pack | None = None
        self._matches: list[LiveMatch] = []
        self._instead = ""
        self._live: LiveMatches | None = None

    async def look(self, path: Path | None) -> None:
        """Look for the matches of a pack, or, without one, of the last one again."""
        root = self._server.workspace.root_path
        if path is None and self._pack is not None:
            path = self._pack.path
        pack = load(path) if path is not None else None
        if not self.wanted or root is None or not isinstance(pack, Pack):
            return
        self._live = self._live or LiveMatches(Path(root))
        found = await self._live.of(pack)
        if found is None:
            return
        before = {match.uri for match in self._matches}
        self._pack = pack
        self._matches, self._instead = ([], found) if isinstance(found, str) else (found, "")
        for uri in sorted(before | {match.uri for match in self._matches}):
            told = [_told(match) for match in self._matches if match.uri == uri]
            self._server.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, told))
        workspace = self._server.client_capabilities.workspace
        if workspace and workspace.code_lens and workspace.code_lens.refresh_support:
            self._server.workspace_code_lens_refresh(None)

    def lenses(self, path: Path) -> list[lsp.CodeLens]:
        """How many matches each rule of a pack has, in the line where it begins."""
        if self._pack is None or self._pack.path != path:
            return []
        return [
            lsp.CodeLens(_range((rule.line - 1, 0), (rule.line - 1, 1)),
                         lsp.Command(self._instead or self._count(rule.id), ""))
            for rule in self._pack.rules if rule.path == path
        ]  # fmt: skip

    def _count(self, rule: str) -> str:
        files = [match.uri for match in self._matches if match.rule == rule]
        many, where = len(files), len({*files})
        if not many:
            return "no matches"
        return f"{many} match{'es' * (many > 1)} in {where} file{'s' * (where > 1)}"

    def references(self, path: Path, line: int) -> list[lsp.Location]:
        """The matches of the rule in which a line of a pack stands."""
        rules = self._pack.rules if self._pack is not None and self._pack.path == path else ()
        above = [rule for rule in rules if rule.path == path and rule.line - 1 <= line]
        rule = max(above, key=lambda rule: rule.line, default=None)
        return [
            lsp.Location(match.uri, _range(match.start, match.end))
            for match in self._matches if rule is not None and match.rule == rule.id
        ]  # fmt: skip

    def end(self) -> None:
        if self._live is not None:
            self._live.stop()


def _told(match: LiveMatch) -> lsp.Diagnostic:
    return lsp.Diagnostic(
        _range(match.start, match.end), match.says, severity=lsp.DiagnosticSeverity.Information,
        code=match.rule, source=_SOURCE,
    )  # fmt: skip


def _range(start: tuple[int, int], end: tuple[int, int]) -> lsp.Range:
    return lsp.Range(lsp.Position(*start), lsp.Position(*end))


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
    found.update((name, said_of(predicate)) for name, predicate in PREDICATES.items())
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
