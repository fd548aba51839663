"""explain: the rule behind a hunk, and what was known of the code that it was applied to."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import yaml
from rich.text import Text

from pinsetter.analyzer.facts import Facts
from pinsetter.analyzer.messages.visible import visible
from pinsetter.analyzer.names.module import Module
from pinsetter.analyzer.names.project import Project
from pinsetter.analyzer.roles.sigma import RoleBinding
from pinsetter.patterns.applying.evidence import Evidence
from pinsetter.patterns.packs.pack import Rule
from pinsetter.patterns.reading.yaml_file import PackFile, read

from ..hunks.hunk import Hunk
from .screen import Screen

_PATH = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*")


def explain(hunk: Hunk, screen: Screen) -> None:
    """Print a hunk's rule and the facts. What holds what is found out anew, from the hunk's file
    and what it imports: the run keeps no more than the hunks need."""
    application = hunk.application
    if application is None:
        screen.prose(f"{hunk.rule} comes with no rule of a pack.", "cyan")
        return
    rule = application.rule
    place = visible(f"  {rule.path}:{rule.line}")
    screen.line(Text.assemble((visible(f"  rule {rule.id}"), "bold"), place))
    screen.prose(rule.why, "dim", indent=4)
    for key, lines in conditions(rule):
        screen.line(f"    {key}:", "cyan")
        for line in lines:
            screen.line(f"      {line}")
    found = application.evidence
    if found is None:
        return
    _show_captures(found, screen)
    for assumption in found.assumed:
        screen.prose(f"assumed: {assumption}", "yellow", indent=4)
    if not found.assumed:
        screen.prose("Nothing had to be assumed.", "dim", indent=4)
    _show_bindings(hunk.module, found, screen)


def conditions(rule: Rule) -> Iterator[tuple[str, list[str]]]:
    """What the rule's file says of where it applies: the key, and the lines of its value."""
    file = read(rule.path)
    found = file.data["rules"] if isinstance(file, PackFile) else ()
    raw = next((each for each in found if each["id"] == rule.id), {"where": list(rule.where)})
    for key in ("match", "query", "where", "requires"):
        if raw.get(key):
            yield key, _yaml(raw[key])


def _yaml(value: Any) -> list[str]:
    if isinstance(value, str):
        return value.rstrip().splitlines()
    dumped = yaml.safe_dump(value, default_flow_style=None, sort_keys=False, allow_unicode=True,
                            width=100)  # fmt: skip
    return dumped.rstrip().splitlines()


def _show_captures(found: Evidence, screen: Screen) -> None:
    screen.line("    here:", "cyan")
    for capture in found.captures:
        name, code = (f"${capture.name}", "bold"), visible(capture.code)
        screen.line(Text.assemble("      ", name, f" = {code}  (line {capture.line})"))
    for name_, text in found.texts:
        screen.line(Text.assemble("      ", (f"${name_}", "bold"), f" = {visible(text)}"))


def _show_bindings(module: Module, found: Evidence, screen: Screen) -> None:
    """What the captured expressions hold, and the lines that this follows from."""
    lines: dict[str, int] = {}
    for capture in found.captures:
        for path in _PATH.finditer(capture.code):
            for name in (path[0], path[0].rpartition(".")[0]):
                lines[name] = max(capture.line, lines.get(name, 0))
    last: dict[tuple[str, str], RoleBinding] = {}
    for binding in _bindings(module):
        if binding.line <= lines.get(binding.expression, 0):
            last[binding.expression, binding.role] = binding
    for binding in last.values():
        because = f": {binding.because}" if binding.because else ""
        what = f"{binding.role} {binding.expression} ({binding.certainty.value}{because})"
        screen.line(Text.assemble("      ", (visible(what), "bold"), f"  line {binding.line}"))
        for step in binding.chain:
            place = "" if step.path == binding.path else f"{step.path}:"
            screen.line(f"        {place}{step.line}: {step.text}", "dim")


def _bindings(module: Module) -> list[RoleBinding]:
    """What ``pinsetter facts`` says of the file as it is now; nothing if it changed meanwhile."""
    facts = Facts(Project([module.path]))
    again = facts.project.module(module.path)
    if again is None or again.source.data != module.source.data or not facts.may_have_roles:
        return []
    return facts.sigma.bindings(again)
