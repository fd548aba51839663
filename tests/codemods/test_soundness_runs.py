"""The programs that docs/soundness.md names are there, are run, and have what they are to show."""

from __future__ import annotations

import re
from functools import cache

import pytest
from commands import REPOSITORY

from pinsetter.codemods.engine.propose.planning import make_plan
from pinsetter.codemods.engine.running.pack_query import PackQuery
from pinsetter.patterns.packs import pack as packs
from pinsetter.patterns.packs import pack_files

FIXTURES = REPOSITORY / "fixtures"
ROW = re.compile(r"^\| (.+) \| (.+) \| (.+) \| (.+) \|$", re.MULTILINE)
RULE = re.compile(r"\(rules/[\w-]+\.md#([\w-]+)\)")
NO_PROGRAMS = ("\N{EN DASH}", "all", "run", "---")


def rows() -> list[tuple[str, frozenset[str], str, list[str]]]:
    """Hazard, rules, example and programs of each row that names programs."""
    text = (REPOSITORY / "docs" / "soundness.md").read_text("utf-8")
    found = [(h, frozenset(RULE.findall(r)), e, p.split(", ")) for h, r, e, p in ROW.findall(text)]
    return [row for row in found if row[3][0] not in NO_PROGRAMS]


@cache
def rules_at_work(program: str) -> frozenset[str]:
    """The rules that change the program or report something in it, with all options."""
    choice = pack_files.find("distribute")
    assert choice is not None
    found = packs.load_all(choice)
    assert isinstance(found, tuple)
    folder = FIXTURES / program if program == "demo" else FIXTURES / "programs" / program
    planned = make_plan([PackQuery(pack, [], options(program)) for pack in found], [folder])
    return frozenset(x.rule for x in planned.plan.hunks) | {r.rule.id for r in planned.reports}


def options(program: str) -> tuple[str, ...]:
    return ("shard",) if program.startswith("samples_") else ()


@pytest.mark.parametrize("row", rows(), ids=lambda row: row[0][:40])
def test_what_a_program_is_to_show_is_in_it(
    row: tuple[str, frozenset[str], str, list[str]],
) -> None:
    _, rules, example, programs = row
    for program in programs:
        if program.startswith("handwritten/"):
            assert (FIXTURES / "programs" / f"{program}.py").is_file()
        elif rules and not example.startswith("unchanged"):
            assert rules & rules_at_work(program), program


def test_every_rewritten_program_is_run() -> None:
    tests = "".join(p.read_text("utf-8") for p in (REPOSITORY / "tests/e2e").glob("test_*.py"))
    for folder in (FIXTURES / "programs").iterdir():
        assert f"{folder.name}" in tests, folder.name
