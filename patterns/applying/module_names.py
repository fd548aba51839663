"""ModuleNames: what one module calls a pack's imports and definitions, and which names are free."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from pathlib import Path

from fissix.pygram import python_symbols as symbols

from pinsetter.analyzer.facts import Facts
from pinsetter.analyzer.files.import_path import root_of
from pinsetter.analyzer.names.module import Module

from ..edits.edit import Edit
from ..edits.indentation import BEFORE_IMPORTS, Layout
from ..edits.rendering import Filling, render
from ..edits.template import Kind, read_template
from ..matching.aliases import Aliases
from ..matching.from_imports import from_import_edit
from ..matching.import_place import import_place
from ..matching.start import after_imports, libraries_of
from ..packs.pack import Pack


class ModuleNames:
    """``definitions`` has what the module calls each of the pack's definitions, ``missing`` those
    of them that it does not have; ``start`` is where start code stands."""

    def __init__(
        self, pack: Pack, module: Module, facts: Facts, layout: Layout, start: int
    ) -> None:
        self.pack = pack
        self.module = module
        self.layout = layout
        self.start = start
        self._facts = facts
        self.missing: dict[str, str] = {}
        self._taken: set[str] = set()
        self._placed: dict[tuple[str, int], str] = {}
        self.aliases = Aliases(pack, module, facts, self.start, self.fresh)
        self.definitions = {name: self._local_definition(name) for name in pack.definitions}

    def fresh(self, wanted: str, place: int | None = None) -> str:
        """A name that the file does not have, and no other application has taken, unless it is for
        the same ``place``."""
        if place is not None and (wanted, place) in self._placed:
            return self._placed[wanted, place]
        name = self.module.fresh(wanted, frozenset(self._taken))
        self._taken.add(name)
        if place is not None:
            self._placed[wanted, place] = name
        return name

    def import_edits(self, alias: str) -> list[Edit]:
        """The import that binds ``alias`` in this module."""
        module, local = self.aliases.imported_for(alias), self.aliases.missing[alias]
        libraries = libraries_of(self.pack)
        if alias in self.pack.members:
            rank = (-1, *map(ord, module.lower()))
            return from_import_edit(self.layout, module, local, libraries, self.start, rank)
        bound = module if local == module else f"{module} as {local}"
        place, before, behind = import_place(
            self.module, module, libraries, self.start, self._of_repository
        )
        rank = (-1, *map(ord, module.lower()))
        edits = [self.layout.at(place, [f"import {bound}"], rank)]
        if before:
            edits.append(self.layout.empty_line(place, BEFORE_IMPORTS))
        return [*edits, self.layout.empty_line(place)] if behind else edits

    @cached_property
    def _of_repository(self) -> frozenset[str]:
        """The packages and modules of the repository that the module imports, as far as isort and
        ruff take them for its own: those in its folder or in ``src``."""
        project = self._facts.project
        root = root_of(self.module.real)
        found = {
            (target.module.partition(".")[0], other.real)
            for _, target in self.module.imports if not target.level
            for other in project.imported(self.module, target)
        }  # fmt: skip
        return frozenset(name for name, file in found if _is_in(name, file, (root, root / "src")))

    def definition_edits(self, name: str) -> list[Edit]:
        """One of the pack's definitions, after the module's imports; a variable stands with the
        start code where that is there."""
        lines = self._definition(name, self.missing[name], set()).splitlines()
        place = after_imports(self.module, self.start)
        is_variable = len(lines) == 1
        rank = (len(self.pack.rules), not is_variable)
        if is_variable and place == self.start:
            return self.layout.at_start(self.start, lines, rank)
        rest = self.module.source.text[place:]
        around = [""] if is_variable else ["", ""]
        empty = next((n for n, line in enumerate(rest.splitlines()) if line.strip()), len(around))
        edit = self.layout.at(place, [*around, *lines], rank)
        # Of several definitions the last one is what they stand behind.
        apart = range(empty, len(around)) if rest else ()
        behind = [self.layout.empty_line(place, (rank[0] + 1, n)) for n in apart]
        return [edit.styled(self.layout.style), *behind]

    def definition_imports(self, name: str) -> frozenset[str]:
        """The aliases that one of the pack's definitions needs and the file does not bind yet."""
        used: set[str] = set()
        self._definition(name, name, used)
        return frozenset(used & set(self.aliases.missing))

    def _definition(self, name: str, local: str, used: set[str]) -> str:
        template = read_template(self.pack.definitions[name], Kind.CODE)
        names = {
            alias: self.aliases.local(alias, used) for alias in template.names(self.pack.imports)
        }
        return render(template, _nothing, {**names, name: local}).text.text

    def _local_definition(self, name: str) -> str:
        """What the module calls one of the pack's definitions; a fresh name if it has none."""
        code = self._definition(name, name, set())
        lines = self.layout.lines(code.splitlines(), "")
        for statement in self.module.tree.root.children:
            if statement.type in (symbols.classdef, symbols.funcdef, symbols.simple_stmt):
                start, end = self.module.tree.span((statement,))
                if (
                    self.module.source.text[start:end].split()
                    == " ".join(line.text for line in lines).split()
                ):
                    return name
        local = self.fresh(name)
        self.missing[name] = local
        return local


def _is_in(package: str, file: Path, folders: Iterable[Path]) -> bool:
    """Whether a module's file is in a package, or the module, that is in one of the folders."""
    places = {folder / name for folder in folders for name in (package, f"{package}.py")}
    return not places.isdisjoint((file, *file.parents))


def _nothing(name: str) -> Filling:
    raise ValueError(f"a definition has no metavariables, and ${name} is one")
