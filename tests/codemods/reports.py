"""What the tests of reports share: the document of a real run, and files that are hard to name."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from commands import BROKEN, MIXED, PLAIN, TRAIN, all_packs

from pinsetter.codemods.engine.report.build import document
from pinsetter.codemods.engine.report.document import Document
from pinsetter.codemods.engine.running.mode import Mode
from pinsetter.codemods.engine.running.pack_query import PackQuery
from pinsetter.codemods.engine.running.run import Outcome, RunRequest, run
from pinsetter.patterns.packs.pack import Pack

HOSTILE = "<script>alert(1)</script> & \"quotes\" 'more' \u202e\x1b[31m %s {0} ]]> \\ é 日本.py"
NO_TEXT = os.fsdecode(b"no\xfftext \t\n.py")


def outcome_of(paths: Sequence[Path], mode: Mode = Mode.CHECK) -> tuple[Outcome, tuple[Pack, ...]]:
    found = all_packs()
    queries = [PackQuery(pack, []) for pack in found]
    return run(RunRequest(queries, paths, mode, show=lambda *shown: None)), found


def document_of(folder: Path, mode: Mode = Mode.CHECK) -> Document:
    outcome, found = outcome_of([folder], mode)
    return document(outcome, found, folder)


def hostile_tree(folder: Path) -> Path:
    """Files that propose, that are refused, that are no Python and that do nothing; under names and
    with contents that no format may stumble over."""
    text = TRAIN.replace("(number)", "(number, '</pre><script>\\x1b]]>&amp;é日\x0c\u202e')")
    files = {
        HOSTILE.replace("/", ""): text,
        NO_TEXT: TRAIN.replace("\n", "\r\n"),
        "cr.py": TRAIN.replace("\n", "\r"),
        "bom.py": "\ufeff" + TRAIN,
        "plain.py": PLAIN,
        "empty.py": "",
        "refused.py": MIXED,
        "broken <b>.py": BROKEN,
    }
    for number, (name, content) in enumerate(files.items()):
        path = folder / str(number) / name
        path.parent.mkdir(parents=True)
        path.write_bytes(content.encode("utf-8"))
    return folder
