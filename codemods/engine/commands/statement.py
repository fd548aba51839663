"""What a statement does, for ``pinsetter facts FILE:LINE``: how it runs, names, effects."""

from __future__ import annotations

from typing import Any

from fissix.pygram import python_symbols as symbols

from pinsetter.analyzer.effects.effect_analysis import Effects
from pinsetter.analyzer.facts import Facts
from pinsetter.analyzer.flow import Flows
from pinsetter.analyzer.names.module import Module
from pinsetter.analyzer.names.statement_at import statement_at
from pinsetter.analyzer.syntax.tree import LN

from ..console.terminal import Styled, echo

_DEFINITIONS = {symbols.funcdef, symbols.classdef, symbols.decorated, symbols.async_stmt,
                symbols.async_funcdef}  # fmt: skip


def statement_data(module: Module, line: int, facts: Facts) -> dict[str, Any] | None:
    """The facts of the statement on a line, or of the head that the line is; None without one."""
    node, behind = statement_at(module, line)
    statement = node if behind else _head(node)
    if statement.parent is None:
        return None
    flow = Flows(module.scopes).of(module.scope_of(statement))
    activity = flow.activity(statement)
    defines = statement.type in _DEFINITIONS
    effects = Effects() if defines else facts.effects.of(statement, module)
    return {
        "path": str(module.path),
        "line": module.tree.line_of(statement),
        "scope": flow.scope.qualified_name,
        "runs": facts.runs(statement, module),
        "reads": sorted(activity.read),
        "writes": sorted(activity.written | activity.modified | activity.deleted),
        "live_after": sorted(flow.live_after(statement)),
        "effects": sorted(effects.kinds),
        "effects_unknown_of": sorted(effects.unknown),
    }


def _head(first: LN) -> LN:
    """The compound statement whose block begins with ``first``."""
    block = first.parent
    return block.parent if block is not None and block.parent is not None else first


def show_statement(data: dict[str, Any]) -> None:
    place = Styled(f"{data['path']}:{data['line']}:", bold=True)
    where = f" in {data['scope']}" if data["scope"] else ""
    echo(place, f" runs {_RUNS[data['runs']]}{where}")
    for title, key in _ROWS:
        if data[key]:
            echo(f"    {title}: {', '.join(data[key])}")


_RUNS = {"eager": "eagerly", "traced": "while it is traced", "graph": "to build a graph"}
_ROWS = (
    ("reads", "reads"),
    ("binds or changes", "writes"),
    ("read later", "live_after"),
    ("effects", "effects"),
    ("not known what these do", "effects_unknown_of"),
)
