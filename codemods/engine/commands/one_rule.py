"""one_rule: a run with a rule of the command line, as a pack of its own."""

from __future__ import annotations

import tempfile
from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import yaml

from .run_command import RunOptions, run_with


def run_rule(
    name: str,
    imports: Mapping[str, str],
    rule: Mapping[str, Any],
    given: Mapping[str, Any],
    names: Collection[str] = (),
) -> int:
    """Run a rule that has no pack; ``given`` are the options of the run, ``names`` those that need
    not be known here. The exit code."""
    whole = {"id": name, **rule, "why": "It was asked for.", "examples": [{"unchanged": "pass\n"}]}
    pack = {"pack": name, "summary": "A rule of the command line.", "imports": dict(imports),
            "rules": [whole]}  # fmt: skip
    if names:
        pack["names"] = sorted(names)
    with tempfile.TemporaryDirectory(prefix="pinsetter-") as folder:
        path = Path(folder) / f"{name}.yaml"
        path.write_text(yaml.safe_dump(pack, sort_keys=False, width=1_000_000), "utf-8")
        told = RunOptions.of(str(path), name, dict(given))
        return run_with(replace(told, has_pack=False), None, True)
