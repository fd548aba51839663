"""new_content: what edits make of a file; written, if it is what was meant."""

from __future__ import annotations

from collections.abc import Sequence

from pinsetter.analyzer import syntax
from pinsetter.analyzer.messages.problem import Problem
from pinsetter.analyzer.names.module import Module
from pinsetter.patterns.edits.edit import Edit, apply

from .replace_file import Failure, put, target_of


def new_content(module: Module, edits: Sequence[Edit]) -> bytes | Problem:
    """The file's bytes with the edits made; the Problem is that these are not right."""
    path = module.path
    try:
        text = apply(module.source.text, edits)
        syntax.parse(text)
        return module.source.encode(text)
    except syntax.SyntaxProblem as problem:
        reason = f"not written: the result would not parse ({problem.reason})"
        return Problem(path, reason, problem.line, hint="reject the hunks of this file one by one")
    except UnicodeEncodeError:
        return Problem(path, f"not written: the result does not fit {module.source.encoding}")


def write(module: Module, edits: Sequence[Edit]) -> Problem | None:
    """Apply edits to the module's file alone; the Problem says why nothing was written."""
    data, target = new_content(module, edits), target_of(module.path)
    if isinstance(data, Problem):
        return data
    if isinstance(target, Problem):
        return target
    done = put(module.path, target, module.source.data, data)
    return done.problem if isinstance(done, Failure) else None
