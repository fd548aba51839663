"""Precision and recall of σ on programs that were labelled by hand.

    python benchmarks/roles.py FOLDER [--missed] [--extra]

FOLDER holds the repositories that benchmarks/labels/*.yaml name, each at its commit in a folder
``owner+name``. A label is found if the binding is reported in its place with its role. What is
reported as proved, in a file of the program, without a label of its own is listed with ``--extra``,
to be read: labels are complete for the code that a program runs, not for whole files.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import yaml

from pinsetter.analyzer.interpreter import interpret
from pinsetter.analyzer.names.project import Project
from pinsetter.analyzer.roles.sigma import RoleBinding, Sigma
from pinsetter.analyzer.values.value import Certainty

LABELS = Path(__file__).parent / "labels"
Key = tuple[str, int, str, str]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--missed", action="store_true", help="list the labels that are not found")
    parser.add_argument("--extra", action="store_true", help="list what is proved and not labelled")
    parser.add_argument("--only", default="", help="programs whose name contains this")
    given = parser.parse_args()
    labelled: Counter[str] = Counter()
    found: Counter[str] = Counter()
    proved = extra = 0
    for program in _programs():
        name = f"{program['repository']} {program['entry']}"
        if given.only not in name:
            continue
        base = given.folder / program["repository"].replace("/", "+")
        if not (base / program["entry"]).exists():
            print(f"{name}: not there")
            continue
        began = time.process_time()
        reported = _reported(base, program)
        took = time.process_time() - began
        rows = [row for row in program["bindings"] if not row.get("doubtful")]
        doubtful = {_key(row) for row in program["bindings"]}
        missed = [row for row in rows if _key(row) not in reported]
        more = [key for key, binding in reported.items()
                if binding.certainty is Certainty.PROVED and key not in doubtful
                and key[3] in ROLES]  # fmt: skip
        sure = sum(reported[_key(row)].certainty is Certainty.PROVED
                   for row in rows if _key(row) in reported)  # fmt: skip
        print(f"{name}: {len(rows) - len(missed)} of {len(rows)}, {sure} proved; "
              f"{len(more)} more proved; {took:.1f} s")  # fmt: skip
        for row in rows:
            labelled[row["role"]] += 1
            found[row["role"]] += _key(row) in reported
        proved += sure
        extra += len(more)
        if given.missed:
            for row in missed:
                print(f"  missed {row['path']}:{row['line']} {row['expression']} {row['role']}")
        if given.extra:
            for path, line, expression, role in sorted(more):
                print(f"  extra {path}:{line} {expression} {role}")
    for role in sorted(labelled):
        print(f"{role}: {found[role]} of {labelled[role]}")
    total = sum(labelled.values())
    share = 100 * sum(found.values()) / max(1, total)
    print(f"recall {share:.1f} % of {total}; {proved} of them proved, {extra} more proved")
    return 0


ROLES = {"optimizer", "model", "tape", "dataset", "checkpoint", "callback_list", "session",
         "estimator"}  # fmt: skip


def _programs() -> list[dict[str, Any]]:
    programs: list[dict[str, Any]] = []
    for path in sorted(LABELS.glob("*.yaml")):
        programs += yaml.safe_load(path.read_text("utf-8"))
    return programs


def _key(row: dict[str, Any]) -> Key:
    return row["path"], row["line"], "".join(row["expression"].split()), row["role"]


def _reported(base: Path, program: dict[str, Any]) -> dict[Key, RoleBinding]:
    project = Project([base / program["entry"]])
    run = interpret(project)
    sigma = Sigma(run)
    reported = {}
    for module in project.modules:
        path = str(module.path.resolve().relative_to(base.resolve()))
        for binding in sigma.bindings(module):
            expression = "".join(binding.expression.replace('"', "'").split())
            reported[path, binding.line, expression, binding.role] = binding
    return reported


if __name__ == "__main__":
    sys.exit(main())
