"""Entries: why a module is where a program starts, as far as the module or its package says so."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path

from ..files.import_path import real_path
from ..library.declared import declared, first_name
from ..messages.problem import Problem
from ..names.definition import Definition
from ..names.module import Module
from ..syntax.tree import Call, Expression, dotted
from ..values.questions import Evaluator, origins
from .packaging import ConsoleScript, Packaging, read_packaging

# Functions that run a program.
_STARTERS = {
    "absl.app.run",
    "argh.dispatch",
    "argh.dispatch_command",
    "argh.dispatch_commands",
    "defopt.run",
    "fire.Fire",
    "fire.core.Fire",
    "jsonargparse.CLI",
    "jsonargparse.auto_cli",
    "plac.call",
    "typer.run",
    "tyro.cli",
}
# Decorators after which the call of a function is the start of a program.
COMMANDS = {"click.command", "click.group", "hydra.main", "rich_click.command", "rich_click.group"}
_COMMAND_CLASSES = {
    "click.Command", "click.Group", "click.CommandCollection", "cyclopts.App", "typer.Typer",
}  # fmt: skip
_COMMAND_METHODS = {"command", "group"}
# Decorators that start a program by themselves, where the module is the script.
_AUTOMATIC = {"begin.start", "sacred.Experiment.automain"}
_PARSERS = {"argparse.ArgumentParser", "optparse.OptionParser"}
_PARSE = {"parse_args", "parse_known_args"}
_DOCUMENTED = {"docopt.docopt"}


class Entries:
    """What makes modules of one project entries, besides that nobody imports them."""

    def __init__(self, evaluator: Evaluator) -> None:
        self.evaluator = evaluator
        self.project = evaluator.project

    @property
    def problems(self) -> list[Problem]:
        """What of the packaging files could not be read."""
        return [problem for found in self._packaging for problem in found.problems]

    def declared(self, module: Module) -> str | None:
        """The console script that a module is, by what its package declares, or its name."""
        script = self._scripts.get(id(module))
        if script is not None:
            kind = "script" if script.path is not None else "console script"
            return f"{kind} {script.name} ({script.source.name})"
        if module.path.name == "__main__.py":
            return f"__main__.py of {module.real.parent.name}"
        return None

    def started(self, module: Module) -> str | None:
        """The call at module level that runs the program, whoever imports the module."""
        for call in self._unguarded(module):
            starter = starts_program(call, module, self.evaluator)
            if starter or self._is_command(call.callee, module):
                return f"{starter or '.'.join(dotted(call.callee))}(), line {_line(call, module)}"
        for name, definition in self._functions.get(id(module), ()):
            found = self._decorators(name)
            if found & _AUTOMATIC:
                line = module.tree.line_of(definition.scope.node)
                return f"{min(found & _AUTOMATIC)}, line {line}"
        return None

    @cached_property
    def _functions(self) -> dict[int, list[tuple[str, Definition]]]:
        """The functions of each module, by qualified name."""
        found: dict[int, list[tuple[str, Definition]]] = {}
        for name, definition in self.evaluator.definitions.items():
            if definition.scope.kind == "function":
                found.setdefault(id(definition.module), []).append((name, definition))
        return found

    def parses(self, module: Module) -> str | None:
        """The call at module level that reads the command line."""
        for call in self._unguarded(module):
            names = self.evaluator.names(call.callee, module)
            if names & _DOCUMENTED:
                return f"docopt, line {_line(call, module)}"
            if call.method in _PARSE and self._made_by(call.receiver, module) & _PARSERS:
                return f"command line read, line {_line(call, module)}"
        return None

    def _unguarded(self, module: Module) -> list[Call]:
        """The calls that importing the module executes."""
        return [
            call
            for call in module.tree.calls
            if module.scope_of(call.trailer) is module.scopes.module
            and not module.is_guarded(call.trailer)
        ]

    def _made_by(self, expression: Expression, module: Module) -> set[str]:
        return {
            name
            for made, where in origins(expression, module, self.evaluator)
            for name in self.evaluator.names(made.callee, where)
        }

    def _is_command(self, callee: Expression, module: Module) -> bool:
        """Whether what is called is a command of click, typer or hydra."""
        if not dotted(callee):
            return False
        names = self.evaluator.names(callee, module)
        if any(self._decorators(name) & COMMANDS for name in names):
            return True
        return bool(self._made_by(callee, module) & _COMMAND_CLASSES)

    def _decorators(self, name: str, depth: int = 5) -> set[str]:
        """What decorates a function; ``@cli.command()`` of a command is a ``click.command``."""
        definition = self.evaluator.definitions.get(name)
        if definition is None or definition.scope.kind != "function" or not depth:
            return set()
        found: set[str] = set()
        module = definition.module
        for values, node in self.evaluator.decorated_with(definition.scope.node, module):
            found |= values.names
            for made in values.names:
                owner, _, method = made.rpartition(".")
                if method in _COMMAND_METHODS and self._decorators(owner, depth - 1) & COMMANDS:
                    found.add("click.command")
            # An experiment or an application is an object of a library that is not recorded.
            names = [leaf.value for leaf in node.leaves() if leaf.value.isidentifier()][:2]
            if len(names) == 2 and names[1] == "automain":
                for binding in module.binding(names[0]):
                    if self._made_by(binding.value, module) & {"sacred.Experiment"}:
                        found.add("sacred.Experiment.automain")
        return found

    @cached_property
    def _packaging(self) -> list[Packaging]:
        folders = {
            folder
            for module in self.project.given
            for folder in self.project.folders(module)
        }  # fmt: skip
        return [read_packaging(folder) for folder in sorted(folders)]

    @cached_property
    def _scripts(self) -> dict[int, ConsoleScript]:
        by_path = {module.real: module for module in self.project.given}
        found: dict[int, ConsoleScript] = {}
        for packaging in self._packaging:
            for script in packaging.scripts:
                paths = [script.path] if script.path else packaging.candidates(script.module)
                module = next((m for p in paths if (m := _at(p, by_path)) is not None), None)
                if module is not None:
                    found.setdefault(id(self._defining(module, script.function)), script)
        return found

    def _defining(self, module: Module, function: str) -> Module:
        """The module that a package takes the script's function from."""
        if module.is_package and function and "." not in function:
            names = self.evaluator.global_name(module, function).names
            for name in sorted(names & self.evaluator.definitions.keys()):
                found = self.evaluator.definitions[name].module
                if found in self.project.given:
                    return found
        return module


def has_test_cases(module: Module, evaluator: Evaluator) -> bool:
    """Whether a module has classes of unittest's, or of a library's that derives from them."""
    names = (
        f"{module.name}.{scope.qualified_name}" for scope in module.scopes if scope.kind == "class"
    )
    return any(evaluator.hierarchy.isa(name, "unittest.TestCase") for name in names)


def starts_program(call: Call, module: Module, evaluator: Evaluator) -> str:
    """The function that runs a program which a call is of; empty if it is none."""
    names = {first_name(name) for name in evaluator.names(call.callee, module)}
    return min(names & (_STARTERS | declared().entry), default="")


def _at(path: Path, by_path: dict[Path, Module]) -> Module | None:
    return by_path.get(real_path(path))


def _line(call: Call, module: Module) -> int:
    return module.tree.line_of(call.expression[0])
