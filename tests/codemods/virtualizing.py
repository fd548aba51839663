"""Programs virtualized and put back, as a run does it."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from pinsetter.codemods.engine.decide.decisions import Decisions
from pinsetter.codemods.engine.hunks.hunk import Hunk
from pinsetter.codemods.engine.propose.planning import make_plan
from pinsetter.codemods.engine.running.pack_query import PackQuery
from pinsetter.patterns.edits.edit import Edit, apply
from pinsetter.patterns.packs.pack import Pack, load
from pinsetter.patterns.packs.pack_files import find


@dataclass(frozen=True)
class Made:
    texts: Mapping[str, str]
    said: list[str]
    hunks: int


def pack(name: str, given: Mapping[str, str] | None = None) -> Pack:
    path = find(name)
    assert path is not None
    found = load(path, given or {})
    assert isinstance(found, Pack), found
    return found


def everything(hunk: Hunk) -> bool:
    return True


def made(
    texts: Mapping[str, str],
    name: str = "virtualize",
    accept: Callable[[Hunk], bool] = everything,
    options: tuple[str, ...] = (),
    given: Mapping[str, str] | None = None,
) -> Made:
    """What becomes of files of these names, by the hunks that are accepted and may be."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve()
        for path, text in texts.items():
            (root / path).write_bytes(text.encode())
        planned = make_plan([PackQuery(pack(name, given), [], options)], [root])
        assert not planned.problems, planned.problems
        assert not planned.faults, planned.faults
        decisions = Decisions(planned.plan)
        for hunk in planned.plan.hunks:
            if decisions.verdict(hunk) is None:
                (decisions.accept if accept(hunk) else decisions.reject)(hunk)
        edits: dict[str, list[Edit]] = {}
        for hunk in decisions.accepted:
            edits.setdefault(hunk.module.path.name, []).extend(hunk.edits)
        return Made(
            {path: apply(text, edits.get(path, [])) for path, text in texts.items()},
            [report.text for report in planned.reports],
            len(planned.plan.hunks),
        )


def virtualized(text: str, **more: object) -> str:
    return made({"a.py": text}, **more).texts["a.py"]  # type: ignore[arg-type]


def put_back(text: str) -> str:
    return made({"a.py": text}, "devirtualize").texts["a.py"]
