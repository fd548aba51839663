"""of_many: what is noted of programs in which rules are applied often."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pinsetter.analyzer.programs.programs import Program
from pinsetter.patterns.applying.application import Report

from ..hunks.hunk import Hunk


def of_many(hunks: Iterable[Hunk], programs: Iterable[Program]) -> Iterator[Report]:
    """For each program the sentences of its rules with ``many``, once, where the rules that say the
    same have more hunks than these sentences are for; at the first of them."""
    told: set[tuple[str, str]] = set()
    saying = [hunk for hunk in hunks if _many(hunk) is not None]
    for program in programs:
        modules = {id(module) for module in program.modules}
        found: dict[str, list[Hunk]] = defaultdict(list)
        for hunk in saying:
            many = _many(hunk)
            if many is not None and id(hunk.module) in modules:
                found[many["say"]].append(hunk)
        for sentence, those in found.items():
            first, many = those[0], _many(those[0])
            if many is None or first.application is None or len(those) <= many["above"]:
                continue
            if (sentence, first.id) not in told:
                told.add((sentence, first.id))
                text = " ".join(sentence.replace("$count", str(len(those))).split())
                option = many.get("option", "")
                rule, module = first.application.rule, first.module
                yield Report(rule, module, first.line, text, option=option)


def _many(hunk: Hunk) -> Mapping[str, Any] | None:
    return hunk.application.rule.many if hunk.application is not None else None
